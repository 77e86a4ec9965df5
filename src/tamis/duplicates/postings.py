"""Postings (which rows have a feature): sorted arrays that are merged as they grow.

A posting is one number: the feature in the upper 32 bits, the row in the others. So a sorted array of them answers a feature with two
binary searches. Every batch of rows makes a segment; neighbours of like size are merged (a log-structured merge tree), so there are few,
and each posting is moved a logarithmic number of times. Segments hold rising ranges of rows.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tamis.duplicates.shingling import Hashes

Packed = NDArray[np.uint64]

LARGEST_SEGMENT = 1 << 24
"""Postings (8 bytes each) beyond which segments are not merged any more: it bounds the memory of a merge."""

_UPPER = np.uint64(32)


def packed(features: Hashes, rows: NDArray[np.int64]) -> Packed:
    """Postings of features and their rows, sorted, uint64 ``(p,)``."""
    postings = (features.astype(np.uint64) << _UPPER) | rows.astype(np.uint64)
    postings.sort()
    return postings


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


def merged(segments: Sequence[NDArray[Any]]) -> NDArray[Any]:
    """One segment of several: postings, sorted; or what is known of the rows, one after the other."""
    together = np.concatenate(segments)
    if together.dtype == np.uint64:
        together.sort(kind="stable")  # which merges runs that are sorted, instead of sorting anew
    return together
