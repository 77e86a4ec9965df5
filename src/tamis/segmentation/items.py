"""Items that VIPS cuts a page into: nodes, and runs of inline siblings, each as a row of columns.

Items ``0 .. n-1`` are the nodes of the page, items from ``n`` on the runs: at least two inline siblings, which a browser lays out as one
paragraph although no element holds just them.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tamis.page import tags
from tamis.page.appearance import Appearance
from tamis.page.tree import BoolColumn, PageTree

Ints = NDArray[np.int64]

_BR, _HR, _IMG = tags.CODE["br"], tags.CODE["hr"], tags.CODE["img"]
_EMPTY_LINE = 2  #: So many ``<br>`` between two inline siblings end a paragraph.


class Runs:
    """The children of every node as items: nodes that break the line, single inline nodes, and runs of at least two inline siblings.

    A run ends at a sibling that breaks the line, at an ``<hr>`` and at an empty line (two ``<br>``).
    """

    first: Ints  #: First node of each of the ``r`` runs, int64 ``(r,)``.
    end: Ints  #: First node after each run, int64 ``(r,)``.
    members: Ints  #: Nodes of all runs, those of one run together, in document order.
    start: Ints  #: Start of each run's nodes in ``members``, int64 ``(r,)``.
    child: Ints  #: Items that are children: of nodes by parent, then the members of runs.
    child_start: Ints  #: Start of the children of each of the ``n + r`` items in ``child``, int64 ``(n + r,)``.
    child_end: Ints

    def __init__(self, tree: PageTree, valid: BoolColumn, breaks: BoolColumn) -> None:
        n = len(tree)
        nodes = np.flatnonzero(valid & (tree.parent >= 0))
        nodes = nodes[np.argsort(tree.parent[nodes], kind="stable")]
        parents = tree.parent[nodes]
        starts = np.flatnonzero(_starts_items(tree, nodes, parents, breaks))
        sizes = np.diff(np.append(starts, len(nodes)))
        many = sizes > 1
        in_run = np.repeat(many, sizes)
        self.members = nodes[in_run].astype(np.int64)
        self.start = (np.cumsum(sizes[many]) - sizes[many]).astype(np.int64)
        last = self.start + sizes[many] - 1
        self.first = self.members[self.start]
        self.end = tree.end[self.members[last]].astype(np.int64)
        items = nodes[starts].astype(np.int64)
        items[many] = n + np.arange(int(many.sum()))
        of_items = parents[starts]
        self.child = np.append(items, self.members)
        places = np.searchsorted(of_items, np.arange(n + 1))
        self.child_start = np.append(places[:-1], len(items) + self.start)
        self.child_end = np.append(places[1:], len(items) + last + 1)

    def __len__(self) -> int:
        return len(self.first)


def _starts_items(tree: PageTree, nodes: NDArray[np.intp], parents: NDArray[np.int32], breaks: BoolColumn) -> BoolColumn:
    """Return where an item starts among the nodes, which are ordered by parent and place."""
    starts = np.ones(len(nodes), dtype=np.bool_)
    before, after = nodes[:-1], nodes[1:]
    between = tree.end[before]
    lines = np.append(0, np.cumsum(tree.tag == _BR))
    rules = np.append(0, np.cumsum(tree.tag == _HR))
    starts[1:] = (
        (parents[1:] != parents[:-1])
        | breaks[before]
        | breaks[after]
        | (lines[after] - lines[np.minimum(between, after)] >= _EMPTY_LINE)
        | (rules[after] > rules[np.minimum(between, after)])
    )
    return starts


class Fonts:
    """Fonts of ``m`` items, each a slice of the page's nodes: size in pixels and weight, both 0 where an item has no text that is seen."""

    uniform: BoolColumn  #: At most one font size and weight, bool ``(m,)``.
    first: list[tuple[float, int]]  #: Of the first text of each item.
    last: list[tuple[float, int]]

    def __init__(self, tree: PageTree, appearance: Appearance, seen: BoolColumn, first: NDArray[np.int64], end: NDArray[np.int64]) -> None:
        texts = np.flatnonzero(seen)
        low, high = np.searchsorted(texts, first), np.searchsorted(texts, end)
        some = high > low
        size = np.append(appearance.font_size[texts], 0).astype(np.float64)
        weight = np.append(appearance.font_weight[texts], 0).astype(np.int64)
        top, bottom = np.where(some, low, -1), np.where(some, high - 1, -1)
        fonts = list(zip(size.tolist(), weight.tolist(), strict=True))
        self.first, self.last = ([fonts[k] for k in at.tolist()] for at in (top, bottom))
        changes = np.append(0, np.cumsum((size[1:-1] != size[:-2]) | (weight[1:-1] != weight[:-2])))
        self.uniform = ~some | (changes[bottom] == changes[top])


