"""Sorting 64-bit numbers byte by byte, which is several times as fast as comparing them."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from tamis.native import shingles as compiled

Numbers = NDArray[np.uint64]


def sort(values: Numbers) -> Numbers:
    """Sort numbers in place, uint64 ``(n,)``; they are returned, too."""
    compiled.sort(values)
    return values


def order_of(values: NDArray[np.uint32]) -> NDArray[np.intp]:
    """The order that sorts 32-bit numbers, intp ``(n,)``.

    >>> order_of(np.array([3, 1, 2], dtype=np.uint32)).tolist()
    [1, 2, 0]
    """
    numbered = (values.astype(np.uint64) << np.uint64(32)) | np.arange(len(values), dtype=np.uint64)
    return (sort(numbered) & np.uint64(0xFFFFFFFF)).astype(np.intp)
