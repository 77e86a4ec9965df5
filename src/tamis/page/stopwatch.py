"""Seconds by part of the work on a page: parse, evidence, model and so on. Nothing is measured unless a stopwatch runs."""

from __future__ import annotations

from collections import Counter
from contextvars import ContextVar
from time import perf_counter


class Stopwatch:
    """Seconds by the clock, by part. A part within another one counts for itself only.

    The clock is read some thirty times a page; that of the processor would take a hundredth of the work on it.
    """

    def __init__(self) -> None:
        self.seconds: Counter[str] = Counter()
        self._parts: list[str] = []
        self._since = 0.0

    def change(self, part: str | None) -> None:
        """Begin a part; None: end the one that began last."""
        now = perf_counter()
        if self._parts:
            self.seconds[self._parts[-1]] += now - self._since  # type: ignore[assignment]  # seconds are fractions
        if part is None:
            self._parts.pop()
        else:
            self._parts.append(part)
        self._since = now

    def __enter__(self) -> Stopwatch:
        self._token = _RUNNING.set(self)
        return self

    def __exit__(self, *error: object) -> None:
        _RUNNING.reset(self._token)


_RUNNING: ContextVar[Stopwatch | None] = ContextVar("stopwatch", default=None)


class timed:  # noqa: N801  # used as a statement
    """Count the time of a ``with`` block for a part of the work."""

    def __init__(self, name: str) -> None:
        self._name = name

    def __enter__(self) -> None:
        self._watch = _RUNNING.get()
        if self._watch is not None:
            self._watch.change(self._name)

    def __exit__(self, *error: object) -> None:
        if self._watch is not None:
            self._watch.change(None)