Floats = NDArray[np.float64]

RUN = -1  #: In place of a tag code: a run of inline siblings.
_REPLACED = tags.lookup(
    tags.codes("img image svg canvas video audio iframe embed object applet input textarea select meter progress math frame")
)
_UNSEEN = tags.lookup(tags.codes("head script style noscript template title option optgroup datalist"))
_OPAQUE = 16  #: A background with less alpha than this (of 255) is not seen.
_LINE = 50.0  #: An image at least this wide and no higher than a speck, in pixels, is a line like an ``<hr>``.
_SEVERAL = 36.0  #: Pixels that an element of several lines is high, at least.
_SPECK = 4  #: Images less wide or high than this, in pixels, count visitors or keep a distance, and are not looked at.
WHITE = 0xFFFFFF  #: The page's background where nothing is painted.


@dataclass(frozen=True, slots=True, eq=False)
class Items:
    """The ``m`` items of a page: ``n`` nodes, then runs of inline siblings."""

    tag: Ints  #: Tag code, int64 ``(m,)``; -1 for a run.
    box: Floats  #: Box of an item's content: left, top, right, bottom, float64 ``(m, 4)``; no meaning if the item is not valid.
    area: Floats  #: Size of the item's own box, in square pixels, float64 ``(m,)``.
    valid: BoolColumn  #: Something of it is seen, bool ``(m,)``.
    breaks: BoolColumn  #: It breaks the line (a line-break node): it is not inline, or something in it is not, bool ``(m,)``.
    several: BoolColumn
    """Nodes of several lines: high enough, and with several elements that break the line, none of them in another, bool ``(n,)``."""
    articles: dict[int, int]  #: Most children of several lines and of one tag of an element: articles, search results.
    textual: BoolColumn  #: It is text or virtual text: inline, and all that is seen of it is text, bool ``(m,)``.
    some_textual: BoolColumn  #: It is text or virtual text, or a run with some in it, bool ``(m,)``.
    replaced: BoolColumn  #: It shows something although nothing seen is below it: an image, a form field, bool ``(m,)``.
    background: Ints
    """Colour behind its content, ``0xRRGGBB``, int64 ``(m,)``: its own where it paints one, else that of the nearest element that does."""
    fonts: Fonts
    runs: Runs  #: The children of each item.
    first: Ints  #: First node, int64 ``(m,)``.
    rules: BoolColumn  #: Nodes that are a visible ``<hr>`` or a line drawn by an image, bool ``(n,)``.


def make_items(tree: PageTree, appearance: Appearance) -> Items:
    """Return the items of a page that has at least one node."""
    _, _, width, height = appearance.box.T
    rules = (tree.tag == _HR) | ((tree.tag == _IMG) & (width >= _LINE) & (height <= _SPECK))
    own, box, valid = _boxes(tree, appearance, rules)
    rules &= valid
    valid &= ~rules
    is_text = tree.tag == tags.TEXT
    breaks = valid & (tree.subtree_sum(valid & ~appearance.inline) > 0)
    several = tree.subtree_sum(breaks & (tree.subtree_sum(breaks) == 1)) > 1
    several &= box[:, 3] - box[:, 1] >= _SEVERAL
    replaced = valid & tree.of_tags(_REPLACED)
    textual = valid & appearance.inline & (tree.subtree_sum(replaced | breaks) == 0)
    runs = Runs(tree, valid, breaks)
    first = np.append(np.arange(len(tree)), runs.first)
    end = np.append(tree.end.astype(np.int64), runs.end)
    around = _reduced(np.minimum, box[:, :2], runs), _reduced(np.maximum, box[:, 2:], runs)
    box = np.concatenate((box, np.concatenate(around, axis=1)))
    own = np.concatenate((own, box[len(tree) :]))
    no_run = np.zeros(len(runs), dtype=np.bool_)
    return Items(
        tag=np.append(tree.tag.astype(np.int64), np.full(len(runs), RUN)),
        box=box,
        area=np.where(np.append(valid, ~no_run), (own[:, 2] - own[:, 0]) * (own[:, 3] - own[:, 1]), 0.0),
        valid=np.append(valid, ~no_run),
        breaks=np.append(breaks, no_run),
        several=several,
        articles=_articles(tree, several),
        textual=np.append(textual, _reduced(np.logical_and, textual, runs)),
        some_textual=np.append(textual, _reduced(np.logical_or, textual, runs)),
        replaced=np.append(replaced, no_run),
        background=_behind(tree, appearance)[np.append(np.arange(len(tree)), tree.parent[runs.first])],
        fonts=Fonts(tree, appearance, valid & is_text, first, end),
        runs=runs,
        first=first,
        rules=rules,
    )


