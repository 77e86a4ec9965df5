"""Shingles of texts, and how much of one text another has: hashes of its tokens, made and compared in C (``native/shingles.c``)."""

from __future__ import annotations

import struct
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache

import numpy as np
from numpy.typing import NDArray

from tamis.duplicates.characters import composed, folds_for, kinds, unfinished
from tamis.native import shingles as compiled

Hashes = NDArray[np.uint32]

_THREE = struct.Struct("iii")
_HAS_TO_BE_COMPOSED = 0x80
"""A bit at the kind of a character."""
COUNT = 15
"""The bits of a word that say how often it is there, so many times or more."""


@dataclass(frozen=True, slots=True, eq=False)
class Shingled:
    """A text in hashes."""

    shingles: Hashes
    """The distinct shingles in the order they first appear in, uint32 ``(s,)``."""
    numbers: Hashes
    """The distinct tokens of digits, uint32 ``(k,)``, rising."""
    words: Hashes
    """The distinct tokens in the order they first appear in, with how often each is there in the last four bits, uint32 ``(w,)``."""
    letters: int
    """Number of letters and digits."""
    whole: int
    """A 64-bit hash of all tokens in order."""


def shingled(text: str, simplified: bool, width: int) -> Shingled:
    """The shingles and numbers of a text.

    Args:
        text: any text.
        simplified: take traditional Chinese characters for the simplified ones.
        width: of a shingle; a word has width 2, a character that is a word by itself 1.
    """
    table = folds_for(text, simplified)
    found = compiled.shingled(text, _marked_kinds(), table, width)
    if found is None:
        found = compiled.shingled(composed(text), kinds(), table, width)
    assert found is not None  # a composed text has no character that could still be composed
    *columns, letters, whole = found
    shingles, numbers, words = (np.frombuffer(column, np.uint32) for column in columns)
    return Shingled(shingles, numbers, words, letters, whole)


def among(shingles: Hashes, others: Hashes) -> NDArray[np.bool_]:
    """Which shingles of one text the other has too, bool ``(len(shingles),)``."""
    return np.frombuffer(compiled.among(shingles, others), np.bool_)


def overlap(
    shingles: Hashes, others: Hashes, bound: int, passage: int, passages: int, demanded: int, window: int, share: float
) -> tuple[int, int, int]:
    """How much of one text another has.

    Args:
        shingles: of the text, in order.
        others: of the other.
        bound: shingles below this are features.
        passage: features in a passage; the last has the rest, too.
        passages: how many passages there are.
        demanded: features of a passage that have to be in the other for the passage to be found.
        window: shingles in a window; the last has the rest, too.
        share: of a window's shingles that have to be in the other, and at least one.

    Returns:
        Shingles that both have; passages found; windows found.
    """
    return overlaps(shingles, [others], bound, passage, passages, demanded, window, share)[0]


def overlaps(
    shingles: Hashes, others: Sequence[Hashes], bound: int, passage: int, passages: int, demanded: int, window: int, share: float
) -> list[tuple[int, int, int]]:
    """:func:`overlap` with each of several others."""
    found = compiled.overlaps(shingles, list(others), bound, passage, passages, demanded, window, share)
    return list(_THREE.iter_unpack(found))


@cache
def _marked_kinds() -> NDArray[np.uint8]:
    """The kinds of characters, with a bit at those for which the text has to be composed first."""
    marked = kinds().copy()
    marked[unfinished()] |= _HAS_TO_BE_COMPOSED
    return marked
