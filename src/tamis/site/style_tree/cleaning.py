"""Cleaning pages with a style tree: which of its elements are noise, and what of a page lies in them."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import asdict, dataclass, field, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tamis.document.selection import Cause, Reason, Selection
from tamis.errors import UsageError
from tamis.io.plain import made
from tamis.page import tags
from tamis.page.tree import BoolColumn, IntColumn, PageTree
from tamis.site.folders import Arrays, Stored
from tamis.site.style_tree.importance import Floats, Importance, choose_threshold, importance
from tamis.site.style_tree.rows import LEAF, ROOT, ElementPlaces, StyleCleaning, StyleSettings, places
from tamis.site.style_tree.table import StyleTree
from tamis.structure.hashing import Hashes, path_sums

MEANINGFUL, NOISY, NEW, MIXED, OUTSIDE, UNREAD = range(6)
REASONS = (
    Reason("differs between the pages of the site", Cause.CONTENT),
    Reason("the same text at this place on the site's pages", Cause.TEMPLATE),
    Reason("in a layout that the site's style tree does not have", Cause.CONTENT),
    Reason("holds parts that differ and parts that do not", Cause.CONTENT),
    Reason("outside the body", Cause.OUTSIDE),
    Reason("title or script: not page text", Cause.UNREAD),
)
NAMES = ("#text", *tags.KNOWN[1:], "?")  #: Names of elements by the codes in a style tree.
_ONE_PAGE = "the style tree of the site is not known: nothing is known to repeat"


def noisy(scores: Importance, threshold: float) -> BoolColumn:
    """Element nodes that have, with all below them, a CompImp of at most ``threshold``, bool ``(e,)``."""
    return np.asarray(scores.peak <= threshold)


def meaningful(scores: Importance, threshold: float) -> BoolColumn:
    """Element nodes without anything noisy in their subtree, bool ``(e,)``."""
    return np.asarray(scores.floor > threshold)


@dataclass(frozen=True, eq=False)
class SimplifiedTree(Stored):
    """A style tree pruned below its maximal noisy and maximal meaningful elements: what cleaning a page needs.

    Element nodes are rows, sorted by place. A place names the styles on the way to it, so no table of styles is left.
    """

    FORMAT, VERSION = "tamis-style-tree", 1
    place: Hashes = field(repr=False)  #: Places, uint64 ``(r,)``; the first is the virtual root's.
    verdict: NDArray[np.uint8] = field(repr=False)  #: ``NOISY``, ``MEANINGFUL`` or ``MIXED``, uint8 ``(r,)``.
    importance: Floats = field(repr=False)  #: CompImp, float64 ``(r,)``.
    content: Floats = field(repr=False)
    """Importance of its content where the element is a leaf, float64 ``(r,)``; NaN where it never was one."""
    node: Floats = field(repr=False)  #: NodeImp, float64 ``(r,)``.
    above: IntColumn = field(repr=False)  #: Row of the element above, int32 ``(r,)``; of the root, its own.
    position: IntColumn = field(repr=False)  #: Position in its style, int32 ``(r,)``.
    tag: IntColumn = field(repr=False)  #: Tag code, int32 ``(r,)`` (:attr:`Elements.tag <tamis.site.style_tree.table.Elements.tag>`).
    on_pages: IntColumn = field(repr=False)  #: m: pages that have the element, int32 ``(r,)``.
    styles: IntColumn = field(repr=False)  #: l: styles below it, int32 ``(r,)``.
    threshold: float  #: t: the threshold that was used.
    pages: int  #: Pages that the tree was built from.
    settings: StyleSettings

    def __repr__(self) -> str:
        return f"SimplifiedTree(pages={self.pages}, elements={len(self.place)}, threshold={self.threshold:.2f})"

    def template_selection(self, tree: PageTree) -> Selection:
        """Select what the style tree alone keeps of a page: :meth:`map_page`."""
        return self.map_page(tree)

    def select(self, tree: PageTree, settings: Any) -> Selection:
        """Select what another method keeps of what the style tree leaves of a page; ``settings``: of that method."""
        return settings.select(tree).without(~self.map_page(tree).keep, REASONS[NOISY])  # type: ignore[no-any-return]

    def path(self, row: int) -> str:
        """Return the place of an element: tags from BODY down, each with its position in its style."""
        steps = []
        while row:
            steps.append(f"{NAMES[self.tag[row]]}[{self.position[row] + 1}]")
            row = int(self.above[row])
        return " > ".join(reversed(steps))

    def describe(self) -> dict[str, Any]:
        """Return the tree as plain values: its settings, and the maximal noisy and meaningful elements, the highest first."""
        decided = sorted(
            np.flatnonzero(self.verdict != MIXED).tolist(), key=lambda row: (self.path(row).count(">"), -self.on_pages[row], row)
        )
        return {
            "pages": self.pages,
            "threshold": round(self.threshold, 4),
            "settings": asdict(self.settings),
            "template": [
                {
                    "path": self.path(row),
                    "verdict": "noisy" if self.verdict[row] == NOISY else "meaningful",
                    "pages": int(self.on_pages[row]),
                    "styles": int(self.styles[row]),
                    "NodeImp": round(float(self.node[row]), 4),
                    "CompImp": round(float(self.importance[row]), 4),
                }
                for row in decided
            ],
        }

    def parts(self) -> tuple[dict[str, Any], Arrays]:
        """Return what is kept: threshold, pages and settings; the columns."""
        head = {"threshold": self.threshold, "pages": self.pages, "style": asdict(self.settings)}
        return head, {name: getattr(self, name) for name in _COLUMNS}

    @classmethod
    def of_parts(cls, head: dict[str, Any], columns: Arrays) -> SimplifiedTree:
        """Make a tree of its parts. What does not fit together raises one of the errors of damage."""
        own = {name: columns[name] for name in _COLUMNS}
        if len({len(column) for column in own.values()}) != 1 or not len(own["place"]):
            raise ValueError("its columns differ in length")
        settings = made(StyleSettings, head["style"], "its settings")
        return cls(**own, threshold=float(head["threshold"]), pages=int(head["pages"]), settings=settings)

    def map_page(self, tree: PageTree) -> Selection:
        """Return the noise of a page: everything in the elements that the style tree found noisy.

        Source: Yi, Liu and Li (2003), section 3.4. Noisy elements are deleted, meaningful ones kept; otherwise the mapping goes down if the
        tree has the page's style; content in an unknown style is kept.

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
        reason[tree.non_text] = UNREAD
        keep = np.isin(reason, (MEANINGFUL, NEW, MIXED))
        return Selection("style-tree", keep, reason, REASONS, scores={"importance": importances})

    def _decide(self, page: ElementPlaces, row: NDArray[np.intp]) -> tuple[NDArray[np.uint8], Floats]:
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


