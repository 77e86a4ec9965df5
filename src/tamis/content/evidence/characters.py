"""What a block's characters are, counted alike in every script.

Letter case and words of any language count for nothing here: evidence of them would not travel from one script to another.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache

import numpy as np
from numpy.typing import NDArray

from tamis.page.blocks import TextBlocks
from tamis.page.tree import PageTree

COMMAS = ",;:、，；：،؛·"
STOPS = ".!?。！？．؟।…"
SIGNS = "|»›•©→▶▼★☆+#@/<>"
MONEY = "$€£¥₹"
_WORD, _WIDE, _DIGIT, _COMMA, _STOP, _SIGN, _MONEY = (1 << bit for bit in range(7))


@dataclass(frozen=True, slots=True, eq=False)
class Characters:
    """Counts for each of ``b`` blocks, int64 ``(b,)`` each."""

    words: NDArray[np.int64]
    """Runs of letters and digits; each wide character is one of its own."""
    wide: NDArray[np.int64]
    """Han, kana, Hangul and full-width forms."""
    digits: NDArray[np.int64]
    commas: NDArray[np.int64]
    """Marks within sentences."""
    stops: NDArray[np.int64]
    """Marks at the end of sentences."""
    signs: NDArray[np.int64]
    """Arrows, bars, bullets, stars and the like."""
    ends_in_stop: NDArray[np.bool_]
    """Whether the last character ends a sentence, bool ``(b,)``."""
    money: int
    """Currency signs on the whole page."""


@cache
def kinds() -> NDArray[np.uint8]:
    """What each character of the basic plane is, in bits, uint8 ``(65536,)``. The last entry, no character, is for all beyond: letters."""
    table = np.zeros(0x10000, dtype=np.uint8)
    points = np.arange(0x10000)
    word = np.fromiter((chr(point).isalnum() for point in range(0x10000)), np.bool_, 0x10000)
    wide = ((points >= 0x2E80) & (points <= 0xD7FF)) | ((points >= 0xF900) & (points <= 0xFAFF)) | ((points >= 0xFF00) & (points <= 0xFFEF))
    table[word & ~wide] = _WORD
    table[wide & word] = _WIDE
    table[np.fromiter((chr(point).isdecimal() for point in range(0x10000)), np.bool_, 0x10000)] |= _DIGIT
    for marks, kind in ((COMMAS, _COMMA), (STOPS, _STOP), (SIGNS, _SIGN), (MONEY, _MONEY)):
        table[[ord(mark) for mark in marks]] |= kind
    table[0xFFFF] = _WORD
    return table


def count_characters(tree: PageTree, blocks: TextBlocks) -> Characters:
    """Count the characters of each block."""
    if not len(blocks):
        none = np.zeros(0, dtype=np.int64)
        return Characters(none, none, none, none, none, none, np.zeros(0, dtype=np.bool_), 0)
    texts = tree.texts
    points = np.frombuffer("\n".join(texts).encode("utf-32-le", "surrogatepass"), dtype=np.uint32)
    kind = kinds()[np.minimum(points, 0xFFFF)]
    starts = np.zeros(len(texts) + 1, dtype=np.intp)
    np.cumsum(np.fromiter(map(len, texts), np.intp, len(texts)) + 1, out=starts[1:])
    begin, end = starts[blocks.first], starts[blocks.last] - 1
    word = (kind & _WORD) > 0
    word[1:] &= ~word[:-1]  # numpy reads overlapping memory as it was before
    cuts = np.ravel(np.column_stack((begin, end)))[: -1 if end[-1] >= len(kind) else None]

    def count(marked: NDArray[np.bool_]) -> NDArray[np.int64]:
        return np.asarray(np.add.reduceat(marked, cuts, dtype=np.int64)[::2])

    wide = count((kind & _WIDE) > 0)
    digits, commas, stops, signs = (count((kind & mark) > 0) for mark in (_DIGIT, _COMMA, _STOP, _SIGN))
    last = end - 1
    ends_in_stop = (kind[np.where(points[last] <= 32, np.maximum(last - 1, 0), last)] & _STOP) > 0
    return Characters(count(word) + wide, wide, digits, commas, stops, signs, ends_in_stop, int(np.count_nonzero(kind & _MONEY)))
