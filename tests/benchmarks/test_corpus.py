"""The corpus bench: pages packed as a crawl, whole runs watched."""

import json
import sys
from dataclasses import asdict

import pytest
from typer.testing import CliRunner

from benchmarks.corpus import Point, Result, _watch, report, run
from benchmarks.corpus_pages import pack
from tamis.cli import app
from tamis.corpus.shards import plan, read
from tamis.errors import UsageError


@pytest.mark.parametrize("form", ["warc", "parquet"])
def test_a_corpus_has_as_many_pages_as_asked_for_each_with_its_own_address(sites, tmp_path, form):
    packed = pack([sites], tmp_path / "crawl", 11, form)
    found = [source for shard in plan([str(tmp_path / "crawl")]) for source in read(shard)]
    assert len(found) == len({source.url for source in found}) == 11
    assert sum(len(source.read().html) for source in found) == packed.html_bytes
    assert set(packed.gold) < {source.url for source in found}
    assert {page.site for page in packed.gold.values()} == {"heron", "stork"}


def test_a_run_is_measured_whole(sites, tmp_path):
    result = run([sites], pages=[8], workers=[1], contestants=["tamis-models", "tamis-again", "tamis-unchanged"])
    point, *others = result.points
    for other in others:
        assert other.error is None
        assert other.f1 == point.f1
    assert ["reuse" in other.parts for other in others] == [False, True]
    assert sum("of the first" in remark for remark in report(result).remarks) == 2
    assert point.parts["parse"] >= 0
    assert point.error is None
    assert (point.documents or 0) + (point.duplicates or 0) == 8
    assert 0.5 < (point.f1 or 0) <= 1
    assert (point.memory or 0) > 10_000_000
    assert (point.processor_seconds or 0) > 0.1
    assert {"models", "read", "survey", "templates", "clean", "deduplicate", "publish", "store"} == set(point.stages)
    assert json.loads(json.dumps(asdict(result)))["points"][0]["pages"] == 8
    assert report(result)


def test_children_of_a_command_count_and_a_failure_is_told():
    code = "import subprocess, sys; subprocess.run([sys.executable, '-c', 'b = bytearray(80_000_000); import time; time.sleep(1.5)'])"
    assert _watch([sys.executable, "-c", code], 30).memory > 80_000_000
    assert _watch([sys.executable, "-c", "raise SystemExit('no such thing')"], 30).error == "no such thing"
    assert "more than 0.5 seconds" in (_watch([sys.executable, "-c", "import time; time.sleep(30)"], 0.5).error or "")


def test_mistakes_are_told(sites):
    with pytest.raises(UsageError, match="no contestant 'nobody'"):
        run([sites], pages=[2], workers=[1], contestants=["nobody"])
    assert CliRunner().invoke(app, ["bench", "corpus", str(sites), "--form", "zip"]).exit_code == 2


def test_workers_are_compared():
    points = tuple(Point("tamis", workers, 10, 1000, 4.0 / workers, 4.0, 1, 3.0 / workers**2, 1.0, 10, 0) for workers in (1, 2))
    (line,) = [line for line in report(Result("warc", points)).remarks if "two workers" in line]
    assert "2.00 times as quick as one by the clock, 4.00 times by processor time" in line
