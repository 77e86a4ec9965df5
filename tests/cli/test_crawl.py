"""tamis crawl on the command line."""

from __future__ import annotations

import json

import pytest

from demo.server import serving

pytest.importorskip("protego", reason="needs the crawl extra")


def test_a_site_becomes_a_folder_that_other_commands_take(site, tamis, tmp_path):
    (tmp_path / "site/index.html").write_text("<title>All</title><a href=a.html>a</a> <a href=b.htm>b</a> <a href=gone.html>c</a>")
    with serving(tmp_path / "site") as url:
        done = tamis("crawl", url, "-o", "out", "--delay", "0", "--allow-private")
    assert done.exit_code == 0, done.stderr
    assert "status 404 Not Found" in done.stderr
    assert "see out/failures.jsonl" in done.stderr
    index = [json.loads(line) for line in (tmp_path / "out/pages.jsonl").read_text().splitlines()]
    assert [entry["title"] for entry in index] == ["All", "Page 1", "Page 2"]
    cleaned = tamis("clean", "out", "-o", "texts.jsonl", "-j", "1", "--alone")
    assert cleaned.exit_code == 0, cleaned.stderr
    texts = [json.loads(line) for line in (tmp_path / "texts.jsonl").read_text().splitlines()]
    assert [text["url"] for text in texts] == [entry["url"] for entry in index]
    assert "Paragraph 1 says something." in texts[1]["text"]


def test_nothing_saved_is_an_exit_code(tamis, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    done = tamis("crawl", "http://127.0.0.1:9/", "-o", "out")
    assert done.exit_code == 3
    assert "no page was saved: 127.0.0.1 has a private address: not fetched (--allow-private)\n" in done.stderr


def test_a_failed_start_is_repaired_as_the_message_says(site, tamis):
    assert tamis("crawl", "http://127.0.0.1:9/", "-o", "out").exit_code == 3
    with serving(site / "site") as url:
        refused = tamis("crawl", f"{url}a.html", "-o", "out", "--delay", "0")
        done = tamis("crawl", f"{url}a.html", "-o", "out", "--delay", "0", "--allow-private")
    assert (refused.exit_code, done.exit_code) == (3, 0), done.stderr


def test_a_host_that_asks_for_a_pause_is_told(tamis, tmp_path, monkeypatch):
    from tests.crawl import conftest as web

    def serve(handler):
        if handler.path == "/":
            handler.answer(web.page("Start", *(f"/story-{n}x" for n in range(5))))
        else:
            handler.answer("busy", 429, Retry_After="3600")

    monkeypatch.chdir(tmp_path)
    with web.serving(serve) as server:
        done = tamis("crawl", server.url, "-o", "out", "--delay", "0", "--allow-private", "--ignore-robots", "--no-sitemaps")
    assert done.exit_code == 4
    said = " ".join(done.stderr.split())
    assert "not fetched 2 known addresses of a host that asks for a pause: the same command continues later" in said


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["example.org"], "with its scheme it would be https://example.org"),
        (["ftp://example.org/"], "is not a web address"),
        (["https://example.org/", "--include", "news"], "a pattern starts with"),
        (["https://["], "is not a valid address"),
    ],
)
def test_mistakes_are_known_at_once(tamis, tmp_path, monkeypatch, words, said):
    monkeypatch.chdir(tmp_path)
    done = tamis("crawl", *words, "-o", "out")
    assert done.exit_code == 2
    assert said in done.stderr
    assert not (tmp_path / "out").exists()


def test_a_folder_of_other_things_is_not_touched(tamis, site):
    done = tamis("crawl", "https://example.org/", "-o", "site", "--overwrite")
    assert done.exit_code == 2
    assert "site holds other files and no crawl" in done.stderr
