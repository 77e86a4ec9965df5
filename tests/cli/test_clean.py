"""``tamis clean``."""

from __future__ import annotations

import gzip
import json
import os
import re
import signal
import subprocess
import sys
import time
from datetime import UTC, datetime

import pytest

from tamis.cli import terminal
from tamis.document.chunks import OF_PRODUCTS
from tamis.document.document import FORMATS
from tests.cli.conftest import article, text


def lines(path):
    raw = path.read_bytes()
    return [json.loads(line) for line in (gzip.decompress(raw) if path.suffix == ".gz" else raw).splitlines()]


@pytest.mark.parametrize("name", ["out.jsonl", "out.jsonl.gz", "new/out.ndjson"])
def test_every_page_has_a_line_in_order(site, tamis, name):
    result = tamis("clean", "site", "-o", name, "-j", 1)
    assert (result.exit_code, result.stdout) == (0, "")
    records = lines(site / name)
    assert [record["source"] for record in records] == ["site/a.html", "site/b.htm", "site/deep/c.html.gz"]
    assert [record["text"] + "\n" for record in records] == [text(1), text(2), text(3)]
    assert not list(site.rglob("*.partial"))
    assert not list(site.rglob("*.failures.jsonl"))


def test_any_number_of_workers_gives_the_same_bytes(site, tamis, process):
    assert tamis("clean", "site", "-o", "one.jsonl.gz", "-j", 1).exit_code == 0
    assert process("clean", "site", "-o", "two.jsonl.gz", "-j", "2").returncode == 0
    assert (site / "one.jsonl.gz").read_bytes() == (site / "two.jsonl.gz").read_bytes()


def test_a_folder_mirrors_the_names_of_the_pages(site, tamis):
    (site / "site/a.htm").write_text(article(4), encoding="utf-8")
    (site / "site/empty.html").write_text("<p></p>", encoding="utf-8")
    assert tamis("clean", "site", "-o", "texts/", "-f", "text", "-f", "json", "-j", 1).exit_code == 0
    written = sorted(str(path.relative_to(site / "texts")) for path in (site / "texts").rglob("*.*"))
    assert written == ["a.json", "a.txt", "a~2.json", "a~2.txt", "b.json", "b.txt", "deep/c.json", "deep/c.txt"]
    assert (site / "texts/deep/c.txt").read_text(encoding="utf-8") == text(3)
    assert json.loads((site / "texts/b.json").read_text(encoding="utf-8"))["source"] == "site/b.htm"


@pytest.mark.parametrize("out", ["out.jsonl", "out.parquet", "texts/"])
def test_a_name_of_any_bytes_is_the_name_of_a_page(site, tamis, out):
    (site / "site" / os.fsdecode(b"caf\xe9 \xff.html")).write_text(article(4), encoding="utf-8")
    result = tamis("clean", "site", "-o", out, "-j", 1, "--json")
    assert (result.exit_code, json.loads(result.stdout)["ok"]) == (0, 4)


@pytest.mark.parametrize("form", FORMATS)
def test_every_format_has_its_files(site, tamis, form):
    assert tamis("clean", "site/a.html", "-o", "texts/", "-f", form).exit_code == 0
    (file,) = (site / "texts").iterdir()
    assert tamis("extract", "site/a.html", "-o", file.name).exit_code == 0
    if form != "json":
        assert (site / file.name).read_bytes() == file.read_bytes()


def test_json_lines_go_to_standard_output_and_failures_to_standard_error(site, tamis):
    data = json.dumps({"url": "https://example.org/1", "html": article(1)}) + "\nnonsense\n"
    result = tamis("clean", "-", "-o", "-", "-j", 1, input=data)
    assert result.exit_code == 0
    first, second = map(json.loads, result.stdout.splitlines())
    assert (first["url"], first["text"] + "\n") == ("https://example.org/1", text(1))
    assert (second["status"], second["text"]) == ("failed", None)
    assert "failed: -:2: read: -:2 is not JSON" in result.stderr


def test_fields_of_json_lines_can_be_named(site, tamis):
    (site / "in.jsonl").write_text(json.dumps({"link": "https://example.org/1", "page": article(1)}), encoding="utf-8")
    assert tamis("clean", "in.jsonl", "-o", "o.jsonl", "-j", 1, "--url-field", "link", "--html-field", "page").exit_code == 0
    (record,) = lines(site / "o.jsonl")
    assert (record["url"], record["status"]) == ("https://example.org/1", "ok")


