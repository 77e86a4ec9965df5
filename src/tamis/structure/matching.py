"""Pairs of shapes compared from the top down and back: every distinct pair once, a whole level at a time.

The children of a pair are lower than the pair, so when a level is opened all pairs of it are known. On the way up each level is scored from
the levels below it. Source: Song and Zhang 2011, section 2.2; formulas in ``docs/methods/similarity.md``.
"""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass, field
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from tamis.page.grouping import ranges
from tamis.page.tree import BoolColumn
from tamis.structure.shapes import NO_SHAPE, Shapes

Indices = NDArray[np.int64]
Values = NDArray[np.float64]

MAX_CHILD_PAIRS = 8_000_000
"""Pairs of children that one comparison may open, some 50 bytes each. Real pages of 12,000 nodes take thousands; a page made of ten
thousand siblings that are all different would take a hundred million."""
MAX_CELLS = 60_000_000
"""Cells of one pair's dynamic programme; where two sequences would need more, only pairings near the diagonal are tried."""
_BATCH_CELLS = 4_000_000  #: Cells of a row of many pairs' programmes that are worked on together.


@dataclass(frozen=True)
class Matched:
    """Values of the pairs that were asked for."""

    values: Values
    exact: bool  #: False where there were more pairs of children than the bound: some children then count by a bound, not by their value.
    keys: Indices = field(repr=False)  #: The distinct pairs that were opened, ``lower * number of shapes + higher``.
    known: Values = field(repr=False)  #: Their values.

    def look_up(self, shapes: Shapes, a: Indices, b: Indices) -> Values:
        """Return the values of pairs that were compared on the way, plain ones included; 0 for others."""
        values, open_ = plain_values(shapes, a, b)
        where = np.flatnonzero(open_)
        values[where] = 0.0
        if len(self.keys):
            wanted = np.minimum(a[where], b[where]) * len(shapes) + np.maximum(a[where], b[where])
            at = self._rising[np.minimum(np.searchsorted(self.keys, wanted, sorter=self._rising), len(self.keys) - 1)]
            values[where] = np.where(self.keys[at] == wanted, self.known[at], 0.0)
        return values

    @cached_property
    def _rising(self) -> Indices:
        return np.argsort(self.keys)


def match(shapes: Shapes, a: Indices, b: Indices, max_child_pairs: int = MAX_CHILD_PAIRS) -> Matched:
    """Return the similarity of pairs of shapes ``a[i]``, ``b[i]``: by ordered matching if the shapes are ordered, else by free matching.

    Beyond ``max_child_pairs`` free matching gives upper bounds, ordered matching lower ones.
    """
    opening = _open_ordered if shapes.shaping.ordered else _open_free
    waiting = _Waiting(shapes)
    waiting.add(a, b)
    stages: list[tuple[_FreePairs | _OrderedPairs, slice, Indices, Indices]] = []
    room = max_child_pairs
    keys: list[Indices] = [np.zeros(0, dtype=np.int64)]
    known: list[Values] = [np.zeros(0)]
    for level in range(waiting.highest, 0, -1):
        if (found := waiting.take(level)) is None:
            continue
        first, second, slots, which = found
        opened = opening(shapes, first, second, room)
        room -= len(opened.a)
        keys.append(first * len(shapes) + second)
        stages.append((opened, waiting.add(opened.a, opened.b), slots, which))
    values = np.concatenate(waiting.values) if waiting.values else np.zeros(0)
    for opened, children, slots, which in reversed(stages):
        known.append(opened.score(values[children]))
        values[slots] = known[-1][which]
    exact = all(opened.exact for opened, *_ in stages)
    return Matched(values[: len(a)], exact, np.concatenate(keys), np.concatenate([known[0], *known[:0:-1]]))


