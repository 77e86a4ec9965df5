"""The work of a crawl with a made-up web and a made-up clock: order, pace, retries, and what a death at any moment leaves."""

from __future__ import annotations

import gzip
import json
import os
import shutil
from collections import Counter
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tamis.crawl.crawling import summary
from tamis.crawl.settings import CrawlSettings
from tamis.crawl.work import Crawl
from tamis.errors import SourceError, UsageError
from tamis.io.answers import Answer
from tamis.io.files import CRAWL_STATE
from tamis.io.warc import ArchivedPage, read_pages
from tests.crawl.conftest import page

HOME = "https://example.org"
SETTINGS = CrawlSettings(delay=0, sitemaps=False, robots=False)
START = 1_000_000.0


def answer(url: str, body: str | bytes = "", status: int = 200, latency: float = 0.0, **headers: str) -> Answer:
    given = {"Content-Type": "text/html; charset=utf-8"} | {name.replace("_", "-"): value for name, value in headers.items()}
    raw = body.encode() if isinstance(body, str) else body
    return Answer(url, status, tuple(given.items()), raw, datetime.fromtimestamp(START, UTC), b"GET / HTTP/1.1\r\n\r\n", latency=latency)


class Web:
    """Pages by path, a clock, and a log of what was asked when."""

    def __init__(self, pages: dict[str, str | Answer | list[Answer]]) -> None:
        self.pages = pages
        self.now = START
        self.log: list[tuple[float, str]] = []

    def get(self, url: str) -> Answer:
        path = url.removeprefix(HOME)
        self.log.append((self.now - START, path))
        found = self.pages.get(path, answer(url, "gone", 404))
        if isinstance(found, list):
            found = found.pop(0) if len(found) > 1 else found[0]
        return answer(url, found) if isinstance(found, str) else replace(found, url=url)

    def crawl(self, crawl: Crawl, steps: int = 10_000) -> None:
        """Let a crawl work until it is over."""
        for _ in range(steps):
            jobs = list(crawl.due(self.now))
            for job in jobs:
                crawl.answered(job, self.get(job.url), self.now)
            if not jobs:
                if (wait := crawl.wait(self.now)) is None:
                    break
                self.now += wait
        else:
            raise AssertionError("the crawl does not end")
        assert crawl.is_over

    @property
    def paths(self) -> list[str]:
        return [path for _, path in self.log]


def crawled(web: Web, folder: Path, settings: CrawlSettings = SETTINGS, start: str = HOME + "/", **more) -> list[dict]:
    """Run a whole crawl; its index."""
    folder.mkdir(exist_ok=True)
    crawl = Crawl(start, settings, folder, lambda _: None, **more)
    try:
        web.crawl(crawl)
    finally:
        crawl.close()
    return lines(folder / "pages.jsonl")


def lines(path: Path) -> list[dict]:
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()] if path.exists() else []


def saved(folder: Path) -> list[str]:
    """Addresses in the archives; none of them may be damaged."""
    found = [page for path in sorted(folder.glob("*.warc.gz")) for page in read_pages(path)]
    assert all(isinstance(page, ArchivedPage) for page in found), found
    return [page.url.removeprefix(HOME) for page in found]


TREE = {
    "/": page("Start", "/a", "/b"),
    "/a": page("A", "/a/1", "/a/2", "/b"),
    "/b": page("B", "/b/1", "/"),
    **{f"/{x}": page(x, "/") for x in ("a/1", "a/2", "b/1")},
}


def test_near_pages_come_first(folder):
    web = Web(TREE)
    index = crawled(web, folder)
    assert web.paths == ["/", "/a", "/b", "/a/1", "/a/2", "/b/1"]
    assert [entry["depth"] for entry in index] == [0, 1, 1, 2, 2, 2]
    assert index[3]["referrer"] == HOME + "/a"


def test_depth_and_number_of_pages_are_bounds(folder, tmp_path):
    web = Web(TREE)
    crawled(web, folder, replace(SETTINGS, depth=1))
    assert web.paths == ["/", "/a", "/b"]
    web = Web(TREE)
    crawled(web, tmp_path / "few", replace(SETTINGS, pages=2))
    assert web.paths == ["/", "/a"]


