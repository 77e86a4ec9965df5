"""Hashes that are the same in every process and on every machine, and paths and sequences hashed by sums.

A path from the root is hashed as a sum over its steps, ``sum of mix(step) * B**depth`` in wrapping 64-bit arithmetic, so the paths of
all nodes of a page come from one running sum over the preorder: a step is added where its subtree begins and taken
away where it ends.
"""

from __future__ import annotations

from hashlib import blake2b

import numpy as np
from numpy.typing import NDArray

Hashes = NDArray[np.uint64]

_BASE = np.uint64(0x9E3779B97F4A7C15)


def text_hash(text: str) -> int:
    """A 64-bit hash of a text.

    >>> text_hash("tamis")
    10598213201590328439
    """
    return int.from_bytes(blake2b(text.encode("utf-8", "surrogatepass"), digest_size=8).digest(), "little")


def text_hashes(texts: list[str]) -> Hashes:
    """:func:`text_hash` of each text, uint64 ``(len(texts),)``."""
    joined = b"".join(blake2b(text.encode("utf-8", "surrogatepass"), digest_size=8).digest() for text in texts)
    return np.frombuffer(joined, dtype="<u8").astype(np.uint64, copy=False)


def mix(values: Hashes) -> Hashes:
    """Spread 64-bit values over all bits (the finaliser of splitmix64)."""
    values = (values ^ (values >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    values = (values ^ (values >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return values ^ (values >> np.uint64(31))


def path_hashes(step: Hashes, depth: NDArray[np.int32], end: NDArray[np.int32]) -> Hashes:
    """The hash of the path from the root to each node, the node included, uint64 ``(n,)``.

    Args:
        step: hash of each node's own step, uint64 ``(n,)``, preorder.
        depth: number of ancestors, ``(n,)``.
        end: first index after each subtree, ``(n,)``.
    """
    if not len(step):
        return step
    powers = np.cumprod(np.full(int(depth.max()) + 1, _BASE))
    value = mix(step + _BASE) * powers[depth]  # not mix(step): a step of hash 0 is a step too
    change = np.zeros(len(step) + 1, dtype=np.uint64)
    np.subtract.at(change, end, value)
    change[:-1] += value
    return mix(np.cumsum(change[:-1]))
