"""Hashes that are the same in every process and on every machine, and paths and sequences hashed by sums.

The hash of a path is the sum of ``mix(step) * B**depth`` in wrapping 64-bit arithmetic, so all paths come from one running sum. A text is
hashed in the same way, by characters: of *k* texts two collide with a chance of about :math:`k^2 / 2^{65}`.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from hashlib import blake2b
from unicodedata import category

import numpy as np
from numpy.typing import NDArray

from tamis.native import columns as compiled

Hashes = NDArray[np.uint64]

_BASE = np.uint64(0x9E3779B97F4A7C15)
_TEXT_BASE = np.uint64(0xD1342543DE82EF95)
_BMP, _ALONE = 0x10000, 2
_UNSPACED = ((0x0E00, 0x0EFF), (0x1000, 0x109F), (0x1780, 0x17FF), (0x2E80, 0x312F), (0x31A0, 0x9FFF), (0xF900, 0xFAFF), (0xFF66, 0xFF9F))
"""Scripts that set no spaces between words."""


def text_hash(text: str) -> int:
    """Return a 64-bit hash of a text.

    >>> text_hash("tamis")
    10598213201590328439
    """
    return int.from_bytes(blake2b(text.encode("utf-8", "surrogatepass"), digest_size=8).digest(), "little")


def text_hashes(texts: Sequence[str]) -> Hashes:
    """Return a quick 64-bit hash of each text, uint64 ``(len(texts),)``; another than :func:`text_hash`.

    >>> text_hashes(["a", "b", "", "a"]).tolist() == text_hashes(["a", "b", "", "a"]).tolist()
    True
    """
    return np.frombuffer(compiled.text_hashes(list(texts)), np.uint64)


def powers(count: int, base: np.uint64 = _TEXT_BASE) -> Hashes:
    """Return the first ``count`` powers of a number from 1 on, uint64 ``(count,)``; by default those that weigh positions in a text."""
    weights = np.full(count, base, dtype=np.uint64)
    weights[:1] = 1
    return np.cumprod(weights, dtype=np.uint64)


def mix(values: Hashes) -> Hashes:
    """Spread 64-bit values over all bits (the finaliser of splitmix64)."""
    values = (values ^ (values >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    values = (values ^ (values >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return values ^ (values >> np.uint64(31))


@dataclass(frozen=True, slots=True, eq=False)
class Words:
    """The words of several texts."""

    text: NDArray[np.intp]  #: Text of each word, intp ``(w,)``, rising.
    hash: Hashes  #: Its hash, uint64 ``(w,)``.


def words(texts: Sequence[str]) -> Words:
    """Split texts into words and hash them.

    A word is a run of letters, marks and digits, in lower case. Where a script sets no spaces between words (Han, kana, Thai, Lao, Khmer,
    Myanmar), and beyond the basic plane, each character is one.

    >>> words(["Read more", "read 更多"]).text.tolist()
    [0, 0, 1, 1, 1]
    """
    joined = "\0".join(texts).lower()
    if joined.count("\0") >= max(len(texts), 1):
        joined = "\0".join(text.replace("\0", " ") for text in texts).lower()
    character = np.frombuffer(joined.encode("utf-32-le", "surrogatepass"), dtype="<u4")
    kind = _character_kinds()[np.minimum(character, _BMP - 1)]
    in_word = np.flatnonzero(kind)
    if not len(in_word):
        return Words(np.zeros(0, dtype=np.intp), np.zeros(0, dtype=np.uint64))
    kind_here = kind[in_word]
    first = np.ones(len(in_word), dtype=np.bool_)
    first[1:] = (kind_here[1:] == _ALONE) | (kind_here[:-1] == _ALONE) | (np.diff(in_word) > 1)
    start = np.flatnonzero(first)
    length = np.diff(np.append(start, len(in_word)))
    offset = np.arange(len(in_word)) - np.repeat(start, length)
    terms = mix(character[in_word].astype(np.uint64)) * powers(int(length.max()))[offset]
    separators = np.flatnonzero(character == 0)
    return Words(np.searchsorted(separators, in_word[start]), np.add.reduceat(terms, start))


@cache
def _character_kinds() -> NDArray[np.uint8]:
    """Return the class of each character of the basic plane in a word: none (0), letter or digit (1), own word (2). Last: all beyond."""
    kinds = np.fromiter((code.isalnum() or category(code)[0] == "M" for code in map(chr, range(_BMP))), np.uint8, _BMP)
    for first, last in _UNSPACED:
        kinds[first : last + 1] *= _ALONE
    kinds[-1] = _ALONE
    return kinds


def path_hashes(step: Hashes, depth: NDArray[np.int32], end: NDArray[np.int32]) -> Hashes:
    """Return the hash of the path from the root to each node, the node included, uint64 ``(n,)``.

    ``step``: hash of each node's own step, uint64, in preorder; ``depth``: number of ancestors; ``end``: first index after each subtree.
    """
    if not len(step):
        return step
    # not mix(step): a step of hash 0 is a step too
    return mix(path_sums(mix(step + _BASE) * powers(int(depth.max()) + 2, _BASE)[depth + 1], end))


def path_sums(value: Hashes, end: NDArray[np.integer]) -> Hashes:
    """Return the sum of the values, in preorder, on the path from the root to each node, the node included, uint64 ``(n,)``."""
    change = np.zeros(len(value) + 1, dtype=np.uint64)
    np.subtract.at(change, end, value)
    change[:-1] += value
    return np.cumsum(change[:-1], dtype=np.uint64)
