"""Same-layer noise removal by its text: alone, and before or after a site's template learned from the same few pages."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from statistics import fmean

import numpy as np
from numpy.typing import NDArray

from benchmarks.same_layer_pages import Sample
from tamis.document.render.text import to_text
from tamis.layer.denoising import Denoised, denoise
from tamis.page.tree import PageTree
from tamis.site.extraction import extract
from tamis.site.model import SiteModel, learn

WAYS = (
    "attenuation alone",
    "same-layer",
    "site template",
    "same-layer, then template",
    "template and same-layer",
)
"""What is compared: the single-page method; what same-layer noise leaves; the template; the template on what same-layer noise leaves;
what both keep."""


@dataclass(frozen=True, slots=True)
class TextScore:
    """Mean over a site's pages."""

    site: str
    way: str
    k: int  #: Same-layer pages, which the template is learned from, too (with the page itself).
    f1: float
    precision: float
    recall: float


def texts(samples: Sequence[Sample], ks: Sequence[int]) -> list[TextScore]:
    """The scores of all ways on a site's pages, by k."""
    scores = []
    for k in ks:
        cleaned = [_ways(sample, k) for sample in samples]
        for way in WAYS:
            each = [sample.gold.score(texts[way]) for sample, texts in zip(samples, cleaned, strict=True)]
            means = (fmean(getattr(score, name) for score in each) for name in ("f1", "precision", "recall"))
            scores.append(TextScore(samples[0].site, way, k, *(round(value, 4) for value in means)))
    return scores


def _ways(sample: Sample, k: int) -> dict[str, str]:
    """The page's text by each way."""
    tree, siblings = sample.page.tree, sample.siblings[:k]
    rest = denoise(sample.page, siblings)
    model = learn([tree, *(sibling.tree for sibling in siblings)])
    template = model.template_selection(tree).keep
    cleaned = (
        extract(tree, method="attenuation").text,
        rest.text,
        to_text(tree, template),
        _on_rest(rest, model),
        to_text(tree, template & rest.selection.keep),
    )
    return dict(zip(WAYS, cleaned, strict=True))


def _on_rest(rest: Denoised, model: SiteModel) -> str:
    """The template's selection of the page without its same-layer noise."""
    smaller, _ = remaining(rest.tree, np.flatnonzero(rest.selection.keep))
    return to_text(smaller, model.template_selection(smaller).keep) if len(smaller) else ""


def remaining(tree: PageTree, kept: NDArray[np.intp]) -> tuple[PageTree, NDArray[np.intp]]:
    """A page without some of its nodes, a smaller tree for methods that look at whole pages.

    Args:
        tree: the page.
        kept: nodes to keep, intp, rising; their ancestors are kept, too.

    Returns:
        The smaller tree, and for each of its ``m`` nodes the index in the page, intp ``(m,)``.

    >>> from tamis import parse
    >>> page = parse("<body><p>one<p>two<div><p>three</div>")
    >>> remaining(page, page.text_nodes[[0, 2]])[0].text()
    'one three'
    """
    wanted = np.zeros(len(tree), dtype=np.int64)
    wanted[kept] = 1
    stays = tree.subtree_sum(wanted) > 0
    node = np.flatnonzero(stays)
    position = np.append(0, np.cumsum(stays))
    text_stays = stays[tree.text_nodes]
    parent = tree.parent[node]
    smaller = replace(
        tree,
        tag=tree.tag[node],
        parent=np.where(parent < 0, -1, position[np.maximum(parent, 0)]).astype(np.int32),
        end=position[tree.end[node]].astype(np.int32),
        text_nodes=position[tree.text_nodes[text_stays]].astype(np.int32),
        texts=[tree.texts[k] for k in np.flatnonzero(text_stays).tolist()],
        link=tree.link[node],
        attributes=[tree.attributes[k] for k in node.tolist()],
    )
    return smaller, node
