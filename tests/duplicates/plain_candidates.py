"""Candidates from postings, in NumPy: the oracle for ``native/candidates.c``. See :mod:`tamis.duplicates.candidates`."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from tamis.duplicates.candidates import Packed, known
from tamis.duplicates.signature import Hashes

_UPPER = np.uint64(32)
_LOWER = np.uint64(0xFFFFFFFF)
_Known = Sequence[Hashes]
_Rows = tuple[NDArray[np.uint64], NDArray[np.intp]]
"""Rows and how strong each is."""
_Column = NDArray[np.uint32]


def candidates(
    every: Sequence[Packed],
    rarest: Sequence[Packed] | None,
    size: _Known,
    demand: _Known,
    feature: Hashes,
    order: NDArray[np.intp],
    texts: NDArray[np.int64],
    start: int,
    most: int,
) -> tuple[int, _Column, _Column, _Column]:
    """Pairs of texts and rows that can be the same, text after text, until there are enough.

    Args:
        every: postings of all features of the rows.
        rarest: None: the texts are the shorter ones; else the postings of the rarest passages of the rows, which are the shorter ones.
        size, demand: of the rows (:class:`tamis.duplicates.candidates.Postings`).
        feature, order, texts: as in :class:`tamis.duplicates.candidates.Batch`.
        start: the first text.
        most: no text is taken up when there are so many pairs.

    Returns:
        The first text that was not taken up; text, row and strength of each pair.
    """
    ends = np.append(texts[1:, 0], len(feature))
    found: list[tuple[_Column, _Column, _Column]] = []
    number, total = start, 0
    while number < len(texts) and total < most:
        own = feature[texts[number, 0] : ends[number]]
        if rarest is None:
            row, strength = _as_shorter(own, texts[number], every, size)
        else:
            row, strength = _as_longer(own, int(texts[number, 5]), every, rarest, size, demand)
        found.append((np.full(len(row), number, dtype=np.uint32), row.astype(np.uint32), strength.astype(np.uint32)))
        total += len(row)
        number += 1
    columns = [np.concatenate(column) for column in zip(*found, strict=True)] if found else [np.zeros(0, dtype=np.uint32)] * 3
    return number, columns[0], columns[1], columns[2]


def counts(every: Sequence[Packed], feature: Hashes, order: NDArray[np.intp]) -> NDArray[np.int64]:
    """How many rows have each feature, int64 ``(f,)``."""
    return find(every, feature, order).count.astype(np.int64)


def _shared(feature: Hashes, segments: Sequence[Packed]) -> tuple[NDArray[np.intp], NDArray[np.uint64]]:
    """Features that rows have: the place of the feature, and the row."""
    return expand(segments, find(segments, feature, np.argsort(feature)), np.arange(len(feature)))


def _as_shorter(feature: Hashes, text: NDArray[np.int64], every: Sequence[Packed], size: _Known) -> _Rows:
    """Rows, rising, in which enough passages of a text are, and how many features of these they have."""
    _, length, passages, demanded, needed, letters = text.tolist()
    place, row = _shared(feature, every)
    both, hits = counted((row << _UPPER) | np.minimum(place // length, passages - 1).astype(np.uint64))
    is_found = hits >= demanded
    row, first, found = np.unique(both[is_found] >> _UPPER, return_index=True, return_counts=True)
    strength = np.add.reduceat(hits[is_found], first) if len(row) else np.zeros(0, dtype=np.intp)
    chosen = (found >= needed) & (known(size, row) >= letters)
    return row[chosen], strength[chosen]


def _as_longer(feature: Hashes, letters: int, every: Sequence[Packed], rarest: Sequence[Packed], size: _Known, demand: _Known) -> _Rows:
    """Shorter rows, rising, of which a feature of a rare passage and enough features at all are in a text, and how many these are."""
    row, strength = counted(_shared(feature, every)[1])
    is_met = np.isin(row, _shared(feature, rarest)[1])
    chosen = is_met & (known(size, row) < letters) & (strength >= known(demand, row))
    return row[chosen], strength[chosen]


@dataclass(frozen=True, slots=True, eq=False)
class Ranges:
    """Where features stand in the segments."""

    start: NDArray[np.intp]
    """First posting of each feature in each segment, intp ``(segments, features)``."""
    end: NDArray[np.intp]
    """First posting after, the same shape."""

    @property
    def count(self) -> NDArray[np.intp]:
        """Rows that have each feature, intp ``(features,)``."""
        return np.asarray((self.end - self.start).sum(axis=0))


def find(segments: Sequence[Packed], features: Hashes, order: NDArray[np.intp]) -> Ranges:
    """Look up features in all segments.

    ``order`` sorts the features: neighbours in a segment are looked up one after the other, so each part of it is read once.
    """
    first = features[order].astype(np.uint64) << _UPPER
    start = np.zeros((len(segments), len(features)), dtype=np.intp)
    end = np.zeros_like(start)
    for number, segment in enumerate(segments):
        start[number, order] = np.searchsorted(segment, first)
        end[number, order] = np.searchsorted(segment, first | _LOWER, side="right")
    return Ranges(start, end)


def expand(segments: Sequence[Packed], ranges: Ranges, chosen: NDArray[np.intp]) -> tuple[NDArray[np.intp], NDArray[np.uint64]]:
    """The postings of some of the features that were looked up.

    Args:
        segments: as they were searched.
        ranges: where the features stand.
        chosen: numbers of features, intp ``(k,)``.

    Returns:
        For each posting, its place in ``chosen``, intp ``(p,)``; and its row, uint64 ``(p,)``.
    """
    which, rows = [np.zeros(0, dtype=np.intp)], [np.zeros(0, dtype=np.uint64)]
    for number, segment in enumerate(segments):
        start = ranges.start[number, chosen]
        length = ranges.end[number, chosen] - start
        total = int(length.sum())
        if total:
            offset = np.arange(total) - np.repeat(np.cumsum(length) - length, length)
            which.append(np.repeat(np.arange(len(chosen)), length))
            rows.append(segment[np.repeat(start, length) + offset] & _LOWER)
    return np.concatenate(which), np.concatenate(rows)


def counted(values: NDArray[np.uint64]) -> tuple[NDArray[np.uint64], NDArray[np.intp]]:
    """The distinct numbers, rising, and how often each is there. The numbers given are sorted on the way.

    >>> [column.tolist() for column in counted(np.array([3, 1, 3], dtype=np.uint64))]
    [[1, 3], [1, 2]]
    """
    values.sort()
    first = np.flatnonzero(np.append(True, values[1:] != values[:-1])) if len(values) else np.zeros(0, dtype=np.intp)
    return values[first], np.diff(first, append=len(values))
