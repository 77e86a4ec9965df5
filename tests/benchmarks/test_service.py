"""The load of the service."""

from __future__ import annotations

import sys

import pytest

from benchmarks.report import to_terminal
from benchmarks.service import report, run

pytest.importorskip("uvicorn")


@pytest.mark.slow
@pytest.mark.skipif(sys.platform == "win32", reason="ends processes by signals")
def test_clients_that_leave_cost_the_others_no_answer():
    load = run(clients=9, heavy=0.2, seconds=3, workers=1)
    assert load.errors == 0, load.outcomes
    assert load.outcomes["200"] == len(load.seconds)
    assert load.outcomes["left"] > 0
    assert to_terminal(report(load))
