"""Results of an earlier run, taken for pages that have not changed."""

import random
import shutil

import numpy as np
import pytest

from tamis.corpus import previous_run
from tamis.corpus.config import CorpusConfig
from tamis.corpus.pipeline import retry, run
from tamis.corpus.previous_run import PreviousRun, fingerprint, index_results
from tamis.corpus.report import figures
from tamis.corpus.tables import DOCUMENTS, DROPPED, FAILURES, RESULTS, Writer
from tamis.corpus.tasks import Manifest, Task, TaskStore, Work
from tamis.errors import CorpusError, UsageError
from tamis.io.pages import Served

from ..site.pages import article
from .killing import begin_and_kill, set_unfinished
from .test_models import config, shop, stored, write
from .test_pipeline import table

TABLES = ("documents", "dropped", "failures")


@pytest.fixture(scope="module")
def first(tmp_path_factory):
    """The folder of a finished run ``out`` over two sites, with its store and its source."""
    folder = tmp_path_factory.mktemp("first")
    pages = [(site, n, article(n + shift)) for site, shift in (("a", 0), ("b", 100)) for n in range(12)]
    run(config(write(folder / "pages.jsonl", pages), folder / "out", folder / "store"))
    return folder


@pytest.fixture
def again(first, tmp_path):
    """Runs once more with the results of the first run, and a copy of its store."""
    store = shutil.copytree(first / "store", tmp_path / "store")

    def once_more(source=None, **changed):
        source = source or str(first / "pages.jsonl")
        return run(config(source, tmp_path / "out", store, **{"previous": str(first / "out"), **changed}))

    return once_more


def rows_of(output):
    """The rows of a run by address, without what depends on where a page stands."""
    pages = {row["id"]: row["url"] for name in ("documents", "failures") for row in table(output / name)}
    found = [(name, pages[row.pop("id")], row) for name in TABLES for row in table(output / name)]
    return sorted((name, url, sorted((key, str(value)) for key, value in row.items() if key != "source")) for name, url, row in found)


def test_pages_that_have_not_changed_keep_their_results_row_for_row(first, again, tmp_path):
    summary = again()
    assert (summary.pages, summary.unchanged, summary.unused) == (24, 24, "")
    assert summary.outcomes == {"reused": 2}
    for name in TABLES:
        assert table(tmp_path / "out" / name) == table(first / "out" / name)
    assert figures(tmp_path / "out").counts == figures(first / "out").counts


def test_pages_that_are_still_wanted_keep_their_results(first, again, tmp_path):
    summary = again(exclude=("/7", "http://b.test/*"))
    assert (summary.unused, summary.pages, summary.unchanged, summary.left_out) == ("", 11, 11, 13)
    wanted = [row for row in rows_of(first / "out") if row[1].startswith("http://a.test/") and row[1] != "http://a.test/7"]
    assert rows_of(tmp_path / "out") == wanted


def test_pages_that_changed_or_moved_are_cleaned(first, again, tmp_path):
    pages = [("a", n, article(n)) for n in range(12)] + [("b", n, article(n + 100)) for n in range(12)]
    pages[3], pages[7] = ("a", 3, article(77)), ("a", 70, article(7))
    summary = again(source := write(tmp_path / "pages.jsonl", pages[::-1]))
    assert (summary.pages, summary.unchanged) == (24, 22)
    assert summary.outcomes == {"updated": 1, "reused": 1}
    calm = run(config(source, tmp_path / "calm", shutil.copytree(first / "store", tmp_path / "calm-store")))
    assert calm.unchanged == 0
    assert rows_of(tmp_path / "out") == rows_of(tmp_path / "calm")


def test_an_updated_template_keeps_results_and_one_learned_anew_does_not(first, again, tmp_path):
    second = again(write(tmp_path / "second.jsonl", [("a", n, article(n)) for n in range(15)]))
    assert (second.unchanged, second.outcomes) == (12, {"updated": 1})
    pages = [("a", n, article(n)) for n in range(15)]
    third = run(config(write(tmp_path / "3.jsonl", pages), tmp_path / "3", tmp_path / "store", previous=str(tmp_path / "out")))
    assert (third.unchanged, third.outcomes) == (15, {"reused": 1})
    pages = [("a", n, shop(n)) for n in range(12)] + pages[:3]
    fourth = run(config(write(tmp_path / "4.jsonl", pages), tmp_path / "4", tmp_path / "store", previous=str(tmp_path / "3")))
    assert (fourth.unchanged, fourth.outcomes) == (3, {"learned anew": 1})
    fifth = run(config(str(tmp_path / "4.jsonl"), tmp_path / "5", tmp_path / "store", previous=str(tmp_path / "4")))
    assert fifth.unchanged == 12  # cleaned with the template that was learned anew; the other three with the one before