@dataclass
class _Waiting:
    """Pairs that are not opened yet, by level, and a slot for the value of every pair."""

    shapes: Shapes
    values: list[Values] = field(default_factory=list)
    length: int = 0
    levels: defaultdict[int, list[tuple[Indices, Indices]]] = field(default_factory=lambda: defaultdict(list))

    @property
    def highest(self) -> int:
        """The highest level that has pairs; 0 for none."""
        return max(self.levels, default=0)

    def add(self, a: Indices, b: Indices) -> slice:
        """Make slots for pairs: those whose value is plain get it, the others wait. Returns where the slots are."""
        here = slice(self.length, self.length + len(a))
        self.length = here.stop
        values, open_ = plain_values(self.shapes, a, b)
        self.values.append(values)
        where = np.flatnonzero(open_)
        if not len(where):
            return here
        first, second = np.minimum(a[where], b[where]).astype(np.int64), np.maximum(a[where], b[where])
        keys = first * len(self.shapes) + second
        level = np.maximum(self.shapes.height[first], self.shapes.height[second])
        order = np.argsort(level, kind="stable")
        cuts = np.flatnonzero(np.diff(level[order])) + 1
        for part in np.split(order, cuts):
            self.levels[int(level[part[0]])].append((keys[part], where[part] + here.start))
        return here

    def take(self, level: int) -> tuple[Indices, Indices, Indices, Indices] | None:
        """Return the distinct pairs of a level: first sides, second sides, the slots that wait for them, and for which pair each."""
        parts = self.levels.pop(level, None)
        if parts is None:
            return None
        keys = np.concatenate([keys for keys, _ in parts])
        slots = np.concatenate([slots for _, slots in parts])
        distinct, which = np.unique(keys, return_inverse=True)
        first, second = np.divmod(distinct, len(self.shapes))
        return first, second, slots, which


def plain_values(shapes: Shapes, a: Indices, b: Indices) -> tuple[Values, BoolColumn]:
    """Return the values that need no look at children, and which pairs need one.

    1 for equal shapes; 0 where labels differ or a node has no shape; ``2 / (n(A) + n(B))`` where one is a single node.
    """
    if not len(shapes):
        return np.zeros(len(a)), np.zeros(len(a), dtype=np.bool_)
    comparable = (shapes.label[a] == shapes.label[b]) & (a != NO_SHAPE) & (b != NO_SHAPE)
    values = np.where(comparable, 2.0 / (shapes.size[a] + shapes.size[b]), 0.0)
    equal = comparable & (a == b)
    values[equal] = 1.0
    return values, comparable & ~equal & (shapes.height[a] > 0) & (shapes.height[b] > 0)


def _equal_ranges(a: Indices, b: Indices) -> tuple[Indices, Indices, Indices]:
    """Return where ``a`` and ``b`` have the same key: ranges ``low[i]`` to ``high[i]`` of ``order`` are those like ``a[i]``."""
    order = np.argsort(b, kind="stable")
    rising = b[order]
    return np.searchsorted(rising, a, "left"), np.searchsorted(rising, a, "right"), order


def _fitting(needed: Indices | Values, room: int) -> BoolColumn:
    """Return which pairs fit into the room, those that need least first, bool, as long as ``needed``."""
    order = np.argsort(needed, kind="stable")
    fits = np.empty(len(needed), dtype=np.bool_)
    fits[order] = np.cumsum(needed[order]) <= room
    return fits


@dataclass
class _FreeSide:
    """The distinct children of one side of all pairs."""

    pair: Indices
    shape: Indices
    weight: Values  #: Nodes in all children of that shape.
    met: Values  #: Similarity to the best partner: 1 for a child whose equal is on the other side.

    @property
    def same(self) -> BoolColumn:
        return np.asarray(self.met == 1.0)


@dataclass
class _FreePairs:
    """Pairs whose children are compared: ``a`` and ``b`` are the shapes of all pairs of children."""

    a: Indices
    b: Indices
    exact: bool
    first: _FreeSide
    second: _FreeSide
    row: Indices  #: For each pair of children, the entry of ``first``.
    column: Indices  #: The entry of ``second``.
    nodes: Values  #: Nodes of both sides of each pair.

    def score(self, values: Values) -> Values:
        """Formula 2 of the paper for every pair."""
        np.maximum.at(self.first.met, self.row, values)
        np.maximum.at(self.second.met, self.column, values)
        total = np.full(len(self.nodes), 2.0)
        for side in (self.first, self.second):
            total += np.bincount(side.pair, side.weight * side.met, len(total))
        return total / self.nodes