def test_a_crawl_goes_on_with_wider_bounds(folder):
    web = Web(TREE)
    crawled(web, folder, replace(SETTINGS, pages=2))
    crawled(web, folder, replace(SETTINGS, depth=1))
    crawled(web, folder)
    assert web.paths == saved(folder) == ["/", "/a", "/b", "/a/1", "/a/2", "/b/1"]


@pytest.mark.parametrize(
    ("first", "more"),
    [
        ({"exclude": ("/b*",)}, ["/b", "/b/1"]),
        ({"include": ("/a*",)}, ["/b", "/b/1"]),
        ({"per_pattern": 1}, ["/a/2"]),
    ],
)
def test_what_other_bounds_left_out_is_found_again(folder, first, more):
    crawled(Web(TREE), folder, replace(SETTINGS, **first))
    web = Web(TREE)
    crawled(web, folder)
    assert web.paths == more
    assert sorted(saved(folder)) == sorted(TREE)


def test_what_other_bounds_leave_out_is_not_fetched(folder):
    web = Web(TREE)
    crawled(web, folder, replace(SETTINGS, pages=3))
    crawled(web, folder, replace(SETTINGS, exclude=("/a/*",)))
    assert web.paths == ["/", "/a", "/b", "/b/1"]


def test_robots_and_nofollow_are_bounds_too(folder):
    pages = {"/": page("Start", "/in", '<a rel=nofollow href="/log">x</a>'), "/in": page("In"), "/log": page("Log")}
    web = Web(pages | {"/robots.txt": "User-agent: *\nDisallow: /in"})
    crawled(web, folder, replace(SETTINGS, robots=True))
    assert saved(folder) == ["/"]
    crawled(web, folder, replace(SETTINGS, nofollow=False))
    assert saved(folder) == ["/", "/in", "/log"]


def test_a_shorter_way_to_a_page_counts(folder):
    late = [answer("", "broken", 500), answer("", page("Late", "/d"))]
    web = Web({"/": page("Start", "/late", "/b"), "/late": late, "/b": page("B", "/c"), "/c": page("C", "/d"), "/d": page("D")})
    index = crawled(web, folder, replace(SETTINGS, depth=2))
    assert [(entry["url"].removeprefix(HOME), entry["depth"]) for entry in index][-2:] == [("/late", 1), ("/d", 2)]


def test_a_crawl_that_is_over_asks_for_nothing(folder):
    crawled(Web(TREE), folder)
    web = Web(TREE)
    crawled(web, folder)
    assert web.log == []


def test_delay_is_kept_between_requests(folder):
    web = Web(TREE)
    crawled(web, folder, replace(SETTINGS, delay=2))
    assert [when for when, _ in web.log] == [0, 2, 4, 6, 8, 10]


def test_crawl_delay_wins_over_a_shorter_delay_and_is_bounded(folder, tmp_path):
    robots = answer("", "User-agent: *\nCrawl-delay: 7", Content_Type="text/plain")
    web = Web(TREE | {"/robots.txt": robots})
    crawled(web, folder, replace(SETTINGS, robots=True, delay=2, depth=1))
    assert [when for when, _ in web.log] == [0, 2, 9, 16]
    web = Web(TREE | {"/robots.txt": answer("", "User-agent: *\nCrawl-delay: 100000")})
    crawled(web, tmp_path / "slow", replace(SETTINGS, robots=True, depth=1))
    assert [when for when, _ in web.log] == [0, 0, 60, 120]


def test_without_a_delay_the_host_sets_the_pace(folder):
    slow = {path: answer("", text, latency=3.0) for path, text in TREE.items()}
    web = Web(slow)
    crawled(web, folder, replace(SETTINGS, delay=None, depth=1))
    times = [when for when, _ in web.log]
    assert times == [0, 0.25, 3.25]