def test_failures_are_written_beside_the_output(site, tamis):
    (site / "site/bad.html").write_bytes(b"%PDF-1.7")
    result = tamis("clean", "site", "-o", "out.jsonl", "-j", 1)
    assert result.exit_code == 0
    assert lines(site / "out.failures.jsonl") == [
        {"source": "site/bad.html", "url": None, "stage": "read", "reason": "site/bad.html is not a page: it holds binary data"}
    ]
    assert "see out.failures.jsonl" in result.stderr
    (site / "site/bad.html").unlink()
    assert tamis("clean", "site", "-o", "out.jsonl", "-j", 1, "--overwrite").exit_code == 0
    assert not (site / "out.failures.jsonl").exists()


def test_too_many_failures_have_a_code_of_their_own(site, tamis):
    (site / "site/bad.html").write_bytes(b"%PDF-1.7")
    result = tamis("clean", "site", "-o", "out.jsonl", "-j", 1, "--max-error-ratio", "0.1")
    assert result.exit_code == 4
    assert "1 of 4 pages failed, more than --max-error-ratio allows" in result.stderr
    assert len(lines(site / "out.jsonl")) == 4


def test_chunks_of_pages_of_one_address_have_ids_of_their_own(site, tamis):
    pages = [{"url": "https://reeds.example/1", "html": html} for html in ("<p>", article(1), article(2), article(3))]
    (site / "in.jsonl").write_text("".join(json.dumps(page) + "\n" for page in pages), encoding="utf-8")
    assert tamis("clean", "in.jsonl", "-o", "out.jsonl", "--chunks", 1000, "--chunk-rows").exit_code == 0
    assert [row["id"].rpartition("/")[2] for row in lines(site / "out.jsonl")] == ["1#0", "1~2#0", "1~3#0"]


def test_a_run_without_pages_leaves_no_output(site, tamis):
    (site / "e.urls").write_text("#", encoding="utf-8")
    result = tamis("clean", "e.urls", "-o", "out.jsonl", "-j", 1)
    assert (result.exit_code, result.stderr) == (3, "tamis: there were no pages\n")
    result = tamis("clean", "site", "-o", "out.jsonl", "--models", "store", "--include", "/Deep/*")
    assert result.exit_code == 3
    assert "no address is wanted by the patterns (--include, --exclude); compared was, for example, /deep/c.html.gz" in result.stderr
    assert "characters" not in result.stderr
    assert not list(site.glob("out.*")) + list(site.glob("store"))


def test_a_run_that_keeps_nothing_is_an_error(site, tamis):
    (site / "e.html").write_text("<p>", encoding="utf-8")
    result = tamis("clean", "e.html", "-o", "out.jsonl", "-j", 1)
    assert result.exit_code == 3
    assert "nothing was selected from any page" in result.stderr


def test_the_closing_table_counts(site, tamis):
    (site / "site/bad.html").write_bytes(b"%PDF-1.7")
    (site / "site/empty.html").write_text("<p></p>", encoding="utf-8")
    table = {line[:16].strip(): line[16:].split() for line in tamis("clean", "site", "-o", "o.jsonl", "-j", 1).stderr.splitlines()}
    assert (table["pages"][0], table["ok"][0], table["empty"][0], table["failed"][0], table["read"][0]) == ("5", "3", "1", "1", "1")
    assert tamis("clean", "site", "-o", "p.jsonl", "-j", 1, "-q").stderr == ""


def test_patterns_choose_pages_by_their_paths(site, tamis):
    for number, source in enumerate(("site", "site/**/*.*", "../" + site.name + "/site")):
        assert tamis("clean", source, "-o", f"{number}.jsonl", "-j", 1, "--include", "/deep/*", "--include", "/b*").exit_code == 0
        assert [record["source"].rpartition("/")[2] for record in lines(site / f"{number}.jsonl")] == ["b.htm", "c.html.gz"]


def test_a_limit_takes_the_first_pages(site, tamis):
    assert tamis("clean", "site", "-o", "out.jsonl", "-j", 1, "--limit", 2).exit_code == 0
    assert [record["source"] for record in lines(site / "out.jsonl")] == ["site/a.html", "site/b.htm"]


