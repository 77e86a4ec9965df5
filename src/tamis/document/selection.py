"""Selection: what a method keeps of a page, and why each node was kept or dropped."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tamis.page.tree import BoolColumn

KEPT_BY_RULE = "kept by rule"
DROPPED_BY_RULE = "dropped by rule"


@dataclass(frozen=True, slots=True)
class Step:
    """One step of a descent through a page: part of a method's answer to "why?"."""

    node: int
    """Index of the node stepped on."""
    length: int
    """What is measured there, e.g. characters of text outside links below it."""
    attenuation: float
    """Share of it that the best child does not hold, 0..1."""


@dataclass(frozen=True, slots=True, eq=False)
class Selection:
    """A mask over the nodes of a page with a reason for every node."""

    method: str
    """Name of the method that selected."""
    keep: BoolColumn
    """Whether a node is kept, bool ``(n,)``."""
    reason: NDArray[np.uint8]
    """Index into ``reasons`` for each node, uint8 ``(n,)``."""
    reasons: tuple[str, ...]
    """What the reasons are, in words."""
    trail: tuple[Step, ...] = ()
    """How the method came to its answer, where it descended."""
    notes: tuple[str, ...] = ()
    """What a user should know of how the selection came about, in words."""
    scores: dict[str, NDArray[Any]] = field(default_factory=dict)
    """Evidence by name, one value per node each."""

    def why(self, node: int) -> str:
        """The reason for one node, in words."""
        return self.reasons[int(self.reason[node])]

    def overridden(self, keep: BoolColumn, drop: BoolColumn) -> Selection:
        """This selection with some nodes kept and others dropped by rule; where both hold, the node is dropped.

        Args:
            keep: nodes to keep, bool ``(n,)``.
            drop: nodes to drop, bool ``(n,)``.
        """
        reason = self.reason.copy()
        reason[keep] = len(self.reasons)
        reason[drop] = len(self.reasons) + 1
        return replace(self, keep=(self.keep | keep) & ~drop, reason=reason, reasons=(*self.reasons, KEPT_BY_RULE, DROPPED_BY_RULE))
