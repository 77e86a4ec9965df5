"""denoise: a page and some of its same-layer pages in, the page without their common blocks out (Yuan, Zhang, Jiang, Zhao 2006)."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, cast

import numpy as np

from tamis.document.document import Document
from tamis.document.selection import Selection
from tamis.layer.judging import OUTSIDE, REASONS, UNCONFIRMED, UNREAD, Verdict, judge
from tamis.layer.places import LayerPage
from tamis.layer.settings import SameLayer
from tamis.layer.siblings import SeenPage, same_article
from tamis.layer.strings import MAX_TEXT
from tamis.page.appearance import Appearance
from tamis.page.decode import Encoding
from tamis.page.parsing import Page, parse, parse_decoded
from tamis.page.tree import IntColumn, PageTree
from tamis.segmentation import Segmentation, SegmentSettings, segment
from tamis.segmentation.vips import MAX_NODES, Rendered

_NOTES = {
    0: ("no same-layer page to compare with: nothing is removed",),
    1: ("only one same-layer page to compare with: only its exact copies and lists of links count as noise; two or three find more",),
}
"""Notes by the number of same-layer pages."""


@dataclass(frozen=True, slots=True)
class Denoising:
    """Settings of the whole method."""

    judging: SameLayer = SameLayer()
    """Settings for judging blocks; :meth:`SameLayer.paper <tamis.layer.settings.SameLayer.paper>` is the paper's form."""
    segmentation: SegmentSettings = SegmentSettings(articles=0)
    """Settings for cutting the page into blocks: VIPS with a permitted degree of coherence of 5 (paper). Lists of articles stay whole."""

    @classmethod
    def paper(cls) -> Denoising:
        """Return the paper's form: pDoC 5, and whatever matches in one page is noise."""
        return cls(SameLayer.paper())


@dataclass(frozen=True, eq=False)
class Denoised(Document):
    """A page without the blocks that its same-layer pages have, too."""

    verdicts: tuple[Verdict, ...] = ()  #: Every block, noise or not, with the evidence, in document order.
    siblings: tuple[SeenPage, ...] = field(default=(), repr=False)
    """The same-layer pages that it was compared with; the evidence names them by position."""
    passed: tuple[tuple[str, str], ...] = ()  #: Pages that were offered and not used: address or path, and why.
    segmentation: Segmentation | None = field(default=None, repr=False)
    """The blocks, and whether they come from a rendered page or an estimated layout."""

    @property
    def unconfirmed(self) -> int:
        """Blocks that one same-layer page has, and not as an exact copy: more pages would decide them."""
        return sum(verdict.reason == UNCONFIRMED for verdict in self.verdicts)

    def explain(self) -> list[dict[str, Any]]:
        """Return every block as plain values: text, XPaths, verdict, and where it was found."""
        return [
            {
                "text": " ".join(filter(None, map(self.tree.text, verdict.nodes))),
                "noise": verdict.noise,
                "reason": REASONS[verdict.reason],
                "xpath": [self.tree.xpath(node) for node in verdict.nodes],
                "evidence": [
                    {
                        "page": self.siblings[found.page].name,
                        "xpath": self.siblings[found.page].tree.xpath(found.node),
                        "tag_similarity": round(found.tag_similarity, 4),
                        "text_similarity": round(found.text_similarity, 4),
                    }
                    for found in verdict.occurrences
                ],
            }
            for verdict in self.verdicts
        ]


