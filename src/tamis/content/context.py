"""Context: what the first forest says of a block and of those around it, as columns of a second table.

The first forest sees a block, its containers and a few neighbours, but not what it has made of them. A paragraph between comments, a teaser
among teasers and a line after the last paragraph are told by the probabilities around them. Probabilities are counted in millionths and
summed as whole numbers, so the columns are the same on every machine.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from tamis.content.decision import choose
from tamis.content.evidence import COLUMNS, Relations
from tamis.content.evidence.columns import LEVELS
from tamis.native import evidence as compiled

MILLION = 1_000_000
"""Probabilities are counted in millionths."""
_STEPS = (-3, -2, -1, 1, 2, 3)
_WINDOWS = ((-3, 4), (-10, 11), (-30, 31), (-5, 0), (1, 6), (-20, 0), (1, 21))
"""Blocks around a block: first, and after the last."""
_BESIDE = 5
"""Blocks before and after a container that are looked at."""
_LIKELY = ((0.5, 8), (0.9, 20))
"""Probability and words of a block that counts as content, in two ways."""
FAR = 200
CONTEXT = (
    "probability",
    *(f"probability at {step:+d}" for step in _STEPS),
    *(f"probability from {low:+d} to {high - 1:+d}" for low, high in _WINDOWS),
    *(f"container {level} probability" for level in range(LEVELS)),
    *(f"container {level} content" for level in range(LEVELS)),
    *(f"before container {level} probability" for level in range(LEVELS)),
    *(f"after container {level} probability" for level in range(LEVELS)),
    "path probability",
    "named probability",
    "path content",
    "named content",
    *(f"content {least} {way}" for least, _ in _LIKELY for way in ("before", "after")),
    "section probability",
    "section content",
    "section blocks",
    "section before probability",
    "section after probability",
    "content before",
    "page content",
    "page probability",
    "page expected",
    "page threshold",
    "above threshold",
)
"""Evidence of context. Means are weighted by words; "content" is a share of the words that are expected to be main text."""
JOINT = (*COLUMNS, *CONTEXT)
"""All columns of the second table."""
Table = NDArray[np.float32]


def joint_table(evidence: Table, probability: NDArray[np.float64], words: NDArray[np.int64], relations: Relations) -> Table:
    """The columns of :data:`JOINT` for each block, float32 ``(b, c)``, in memory column by column.

    Args:
        evidence: of the page itself, float32 ``(b, c)`` (:data:`tamis.content.evidence.COLUMNS`).
        probability: what the first forest makes of it, rounded, float64 ``(b,)``.
        words: of each block, int64 ``(b,)``.
        relations: how the blocks stand to each other.
    """
    table = np.empty((len(JOINT), len(probability)), dtype=np.float32)
    table[: len(COLUMNS)] = evidence.T
    table[len(COLUMNS) :] = context(probability, words, relations).T
    return table.T


def context(probability: NDArray[np.float64], words: NDArray[np.int64], relations: Relations) -> Table:
    """The context of each block, float32 ``(b, c)``, in the order of :data:`CONTEXT`.

    Args:
        probability: of each block to be main text, float64 ``(b,)``.
        words: of each block, int64 ``(b,)``.
        relations: how the blocks stand to each other.
    """
    count = len(probability)
    if not count:
        return np.zeros((0, len(CONTEXT)), dtype=np.float32)
    own = np.round(probability * MILLION).astype(np.int64)
    choice = choose(own / MILLION, words)
    near = (relations.low, relations.high, relations.alike, relations.heading.view(np.uint8))
    raw = compiled.context(own, words, *near, choice.expected * MILLION, choice.threshold * MILLION)
    return np.frombuffer(raw, np.float32).reshape(len(CONTEXT), count).T