@pytest.mark.parametrize("output", ["out.jsonl", "texts"])
def test_an_output_is_only_replaced_when_asked_for(site, tamis, output):
    assert tamis("clean", "site", "-o", output, "-j", 1).exit_code == 0
    result = tamis("clean", "site/a.html", "-o", output, "-j", 1)
    assert (result.exit_code, result.stderr) == (2, f"tamis: {output} exists already; --overwrite replaces it\n")
    assert tamis("clean", "site/a.html", "-o", output, "-j", 1, "--overwrite").exit_code == 0


def test_overwriting_a_folder_touches_no_other_file(site, tamis):
    (site / "texts").mkdir()
    (site / "texts/mine.doc").write_text("keep me", encoding="utf-8")
    assert tamis("clean", "site", "-o", "texts", "-j", 1, "--overwrite").exit_code == 0
    assert (site / "texts/mine.doc").read_text(encoding="utf-8") == "keep me"
    assert (site / "texts/deep/c.txt").exists()


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["site", "-o", "out.csv"], "out.csv: unknown output format"),
        (["site", "-o", "out.jsonl", "--front-matter"], "--front-matter is for --format markdown"),
        (["site", "-o", "out.jsonl", "-f", "json"], "rows hold all that --format json writes"),
        (["site", "-o", "site/made", "-f", "html"], "pages written there would be cleaned, too"),
        (["site", "-o", "out.jsonl", "--timeout", "0.5", "--threshold", "0.1", "nowhere.html"], None),
    ],
)
def test_mistakes_are_known_before_any_work(site, tamis, words, said):
    result = tamis("clean", *words, "-j", 1)
    assert result.exit_code == (2 if said else 1)
    assert (said or "there is no file or folder 'nowhere.html'") in result.stderr
    assert sorted(path.name for path in site.iterdir()) == ["site"]


def test_all_forms_can_stand_in_one_line(site, tamis):
    assert tamis("clean", "site/a.html", "-o", "o.jsonl", "-j", 1, "-f", "html", "-f", "markdown", "-f", "text").exit_code == 0
    (record,) = lines(site / "o.jsonl")
    assert list(record)[3:6] == ["html", "markdown", "text"]


def test_titles_and_front_matter_begin_the_files_of_a_folder(site, tamis):
    assert tamis("clean", "site/a.html", "-o", "out", "-j", 1, "-f", "markdown", "--title", "--front-matter").exit_code == 0
    (made,) = (site / "out").rglob("a.md")
    assert made.read_text(encoding="utf-8").startswith('---\ntitle: "Page 1"\n')


def test_names_that_leave_the_folder_stay_in_it(site, tamis):
    urls = ["https://example.org/../../up", "https://example.org/" + "long/" * 3 + "x" * 300, "https://example.org/a?b=c/d"]
    (site / "in.jsonl").write_text(
        "".join(json.dumps({"html": article(n), "url": url}) + "\n" for n, url in enumerate(urls)), encoding="utf-8"
    )
    assert tamis("clean", "in.jsonl", "site/../site", "-o", "texts", "-j", 1).exit_code == 0
    assert (site / "texts/example.org/a_b=c_d.txt").exists()
    assert (site / "texts/example.org/up.txt").exists()
    assert sorted(path.name for path in site.iterdir()) == ["in.jsonl", "site", "texts"]


def test_files_are_named_by_addresses_that_are_read_by_people_and_each_has_its_own(site, tamis):
    urls = [
        "https://example.org/caf%C3%A9/",
        "https://example.org/Caf%C3%A9/index.html",
        "https://example.org/a",
        "https://example.org/a.md/b",
    ]
    lines = [json.dumps({"html": article(n), "url": url}) + "\n" for n, url in enumerate([*urls, None])]
    (site / "in.jsonl").write_text("".join(lines), encoding="utf-8")
    assert tamis("clean", "in.jsonl", "-o", "notes", "-j", 1, "-f", "markdown").exit_code == 0
    found = sorted(path.relative_to(site / "notes").as_posix() for path in (site / "notes").rglob("*.md") if path.is_file())
    assert found == [
        "example.org/Café/index~2.md",
        "example.org/a.md",
        "example.org/a.md_/b.md",
        "example.org/café/index.md",
        "in/000005.md",
    ]


