"""Settings of same-layer noise removal."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, get_args

from tamis.errors import UsageError

Verification = Literal["during", "after"]


@dataclass(frozen=True, slots=True)
class Matching:
    """How a block is looked for in another page.

    Raises:
        UsageError: a value is out of its range.
    """

    tag_similarity: float = 0.8
    """alpha: least share of the block's nodes that must be matched (paper: 0.8)."""
    text_similarity: float = 0.6
    """beta: least share of its words (paper: 0.6)."""
    skips: int = 3
    """MAX: subtrees that one slide may skip (the paper names no number)."""
    text_tolerance: float = 0.5
    """Two texts are matched if so much of the longer one is a common subsequence of words, which then count; 1: equal texts only."""
    verification: Verification = "after"
    """When depths are compared: after a whole match (the paper), or of each pair, so that a wrong pair is a mismatch to slide past."""

    def __post_init__(self) -> None:
        for name in ("tag_similarity", "text_similarity", "text_tolerance"):
            if not 0 < getattr(self, name) <= 1:
                raise UsageError(f"{name} is a share above 0 and up to 1, not {getattr(self, name)}")
        if self.skips < 0:
            raise UsageError(f"skips is a number of subtrees from 0, not {self.skips}")
        if self.verification not in get_args(Verification):
            raise UsageError(f"verification is {' or '.join(get_args(Verification))}, not {self.verification!r}")
