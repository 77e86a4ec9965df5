"""The Site Style Tree as three tables of counts.

Every count is a whole number and every table is sorted by its keys, so the tree of a site is a group-by over the rows of its pages: linear,
and the same, to the bit, however the pages were parted and in whatever order the parts were merged.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, fields
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tamis.errors import UsageError
from tamis.page import tags
from tamis.page.tree import IntColumn, PageTree
from tamis.site.style_tree.rows import LEAF, ROOT, ElementPlaces, Features, StyleSettings, features, places
from tamis.structure.hashing import Hashes

Counts = NDArray[np.int64]
_BATCH = 64


@dataclass(frozen=True, slots=True, eq=False)
class Elements:
    """Element nodes, one row each, sorted by place; the first is the virtual root."""

    place: Hashes
    above: Hashes  #: Place of the element above; of the root, its own.
    beside: Hashes  #: Its style (of the element above).
    position: IntColumn
    tag: IntColumn  #: Tag code (:mod:`tamis.page.tags`); 0 for an anonymous text, ``len(tags.KNOWN)`` for a name without a code.
    depth: IntColumn


@dataclass(frozen=True, slots=True, eq=False)
class Styles:
    """Style nodes, one row each, sorted by place and style."""

    place: Hashes  #: The element that they are below.
    style: Hashes  #: Hash of the sequence of child elements; ``LEAF`` for none.
    pages: Counts  #: n: pages that have this style there.
    characters: Counts  #: Characters of text in the leaf, over all these pages; 0 where the style is not ``LEAF``.


@dataclass(frozen=True, slots=True, eq=False)
class LeafFeatures:
    """Features of leaves, sorted by place, feature and count.

    The entropy of a feature asks how often it occurs on each page, not on which: pages of an equal count are one row.
    """

    place: Hashes
    feature: Hashes
    count: Counts  #: Times that the feature occurs in the leaf on each of these pages.
    pages: Counts  #: Pages on which it does.


@dataclass(frozen=True, eq=False)
class StyleTree:
    """The Site Style Tree of the pages it was built from (Yi, Liu and Li, 2003, section 3.2)."""

    elements: Elements = field(repr=False)
    styles: Styles = field(repr=False)
    features: LeafFeatures = field(repr=False)
    settings: StyleSettings

    @classmethod
    def build(cls, pages: Iterable[PageTree], settings: StyleSettings = StyleSettings()) -> StyleTree:
        """Return the style tree of some pages. Pages of one layout give the sharpest one: what is seen once is kept.

        >>> from tamis import parse
        >>> tree = StyleTree.build([parse("<p>one<p>two"), parse("<p>one<p>three"), parse("<h1>none</h1>")])
        >>> tree.pages, len(tree.elements.place), sorted(tree.styles.pages.tolist())
        (3, 5, [1, 1, 2, 2, 2, 3])
        """
        parts: list[StyleTree] = []
        batch: list[StyleTree] = []
        for page in pages:
            batch.append(cls._of_page(page, settings))
            if len(batch) == _BATCH:
                parts.append(_union(batch, settings))
                batch = []
        return _union([*parts, *batch], settings)

    @classmethod
    def _of_page(cls, tree: PageTree, settings: StyleSettings) -> StyleTree:
        page = places(tree, settings)
        return _rows_of_page(tree, page, features(tree, page, settings), settings)

    def merge(self, *others: StyleTree) -> StyleTree:
        """Merge style trees, associatively and commutatively, bit for bit. No page may be in two of the trees.

        Raises:
            UsageError: the trees were built with different settings.
        """
        if any(other.settings != self.settings for other in others):
            raise UsageError("style trees of different settings do not merge: build all parts with the same StyleSettings")
        return _union([self, *others], self.settings)

    @cached_property
    def pages(self) -> int:
        """Pages that the tree was built from (pages without any element are not counted)."""
        return int(self.styles.pages[: np.searchsorted(self.styles.place, ROOT, side="right")].sum())

    def __len__(self) -> int:
        return len(self.elements.place)


def _rows_of_page(tree: PageTree, page: ElementPlaces, found: Features, settings: StyleSettings) -> StyleTree:
    """The rows of one page, not yet sorted."""
    count = len(page.node)
    root = 1 if count else 0
    length = np.bincount(page.holder, weights=tree.text_length[tree.text_nodes[page.texts]], minlength=count).astype(np.int64)
    top = np.full(root, ROOT)
    return StyleTree(
        Elements(
            place=np.append(top, page.place),
            above=np.append(top, page.above),
            beside=np.append(np.full(root, LEAF), page.beside),
            position=np.append(np.zeros(root, dtype=np.int32), page.position),
            tag=np.append(np.zeros(root, dtype=np.int32), np.minimum(tree.tag[page.node], len(tags.KNOWN)).astype(np.int32)),
            depth=np.append(np.zeros(root, dtype=np.int32), page.depth),
        ),
        Styles(
            place=np.append(top, page.place),
            style=np.append(page.beside[:root], page.style),
            pages=np.ones(count + root, dtype=np.int64),
            characters=np.append(np.zeros(root, dtype=np.int64), np.where(page.style == LEAF, length, 0)),
        ),
        LeafFeatures(page.place[found.leaf], found.feature, found.count, np.ones(len(found.leaf), dtype=np.int64)),
        settings,
    )


def _union(trees: Sequence[StyleTree], settings: StyleSettings) -> StyleTree:
    elements = _stacked(Elements, [tree.elements for tree in trees])
    _, first = np.unique(elements["place"], return_index=True)  # a place determines all of its row
    styles = _stacked(Styles, [tree.styles for tree in trees])
    leaves = _stacked(LeafFeatures, [tree.features for tree in trees])
    return StyleTree(
        Elements(**{name: _frozen(column[first]) for name, column in elements.items()}),
        Styles(**_added(styles, keys=("place", "style"))),
        LeafFeatures(**_added(leaves, keys=("place", "feature", "count"))),
        settings,
    )


def _stacked(table: type[Any], parts: Sequence[Any]) -> dict[str, NDArray[Any]]:
    return {
        column.name: np.concatenate([getattr(part, column.name) for part in parts] or [np.zeros(0, dtype=_DTYPES[column.name])])
        for column in fields(table)
    }


def _added(columns: dict[str, NDArray[Any]], keys: tuple[str, ...]) -> dict[str, NDArray[Any]]:
    """One row for each combination of the keys, sorted, with the sums of the other columns."""
    order = np.lexsort([columns[key] for key in reversed(keys)])
    columns = {name: column[order] for name, column in columns.items()}
    first = np.zeros(len(order), dtype=np.bool_)
    first[:1] = True
    for key in keys:
        first[1:] |= columns[key][1:] != columns[key][:-1]
    start = np.flatnonzero(first)
    summed = {name: column[start] if name in keys or not len(start) else np.add.reduceat(column, start) for name, column in columns.items()}
    return {name: _frozen(column) for name, column in summed.items()}


def _frozen(column: NDArray[Any]) -> NDArray[Any]:
    column.flags.writeable = False
    return column


_DTYPES: dict[str, type[Any]] = {
    **dict.fromkeys(("place", "above", "beside", "style", "feature"), np.uint64),
    **dict.fromkeys(("position", "tag", "depth"), np.int32),
    **dict.fromkeys(("pages", "characters", "count"), np.int64),
}
