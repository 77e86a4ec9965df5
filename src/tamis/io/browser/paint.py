"""Boxes, fonts and colours from a snapshot's layout to the rows of a tree."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tamis.io.browser.colors import rgba
from tamis.page import tags
from tamis.page.appearance import Appearance
from tamis.page.tree import BoolColumn, PageTree

STYLES = (
    "display",
    "visibility",
    "opacity",
    "font-size",
    "font-weight",
    "color",
    "background-color",
    "overflow-x",
    "overflow-y",
    "position",
)
"""The computed styles to ask for."""
MOST_CLIPS = 2_000
"""Elements that hide what leaves their box are looked at up to this number: each costs a look at all that is in it."""

_ROOTS = tags.lookup(tags.codes("html body"))
_Boxes = NDArray[np.float32]


def appearance_of(tree: PageTree, place: NDArray[np.intp], document: Mapping[str, Any], strings: Sequence[str]) -> Appearance:
    """The appearance of a tree's nodes.

    Args:
        tree: the tree.
        place: the node of the tree for each of Chromium's nodes, -1 for none.
        document: Chromium's document.
        strings: the strings that the document refers to.

    A node without a box of its own, or whose box is empty while something in it is seen (floats, ``display: contents``), has the box around
    what is seen in it.
    """
    layout = _Layout(tree, place, document["layout"], strings)
    box = layout.boxes()
    seen = _seen(tree, layout, box)
    _embrace(tree, box, seen)
    return Appearance(
        box=_frozen(box),
        visible=_frozen(seen),
        inline=_frozen(layout.inline()),
        font_size=_frozen(layout.numbers("font-size", _pixels, np.float32)),
        font_weight=_frozen(layout.numbers("font-weight", _weight, np.int16)),
        color=_frozen(layout.numbers("color", rgba, np.uint32)),
        background=_frozen(
            np.where(tree.tag == tags.TEXT, 0, layout.numbers("background-color", rgba, np.uint32, inherited=False)).astype(np.uint32)
        ),
        width=float(document["contentWidth"]),
        height=float(document["contentHeight"]),
    )


def _pixels(length: str) -> float:
    return float(length.removesuffix("px"))


def _weight(weight: str) -> float:
    return {"normal": 400, "bold": 700}.get(weight) or round(float(weight))


class _Layout:
    """Chromium's layout objects, by nodes of the tree."""

    def __init__(self, tree: PageTree, place: NDArray[np.intp], layout: Mapping[str, Any], strings: Sequence[str]) -> None:
        index = np.array(layout["nodeIndex"], dtype=np.intp)
        styled = np.fromiter(map(len, layout["styles"]), np.intp, len(index)) == len(STYLES)
        wanted = styled & (place[index] >= 0)
        self.tree, self.strings = tree, strings
        self.node = place[index[wanted]]
        """The node of each layout object; pieces of a text have several."""
        self.bounds = np.array(layout["bounds"], dtype=np.float32).reshape(-1, 4)[wanted]
        self.style = np.array([row for row, w in zip(layout["styles"], wanted.tolist(), strict=True) if w], dtype=np.int32).reshape(
            -1, len(STYLES)
        )
        """Indices of strings, one column for each of :data:`STYLES`."""
        missing = np.ones(len(tree), dtype=np.bool_)
        missing[self.node] = False
        self.missing = missing
        """Nodes without layout."""

    def boxes(self) -> _Boxes:
        """Left, top, width and height of each node, float32 ``(n, 4)``; around all pieces where there are several."""
        box = np.zeros((len(self.tree), 4), dtype=np.float32)
        if len(np.unique(self.node)) == len(self.node):
            box[self.node] = self.bounds
            return box
        low = np.full((len(self.tree), 2), np.inf, dtype=np.float32)
        high = np.full((len(self.tree), 2), -np.inf, dtype=np.float32)
        np.minimum.at(low, self.node, self.bounds[:, :2])
        np.maximum.at(high, self.node, self.bounds[:, :2] + self.bounds[:, 2:])
        there = ~self.missing
        box[there] = np.hstack([low[there], high[there] - low[there]])
        return box

    def is_any(self, style: str, *values: str) -> BoolColumn:
        """Nodes whose computed style is one of these, bool ``(n,)``; False without layout."""
        column = self.style[:, STYLES.index(style)]
        fits = [index for index in np.unique(column).tolist() if self.strings[index] in values]
        result = np.zeros(len(self.tree), dtype=np.bool_)
        result[self.node] = np.isin(column, fits)
        return result

    def numbers(self, style: str, read: Callable[[str], float], kind: Any, *, inherited: bool = True) -> NDArray[Any]:
        """A computed style as numbers ``(n,)``; without layout the parent's where it is ``inherited``, else 0."""
        column = self.style[:, STYLES.index(style)]
        values, where = np.unique(column, return_inverse=True)
        result = np.zeros(len(self.tree), dtype=kind)
        result[self.node] = np.array([read(self.strings[index]) for index in values.tolist()], dtype=kind)[where]
        if inherited:
            for node in np.flatnonzero(self.missing).tolist():
                if node:
                    result[node] = result[self.tree.parent[node]]
        return result

    def inline(self) -> BoolColumn:
        """Nodes in a line of text, bool ``(n,)``."""
        column = self.style[:, STYLES.index("display")]
        fits = [index for index in np.unique(column).tolist() if self.strings[index].startswith(("inline", "ruby"))]
        result = np.zeros(len(self.tree), dtype=np.bool_)
        result[self.node] = np.isin(column, fits)
        result[self.tree.text_nodes] = True
        return result


