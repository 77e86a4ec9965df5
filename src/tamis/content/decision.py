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

TITLE_LEAST = 0.25
"""Least probability of a title that is kept with what follows it. Gold texts disagree about titles."""


@dataclass(frozen=True, slots=True, eq=False)
class Choice:
    """Chosen blocks."""

    keep: BoolColumn  #: bool ``(b,)``.
    threshold: float  #: Their least probability.
    expected: float  #: The expected F of the choice, 0..1: how sure one can be of it.


NO_TITLE = np.zeros(0, dtype=np.float32)  #: Nothing is known of titles.


def select_threshold(
    probability: NDArray[np.float64],
    length: NDArray[np.int64],
    beta: float = 1.0,
    *,
    spread: float = 0.0,
    below: float = math.inf,
    title: NDArray[np.float32] = NO_TITLE,
) -> Choice:
    """Choose the blocks with the highest expected F.

    Args:
        probability: of each block, to be main text, float64 ``(b,)``.
        length: its words, int64 ``(b,)``.
        beta: weight of recall against precision; 1: the same.
        spread: how much doubtful blocks depend on each other: deviation of a shift common to their log-odds; 0: independent.
        below: they do if independent blocks would be taken from a probability below this one on.
        title: whether each block is a title, float32 ``(b,)``: the only one is taken with what follows it (:data:`TITLE_LEAST`).

    >>> choice = select_threshold(np.array([0.9, 0.8, 0.1]), np.array([50, 50, 50]))
    >>> choice.keep.tolist(), choice.threshold
    ([True, True, False], 0.8)
    """
    if not len(probability):
        return Choice(np.zeros(0, dtype=np.bool_), 1.0, 0.0)
    words = np.ascontiguousarray(length, dtype=np.int64)
    told = np.ascontiguousarray(probability)
    keep, threshold, expected = compiled.choose(told, words, beta, spread, below, title, TITLE_LEAST)
    return Choice(np.frombuffer(keep, np.bool_), threshold, expected)
