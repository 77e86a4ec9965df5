"""Words hashed a whole page at a time, the same in every process and on every machine: sums over one array of its characters
(:mod:`tamis.structure.hashing`).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from unicodedata import category

import numpy as np
from numpy.typing import NDArray

from tamis.structure.hashing import Hashes, mix, powers

_BMP = 0x10000
_LETTER, _ALONE = 1, 2


@dataclass(frozen=True, slots=True, eq=False)
class Words:
    """The words of several texts."""

    text: NDArray[np.intp]
    """Which text each word stands in, intp ``(w,)``, rising."""
    hash: Hashes
    """Its hash, uint64 ``(w,)``."""


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
    """What each character of the basic plane is in a word: no part (0), a letter or digit (1), a word of its own (2). Last: all beyond."""
    kinds = np.fromiter((code.isalnum() or category(code)[0] == "M" for code in map(chr, range(_BMP))), np.uint8, _BMP)
    for first, last in _UNSPACED:
        kinds[first : last + 1] *= _ALONE
    kinds[-1] = _ALONE
    return kinds


_UNSPACED = ((0x0E00, 0x0EFF), (0x1000, 0x109F), (0x1780, 0x17FF), (0x2E80, 0x312F), (0x31A0, 0x9FFF), (0xF900, 0xFAFF), (0xFF66, 0xFF9F))
