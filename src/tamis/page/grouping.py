"""Rows of columns that are the same, numbered; ranges of rows."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from tamis.native import columns as compiled


def group(keys: NDArray[np.uint64]) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Equal keys numbered from 0 in the order they are met.

    Returns:
        the number of each key, int64 ``(n,)``, and the first place of each number, int64 ``(groups,)``.

    >>> numbers, first = group(np.array([7, 3, 7, 9], dtype=np.uint64))
    >>> numbers.tolist(), first.tolist()
    ([0, 1, 0, 2], [0, 1, 3])
    """
    numbers, first = compiled.group(np.ascontiguousarray(keys, dtype=np.uint64))
    return np.frombuffer(numbers, np.int32).astype(np.int64), np.frombuffer(first, np.int32).astype(np.int64)


def keys_of(*columns: NDArray[np.integer]) -> NDArray[np.uint64]:
    """Return one key for each combination of values of some columns, from -1, uint64 ``(n,)``.

    >>> keys = keys_of(np.array([3, 3, -1]), np.array([0, 0, 0]))
    >>> keys[0] == keys[1], keys[0] == keys[2]
    (np.True_, np.False_)
    """
    keys = np.zeros(len(columns[0]), dtype=np.uint64)
    for values in columns:
        keys = keys * np.uint64(values.max(initial=-1) + 2) + (values + 1).astype(np.uint64)
    return keys


def ranges(start: NDArray[np.integer], stop: NDArray[np.integer]) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Return all numbers of some ranges, one range after the other: which range each is of, and the number.

    >>> ranges(np.array([3, 7, 1]), np.array([5, 7, 2]))
    (array([0, 0, 2]), array([3, 4, 1]))
    """
    length = stop - start
    owner = np.repeat(np.arange(len(start)), length)
    return owner, np.arange(len(owner)) + np.repeat(start - (np.cumsum(length) - length), length)
