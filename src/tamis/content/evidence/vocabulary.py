"""What class names and ids have meant on other sites: a learned weight for each of some thousand names and words in them.

Themes, shops and forums are built from the same software, so ``bbWrapper`` or ``woocommerce-Tabs-panel`` mean the same on many sites. The
three elements nearest to a text and all those above them have weights of their own. A name that was not learned says nothing. Weights are
whole numbers, and so are their sums.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from tamis.errors import ModelError

VOCABULARY = ("names near", "names above")
"""Evidence of learned names: sums of their weights over the nearest three elements, and over all above them."""
NEAREST = 3
UNIT = 256  #: What a weight is divided by to be log-odds.

_PARTS = re.compile(r"[A-Za-z][a-z]+")
_FNV_START, _FNV_STEP, _LONG = 0xCBF29CE484222325, 0x100000001B3, (1 << 64) - 1
_NO_PLACE = ("html", "body")
_WORD_MARK = "-"  #: What stands before a word of a name, as no whole name does.


@dataclass(frozen=True, slots=False, eq=False)
class Vocabulary:
    """``v`` learned names.

    Raises:
        ModelError: the columns do not fit each other, or the names are not in order.
    """

    key: NDArray[np.uint32]  #: Their hashes (:func:`key_of`), rising, uint32 ``(v,)``.
    near: NDArray[np.int16]  #: Weight of each beside a text, int16 ``(v,)``, in 1/256 of log-odds.
    above: NDArray[np.int16]  #: Weight of each farther up, int16 ``(v,)``.

    def __post_init__(self) -> None:
        if not len(self.key) == len(self.near) == len(self.above) or (self.key[1:] <= self.key[:-1]).any() or 0 in self.key[:1]:
            raise ModelError("the learned names do not fit each other")

    @classmethod
    def empty(cls) -> Vocabulary:
        """No names at all."""
        return cls(np.zeros(0, dtype=np.uint32), np.zeros(0, dtype=np.int16), np.zeros(0, dtype=np.int16))

    @cached_property
    def table(self) -> tuple[NDArray[np.uint32], NDArray[np.int16], NDArray[np.int16]]:
        """The columns as an open table, for compiled code: each name in the first free slot from its hash on, 0 where there is none."""
        size = 2
        while size < 2 * len(self.key) + 2:
            size *= 2
        key, near, above = np.zeros(size, np.uint32), np.zeros(size, np.int16), np.zeros(size, np.int16)
        slots: list[int] = []
        taken = bytearray(size)
        for own in self.key.tolist():
            slot = own & size - 1
            while taken[slot]:
                slot = slot + 1 & size - 1
            taken[slot] = 1
            slots.append(slot)
        key[slots], near[slots], above[slots] = self.key, self.near, self.above
        return key, near, above


def key_of(text: str) -> int:
    """A hash of a name or word (FNV-1a over its characters, folded to 32 bits); never 0."""
    key = _FNV_START
    for character in text:
        key = (key ^ ord(character)) * _FNV_STEP & _LONG
    return (key >> 32 ^ key) & 0xFFFFFFFF or 1


def name_keys(name: str) -> list[int]:
    r"""The hashes of an element's class names and id, each as a whole and by its words.

    A name is tag, class names and id, with tabs between and ``.`` or ``#`` before each; case and numbers do not matter.

    >>> name_keys("p\t.post-17") == name_keys("div\t.Post-5") != []
    True
    """
    tag, *tokens = name.split("\t")
    if tag in _NO_PLACE:
        return []
    keys = []
    for token in tokens:
        keys.append(key_of(_general(token[1:])))
        keys.extend(key_of(_WORD_MARK + word.lower()) for word in _PARTS.findall(token[1:]) if len(word) > 2)
    return keys


def _general(token: str) -> str:
    """A name with ASCII letters in lower case and each number as a zero."""
    pieces: list[str] = []
    for character in token:
        if character.isdecimal():
            if not pieces or pieces[-1] != "0":
                pieces.append("0")
        else:
            pieces.append(chr(ord(character) | 32) if "A" <= character <= "Z" else character)
    return "".join(pieces)
