"""Drafts of blocks: the block tree while it is made, and its last form."""

from __future__ import annotations

from bisect import bisect_left
from dataclasses import dataclass, field

from tamis.page.tree import PageTree
from tamis.segmentation.construction import Part
from tamis.segmentation.result import Box, Separator, VisualBlock
from tamis.segmentation.separators import HORIZONTAL, Face

Edges = tuple[float, float, float, float]
"""Left, top, right, bottom."""


@dataclass(slots=True)
class Draft:
    """A block whose children may still be found."""

    nodes: tuple[int, ...]
    doc: int
    edges: Edges
    rule: int
    item: int = -1
    """The item that a rule kept; -1 for a block made of others."""
    children: list[Draft] = field(default_factory=list)
    cuts: list[tuple[int, Edges, int]] = field(default_factory=list)
    """The separators that cut it: axis, place, weight."""


class Roots:
    """The roots of the blocks of one pool, in document order, and what lies above runs of them."""

    def __init__(self, tree: PageTree, below: int, roots: list[int]) -> None:
        self.roots = roots
        self.below = below
        self.parent, self.end = tree.parent, tree.end

    def covering(self, nodes: list[int]) -> tuple[int, ...]:
        """The fewest nodes below the region's root whose subtrees hold these roots of blocks, and no others.

        Args:
            nodes: some of the roots, rising.
        """
        found: list[int] = []
        at = 0
        while at < len(nodes):
            first = bisect_left(self.roots, nodes[at])
            last = first  # of a stretch of roots without a gap
            while at < len(nodes) and last < len(self.roots) and nodes[at] == self.roots[last]:
                at, last = at + 1, last + 1
            while first < last:
                node = self._highest(first, last)
                found.append(node)
                first = bisect_left(self.roots, int(self.end[node]))
        return tuple(found)

    def _highest(self, first: int, last: int) -> int:
        """The highest node that holds the root at ``first`` and none outside ``first .. last - 1``."""
        node = self.roots[first]
        above = int(self.parent[node])
        while above > self.below and above >= 0:
            if bisect_left(self.roots, above) < first or bisect_left(self.roots, int(self.end[above])) > last:
                break
            node, above = above, int(self.parent[above])
        return node


def around(faces: list[Face], members: list[int]) -> Edges:
    """The box around blocks."""
    boxes = [faces[member].box for member in members]
    lefts, tops, rights, bottoms = zip(*boxes, strict=True)
    return min(lefts), min(tops), max(rights), max(bottoms)


def cuts(part: Part, edges: Edges) -> list[tuple[int, Edges, int]]:
    """The separators of a part as boxes."""
    left, top, right, bottom = edges
    return [
        (axis, (left, gap.start, right, gap.stop) if axis == HORIZONTAL else (gap.start, top, gap.stop, bottom), weight)
        for axis, gap, weight in part.cuts
    ]


def finished(root: Draft) -> tuple[tuple[VisualBlock, ...], tuple[Separator, ...]]:
    """All drafts as blocks, each before those in it, and their separators."""
    order: list[tuple[Draft, int]] = []
    children: list[list[int]] = []
    separators: list[Separator] = []
    todo = [(root, -1)]
    while todo:
        draft, parent = todo.pop()
        index = len(order)
        if parent >= 0:
            children[parent].append(index)
        order.append((draft, parent))
        children.append([])
        for axis, edges, weight in draft.cuts:
            separators.append(Separator("horizontal" if axis == HORIZONTAL else "vertical", _box(edges), weight, index))
        todo += [(child, index) for child in reversed(draft.children)]
    blocks = tuple(
        VisualBlock(draft.nodes, draft.doc, _box(draft.edges), parent, tuple(below), draft.rule)
        for (draft, parent), below in zip(order, children, strict=True)
    )
    return blocks, tuple(separators)


def _box(edges: Edges) -> Box:
    left, top, right, bottom = edges
    return left, top, right - left, bottom - top