def denoise(
    page: Page | Rendered | SeenPage,
    siblings: Iterable[Page | SeenPage],
    settings: Denoising = Denoising(),
    *,
    url: str | None = None,
    content_type: str | None = None,
) -> Denoised:
    """Remove from a page the blocks that its same-layer pages have, too.

    Pages that may be of the same article (:func:`tamis.layer.siblings.same_article`) are not compared with: what they share is content.

    Args:
        page: HTML as text, bytes as served, a file (``Path``), a tree; or a page that a browser rendered, whose blocks are those that are
            seen. Of others the layout is estimated from the markup.
        siblings: same-layer pages; three are enough, two decide. With one, only exact copies and lists of links are
            noise. :func:`tamis.layer.siblings.choose_siblings` finds them in a folder, :func:`tamis.crawl.siblings` on the web.
        settings: thresholds.
        url: where the page came from.
        content_type: the HTTP ``Content-Type`` header of the page.

    Returns:
        The document. Without any same-layer page nothing is noise, and the document says so.

    Raises:
        SourceError: a file cannot be read.
        UsageError: a page is of no known kind.

    >>> menu = "<ul><li><a href=/>Home</a><li><a href=/tides>Tides</a><li><a href=/boats>Boats</a></ul>"
    >>> texts = {"Herons": "They wait in the reeds.", "Storks": "In spring all are back again.", "Cranes": "Few birds dance so well."}
    >>> pages = [f"<body>{menu}<div><h1>{name}</h1><p>{text}</div>" for name, text in texts.items()]
    >>> denoise(pages[0], pages[1:]).text
    'Herons\\nThey wait in the reeds.'
    """
    seen, appearance, encoding = _page_and_looks(page, url, content_type)
    offered = [each if isinstance(each, SeenPage) else SeenPage(parse(each).bounded(MAX_NODES)) for each in siblings]
    others, passed = _of_other_articles(seen, offered)
    segmentation = segment(seen.tree, appearance, settings.segmentation)
    known = segmentation.tree
    layer = [LayerPage(other.tree, settings.judging) for other in others]
    blocks = [block.nodes for block in segmentation.leaves]
    verdicts = judge(LayerPage(known, settings.judging), blocks, layer, settings.judging)
    notes = _NOTES.get(len(others), ()) if settings.judging.min_support is None or not others else ()
    if any(len(text) > MAX_TEXT for page in (seen, *others) for text in page.tree.texts):
        notes = (*notes, f"only the first {MAX_TEXT} characters of a text were compared")
    if len(known) < len(seen.tree):
        notes = (*notes, f"only the first {len(known)} elements and texts were compared: the rest is kept")
    return Denoised(
        tree=seen.tree,
        text_selection=_selection(
            seen.tree, known.end, verdicts, (*(f"not compared with {name}: {reason}" for name, reason in passed), *notes)
        ),
        url=seen.url,
        encoding=encoding,
        verdicts=verdicts,
        siblings=others,
        passed=passed,
        segmentation=segmentation,
    )


def _page_and_looks(
    page: Page | Rendered | SeenPage, url: str | None, content_type: str | None
) -> tuple[SeenPage, Appearance | None, Encoding | None]:
    """Return the page, its looks where a browser saw it, and how it was decoded."""
    if isinstance(page, SeenPage):
        return replace(page, url=url or page.url), None, None
    appearance = getattr(page, "appearance", None)
    if isinstance(appearance, Appearance):
        rendered = cast("Rendered", page)
        return SeenPage(rendered.tree, url or getattr(page, "url", None)), appearance, None
    tree, encoding = parse_decoded(cast("Page", page), content_type=content_type)
    return SeenPage(tree, url), None, encoding


def _of_other_articles(page: SeenPage, offered: Sequence[SeenPage]) -> tuple[tuple[SeenPage, ...], tuple[tuple[str, str], ...]]:
    """Return the pages that are not of the page's article, and why the others are."""
    taken: list[SeenPage] = []
    passed: list[tuple[str, str]] = []
    for number, other in enumerate(offered, 1):
        reason = same_article(page, other)
        if reason is None:
            taken.append(other)
        else:
            passed.append((f"page {number}" if other.url is None and other.source is None else other.name, reason))
    return tuple(taken), tuple(passed)


def _selection(tree: PageTree, end: IntColumn, verdicts: Sequence[Verdict], notes: tuple[str, ...]) -> Selection:
    """The texts of a page without its noise. ``end``: of the nodes that were judged."""
    reason = np.full(len(tree), OUTSIDE, dtype=np.uint8)
    noise = np.zeros(len(tree), dtype=np.bool_)
    support = np.zeros(len(tree), dtype=np.uint8)
    for verdict in verdicts:
        for node in verdict.nodes:
            inside = slice(node, end[node])
            reason[inside], noise[inside], support[inside] = verdict.reason, verdict.noise, min(verdict.support, 255)
    reason[tree.non_text] = UNREAD
    return Selection("same-layer", ~noise & ~tree.non_text, reason, REASONS, notes=notes, scores={"support": support})
