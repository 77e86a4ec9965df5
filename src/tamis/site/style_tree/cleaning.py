"""Cleaning pages with a style tree: which of its elements are noise, and what of a page lies in them."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from tamis.document.selection import Cause, Reason, Selection
from tamis.page.tree import BoolColumn, PageTree
from tamis.site.style_tree.importance import Floats, Importance, importance, threshold_of
from tamis.site.style_tree.rows import LEAF, ROOT, Cleaning, Places, StyleSettings, places
from tamis.site.style_tree.table import StyleTree
from tamis.structure.hashing import Hashes, path_sums

MEANINGFUL, NOISY, NEW, MIXED, OUTSIDE, UNREAD = range(6)
REASONS = (
    Reason("differs between the pages of the site", Cause.CONTENT),
    Reason("the same in its place on the pages of the site", Cause.TEMPLATE),
    Reason("stands in a layout that the site's style tree does not have", Cause.CONTENT),
    Reason("holds parts that differ and parts that do not", Cause.CONTENT),
    Reason("outside the body", Cause.OUTSIDE),
    Reason("no running text in this tag", Cause.UNREAD),
)


def noisy(scores: Importance, threshold: float) -> BoolColumn:
    """Element nodes that have, with all below them, a CompImp of at most ``threshold``, bool ``(e,)``."""
    return np.asarray(scores.peak <= threshold)


def meaningful(scores: Importance, threshold: float) -> BoolColumn:
    """Element nodes without anything noisy in their subtree, bool ``(e,)``."""
    return np.asarray(scores.floor > threshold)


@dataclass(frozen=True, eq=False)
class SimplifiedTree:
    """A style tree pruned below its maximal noisy and maximal meaningful elements: what cleaning a page needs.

    Element nodes are rows, sorted by place. A place names the styles on the way to it, so no table of styles is left.
    """

    place: Hashes = field(repr=False)  #: Places, uint64 ``(r,)``; the first is the virtual root's.
    verdict: NDArray[np.uint8] = field(repr=False)  #: ``NOISY``, ``MEANINGFUL`` or ``MIXED``, uint8 ``(r,)``.
    importance: Floats = field(repr=False)  #: CompImp, float64 ``(r,)``.
    content: Floats = field(repr=False)
    """Importance of its content where the element is a leaf, float64 ``(r,)``; NaN where it never was one."""
    threshold: float  #: t: the threshold that was used.
    pages: int  #: Pages that the tree was built from.
    settings: StyleSettings

    def map_page(self, tree: PageTree) -> Selection:
        """What of a page is noise: everything in the elements that the style tree found noisy.

        Source: Yi, Liu and Li (2003), section 3.4. Noisy elements are deleted, meaningful ones kept; otherwise the way goes down where the
        tree has the page's style, and what stands in a style that it does not have is kept.

        Returns:
            The selection "style-tree", with the score ``importance``: CompImp of the element node that decided about each node; NaN where
            none did, 1 for new styles.
        """
        page = places(tree, self.settings)
        row = np.minimum(np.searchsorted(self.place, page.place), len(self.place) - 1)
        decision, score = self._decide(page, row)
        decided = np.flatnonzero(decision != MIXED)
        own = np.zeros(len(tree), dtype=np.uint64)
        own[page.node[decided]] = np.arange(1, len(decided) + 1)
        number = path_sums(own, tree.end)  # decided elements do not overlap: each fills its subtree with its number, from 1
        texts = tree.text_nodes[page.texts]
        number[texts] = number[page.node[page.holder]]
        reason = np.append(np.uint8(MIXED), decision[decided])[number]
        importances = np.append(np.nan, score[decided])[number]
        start, stop = (int(page.node[0]), int(tree.end[page.node[0]])) if len(page.node) else (len(tree), len(tree))
        reason[:start] = reason[stop:] = OUTSIDE
        reason[tree.unread] = UNREAD
        keep = np.isin(reason, (MEANINGFUL, NEW, MIXED))
        return Selection("style-tree", keep, reason, REASONS, scores={"importance": importances})

    def _decide(self, page: Places, row: NDArray[np.intp]) -> tuple[NDArray[np.uint8], Floats]:
        """A verdict on each element of a page, MIXED where none is due, and the importance that it rests on."""
        known = self.place[row] == page.place
        decision = np.where(known, self.verdict[row], np.uint8(MIXED))
        score = np.where(known, self.importance[row], 1.0)
        leaf = np.flatnonzero(known & (decision == MIXED) & (page.style == LEAF))  # a leaf here, inner elsewhere
        content = self.content[row[leaf]]
        decision[leaf] = np.where(np.isnan(content), NEW, np.where(content <= self.threshold, NOISY, MEANINGFUL))
        score[leaf] = np.where(np.isnan(content), 1.0, content)
        above = np.minimum(np.searchsorted(self.place, page.above), len(self.place) - 1)
        decision[~known & (self.place[above] == page.above) & (self.verdict[above] == MIXED)] = NEW
        return decision, score


def simplify(tree: StyleTree, settings: Cleaning = Cleaning()) -> SimplifiedTree:
    """Decide which elements of a style tree are noise, and prune it below the maximal ones.

    >>> from tamis import parse
    >>> pages = [parse(f"<ul><li>Home<li>About</ul><p>Text of page {name}") for name in ("one", "two", "three", "four")]
    >>> model = simplify(StyleTree.build(pages))
    >>> [text for text, node in zip(pages[0].texts, pages[0].text_nodes) if model.map_page(pages[0]).keep[node]]
    ['Text of page one']
    """
    scores = importance(tree, settings.gamma, settings.min_pages)
    threshold = threshold_of(tree, scores) if settings.threshold is None else settings.threshold
    verdict = np.full(len(tree), MIXED, dtype=np.uint8)
    verdict[meaningful(scores, threshold)] = MEANINGFUL
    verdict[noisy(scores, threshold)] = NOISY
    # The virtual root and BODY are never deleted as a whole: a page in a layout that the tree has never seen is kept.
    verdict[(tree.elements.depth == 1) & (verdict == NOISY)] = MIXED
    verdict[:1] = MIXED
    above = np.searchsorted(tree.elements.place, tree.elements.above)
    kept = np.flatnonzero(verdict[above] == MIXED) if len(tree) else np.zeros(0, dtype=np.intp)
    if not len(kept):
        root, mixed, one = np.array([ROOT]), np.array([MIXED], dtype=np.uint8), np.ones(1)
        return SimplifiedTree(root, mixed, one, one, threshold, 0, tree.settings)
    return SimplifiedTree(
        place=tree.elements.place[kept],
        verdict=verdict[kept],
        importance=scores.composite[kept],
        content=scores.content[kept],
        threshold=threshold,
        pages=tree.pages,
        settings=tree.settings,
    )