def test_robots_that_cannot_be_read_allow_nothing(folder):
    web = Web(TREE | {"/robots.txt": answer("", "down", 503)})
    crawled(web, folder, replace(SETTINGS, robots=True, retries=1))
    assert web.paths == ["/robots.txt", "/robots.txt"]
    (failure,) = lines(folder / "failures.jsonl")
    assert failure["reason"] == "robots.txt could not be read (status 503 Service Unavailable), so nothing may be fetched"


def test_robots_that_are_missing_allow_everything(folder):
    web = Web(TREE)
    crawled(web, folder, replace(SETTINGS, robots=True))
    assert len(web.paths) == 7


def test_robots_are_followed_to_where_they_moved(folder):
    web = Web(TREE | {"/robots.txt": answer("", "", 301, Location="/r.txt"), "/r.txt": answer("", "User-agent: tamis\nDisallow: /a")})
    crawled(web, folder, replace(SETTINGS, robots=True))
    assert web.paths == ["/robots.txt", "/r.txt", "/", "/b", "/b/1"]


@pytest.mark.parametrize("header", ["30", "Mon, 12 Jan 1970 13:47:10 GMT"])
def test_retry_after_is_waited_for(folder, header):
    web = Web({"/": [answer("", "busy", 503, Retry_After=header), answer("", page("Start"))]})
    crawled(web, folder)
    assert [when for when, _ in web.log] == [0, 30]
    assert saved(folder) == ["/"]


def test_a_host_that_asks_for_a_long_pause_again_and_again_is_left_alone(folder):
    tree = {"/": page("Start", *(f"/story-{n}x" for n in range(9))), **{f"/story-{n}x": page(f"Story {n}") for n in range(9)}}
    busy = answer("", "busy", 429, Retry_After="3600")
    web = Web(tree | {f"/story-{n}x": busy for n in (1, 2, 4, 5, 6)})
    crawled(web, folder)
    assert web.paths == ["/", *(f"/story-{n}x" for n in range(7))]
    assert lines(folder / "failures.jsonl")[0]["reason"] == "status 429 Too Many Requests, and asks to come back in 3,600 seconds"
    result = summary(folder)
    assert (result.ending, result.pages, result.failed, result.waiting) == ("interrupted", 3, 5, 2)
    crawled(Web(tree), folder, retry_failed=True)
    assert sorted(saved(folder)) == sorted(tree)
    assert summary(folder).ending == "finished"


def test_waits_grow_and_then_the_page_has_failed(folder):
    web = Web({"/": answer("", "broken", 500)})
    crawled(web, folder, replace(SETTINGS, retries=3))
    assert [when for when, _ in web.log] == [0, 1, 3, 7]
    (failure,) = lines(folder / "failures.jsonl")
    assert (failure["reason"], failure["tries"]) == ("status 500 Internal Server Error", 4)


def test_a_crawl_that_saved_nothing_begins_anew(folder):
    crawled(Web({"/": answer("", "gone", 404)}), folder)
    assert len(lines(folder / "failures.jsonl")) == 1
    web = Web(TREE)
    crawled(web, folder)
    assert saved(folder) == web.paths
    assert lines(folder / "failures.jsonl") == []


def test_dead_links_are_found_and_are_no_failures(folder):
    tree = {"/": page("All", "/a", "/gone", "/lost", "/down"), "/a": page("A")}
    tree |= {"/lost": answer("", "lost", 410), "/down": answer("", "no", 403)}
    crawled(Web(tree), folder)
    result = summary(folder)
    assert (result.pages, result.failed, result.missing) == (2, 1, 2)
    assert sorted(entry["status"] for entry in lines(folder / "failures.jsonl")) == [403, 404, 410]


