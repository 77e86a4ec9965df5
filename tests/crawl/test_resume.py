"""Processes that are killed in the middle of a crawl, and crawls that go on."""

from __future__ import annotations

import json
import os
import random
import signal
import subprocess
import sys
import threading
import time
from collections import Counter
from contextlib import suppress
from pathlib import Path

import pytest

from tamis.crawl import CrawlError, crawl, crawled_pages
from tests.crawl.conftest import QUICK, Server, serving, small_site

PAGES = 24


def pages_of(folder, server: Server) -> list[str]:
    return [source.url.removeprefix(server.url) for source in crawled_pages(folder)]


@pytest.mark.skipif(not Path("/proc").is_dir(), reason="looks for processes in /proc")
@pytest.mark.slow
def test_killed_crawls_go_on_and_fetch_no_page_again(folder):
    """What is promised: a page that was on its way when the process died is asked for once more, no other one, and each is saved once."""
    chance = random.Random(7)
    kills = 0
    with serving(small_site(PAGES, pause=0.02)) as server:
        for _ in range(2):
            with suppress(CrawlError):
                crawl(server.url, folder, QUICK, on_event=_Killer(chance.uniform(0.05, 0.3)))
                break
            kills += 1
        result = crawl(server.url, folder, QUICK)
        asked = server.asked()
    assert kills
    assert (result.ending, result.pages, result.failed) == ("finished", PAGES + 1, 0)
    saved = pages_of(folder, server)
    index = [json.loads(line)["url"].removeprefix(server.url) for line in (folder / "pages.jsonl").read_text().splitlines()]
    assert sorted(saved) == sorted(index) == sorted(["/", *(f"/story-no-{n}x.html" for n in range(PAGES))])
    twice = {path: count - 1 for path, count in asked.items() if count > 1 and path not in ("/robots.txt", "/sitemap.xml")}
    assert sum(twice.values()) <= kills


class _Killer:
    """Kills the process of the crawl some time after its first page."""

    def __init__(self, seconds: float) -> None:
        self._seconds = seconds
        self._timer: threading.Timer | None = None

    def __call__(self, event: dict[str, object]) -> None:
        if self._timer is None:
            (child,) = children(os.getpid())
            self._timer = threading.Timer(self._seconds, kill, (child, signal.SIGKILL))
            self._timer.start()


def children(parent: int) -> list[int]:
    """The crawls that a process has started."""
    found = []
    for folder in Path("/proc").glob("[0-9]*"):
        with suppress(OSError):
            ancestor = int((folder / "stat").read_text().rpartition(")")[2].split()[1])
            if ancestor == parent and "tamis.crawl.child" in (folder / "cmdline").read_text():
                found.append(int(folder.name))
    return found


def kill(process: int, number: int) -> None:
    with suppress(ProcessLookupError):
        os.kill(process, number)


def start(url: str, folder, *more: str) -> subprocess.Popen[str]:
    command = [sys.executable, "-m", "tamis", "crawl", url, "-o", str(folder), "--delay", "0", "--allow-private", "-v", *more]
    return subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, start_new_session=True)


def wait_for(condition, seconds: float = 20.0) -> None:
    end = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < end, "it takes too long"
        time.sleep(0.02)


@pytest.mark.skipif(not Path("/proc").is_dir(), reason="looks for processes in /proc")
@pytest.mark.slow
def test_a_crawl_stops_cleanly(folder):
    """At Ctrl-C; and when the process that started it is killed."""
    slow = small_site(PAGES, pause=0.5)
    with serving(slow) as server:
        first = start(server.url, folder)
        wait_for(lambda: len(server.log) > 3)
        os.killpg(first.pid, signal.SIGINT)
        _, said = first.communicate(timeout=20)
        assert first.returncode == 130
        assert "the same command continues" in said

        second = start(server.url, folder)
        before = len(server.log)
        wait_for(lambda: len(server.log) > before + 3)
        (child,) = children(second.pid)
        second.kill()
        second.communicate()
        wait_for(lambda: not Path(f"/proc/{child}").exists())

        server.serve = small_site(PAGES)
        result = crawl(server.url, folder, QUICK)
        assert (result.ending, result.pages) == ("finished", PAGES + 1)
        twice = {path: count for path, count in server.asked().items() if count > 1 and path not in ("/robots.txt", "/sitemap.xml")}
        assert len(twice) <= 2
        assert Counter(pages_of(folder, server)).most_common(1)[0][1] == 1
