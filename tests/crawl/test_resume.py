"""Processes that are killed in the middle of a crawl, and crawls that go on."""

from __future__ import annotations

import json
import os
import random
import signal
import subprocess
import sys
import time
from collections import Counter

import pytest

from tamis.crawl import CrawlError, crawl, crawled_pages
from tamis.errors import FetchError
from tests.crawl.conftest import QUICK, Server, serving, small_site

PAGES = 24


def pages_of(folder, server: Server) -> list[str]:
    return [source.url.removeprefix(server.url) for source in crawled_pages(folder)]


@pytest.mark.slow
def test_killed_crawls_go_on_and_fetch_no_page_again(folder):
    """What is promised: a page that was on its way when the process died is asked for once more, no other one, and each is saved once."""
    chance = random.Random(7)
    kills = 2
    with serving(small_site(PAGES, pause=0.02)) as server:
        for _ in range(kills):
            before = len(server.log)
            process = start(server.url, folder)
            wait_for(lambda before=before: len(server.log) > before + 3)
            time.sleep(chance.uniform(0.0, 0.1))
            process.kill()
            process.communicate()
        result = crawl(server.url, folder, QUICK)
        asked = server.asked()
    assert (result.ending, result.pages, result.failed) == ("finished", PAGES + 1, 0)
    saved = pages_of(folder, server)
    index = [json.loads(line)["url"].removeprefix(server.url) for line in (folder / "pages.jsonl").read_text().splitlines()]
    assert sorted(saved) == sorted(index) == sorted(["/", *(f"/story-no-{n}x.html" for n in range(PAGES))])
    twice = {path: count - 1 for path, count in asked.items() if count > 1 and path not in ("/robots.txt", "/sitemap.xml")}
    assert sum(twice.values()) <= kills


def start(url: str, folder, *more: str) -> subprocess.Popen[str]:
    command = [sys.executable, "-m", "tamis", "crawl", url, "-o", str(folder), "--delay", "0", "--allow-private", "-v", *more]
    return subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, start_new_session=True)


def wait_for(condition, seconds: float = 120.0) -> None:
    end = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < end, "it takes too long"
        time.sleep(0.02)


@pytest.mark.slow
def test_a_crawl_stops_at_once(folder):
    """At Ctrl-C, with a request on its way; the next one goes on."""
    with serving(small_site(PAGES, pause=0.5)) as server:
        process = start(server.url, folder)
        wait_for(lambda: len(server.log) > 3)
        os.killpg(process.pid, signal.SIGINT)
        _, said = process.communicate(timeout=300)
        assert process.returncode == 130
        assert "the same command continues" in said
        server.serve = small_site(PAGES)
        result = crawl(server.url, folder, QUICK)
        assert (result.ending, result.pages) == ("finished", PAGES + 1)
        twice = {path: count for path, count in server.asked().items() if count > 1 and path not in ("/robots.txt", "/sitemap.xml")}
        assert len(twice) <= 1
        assert Counter(pages_of(folder, server)).most_common(1)[0][1] == 1


def test_a_crawl_is_replaced_only_by_one_that_saves_a_page(folder):
    with serving(small_site(3)) as server:
        crawl(server.url, folder, QUICK)
        (folder / "notes.txt").write_text("mine")
        before = {path.name: path.read_bytes() for path in folder.iterdir()}
    with pytest.raises(FetchError, match=r"no page was saved: .*refused.*; the crawl in .* is kept"):
        crawl(server.url, folder, QUICK, overwrite=True)
    assert {path.name: path.read_bytes() for path in folder.iterdir()} == before
    assert crawl(server.url, folder, QUICK).pages == 4
    with serving(small_site(2)) as server:
        result = crawl(server.url, folder, QUICK, overwrite=True)
        assert (result.ending, result.pages) == ("finished", 3)
        assert {path: count for path, count in server.asked().items() if count > 1} == {"/robots.txt": 2}
        assert sorted(pages_of(folder, server)) == ["/", "/story-no-0x.html", "/story-no-1x.html"]
    assert sorted(path.name for path in folder.iterdir()) == sorted(before)


def test_a_disk_that_is_full_ends_the_crawl(folder, monkeypatch):
    def full(descriptor):
        raise OSError(28, "No space left on device", "pages.jsonl")

    with serving(small_site(PAGES)) as server:
        monkeypatch.setattr(os, "fsync", full)
        with pytest.raises(CrawlError, match=r"cannot write pages\.jsonl: No space left"):
            crawl(server.url, folder, QUICK)
        monkeypatch.undo()
        assert crawl(server.url, folder, QUICK).pages == PAGES + 1