def _open_free(shapes: Shapes, a: Indices, b: Indices, room: int) -> _FreePairs:
    """Let the children of the pairs ``a[i]``, ``b[i]`` meet.

    A child whose equal is on the other side has found its best, so two such children need not meet: only those without an equal
    meet all of their label. Pairs for which there is no room count every child with a partner of its label as met.
    """
    first, second = _free_side(shapes, a), _free_side(shapes, b)
    _meet_equals(first, second, len(shapes))
    key_a, key_b = (side.pair * len(shapes.labels) + shapes.label[side.shape] for side in (first, second))
    alone_a, same_a, alone_b = np.flatnonzero(~first.same), np.flatnonzero(first.same), np.flatnonzero(~second.same)
    low, high, order = _equal_ranges(key_a[alone_a], key_b)
    low_2, high_2, order_2 = _equal_ranges(key_a[same_a], key_b[alone_b])
    needed = np.bincount(first.pair[alone_a], high - low, len(a)) + np.bincount(first.pair[same_a], high_2 - low_2, len(a))
    fits = _fitting(needed, room)
    exact = bool(fits.all())
    if not exact:
        _count_by_label(first, key_a, key_b, ~fits)
        _count_by_label(second, key_b, key_a, ~fits)
        high = np.where(fits[first.pair[alone_a]], high, low)
        high_2 = np.where(fits[first.pair[same_a]], high_2, low_2)
    row, at = ranges(low, high)
    row_2, at_2 = ranges(low_2, high_2)
    rows = np.concatenate((alone_a[row], same_a[row_2]))
    columns = np.concatenate((order[at], alone_b[order_2[at_2]]))
    nodes = (shapes.size[a] + shapes.size[b]).astype(np.float64)
    return _FreePairs(first.shape[rows], second.shape[columns], exact, first, second, rows, columns, nodes)


def _free_side(shapes: Shapes, of: Indices) -> _FreeSide:
    pair, entry = ranges(shapes.first[of], shapes.first[of + 1])
    shape = shapes.child[entry].astype(np.int64)
    return _FreeSide(pair, shape, (shapes.size[shape] * shapes.count[entry]).astype(np.float64), np.zeros(len(pair)))


def _meet_equals(first: _FreeSide, second: _FreeSide, shapes: int) -> None:
    """Children whose equal is on the other side are met in full. Entries rise by pair and shape, so one look-up finds them."""
    key_a, key_b = first.pair * shapes + first.shape, second.pair * shapes + second.shape
    if len(key_b):
        at = np.minimum(np.searchsorted(key_b, key_a), len(key_b) - 1)
        equal = np.flatnonzero(key_b[at] == key_a)
        first.met[equal] = 1.0
        second.met[at[equal]] = 1.0


def _count_by_label(side: _FreeSide, own: Indices, other: Indices, of: BoolColumn) -> None:
    """An upper bound: in these pairs every child with a partner of its label is met in full."""
    side.met[of[side.pair] & np.isin(own, other)] = 1.0


@dataclass
class _OrderedSide:
    """Remaining children of one side of all pairs, in order."""

    start: Indices  #: For each pair, its first entry of :attr:`distinct_of`, and at the end their number.
    distinct_of: Indices  #: For each child, which of the pair's distinct shapes it has, from 0.
    pair: Indices  #: For each distinct shape of each pair, the pair.
    shape: Indices
    first: Indices  #: For each pair, its first distinct shape, and at the end their number.


@dataclass
class _OrderedPairs:
    """Pairs whose children are compared: ``a`` and ``b`` are the shapes of all pairs of children."""

    a: Indices
    b: Indices
    exact: bool
    first: _OrderedSide
    second: _OrderedSide
    cell: Indices  #: For each pair of children, its place in the gains of all pairs: distinct shapes of one side by those of the other.
    offset: Indices  #: For each pair, where its gains begin, and at the end their number.
    pair_nodes: Values  #: Nodes of both sides of each pair of children.
    paired: Values  #: For each pair, 2 and the nodes of the children that were paired at once.
    nodes: Values

    def score(self, values: Values) -> Values:
        """Run the dynamic programme for every pair."""
        gains = np.zeros(int(self.offset[-1]))
        gains[self.cell] = values * self.pair_nodes
        return (self.paired + _best_pairings(gains, self.offset, self.first, self.second)) / self.nodes


