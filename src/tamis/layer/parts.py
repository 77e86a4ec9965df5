"""Blocks of a page: runs of sibling subtrees, as parts of its node string."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np

from tamis.layer.strings import NodeString


@dataclass(frozen=True, slots=True)
class Part:
    """A block as a part of a page's node string: a subtree, or a run of sibling subtrees."""

    first: int
    """Position of its first node."""
    last: int
    """Position after its last node."""
    roots: tuple[int, ...]
    """Positions of the roots of its subtrees, the first of them ``first``."""
    words: int
    """Words of its text."""

    @property
    def size(self) -> int:
        """Number of its nodes."""
        return self.last - self.first


def parts(page: NodeString, roots: Sequence[int]) -> list[Part]:
    """The runs of siblings that a block is made of; roots that stand apart make parts of their own.

    Args:
        page: the page's node string.
        roots: roots of disjoint subtrees in document order, as indices of the page's tree.

    >>> from tamis import parse
    >>> from tamis.layer.strings import node_string
    >>> page = node_string(parse("<body><h1>A</h1><p>b</p><hr><div>c</div>"))
    >>> [(part.last, part.roots) for part in parts(page, [3, 5, 8])]
    [(6, (2, 4)), (9, (7,))]
    """
    runs: list[list[int]] = []
    ends, parents = page.end, page.parent
    for position in _positions(page, roots):
        if runs and int(ends[runs[-1][-1]]) == position and parents[runs[-1][-1]] == parents[position]:
            runs[-1].append(position)
        else:
            runs.append([position])
    return [_part(page, run) for run in runs]


def _positions(page: NodeString, roots: Iterable[int]) -> list[int]:
    """Positions of the nodes that are part of the string."""
    wanted = np.fromiter(roots, np.intp)
    at = np.searchsorted(page.node, wanted)
    there = at < len(page)
    there[there] = page.node[at[there]] == wanted[there]
    positions: list[int] = at[there].tolist()
    return positions


def _part(page: NodeString, run: list[int]) -> Part:
    first, last = run[0], int(page.end[run[-1]])
    return Part(first, last, tuple(run), int(page.first_word[last] - page.first_word[first]))