def test_pages_called_like_files_are_saved_and_files_are_asked_for_twice(folder):
    image = answer("", b"\xff\xd8\xff", Content_Type="image/jpeg")
    names = [f"/img/{n}.jpg" for n in range(5)]
    tree = {"/": page("All", *names, "/wiki/Node.js", "/wiki/Feed.xml", "/wiki/File:Tide.jpg"), **dict.fromkeys(names, image)}
    tree |= {name: page(name) for name in ("/wiki/Node.js", "/wiki/Feed.xml", "/wiki/File:Tide.jpg")}
    web = Web(tree)
    crawled(web, folder)
    assert sorted(saved(folder)) == ["/", "/wiki/Feed.xml", "/wiki/File:Tide.jpg", "/wiki/Node.js"]
    assert [path for path in web.paths if path.startswith("/img")] == names[:2]
    assert summary(folder).skipped == {"not a page by its name": 3, "type image/jpeg": 2}


def test_pages_that_a_field_numbers_are_saved_each_and_sessions_are_not(folder):
    numbered = [f"/show.php?{name}={value}" for name in ("sid", "session", "s_id", "sessionid") for value in ("7", "8", "autumn-2024")]
    token = "9f8a6c0d41e27b35a8c1d0e4f7b2963a"
    views = [f"/show.php?sid=7&{name}={token}" for name in ("session", "PHPSESSID", "sess")]
    tree = {name: page(name) for name in numbered} | {"/": page("All", *numbered, *views)}
    crawled(Web(tree), folder)
    assert sorted(saved(folder)) == sorted(["/", *numbered])


def test_what_failed_can_be_tried_again(folder):
    crawled(Web(TREE | {"/a": answer("", "gone", 404)}), folder)
    web = Web(TREE)
    crawled(web, folder)
    assert web.log == []
    crawled(web, folder, retry_failed=True)
    assert web.paths == ["/a", "/a/1", "/a/2"]
    assert sorted(saved(folder)) == sorted(TREE)
    assert lines(folder / "failures.jsonl") == []


def test_the_start_page_may_move_to_another_host(folder):
    pages = {"/": answer("", "", 301, Location="https://www.example.org/home"), "https://www.example.org/home": page("Home", "/more")}
    web = Web(pages | {"https://www.example.org/more": page("More", "https://elsewhere.example/")})
    crawled(web, folder)
    assert web.paths == ["/", "https://www.example.org/home", "https://www.example.org/more"]


def test_frames_and_pages_that_move_on_are_followed(folder):
    moved = "<meta http-equiv=refresh content='0; url=/new'><p>Moved."
    web = Web({"/": '<frameset><frame src="/menu"></frameset>', "/menu": page("Menu", "/old"), "/old": moved, "/new": page("New")})
    crawled(web, folder)
    assert web.paths == ["/", "/menu", "/old", "/new"]


def test_each_header_for_robots_counts(folder):
    start = replace(answer("", page("Start", "/a")), headers=(("X-Robots-Tag", "noindex"), ("X-Robots-Tag", "nofollow")))
    web = Web({"/": start, "/a": page("A")})
    crawled(web, folder)
    assert web.paths == ["/"]


def test_queries_are_asked_in_the_encoding_of_the_page(folder):
    body = '<meta charset=gbk><p>国标编码的页面<a href="/找?q=中文&n=1">x</a>'.encode("gbk")
    web = Web({"/": answer("", body, Content_Type="text/html")})
    crawled(web, folder)
    assert web.paths == ["/", "/%E6%89%BE?q=%D6%D0%CE%C4&n=1"]


def test_few_pages_take_no_sitemaps(folder):
    index = "".join(f"<sitemap><loc>{HOME}/map{n}.xml</loc></sitemap>" for n in range(50))
    web = Web(TREE | {"/sitemap.xml": f"<sitemapindex>{index}</sitemapindex>"})
    crawled(web, folder, replace(SETTINGS, sitemaps=True, pages=3))
    assert web.paths == ["/robots.txt", "/", "/a", "/b"]


def test_archives_are_divided_by_size(folder):
    crawled(Web(TREE), folder, replace(SETTINGS, archive_bytes=1_000))
    assert len(list(folder.glob("*.warc.gz"))) > 2
    assert Counter(saved(folder)) == Counter(TREE.keys())


