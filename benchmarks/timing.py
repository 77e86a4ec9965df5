"""Progress of a run, and times of several tools on the same pages, taken in turn so that a busy machine slows all of them equally."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from statistics import fmean, median
from time import process_time
from typing import TypeVar

T = TypeVar("T")
Progress = Callable[[int, int], None]  #: Called with how many steps are done, of how many.


def unseen(done: int, total: int) -> None:
    """Progress that nobody watches."""


@dataclass(frozen=True, slots=True)
class Cost:
    """Time per page in milliseconds, of the best of the passes over each page."""

    mean: float
    median: float
    ratio: float | None  #: Mean time by the mean time of a bare parse of the same pages; None where that was not measured.


def rotated(items: Sequence[T], turn: int) -> list[T]:
    """The items in order, begun with another one each turn.

    >>> rotated("abc", 4)
    ['b', 'c', 'a']
    """
    start = turn % len(items) if items else 0
    return [*items[start:], *items[:start]]


def cost(best: Sequence[float], yardstick: Sequence[float] | None = None) -> Cost | None:
    """Cost from the best seconds on each page, and those of a bare parse of the same pages; None for no pages.

    >>> cost([0.001, 0.003, 0.002], [0.0005, 0.001, 0.0015])
    Cost(mean=2.0, median=2.0, ratio=2.0)
    """
    if not best:
        return None
    ratio = fmean(best) / fmean(yardstick) if yardstick and sum(yardstick) else None
    return Cost(round(fmean(best) * 1e3, 4), round(median(best) * 1e3, 4), round(ratio, 3) if ratio is not None else None)


def timed(make: Callable[[], T]) -> tuple[T, float]:
    """What a call returns, and its processor time."""
    start = process_time()
    made = make()
    return made, process_time() - start
