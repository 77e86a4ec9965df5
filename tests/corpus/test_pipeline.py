"""The whole run: from pages to documents, each page once, wherever it was ended."""

import csv
import json
import os
import random
import re
import shutil
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import pyarrow.parquet as pq
import pytest
from typer.testing import CliRunner

from tamis import Cleaning, clean
from tamis.cli import app
from tamis.corpus.config import CorpusConfig, load, make
from tamis.corpus.page_steps import load_filter
from tamis.corpus.pipeline import clear, retry, run
from tamis.corpus.report import figures, write_report
from tamis.errors import CorpusError, TamisError, UsageError

from ..site.pages import WORDS, article
from .killing import begin_and_kill, command, set_unfinished

KILLS = 10 if os.environ.get("HYPOTHESIS_PROFILE") == "explore" else 3
CHROME = ["Home", "About us", "You may also like", "Copyright"]


@pytest.fixture(scope="module")
def source(tmp_path_factory):
    """Two sites in JSON lines: a copy among the pages, one that cannot be read, one without text."""
    path = tmp_path_factory.mktemp("source") / "pages.jsonl"
    lines = [{"url": f"http://{host}.test/{n}", "html": article(n + shift)} for host, shift in (("a", 0), ("b", 100)) for n in range(12)]
    lines += [{"url": "http://a.test/copy", "html": article(3).replace("Heading 3", "Heading 3 again")}]
    lines += [{"url": "http://a.test/broken"}, {"url": "http://b.test/empty", "html": "<p>"}]
    path.write_text("".join(json.dumps(line) + "\n" for line in lines))
    return path


def config(source, output, **changed):
    return CorpusConfig((str(source),), str(output), workers=2, shard_mb=1, **changed)


def table(folder):
    return [row for file in sorted(folder.glob("*.parquet")) for row in pq.read_table(file).to_pylist()]


@pytest.fixture(scope="module")
def finished(source, tmp_path_factory):
    output = tmp_path_factory.mktemp("finished") / "out"
    return run(config(source, output, formats=("parquet", "jsonl", "markdown"))), output


def test_documents_come_out_clean_and_once(finished):
    summary, output = finished
    documents = table(output / "documents")
    assert (summary.pages, summary.sites, summary.templates) == (27, 2, 2)
    assert (summary.documents, summary.duplicates, summary.failed, summary.empty) == (24, 1, 1, 1)
    assert len(documents) == 24
    assert all(row["method"].startswith("site") and not any(word in row["text"] for word in CHROME) for row in documents)
    assert {row["site"] for row in documents} == {"a.test", "b.test"}
    assert len(list((output / "markdown").rglob("*.md"))) == 24
    lines = [json.loads(line) for line in (output / "jsonl" / "part-000000.jsonl").read_text().splitlines()]
    assert lines == documents


def test_what_was_dropped_and_what_failed_stand_beside(finished):
    _, output = finished
    dropped = table(output / "dropped")
    assert any("Copyright" in row["text"] and row["reason"].startswith("template") for row in dropped)
    assert [(row["url"], row["stage"]) for row in table(output / "failures")] == [
        ("http://a.test/broken", "read"),
        ("http://b.test/empty", "select"),
    ]
    (star,) = pq.read_table(output / "duplicates.parquet").to_pylist()
    ids = {row["id"] for row in table(output / "documents")}
    assert star["survivor"] in ids
    assert star["id"] not in ids


def test_the_same_command_again_does_nothing_new(finished, source):
    summary, output = finished
    before = {path: path.stat().st_mtime_ns for path in (output / "work").rglob("*.parquet")}
    assert run(config(source, output, formats=("parquet", "jsonl", "markdown"))) == summary
    assert {path: path.stat().st_mtime_ns for path in (output / "work").rglob("*.parquet")} == before


