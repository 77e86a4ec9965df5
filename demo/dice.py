"""Choices that are the same on every machine and in every version of Python: SHA-256 in place of ``random``."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from typing import TypeVar

T = TypeVar("T")


class Dice:
    """A row of choices fixed by a seed.

    >>> dice = Dice("harbour")
    >>> [dice.number(1, 6) for _ in range(5)]
    [6, 2, 1, 1, 2]
    """

    def __init__(self, seed: str) -> None:
        self._seed = seed
        self._throws = 0

    def number(self, low: int, high: int) -> int:
        """A whole number from ``low`` to ``high``, both included."""
        self._throws += 1
        digest = hashlib.sha256(f"{self._seed}:{self._throws}".encode()).digest()
        return low + int.from_bytes(digest[:8], "big") % (high - low + 1)

    def pick(self, options: Sequence[T]) -> T:
        """One of the options."""
        return options[self.number(0, len(options) - 1)]

    def some(self, options: Sequence[T], count: int) -> list[T]:
        """``count`` different options (all, if there are fewer), in the order in which they were drawn."""
        left = list(options)
        return [left.pop(self.number(0, len(left) - 1)) for _ in range(min(count, len(left)))]
