"""Learned meanings of class names and ids: a weight for each of some thousand names and words in them.

Themes, shops and forums are built from the same software, so ``bbWrapper`` or ``woocommerce-Tabs-panel`` mean the same on many sites. The
three elements nearest to a text and all those above them have weights of their own. A name that was not learned says nothing. Weights are
whole numbers, and so are their sums.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from tamis.content.evidence.words import open_table
from tamis.errors import ModelError

VOCABULARY = ("names near", "names above")
"""Evidence of learned names: sums of their weights over the nearest three elements, and over all above them."""


@dataclass(frozen=True, slots=False, eq=False)
class Vocabulary:
    """``v`` learned names.

    Raises:
        ModelError: the columns do not fit each other, or the names are not in order.
    """

    key: NDArray[np.uint32]  #: Their hashes (``training.names.key_of``), rising, uint32 ``(v,)``.
    near: NDArray[np.int16]  #: Weight of each beside a text, int16 ``(v,)``, in 1/256 of log-odds.
    above: NDArray[np.int16]  #: Weight of each farther up, int16 ``(v,)``.

    def __post_init__(self) -> None:
        if not len(self.key) == len(self.near) == len(self.above) or (self.key[1:] <= self.key[:-1]).any() or 0 in self.key[:1]:
            raise ModelError("the learned names do not fit each other")

    @classmethod
    def empty(cls) -> Vocabulary:
        """Return an empty vocabulary."""
        return cls(np.zeros(0, dtype=np.uint32), np.zeros(0, dtype=np.int16), np.zeros(0, dtype=np.int16))

    @cached_property
    def table(self) -> tuple[NDArray[np.uint32], NDArray[np.int16], NDArray[np.int16]]:
        """The columns as an :func:`~tamis.content.evidence.words.open_table`."""
        key, near, above = open_table(self.key, self.near, self.above)
        return key, near, above
