"""Many pages, one record each."""

from __future__ import annotations

import json
import pickle

import pytest

from tamis import Attenuation, SourceError, UsageError
from tamis.corpus.batch import Cleaning, clean, clean_page, lost_page
from tamis.corpus.workers import Loss
from tamis.io.fetch import Limits
from tamis.io.pages import BrokenSource, Fields, HeldPage, JsonLine, WebPage


def page(number: int) -> HeldPage:
    html = (
        f"<html><head><title>Page {number}</title></head><body><ul><li><a href=/>Home</a><li><a href=/all>All</a></ul>"
        f"<article><p>Paragraph {number} says something.</p><p>And here is more of it.</p></article></body></html>"
    )
    return HeldPage(f"page {number}", html.encode(), f"https://example.org/{number}")


def test_a_record_says_where_it_comes_from_and_what_was_found():
    record = clean_page(page(1))
    assert (record.source, record.url, record.status) == ("page 1", "https://example.org/1", "ok")
    assert record.text == "Paragraph 1 says something.\nAnd here is more of it."
    assert record.encoding == {"name": "utf-8", "source": "utf-8"}
    assert 0 < record.kept < record.seen
    assert record.failure is None


def test_what_is_written_has_these_keys_in_this_order():
    written = clean_page(page(1)).to_dict()
    assert list(written) == ["source", "url", "status", "text", "metadata", "problems", "encoding"]
    assert json.loads(json.dumps(written)) == written


def test_a_page_without_main_text_is_empty_and_says_why():
    record = clean_page(HeldPage("one", "<body></body>"))
    assert (record.status, record.text, record.problems) == ("empty", "", ("the page has no text",))


@pytest.mark.parametrize(
    ("source", "stage", "reason"),
    [
        (BrokenSource("a", "the file is gone"), "read", "the file is gone"),
        (WebPage("ftp://example.org"), "fetch", "must start with http"),
        (HeldPage("a", b"%PDF-1.7"), "read", "binary data"),
        (JsonLine("p.jsonl:3", b'{"url": "https://example.org/3"}'), "read", "p.jsonl:3 has no field html"),
    ],
)
def test_a_failure_says_at_which_stage_and_why(source, stage, reason):
    record = clean_page(source)
    assert record.status == "failed"
    assert record.failure.stage == stage
    assert reason in record.failure.reason
    assert record.problems == (f"{stage}: {record.failure.reason}",)
    assert record.content == {"text": None}
    assert record.url == source.url


def test_a_page_beyond_the_size_limit_fails():
    record = clean_page(page(1), Cleaning(limits=Limits(max_bytes=10)))
    assert "larger than the limit" in record.failure.reason


def test_an_error_of_ours_costs_one_page(monkeypatch):
    def broken(*args, **kwargs):
        raise RecursionError("too deep")

    monkeypatch.setattr("tamis.corpus.page_steps.select", broken)
    assert clean_page(page(1)).failure.stage == "extract"
    assert clean_page(page(1)).failure.reason == "RecursionError: too deep"


def test_a_page_lost_with_its_worker_has_a_record():
    record = lost_page(JsonLine("p.jsonl:3", b'{"url": "https://example.org/3"}'), Loss("crash", "the worker process died (SIGSEGV)"))
    assert (record.source, record.url, record.status) == ("p.jsonl:3", "https://example.org/3", "failed")
    assert record.failure.stage == "crash"


def test_records_travel():
    record = clean_page(page(1))
    assert pickle.loads(pickle.dumps(record)) == record


def test_any_number_of_workers_gives_the_same_records_in_order():
    sources = [page(number) for number in range(30)]
    sources[7] = BrokenSource("broken", "for the test")
    alone = list(clean(sources, workers=1))
    assert list(clean(iter(sources), workers=2)) == alone
    assert list(clean(sources, workers=1, page_timeout=300)) == alone
    assert [record.source for record in alone] == [source.name for source in sources]


def test_settings_reach_the_workers():
    settings = Cleaning(method=Attenuation(threshold=1.0, trim="none"))
    assert list(clean([page(1)], settings, workers=1, page_timeout=300)) == [clean_page(page(1), settings)]


def test_words_and_pages_mix(tmp_path):
    (tmp_path / "a.html").write_bytes(page(1).html)
    records = list(clean([tmp_path, str(tmp_path / "a.html"), page(2)], workers=1))
    assert [record.source for record in records] == [str(tmp_path / "a.html")] * 2 + ["page 2"]
    assert [record.url for record in records] == [None, None, "https://example.org/2"]


def test_a_missing_source_is_known_at_once():
    with pytest.raises(SourceError, match="no file or folder"):
        clean(["missing.html"])


@pytest.mark.parametrize("options", [{"workers": 0}, {"page_timeout": 0}, {"sources": [3]}])
def test_options_that_make_no_sense_are_refused(options):
    with pytest.raises(UsageError):
        clean(**{"sources": [page(1)], **options})


@pytest.mark.parametrize("formats", [(), ("pdf",)])
def test_formats_must_exist(formats):
    with pytest.raises(UsageError, match="formats are some of text, markdown, html"):
        Cleaning(formats=formats)


def test_records_have_chunks_and_comments_if_asked_for():
    said = "<div id=comments><div class=comment><cite>Ann</cite> <time>2024-03-01</time><p>They bend, too.</p></div></div>"
    held = HeldPage("a", f"<main><h1>Reeds</h1><p>{'Reeds grow where the water is calm. ' * 20}</p></main>{said}")
    record = clean_page(held, Cleaning(chunks=50, comments=True))
    assert [chunk["headings"] for chunk in record.parts["chunks"]] == [["Reeds"]] * len(record.parts["chunks"])
    assert all(0 < chunk["size"] <= 50 for chunk in record.parts["chunks"])
    assert [comment["author"] for comment in record.parts["comments"]] == ["Ann"]
    assert "They bend, too." in (record.text or "")
    assert list(record.to_dict())[3:7] == ["text", "chunks", "comments", "posts"]
    assert clean_page(BrokenSource("b", "broken"), Cleaning(chunks=50)).to_dict()["chunks"] == []


def test_the_encoding_of_all_pages_can_be_given():
    raw = "<article><p>Ночной автобус получил третий маршрут.".encode("koi8-r")
    assert clean_page(HeldPage("a", raw), Cleaning(encoding="koi8-r")).text == "Ночной автобус получил третий маршрут."
    with pytest.raises(UsageError, match="no encoding 'koi8-x'"):
        Cleaning(encoding="koi8-x")
    with pytest.raises(UsageError, match="size of a chunk is a number"):
        Cleaning(chunks=-1)


def test_fields_of_a_line_are_kept_even_if_the_page_fails():
    line = json.dumps({"id": 7, "html": "<p>", "tags": ["a"]}).encode()
    record = clean_page(JsonLine("a:1", line, Fields(keep=("id", "tags", "none"))))
    assert record.fields == {"id": 7, "tags": ["a"], "none": None}
    assert list(record.to_dict())[3] == "fields"
    assert "fields" not in clean_page(page(1)).to_dict()
