"""Ordered matching: children are paired one to one in order, the best way there is.

The value of a pair is ``(2 + G) / (n(A) + n(B))``, where G is the greatest sum of ``(n(A_i) + n(B_j)) Sim(A_i, B_j)`` over pairs of
children that keep their order: the dynamic programme ``G[i, j] = max(G[i-1, j], G[i, j-1], G[i-1, j-1] + gain(i, j))``.
Simple tree matching is half of the numerator.

Equal children at the front and at the back of two sequences are paired with each other at once: no pairing is better than one of equal
subtrees, and one that pairs them otherwise can be changed to do so without loss.

Source: Yang (1991), *Identifying syntactic differences between two programs*; Song and Zhang (2011), section 2.2.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from tamis.page.tree import BoolColumn
from tamis.structure.matching import MAX_CHILD_PAIRS, Indices, Matched, Values, compare, equal_ranges, fitting, spread
from tamis.structure.shapes import Shapes

MAX_CELLS = 60_000_000
"""Cells of one pair's dynamic programme; where two sequences would need more, only pairings near the diagonal are tried."""
_BATCH_CELLS = 4_000_000
"""Cells of a row of many pairs' programmes that are worked on together."""


def match(shapes: Shapes, a: Indices, b: Indices, max_child_pairs: int = MAX_CHILD_PAIRS) -> Matched:
    """Ordered matching of the pairs of shapes ``a[i]``, ``b[i]``, int64."""
    return compare(shapes, a, b, open_pairs, max_child_pairs)


@dataclass
class _Side:
    """What is left of the children of one side of all pairs, in order."""

    start: Indices
    """For each pair, its first entry of :attr:`distinct_of`, and at the end their number."""
    distinct_of: Indices
    """For each child, which of the pair's distinct shapes it has, from 0."""
    pair: Indices
    """For each distinct shape of each pair, the pair."""
    shape: Indices
    first: Indices
    """For each pair, its first distinct shape, and at the end their number."""


@dataclass
class Open:
    """Pairs whose children are compared (:class:`tamis.structure.matching.Opened`)."""

    a: Indices
    b: Indices
    exact: bool
    first: _Side
    second: _Side
    cell: Indices
    """For each pair of children, its place in the gains of all pairs: distinct shapes of one side by those of the other."""
    offset: Indices
    """For each pair, where its gains begin, and at the end their number."""
    pair_nodes: Values
    """Nodes of both sides of each pair of children."""
    paired: Values
    """For each pair, 2 and the nodes of the children that were paired at once."""
    nodes: Values

    def score(self, values: Values) -> Values:
        """The dynamic programme for every pair."""
        gains = np.zeros(int(self.offset[-1]))
        gains[self.cell] = values * self.pair_nodes
        return (self.paired + _best_pairings(gains, self.offset, self.first, self.second)) / self.nodes


def open_pairs(shapes: Shapes, a: Indices, b: Indices, room: int) -> Open:
    """Let the children of the pairs ``a[i]``, ``b[i]`` meet, those between their equal ends.

    Pairs for which there is no room count as if none of those had a partner.
    """
    nodes = (shapes.size[a] + shapes.size[b]).astype(np.float64)
    front, back, paired = _equal_ends(shapes, a, b)
    first = _side(shapes, shapes.first[a] + front, shapes.first[a + 1] - back)
    second = _side(shapes, shapes.first[b] + front, shapes.first[b + 1] - back)
    table = np.diff(first.first) * np.diff(second.first)
    fits = fitting(table, room)
    offset = np.concatenate(([0], np.cumsum(np.where(fits, table, 0))))
    labels = len(shapes.labels)
    low, high, order = equal_ranges(first.pair * labels + shapes.label[first.shape], second.pair * labels + shapes.label[second.shape])
    row, at = spread(low, np.where(fits[first.pair], high, low))
    column = order[at]
    pair = first.pair[row]
    width = np.diff(second.first)[pair]
    cell = offset[pair] + (row - first.first[pair]) * width + column - second.first[pair]
    in_a, in_b = first.shape[row], second.shape[column]
    both = (shapes.size[in_a] + shapes.size[in_b]).astype(np.float64)
    exact = bool((fits & (np.diff(first.start) * np.diff(second.start) <= MAX_CELLS)).all())
    return Open(in_a, in_b, exact, first, second, cell, offset, both, paired, nodes)