def test_an_interruption_leaves_what_was_done_and_says_so(site):
    many = "".join(json.dumps({"html": article(number)}) + "\n" for number in range(2000))
    command = [sys.executable, "-m", "tamis", "clean", "-", "-o", "out.jsonl", "-j", "2"]
    run = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    run.stdin.write(many.encode())
    run.stdin.flush()  # and the input stays open: the run waits for more
    partial = site / "out.jsonl.partial"
    until = time.monotonic() + 120
    while not (partial.exists() and partial.stat().st_size) and time.monotonic() < until:
        time.sleep(0.05)
    run.send_signal(signal.SIGINT)
    said = run.communicate(timeout=300)[1].decode()
    assert run.returncode == 130
    assert "they are in out.jsonl.partial" in said
    assert said.endswith("tamis: interrupted\n")
    assert "Traceback" not in said
    assert partial.exists()
    assert not (site / "out.jsonl").exists()


def test_a_reader_that_has_had_enough_ends_the_run(site):
    (site / "in.jsonl").write_text((json.dumps({"html": article(1)}) + "\n") * 3000, encoding="utf-8")
    command = [sys.executable, "-m", "tamis", "clean", "in.jsonl", "-o", "-", "-j", "2"]
    run = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    assert b"Paragraph 1" in run.stdout.readline()
    run.stdout.close()
    said = run.stderr.read()
    run.stderr.close()
    run.wait(timeout=300)
    assert b"Traceback" not in said
    assert b"Exception" not in said


def test_parquet_is_read_and_written(site, tamis):
    parquet = pytest.importorskip("pyarrow.parquet", reason="needs the extra parquet")
    import pyarrow as pa

    rows = {"url": ["https://example.org/1", None, None], "html": [article(1), article(2), None]}
    parquet.write_table(pa.table(rows), "in.parquet")
    result = tamis("clean", "in.parquet", "-o", "out.parquet", "-f", "text", "-f", "markdown", "-j", 1)
    assert result.exit_code == 0, result.stderr
    table = parquet.read_table("out.parquet")
    assert table.column_names == ["source", "url", "status", "text", "markdown", "metadata", "problems", "encoding"]
    assert table.column("status").to_pylist() == ["ok", "ok", "failed"]
    assert table.column("text").to_pylist() == [text(1).rstrip("\n"), text(2).rstrip("\n"), None]
    assert table.column("url").to_pylist()[0] == "https://example.org/1"
    assert json.loads(table.column("metadata").to_pylist()[1])["title"] == "Page 2"
    assert tamis("clean", "in.parquet", "-o", "texts/", "-j", 1).exit_code == 0
    assert (site / "texts/in/000001.txt").read_text(encoding="utf-8") == text(2)


def test_the_detected_language_is_part_of_a_row_where_it_is_asked_for(site, tamis):
    pytest.importorskip("py3langid", reason="needs the extra language")
    parquet = pytest.importorskip("pyarrow.parquet", reason="needs the extra parquet")
    (site / "site/a.html").write_text("<p>Die Boote im Hafen müssen jedes Jahr neu gestrichen werden, und das dauert lange.</p>")
    (site / "site/b.htm").write_text("<p>Ja.</p>")
    (site / "site/deep/c.html.gz").write_bytes(b"\x1f\x8b")
    assert tamis("clean", "site", "-o", "out.parquet", "--detect-language").exit_code == 0
    rows = parquet.read_table("out.parquet").to_pylist()
    assert [row["detected_language"] for row in rows] == ["de", None, None]
    assert 0.5 < rows[0]["language_confidence"] <= 1
    assert tamis("clean", "site", "-o", "out.jsonl", "--language", "en").exit_code == 3
    first, short, _ = lines(site / "out.jsonl")
    assert (first["status"], first["detected_language"], first["language_confidence"]) == ("empty", "de", rows[0]["language_confidence"])
    assert short["language_confidence"] is None
    assert tamis("clean", "site", "-o", "plain.jsonl").exit_code == 0
    assert "detected_language" not in lines(site / "plain.jsonl")[0]


def test_chunks_and_fields_are_columns_of_parquet(site, tamis):
    parquet = pytest.importorskip("pyarrow.parquet", reason="needs the extra parquet")
    import pyarrow as pa

    day = datetime(2024, 3, 1, tzinfo=UTC)
    parquet.write_table(pa.table({"id": [7], "html": [article(1)], "day": [day]}), "in.parquet")
    result = tamis("clean", "in.parquet", "-o", "out.parquet", "-j", 1, "--chunks", 50, "--keep-field", "id", "--keep-field", "day")
    assert result.exit_code == 0, result.stderr
    (row,) = parquet.read_table("out.parquet").to_pylist()
    assert json.loads(row["fields"]) == {"id": 7, "day": str(day)}
    assert [chunk["size"] <= 50 for chunk in json.loads(row["chunks"])] == [True]
    assert "has no column ids; it has id, html, day" in tamis("clean", "in.parquet", "-o", "o.jsonl", "--keep-field", "ids").stderr
    assert (
        "not into a folder: name a file .jsonl, .jsonl.gz or .parquet, or use --format json"
        in tamis("clean", "in.parquet", "-o", "texts/", "--chunks", 50).stderr
    )


