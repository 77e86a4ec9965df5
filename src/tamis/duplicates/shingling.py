"""Shingles of texts: the compiled form (``_shingles.c``) where it was built, else the plain one, with the same result."""

from __future__ import annotations

import struct
from collections.abc import Sequence
from functools import cache

import numpy as np
from numpy.typing import NDArray

from tamis.duplicates import shingling_plain
from tamis.duplicates.characters import composed, folds_for, kinds, unfinished
from tamis.duplicates.shingling_plain import Hashes, Shingled
from tamis.native import load

_COMPILED = load("shingles")
_THREE = struct.Struct("iii")
_HAS_TO_BE_COMPOSED = 0x80
"""A bit at the kind of a character."""


def shingled(text: str, simplified: bool, width: int) -> Shingled:
    """:func:`tamis.duplicates.shingling_plain.shingled`, compiled if it can be."""
    if _COMPILED is None:
        return shingling_plain.shingled(text, simplified, width)
    table = folds_for(text, simplified)
    found = _COMPILED.shingled(text, _marked_kinds(), table, width)
    if found is None:
        found = _COMPILED.shingled(composed(text), kinds(), table, width)
    *columns, letters, whole = found
    shingles, numbers, words = (np.frombuffer(column, np.uint32) for column in columns)
    return Shingled(shingles, numbers, words, letters, whole)


def among(shingles: Hashes, others: Hashes) -> NDArray[np.bool_]:
    """:func:`tamis.duplicates.shingling_plain.among`, compiled if it can be."""
    if _COMPILED is None:
        return shingling_plain.among(shingles, others)
    return np.frombuffer(_COMPILED.among(shingles, others), np.bool_)


def overlap(
    shingles: Hashes, others: Hashes, bound: int, passage: int, passages: int, demanded: int, window: int, share: float
) -> tuple[int, int, int]:
    """:func:`tamis.duplicates.shingling_plain.overlap`, compiled if it can be."""
    return overlaps(shingles, [others], bound, passage, passages, demanded, window, share)[0]


def overlaps(
    shingles: Hashes, others: Sequence[Hashes], bound: int, passage: int, passages: int, demanded: int, window: int, share: float
) -> list[tuple[int, int, int]]:
    """The same with each of several others."""
    measure = (bound, passage, passages, demanded, window, share)
    if _COMPILED is None:
        return [shingling_plain.overlap(shingles, other, *measure) for other in others]
    found = _COMPILED.overlaps(shingles, list(others), *measure)
    return list(_THREE.iter_unpack(found))


@cache
def _marked_kinds() -> NDArray[np.uint8]:
    """The kinds of characters, with a bit at those for which the text has to be composed first."""
    marked = kinds().copy()
    marked[unfinished()] |= _HAS_TO_BE_COMPOSED
    return marked
