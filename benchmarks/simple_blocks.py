"""Simple ways to cut a page into blocks, by its elements alone: what VIPS is compared with."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from tamis.page import tags
from tamis.page.tree import IntColumn, PageTree

_BODY = tags.lookup(tags.codes("body"))
_DIV = tags.lookup(tags.codes("div"))
_DIV_OR_CELL = tags.lookup(tags.codes("div td th"))


def whole_page(tree: PageTree) -> IntColumn:
    """The page is one block."""
    return np.zeros(len(tree), dtype=np.int32)


def each_text(tree: PageTree) -> IntColumn:
    """Every node is a block of its own, so every text is."""
    return np.arange(len(tree), dtype=np.int32)


def children_of_body(tree: PageTree) -> IntColumn:
    """Every child of the body is a block."""
    return _held_by(tree, tree.children(_body(tree)))


def first_branching(tree: PageTree) -> IntColumn:
    """Every child of the first element below the body that has several children with text is a block."""
    characters = tree.subtree_sum(tree.text_length)
    node = _body(tree)
    children = tree.children(node)
    while len(with_text := children[characters[children] > 0]) == 1:
        node = int(with_text[0])
        children = tree.children(node)
    return _held_by(tree, with_text)


def innermost_div(tree: PageTree) -> IntColumn:
    """Texts of the same innermost ``div`` are a block."""
    return tree.nearest_ancestor(tree.of_tags(_DIV))


def innermost_div_or_cell(tree: PageTree) -> IntColumn:
    """Texts of the same innermost ``div`` or table cell are a block."""
    return tree.nearest_ancestor(tree.of_tags(_DIV_OR_CELL))


SIMPLE: dict[str, Callable[[PageTree], IntColumn]] = {
    "children of the body": children_of_body,
    "children of the first branching element": first_branching,
    "innermost div": innermost_div,
    "innermost div or table cell": innermost_div_or_cell,
    "whole page": whole_page,
    "every text alone": each_text,
}
"""All of them. Each gives the block of every node, int32 ``(n,)``; -1 for none."""


def _body(tree: PageTree) -> int:
    bodies = np.flatnonzero(tree.of_tags(_BODY))
    return int(bodies[0]) if len(bodies) else 0


def _held_by(tree: PageTree, roots: np.ndarray[tuple[int, ...], np.dtype[np.intp]]) -> IntColumn:
    """The subtree that each node lies in, by the position of its root; -1 for none. No root lies in another's subtree."""
    owner = np.full(len(tree), -1, dtype=np.int32)
    for position, root in enumerate(roots.tolist()):
        owner[root : tree.end[root]] = position
    return owner