def flipped(data: bytes) -> bytes:
    return data[: len(data) // 2] + bytes([data[len(data) // 2] ^ 4]) + data[len(data) // 2 + 1 :]


@pytest.mark.parametrize(
    "damage", [flipped, lambda data: data[: len(data) // 2], lambda data: b"", None], ids="flipped cut empty gone".split()
)
def test_what_is_damaged_in_a_run_is_done_again(finished, source, tmp_path, damage):
    """Every file of the work done so far, one of each kind at a time, before the results are written."""
    _, output = finished
    half = tmp_path / "half"
    shutil.copytree(output, half)
    for path in (half / "work" / "publish", half / "documents", half / "failures", half / "dropped"):
        shutil.rmtree(path)
    set_unfinished(half)
    kinds = {(path.parts[-2 if path.suffix == ".json" else -3], path.name): path for path in (half / "work").rglob("*") if path.is_file()}
    for path in kinds.values():
        if damage is None:
            path.unlink()
        else:
            path.write_bytes(damage(path.read_bytes()))
    run(config(source, half, formats=("parquet", "jsonl", "markdown")))
    for name in ("documents", "failures", "dropped"):
        assert table(half / name) == table(output / name)


def test_a_damaged_record_of_a_run_is_named(finished, source, tmp_path):
    shutil.copytree(finished[1], tmp_path / "out")
    for damaged in ("", "[]", "{", "{}", '{"settings": 1}'):
        (tmp_path / "out" / "run.json").write_text(damaged)
        with pytest.raises(CorpusError, match=re.escape("run.json")):
            run(config(source, tmp_path / "out", formats=("parquet", "jsonl", "markdown")))


def test_other_settings_or_sources_are_refused_and_named(finished, source, tmp_path):
    _, output = finished
    with pytest.raises(CorpusError, match="sample was 50, is 5"):
        run(config(source, output, formats=("parquet", "jsonl", "markdown"), sample=5))
    (tmp_path / "mine").write_text("not a run")
    with pytest.raises(CorpusError, match="not a run of tamis corpus"):
        run(config(source, tmp_path))


@pytest.mark.parametrize(
    "changed", [{"sources": ("missing",)}, {"sources": ("texts.jsonl",)}, {"previous": "missing"}, {"previous": "out"}]
)
def test_a_run_is_overwritten_only_by_one_that_can_begin(finished, source, tmp_path, monkeypatch, changed):
    shutil.copytree(finished[1], tmp_path / "out")
    monkeypatch.chdir(tmp_path)
    (tmp_path / "texts.jsonl").write_text('{"text": "no page"}\n')
    with pytest.raises(TamisError):
        run(replace(config(source, "out"), **changed), overwrite=True)
    assert table(tmp_path / "out" / "documents") == table(finished[1] / "documents")
    run(config(source, "out", markdown=True), overwrite=True)
    assert all(row["markdown"] for row in table(tmp_path / "out" / "documents"))


def test_shards_and_workers_make_no_difference(finished, source, tmp_path):
    _, output = finished
    lines = source.read_text().splitlines(keepends=True)
    for part in range(3):
        (tmp_path / f"{part}.jsonl").write_text("".join(lines[part * 9 : part * 9 + 9]))
    run(CorpusConfig(tuple(str(tmp_path / f"{part}.jsonl") for part in range(3)), str(tmp_path / "out"), workers=1))
    wanted = [(row["url"], row["text"], row["method"]) for row in table(output / "documents")]
    assert [(row["url"], row["text"], row["method"]) for row in table(tmp_path / "out" / "documents")] == wanted


def test_a_retry_takes_up_what_failed_and_nothing_else(source, tmp_path):
    output = tmp_path / "out"
    with pytest.raises(CorpusError, match="holds no run"):
        retry(output, {})
    first = run(config(source, output))
    again = retry(output, {"page_seconds": 60.0})
    assert again == first
    record = json.loads((output / "run.json").read_text())
    assert (record["round"], record["finished"]) == (1, True)
    assert json.loads((output / "work" / "clean-1" / "000000.json").read_text())["counts"]["pages"] == 1
    assert len(table(output / "failures")) == 2


@pytest.mark.parametrize("place", ["output", "models"])
def test_what_a_run_writes_does_not_lie_in_a_source(source, tmp_path, monkeypatch, place):
    shutil.copy(source, tmp_path)
    monkeypatch.chdir(tmp_path)
    with pytest.raises(UsageError, match="lies in the source"):
        run(replace(config(Path(), tmp_path.parent / f"{tmp_path.name}-out"), **{place: "here"}))
    assert not (tmp_path / "here").exists()


def test_a_run_with_relative_paths_is_retried_and_resumed_from_another_folder(source, tmp_path, monkeypatch):
    monkeypatch.chdir(source.parent)
    first = run(config(Path(source.name), tmp_path / "out", models="templates"))
    monkeypatch.chdir(tmp_path)
    assert retry("out", {}).documents == first.documents
    assert run(config(source, Path("out"), models=str(source.parent / "templates"))).documents == first.documents
    assert not (tmp_path / "templates").exists()


def test_documents_lie_in_folders_by_site_and_where_they_are_wanted(finished, source, tmp_path):
    _, output = finished
    target = tmp_path / "target"
    settings = config(source, tmp_path / "out", partition="site", target=target.as_uri(), records=True)
    summary = run(settings)
    stale = tmp_path / "out" / "documents" / "site=gone.test" / "part-000009-0.parquet"
    stale.parent.mkdir()
    stale.write_bytes(b"of an earlier round")
    assert run(settings) == summary
    assert not stale.exists()
    names = sorted(path.relative_to(target).as_posix() for path in target.rglob("*") if path.is_file())
    assert [name for name in names if name.startswith("documents")] == [f"documents/site={s}.test/part-000000-0.parquet" for s in "ab"]
    assert {"duplicates.parquet", "failures/part-000000.parquet", "records/part-000000.parquet"} < set(names)
    found = pq.read_table(target / "documents").to_pylist()
    wanted = {row["id"]: row for row in table(output / "documents")}
    assert {row["id"]: {**row, "markdown": None} for row in found} == {id: {**row, "markdown": None} for id, row in wanted.items()}


def test_lists_of_pages_are_lifted_but_not_menus(tmp_path):
    rng = random.Random(5)
    entries = [[(f"Boat {n} {rng.choice(WORDS)}", f"{rng.randrange(20, 90)} feet") for n in range(8)] for _ in range(6)]
    pages = [article(n, body=["".join(f"<div class=boat><h3>{a}</h3><i>{b}</i></div>" for a, b in rows)]) for n, rows in enumerate(entries)]
    path = tmp_path / "pages.jsonl"
    path.write_text("".join(json.dumps({"url": f"http://a.test/{n}", "html": html}) + "\n" for n, html in enumerate(pages)))
    summary = run(config(path, tmp_path / "out", records=True, duplicates=False))
    rows = table(tmp_path / "out" / "records")
    assert summary.records == len(rows) == 48
    assert [tuple(json.loads(row["values"]).values()) for row in rows] == [entry for page in entries for entry in page]
    assert {(row["region"], row["site"]) for row in rows} == {(0, "a.test")}
    assert [row["record"] for row in rows] == [*range(8)] * 6


def test_a_corpus_of_which_nothing_is_kept_is_an_error(tmp_path):
    (tmp_path / "pages.jsonl").write_text('{"html": "<p>"}\n{"html": ""}\n')
    with pytest.raises(CorpusError, match=r"no page has a main text: 2 x select: the page has no text"):
        run(config(tmp_path / "pages.jsonl", tmp_path / "out"))


def test_only_pages_with_a_wanted_address_are_cleaned_and_the_others_are_counted(finished, source, tmp_path):
    wanted = {"include": ("http://a.test/*", "/copy"), "exclude": ("/1", "*roken")}
    settings = config(source, tmp_path / "out", **wanted)
    summary = run(settings)
    assert (summary.pages, summary.left_out, summary.sites, summary.documents, summary.failed) == (12, 15, 1, 11, 0)
    documents = [row for row in table(finished[1] / "documents") if row["site"] == "a.test" and row["url"] != "http://a.test/1"]
    assert [(row["url"], row["text"]) for row in table(tmp_path / "out" / "documents")] == [(row["url"], row["text"]) for row in documents]
    assert figures(tmp_path / "out").counts["left out by address"] == 15
    assert run(settings) == summary
    assert run(config(source, tmp_path / "unspooled", spool=False, **wanted)).documents == 11
    assert table(tmp_path / "unspooled" / "documents") == table(tmp_path / "out" / "documents")
    assert retry(tmp_path / "out", {}).left_out == 15
    with pytest.raises(CorpusError, match=r'differs: exclude was \["/1", "\*roken"\], is \[\]\.'):
        run(replace(settings, exclude=()))


def test_patterns_that_leave_out_every_page_are_an_error(source, tmp_path):
    with pytest.raises(CorpusError, match=r"no address is wanted by the patterns .* for example, http://a.test/"):
        run(config(source, tmp_path / "out", include=("/elsewhere/*",)))
    assert run(config(source, tmp_path / "out", include=("http://A.test/*",))).sites == 1


@pytest.mark.slow
def test_killed_at_any_moment_it_goes_on_to_the_same_end(source, tmp_path):
    lines = source.read_text().splitlines(keepends=True)
    for part in range(3):
        (tmp_path / f"{part}.jsonl").write_text("".join(lines[part * 9 : part * 9 + 9]))
    sources = tuple(str(tmp_path / f"{part}.jsonl") for part in range(3))
    run(CorpusConfig(sources, str(tmp_path / "calm"), workers=1, exclude=("/5",)))
    settings = CorpusConfig(sources, str(tmp_path / "out"), workers=2, exclude=("/5",))
    begin_and_kill(settings, random.Random(7), KILLS, most=4, pause=0.05)
    subprocess.run([sys.executable, "-c", command(settings)], check=True)
    for name in ("documents", "dropped", "failures"):
        assert table(tmp_path / "out" / name) == table(tmp_path / "calm" / name)
    assert pq.read_table(tmp_path / "out" / "duplicates.parquet").num_rows == 1


def test_settings_are_read_checked_and_printed(tmp_path):
    path = tmp_path / "corpus.toml"
    path.write_text('sources = ["a"]\noutput = "out"\nsample = 7\n')
    settings = load(path, workers=3)
    assert (settings.sample, settings.workers) == (7, 3)
    path.write_text(settings.to_toml())
    assert load(path) == settings
    for wrong, said in [
        ({"sampel": 3}, "did you mean 'sample'"),
        ({"sample": "many"}, "sample is a whole number"),
        ({"sample": 0}, "above 0"),
        ({"dropped": 1}, "true or false"),
        ({"formats": ["pdf"]}, "parquet, jsonl, csv, markdown"),
        ({"partition": "year"}, "site or language"),
        ({"partition": "site", "formats": ["jsonl"]}, r"folders by site or language .* add the format parquet \(--format\)"),
        ({"output": "s3://bucket/out"}, "by --target"),
        ({"runner": "cloud"}, "local or ray"),
        ({"sources": 3}, "list of texts"),
        ({"include": ["news"]}, "a pattern starts with"),
    ]:
        with pytest.raises(UsageError, match=said):
            make({"sources": ["a"], "output": "out", **wrong})
    with pytest.raises(UsageError, match="output is missing"):
        make({"sources": ["a"]})


def test_the_command_leaves_out_what_is_not_wanted(source, tmp_path):
    words = [
        "corpus",
        "run",
        str(source),
        "-o",
        str(tmp_path / "out"),
        "-j",
        "1",
        "--include",
        "/1*",
        "--exclude",
        "/11",
        "--exclude",
        "/10",
    ]
    result = CliRunner().invoke(app, words)
    assert result.exit_code == 0
    assert re.search(r"^pages +2  of 2 sites;", result.stderr, re.M)
    assert re.search(r"^left out +25  pages whose address", result.stderr, re.M)


def test_the_command_tells_what_it_did(source, tmp_path):
    result = CliRunner().invoke(app, ["corpus", "run", str(source), "-o", str(tmp_path / "out"), "-j", "1"])
    assert result.exit_code == 0
    assert re.search(r"^pages +27  of 2 sites;", result.stderr, re.M)
    assert re.search(r"^failed +1  see", result.stderr, re.M)
    assert "tamis corpus retry" not in result.stderr  # a line without a page
    assert "name an output folder" in CliRunner().invoke(app, ["corpus", "run", str(source)]).stderr


def test_the_command_gives_a_reason_for_the_failures_of_each_stage(tmp_path):
    (tmp_path / "list.jsonl").write_text('{"html": "<p>One text."}\n[]\n{"html": ""}\n{}\nno JSON')
    result = CliRunner().invoke(app, ["corpus", "run", str(tmp_path / "list.jsonl"), "-o", str(tmp_path / "out"), "-j", "1"])
    assert re.search(r"failed 3 see .* read 3 such as: .* is JSON, but not an object", " ".join(result.stderr.split()))
    assert "select" not in result.stderr


def test_work_is_removed_after_a_run_that_is_whole_and_the_same_command_tells_the_same(source, tmp_path):
    def run(*more, name="out"):
        command = ["corpus", "run", str(source), "-o", str(tmp_path / name), "-j", "1", "--json", *more]
        return json.loads(CliRunner().invoke(app, command).stdout)

    first = run()
    assert not (tmp_path / "out" / "work").exists()
    documents = {path.name: path.read_bytes() for path in (tmp_path / "out" / "documents").iterdir()}
    assert {**run(), "seconds": 0} == {**first, "seconds": 0}
    assert {path.name: path.read_bytes() for path in (tmp_path / "out" / "documents").iterdir()} == documents
    retried = CliRunner().invoke(app, ["corpus", "retry", str(tmp_path / "out"), "--json"])
    assert {**json.loads(retried.stdout), "seconds": 0} == {**first, "seconds": 0}
    copied = CliRunner().invoke(app, ["corpus", "report", str(tmp_path / "out"), "-o", str(tmp_path / "copy.html")])
    assert copied.exit_code == 0
    assert (tmp_path / "copy.html").read_bytes() == (tmp_path / "out" / "report.html").read_bytes()
    other = CliRunner().invoke(app, ["corpus", "run", str(source), "-o", str(tmp_path / "out"), "--markdown"])
    assert "holds another run" in " ".join(other.stderr.split())
    assert "finished" not in other.stderr
    same = CliRunner().invoke(app, ["corpus", "run", str(source), "-o", str(tmp_path / "out"), "-j", "1"])
    assert "this run is finished" in " ".join(same.stderr.split())
    run("--keep-work", name="kept")
    run("--models", str(tmp_path / "models"), name="stored")
    assert [(tmp_path / name / "work").is_dir() for name in ("kept", "stored")] == [True, True]


def test_a_run_that_was_killed_while_its_work_was_removed_ends_the_same(finished, source, tmp_path):
    summary, output = finished
    killed = tmp_path / "killed"
    shutil.copytree(output, killed)
    clear(replace(summary, output=killed))
    shutil.copytree(output / "work" / "publish", killed / "work" / "publish")  # what was not removed yet
    again = run(config(source, killed, formats=("parquet", "jsonl", "markdown")))
    assert replace(again, output=summary.output) == summary
    assert table(killed / "documents") == table(output / "documents")


@pytest.mark.parametrize("spool", [True, False])
def test_a_retry_is_offered_for_pages_that_could_not_be_fetched(tmp_path, spool):
    (tmp_path / "good.html").write_text(article(1))
    (tmp_path / "list.txt").write_text("good.html\nhttp://127.0.0.1:9/\nno address\n")
    command = ["corpus", "run", str(tmp_path / "list.txt"), "-o", str(tmp_path / "out"), "-j", "1", *(() if spool else ("--no-spool",))]
    said = " ".join(CliRunner().invoke(app, command).stderr.split())
    assert re.search(r"failed 2 see .*; 1 for time, memory or fetching: .*: tamis corpus retry", said)


def test_an_interrupted_run_says_how_to_resume_it(source, tmp_path, monkeypatch):
    def interrupted(*_, **given):
        raise KeyboardInterrupt

    monkeypatch.setattr("tamis.corpus.pipeline.run", interrupted)
    result = CliRunner().invoke(app, ["corpus", "run", str(source), "-o", str(tmp_path / "out")])
    assert (result.exit_code, result.stderr) == (130, f"tamis: stopped; the same command continues ({tmp_path / 'out'})\n")


def test_the_report_shows_the_run_and_needs_nothing_else(finished):
    _, output = finished
    html = write_report(output).read_text(encoding="utf-8")
    assert all(word in html for word in ("27</b>pages", "a.test", "http://a.test/broken", "template: the same text", "Heading"))
    assert not any(word in html for word in ("<script", "src=", "@import", "url("))
    assert html.count('class="bars"') == 3
    assert "probability" not in html


@pytest.mark.parametrize("width", [390, 1280])
@pytest.mark.usefixtures("browser")
def test_the_report_fits_phones_and_desks(finished, width):
    from tamis import Browser, BrowserSettings

    with Browser(BrowserSettings(viewport=(width, 900), seconds=60)) as chromium:
        page = chromium.render(file=write_report(finished[1]))
    assert page.appearance.width <= width


def test_the_report_counts_pages_that_lead_elsewhere_together(tmp_path):
    pages = [{"url": f"http://a.test/{n}", "html": f"<meta http-equiv=refresh content='0;url=/new/{n}'>"} for n in range(3)]
    pages.append({"url": "http://a.test/text", "html": "<article><p>The ferry runs again to the island from Monday on.</p></article>"})
    (tmp_path / "pages.jsonl").write_text("".join(json.dumps(page) + "\n" for page in pages))
    run(config(tmp_path / "pages.jsonl", tmp_path / "out"))
    ((stage, reason, count, _),) = figures(tmp_path / "out").rows["failures"]
    assert (stage, count) == ("select", 3)
    assert "the page sends its readers elsewhere" in reason


def test_a_report_of_no_run_says_so(tmp_path):
    with pytest.raises(CorpusError, match="holds no run"):
        write_report(tmp_path)


@pytest.mark.parametrize("form", ["lines", "parquet", "archive", "gz"])
def test_a_source_is_read_once(form, source, finished, tmp_path):
    """The source is gone as soon as it was read; without the spool it is read again, to the same end."""
    import gzip
    from datetime import UTC, datetime

    import pyarrow as pa

    from tamis.io.warc import record

    pages = [json.loads(line) for line in source.read_text().splitlines()]
    path = tmp_path / {"lines": "a.jsonl", "parquet": "a.parquet", "archive": "a.warc.gz", "gz": "a.jsonl.gz"}[form]
    if form == "lines":
        path.write_text(source.read_text())
    elif form == "gz":
        path.write_bytes(gzip.compress(source.read_bytes()))
    elif form == "parquet":
        pq.write_table(pa.Table.from_pylist([{"url": page["url"], "html": page.get("html")} for page in pages]), path)
    else:
        blocks = [(page["url"], f"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n\r\n{page.get('html', '')}".encode()) for page in pages]
        members = [
            record("response", f"<{n}>", datetime(2026, 1, 1, tzinfo=UTC), block, "application/http", {"WARC-Target-URI": url})
            for n, (url, block) in enumerate(blocks)
        ]
        path.write_bytes(b"".join(members))
    wanted = {row["url"]: row["text"] for row in table(finished[1] / "documents")}

    def gone_when_read(stage, done, total):
        if stage == "survey":
            path.rename(tmp_path / "gone")

    run(config(path, tmp_path / "again", spool=False))
    run(config(path, tmp_path / "once"), lambda *told: path.exists() and gone_when_read(*told))
    for name in ("again", "once"):
        assert {row["url"]: row["text"] for row in table(tmp_path / name / "documents")} == wanted
    assert table(tmp_path / "once" / "failures") == table(tmp_path / "again" / "failures")
    assert not list((tmp_path / "once" / "work").rglob("spool.bin"))


def test_only_wanted_languages_are_kept_and_csv_is_safe_for_spreadsheets(tmp_path):
    pytest.importorskip("py3langid", reason="needs the extra language")
    german = "<p>Die Fähre fährt ab Montag wieder zur Insel, und die Karten werden wie immer am Hafen verkauft, sagte der Kapitän.</p>"
    english = "<p>=The ferry runs again to the island from Monday on, and tickets are sold at the quay as ever, the captain said.</p>"
    pages = [{"url": f"http://a.test/{n}", "html": f"<article>{text * 3}</article>"} for n, text in enumerate((german, english))]
    path = tmp_path / "pages.jsonl"
    path.write_text("".join(json.dumps(page) + "\n" for page in pages))
    summary = run(config(path, tmp_path / "out", languages=("en",), formats=("parquet", "csv")))
    assert (summary.documents, summary.other_languages, summary.failed) == (1, 1, 0)
    ((failure),) = table(tmp_path / "out" / "failures")
    assert (failure["stage"], failure["reason"]) == ("language", "the text is in another language: de")
    (row,) = csv.DictReader((tmp_path / "out" / "csv" / "part-000000.csv").read_text().splitlines(keepends=True))
    assert row["url"] == "http://a.test/1"
    assert row["text"].startswith("'=The ferry")
    assert (row["detected_language"], 0.5 < float(row["language_confidence"]) <= 1) == ("en", True)
    run(config(path, tmp_path / "all", detect_language=True, duplicates=False))
    rows = table(tmp_path / "all" / "documents")
    assert [row["detected_language"] for row in rows] == ["de", "en"]
    assert all(0.5 < row["language_confidence"] <= 1 for row in rows)
    assert figures(tmp_path / "all").rows["languages"] == [("de", 1), ("en", 1)]
    with pytest.raises(UsageError, match="codes of two letters"):
        config(path, tmp_path, languages=("english",))


def test_only_texts_that_pass_the_rules_are_kept(tmp_path):
    good = "".join(
        f"<p>The {boat} of our town has to be painted with care, and most owners do that in spring, when days are long.</p>"
        for boat in ("ferry", "old pilot boat", "trawler of the two brothers", "yellow dredger", "schooner")
    )
    pages = [
        {"url": f"http://a.test/{n}", "html": f"<article>{text}</article>"} for n, text in enumerate((good, "<p>Boats, and much more."))
    ]
    path = tmp_path / "pages.jsonl"
    path.write_text("".join(json.dumps(page) + "\n" for page in pages))
    summary = run(config(path, tmp_path / "out", quality=("gopher-words", "fineweb")))
    assert (summary.documents, summary.low_quality, summary.failed) == (1, 1, 0)
    ((failure),) = table(tmp_path / "out" / "failures")
    assert failure["stage"] == "quality"
    assert failure["reason"].startswith("the text breaks gopher-words")
    assert [record.status for record in clean([path], Cleaning(quality=("gopher-words",)))] == ["ok", "empty"]
    with pytest.raises(UsageError, match="rules of quality are gopher, fineweb"):
        config(path, tmp_path, quality=("gofer",))


def test_a_filter_of_ones_own_keeps_documents_or_says_why_not(tmp_path, monkeypatch):
    (tmp_path / "own_filters.py").write_text(
        "def named(document):\n    return 'no ferry in it' if 'ferry' not in document.text else None\n"
        "def short(document):\n    return len(document.text) < 40\n"
        "def broken(document):\n    raise KeyError('x')\n",
        encoding="utf-8",
    )
    monkeypatch.chdir(tmp_path)
    texts = ("The ferry runs again from Monday on.", "Tickets are sold at the quay.", "The ferry stays in port for the whole of this week.")
    lines = [json.dumps({"url": f"http://a.test/{n}", "html": f"<article><p>{text}</article>"}) for n, text in enumerate(texts)]
    path = tmp_path / "pages.jsonl"
    path.write_text("\n".join(lines), encoding="utf-8")
    filters = ("own_filters:named", "own_filters:short")
    records = list(clean([path], Cleaning(filters=filters)))
    assert [record.status for record in records] == ["ok", "empty", "empty"]
    assert [record.problems for record in records[1:]] == [("no ferry in it",), ("the filter own_filters:short leaves it out",)]
    summary = run(config(path, tmp_path / "out", filters=filters))
    assert (summary.documents, summary.filtered, summary.failed) == (1, 2, 0)
    assert {row["stage"] for row in table(tmp_path / "out" / "failures")} == {"filter"}
    (failed, *_) = clean([path], Cleaning(filters=("own_filters:broken",)))
    assert failed.problems == ("filter: KeyError: 'x'",)
    for wrong in ("own_filters:none", "nothing:named", "named"):
        with pytest.raises(UsageError, match="module:function"):
            Cleaning(filters=(wrong,))


@pytest.mark.parametrize(
    ("body", "problem"),
    [
        ("sys.exit(0)", "filter: RuntimeError: the filter hostile:asked ends the program"),
        ("raise GeneratorExit", "filter: RuntimeError: the filter hostile:asked ends the program"),
        ("raise Unsayable", "filter: Unsayable"),
        ("raise ValueError('a\\nfailed:  b' + 'x' * 10_000)", "filter: ValueError: a failed: b"),
        ("return 'a\\nb ' + 'x' * 10_000", "a b x"),
        ("return Unsayable()", ""),
        ("return type('Odd', (), {'__bool__': None})()", "filter: TypeError: 'NoneType' object is not callable"),
    ],
)
def test_a_filter_that_misbehaves_costs_its_own_page_a_reason_in_a_line(tmp_path, monkeypatch, capsys, body, problem):
    code = (
        "import sys\nclass Unsayable(Exception):\n    def __str__(self):\n        raise ValueError\n"
        f"def asked(document):\n    print('noise')\n    {body}\n"
    )
    (tmp_path / "hostile.py").write_text(code, encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    monkeypatch.delitem(sys.modules, "hostile", raising=False)
    monkeypatch.syspath_prepend(tmp_path)
    load_filter.cache_clear()
    page = tmp_path / "page.html"
    page.write_text("<article><p>The ferry runs again from Monday on.</article>", encoding="utf-8")
    (record,) = clean([page], Cleaning(filters=("hostile:asked",)))
    assert (record.problems or ("",))[0].startswith(problem)
    assert all(len(each) < 600 and "\n" not in each for each in record.problems)
    assert capsys.readouterr() == ("", "noise\n")


@pytest.mark.parametrize(
    "code", ["def f(:", "raise SystemExit(0)", "raise RuntimeError", "def f(page):\n    yield 1", "async def f(page): ..."]
)
def test_a_filter_that_cannot_be_used_is_a_mistake_of_the_caller(tmp_path, monkeypatch, code):
    (tmp_path / "unusable.py").write_text(code, encoding="utf-8")
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.delitem(sys.modules, "unusable", raising=False)
    with pytest.raises(UsageError, match="filter"):
        Cleaning(filters=("unusable:f",))


@pytest.mark.parametrize("stored", [False, True])
def test_saved_pages_of_several_sites_that_were_taken_for_one_are_named(tmp_path, stored):
    folder = tmp_path / "mix"
    folder.mkdir()
    for number in range(12):
        host = ("a.cc", "b.com")[number % 2]
        link = f"<link rel=canonical href=https://{host}/{number}>"
        (folder / f"{number}.html").write_text(link + article(number))
    models = ["--models", str(tmp_path / "models")] if stored else []
    for name in ("first", "second")[: 1 + stored]:
        found = CliRunner().invoke(app, ["corpus", "run", str(folder), "-o", str(tmp_path / name), "-j1", "--keep-work", *models])
        assert f"{folder} was taken for one site, but has pages of several (a.cc, b.com)" in found.stderr
        assert figures(tmp_path / name).rows["mixed"] == [(str(folder), "a.cc, b.com")]
