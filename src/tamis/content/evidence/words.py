"""Evidence of what a block says, by words that mean the same on many sites, and of text that stands twice.

"Read also", "Share this" or "Subscribe" are told by their words alone. Each word or run of words at the ends of a block, and in the
addresses of its first links, has a learned weight, a whole number; the evidence is the sums. Words that were not learned say nothing, so a
page in a language that is not known loses nothing.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from tamis.errors import ModelError

WORDS = ("own words", "link words")
"""Sums of learned weights: of the words at both ends of the block, and of the addresses of its first two links."""
TWICE = ("said before", "said after")
"""Share of the block's runs of five words that stand in a block before it, and in one after it; not known of fewer words."""
SOURCES = len(WORDS)
UNIT = 32  #: What a weight is divided by to be log-odds.


@dataclass(frozen=True, slots=False, eq=False)
class Words:
    """``v`` learned words.

    Raises:
        ModelError: the columns do not fit each other, or the words are not in order.
    """

    key: NDArray[np.uint32]  #: Their hashes, rising, uint32 ``(v,)``.
    weight: NDArray[np.int8]  #: Log-odds of each, in 1/:data:`UNIT`, int8 ``(v,)``.

    def __post_init__(self) -> None:
        if len(self.key) != len(self.weight) or (self.key[1:] <= self.key[:-1]).any() or 0 in self.key[:1]:
            raise ModelError("the learned words do not fit each other")

    @classmethod
    def empty(cls) -> Words:
        """No words at all."""
        return cls(np.zeros(0, dtype=np.uint32), np.zeros(0, dtype=np.int8))

    @cached_property
    def table(self) -> tuple[NDArray[np.uint32], NDArray[np.int8]]:
        """The columns as an open table, for compiled code: each word in the first free slot from its hash on, 0 where there is none."""
        size = 2
        while size < 2 * len(self.key) + 2:
            size *= 2
        key, weight = np.zeros(size, np.uint32), np.zeros(size, np.int8)
        slot = self.key.astype(np.int64) & size - 1
        left = np.arange(len(slot))
        while len(left):  # one for each slot, the others go on to the next
            free = left[key[slot[left]] == 0]
            chosen = free[np.unique(slot[free], return_index=True)[1]]
            key[slot[chosen]], weight[slot[chosen]] = self.key[chosen], self.weight[chosen]
            left = left[key[slot[left]] != self.key[left]]
            slot[left] = slot[left] + 1 & size - 1
        return key, weight


@dataclass(frozen=True, slots=True, eq=False)
class PageWords:
    """The words of the ``b`` blocks of a page as hashes, for training."""

    key: NDArray[np.uint32]  #: Block by block and source by source, uint32 ``(k,)``.
    count: NDArray[np.int32]  #: How many there are, int32 ``(b, SOURCES)``.
