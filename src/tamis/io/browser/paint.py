"""Boxes, fonts and colours from a snapshot's layout to the rows of a tree."""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tamis.page import tags
from tamis.page.appearance import Appearance
from tamis.page.tree import BoolColumn, PageTree

STYLES = tuple("display visibility opacity font-size font-weight color background-color overflow-x overflow-y position".split())
"""The computed styles to ask for."""
MOST_CLIPS = 2_000  #: elements with hidden overflow that are applied, since each costs a pass over its content

_FUNCTION = re.compile(r"([a-z]+)\((?:(srgb|srgb-linear|display-p3|a98-rgb|prophoto-rgb|rec2020|xyz|xyz-d50|xyz-d65)\s)?([^()]*)\)")
_NUMBER = re.compile(r"[-+]?(?:\d+\.?\d*|\.\d+)(?:e[-+]?\d+)?%?|none")
_WEIGHTS = {"normal": 400, "bold": 700}
_ROOTS = tags.lookup(tags.codes("html body"))
_Boxes = NDArray[np.float32]


def appearance_of(tree: PageTree, place: NDArray[np.intp], document: Mapping[str, Any], strings: Sequence[str]) -> Appearance:
    """Return the appearance of a tree's nodes; ``place``: the node of the tree for each of Chromium's nodes, -1 for none.

    A node without a box, or with an empty one although something in it is visible (floats, ``display: contents``), has the box around its
    visible content.
    """
    layout = _LayoutObjects(tree, place, document["layout"], strings)
    box = layout.boxes()
    seen = _seen(tree, layout, box)
    _embrace(tree, box, seen)
    columns: dict[str, Any] = {
        "box": box,
        "visible": seen,
        "inline": layout.inline(),
        "font_size": layout.numbers("font-size", lambda length: float(length.removesuffix("px")), np.float32),
        "font_weight": layout.numbers("font-weight", lambda weight: _WEIGHTS.get(weight) or round(float(weight)), np.int16),
        "color": layout.numbers("color", rgba, np.uint32),
        "background": np.where(tree.tag == tags.TEXT, np.uint32(0), layout.numbers("background-color", rgba, np.uint32, inherited=False)),
    }
    for column in columns.values():
        column.flags.writeable = False
    return Appearance(**columns, width=float(document["contentWidth"]), height=float(document["contentHeight"]))


class _LayoutObjects:
    """Chromium's layout objects, by nodes of the tree."""

    def __init__(self, tree: PageTree, place: NDArray[np.intp], layout: Mapping[str, Any], strings: Sequence[str]) -> None:
        index = np.array(layout["nodeIndex"], dtype=np.intp)
        styled = np.fromiter(map(len, layout["styles"]), np.intp, len(index)) == len(STYLES)
        wanted = styled & (place[index] >= 0)
        self.tree, self.strings = tree, strings
        self.node = place[index[wanted]]  # the node of each layout object; pieces of a text have several
        self.bounds = np.array(layout["bounds"], dtype=np.float32).reshape(-1, 4)[wanted]
        self.style = np.array([row for row, w in zip(layout["styles"], wanted.tolist(), strict=True) if w], dtype=np.int32).reshape(
            -1, len(STYLES)
        )
        """Indices of strings, one column for each of :data:`STYLES`."""
        self.missing = np.ones(len(tree), dtype=np.bool_)  # nodes without layout
        self.missing[self.node] = False

    def boxes(self) -> _Boxes:
        """Return left, top, width and height of each node, float32 ``(n, 4)``; around all pieces if there are several."""
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
        """Return the nodes whose computed style is one of these, bool ``(n,)``; False without layout."""
        return self.numbers(style, lambda value: value in values, np.bool_, inherited=False)

    def numbers(self, style: str, read: Callable[[str], float], kind: Any, *, inherited: bool = True) -> NDArray[Any]:
        """Return a computed style as numbers ``(n,)``; without layout the parent's where it is ``inherited``, else 0."""
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
        """Return the nodes in a line of text, bool ``(n,)``."""
        result = self.numbers("display", lambda display: display.startswith(("inline", "ruby")), np.bool_, inherited=False)
        result[self.tree.text_nodes] = True
        return result


