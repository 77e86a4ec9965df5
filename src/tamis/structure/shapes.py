"""Shapes: the distinct subtrees of some pages, each stored once (hash-consing).

Two nodes have the same shape exactly when their subtrees are equal in labels and structure; text and attributes do not count. Song and
Zhang (2011, section 5) name this as the work ahead of them.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import accumulate, chain
from typing import Literal, get_args

import numpy as np
from numpy.typing import NDArray

from tamis.errors import UsageError
from tamis.page import tags
from tamis.page.element_names import general
from tamis.page.tree import IntColumn, PageTree

Labels = Literal["tag", "class"]
DROPPED = ("script", "style", "noscript", "template", "link", "meta", "base", "br", "wbr")
"""Elements that are left out with all that is in them: nothing of the page's structure that a reader would see."""
NO_SHAPE = -1  #: The shape of a node that is left out.
_ONCE = tags.codes("html body")


@dataclass(frozen=True, slots=True)
class Shaping:
    """Settings for comparing subtrees.

    Raises:
        UsageError: unknown labels.
    """

    labels: Labels = "tag"
    """``tag``: the element's name; ``class``: its name with its class names, sorted, numbers generalised (``post-17`` is ``post-0``).
    ``html`` and ``body`` have their name only: there is one of each, and the classes they carry state facts of the page and the browser."""
    ordered: bool = False
    """The order of children counts: two subtrees with the same children in another order are then two shapes."""
    texts: bool = False  #: Text nodes count as nodes, all with one label. The paper's trees are made of tags.
    drop: tuple[str, ...] = DROPPED  #: Names of elements that are left out, with all that is in them. Comments are in no page tree.

    def __post_init__(self) -> None:
        if self.labels not in get_args(Labels):
            raise UsageError(f"labels are {' or '.join(get_args(Labels))}, not {self.labels!r}")

    @classmethod
    def paper(cls) -> Shaping:
        """Return the paper's form: tag names, without order and texts; scripts, styles and ``<br>`` are left out."""
        return cls(labels="tag", ordered=False, texts=False, drop=("script", "style", "br"))


@dataclass(frozen=True, eq=False)
class Shapes:
    """The ``k`` distinct subtrees of some trees, numbered by label: shapes of one label have numbers in a row."""

    nodes: tuple[IntColumn, ...] = field(repr=False)
    """For each tree, the shape of every node, int32 ``(n,)``; :data:`NO_SHAPE` where the node is left out."""
    label: IntColumn  #: Label of each shape's root, int32 ``(k,)``, rising: an index into :attr:`labels`.
    size: NDArray[np.int64]  #: Nodes in each shape, int64 ``(k,)``.
    height: IntColumn  #: Longest way from the root down, in edges, int32 ``(k,)``; 0 for a single node.
    first: NDArray[np.int64]  #: Children of shape ``s`` are entries ``first[s]`` to ``first[s + 1]`` of :attr:`child`, int64 ``(k + 1,)``.
    child: IntColumn  #: Shapes of the children, int32. Where order counts: every child, in order. Where not: the distinct ones, rising.
    count: IntColumn  #: Number of children with that shape, int32, as long as :attr:`child`; all 1 where order counts.
    labels: tuple[str, ...]  #: Names of the labels.
    shaping: Shaping

    def __len__(self) -> int:
        return len(self.label)

    def of(self, node: int = 0, tree: int = 0) -> int:
        """Return the shape of a node of one of the trees; :data:`NO_SHAPE` where it is left out or the tree is empty."""
        column = self.nodes[tree]
        return int(column[node]) if len(column) else NO_SHAPE

    def children(self, shape: int) -> list[tuple[int, int]]:
        """Return the children of a shape: shape and count."""
        part = slice(int(self.first[shape]), int(self.first[shape + 1]))
        return list(zip(self.child[part].tolist(), self.count[part].tolist(), strict=True))


def shapes(trees: PageTree | Sequence[PageTree], shaping: Shaping = Shaping()) -> Shapes:
    """Return the distinct subtrees of one tree or of several, with common numbers.

    Linear in nodes, but for the sorting of children where order does not count.

    >>> from tamis import parse
    >>> found = shapes(parse("<ul><li><b>1</b><li><b>2</b><li>3</ul>"))
    >>> len(found), int(found.size[found.of()])
    (7, 9)
    >>> [f"{count} x {found.labels[found.label[shape]]} of {found.size[shape]}" for shape, count in found.children(found.of(3))]
    ['1 x li of 1', '2 x li of 2']
    """
    forest = (trees,) if isinstance(trees, PageTree) else tuple(trees)
    names: dict[str, int] = {}
    kept = [np.flatnonzero(~_left_out(tree, shaping)) for tree in forest]
    starts = np.cumsum([0, *map(len, kept)])
    label = [_labels_of_kept(tree, nodes, shaping, names) for tree, nodes in zip(forest, kept, strict=True)]
    parent = [_parents(tree, nodes, int(start)) for tree, nodes, start in zip(forest, kept, starts, strict=False)]
    consed = cons(_one_column(label), _one_column(parent), shaping.ordered)
    order = np.argsort(consed.label, kind="stable")
    new = np.empty(len(order), dtype=np.int32)
    new[order] = np.arange(len(order))
    first, child, count = _children_by_shape(consed, order, new, shaping.ordered)
    of = np.split(new[consed.number], starts[1:-1]) if forest else []
    return Shapes(
        nodes=tuple(_spread(len(tree), nodes, own) for tree, nodes, own in zip(forest, kept, of, strict=True)),
        label=consed.label[order],
        size=consed.size[order],
        height=consed.height[order],
        first=first,
        child=child,
        count=count,
        labels=tuple(names),
        shaping=shaping,
    )