def test_a_folder_is_of_one_crawl_at_a_time(folder, monkeypatch):
    monkeypatch.setattr("tamis.crawl.frontier._WAIT_SECONDS", 0.05)
    folder.mkdir()
    crawl = Crawl(HOME, SETTINGS, folder, lambda _: None)
    with pytest.raises(UsageError, match="another crawl is writing"):
        Crawl(HOME, SETTINGS, folder, lambda _: None)
    crawl.close()
    crawled(Web(TREE), folder)
    with pytest.raises(UsageError, match="name another folder"):
        Crawl("https://elsewhere.example/", SETTINGS, folder, lambda _: None)


def test_an_archive_that_lost_settled_pages_is_an_error(folder):
    crawled(Web(TREE), folder)
    (archive,) = folder.glob("*.warc.gz")
    os.truncate(archive, archive.stat().st_size - 1)
    with pytest.raises(SourceError, match="has lost its end"):
        crawled(Web(TREE), folder)
    archive.unlink()
    with pytest.raises(SourceError, match="is missing"):
        crawled(Web(TREE), folder)


def test_a_frontier_that_is_none_is_an_error(folder):
    folder.mkdir()
    (folder / CRAWL_STATE).write_bytes(b"no database" * 1000)
    with pytest.raises(SourceError, match="not the state of a crawl"):
        Crawl(HOME, SETTINGS, folder, lambda _: None)


def test_an_error_of_ours_costs_one_page(folder, monkeypatch):
    from tamis.crawl import work

    real = work.read_metadata

    def faulty(tree, url, fields):
        if url.endswith("/a/1"):
            raise RuntimeError("a fault")
        return real(tree, url, fields)

    monkeypatch.setattr(work, "read_metadata", faulty)
    crawled(Web(TREE), folder)
    assert Counter(saved(folder)) == Counter(TREE.keys() - {"/a/1"})
    assert [entry["reason"] for entry in lines(folder / "failures.jsonl")] == ["an error within tamis: RuntimeError: a fault"]


BAD = "http://[x"
"""No valid address."""
ROBOTS = replace(SETTINGS, robots=True, sitemaps=True)


@pytest.mark.parametrize(
    "hostile",
    [
        answer("", status=302, Location=BAD),
        answer("", status=302, Location="http://e\u00e9:99999/".encode().decode("latin-1")),
        answer("", status=302, Location="//\ud800".encode("utf-8", "surrogatepass").decode("latin-1")),
        answer("", status=503, Retry_After="Fri, 31 Dec 0000 99:59:59 GMT"),
        answer("", status=429, Retry_After="9" * 5_000),
        answer("", gzip.compress(gzip.compress(gzip.compress(bytes(50_000_000)))), Content_Encoding="gzip, gzip, gzip"),
        answer("", f"<base href='{BAD}'><a href='{BAD}'>x</a><link rel=next href='{BAD}'><a href='//e:99999/'>y</a>"),
        answer("", '<a href="/\ud800">x</a><title>\ud800</title>'.encode("utf-8", "surrogatepass")),
        answer("", '<script type="application/ld+json">{"name": "\\ud800", "url": "http://[x"}</script><p>A page.'),
        answer("", "<a href='/p?page=" + "9" * 1_900 + "'>x</a><a href='/p/" + "9" * 1_900 + "'>x</a>"),
        answer("", "<title>&amp;#" + "9" * 5_000 + ";</title><meta name=description content='&amp;#" + "9" * 5_000 + ";'>"),
        answer("", "<p>A page.", Content_Type="text/html; charset=\x00\xff"),
        answer("", "<p>A page.", X_Robots_Tag="\xff" * 100),
    ],
)
def test_no_answer_ends_a_crawl(folder, hostile):
    web = Web({**TREE, "/a/1": hostile})
    crawled(web, folder, ROBOTS)
    assert Counter(saved(folder)) >= Counter(TREE.keys() - {"/a/1"})


