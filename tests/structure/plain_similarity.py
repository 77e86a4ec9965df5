"""The definitions as they stand: the slow recursion that the library's results are compared with."""

from __future__ import annotations

from dataclasses import dataclass

from tamis.page.tree import PageTree
from tamis.structure.shapes import NO_SHAPE, Shapes


@dataclass(frozen=True)
class Tree:
    label: str
    children: tuple[Tree, ...] = ()

    @property
    def size(self) -> int:
        return 1 + sum(child.size for child in self.children)


def tree_of(page: PageTree, found: Shapes, node: int = 0, number: int = 0) -> Tree:
    """The subtree of a node, without what the shapes leave out."""
    kept = [child for child in page.children(node).tolist() if found.nodes[number][child] != NO_SHAPE]
    label = found.labels[found.label[found.of(node, number)]]
    return Tree(label, tuple(tree_of(page, found, child, number) for child in kept))


def free(a: Tree, b: Tree) -> float:
    """Song and Zhang (2011), formulas 1 and 2."""
    if a.label != b.label:
        return 0.0
    nodes = a.size + b.size
    if a.size == 1 or b.size == 1:
        return 2 / nodes
    table = [[free(x, y) for y in b.children] for x in a.children]
    rows = sum(x.size * max(row) for x, row in zip(a.children, table, strict=True))
    columns = sum(y.size * max(column) for y, column in zip(b.children, zip(*table, strict=True), strict=True))
    return (2 + rows + columns) / nodes


def ordered(a: Tree, b: Tree) -> float:
    """The same with the best one-to-one match of the children in order."""
    if a.label != b.label:
        return 0.0
    nodes = a.size + b.size
    if a.size == 1 or b.size == 1:
        return 2 / nodes
    best = [[0.0] * (len(b.children) + 1) for _ in range(len(a.children) + 1)]
    for i, x in enumerate(a.children, 1):
        for j, y in enumerate(b.children, 1):
            best[i][j] = max(best[i - 1][j], best[i][j - 1], best[i - 1][j - 1] + (x.size + y.size) * ordered(x, y))
    return (2 + best[-1][-1]) / nodes


def stm(a: Tree, b: Tree) -> int:
    """Yang's simple tree matching."""
    if a.label != b.label:
        return 0
    best = [[0] * (len(b.children) + 1) for _ in range(len(a.children) + 1)]
    for i, x in enumerate(a.children, 1):
        for j, y in enumerate(b.children, 1):
            best[i][j] = max(best[i - 1][j], best[i][j - 1], best[i - 1][j - 1] + stm(x, y))
    return 1 + best[-1][-1]
