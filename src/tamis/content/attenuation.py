"""Main text by information attenuation (Chen Y., Chen X., Wu Q., 2012).

A topic page's main text lies below one node, its *topic subtree*. Walking down from the root along the child with the most text outside
links, the text below the current node hardly shrinks while navigation and boxes are left aside; at the parent of the paragraphs it shrinks
at once, because each child holds only one of them. The topic subtree is the first node where the share that is lost, the *attenuation*, is
above a threshold. ``docs/methods/attenuation.md`` has the formula, and what was decided where the paper is ambiguous.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal, Protocol

import numpy as np
from numpy.typing import NDArray

from tamis.document.selection import Cause, Reason, Selection, Step
from tamis.errors import UsageError
from tamis.page import tags
from tamis.page.tree import PageTree

_BLOCK = tags.lookup(tags.BLOCKS)
REASONS = (
    Reason("in the main element", Cause.CONTENT),
    Reason("outside the main element", Cause.OUTSIDE),
    Reason("title or script: not page text", Cause.UNREAD),
    Reason("link density above the limit", Cause.LINKS),
    Reason("page without text", Cause.UNREAD),
)
_KEPT, _OUTSIDE, _UNREAD, _LINKS, _EMPTY = range(5)


class Site(Protocol):
    """Interface of a learned site that main-text methods use (:class:`tamis.site.model.SiteModel`, a style tree)."""

    def template_selection(self, tree: PageTree) -> Selection:
        """Select the text that the template alone keeps of a page."""
        ...

    def select(self, tree: PageTree, settings: Any) -> Selection:
        """Select the text that the node model keeps of a page, with the template's evidence."""
        ...

    def without_evidence(self) -> Site:
        """Return the same model without what only learning needs."""
        ...


@dataclass(frozen=True, slots=True)
class Attenuation:
    """Settings of information attenuation.

    Raises:
        UsageError: a threshold is not within 0..1.
    """

    threshold: float = 0.34  #: T: the descent ends where the attenuation exceeds it (paper: 0.34, best of 0.2 to 0.5).
    link_density: float = 0.65  #: DLmax: link nodes of a higher link density are removed (paper: 0.65).
    trim: Literal["link-nodes", "every", "none"] = "link-nodes"
    """Nodes that are removed for their link density: those of the paper's definition 1, every node, or none."""

    def __post_init__(self) -> None:
        for name in ("threshold", "link_density"):
            if not 0 <= getattr(self, name) <= 1:
                raise UsageError(f"{name} is a share from 0 to 1, not {getattr(self, name)}")
        if self.trim not in ("link-nodes", "every", "none"):
            raise UsageError(f"trim is link-nodes, every or none, not {self.trim!r}")

    @classmethod
    def paper(cls) -> Attenuation:
        """Return the paper's form: T = 0.34, DLmax = 0.65, and every node is trimmed (algorithm 2)."""
        return cls(threshold=0.34, link_density=0.65, trim="every")

    def select(self, tree: PageTree, model: Site | None = None) -> Selection:
        """Select the main text of a page, or with a model of its site what that site's template keeps."""
        return select(tree, self) if model is None else model.template_selection(tree)


def select(tree: PageTree, settings: Attenuation = Attenuation()) -> Selection:
    """Select the main text of a page.

    Source: Chen 2012, sections 2.2 (algorithm 1) and 2.3 (algorithm 2).

    >>> from tamis import parse
    >>> tree = parse("<body><div><a href=/>Home</a> menu</div><div><p>The first paragraph.<p>The second paragraph.</div>")
    >>> selection = select(tree)
    >>> [tree.xpath(step.node) for step in selection.trail]
    ['/html[1]', '/html[1]/body[1]', '/html[1]/body[1]/div[2]']
    >>> "".join(tree.texts[k] for k in range(len(tree.texts)) if selection.keep[tree.text_nodes[k]])
    'The first paragraph.The second paragraph.'
    """
    n = len(tree)
    reason = np.full(n, _OUTSIDE, dtype=np.uint8)
    length = np.where(tree.non_text, 0, tree.text_length)
    total = tree.subtree_sum(length)
    plain = tree.subtree_sum(np.where(tree.in_link, 0, length))
    if n == 0 or total[0] == 0:
        reason[:] = _EMPTY
        return Selection("attenuation", np.zeros(n, dtype=np.bool_), reason, REASONS)
    descent = topic_path(tree, plain, total, settings.threshold)
    topic = descent[-1][0]
    inside = slice(topic, tree.end[topic])
    reason[inside] = _KEPT
    density = (total - plain) / np.maximum(total, 1)
    if settings.trim != "none":
        link_nodes = density[inside] > settings.link_density
        if settings.trim == "link-nodes":
            several = tree.subtree_sum(tree.link)[inside] > 1
            link_nodes &= several & tree.of_tags(_BLOCK)[inside]
        link_nodes[0] = False  # the topic subtree itself
        reason[tree.subtree_mask(np.flatnonzero(link_nodes) + topic)] = _LINKS
    reason[tree.non_text] = _UNREAD
    trail = tuple(Step(node, int(plain[node]), r) for node, r in descent)
    return Selection("attenuation", reason == _KEPT, reason, REASONS, trail, scores={"link_density": density})


def topic_path(tree: PageTree, plain: NDArray[np.int64], total: NDArray[np.int64], threshold: float) -> list[tuple[int, float]]:
    """Return the descent to the topic subtree: pairs of node and attenuation, the topic subtree last (algorithm 1).

    Args:
        tree: the page.
        plain: characters outside links below each node, int64 ``(n,)``.
        total: characters below each node, int64 ``(n,)``; a node without any is not part of the tag tree.
        threshold: T.
    """
    path: list[tuple[int, float]] = []
    end, outside_links, text = tree.end.tolist(), plain.tolist(), total.tolist()
    node = 0
    while True:
        best, children = node, 0
        child = node + 1
        while child < end[node]:
            if text[child]:
                children += 1
                if best == node or outside_links[child] > outside_links[best]:
                    best = child
            child = end[child]
        if not children:
            path.append((node, 1.0))
            return path
        attenuation = (outside_links[node] - outside_links[best]) / outside_links[node] if outside_links[node] else 0.0
        path.append((node, attenuation))
        if children > 1 and (attenuation > threshold or not outside_links[node]):
            return path
        node = best