@pytest.mark.parametrize("name", ["out.jsonl", "out.jsonl.gz", "out.parquet"])
def test_chunks_may_have_rows_of_their_own(site, tamis, name):
    pages = [{"url": f"https://reeds.example/{number}", "html": article(number), "key": number} for number in (1, 2)]
    (site / "in.jsonl").write_text("".join(json.dumps(page) + "\n" for page in [*pages, {"html": "<p>"}]), encoding="utf-8")
    result = tamis("clean", "in.jsonl", "-o", name, "--chunks", 10, "--chunk-rows", "--keep-field", "key")
    assert result.exit_code == 0, result.stderr
    if name.endswith(".parquet"):
        parquet = pytest.importorskip("pyarrow.parquet", reason="needs the extra parquet")
        rows = parquet.read_table(name).to_pylist()
        rows = [{**row, "headings": json.loads(row["headings"]), "fields": json.loads(row["fields"])} for row in rows]
    else:
        rows = lines(site / name)
    assert len(rows) > 2
    assert {row["url"] for row in rows} == {page["url"] for page in pages}
    assert all(row["id"] == f"{row['url']}#{row['number']}" and row["size"] <= 10 and row["text"] for row in rows)
    assert all(row["url"].endswith(f"/{row['fields']['key']}") for row in rows)
    (site / "page.html").write_text(article(1), encoding="utf-8")
    shown = tamis("extract", "page.html", "--url", pages[0]["url"], "--chunks", 10).stdout.splitlines()
    mine = [row for row in rows if row["url"] == pages[0]["url"]]
    assert [{**json.loads(line), "source": ""} for line in shown] == [
        {key: value for key, value in {**row, "source": ""}.items() if key not in ("fields", *OF_PRODUCTS)} for row in mine
    ]


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["out.jsonl", "--chunk-rows"], "--chunk-rows needs the size of the chunks: --chunks N"),
        (["out.jsonl", "--chunk-rows", "--chunks", 9, "--format", "json"], "not for each page: leave out --format"),
        (["out.jsonl", "--chunk-rows", "--chunks", 9, "--comments"], "not for each page: leave out --comments"),
        (["texts/", "--chunk-rows", "--chunks", 9], "not into a folder: name a file .jsonl, .jsonl.gz or .parquet"),
    ],
)
def test_each_mistake_with_rows_of_chunks_has_its_message(site, tamis, words, said):
    result = tamis("clean", "site", "-o", *words)
    assert result.exit_code == 2
    assert result.stderr.rstrip().endswith(said)


def test_chunks_have_a_word_at_least(site, tamis):
    assert tamis("clean", "site", "-o", "out.jsonl", "--chunks", 0).exit_code == 2


def test_parquet_without_a_page_column_says_what_it_has(site, tamis):
    parquet = pytest.importorskip("pyarrow.parquet", reason="needs the extra parquet")
    import pyarrow as pa

    parquet.write_table(pa.table({"link": ["x"], "page": [article(1)]}), "in.parquet")
    result = tamis("clean", "in.parquet", "-o", "out.jsonl", "-j", 1)
    assert result.exit_code == 1
    assert (
        "has no column html or content or body or raw_html; it has link, page: name the one that holds the pages (--html-field)"
        in result.stderr
    )
    assert tamis("clean", "in.parquet", "-o", "out.jsonl", "-j", 1, "--html-field", "page").exit_code == 0


def test_a_list_may_hold_paths(site, tamis):
    (site / "site/list.txt").write_text("# pages\nsite/a.html\nb.htm\nnowhere.html\n", encoding="utf-8")
    assert tamis("clean", "site/list.txt", "-o", "out.jsonl", "-j", 1).exit_code == 0
    assert [record["status"] for record in lines(site / "out.jsonl")] == ["ok", "ok", "failed"]
    result = tamis("clean", "-", "-o", "-", "-j", 1, input="site/a.html\nsite/b.htm\n")
    assert [json.loads(line)["text"] + "\n" for line in result.stdout.splitlines()] == [text(1), text(2)]