def _left_out(tree: PageTree, shaping: Shaping) -> NDArray[np.bool_]:
    """Nodes that do not count, bool ``(n,)``."""
    out = tree.subtree_mask(np.array([name in shaping.drop for name in tree.names], dtype=np.bool_)[tree.tag])
    return out if shaping.texts else out | (tree.tag == tags.TEXT)


def _labels_of_kept(tree: PageTree, kept: NDArray[np.intp], shaping: Shaping, known: dict[str, int]) -> IntColumn:
    """The label of each kept node, int32: the same number for the same name in every tree."""
    codes, names = tree.tag[kept], tree.names
    if shaping.labels == "tag":
        number = np.zeros(len(names), dtype=np.int32)
        for code in np.flatnonzero(np.bincount(codes, minlength=len(names))).tolist():
            number[code] = known.setdefault(names[code], len(known))
        return number[codes]
    labels = [
        names[code] if code in _ONCE else class_label(names[code], tree.attributes[node].get("class", ""))
        for node, code in zip(kept.tolist(), codes.tolist(), strict=True)
    ]
    return np.array([known.setdefault(label, len(known)) for label in labels], dtype=np.int32)


def _parents(tree: PageTree, kept: NDArray[np.intp], start: int) -> IntColumn:
    """The place of each kept node's parent among the nodes of all trees, int32; -1 for none."""
    place = np.full(len(tree) + 1, -1, dtype=np.int32)
    place[kept] = np.arange(start, start + len(kept))
    return place[tree.parent[kept]]


def _one_column(columns: list[IntColumn]) -> IntColumn:
    return np.concatenate([*columns, np.zeros(0, dtype=np.int32)])


def _spread(length: int, kept: NDArray[np.intp], shape: IntColumn) -> IntColumn:
    """Shapes of the kept nodes at their places among all."""
    column = np.full(length, NO_SHAPE, dtype=np.int32)
    column[kept] = shape
    return column


def class_label(tag: str, classes: str) -> str:
    """Return a tag with its class names, sorted, each once, numbers generalised.

    >>> class_label("div", "post-17 wide post-18")
    'div.post-0.wide'
    """
    return ".".join([tag, *sorted(set(map(general, classes.split())))])


def _children_by_shape(
    consed: Consed, order: NDArray[np.intp], new: IntColumn, ordered: bool
) -> tuple[NDArray[np.int64], IntColumn, IntColumn]:
    """Children by shape: where each one's begin, the children, and how many of each; in order, or the distinct ones rising."""
    owner, child = np.repeat(new, np.diff(consed.start)), new[consed.child]
    key = owner if ordered else owner.astype(np.int64) * len(new) + child
    by_owner = np.argsort(key, kind="stable")
    owner, child, key = owner[by_owner], child[by_owner], key[by_owner]
    starts = np.arange(len(owner)) if ordered else np.flatnonzero(np.append(True, np.diff(key) != 0)[: len(key)])
    count = np.diff(np.append(starts, len(owner))).astype(np.int32)
    first = np.concatenate(([0], np.cumsum(np.bincount(owner[starts], minlength=len(order))))).astype(np.int64)
    return first, child[starts], count


@dataclass(frozen=True, eq=False)
class Consed:
    """The ``k`` distinct subtrees of some nodes, children before parents."""

    number: IntColumn  #: The subtree of each node, int32 ``(n,)``.
    label: IntColumn  #: Label of the root of each distinct subtree, int32 ``(k,)``.
    start: IntColumn  #: Start of its children in :attr:`child`, int32 ``(k + 1,)``.
    child: IntColumn  #: Numbers of all children, one subtree after the other, int32: in order, or where that does not count, rising.
    size: NDArray[np.int64]  #: Nodes in each, int64 ``(k,)``.
    height: IntColumn  #: Longest way from its root down, int32 ``(k,)``.


def cons(label: IntColumn, parent: IntColumn, ordered: bool) -> Consed:
    """Number the subtrees of nodes in document order; two have the same number exactly when they are equal.

    ``parent``: position of each node's parent, -1 for a root; ``ordered``: whether the order of children counts.

    >>> found = cons(np.array([1, 2, 2], dtype=np.int32), np.array([-1, 0, 0], dtype=np.int32), True)
    >>> found.number.tolist(), found.child.tolist(), found.size.tolist(), found.height.tolist()
    ([1, 0, 0], [0, 0], [1, 3], [0, 1])
    """
    labels, parents = label.tolist(), parent.tolist()
    numbers: dict[tuple[int, ...], int] = {}
    size: list[int] = []
    height: list[int] = []
    below: dict[int, list[int]] = {}
    found = [0] * len(labels)
    for node in range(len(labels) - 1, -1, -1):  # children come before parents
        children = below.pop(node, [])
        key = (labels[node], *(children[::-1] if ordered else sorted(children)))
        number = numbers.get(key)
        if number is None:
            number = numbers[key] = len(numbers)
            size.append(1 + sum(map(size.__getitem__, children)))
            height.append(1 + max(map(height.__getitem__, children)) if children else 0)
        found[node] = number
        below.setdefault(parents[node], []).append(number)
    return Consed(
        number=np.array(found, dtype=np.int32),
        label=np.array([key[0] for key in numbers], dtype=np.int32),
        start=np.array(list(accumulate((len(key) - 1 for key in numbers), initial=0)), dtype=np.int32),
        child=np.array(list(chain.from_iterable(key[1:] for key in numbers)), dtype=np.int32),
        size=np.array(size, dtype=np.int64),
        height=np.array(height, dtype=np.int32),
    )