def _seen(tree: PageTree, layout: _Layout, box: _Boxes) -> BoolColumn:
    """Whether something of a node is seen: of its own box, or of what is in it, bool ``(n,)``."""
    right, bottom = box[:, 0] + box[:, 2], box[:, 1] + box[:, 3]
    own = (box[:, 2] > 0) & (box[:, 3] > 0) & (right > 0) & (bottom > 0) & layout.is_any("visibility", "visible")
    own &= ~tree.covered(np.flatnonzero(layout.is_any("opacity", "0")))
    hides = layout.is_any("overflow-x", "hidden", "clip") | layout.is_any("overflow-y", "hidden", "clip")
    hides &= ~tree.of_tags(_ROOTS)  # their overflow is the window's
    out_of_flow = layout.is_any("position", "absolute", "fixed")
    anchors = ~layout.is_any("position", "static")
    for node in np.flatnonzero(hides).tolist()[:MOST_CLIPS]:
        inside = slice(node + 1, int(tree.end[node]))
        outside = (
            (box[inside, 0] >= right[node])
            | (right[inside] <= box[node, 0])
            | (box[inside, 1] >= bottom[node])
            | (bottom[inside] <= box[node, 1])
        )
        if outside.any() and not anchors[node] and out_of_flow[inside].any():
            free = np.flatnonzero(out_of_flow[inside]) + node + 1
            outside &= ~tree.covered(free)[inside]
        own[inside] &= ~outside
    return np.asarray(tree.subtree_sum(own.astype(np.int32)) > 0)


def _embrace(tree: PageTree, box: _Boxes, seen: BoolColumn) -> None:
    """Give nodes that have an empty box, and something seen in them, the box around that."""
    empty = seen & ((box[:, 2] <= 0) | (box[:, 3] <= 0))
    for node in np.flatnonzero(empty)[::-1].tolist():  # from within: what they hold has its box
        inside = tree.children(node)
        inside = inside[seen[inside]]
        low = box[inside, :2].min(axis=0)
        high = (box[inside, :2] + box[inside, 2:]).max(axis=0)
        box[node] = (*low, *(high - low))


def _frozen(column: Any) -> Any:
    column.flags.writeable = False
    return column
