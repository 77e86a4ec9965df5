"""What the rules ask about items: columns over items and their children, looked up one by one."""

from __future__ import annotations

from enum import IntEnum
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tamis.page import tags
from tamis.page.tree import BoolColumn, PageTree
from tamis.segmentation.items import RUN, Items


class Kind(IntEnum):
    """Kinds of items that differ in the rules tried on them."""

    INLINE = 0
    TABLE = 1
    ROW = 2
    CELL = 3
    PARAGRAPH = 4
    OTHER = 5


_KIND = np.full(len(tags.KNOWN) + 1, Kind.OTHER, dtype=np.int64)
for _name, _kind in (("table", Kind.TABLE), ("tr", Kind.ROW), ("td", Kind.CELL), ("th", Kind.CELL), ("p", Kind.PARAGRAPH)):
    _KIND[tags.CODE[_name]] = _kind
COHERENT = tags.lookup(
    tags.codes("p li dt dd h1 h2 h3 h4 h5 h6 caption figcaption blockquote pre address label legend summary a button q cite time figure")
)


class Facts:
    """Columns over the ``m`` items of a page as plain lists: what the rules look at, item by item.

    Sizes are shares of the page's area.
    """

    def __init__(self, tree: PageTree, items: Items, page_area: float) -> None:
        n = len(tree)
        groups = _Children(items)
        child = items.child
        tag = np.where(items.tag == RUN, len(tags.KNOWN), np.minimum(items.tag, len(tags.KNOWN)))
        size = items.area / max(page_area, 1.0)
        rule_children = np.bincount(tree.parent[np.flatnonzero(items.rules)], minlength=n)[:n] if n else np.zeros(0)
        self.items = items
        self.children: list[list[int]] = groups.lists()
        self.kind: list[int] = np.where(items.breaks, _KIND[tag], Kind.INLINE).tolist()
        self.coherent: list[bool] = (COHERENT[tag] | ~items.breaks).tolist()
        self.is_text: list[bool] = ((items.tag == tags.TEXT) | ((items.tag == RUN) & items.textual)).tolist()
        self.is_run: list[bool] = (items.tag == RUN).tolist()
        self.textual: list[bool] = items.textual.tolist()
        self.replaced: list[bool] = items.replaced.tolist()
        self.uniform: list[bool] = items.fonts.uniform.tolist()
        self.size: list[float] = size.tolist()
        self.background: list[int] = items.background.tolist()
        self.all_textual: list[bool] = groups.reduced(np.logical_and, items.textual[child], empty=True).tolist()
        self.some_textual: list[bool] = groups.reduced(np.logical_or, items.some_textual[child], empty=False).tolist()
        self.some_breaks: list[bool] = groups.reduced(np.logical_or, items.breaks[child], empty=False).tolist()
        self.some_rule: list[bool] = np.append(rule_children > 0, np.zeros(len(items.tag) - n, dtype=np.bool_)).tolist()
        self.children_size: list[float] = groups.reduced(np.add, size[child], empty=0.0).tolist()
        self.largest_child: list[float] = groups.reduced(np.maximum, size[child], empty=0.0).tolist()


class _Children:
    """The children of all items as slices of one array."""

    def __init__(self, items: Items) -> None:
        self.child = items.child
        self.start, self.end = items.child_start, items.child_end
        self.some: BoolColumn = self.end > self.start

    def lists(self) -> list[list[int]]:
        flat = self.child.tolist()
        return [flat[a:b] for a, b in zip(self.start.tolist(), self.end.tolist(), strict=True)]

    def reduced(self, by: np.ufunc, values: NDArray[Any], empty: Any) -> NDArray[Any]:
        """Values of the children brought together for each item; slices follow each other without gaps."""
        result = np.full(len(self.start), empty, dtype=values.dtype)
        if len(values):
            result[self.some] = by.reduceat(values, self.start[self.some])
        return result
