"""What is wrong with the input is named, and costs nothing else."""

import gzip
import json
import os
import re
import resource
import subprocess
import sys
from dataclasses import replace
from datetime import UTC, datetime

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from tamis.corpus import pipeline
from tamis.corpus.batch import Cleaning, clean
from tamis.corpus.config import CorpusConfig
from tamis.corpus.pipeline import retry, run
from tamis.corpus.runners import LocalRunner
from tamis.corpus.shards import Shard
from tamis.corpus.spool import open_shard
from tamis.corpus.tasks import Task, TaskStore, Work
from tamis.corpus.workers import NOBODY
from tamis.errors import SourceError, UsageError
from tamis.io.warc import record
from tamis.io.writing import alone_in

from ..site.pages import article

DATE = datetime(2026, 1, 2, tzinfo=UTC)
PAGES = 12


def member(number, html):
    block = b"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n\r\n" + html.encode()
    identity = f"<urn:uuid:00000000-0000-4000-8000-{number:012d}>"
    headers = {"WARC-Target-URI": f"http://a.test/{number}"}
    return record("response", identity, DATE, block, "application/http; msgtype=response", headers)


def lines(path, pages):
    path.write_text("".join(json.dumps({"url": f"http://a.test/{n}", "html": html}) + "\n" for n, html in enumerate(pages)))
    return path


def articles(shift=0):
    return [article(number + shift) for number in range(PAGES)]


def outcome(source, output, **changed):
    """Numbers of the pages that became documents; stage and reason of those that failed."""
    run(CorpusConfig((str(source),), str(output), workers=1, duplicates=False, **changed))
    return read(output)


def read(output):
    documents = sorted(int(url.rpartition("/")[2]) for url in pq.read_table(output / "documents").column("url").to_pylist())
    failures = [(row["stage"], row["reason"]) for row in pq.read_table(output / "failures").to_pylist()]
    return documents, failures


def test_a_truncated_and_a_corrupt_member_cost_themselves(tmp_path):
    members = [member(number, html) for number, html in enumerate(articles())]
    damaged = bytearray(members[4])
    damaged[40:60] = bytes(20)
    members[4] = bytes(damaged)
    members[-1] = members[-1][:-30]
    path = tmp_path / "crawl.warc.gz"
    path.write_bytes(b"".join(members))
    documents, failures = outcome(path, tmp_path / "out")
    assert documents == [0, 1, 2, 3, 5, 6, 7, 8, 9, 10]
    assert [stage for stage, _ in failures] == ["read", "read"]
    assert all(str(path) in reason for _, reason in failures)