def test_a_template_of_twice_the_pages_is_another_state(first, tmp_path):
    models = stored(first / "store")
    assert models.state("a.test") not in (b"", models.state("c.test"))
    assert models.state("c.test") == b""
    source = write(tmp_path / "pages.jsonl", [("a", n, article(n)) for n in range(40, 60)])
    store = shutil.copytree(first / "store", tmp_path / "store")
    run(config(source, tmp_path / "out", store))
    assert stored(store).state("a.test") != models.state("a.test")
    assert stored(store).state("b.test") == models.state("b.test")


def test_pages_of_sites_without_a_template_keep_their_results(tmp_path):
    source = write(tmp_path / "pages.jsonl", [("a", n, article(n)) for n in range(3)])
    assert run(config(source, tmp_path / "1", tmp_path / "store")).templates == 0
    summary = run(config(source, tmp_path / "2", tmp_path / "store", previous=str(tmp_path / "1")))
    assert (summary.unchanged, summary.templates) == (3, 0)
    assert table(tmp_path / "1" / "documents") == table(tmp_path / "2" / "documents")


BOATS = "".join(f"<div class=boat><h3>Boat {n} of the harbour</h3><i>{20 + n} feet</i></div>" for n in range(8))
GERMAN = "<p lang=de>" + "Die Austern liegen im Frühjahr auf den Bänken vor der Küste, und der Wind kommt meist aus Westen. " * 9


@pytest.mark.parametrize("changed", [{"records": True, "markdown": True}, {"languages": ("de",)}, {"quality": ("gopher-words",)}])
def test_records_and_pages_that_are_left_out_are_kept_too(changed, tmp_path):
    pages = [("a", n, article(n, body=[f"{BOATS} {n}", *([] if n % 2 else [GERMAN])])) for n in range(8)]
    source = write(tmp_path / "pages.jsonl", [*pages, ("b", 5, GERMAN), ("b", 6, GERMAN[:100])])
    before = run(config(source, tmp_path / "1", tmp_path / "store", **changed))
    assert before.records + before.other_languages + before.low_quality > 0
    summary = run(config(source, tmp_path / "2", tmp_path / "store", previous=str(tmp_path / "1"), **changed))
    assert summary.unchanged == 10
    for name in (*TABLES, *(["records"] if "records" in changed else [])):
        assert table(tmp_path / "1" / name) == table(tmp_path / "2" / name)
    for name in ("documents", "records", "other_languages", "low_quality"):
        assert getattr(summary, name) == getattr(before, name)


def test_a_run_with_other_settings_is_not_used_and_the_summary_says_why(again):
    summary = again(markdown=True)
    assert (summary.unchanged, summary.unused, summary.documents) == (0, "markdown was false, is true", 24)


def test_what_is_no_finished_run_is_refused(first, again, tmp_path):
    with pytest.raises(CorpusError, match="holds no run"):
        again(previous=str(tmp_path))
    broken = shutil.copytree(first / "out", tmp_path / "broken")
    set_unfinished(broken)
    with pytest.raises(CorpusError, match="is not finished"):
        again(previous=str(broken))
    with pytest.raises(UsageError, match="results of an earlier run"):
        CorpusConfig((str(first / "pages.jsonl"),), str(tmp_path / "out"), previous=str(first / "out"))
    with pytest.raises(UsageError, match="is another one"):
        again(previous=str(tmp_path / "out"))


def test_an_earlier_run_that_is_gone_is_an_error_and_failed_pages_are_cleaned_without_it(first, again, tmp_path):
    mine = shutil.copytree(first / "out", tmp_path / "mine")
    assert again(previous=str(mine)).unchanged == 24
    shutil.rmtree(mine)
    assert retry(tmp_path / "out", {"workers": 1}).documents == 24
    shutil.rmtree(tmp_path / "out" / "work" / "read")
    set_unfinished(tmp_path / "out")
    with pytest.raises(CorpusError, match="holds no run"):
        again(previous=str(mine))


