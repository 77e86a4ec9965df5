"""Agreement of two ways to put things into groups: BCubed and the adjusted Rand index, weighted.

Groups do not overlap here, so extended BCubed (Amigó, Gonzalo, Artiles, Verdejo 2009) is plain BCubed.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray


@dataclass(frozen=True, slots=True)
class Agreement:
    """How well groups agree with the true ones; shares 0..1."""

    precision: float  #: BCubed precision: of what is grouped with a thing, the share that belongs with it, mean over all things by weight.
    recall: float  #: BCubed recall: of what belongs with a thing, the share that is grouped with it.
    rand: float  #: Adjusted Rand index: 0 for chance, 1 for the same groups.

    @property
    def f1(self) -> float:
        """Harmonic mean of precision and recall."""
        both = self.precision + self.recall
        return 2 * self.precision * self.recall / both if both else 0.0


def agreement(found: NDArray[np.int64], true: NDArray[np.int64], weight: NDArray[np.float64]) -> Agreement:
    """Compare two groupings of the same ``k`` things.

    Args:
        found: group of each thing, int64 ``(k,)``.
        true: its true group, int64 ``(k,)``.
        weight: its weight, above 0, float64 ``(k,)``: a thing of weight w counts as w pieces that are always grouped together.

    >>> agreement(np.array([1, 1, 2]), np.array([1, 1, 1]), np.array([1.0, 1.0, 2.0]))
    Agreement(precision=1.0, recall=0.5, rand=0.0)
    """
    of_found, of_true = np.unique(found, return_inverse=True)[1], np.unique(true, return_inverse=True)[1]
    table = np.zeros((int(of_found.max()) + 1, int(of_true.max()) + 1))
    np.add.at(table, (of_found, of_true), weight)
    total, rows, columns = table.sum(), table.sum(axis=1), table.sum(axis=0)
    squares = table**2
    together, by_found, by_true = float(squares.sum()), float((rows**2).sum()), float((columns**2).sum())
    chance, most = by_found * by_true / total**2, (by_found + by_true) / 2
    return Agreement(
        precision=float((squares / rows[:, None]).sum() / total),
        recall=float((squares / columns[None, :]).sum() / total),
        rand=float((together - chance) / (most - chance)) if most > chance else 1.0,
    )
