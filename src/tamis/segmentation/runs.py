"""Runs of inline siblings: what a browser lays out as one paragraph, although no element may hold just that."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from tamis.page import tags
from tamis.page.tree import BoolColumn, PageTree

Ints = NDArray[np.int64]

_BR, _HR = tags.CODE["br"], tags.CODE["hr"]
_EMPTY_LINE = 2
"""So many ``<br>`` between two inline siblings end a paragraph."""


class Runs:
    """The children of every node as items: nodes that break the line, single inline nodes, and runs of at least two inline siblings.

    A run ends at a sibling that breaks the line, at an ``<hr>`` and at an empty line (two ``<br>``).
    """

    first: Ints
    """First node of each of the ``r`` runs, int64 ``(r,)``."""
    end: Ints
    """First node after each run, int64 ``(r,)``."""
    members: Ints
    """Nodes of all runs, those of one run together, in document order."""
    start: Ints
    """Where each run's nodes start in ``members``, int64 ``(r,)``."""
    child: Ints
    """Items that are children: of nodes by parent, then the members of runs."""
    child_start: Ints
    """Where the children of each of the ``n + r`` items start in ``child``, int64 ``(n + r,)``."""
    child_end: Ints

    def __init__(self, tree: PageTree, valid: BoolColumn, breaks: BoolColumn) -> None:
        n = len(tree)
        nodes = np.flatnonzero(valid & (tree.parent >= 0))
        nodes = nodes[np.argsort(tree.parent[nodes], kind="stable")]
        parents = tree.parent[nodes]
        starts = np.flatnonzero(_starts(tree, nodes, parents, breaks))
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


def _starts(tree: PageTree, nodes: NDArray[np.intp], parents: NDArray[np.int32], breaks: BoolColumn) -> BoolColumn:
    """Where an item starts among the nodes, which are ordered by parent and place."""
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