def _seen(tree: PageTree, layout: _LayoutObjects, box: _Boxes) -> BoolColumn:
    """Return whether a node's own box or any of its content is visible, bool ``(n,)``."""
    right, bottom = box[:, 0] + box[:, 2], box[:, 1] + box[:, 3]
    own = (box[:, 2] > 0) & (box[:, 3] > 0) & (right > 0) & (bottom > 0) & layout.is_any("visibility", "visible")
    own &= ~tree.subtree_mask(layout.is_any("opacity", "0"))
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
            outside &= ~tree.subtree_mask(free)[inside]
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


def rgba(color: str) -> int:
    """Return a computed colour as ``0xRRGGBBAA``; unknown forms are transparent. Wide gamuts are read as sRGB.

    >>> hex(rgba("rgb(255, 128, 0)")), hex(rgba("rgba(0, 0, 0, 0.5)")), hex(rgba("oklch(0.628 0.2577 29.23)"))
    ('0xff8000ff', '0x80', '0xff0000ff')
    """
    found = _FUNCTION.fullmatch(color.strip())
    if found is None:
        return 0
    kind, space, inner = found.groups()
    numbers = [0.0 if part == "none" else float(part[:-1]) / 100 if part[-1] == "%" else float(part) for part in _NUMBER.findall(inner)]
    if len(numbers) not in (3, 4):
        return 0
    a, b, c = numbers[:3]
    alpha = numbers[3] if len(numbers) == 4 else 1.0
    if kind in ("lch", "oklch"):
        b, c = b * math.cos(math.radians(c)), b * math.sin(math.radians(c))
    if kind in ("rgb", "rgba"):
        channels = (a / 255, b / 255, c / 255)
    elif kind in ("oklab", "oklch"):
        channels = _of_oklab(a, b, c)
    elif kind in ("lab", "lch"):
        channels = _of_lab(a, b, c)
    elif kind == "color" and space is not None and not space.startswith("xyz"):
        channels = (a, b, c) if space != "srgb-linear" else (_companded(a), _companded(b), _companded(c))
    else:
        return 0
    value = 0
    for part in (*channels, alpha):
        value = value << 8 | round(min(max(part, 0.0), 1.0) * 255)
    return value


def _companded(linear: float) -> float:
    """Return a channel of linear light as sRGB has it (CSS Color 4, 10.2)."""
    size = abs(linear)
    return math.copysign(1.055 * size ** (1 / 2.4) - 0.055 if size > 0.0031308 else 12.92 * size, linear)


def _of_oklab(lightness: float, a: float, b: float) -> tuple[float, float, float]:
    """Oklab to sRGB (Ottosson 2020)."""
    long = (lightness + 0.3963377774 * a + 0.2158037573 * b) ** 3
    medium = (lightness - 0.1055613458 * a - 0.0638541728 * b) ** 3
    short = (lightness - 0.0894841775 * a - 1.2914855480 * b) ** 3
    return (
        _companded(4.0767416621 * long - 3.3077115913 * medium + 0.2309699292 * short),
        _companded(-1.2684380046 * long + 2.6097574011 * medium - 0.3413193965 * short),
        _companded(-0.0041960863 * long - 0.7034186147 * medium + 1.7076147010 * short),
    )


def _of_lab(lightness: float, a: float, b: float) -> tuple[float, float, float]:
    """CIE Lab under D50 to sRGB (CSS Color 4, 9.2 and 18)."""
    fy = (lightness + 16) / 116
    x, y, z = (f**3 if f > 6 / 29 else 3 * (6 / 29) ** 2 * (f - 4 / 29) for f in (fy + a / 500, fy, fy - b / 200))
    x, z = x * 0.9642956764, z * 0.8251046025
    return (
        _companded(3.1341359569 * x - 1.6173863321 * y - 0.4906619460 * z),
        _companded(-0.9787955502 * x + 1.9162543773 * y + 0.0334427290 * z),
        _companded(0.0719553798 * x - 0.2289767598 * y + 1.4053860351 * z),
    )