@pytest.mark.slow
def test_killed_at_any_moment_a_run_with_an_earlier_one_comes_to_the_same_end(first, tmp_path):
    pages = [("a", n, article(n)) for n in range(14)] + [("b", n, article(n + 100)) for n in range(3, 12)]
    source = write(tmp_path / "pages.jsonl", pages)
    settings = [
        config(source, tmp_path / name, shutil.copytree(first / "store", tmp_path / f"{name}-store"), previous=str(first / "out"))
        for name in ("calm", "out")
    ]
    calm = run(settings[0])
    begin_and_kill(settings[1], random.Random(5), times=4, most=7)
    assert run(settings[1]).unchanged == calm.unchanged == 21
    for name in TABLES:
        assert table(tmp_path / "out" / name) == table(tmp_path / "calm" / name)


def test_a_print_depends_on_all_that_a_result_depends_on():
    pages = [Served("<p>a"), Served(b"<p>a"), Served("<p>b"), Served("<p>a", "http://a/"), Served("<p>a", None, "text/html")]
    fingerprints = {fingerprint(page, state) for page in pages for state in (b"", b"1")}
    assert len(fingerprints) == 10
    assert {len(found) for found in fingerprints} == {16}
    assert fingerprint(Served("\ud800"), b"") == fingerprint(Served("\ud800"), b"")


def earlier_of(folder, ids, batch):
    """An earlier run of one task whose pages have these ids; fingerprints by id."""
    store = TaskStore(folder / "work")

    def write_tables(work):
        with (
            Writer(work.path("documents.parquet"), DOCUMENTS, batch) as documents,
            Writer(work.path("dropped.parquet"), DROPPED, batch) as gone,
        ):
            for id in ids:
                documents.add({"id": id, "text": f"text {id}"})
                for reason in range(id % 4):
                    gone.add({"id": id, "reason": str(reason)})
        with Writer(work.path("failures.parquet"), FAILURES):
            pass
        with Writer(work.path("results.parquet"), RESULTS) as results:
            for id in ids:
                results.add({"id": id, "fingerprint": fingerprints[id]})
        return {}

    fingerprints = {id: fingerprint(Served(str(id)), b"") for id in ids}
    folder.joinpath("work", "clean", "000000.attempt").mkdir(parents=True)
    work = Work(store.root, Task("clean", 0, ""), {}, lambda item: None, folder / "work" / "clean" / "000000.attempt")
    store._commit(work.task, work.folder, write_tables(work), {})
    assert isinstance(store.of_stage("clean")[0], Manifest)
    index = Work(store.root, Task("earlier", 0, "", {"root": str(store.root)}), {}, lambda item: None, folder)
    assert index_results(index) == {"results": len(ids)}
    return PreviousRun(folder / "index.npy", folder / "parts.json"), fingerprints


@pytest.mark.parametrize("batch", [1, 2, 3, 100])
def test_rows_are_found_in_any_row_group(batch, tmp_path, monkeypatch):
    monkeypatch.setattr(previous_run, "READ_AHEAD", 10_000)
    ids = [3, 4, 9, 10, 11, 20, 47, 48]
    found, fingerprints = earlier_of(tmp_path, ids, batch)
    for id in random.Random(batch).sample(ids, len(ids)):
        rows = found.get(fingerprints[id])
        assert [row["text"] for row in rows["documents"]] == [f"text {id}"]
        assert [(row["id"], row["reason"]) for row in rows["dropped"]] == [(id, str(n)) for n in range(id % 4)]
        assert rows["failures"] == []
    assert found.get(fingerprint(Served("5"), b"")) is None
    high = np.frombuffer(fingerprints[3], dtype=np.uint64)[0]
    assert found.get(np.array([high, 1], dtype=np.uint64).tobytes()) is None  # only half of the print is the same


def test_reading_stops_where_it_does_not_pay(tmp_path):
    found, fingerprints = earlier_of(tmp_path, list(range(0, 400, 4)), 1)
    taken = [found.get(fingerprints[id]) is not None for id in range(0, 400, 4)]
    assert taken[:8] == [True] * 8
    assert not any(taken[20:])


def test_an_earlier_run_without_results_gives_none(tmp_path):
    found, _ = earlier_of(tmp_path, [], 1)
    assert found.get(bytes(16)) is None


def test_damaged_tables_are_an_error(tmp_path):
    found, fingerprints = earlier_of(tmp_path, [1, 2], 1)
    next(tmp_path.glob("work/clean/*/documents.parquet")).write_bytes(b"no table")
    with pytest.raises(CorpusError, match="cannot read results of the earlier run"):
        found.get(fingerprints[1])
