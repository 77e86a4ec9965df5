"""What two nodes have in common: where they part in the page's tree, and how deep that is."""

from __future__ import annotations

from tamis.page import tags
from tamis.page.tree import PageTree
from tamis.segmentation.facts import COHERENT
from tamis.segmentation.items import Items


class Ancestry:
    """Answers questions about the tree of a page in plain lists, which are quick to ask one by one."""

    def __init__(self, tree: PageTree, items: Items) -> None:
        self.parent: list[int] = tree.parent.tolist()
        self.end: list[int] = tree.end.tolist()
        several = (items.child_end - items.child_start)[: len(tree)] > 1
        self.several: list[bool] = several.tolist()
        self.coherent: list[bool] = tags.within(COHERENT, tree.tag).tolist()
        self.level = _levels(self.parent, self.several)
        """For each node, the number of elements above it that have several children."""

    def common(self, one: int, other: int) -> int:
        """The lowest node whose subtree holds two nodes."""
        parent = self.parent
        while one != other:
            if one < other:
                other = parent[other]
            else:
                one = parent[one]
        return one

    def holder(self, node: int) -> int:
        """The element that a node is a part of: its parent, or the one above paragraphs and list items that hold nothing but the node."""
        above = self.parent[node]
        while above > 0 and self.coherent[above] and not self.several[above]:
            above = self.parent[above]
        return above

    def child_towards(self, node: int, below: int) -> int:
        """The child of a node whose subtree holds ``below``; the node itself where the two are one."""
        parent = self.parent
        while below != node and parent[below] != node:
            below = parent[below]
        return below


def _levels(parent: list[int], several: list[bool]) -> list[int]:
    level = [0] * len(parent)
    for node in range(1, len(parent)):
        above = parent[node]
        level[node] = level[above] + several[above] if above >= 0 else 0
    return level
