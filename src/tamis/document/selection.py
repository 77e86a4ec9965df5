"""Selection: what a method keeps of a page, and why each node was kept or dropped."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from enum import Enum
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tamis.page.tree import BoolColumn


class Cause(Enum):
    """Basis of a decision about a node. Code asks for the cause of a reason, never for its words."""

    __hash__ = object.__hash__  # there is one of each; Enum would hash the name each time

    CONTENT = "content"  #: The node is of the main text.
    OUTSIDE = "outside"  #: The node is outside the place of the main text.
    TEMPLATE = "template"  #: The site repeats it.
    LINKS = "links"  #: Too much of it is link text.
    MODEL = "model"  #: The node model finds it improbable.
    RULE = "rule"  #: A rule of the user.
    UNIT = "unit"  #: The rest of its table, list or figure decided.
    COMMENT = "comment"  #: It is a visitor's comment.
    UNREAD = "unread"  #: It has no running text.


class Reason(str):
    """A reason in words, and its cause."""

    cause: Cause

    def __new__(cls, words: str, cause: Cause) -> Reason:
        """A reason of these words."""
        made = super().__new__(cls, words)
        made.cause = cause
        return made

    def __reduce__(self) -> tuple[type[Reason], tuple[str, Cause]]:
        return Reason, (str(self), self.cause)


ROLE = "role"  #: Of :attr:`Selection.scores`: the role of each text, as an index into :data:`ROLES`, uint8.
ROLES = ("", "comment", "title", "byline")
"""Roles of text beside main text; empty if no role is probable."""
CLEANED_ALONE = ": cleaned on its own"  #: The end of notes on pages that a template does not cover.
KEPT_BY_RULE = Reason("kept by rule", Cause.RULE)
DROPPED_BY_RULE = Reason("dropped by rule", Cause.RULE)


@dataclass(frozen=True, slots=True)
class Step:
    """One step of a descent through a page: part of a method's answer to "why?"."""

    node: int  #: Index of the node stepped on.
    length: int  #: Measure of the node, e.g. characters of text outside links below it.
    attenuation: float  #: Share of it that the best child does not hold, 0..1.


@dataclass(frozen=True, slots=True, eq=False)
class Selection:
    """A mask over the nodes of a page with a reason for every node."""

    method: str  #: Name of the method that selected.
    keep: BoolColumn  #: Kept nodes, bool ``(n,)``.
    reason: NDArray[np.uint8]  #: Index into ``reasons`` for each node, uint8 ``(n,)``.
    reasons: tuple[Reason, ...]  #: The reasons: words with a cause.
    trail: tuple[Step, ...] = ()  #: Steps of a method that descends.
    notes: tuple[str, ...] = ()  #: Notes for the user about the selection, in words.
    scores: dict[str, NDArray[Any]] = field(default_factory=dict)  #: Evidence by name, one value per node each.
    unruled: Selection | None = field(default=None, repr=False)  #: It before nodes were kept by rule.

    def why(self, node: int) -> Reason:
        """Return the reason for one node."""
        return self.reasons[int(self.reason[node])]

    def codes_of(self, *causes: Cause) -> bytes:
        """Return for each of :attr:`reasons` whether it has one of the causes, a byte each."""
        wanted = frozenset(causes)
        return bytes([reason.cause in wanted for reason in self.reasons])

    def rests_on(self, *causes: Cause, nodes: Any = slice(None)) -> BoolColumn:
        """Return whether the decision about each node, or each of ``nodes``, rests on one of the causes, bool."""
        return np.asarray(np.frombuffer(self.codes_of(*causes), np.bool_)[self.reason[nodes]])

    def changed(self, keep: BoolColumn, *decisions: tuple[BoolColumn, Reason]) -> Selection:
        """Return this selection with another mask. ``decisions``: nodes, bool ``(n,)``, with the reason; the last one holds."""
        reason = self.reason.copy()
        for code, (nodes, _) in enumerate(decisions, len(self.reasons)):
            reason[nodes] = code
        return replace(self, keep=keep, reason=reason, reasons=(*self.reasons, *(why for _, why in decisions)))

    def adding(self, wanted: BoolColumn, reason: Reason, *causes: Cause) -> Selection:
        """Return this selection with some nodes, bool ``(n,)``, for a reason: all, or those that were left out for one of some causes."""
        added = wanted & ~self.keep
        if causes and added.any():
            added &= self.rests_on(*causes)
        return self.changed(self.keep | added, (added, reason)) if added.any() else self

    def without(self, drop: BoolColumn, reason: Reason) -> Selection:
        """Return this selection without some nodes, for a reason. Those that a rule kept stay. ``drop``: bool ``(n,)``."""
        drop, ruled = drop & self.keep, self.kept_by_rule
        drop = drop if ruled is None else drop & ~ruled
        return self.changed(self.keep & ~drop, (drop, reason)) if drop.any() else self

    def overridden(self, keep: BoolColumn, drop: BoolColumn) -> Selection:
        """Return this selection with nodes kept and dropped by rule, both bool ``(n,)``; where both hold, the node is dropped."""
        unruled = self.changed(self.keep & ~drop, (drop, DROPPED_BY_RULE))
        return replace(unruled.adding_by_rule(keep & ~drop), unruled=unruled)

    def adding_by_rule(self, keep: BoolColumn) -> Selection:
        """Return this selection with nodes kept by rule, bool ``(n,)``."""
        return self.changed(self.keep | keep, (keep, KEPT_BY_RULE))

    @property
    def kept_by_rule(self) -> BoolColumn | None:
        """Nodes that a rule kept, bool ``(n,)``; None if no rule kept any."""
        kept = self.reason == self.reasons.index(KEPT_BY_RULE) if KEPT_BY_RULE in self.reasons else None
        return None if kept is None or not kept.any() else kept
