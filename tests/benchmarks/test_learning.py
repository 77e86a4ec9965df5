from __future__ import annotations

import json
from io import StringIO
from pathlib import Path

import pytest
from rich.console import Console

from benchmarks import learning
from benchmarks.learning import Source, report
from benchmarks.planting import read_site
from benchmarks.report import draw, to_terminal
from tamis.errors import UsageError

pytest.importorskip("cssselect")


def test_pages_are_of_one_template_and_all_different(larger_sites: Path):
    site = read_site(larger_sites / "heron")
    texts = [tree.text() for tree in Source([site.original(0), site.original(1)], 6)]
    assert len(set(texts)) == 6
    assert all("All rights reserved by the heron society" in text for text in texts)


def test_each_size_is_measured_for_each_method(larger_sites: Path, tmp_path: Path):
    result = learning.run(larger_sites / "heron", pages=(3, 6), methods=["paragraphs"])
    assert [(point.pages, point.error) for point in result.points] == [(3, None), (6, None)]
    assert result.growth("paragraphs") is not None
    values = json.loads(json.dumps(result.to_dict()))
    assert values["site"] == "heron"
    console = Console(width=200, record=True, file=StringIO())
    console.print(to_terminal(report(result)))
    assert "time grows with pages to the power of" in console.export_text()
    pytest.importorskip("matplotlib")
    draw(report(result).panels, tmp_path / "plot.svg")
    assert "<svg" in (tmp_path / "plot.svg").read_text("utf-8")


def test_a_measurement_that_fails_is_named(larger_sites: Path):
    (point,) = learning.run(larger_sites / "heron", pages=(3,), methods=["paragraphs"], timeout=0.001).points
    assert point.error == "not done within 0.001 s"


def test_several_sites_and_no_pages_are_refused(larger_sites: Path):
    with pytest.raises(UsageError, match="holds 2 sites"):
        learning.run(larger_sites)
    with pytest.raises(UsageError, match="numbers from 1"):
        learning.run(larger_sites / "heron", pages=(0,))
