"""Shingles of texts: the compiled form (``_shingles.c``) where it was built, else the plain one, with the same result."""

from __future__ import annotations

from functools import cache

import numpy as np
from numpy.typing import NDArray

from tamis import compiled
from tamis.duplicates import shingling_plain
from tamis.duplicates.characters import composed, folds_for, kinds, unfinished
from tamis.duplicates.shingling_plain import Hashes, Shingled

_COMPILED = compiled.load("duplicates._shingles")
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
    form = shingling_plain.overlap if _COMPILED is None else _COMPILED.overlap
    common, found, windows = form(shingles, others, bound, passage, passages, demanded, window, share)
    return common, found, windows


@cache
def _marked_kinds() -> NDArray[np.uint8]:
    """The kinds of characters, with a bit at those for which the text has to be composed first."""
    marked = kinds().copy()
    marked[unfinished()] |= _HAS_TO_BE_COMPOSED
    return marked
