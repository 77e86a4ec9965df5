"""Free matching: each child picks its best partner on the other side, and one partner may serve many.

Source: Song and Zhang (2011), definition 2.2, formula 2.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from tamis.page.tree import BoolColumn
from tamis.structure.matching import MAX_CHILD_PAIRS, Indices, Matched, Values, compare, equal_ranges, fitting, spread
from tamis.structure.shapes import Shapes


def match(shapes: Shapes, a: Indices, b: Indices, max_child_pairs: int = MAX_CHILD_PAIRS) -> Matched:
    """Free matching of the pairs of shapes ``a[i]``, ``b[i]``, int64; upper bounds for pairs whose children have no room to meet."""
    return compare(shapes, a, b, open_pairs, max_child_pairs)


@dataclass
class _Side:
    """The distinct children of one side of all pairs."""

    pair: Indices
    shape: Indices
    weight: Values
    """Nodes in all children of that shape."""
    met: Values
    """Similarity to the best partner: 1 for a child whose equal is on the other side."""

    @property
    def same(self) -> BoolColumn:
        return np.asarray(self.met == 1.0)


@dataclass
class Open:
    """Pairs whose children are compared (:class:`tamis.structure.matching.Opened`)."""

    a: Indices
    b: Indices
    exact: bool
    first: _Side
    second: _Side
    row: Indices
    """For each pair of children, the entry of ``first``."""
    column: Indices
    """The entry of ``second``."""
    nodes: Values
    """Nodes of both sides of each pair."""

    def score(self, values: Values) -> Values:
        """Formula 2 of the paper for every pair."""
        np.maximum.at(self.first.met, self.row, values)
        np.maximum.at(self.second.met, self.column, values)
        total = np.full(len(self.nodes), 2.0)
        for side in (self.first, self.second):
            total += np.bincount(side.pair, side.weight * side.met, len(total))
        return total / self.nodes


def open_pairs(shapes: Shapes, a: Indices, b: Indices, room: int) -> Open:
    """Let the children of the pairs ``a[i]``, ``b[i]`` meet.

    A child whose equal is on the other side has found its best, so two such children need not meet: only those without an equal
    meet all of their label. Pairs for which there is no room count every child with a partner of its label as met.
    """
    first, second = _side(shapes, a), _side(shapes, b)
    _meet_equals(first, second, len(shapes))
    key_a, key_b = (side.pair * len(shapes.labels) + shapes.label[side.shape] for side in (first, second))
    alone_a, same_a, alone_b = np.flatnonzero(~first.same), np.flatnonzero(first.same), np.flatnonzero(~second.same)
    low, high, order = equal_ranges(key_a[alone_a], key_b)
    low_2, high_2, order_2 = equal_ranges(key_a[same_a], key_b[alone_b])
    needed = np.bincount(first.pair[alone_a], high - low, len(a)) + np.bincount(first.pair[same_a], high_2 - low_2, len(a))
    fits = fitting(needed, room)
    exact = bool(fits.all())
    if not exact:
        _count_by_label(first, key_a, key_b, ~fits)
        _count_by_label(second, key_b, key_a, ~fits)
        high = np.where(fits[first.pair[alone_a]], high, low)
        high_2 = np.where(fits[first.pair[same_a]], high_2, low_2)
    row, at = spread(low, high)
    row_2, at_2 = spread(low_2, high_2)
    rows = np.concatenate((alone_a[row], same_a[row_2]))
    columns = np.concatenate((order[at], alone_b[order_2[at_2]]))
    nodes = (shapes.size[a] + shapes.size[b]).astype(np.float64)
    return Open(first.shape[rows], second.shape[columns], exact, first, second, rows, columns, nodes)


def _side(shapes: Shapes, of: Indices) -> _Side:
    pair, entry = spread(shapes.first[of], shapes.first[of + 1])
    shape = shapes.child[entry].astype(np.int64)
    return _Side(pair, shape, (shapes.size[shape] * shapes.count[entry]).astype(np.float64), np.zeros(len(pair)))


def _meet_equals(first: _Side, second: _Side, shapes: int) -> None:
    """Children whose equal is on the other side are met in full. Entries rise by pair and shape, so one look-up finds them."""
    key_a, key_b = first.pair * shapes + first.shape, second.pair * shapes + second.shape
    if len(key_b):
        at = np.minimum(np.searchsorted(key_b, key_a), len(key_b) - 1)
        equal = np.flatnonzero(key_b[at] == key_a)
        first.met[equal] = 1.0
        second.met[at[equal]] = 1.0


def _count_by_label(side: _Side, own: Indices, other: Indices, of: BoolColumn) -> None:
    """An upper bound: in these pairs every child with a partner of its label is met in full."""
    side.met[of[side.pair] & np.isin(own, other)] = 1.0
