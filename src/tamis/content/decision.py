"""From probabilities to a choice: the blocks that make the expected F highest (formula in ``docs/methods/node-model.md``).

It is highest for the blocks above some probability, which differs from page to page: where little is certain, more must be taken. But
blocks of one kind, such as teasers, are all main text or none is. Taken as independent, they are taken too often.
Source: Ye N., Chai K., Lee W., Chieu H.: *Optimizing F-measures: a tale of two approaches*, ICML 2012 (the decision-theoretic one).
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from tamis.native import network as compiled
from tamis.page.tree import BoolColumn


@dataclass(frozen=True, slots=True, eq=False)
class Choice:
    """Which blocks are taken."""

    keep: BoolColumn  #: bool ``(b,)``.
    threshold: float  #: Their least probability.
    expected: float  #: The expected F of the choice, 0..1: how sure one can be of it.


def select_threshold(
    probability: NDArray[np.float64], length: NDArray[np.int64], beta: float = 1.0, *, spread: float = 0.0, below: float = math.inf
) -> Choice:
    """Choose blocks.

    Args:
        probability: of each block, to be main text, float64 ``(b,)``.
        length: its words, int64 ``(b,)``.
        beta: what recall is worth by precision; 1: the same.
        spread: how far doubtful blocks stand or fall together: deviation of what shifts the log-odds of all of them; 0: each by itself.
        below: they do where blocks by themselves would be taken from a probability below this one on.

    >>> choice = select_threshold(np.array([0.9, 0.8, 0.1]), np.array([50, 50, 50]))
    >>> choice.keep.tolist(), choice.threshold
    ([True, True, False], 0.8)
    """
    if not len(probability):
        return Choice(np.zeros(0, dtype=np.bool_), 1.0, 0.0)
    words = np.ascontiguousarray(length, dtype=np.int64)
    keep, threshold, expected = compiled.choose(np.ascontiguousarray(probability), words, beta, spread, below)
    return Choice(np.frombuffer(keep, np.bool_), threshold, expected)
