"""Free and ordered matching by the recursion of their definitions: the yardstick of ``python -m benchmarks similarity``.

Once as the paper's steps say it, which count the nodes of both trees in every comparison, and once with the counts kept.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

from tamis.page.tree import PageTree
from tamis.structure.shapes import NO_SHAPE, Shapes


@dataclass(eq=False, slots=True)
class Node:
    """An element."""

    name: str
    size: int
    children: list[Node] = field(default_factory=list)


def nodes_of(tree: PageTree, found: Shapes, number: int = 0) -> Node:
    """The root of a tree as linked nodes, without what the shapes leave out."""
    of, made = found.nodes[number].tolist(), {}
    for node, (shape, parent) in enumerate(zip(of, tree.parent.tolist(), strict=True)):
        if shape == NO_SHAPE:
            continue
        made[node] = Node(found.labels[found.label[shape]], int(found.size[shape]))
        if parent in made:
            made[parent].children.append(made[node])
    return next(iter(made.values()))


def kept(node: Node) -> int:
    """The count that was kept."""
    return node.size


def counted(node: Node) -> int:
    """The nodes of a tree, counted."""
    total, waiting = 0, [node]
    while waiting:
        one = waiting.pop()
        total += 1
        waiting += one.children
    return total


def free(a: Node, b: Node, size: Callable[[Node], int] = kept) -> float:
    """Song and Zhang (2011), section 2.3, steps 1 to 5."""
    if a.name != b.name:
        return 0.0
    in_a, in_b = size(a), size(b)
    if in_a == 1 or in_b == 1:
        return 2 / (in_a + in_b)
    best_b = [0.0] * len(b.children)
    total = 2.0
    for x in a.children:
        best = 0.0
        for j, y in enumerate(b.children):
            value = free(x, y, size)
            if value > best:  # noqa: PLR1730  # quicker than max(), and a yardstick must not be slow on purpose
                best = value
            if value > best_b[j]:  # noqa: PLR1730
                best_b[j] = value
        total += size(x) * best
    return (total + sum(size(y) * best for y, best in zip(b.children, best_b, strict=True))) / (in_a + in_b)


def ordered(a: Node, b: Node, size: Callable[[Node], int] = kept) -> float:
    """The same with children paired one to one in order."""
    if a.name != b.name:
        return 0.0
    in_a, in_b = size(a), size(b)
    if in_a == 1 or in_b == 1:
        return 2 / (in_a + in_b)
    above = [0.0] * (len(b.children) + 1)
    for x in a.children:
        row = [0.0]
        for j, y in enumerate(b.children):
            row.append(max(above[j + 1], row[j], above[j] + (size(x) + size(y)) * ordered(x, y, size)))
        above = row
    return (2 + above[-1]) / (in_a + in_b)