def _open_ordered(shapes: Shapes, a: Indices, b: Indices, room: int) -> _OrderedPairs:
    """Let the children of the pairs ``a[i]``, ``b[i]`` meet, those between their equal ends.

    Pairs for which there is no room count as if none of those had a partner.
    """
    nodes = (shapes.size[a] + shapes.size[b]).astype(np.float64)
    front, back, paired = _equal_ends(shapes, a, b)
    first = _ordered_side(shapes, shapes.first[a] + front, shapes.first[a + 1] - back)
    second = _ordered_side(shapes, shapes.first[b] + front, shapes.first[b + 1] - back)
    table = np.diff(first.first) * np.diff(second.first)
    fits = _fitting(table, room)
    offset = np.concatenate(([0], np.cumsum(np.where(fits, table, 0))))
    labels = len(shapes.labels)
    low, high, order = _equal_ranges(first.pair * labels + shapes.label[first.shape], second.pair * labels + shapes.label[second.shape])
    row, at = ranges(low, np.where(fits[first.pair], high, low))
    column = order[at]
    pair = first.pair[row]
    width = np.diff(second.first)[pair]
    cell = offset[pair] + (row - first.first[pair]) * width + column - second.first[pair]
    in_a, in_b = first.shape[row], second.shape[column]
    both = (shapes.size[in_a] + shapes.size[in_b]).astype(np.float64)
    exact = bool((fits & (np.diff(first.start) * np.diff(second.start) <= MAX_CELLS)).all())
    return _OrderedPairs(in_a, in_b, exact, first, second, cell, offset, both, paired, nodes)


def _equal_ends(shapes: Shapes, a: Indices, b: Indices) -> tuple[Indices, Indices, Values]:
    """Return the number of equal children at the front, of the rest at the back, and 2 and all their nodes, both sides."""
    length = np.minimum(shapes.first[a + 1] - shapes.first[a], shapes.first[b + 1] - shapes.first[b])
    pair, step = ranges(np.zeros_like(length), length)
    front = _leading(pair, step, shapes.child[shapes.first[a][pair] + step] == shapes.child[shapes.first[b][pair] + step], length)
    rest = length - front
    pair, step = ranges(np.zeros_like(rest), rest)
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


def _ordered_side(shapes: Shapes, start: Indices, stop: Indices) -> _OrderedSide:
    """The children in the ranges ``start[i]`` to ``stop[i]``, and the distinct ones among them."""
    pair, entry = ranges(start, stop)
    key = pair * len(shapes) + shapes.child[entry]
    distinct, which = np.unique(key, return_inverse=True)
    of, shape = np.divmod(distinct, len(shapes))
    first = np.concatenate(([0], np.cumsum(np.bincount(of, minlength=len(start))))).astype(np.int64)
    begins = np.concatenate(([0], np.cumsum(stop - start)))
    return _OrderedSide(begins, which - first[pair], of, shape, first)


def _best_pairings(gains: Values, offset: Indices, first: _OrderedSide, second: _OrderedSide) -> Values:
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


def _sequences(side: _OrderedSide, pairs: Indices) -> Indices:
    """The distinct shapes in the children of some pairs, int64 ``(len(pairs), longest)``; -1 where a sequence has ended."""
    length = side.start[pairs + 1] - side.start[pairs]
    result = np.full((len(pairs), int(length.max())), -1, dtype=np.int64)
    pair, entry = ranges(side.start[pairs], side.start[pairs + 1])
    result[pair, entry - side.start[pairs][pair]] = side.distinct_of[entry]
    return result


def _programme(gains: Values, offset: Indices, rows: Indices, columns: Indices, width: Indices) -> Values:
    """Run the dynamic programme of some pairs, row by row; within a row a running maximum replaces the step from the left."""
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
