"""python -m training."""

import json

import pytest
from typer.testing import CliRunner

from tamis.content.weights import read_weights
from tests.benchmarks.conftest import single_pages, sites  # noqa: F401  # fixtures
from training.__main__ import app


@pytest.fixture
def training():
    """Runs ``python -m training`` within this process."""
    return lambda *words: CliRunner().invoke(app, [str(word) for word in words])


@pytest.fixture
def _sklearn():
    pytest.importorskip("sklearn", reason="the extra train is not installed")


@pytest.mark.usefixtures("_sklearn")
def test_weights_are_written_and_can_be_read(training, single_pages, tmp_path):  # noqa: F811
    result = training(single_pages, "-o", tmp_path / "weights.npz", "--passes", "2")
    assert result.exit_code == 0, result.output
    assert "5 pages" in result.output  # two of them with boxes
    assert read_weights(tmp_path / "weights.npz").page_types == ("article", "product")


@pytest.mark.usefixtures("_sklearn")
def test_an_evaluation_is_shown_and_written(training, sites, tmp_path):  # noqa: F811
    result = training(sites, "--evaluate", "--passes", "2", "--drop", "names", "--json", tmp_path / "result.json")
    assert result.exit_code == 0, result.output
    assert "heron" in result.output
    written = json.loads((tmp_path / "result.json").read_text("utf-8"))
    assert set(written["results"]) == {"without names"}
    assert written["results"]["without names"]["sites"]["plain"]["heron"] >= 0


def test_one_says_what_is_wanted(training, single_pages):  # noqa: F811
    result = training(single_pages)
    assert result.exit_code == 2
    assert "--output" in result.output
    assert "--evaluate" in result.output


def test_a_group_that_is_none_is_named(training, single_pages):  # noqa: F811
    result = training(single_pages, "--evaluate", "--drop", "magic")
    assert result.exit_code == 2
    assert "groups are text, containers" in result.output


def test_a_folder_without_gold_is_named(training, tmp_path):
    result = training(tmp_path, "--evaluate")
    assert result.exit_code != 0
    assert str(tmp_path.name) in result.output
