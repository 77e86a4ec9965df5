"""Classes of characters: letters, digits, wide characters, marks."""

from __future__ import annotations

from functools import cache

import numpy as np
from numpy.typing import NDArray

COMMAS = ",;:、，；：،؛·"
STOPS = ".!?。！？．؟।…"
SIGNS = "|»›•©→▶▼★☆+#@/<>"
_WORD, _WIDE, _DIGIT, _COMMA, _STOP, _SIGN = (1 << bit for bit in range(6))


@cache
def kinds() -> NDArray[np.uint8]:
    """Return the class bits of each character of the basic plane, uint8 ``(65536,)``. The last entry is for all beyond: letters."""
    table = np.zeros(0x10000, dtype=np.uint8)
    points = np.arange(0x10000, dtype=np.uint32)
    characters = points.view("U1")
    word = np.char.isalnum(characters)
    wide = ((points >= 0x2E80) & (points <= 0xD7FF)) | ((points >= 0xF900) & (points <= 0xFAFF)) | ((points >= 0xFF00) & (points <= 0xFFEF))
    table[word & ~wide] = _WORD
    table[wide & word] = _WIDE
    table[np.char.isdecimal(characters)] |= _DIGIT
    for marks, kind in ((COMMAS, _COMMA), (STOPS, _STOP), (SIGNS, _SIGN)):
        table[[ord(mark) for mark in marks]] |= kind
    table[0xFFFF] = _WORD
    return table