def _equal_ends(shapes: Shapes, a: Indices, b: Indices) -> tuple[Indices, Indices, Values]:
    """How many children are equal at the front, how many of the rest at the back, and 2 and all their nodes, both sides."""
    length = np.minimum(shapes.first[a + 1] - shapes.first[a], shapes.first[b + 1] - shapes.first[b])
    pair, step = spread(np.zeros_like(length), length)
    front = _leading(pair, step, shapes.child[shapes.first[a][pair] + step] == shapes.child[shapes.first[b][pair] + step], length)
    rest = length - front
    pair, step = spread(np.zeros_like(rest), rest)
    last_a, last_b = shapes.first[a + 1][pair] - 1 - step, shapes.first[b + 1][pair] - 1 - step
    back = _leading(pair, step, shapes.child[last_a] == shapes.child[last_b], rest)
    sizes = np.concatenate(([0], np.cumsum(shapes.size[shapes.child])))
    start, stop = shapes.first[a], shapes.first[a + 1]
    return front, back, 2.0 + 2.0 * (sizes[start + front] - sizes[start] + sizes[stop] - sizes[stop - back])


def _leading(pair: Indices, step: Indices, equal: BoolColumn, length: Indices) -> Indices:
    """For each pair the number of steps from 0 that are equal."""
    result = length.copy()
    np.minimum.at(result, pair[~equal], step[~equal])
    return result


def _side(shapes: Shapes, start: Indices, stop: Indices) -> _Side:
    """The children in the ranges ``start[i]`` to ``stop[i]``, and the distinct ones among them."""
    pair, entry = spread(start, stop)
    key = pair * len(shapes) + shapes.child[entry]
    distinct, which = np.unique(key, return_inverse=True)
    of, shape = np.divmod(distinct, len(shapes))
    first = np.concatenate(([0], np.cumsum(np.bincount(of, minlength=len(start))))).astype(np.int64)
    begins = np.concatenate(([0], np.cumsum(stop - start)))
    return _Side(begins, which - first[pair], of, shape, first)


def _best_pairings(gains: Values, offset: Indices, first: _Side, second: _Side) -> Values:
    """The greatest sum of gains over pairings in order, for each pair; pairs of about the same lengths are worked on together."""
    lengths = np.stack((np.diff(first.start), np.diff(second.start)))
    result = np.zeros(lengths.shape[1])
    open_ = np.flatnonzero(np.diff(offset) > 0)
    size = np.ceil(np.log2(np.maximum(lengths[:, open_], 1))).astype(np.int64)
    group = size[0] * 64 + size[1]
    order = np.argsort(group, kind="stable")
    for part in np.split(open_[order], np.flatnonzero(np.diff(group[order])) + 1):
        step = max(1, _BATCH_CELLS // (1 + int(lengths[1, part].max()))) if len(part) else 1
        for start in range(0, len(part), step):
            chunk = part[start : start + step]
            result[chunk] = _programme(
                gains, offset[chunk], _sequences(first, chunk), _sequences(second, chunk), np.diff(second.first)[chunk]
            )
    return result


def _sequences(side: _Side, pairs: Indices) -> Indices:
    """The distinct shapes in the children of some pairs, int64 ``(len(pairs), longest)``; -1 where a sequence has ended."""
    length = side.start[pairs + 1] - side.start[pairs]
    result = np.full((len(pairs), int(length.max())), -1, dtype=np.int64)
    pair, entry = spread(side.start[pairs], side.start[pairs + 1])
    result[pair, entry - side.start[pairs][pair]] = side.distinct_of[entry]
    return result


def _programme(gains: Values, offset: Indices, rows: Indices, columns: Indices, width: Indices) -> Values:
    """The dynamic programme of some pairs together, row by row; within a row a running maximum stands for the step from the left."""
    pairs, wide = columns.shape
    high = rows.shape[1]
    reach = wide if high * wide <= MAX_CELLS else MAX_CELLS // (2 * high)
    best = np.zeros((pairs, wide + 1))
    padded = np.append(gains, 0.0)
    for i in range(high):
        middle = i * wide // high
        low, stop = max(0, middle - reach), min(wide, middle + reach + 1)
        index = offset[:, None] + rows[:, i, None] * width[:, None] + columns[:, low:stop]
        index[(columns[:, low:stop] < 0) | (rows[:, i, None] < 0)] = -1
        through = best[:, low:stop] + padded[index]
        part = best[:, low : stop + 1]
        np.maximum(part[:, 1:], through, out=part[:, 1:])
        np.maximum.accumulate(part, axis=1, out=part)
    return np.asarray(best.max(axis=1))
