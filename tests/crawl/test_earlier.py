"""A crawl after another one: servers are asked what has changed."""

from __future__ import annotations

import json
import shutil
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path

import pytest

from tamis.crawl import crawl
from tamis.crawl.earlier import EarlierCrawl, conditions, updated
from tamis.errors import SourceError, UsageError
from tamis.io.answers import Answer
from tests.crawl.conftest import QUICK, Handler, packed, page, serving

MODIFIED = "Tue, 24 Nov 2026 10:00:00 GMT"
NAMES = ["/", "/etag", "/modified", "/plain", "/zip", "/changes"]


def living(handler: Handler) -> None:
    """A site of which one page changes; validators are an entity tag, a date, or none."""
    changed = handler.server.sent["changes"]
    sent = {"ETag": '"1"'} if handler.path in ("/etag", "/zip") else {"Last-Modified": MODIFIED} if handler.path == "/modified" else {}
    if handler.path == "/changes":
        sent = {"ETag": f'"{changed}"'}
    asked = handler.headers
    if sent and (asked["If-None-Match"] or asked["If-Modified-Since"]) in sent.values():
        handler.answer(status=304, kind=None, **sent, Set_Cookie="a=1")
    elif handler.path == "/":
        handler.answer(page("Start", *NAMES[1:]))
    elif handler.path == "/zip":
        handler.answer(packed(page("Zipped", "/etag")), Content_Encoding="gzip", X_Robots_Tag="none", **sent)
    elif handler.path in NAMES:
        handler.answer(page(f"{handler.path} {changed if handler.path == '/changes' else ''}", "/plain", text="Reeds bend. " * 50), **sent)
    else:
        handler.answer("", 404)


def index(folder: Path) -> dict[str, dict[str, object]]:
    """The lines of a crawl's index by path."""
    lines = map(json.loads, (folder / "pages.jsonl").read_text().splitlines())
    return {"/" + line["url"].rpartition("/")[2]: line for line in lines}


def texts(result) -> dict[str, bytes]:
    return {"/" + (source.url or "").rpartition("/")[2]: source.read().html for source in result.sources()}


def test_pages_that_have_not_changed_are_saved_from_the_earlier_crawl(tmp_path):
    with serving(living) as server:
        first = crawl(server.url, tmp_path / "1", QUICK)
        server.sent["changes"] += 1
        asked = len(server.log)
        second = crawl(server.url, tmp_path / "2", QUICK, previous=tmp_path / "1")
        third = crawl(server.url, tmp_path / "3", QUICK, previous=tmp_path / "2")
    sent = {path: headers for _, path, headers in server.log[asked:]}
    assert sent["/etag"]["If-None-Match"] == '"1"'
    assert sent["/modified"]["If-Modified-Since"] == MODIFIED
    assert not {"If-None-Match", "If-Modified-Since"} & (sent["/plain"].keys() | sent["/robots.txt"].keys())
    assert (first.pages, first.status) == (6, {"200": 6, "404": 1})
    assert (second.pages, second.status) == (6, {"200": 3, "304": 3, "404": 1})
    assert (third.pages, third.status) == (6, {"304": 4, "200": 2, "404": 1})
    assert second.bytes < first.bytes
    unchanged = {path for path, line in index(tmp_path / "2").items() if line["unchanged"]}
    assert unchanged == {"/etag", "/modified", "/zip"}
    before, after, last = texts(first), texts(second), texts(third)
    assert {path for path in NAMES if before[path] != after[path]} == {"/changes"}
    assert after == last
    assert not any(line["unchanged"] for line in index(tmp_path / "1").values())


def test_a_page_that_has_not_changed_is_followed_as_before(tmp_path):
    def chain(handler: Handler) -> None:
        number = int(handler.path[1:] or 0)
        if handler.headers["If-None-Match"]:
            handler.answer(status=304, kind=None)
        else:
            handler.answer(page(f"Page {number}", *([f"/{number + 1}"] if number < 5 else [])), ETag='"x"')

    with serving(chain) as server:
        assert crawl(server.url, tmp_path / "1", replace(QUICK, sitemaps=False, robots=False)).pages == 6
        again = crawl(server.url, tmp_path / "2", replace(QUICK, sitemaps=False, robots=False), previous=tmp_path / "1")
    assert (again.pages, again.status, again.bytes) == (6, {"304": 6}, 0)


def test_a_damaged_archive_means_that_pages_are_fetched(tmp_path):
    with serving(living) as server:
        crawl(server.url, tmp_path / "1", QUICK)
        (tmp_path / "1" / "pages-00000.warc.gz").write_bytes(b"\x1f\x8bnothing")
        again = crawl(server.url, tmp_path / "2", QUICK, previous=tmp_path / "1")
    assert (again.pages, again.status) == (6, {"200": 6, "404": 1})


def test_what_is_no_crawl_is_refused_before_the_folder_is_made(tmp_path):
    with pytest.raises(SourceError, match="holds no pages of a crawl"):
        crawl("http://a.test/", tmp_path / "out", QUICK, previous=tmp_path / "none")
    (tmp_path / "pages.jsonl").write_text('{"url": "http://a.test/"}\n')
    with pytest.raises(SourceError, match=r"cannot read .*pages\.jsonl"):
        crawl("http://a.test/", tmp_path / "out", QUICK, previous=tmp_path)
    with pytest.raises(UsageError, match="of an earlier crawl"):
        crawl("http://a.test/", tmp_path, QUICK, previous=tmp_path)
    assert not (tmp_path / "out").exists()


def test_a_server_that_says_304_unasked_fails_that_page(tmp_path):
    with serving(lambda handler: handler.answer(status=304, kind=None)) as server:
        result = crawl(server.url, tmp_path / "1", replace(QUICK, robots=False, sitemaps=False))
    assert result.failures == {"status 304 Not Modified": 1}


def test_an_archive_outside_of_the_folder_is_not_read(tmp_path):
    with serving(living) as server:
        crawl(server.url, tmp_path / "1", QUICK)
    shutil.move(tmp_path / "1" / "pages-00000.warc.gz", tmp_path / "pages-00000.warc.gz")
    lines = [json.loads(line) for line in (tmp_path / "1" / "pages.jsonl").read_text().splitlines()]
    (tmp_path / "1" / "pages.jsonl").write_text("".join(json.dumps(line | {"file": "../pages-00000.warc.gz"}) + "\n" for line in lines))
    assert EarlierCrawl(tmp_path / "1").get(lines[1]["url"]) is None


def test_new_headers_count_but_not_those_of_the_body():
    now = datetime.now(UTC)
    old = Answer("http://a.test/", 200, (("Content-Encoding", "gzip"), ("X-Robots-Tag", "none"), ("ETag", '"1"')), b"old", now, b"GET 1")
    new = Answer("http://a.test/", 304, (("Content-Length", "0"), ("etag", '"2"'), ("Date", "now")), b"", now, b"GET 2", address="::1")
    found = updated(old, new)
    assert (found.status, found.raw, found.request, found.address, found.confirmed) == (200, b"old", b"GET 2", "::1", True)
    assert found.headers == (("Content-Encoding", "gzip"), ("X-Robots-Tag", "none"), ("etag", '"2"'), ("Date", "now"))
    assert conditions(found) == {"If-None-Match": '"2"'}
    assert conditions(replace(old, headers=())) == {}
