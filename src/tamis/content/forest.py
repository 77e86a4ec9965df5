"""A forest of symmetric trees: yes-or-no questions, the same for all nodes of a level, lead to one of 2**d values of a tree; values add up.

All questions are comparisons of evidence with a number, so that the answer does not depend on the scale of the evidence; where the evidence
is not known (NaN) it is "no". Such trees are small, can be asked all at once, and give the same sum everywhere.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from tamis.errors import ModelError
from tamis.native import evidence as compiled


@dataclass(frozen=True, slots=True, eq=False)
class Forest:
    """``t`` trees of depth ``d`` with ``k`` outputs.

    Raises:
        ModelError: the shapes do not fit each other.
    """

    column: NDArray[np.int16]
    """Which evidence each level of each tree asks for, int16 ``(t, d)``."""
    border: NDArray[np.float32]
    """Whether it is greater than this, float32 ``(t, d)``."""
    value: NDArray[np.float32]
    """The values of each tree, float32 ``(t, 2**d, k)``; the answer at level ``l`` is bit ``l`` of the index."""
    bias: NDArray[np.float64]
    """What is added to the sum of values, float64 ``(k,)``."""

    def __post_init__(self) -> None:
        trees, depth = self.column.shape
        if self.border.shape != (trees, depth) or self.value.shape != (trees, 1 << depth, len(self.bias)):
            raise ModelError("the weights of a forest do not fit each other")

    @classmethod
    def constant(cls, outputs: int) -> Forest:
        """A forest without trees: 0 for everything."""
        none = np.zeros((0, 1))
        return cls(none.astype(np.int16), none.astype(np.float32), np.zeros((0, 2, outputs), dtype=np.float32), np.zeros(outputs))

    @property
    def columns(self) -> frozenset[int]:
        """All evidence that is asked for."""
        return frozenset(self.column.ravel().tolist())

    def score(self, rows: NDArray[np.float32]) -> NDArray[np.float64]:
        """Sums of the values, float64 ``(r, k)``. ``rows``: evidence, float32 ``(r, c)``."""
        trees, depth = self.column.shape
        if not trees or not len(rows):
            return np.tile(self.bias, (len(rows), 1))
        table = np.ascontiguousarray(rows.T, dtype=np.float32)
        raw = compiled.score(table, len(rows), self.column, self.border, self.value, depth, len(self.bias))
        return np.asarray(self.bias + np.frombuffer(raw, np.float64).reshape(len(rows), -1))
