"""Seconds by part of the work: parts within parts count for themselves, and nothing is measured without a stopwatch."""

import pytest

from tamis.page import stopwatch
from tamis.page.stopwatch import Stopwatch, timed


def test_parts_within_parts_count_for_themselves(monkeypatch):
    clock = iter([0, 3, 10, 12])
    monkeypatch.setattr(stopwatch, "perf_counter", lambda: next(clock))
    with Stopwatch() as watch, timed("select"), timed("evidence"):
        pass
    assert watch.seconds == {"select": 3 + 2, "evidence": 7}


def test_a_part_that_fails_ends_and_nothing_is_measured_outside():
    with Stopwatch() as watch:
        with pytest.raises(ValueError, match="no"), timed("parse"):
            raise ValueError("no")
        with timed("render"):
            pass
    with timed("write"):
        pass
    assert set(watch.seconds) == {"parse", "render"}