def test_skipped_files_are_counted_and_named_and_pages_without_a_suffix_are_read(site, tamis):
    (site / "site/paper.pdf").write_bytes(b"%PDF-1.7")
    (site / "site/notes").write_text("Just notes", encoding="utf-8")
    (site / "site/plain").write_text(f"<!DOCTYPE html>{article(9)}", encoding="utf-8")
    result = tamis("clean", "site", "-o", "out.jsonl", "-j", 1)
    assert [record["source"] for record in lines(site / "out.jsonl")][2:3] == ["site/plain"]
    assert "skipped 2 files that are not pages (1 without a suffix, 1 .pdf), such as site/notes" in result.stderr


SERVED = ("thread.php?t=3&page=2.5", "index.html?id=7", "index.html@id=8", "a.PHP", "b.aspx", "c.shtml", "d.jsp", "e.php5")


def test_pages_of_a_copied_site_are_read_whatever_program_made_them(site, tamis):
    for name in SERVED:
        (site / "site" / name).write_text(f'<?xml version="1.0"?>\n<!DOCTYPE html>{article(9)}', encoding="utf-8")
    (site / "site/source.php").write_text("<?php echo 1; ?>", encoding="utf-8")
    for name in ("a.js?v=2", "a.css", "template.vue", "a.php.orig"):
        (site / "site" / name).write_text(f"<html>{article(9)}", encoding="utf-8")
    result = tamis("clean", "site", "-o", "out.jsonl", "-j", 1)
    assert {record["source"].rpartition("/")[2] for record in lines(site / "out.jsonl")} == {"a.html", "b.htm", "c.html.gz", *SERVED}
    assert "skipped 5 files" in result.stderr


def test_files_of_many_pages_beside_an_archive_are_skipped_with_what_to_do_but_not_those_of_a_crawl(site, tamis):
    for name in ("site/mix.warc", "site/more.jsonl.gz", "site/rows.parquet", "site/paper.pdf", "site/crawl.sqlite", "site/pages.jsonl"):
        (site / name).write_bytes(b"")
    said = tamis("clean", "site", "-o", "out.jsonl", "-j", 1).stderr
    assert "skipped 2 files of JSON lines or Parquet (1 .gz, 1 .parquet), such as site/more.jsonl.gz" in said
    assert "to clean their pages, name the files, and their field if it is another (--html-field)" in said
    assert "skipped 1 file that is not a page (1 .pdf), such as site/paper.pdf" in said
    (site / "site/crawl.sqlite").unlink()
    assert "skipped 3 files of JSON lines or Parquet" in tamis("clean", "site", "-o", "again.jsonl", "-j", 1).stderr


def test_a_few_pages_start_no_workers(site, tamis, monkeypatch):
    def start(*args, **kwargs):
        raise AssertionError("workers were started")

    monkeypatch.setattr("tamis.corpus.batch.in_workers", start)
    assert tamis("clean", "site", "-o", "out.jsonl", "-j", 64).exit_code == 0


def test_long_reasons_leave_the_numbers_readable(site, tamis):
    (site / "site" / ("long" * 40 + ".html")).write_bytes(b"%PDF-1.7")
    shown = tamis("clean", "site", "-o", "out.jsonl", "-j", 1, env={"COLUMNS": "80"}).stderr
    table = shown[shown.index("pages  ") :] if "pages  " in shown else shown
    assert max(map(len, table.splitlines()[:8])) <= 80
    assert re.search(r"^pages +4  ", shown, re.M)


def test_the_summary_of_a_run_is_a_line_of_json_on_request(site, tamis):
    result = tamis("clean", "site", "-o", "texts.jsonl", "--json")
    assert result.exit_code == 0
    summary = json.loads(result.stdout)
    rows = lines(site / "texts.jsonl")
    assert summary["pages"] == len(rows) == summary["ok"] + summary["empty"] + summary["failed"]
    assert summary["output"] == "texts.jsonl"
    assert summary["seconds"] > 0
    piped = tamis("clean", "site", "-o", "-", "--json")
    assert json.loads(piped.stderr.splitlines()[-1])["pages"] == len(piped.stdout.splitlines()) == len(rows)


def test_a_log_has_a_line_of_progress_now_and_then(site, tamis, monkeypatch):
    monkeypatch.setattr(terminal, "LOG_SECONDS", 0)
    assert "pages: 1" in tamis("clean", "site", "-o", "texts.jsonl").stderr
    assert tamis("clean", "site", "-o", "texts.jsonl", "--overwrite", "-q").stderr == ""