@pytest.mark.parametrize(
    "hostile",
    [
        answer("", status=302, Location=BAD),
        answer("", f"Sitemap: {BAD}\nSitemap: /good.xml\nUser-agent: *\nDisallow:\n", Content_Type="text/plain"),
        answer("", "User-agent: *\nCrawl-delay: nan\nRequest-rate: 0/0\n", Content_Type="text/plain"),
        answer("", "User-agent: *\nCrawl-delay: -inf\nDisallow: " + "*a" * 50, Content_Type="text/plain"),
        answer("", b"\xff\xfe\x00" * 1000, Content_Type="text/plain"),
    ],
)
def test_no_robots_txt_ends_a_crawl(folder, hostile):
    crawled(Web({**TREE, "/robots.txt": hostile}), folder, ROBOTS)
    assert Counter(saved(folder)) == Counter(TREE.keys())


def test_a_bad_address_in_a_list_costs_itself(folder):
    def entry(url):
        return f"<url><loc>{url}</loc></url>"

    sitemap = f"<urlset>{entry(BAD)}{entry(HOME + '/a/1')}<url></url>{entry('')}{entry(HOME + '/b/1')}</urlset>"
    feed = f"<rss><channel><item><link>{BAD}</link></item><item><link>{HOME}/a/2</link></item></channel></rss>"
    pages = {
        "/": page("Start", '<link rel=alternate type="application/rss+xml" href="/feed">'),
        "/robots.txt": answer("", f"Sitemap: {BAD}\nSitemap: {HOME}/map.xml", Content_Type="text/plain"),
        "/map.xml": answer("", sitemap, Content_Type="text/xml"),
        "/feed": answer("", feed, Content_Type="text/xml"),
        **{path: page(path) for path in ("/a/1", "/a/2", "/b/1")},
    }
    crawled(Web(pages), folder, replace(ROBOTS, feeds=True))
    assert set(saved(folder)) == {"/", "/a/1", "/a/2", "/b/1"}


class _DiedError(OSError):
    pass


@settings(max_examples=12, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(at=st.integers(0, 40), torn=st.floats(0, 1), deaths=st.integers(1, 3))
def test_a_death_at_any_moment_loses_no_page_and_doubles_none(tmp_path_factory, at, torn, deaths):
    """A crawl dies after any of its writes, with any part of the last one on the disk, several times; then it goes on to the end."""
    folder = tmp_path_factory.mktemp("crawl")
    web = Web(TREE | {"/b": page("B", "/b/1", "/gone")})
    for death in range(deaths):
        die_at_write(web, folder, at + death, torn)
    crawled(web, folder)
    assert sorted(saved(folder)) == sorted(entry["url"].removeprefix(HOME) for entry in lines(folder / "pages.jsonl")) == sorted(TREE)
    assert [entry["url"] for entry in lines(folder / "failures.jsonl")] == [HOME + "/gone"]
    assert sum(Counter(web.paths).values()) <= len(TREE) + 1 + deaths
    for entry in lines(folder / "pages.jsonl"):
        raw = (folder / entry["file"]).read_bytes()[entry["offset"] : entry["offset"] + entry["length"]]
        assert entry["url"].encode() in gzip.decompress(raw)


def die_at_write(web: Web, folder: Path, number: int, torn: float) -> None:
    """Crawl until the number-th write to a file, and leave what a killed process leaves, a part of that write included."""
    left = folder.with_name(folder.name + "-left")
    count = 0

    def fsync(descriptor: int) -> None:
        nonlocal count
        count += 1
        if count > number:
            shutil.copytree(folder, left)
            raise _DiedError

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(os, "fsync", fsync)
        try:
            crawled(web, folder)
        except _DiedError:
            shutil.rmtree(folder)
            left.rename(folder)
            tear(folder, torn)


def tear(folder: Path, torn: float) -> None:
    """Let only a part of the last write be on the disk."""
    import sqlite3

    with sqlite3.connect(folder / CRAWL_STATE) as base:
        lengths = dict(base.execute("SELECT name, length FROM files").fetchall())
    base.close()
    for path in [*folder.glob("*.jsonl"), *folder.glob("*.warc.gz")]:
        length = lengths.get(path.name, 0)
        os.truncate(path, length + int((path.stat().st_size - length) * torn))
