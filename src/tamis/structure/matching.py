"""Pairs of shapes compared from the top down and back: every distinct pair once, a whole level at a time.

Pairs are met on the way down, from the highest to the lowest: the children of a pair are lower than the pair, so when a level is opened
all pairs of it are known, and each is opened once, however often it occurs. On the way up each level is scored from the values of
the levels below it. Both ways are array work over all pairs of a level; what a pair makes of its children is the method's
(:mod:`~tamis.structure.free_matching`, :mod:`~tamis.structure.ordered_matching`).
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import cached_property
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from tamis.page.tree import BoolColumn
from tamis.structure.shapes import NO_SHAPE, Shapes

Indices = NDArray[np.int64]
Values = NDArray[np.float64]

MAX_CHILD_PAIRS = 8_000_000
"""Pairs of children that one comparison may open, some 50 bytes each. Real pages of 12,000 nodes take thousands; a page made of ten
thousand siblings that are all different would take a hundred million."""


@dataclass(frozen=True)
class Matched:
    """Values of the pairs that were asked for."""

    values: Values
    exact: bool
    """False where there were more pairs of children than the bound: some children then count by a bound, not by their value."""
    keys: Indices = field(repr=False)
    """The distinct pairs that were opened, ``lower * number of shapes + higher``."""
    known: Values = field(repr=False)
    """Their values."""

    def look_up(self, shapes: Shapes, a: Indices, b: Indices) -> Values:
        """Values of pairs that were compared on the way, plain ones included; 0 for others."""
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


class Opened(Protocol):
    """Some pairs whose children are compared."""

    a: Indices
    """Shapes of children of the pairs' first sides, one entry for each pair of children."""
    b: Indices
    """Shapes of children of the second sides, as many."""
    exact: bool

    def score(self, values: Values) -> Values:
        """The value of each pair, from those of its pairs of children."""
        ...


Opening = Callable[[Shapes, Indices, Indices, int], Opened]
"""Opens pairs: shapes, first sides, second sides, and how many pairs of children may be compared."""


def compare(shapes: Shapes, a: Indices, b: Indices, opening: Opening, max_child_pairs: int = MAX_CHILD_PAIRS) -> Matched:
    """The similarity of the pairs ``a[i]``, ``b[i]``, float64 ``(len(a),)``.

    Args:
        shapes: what the numbers in ``a`` and ``b`` are of.
        a: shapes, int64.
        b: shapes, as many.
        opening: the method.
        max_child_pairs: bound on the work.
    """
    waiting = _Waiting(shapes)
    waiting.add(a, b)
    stages: list[tuple[Opened, slice, Indices, Indices]] = []
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
        """The distinct pairs of a level: first sides, second sides, the slots that wait for them, and for which pair each."""
        parts = self.levels.pop(level, None)
        if parts is None:
            return None
        keys = np.concatenate([keys for keys, _ in parts])
        slots = np.concatenate([slots for _, slots in parts])
        distinct, which = np.unique(keys, return_inverse=True)
        first, second = np.divmod(distinct, len(self.shapes))
        return first, second, slots, which


def plain_values(shapes: Shapes, a: Indices, b: Indices) -> tuple[Values, BoolColumn]:
    """Values that need no look at children, and which pairs need one.

    1 for equal shapes; 0 where labels differ or a node has no shape; ``2 / (n(A) + n(B))`` where one is a single node.
    """
    if not len(shapes):
        return np.zeros(len(a)), np.zeros(len(a), dtype=np.bool_)
    comparable = (shapes.label[a] == shapes.label[b]) & (a != NO_SHAPE) & (b != NO_SHAPE)
    values = np.where(comparable, 2.0 / (shapes.size[a] + shapes.size[b]), 0.0)
    equal = comparable & (a == b)
    values[equal] = 1.0
    return values, comparable & ~equal & (shapes.height[a] > 0) & (shapes.height[b] > 0)


def spread(start: Indices, stop: Indices) -> tuple[Indices, Indices]:
    """All numbers of some ranges, one range after the other: which range each is of, and the number.

    >>> spread(np.array([3, 7, 1]), np.array([5, 7, 2]))
    (array([0, 0, 2]), array([3, 4, 1]))
    """
    length = stop - start
    owner = np.repeat(np.arange(len(start)), length)
    return owner, np.arange(len(owner)) + np.repeat(start - (np.cumsum(length) - length), length)


def equal_ranges(a: Indices, b: Indices) -> tuple[Indices, Indices, Indices]:
    """Where entries of ``a`` and of ``b`` have the same key: ranges ``low[i]`` to ``high[i]`` of ``order`` are those like ``a[i]``."""
    order = np.argsort(b, kind="stable")
    rising = b[order]
    return np.searchsorted(rising, a, "left"), np.searchsorted(rising, a, "right"), order


def fitting(needed: Indices | Values, room: int) -> BoolColumn:
    """Which pairs there is room for, those that need least first, bool, as long as ``needed``."""
    order = np.argsort(needed, kind="stable")
    fits = np.empty(len(needed), dtype=np.bool_)
    fits[order] = np.cumsum(needed[order]) <= room
    return fits
