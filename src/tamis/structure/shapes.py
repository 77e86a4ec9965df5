"""Shapes: the distinct subtrees of some pages, each stored once (hash-consing).

Most subtrees of a page are copies of each other: menu entries, table rows, paragraphs. Every node gets the number of its *shape*; two
nodes have the same number exactly when their subtrees are equal in labels and structure, so whatever depends on structure alone is
computed once for each shape and never for each node. Song and Zhang (2011, section 5) name this as the work ahead of them.

What a node's label is, and which nodes count, is a setting (:class:`Shaping`). Text and attributes are no part of a shape.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Literal, get_args

import numpy as np
from numpy.typing import NDArray

from tamis import tags
from tamis.errors import UsageError
from tamis.tree import IntColumn, PageTree

Labels = Literal["tag", "class"]
DROPPED = ("script", "style", "noscript", "template", "link", "meta", "base", "br", "wbr")
"""Elements that are left out with all that is in them: nothing of the page's structure that a reader would see."""
NO_SHAPE = -1
"""The shape of a node that is left out."""
_ONCE = tags.codes("html body")
_DIGITS = re.compile(r"\d+")


@dataclass(frozen=True, slots=True)
class Shaping:
    """What subtrees are compared by.

    Raises:
        UsageError: there are no such labels.
    """

    labels: Labels = "tag"
    """``tag``: the element's name; ``class``: its name with its class names, sorted, numbers generalised (``post-17`` is ``post-0``).
    ``html`` and ``body`` have their name only: there is one of each, and the classes they carry state facts of the page and the browser."""
    ordered: bool = False
    """Whether the order of children counts: two subtrees with the same children in another order are then two shapes."""
    texts: bool = False
    """Whether text nodes count as nodes, all with one label. The paper's trees are made of tags."""
    drop: tuple[str, ...] = DROPPED
    """Names of elements that are left out, with all that is in them. Comments are in no page tree."""

    def __post_init__(self) -> None:
        if self.labels not in get_args(Labels):
            raise UsageError(f"labels are {' or '.join(get_args(Labels))}, not {self.labels!r}")


@dataclass(frozen=True, eq=False)
class Shapes:
    """The ``k`` distinct subtrees of some trees, numbered by label: shapes of one label have numbers in a row."""

    nodes: tuple[IntColumn, ...] = field(repr=False)
    """For each tree, the shape of every node, int32 ``(n,)``; :data:`NO_SHAPE` where the node is left out."""
    label: IntColumn
    """Label of each shape's root, int32 ``(k,)``, rising: an index into :attr:`labels`."""
    size: NDArray[np.int64]
    """Nodes in each shape, int64 ``(k,)``."""
    height: IntColumn
    """Longest way from the root down, in edges, int32 ``(k,)``; 0 for a single node."""
    first: NDArray[np.int64]
    """Children of shape ``s`` are entries ``first[s]`` to ``first[s + 1]`` of :attr:`child`, int64 ``(k + 1,)``."""
    child: IntColumn
    """Shapes of the children, int32. Where order counts: every child, in order. Where not: the distinct ones, rising."""
    count: IntColumn
    """How many children have that shape, int32, as long as :attr:`child`; all 1 where order counts."""
    labels: tuple[str, ...]
    """Names of the labels."""
    shaping: Shaping

    def __len__(self) -> int:
        return len(self.label)

    def of(self, node: int = 0, tree: int = 0) -> int:
        """The shape of a node of one of the trees; :data:`NO_SHAPE` where it is left out or the tree is empty."""
        column = self.nodes[tree]
        return int(column[node]) if len(column) else NO_SHAPE

    def children(self, shape: int) -> list[tuple[int, int]]:
        """The children of a shape: shape and count."""
        part = slice(int(self.first[shape]), int(self.first[shape + 1]))
        return list(zip(self.child[part].tolist(), self.count[part].tolist(), strict=True))


def shapes(trees: PageTree | Sequence[PageTree], shaping: Shaping = Shaping()) -> Shapes:
    """The distinct subtrees of one tree or of several, with common numbers.

    Linear in nodes, but for the sorting of children where order does not count.

    >>> from tamis import parse
    >>> found = shapes(parse("<ul><li><b>1</b><li><b>2</b><li>3</ul>"))
    >>> len(found), int(found.size[found.of()])
    (7, 9)
    >>> [f"{count} x {found.labels[found.label[shape]]} of {found.size[shape]}" for shape, count in found.children(found.of(3))]
    ['1 x li of 1', '2 x li of 2']
    """
    forest = (trees,) if isinstance(trees, PageTree) else tuple(trees)
    growing = _Growing(shaping)
    columns = [growing.add(tree) for tree in forest]
    return growing.finish(columns)


