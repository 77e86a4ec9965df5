"""Tasks are committed once, and lose no more than the pages that kill them."""

import subprocess
import sys
import threading
from contextlib import closing
from pathlib import Path

import pytest

from tamis.corpus.runners import LocalRunner, TaskWorker
from tamis.corpus.tables import database
from tamis.corpus.tasks import Task, TaskStore
from tamis.errors import CorpusError


def task(number=0, function="double", **needs):
    return Task("stage", number, f"tests.corpus.work:{function}", needs)


@pytest.fixture
def guard(tmp_path):
    guard = TaskWorker(str(tmp_path), page_seconds=2.0)
    yield guard
    guard.close()


def test_a_task_is_done_once(tmp_path):
    store = TaskStore(tmp_path)
    first = store.run(task(numbers=[1, 2]))
    assert store.run(task(numbers=[7])) == first
    assert store.file(first, "numbers").read_text() == "2\n4"
    assert first.counts == {"items": 2}


def test_of_two_attempts_one_counts(tmp_path):
    store = TaskStore(tmp_path)
    barrier = threading.Barrier(2)
    found = []

    class Both(TaskStore):
        def _commit(self, *arguments):
            barrier.wait(5)
            return super()._commit(*arguments)

    threads = [threading.Thread(target=lambda: found.append(Both(tmp_path).run(task(numbers=[3])))) for _ in range(2)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert found[0] == found[1] == store.manifest(task())
    assert len([path for path in (tmp_path / "stage").iterdir() if path.is_dir()]) == 1


def test_dead_attempts_are_swept_and_never_read(tmp_path):
    store = TaskStore(tmp_path)
    store.run(task(numbers=[1]))
    dead = tmp_path / "stage" / "000000.dead"
    dead.mkdir()
    (dead / "numbers.txt").write_text("half")
    store.sweep([task(numbers=[1])])
    assert not dead.exists()
    assert store.file(store.manifests([task()])[0], "numbers").read_text() == "2"


def test_a_task_that_is_not_done_has_no_manifest(tmp_path):
    with pytest.raises(CorpusError, match="stage-000000 is not done"):
        TaskStore(tmp_path).manifests([task()])


def test_a_damaged_manifest_is_named_and_its_task_is_done_again(tmp_path):
    store = TaskStore(tmp_path)
    store.run(task(numbers=[1]))
    whole = (tmp_path / "stage" / "000000.json").read_text()
    for damaged in ("", "{", "[]", whole[:-5], whole.replace('"items": 1', '"items": 3')):
        (tmp_path / "stage" / "000000.json").write_text(damaged)
        with pytest.raises(CorpusError, match=r"000000\.json.*does the task again"):
            store.manifest(task())
        store.sweep([task(numbers=[1])])
        assert store.run(task(numbers=[1])).counts == {"items": 1}


def test_a_damaged_result_is_done_again(tmp_path):
    store = TaskStore(tmp_path)
    for damage in (Path.unlink, lambda path: path.write_text("3"), lambda path: path.write_text(""), lambda path: path.write_text("2\n4")):
        damage(store.file(store.run(task(numbers=[1])), "numbers"))
        store.sweep([task(numbers=[1])])
        assert store.manifest(task()) is None
        assert store.file(store.run(task(numbers=[1])), "numbers").read_text() == "2"


def test_a_page_that_crashes_or_hangs_costs_itself_only(guard):
    manifest = guard.run(task(function="fragile", items=["a", "crash", "b", "hang", "c"]))
    assert manifest.counts["done"] == ["a", "b", "c"]
    assert manifest.counts["lost"] == {"1": "the worker process died (SIGSEGV)", "3": "took longer than the limit of 2 seconds"}


def test_an_error_of_the_task_itself_is_told(guard, tmp_path):
    with pytest.raises(CorpusError, match="stage-000000 failed: ValueError: a mistake"):
        guard.run(task(function="fragile", items=["a", "error"]))
    assert list((tmp_path / "stage").iterdir()) == []
    assert guard.run(task(1, numbers=[1])).counts == {"items": 1}


def test_memory_is_bounded(tmp_path):
    guard = TaskWorker(str(tmp_path), page_seconds=5.0, memory=4 << 30)
    with pytest.raises(CorpusError, match="MemoryError"):
        guard.run(task(function="fragile", items=["memory"]))
    guard.close()


def test_many_tasks_run_side_by_side(tmp_path):
    tasks = [task(number, numbers=[number]) for number in range(7)]
    with closing(LocalRunner(str(tmp_path), workers=2, page_seconds=5.0)) as runner:
        manifests = list(runner.run(tasks))
    assert sorted(manifest.task for manifest in manifests) == [task.name for task in tasks]
    assert [TaskStore(tmp_path).file(manifest, "numbers").read_text() for manifest in TaskStore(tmp_path).manifests(tasks)] == [
        str(2 * number) for number in range(7)
    ]


def test_children_read_and_write_tables_without_modules_that_load_slowly(tmp_path):
    with closing(TaskWorker(str(tmp_path), page_seconds=20.0)) as guard:
        loaded = guard.run(Task("loaded", 0, "tests.corpus.work:loaded")).counts
    assert loaded == {"pandas": False, "pyarrow.dataset": False, "pyarrow.compute": False}


def test_the_main_process_of_a_run_loads_no_code_for_pages():
    heavy = "{'numpy', 'selectolax', 'tamis.document.document', 'tamis.site.model', 'duckdb', 'pyarrow'}"
    code = f"import sys, tamis.corpus.pipeline; sys.exit(' '.join({heavy} & set(sys.modules)))"
    assert subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False).stderr.strip() == ""


def test_databases_print_no_progress_bar(tmp_path):
    with closing(database("100MB", tmp_path)) as base:
        assert base.execute("select current_setting('enable_progress_bar')").fetchall() == [(False,)]
