"""The five papers' experiments on the demo site: every table has the paper's figure and ours."""

from __future__ import annotations

import pytest

from benchmarks.papers import PAPERS, _collisions, report, run
from demo import build_site
from demo.gold_sets import write_gold
from tamis.errors import SourceError


@pytest.fixture(scope="module")
def gold(tmp_path_factory):
    folder = tmp_path_factory.mktemp("gold")
    write_gold(folder, build_site())
    return folder


@pytest.mark.slow
def test_all_five_run_on_the_demo(gold):
    found = run(gold)
    assert tuple(found.figures) == PAPERS
    assert not found.not_run
    by_measure = {figure.measure: figure for figures in found.figures.values() for figure in figures}
    assert by_measure["noise blocks: recall"].paper == "95.4 %"
    assert by_measure["the worked example (figure 2)"].ours == "0.8182"
    assert by_measure["crossed, naive Bayes: accuracy"].paper == "0.625 to 0.954"
    *five, by_site, curve = report(found).tables
    assert [table.columns for table in five] == ["measure; the paper; its method here; tamis by default"] * 5
    assert [row[0] for row in by_site.rows] == ["en", "zh"]
    assert [row[0] for row in curve.rows] == [f"{t / 100:.2f}" for t in range(20, 51, 2)]


def test_what_is_missing_is_named(tmp_path, gold):
    with pytest.raises(SourceError, match="python -m demo write"):
        run(tmp_path)
    (tmp_path / "sites").symlink_to(gold / "sites")
    found = run(tmp_path, papers=["feature-code", "style-tree"])
    assert set(found.not_run) == {"feature-code", "style-tree"}


def test_collisions_are_pairs_of_one_length_with_one_code():
    codes = [("a",), ("a",), ("b",), ("a", "b"), ("a", "c"), ("a", "b", "c")]
    assert _collisions(codes) == "1: 1 of 3; 2: 0 of 1"