def test_json_lines_in_gzip_that_break_off_are_read_up_to_there(tmp_path):
    packed = gzip.compress(lines(tmp_path / "pages.jsonl", articles()).read_bytes(), mtime=0)
    path = tmp_path / "pages.jsonl.gz"
    path.write_bytes(packed[: len(packed) * 2 // 3])
    documents, failures = outcome(path, tmp_path / "out")
    assert documents == list(range(len(documents)))
    assert 0 < len(documents) < PAGES
    assert len(failures) <= 2
    assert "cannot read" in failures[-1][1]


def test_a_file_that_cannot_be_read_costs_itself(tmp_path):
    folder = tmp_path / "pages"
    folder.mkdir()
    for number, html in enumerate(articles()):
        (folder / f"{number}.html").write_text(html)
    (folder / "gone.html").symlink_to("nowhere")
    run(CorpusConfig((str(folder),), str(tmp_path / "out"), workers=1, duplicates=False))
    (failure,) = pq.read_table(tmp_path / "out" / "failures").to_pylist()
    assert failure["source"].endswith("gone.html")
    assert "no such file" in failure["reason"]
    assert pq.read_table(tmp_path / "out" / "documents").num_rows == PAGES


@pytest.mark.parametrize("name", ["crawl.warc.gz", "pages.jsonl", "pages.parquet"])
def test_a_source_that_cannot_be_opened_is_named_at_the_start(tmp_path, name):
    (tmp_path / "pages").mkdir()
    (tmp_path / "pages" / name).symlink_to("nowhere")
    with pytest.raises(SourceError, match=name):
        run(CorpusConfig((str(tmp_path / "pages"),), str(tmp_path / "out"), workers=1))
    assert not (tmp_path / "out").exists()


@pytest.mark.parametrize("name", ["gone.html", "long" * 100])
def test_a_folder_of_links_to_nothing_is_refused_before_the_run_begins(tmp_path, name):
    (tmp_path / "in").mkdir()
    (tmp_path / "in" / "a.html").symlink_to(tmp_path / name)
    with pytest.raises(SourceError, match=r"a\.html: it is a link out of the folder, to nothing; there"):
        run(CorpusConfig((str(tmp_path / "in"),), str(tmp_path / "out"), workers=1))
    assert not (tmp_path / "out").exists()


def test_a_file_that_is_damaged_or_has_other_columns_costs_itself_among_others(tmp_path):
    whole = lines(tmp_path / "pages.jsonl", articles())
    damaged, other, empty = tmp_path / "damaged.parquet", tmp_path / "other.parquet", tmp_path / "other.jsonl"
    damaged.write_bytes(b"PAR1 no footer")
    pq.write_table(pa.table({"address": ["http://a.test/"]}), other)
    empty.write_text('{"address": "http://a.test/"}\n')
    sources = tuple(map(str, (damaged, other, empty, whole)))
    run(CorpusConfig(sources, str(tmp_path / "out"), workers=1, duplicates=False))
    documents, failures = read(tmp_path / "out")
    assert documents == list(range(PAGES))
    reasons = [reason for _, reason in failures]
    assert len(reasons) == 3
    assert all(str(path) in reason for path, reason in zip((damaged, other, empty), reasons, strict=True))


def test_wrong_names_are_told_with_those_that_there_are(tmp_path):
    path = tmp_path / "pages.jsonl"
    path.write_text('\n{"address": "http://a.test/", "body_html": "<p>"}\n')
    with pytest.raises(SourceError, match=r"no field html or .*; it has address, body_html: name the one .* \(--html-field\)"):
        run(CorpusConfig((str(path),), str(tmp_path / "out")))
    with pytest.raises(SourceError, match=r"no field link; it has address, body_html"):
        run(CorpusConfig((str(path),), str(tmp_path / "out"), html_field="body_html", url_field="link"))


def test_a_huge_page_is_refused_by_name(tmp_path):
    pages = articles()
    pages[3] = "<p>" + "many words " * 9_500_000
    path = tmp_path / "crawl.warc.gz"
    path.write_bytes(b"".join(member(number, html) for number, html in enumerate(pages)))
    documents, failures = outcome(path, tmp_path / "out")
    assert documents == [0, 1, 2, *range(4, PAGES)]
    ((stage, reason),) = failures
    assert stage == "read"
    assert "larger than the limit" in reason


class Poisoned(LocalRunner):
    """Runs the stages that parse with a parser that some pages crash, and others never leave."""

    def run(self, tasks):
        names = {f"tamis.corpus.{name}": f"tests.corpus.work:{name.partition(':')[2]}" for name in ("templates:survey", "cleaning:clean")}
        yield from super().run([replace(task, function=names.get(task.function, task.function)) for task in tasks])


def test_pages_that_crash_the_parser_or_never_end_cost_themselves(tmp_path, monkeypatch):
    pages = articles()
    pages[2] += "<!-- crash -->"
    pages[7] += "<!-- loop -->"
    with monkeypatch.context() as patched:
        patched.setattr(pipeline, "LocalRunner", Poisoned)
        documents, failures = outcome(lines(tmp_path / "pages.jsonl", pages), tmp_path / "out", page_seconds=3)
    assert documents == [0, 1, 3, 4, 5, 6, *range(8, PAGES)]
    assert failures == [("clean", "the worker process died (SIGSEGV)"), ("clean", "took longer than the limit of 3 seconds")]
    (counts,) = (found.counts for found in TaskStore(tmp_path / "out" / "work").of_stage("clean"))
    assert (counts["failed"], counts["to retry"]) == (2, 2)
    retried = retry(tmp_path / "out", {})
    assert (retried.failed, retried.to_retry) == (0, 0)
    assert read(tmp_path / "out") == (list(range(PAGES)), [])


def test_a_full_disk_is_named_and_the_run_goes_on_when_there_is_room(tmp_path):
    source = lines(tmp_path / "pages.jsonl", articles())
    command = [sys.executable, "-m", "tamis", "corpus", "run", str(source), "-o", str(tmp_path / "out"), "-j", "1", "-q"]

    def little_room():
        resource.setrlimit(resource.RLIMIT_FSIZE, (6000, 6000))

    full = subprocess.run(command, preexec_fn=little_room, capture_output=True, text=True, check=False)
    assert full.returncode != 0
    assert re.fullmatch(r"\s*tamis: [a-z]+-000000 cannot write .*: .*File too large\n", full.stderr)
    assert not (tmp_path / "out" / "documents").exists()
    subprocess.run(command, check=True)
    assert read(tmp_path / "out")[0] == list(range(PAGES))


HALF = "\ud800"
"""Half a character, as JSON and file names of no encoding can hold it."""
HOSTILE = {
    "half characters": {"url": f"http://a.test/{HALF}", "html": f"<title>{HALF}</title><p>{HALF}"},
    "half a host": {"url": f"http://{HALF}/", "html": "<p>A page."},
    "no address": {"url": "http://[x", "html": article(50)},
    "a port far off": {"url": "http://a.test:99999999/", "html": article(51)},
    "an address of another type": {"url": {"a": [1]}, "html": article(52)},
    "half characters in JSON-LD": {
        "url": "http://a.test/ld",
        "html": article(53)
        + '<script type="application/ld+json">{"@type": "Article", "headline": "\\ud800", "author": "\\udfff"}</script>',
    },
    "a long number": {
        "url": "http://a.test/number?page=" + "9" * 5_000,
        "html": article(54) + f'<meta name=description content="&amp;#{"9" * 5_000};"><meta name=author content="&amp;#{"9" * 5_000};">',
    },
    "a long number in JSON-LD": {
        "url": "http://a.test/" + "9" * 5_000,
        "html": article(55)
        + f'<script type="application/ld+json">{{&quot;headline&quot;: "&#{"9" * 5_000};", "x": {"9" * 5_000}}}</script>',
    },
    "a long host": {"url": f"http://{'a' * 300}.{'b' * 300}.test/", "html": article(56)},
    "a long path": {"url": "http://a.test/" + "a/" * 50_000, "html": article(57)},
    "nothing": {"url": None, "html": ""},
    "numbers": {"url": 5, "html": 5},
    "zeros": {"url": "\0", "html": "\0" * 100},
}


@pytest.fixture(scope="module")
def hostile(tmp_path_factory):
    path = tmp_path_factory.mktemp("hostile") / "pages.jsonl"
    good = [{"url": f"http://a.test/{number}", "html": html} for number, html in enumerate(articles())]
    path.write_text("".join(json.dumps(line) + "\n" for line in [*good[:6], *HOSTILE.values(), *good[6:]]) + "[" * 100_000 + "\n")
    return path


@pytest.mark.parametrize("partition", [None, "site", "language"])
def test_no_page_ends_a_run(hostile, tmp_path, partition):
    output = tmp_path / "out"
    summary = run(CorpusConfig((str(hostile),), str(output), workers=1, partition=partition, records=True, markdown=True))
    assert summary.pages == PAGES + len(HOSTILE) + 1
    assert summary.documents + summary.duplicates + summary.failed + summary.empty == summary.pages
    urls = [url for file in (output / "documents").rglob("*.parquet") for url in pq.ParquetFile(file).read(["url"])[0].to_pylist()]
    assert {f"http://a.test/{number}" for number in range(PAGES)} <= set(urls)


def test_no_page_ends_clean(hostile):
    records = list(clean(hostile, Cleaning(("text", "markdown", "html")), workers=1))
    assert len(records) == PAGES + len(HOSTILE) + 1
    assert not any("Error" in problem for record in records for problem in record.problems if "is not JSON" not in problem)


def test_names_of_files_in_no_encoding_are_names(tmp_path):
    folder = tmp_path / "pages"
    folder.mkdir()
    for number, html in enumerate(articles()):
        (folder / os.fsdecode(b"%d-\xff.html" % number)).write_text(html)
    run(CorpusConfig((str(folder),), str(tmp_path / "out"), workers=1, duplicates=False))
    assert run(CorpusConfig((str(folder),), str(tmp_path / "out"), workers=1, duplicates=False)).documents == PAGES


def test_odd_values_in_parquet_cost_their_rows(tmp_path):
    path = tmp_path / "pages.parquet"
    html = [article(number).encode() for number in range(8)]
    html[3] = b"\xff\xfe<p>no UTF-8"
    column = pa.array(html, "binary").view("string")
    pq.write_table(pa.table({"html": column, "url": pa.array(range(8), "int64")}), path)
    run(CorpusConfig((str(path),), str(tmp_path / "out"), workers=1, duplicates=False))
    assert pq.read_table(tmp_path / "out" / "documents").num_rows == 8
    assert pq.read_table(tmp_path / "out" / "failures").num_rows == 0


def test_many_sites_have_folders(tmp_path):
    path = tmp_path / "pages.jsonl"
    path.write_text("".join(json.dumps({"url": f"http://s{n}.test/", "html": article(n)}) + "\n" for n in range(1_100)))
    run(CorpusConfig((str(path),), str(tmp_path / "out"), workers=1, duplicates=False, metadata=False, partition="site"))
    assert len(list((tmp_path / "out" / "documents").iterdir())) == 1_100


def test_reading_counts_for_the_page_that_is_read(tmp_path):
    members = [member(number, html) for number, html in enumerate(articles())]
    path = tmp_path / "crawl.warc.gz"
    path.write_bytes(b"".join(members))
    noted = []
    shard = Shard("archive", str(path), 0, path.stat().st_size)
    work = Work(tmp_path, Task("clean", 0, "", {"shard": shard, "config": CorpusConfig(("pages",), "out")}), {}, noted.append, tmp_path)
    for position, source in open_shard(work):
        assert noted[-1] == position
        assert source.url == f"http://a.test/{position}"
    assert noted == [*range(PAGES + 1), NOBODY]


def test_a_folder_is_of_one_run_at_a_time(tmp_path):
    source = lines(tmp_path / "pages.jsonl", articles())
    settings = CorpusConfig((str(source),), str(tmp_path / "out"), workers=1, duplicates=False)
    (tmp_path / "out").mkdir()
    with alone_in(tmp_path / "out"), pytest.raises(UsageError, match="another run is writing"):
        run(settings)
    assert run(settings).documents == PAGES
    with alone_in(tmp_path / "out"), pytest.raises(UsageError, match="another run is writing"):
        retry(tmp_path / "out", {})