def simplify(tree: StyleTree, settings: StyleCleaning = StyleCleaning()) -> SimplifiedTree:
    """Decide which elements of a style tree are noise, and prune it below the maximal ones.

    >>> from tamis import parse
    >>> pages = [parse(f"<ul><li>Home<li>About</ul><p>Text of page {name}") for name in ("one", "two", "three", "four")]
    >>> model = simplify(StyleTree.build(pages))
    >>> [text for text, node in zip(pages[0].texts, pages[0].text_nodes) if model.map_page(pages[0]).keep[node]]
    ['Text of page one']
    """
    scores = importance(tree, settings.gamma, settings.min_pages)
    threshold = choose_threshold(tree, scores) if settings.threshold is None else settings.threshold
    verdict = np.full(len(tree), MIXED, dtype=np.uint8)
    verdict[meaningful(scores, threshold)] = MEANINGFUL
    verdict[noisy(scores, threshold)] = NOISY
    # The virtual root and BODY are never deleted as a whole: a page in a layout that the tree has never seen is kept.
    verdict[(tree.elements.depth == 1) & (verdict == NOISY)] = MIXED
    verdict[:1] = MIXED
    above = np.searchsorted(tree.elements.place, tree.elements.above)
    kept = np.flatnonzero(verdict[above] == MIXED) if len(tree) else np.zeros(0, dtype=np.intp)
    if not len(kept):
        root, mixed, one, none = np.array([ROOT]), np.array([MIXED], dtype=np.uint8), np.ones(1), np.zeros(1, dtype=np.int32)
        return SimplifiedTree(root, mixed, one, one, one, none, none, none, none, none, threshold, 0, tree.settings)
    start = np.searchsorted(tree.styles.place, tree.elements.place)
    return SimplifiedTree(
        place=tree.elements.place[kept],
        verdict=verdict[kept],
        importance=scores.composite[kept],
        content=scores.content[kept],
        node=scores.node[kept],
        above=np.searchsorted(kept, above[kept]).astype(np.int32),
        position=tree.elements.position[kept],
        tag=tree.elements.tag[kept],
        on_pages=np.add.reduceat(tree.styles.pages, start)[kept].astype(np.int32),
        styles=np.diff(np.append(start, len(tree.styles.place)))[kept].astype(np.int32),
        threshold=threshold,
        pages=tree.pages,
        settings=tree.settings,
    )


_COLUMNS = "place verdict importance content node above position tag on_pages styles".split()


@dataclass(frozen=True, slots=True)
class StyleTreeMethod:
    """The style tree as a main-text method: what differs between the pages of a site is kept."""

    style: StyleSettings = StyleSettings()
    cleaning: StyleCleaning = StyleCleaning()

    @classmethod
    def paper(cls) -> StyleTreeMethod:
        """Return the paper's form; the threshold, which the paper sets by hand, is chosen from the tree."""
        return cls(StyleSettings.paper(), StyleCleaning.paper())

    def learn(self, pages: Iterable[PageTree]) -> SimplifiedTree:
        """Build the style tree of a site's pages, and simplify it."""
        return self.simplified(StyleTree.build(pages, self.style))

    def simplified(self, tree: StyleTree) -> SimplifiedTree:
        """Simplify a style tree that is built."""
        return simplify(tree, self.cleaning)

    def select(self, tree: PageTree, model: Any = None) -> Selection:
        """Map a page to the style tree of its site; without one, to its own: everything is kept, and a note says so.

        Raises:
            UsageError: ``model`` is not a style tree.
        """
        if model is None:
            return replace(self.learn([tree]).map_page(tree), notes=(_ONE_PAGE,))
        if not isinstance(model, SimplifiedTree):
            raise UsageError(f"the method style-tree takes a style tree (tamis learn --method style-tree), not {type(model).__name__}")
        return model.map_page(tree)
