"""The plan of a run: what is estimated from a sample against the run itself."""

import json
from dataclasses import replace

import pytest
from typer.testing import CliRunner

from tamis.cli import app
from tamis.corpus.config import CorpusConfig
from tamis.corpus.estimate import _chao, estimate
from tamis.corpus.pipeline import run
from tamis.corpus.tasks import TaskStore

from ..site.pages import article


@pytest.fixture(scope="module")
def source(tmp_path_factory):
    """Ten files of two sites."""
    folder = tmp_path_factory.mktemp("crawl")
    for part in range(10):
        pages = [{"url": f"http://{'ab'[n % 2]}.test/{part}-{n}", "html": article(100 * part + n)} for n in range(10)]
        (folder / f"{part}.jsonl").write_text("".join(json.dumps(page) + "\n" for page in pages))
    return folder


def test_the_estimate_is_near_what_the_run_needs(source, tmp_path):
    config = CorpusConfig((str(source),), str(tmp_path / "out"), workers=1)
    found = estimate(config)
    assert (found.measured_pages, found.measured_sites) == (60, 2)
    assert (found.pages, found.sites) == (100, 2)
    run(config)
    store = TaskStore(tmp_path / "out" / "work")
    clean = sum(manifest.costs["seconds"] for manifest in store.of_stage("clean"))
    assert clean / 4 < found.seconds["clean"] < clean * 4
    assert found.read == pytest.approx(sum(path.stat().st_size for path in source.iterdir()), rel=0.1)
    assert not found.requests % 1
    again = estimate(replace(config, spool=False), pages=10_000, sites=500)
    assert (again.pages, again.sites, again.spool) == (10_000, 500, 0)
    assert again.seconds["clean"] > 20 * found.seconds["clean"]
    assert again.seconds["survey"] > again.seconds["clean"] / 100


def test_a_plan_that_reads_all_pages_knows_the_number_of_sites(tmp_path):
    for part in range(3):
        page = {"url": f"http://{part}.test/", "html": article(part)}
        (tmp_path / f"{part}.jsonl").write_text(json.dumps(page) + "\n")
    found = estimate(CorpusConfig((str(tmp_path),), str(tmp_path / "out"), workers=1))
    assert (found.measured_pages, found.sites) == (3, 3)


def test_sites_that_were_seen_once_tell_of_those_not_seen():
    import pyarrow as pa

    def tables(*shards):
        return [pa.table({"site": list(sites)}) for sites in shards]

    assert _chao(tables("ab", "ab")) == 2
    assert _chao(tables("abc", "ade")) == 5 + 4 * 3 / (2 * 2)
    assert _chao(tables("abc")) == 3


def test_the_command_prints_the_plan(source):
    result = CliRunner().invoke(app, ["corpus", "plan", str(source), "--for-pages", "5000", "-j", "2"])
    assert result.exit_code == 0
    assert "5,000, 2 (measured: 60, 2)" in result.stdout
    assert "2 workers" in result.stdout


def test_a_plan_counts_pages_with_a_wanted_address_only(source):
    result = CliRunner().invoke(app, ["corpus", "plan", str(source), "--include", "http://a.test/*", "-j", "2"])
    assert result.exit_code == 0
    assert "50, 1 (measured: 30, 1)" in result.stdout
