"""A text as tokens: words where a script sets spaces between them, characters where it does not."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from tamis.duplicates.characters import ALONE, BMP, DIGIT, IGNORED, LETTER, code_points, composed, folds_for, kinds


@dataclass(frozen=True, slots=True, eq=False)
class Tokens:
    """The ``t`` tokens of a text."""

    character: NDArray[np.uint32]
    """The characters, folded; those that are ignored are gone. uint32 ``(c,)``."""
    kind: NDArray[np.uint8]
    """Their kinds (:mod:`tamis.duplicates.characters`), uint8 ``(c,)``."""
    start: NDArray[np.intp]
    """Where each token starts, intp ``(t,)``."""
    end: NDArray[np.intp]
    """Where it has ended, intp ``(t,)``."""
    alone: NDArray[np.bool_]
    """Whether it is a character of a script without spaces, bool ``(t,)``."""
    number: NDArray[np.bool_]
    """Whether it is digits and nothing else, bool ``(t,)``."""

    def __len__(self) -> int:
        return len(self.start)


def tokens(text: str, simplified: bool = True) -> Tokens:
    """Split a text into tokens.

    Args:
        text: any text, lone surrogates too.
        simplified: take traditional Chinese characters for the simplified ones.

    Raises:
        MissingExtraError: the text has Chinese characters and the table of simplified ones is not installed.

    >>> found = tokens("Read MORE 更多")
    >>> len(found), found.alone.tolist()
    (4, [False, False, True, True])
    """
    raw = code_points(composed(text))
    kind = kinds()[np.minimum(raw, BMP)]
    kept = kind != IGNORED
    if not kept.all():
        raw, kind = raw[kept], kind[kept]
    character = np.where(raw < BMP, folds_for(text, simplified)[np.minimum(raw, BMP - 1)], raw)
    in_word, alone = kind >= LETTER, kind == ALONE
    before = np.zeros_like(in_word)
    before[1:] = in_word[:-1] & ~alone[:-1]  # a word goes on from the character before
    start = np.flatnonzero(in_word & (alone | ~before))
    after = np.zeros_like(in_word)
    after[:-1] = in_word[1:] & ~alone[1:]
    end = np.flatnonzero(in_word & (alone | ~after)) + 1
    digits = np.append(0, np.cumsum(kind == DIGIT))
    return Tokens(character, kind, start, end, alone[start], digits[end] - digits[start] == end - start)
