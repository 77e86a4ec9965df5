"""Evidence: what every method says of each text block of a page, as columns of one table.

A value that is not there (no ancestor of that level, no vocabulary) is NaN, never an error. Nothing in these columns depends on the
language of a page but the class names (:data:`NAMES`, :data:`VOCABULARY`). All sums are of whole numbers and no logarithm is taken, so a
page gives the same columns, bit by bit, on every machine.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from tamis.content.evidence.columns import ATTENUATION, CONTAINERS, HIDDEN, REPETITION, TEXT
from tamis.content.evidence.compiled import gather_compiled
from tamis.content.evidence.markup import MARKUP, NAMES
from tamis.content.evidence.vocabulary import VOCABULARY, Vocabulary
from tamis.page.blocks import TextBlocks, text_blocks
from tamis.page.tree import PageTree

GROUPS: dict[str, tuple[str, ...]] = {
    "text": TEXT,
    "containers": CONTAINERS,
    "attenuation": ATTENUATION,
    "repetition": REPETITION,
    "markup": MARKUP,
    "names": NAMES,
    "vocabulary": VOCABULARY,
    "hidden": HIDDEN,
}
"""The columns by group."""
COLUMNS: tuple[str, ...] = tuple(name for names in GROUPS.values() for name in names)
"""All columns, in the order of :attr:`Evidence.values`."""


@dataclass(frozen=True, slots=True, eq=False)
class Evidence:
    """The evidence of a page of ``b`` text blocks."""

    blocks: TextBlocks
    words: NDArray[np.int64]
    """Words of each block, int64 ``(b,)``; each wide character is one."""
    values: NDArray[np.float32]
    """One row for each text block, one column for each of :data:`COLUMNS`, float32 ``(b, c)``; NaN is "not known"."""

    def column(self, name: str) -> NDArray[np.float32]:
        """One column, float32 ``(b,)``."""
        return np.asarray(self.values[:, COLUMNS.index(name)])


def gather(tree: PageTree, vocabulary: Vocabulary | None = None) -> Evidence:
    """Gather the evidence of a page.

    Args:
        tree: the page.
        vocabulary: learned names; None: nothing is known of names.
    """
    blocks = text_blocks(tree)
    if not len(blocks):
        return _empty(blocks)
    values, words = gather_compiled(tree, blocks, vocabulary or Vocabulary.empty())
    return Evidence(blocks, words, (values if vocabulary is not None else _without_vocabulary(values)).T)


def _empty(blocks: TextBlocks) -> Evidence:
    return Evidence(blocks, np.zeros(0, dtype=np.int64), np.zeros((0, len(COLUMNS)), dtype=np.float32))


def _without_vocabulary(values: NDArray[np.float32]) -> NDArray[np.float32]:
    values = values.copy()
    values[[COLUMNS.index(name) for name in VOCABULARY]] = np.nan
    return values