class Consing:
    """Equal subtrees get one number while nodes are added; numbers rise from children to parents."""

    def __init__(self, ordered: bool) -> None:
        self.ordered = ordered
        self.numbers: dict[tuple[int, tuple[int, ...]], int] = {}
        """Label and children of each subtree, to its number; in the order of the numbers."""
        self.size: list[int] = []
        self.height: list[int] = []

    def add(self, nodes: list[int], labels: list[int], parents: list[int]) -> list[int]:
        """The number of the subtree of each of some nodes of a page; nodes rise, and the parent of each is among them or above all.

        From the last node to the first, so children come before parents.
        """
        below: dict[int, list[int]] = {}
        found: list[int] = []
        for node, label, above in zip(reversed(nodes), reversed(labels), reversed(parents), strict=True):
            number = self._number(label, below.pop(node, None))
            found.append(number)
            if above in below:
                below[above].append(number)
            else:
                below[above] = [number]
        return found[::-1]

    def _number(self, label: int, children: list[int] | None) -> int:
        if children is None:
            key: tuple[int, tuple[int, ...]] = (label, ())
        elif self.ordered:
            key = (label, tuple(children[::-1]))
        else:
            children.sort()
            key = (label, tuple(children))
        number = self.numbers.get(key)
        if number is None:
            number = self.numbers[key] = len(self.numbers)
            self.size.append(1 + sum(map(self.size.__getitem__, key[1])))
            self.height.append(1 + max(map(self.height.__getitem__, key[1])) if key[1] else 0)
        return number


class _Growing:
    """Shapes while trees are added."""

    def __init__(self, shaping: Shaping) -> None:
        self.shaping = shaping
        self.consing = Consing(shaping.ordered)
        self.names: dict[str, int] = {}

    def add(self, tree: PageTree) -> IntColumn:
        """The number of the subtree of every node of a tree."""
        kept = np.flatnonzero(~self._left_out(tree))
        result = np.full(len(tree), NO_SHAPE, dtype=np.int32)
        result[kept] = self.consing.add(kept.tolist(), self._labels(tree, kept), tree.parent[kept].tolist())
        return result

    def _left_out(self, tree: PageTree) -> NDArray[np.bool_]:
        codes = {code for code, name in enumerate(tree.names) if name in self.shaping.drop}
        dropped = np.isin(tree.tag, list(codes)) if codes else np.zeros(len(tree), dtype=np.bool_)
        out = tree.covered(np.flatnonzero(dropped))
        return out if self.shaping.texts else out | (tree.tag == tags.TEXT)

    def _labels(self, tree: PageTree, kept: NDArray[np.intp]) -> list[int]:
        """The label of each kept node, the same number for the same name in every tree."""
        if self.shaping.labels == "tag":
            used, position = np.unique(tree.tag[kept], return_inverse=True)
            known = np.array([self._name(tree.names[code]) for code in used.tolist()], dtype=np.int64)
            labels: list[int] = known[position].tolist()
            return labels
        names = tree.names
        return [
            self._name(names[code] if code in _ONCE else class_label(names[code], tree.attributes[node].get("class", "")))
            for node, code in zip(kept.tolist(), tree.tag[kept].tolist(), strict=True)
        ]

    def _name(self, name: str) -> int:
        return self.names.setdefault(name, len(self.names))

    def finish(self, columns: list[IntColumn]) -> Shapes:
        """All shapes, sorted by label."""
        distinct = self.consing.numbers
        label = np.array([name for name, _ in distinct], dtype=np.int32)
        order = np.argsort(label, kind="stable")
        new = np.empty(len(order) + 1, dtype=np.int32)
        new[order] = np.arange(len(order))
        new[NO_SHAPE] = NO_SHAPE
        lengths = np.fromiter((len(children) for _, children in distinct), np.int64, len(distinct))
        sequence = [shape for _, children in distinct for shape in children]
        owner, child = new[np.repeat(np.arange(len(order)), lengths)], new[np.array(sequence, dtype=np.int64)]
        first, child, count = _rows(owner, child, len(order), self.shaping.ordered)
        return Shapes(
            nodes=tuple(new[column] for column in columns),
            label=label[order],
            size=np.array(self.consing.size, dtype=np.int64)[order],
            height=np.array(self.consing.height, dtype=np.int32)[order],
            first=first,
            child=child,
            count=count,
            labels=tuple(self.names),
            shaping=self.shaping,
        )


def class_label(tag: str, classes: str) -> str:
    """A tag with its class names, sorted, each once, numbers generalised.

    >>> class_label("div", "post-17 wide post-18")
    'div.post-0.wide'
    """
    return ".".join([tag, *sorted({_DIGITS.sub("0", token) for token in classes.split()})])


def _rows(owner: IntColumn, child: IntColumn, length: int, ordered: bool) -> tuple[NDArray[np.int64], IntColumn, IntColumn]:
    """Children by owner: where each owner's begin, the children, and how many of each; in order, or the distinct ones rising."""
    order = np.argsort(owner, kind="stable") if ordered else np.lexsort((child, owner))
    owner, child = owner[order], child[order]
    start = np.ones(len(owner), dtype=np.bool_)
    if not ordered:
        start[1:] = (np.diff(owner) != 0) | (np.diff(child) != 0)
    starts = np.flatnonzero(start)
    count = np.diff(np.append(starts, len(owner))).astype(np.int32)
    first = np.concatenate(([0], np.cumsum(np.bincount(owner[starts], minlength=length)))).astype(np.int64)
    return first, child[starts], count
