"""From probabilities to a choice: the blocks that make the expected F highest (formula in ``docs/methods/node-model.md``).

It is highest for the blocks above some probability, which differs from page to page: where little is certain, more must be taken.
Source: Ye N., Chai K., Lee W., Chieu H.: *Optimizing F-measures: a tale of two approaches*, ICML 2012 (the decision-theoretic one).
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from tamis.page.tree import BoolColumn


@dataclass(frozen=True, slots=True, eq=False)
class Choice:
    """Which blocks are taken."""

    keep: BoolColumn  #: bool ``(b,)``.
    threshold: float  #: Their least probability.
    expected: float  #: The expected F of the choice, 0..1: how sure one can be of it.


def choose(probability: NDArray[np.float64], length: NDArray[np.int64], beta: float = 1.0, *, least: float = 0.0) -> Choice:
    """Choose blocks.

    Args:
        probability: of each block, to be main text, float64 ``(b,)``.
        length: its words, int64 ``(b,)``.
        beta: what recall is worth by precision; 1: the same.
        least: blocks of a smaller probability are left out, if any block has as much.

    >>> choice = choose(np.array([0.9, 0.8, 0.1]), np.array([50, 50, 50]))
    >>> choice.keep.tolist(), choice.threshold
    ([True, True, False], 0.8)
    """
    if not len(probability):
        return Choice(np.zeros(0, dtype=np.bool_), 1.0, 0.0)
    order = (-probability).argsort(kind="stable")
    right = (probability * length)[order].cumsum()
    taken = length[order].cumsum()
    expected = (1 + beta**2) * right / np.maximum(taken + beta**2 * right[-1], 1e-9)
    last = int(expected[: np.count_nonzero(probability >= least) or None].argmax())
    threshold = float(probability[order[last]])
    return Choice(probability >= threshold, threshold, float(expected[last]))
