"""Which rows have a feature: sorted arrays, merged as they grow.

A posting is one number: the feature in the upper 32 bits, the row in the others. So a sorted array of them answers a feature with two
binary searches. Every batch of rows makes a segment; neighbours of like size are merged (a log-structured merge tree), so there are few,
and each posting is moved a logarithmic number of times. Segments hold rising ranges of rows.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from tamis.duplicates.shingling import Hashes
from tamis.duplicates.sorting import sort

Packed = NDArray[np.uint64]

LARGEST_SEGMENT = 1 << 24
"""Postings (8 bytes each) beyond which segments are not merged any more: it bounds the memory of a merge."""

_UPPER = np.uint64(32)
_LOWER = np.uint64(0xFFFFFFFF)


def packed(features: Hashes, rows: NDArray[np.int64]) -> Packed:
    """Postings of features and their rows, sorted, uint64 ``(p,)``."""
    return sort((features.astype(np.uint64) << _UPPER) | rows.astype(np.uint64))


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


def merge_plan(sizes: Sequence[int], largest: int = LARGEST_SEGMENT) -> int:
    """How many of the last segments to merge into one, 0 for none: each should be more than twice as large as the next.

    >>> merge_plan([1000, 100, 40, 30]), merge_plan([1000, 100, 40])
    (3, 0)
    """
    count, total = 1, sizes[-1] if sizes else 0
    for size in reversed(sizes[:-1]):
        if size > 2 * total or size + total > largest:
            break
        total += size
        count += 1
    return count if count > 1 else 0


def merged(segments: Sequence[Packed]) -> Packed:
    """One segment of several."""
    together = np.concatenate(segments)
    together.sort(kind="stable")  # which merges runs that are sorted, instead of sorting anew
    return together
