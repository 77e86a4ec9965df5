"""tamis train."""

import json

import pytest

from tamis.content.weights import read_weights
from tests.bench.conftest import single_pages, sites  # noqa: F401  # fixtures


@pytest.fixture
def _catboost():
    pytest.importorskip("catboost", reason="the extra train is not installed")


@pytest.mark.usefixtures("_catboost")
def test_weights_are_written_and_can_be_read(tamis, single_pages, tmp_path):  # noqa: F811
    result = tamis("train", single_pages, "-o", tmp_path / "weights.npz", "--trees", "4")
    assert result.exit_code == 0, result.output
    assert "4 trees" in result.output
    assert len(read_weights(tmp_path / "weights.npz").blocks.column) == 4


@pytest.mark.usefixtures("_catboost")
def test_an_evaluation_is_shown_and_written(tamis, sites, tmp_path):  # noqa: F811
    result = tamis("train", sites, "--evaluate", "--folds", "2", "--trees", "4", "--drop", "names", "--json", tmp_path / "result.json")
    assert result.exit_code == 0, result.output
    assert "heron" in result.output
    written = json.loads((tmp_path / "result.json").read_text("utf-8"))
    assert set(written["results"]) == {"without names"}
    assert written["results"]["without names"]["sites"]["plain"]["heron"] >= 0


def test_one_says_what_is_wanted(tamis, single_pages):  # noqa: F811
    result = tamis("train", single_pages)
    assert result.exit_code == 2
    assert "--output" in result.output
    assert "--evaluate" in result.output


def test_a_group_that_is_none_is_named(tamis, single_pages):  # noqa: F811
    result = tamis("train", single_pages, "--evaluate", "--drop", "magic")
    assert result.exit_code == 2
    assert "groups are text, position" in result.output


def test_a_folder_without_gold_is_named(tamis, tmp_path):
    result = tamis("train", tmp_path, "--evaluate")
    assert result.exit_code != 0
    assert str(tmp_path.name) in result.output