def _reduced(by: np.ufunc, values: NDArray[Any], runs: Runs) -> NDArray[Any]:
    """Values of nodes brought together for each run."""
    return np.asarray(by.reduceat(values[runs.members], runs.start)) if len(runs) else values[:0]


def _articles(tree: PageTree, several: BoolColumn) -> dict[int, int]:
    most: dict[int, int] = {}
    for (parent, _), count in Counter(zip(tree.parent[several].tolist(), tree.tag[several].tolist(), strict=True)).items():
        most[parent] = max(count, most.get(parent, 0))
    return most


def _boxes(tree: PageTree, appearance: Appearance, rules: BoolColumn) -> tuple[Floats, Floats, BoolColumn]:
    """Own box and box of the content of each node as left, top, right, bottom, and whether something of the node is seen.

    A node is as visible as what is in it: a box without height shows the floats that stick out of it, and its own box is then that of
    its content. What lies wholly left of the page or above it is put there so as not to be seen.
    """
    edges = appearance.box.astype(np.float64)
    edges[:, 2:] += edges[:, :2]
    np.maximum(edges, 0.0, out=edges)
    sized = (edges[:, 2] > edges[:, 0]) & (edges[:, 3] > edges[:, 1])
    seen = appearance.visible & sized & ((tree.tag != tags.TEXT) | (tree.text_length > 0))
    seen &= ~tree.subtree_mask(tree.of_tags(_UNSEEN))
    painted = _paints(tree, appearance)
    speck = (edges[:, 2] - edges[:, 0] < _SPECK) | (edges[:, 3] - edges[:, 1] < _SPECK)
    seen &= rules | ~(speck & tree.of_tags(_REPLACED))
    content = seen & ((tree.tag == tags.TEXT) | tree.of_tags(_REPLACED) | painted | rules)
    box = np.where(content[:, None], edges, (np.inf, np.inf, -np.inf, -np.inf))
    join_upwards(tree, box)
    valid = box[:, 2] > box[:, 0]
    valid &= ~tree.subtree_mask(tree.of_tags(_REPLACED)) | tree.of_tags(_REPLACED)  # what is in a picture is the picture
    own = np.where((sized & appearance.visible)[:, None], edges, box)
    return own, box, valid


def join_upwards(tree: PageTree, box: Floats) -> None:
    """Grow the boxes of all elements over those below them, level by level from the deepest."""
    depth = tree.depth
    order = np.argsort(depth, kind="stable")
    starts = np.searchsorted(depth[order], np.arange(int(depth.max(initial=0)) + 2))
    for level in range(len(starts) - 2, 0, -1):
        nodes = order[starts[level] : starts[level + 1]]  # rising, so children of one parent are neighbours
        parents = tree.parent[nodes]
        group = np.flatnonzero(np.append(True, parents[1:] != parents[:-1]))
        above = parents[group]
        box[above, :2] = np.minimum(box[above, :2], np.minimum.reduceat(box[nodes, :2], group))
        box[above, 2:] = np.maximum(box[above, 2:], np.maximum.reduceat(box[nodes, 2:], group))


def _paints(tree: PageTree, appearance: Appearance) -> BoolColumn:
    """Elements whose background is seen: it is opaque enough and not that of the element behind."""
    opaque = (appearance.background & 0xFF) >= _OPAQUE
    behind = _behind(tree, appearance)
    above = np.where(tree.parent >= 0, behind[tree.parent], WHITE)
    return np.asarray(opaque & (behind != above))


def _behind(tree: PageTree, appearance: Appearance) -> Ints:
    """Return the colour behind each node's content, ``0xRRGGBB``: that of the nearest element, itself included, that paints one."""
    opaque = (appearance.background & 0xFF) >= _OPAQUE
    nearest = tree.nearest_ancestor(opaque)
    return np.where(nearest >= 0, appearance.background[nearest].astype(np.int64) >> 8, WHITE)
