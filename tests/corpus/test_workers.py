"""Items in worker processes: what a crash or a hang costs."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from functools import partial
from pathlib import Path

import pytest

import tamis.corpus.workers
from tamis import TamisError
from tamis.corpus.workers import Loss, in_workers

from ..site.pages import article


class Poison:
    """Kills the worker while it sends its result, with the channel in its hands."""

    def __reduce__(self):
        os._exit(3)


def work(item: str):
    if item == "hang":
        while True:
            time.sleep(0.1)
    if item == "exit":
        os._exit(7)
    if item == "leave":
        os._exit(0)
    if item == "segfault":
        os.kill(os.getpid(), signal.SIGSEGV)
    if item == "raise":
        raise ValueError("no")
    if item == "poison":
        return Poison()
    if item.startswith("await "):
        while not Path(item.removeprefix("await ")).exists():
            time.sleep(0.01)
        return "SEEN"
    if item.startswith("killed once "):
        if not (mark := Path(item.removeprefix("killed once "))).exists():
            mark.touch()
            os.kill(os.getpid(), signal.SIGKILL)
        return "DONE"
    if item == "slow":
        time.sleep(0.3)
    return item.upper()


def leave(*arguments):
    os._exit(1)


def rescue(item: str, loss: Loss) -> tuple[str, Loss]:
    return item, loss


run = partial(in_workers, work, rescue=rescue, workers=2, time_limit=20)


def test_crashes_cost_only_their_items():
    losses = {
        "exit": Loss("crash", "the worker process died (exit code 7)"),
        "segfault": Loss("crash", "the worker process died (SIGSEGV)"),
        "raise": Loss("crash", "ValueError: no"),
    }
    items = ["a", "exit", *"bcdefgh", "segfault", *"ijklmnop", "raise", "q"]
    assert list(run(items, batch=4)) == [(item, losses[item]) if item in losses else item.upper() for item in items]


def test_a_worker_that_is_killed_from_outside_costs_nothing(tmp_path):
    items = ["a", f"killed once {tmp_path / 'mark'}", "b"]
    assert list(run(items)) == ["A", "DONE", "B"]


def test_a_hang_costs_only_its_item():
    items = [*"abc", "hang", *"defgh"]
    loss = ("hang", Loss("time limit", "took longer than the limit of 0.7 seconds"))
    assert list(run(items, time_limit=0.7)) == [*"ABC", loss, *"DEFGH"]


def test_a_worker_that_leaves_quietly_costs_only_its_item():
    results = list(run([*"abc", "leave", *"def"], time_limit=0.7))
    assert results[:3] + results[4:] == [*"ABCDEF"]
    assert results[3] == ("leave", Loss("crash", "the worker process died (exit code 0)"))


def test_a_worker_that_dies_in_the_middle_of_a_message_costs_only_its_item():
    results = list(run([*"abc", "poison", *"def"], batch=4))
    assert results == [*"ABC", ("poison", Loss("crash", "the worker process died (exit code 3)")), *"DEF"]


def test_the_time_limit_is_for_an_item_not_for_a_batch():
    assert list(run(["slow", "slow", "a", "slow"], time_limit=1, batch=4)) == ["SLOW", "SLOW", "A", "SLOW"]


def test_without_order_results_come_as_they_are_done(tmp_path):
    sign = tmp_path / "sign"
    results = run([f"await {sign}", "a"], batch=1, ordered=False)
    assert next(results) == "A"
    sign.touch()
    assert next(results) == "SEEN"


def test_items_are_taken_as_they_are_needed():
    taken = []

    def endless():
        number = 0
        while True:
            taken.append(number)
            yield str(number)
            number += 1

    results = run(endless(), batch=1)
    assert [next(results) for _ in range(5)] == ["0", "1", "2", "3", "4"]
    results.close()
    assert len(taken) <= 2 * tamis.corpus.workers.WINDOW + 5


def test_no_items_give_no_results():
    assert list(run([])) == []


def test_workers_that_cannot_start_are_an_error(monkeypatch):
    monkeypatch.setattr(tamis.corpus.workers, "_apply", leave)
    with pytest.raises(TamisError, match="do not start"):
        list(run(["a"]))


SCRIPT = """
import tamis
print("started")
print(sum(record.status == "ok" for record in tamis.clean("pages", workers=2)))
"""
OWN_CLASS = """
import tamis
from tamis.io.pages import HeldPage
class Mine(HeldPage): pass
list(tamis.clean([Mine("a", "<p>text"), Mine("b", "<p>text")], workers=2, page_timeout=300))
"""


@pytest.fixture
def pages(tmp_path):
    (tmp_path / "pages").mkdir()
    for number in range(100):
        (tmp_path / "pages" / f"{number}.html").write_text(article(number), encoding="utf-8")
    (tmp_path / "script.py").write_text(SCRIPT, encoding="utf-8")
    return tmp_path


@pytest.mark.parametrize("command", [["script.py"], ["-m", "script"], ["-c", SCRIPT], ["-"]], ids=["file", "module", "command", "stdin"])
def test_a_script_without_a_guard_is_not_run_again_by_workers(pages, command):
    done = subprocess.run(
        [sys.executable, *command], cwd=pages, input=SCRIPT, capture_output=True, text=True, encoding="utf-8", timeout=300, check=False
    )
    assert (done.stdout, done.stderr) == ("started\n100\n", "")


def test_classes_of_the_script_itself_are_named_in_the_error(tmp_path):
    done = subprocess.run([sys.executable, "-c", OWN_CLASS], cwd=tmp_path, capture_output=True, text=True, timeout=300, check=False)
    assert "'Mine'" in done.stderr.splitlines()[-1]
    assert "workers=1" in done.stderr.splitlines()[-1]
