"""Evidence from words that mean the same on many sites, and from repeated text.

"Read also", "Share this" or "Subscribe" are told by their words alone. Each word or run of words at the ends of a block, and each word
in the addresses of its first links, has a learned weight, a whole number; the evidence is the sums. All words of a short block, and each
two or three wide characters in a row, have a second weight (:attr:`LearnedWords.aside`). Words that were not learned say nothing, so a
page in a language that is not known loses nothing.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tamis.errors import ModelError

WORDS = ("own words", "link words")
"""Sums of learned weights: of the words at both ends of the block, and of the addresses of its first two links."""
TWICE = ("said before", "said after")
"""Share of the block's runs of five words that occur in a block before it, and in one after it; unknown for fewer words."""
SOURCES = len(WORDS) + 1  #: Of words; the last, what else a short block says, tells asides alone.
UNIT = 32  #: Divisor that makes log-odds of a weight.


def open_table(keys: NDArray[np.uint32], *columns: NDArray[Any]) -> list[NDArray[Any]]:
    """Return keys and columns as a table for compiled code: each key in the first free slot from itself on, 0 where there is none."""
    size = 2
    while size < 2 * len(keys) + 2:
        size *= 2
    table = [np.zeros(size, column.dtype) for column in (keys, *columns)]
    slot, left = keys.astype(np.int64) & size - 1, np.arange(len(keys))
    while len(left):  # one for each slot, the others go on to the next
        free = left[table[0][slot[left]] == 0]
        chosen = free[np.unique(slot[free], return_index=True)[1]]
        for to, column in zip(table, (keys, *columns), strict=True):
            to[slot[chosen]] = column[chosen]
        left = left[table[0][slot[left]] != keys[left]]
        slot[left] = slot[left] + 1 & size - 1
    return table


@dataclass(frozen=True, slots=False, eq=False)
class LearnedWords:
    """``v`` learned words.

    Raises:
        ModelError: the columns do not fit each other, or the words are not in order.
    """

    key: NDArray[np.uint32]  #: Their hashes, rising, uint32 ``(v,)``.
    weight: NDArray[np.int8]  #: Log-odds of each that a block is main text, in 1/:data:`UNIT`, int8 ``(v,)``.
    aside: NDArray[np.int8]
    """Log-odds of each that a short block is main text, and no box between paragraphs of it, in 1/:data:`UNIT`, int8 ``(v,)``."""

    def __post_init__(self) -> None:
        if not len(self.key) == len(self.weight) == len(self.aside) or (self.key[1:] <= self.key[:-1]).any() or 0 in self.key[:1]:
            raise ModelError("the learned words do not fit each other")

    @classmethod
    def empty(cls) -> LearnedWords:
        """Return an empty set of words."""
        return cls(np.zeros(0, dtype=np.uint32), np.zeros(0, dtype=np.int8), np.zeros(0, dtype=np.int8))

    @cached_property
    def table(self) -> tuple[NDArray[np.uint32], NDArray[np.int8], NDArray[np.int8]]:
        """The columns as an :func:`open_table`."""
        key, weight, aside = open_table(self.key, self.weight, self.aside)
        return key, weight, aside


@dataclass(frozen=True, slots=True, eq=False)
class PageWords:
    """The words of the ``b`` blocks of a page as hashes, for training."""

    key: NDArray[np.uint32]  #: Block by block and source by source, uint32 ``(k,)``.
    count: NDArray[np.int32]  #: Number of words, int32 ``(b, SOURCES)``.

    def of_evidence(self) -> PageWords:
        """Return those of :data:`WORDS` alone."""
        wanted = np.tile(np.arange(SOURCES) < len(WORDS), len(self.count))
        return PageWords(self.key[np.repeat(wanted, self.count.reshape(-1))], self.count[:, : len(WORDS)])
