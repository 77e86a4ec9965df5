from __future__ import annotations

import json
from dataclasses import replace
from io import StringIO
from pathlib import Path

import pytest
from rich.console import Console

from benchmarks import content
from benchmarks.content import report
from benchmarks.gold import read_gold
from benchmarks.report import draw, to_terminal


def test_tools_are_scored_on_every_page_and_timed_against_the_bare_parse(single_pages: Path):
    seen: list[tuple[int, int]] = []
    result = content.run([single_pages], peers=["tamis", "all-text"], passes=2, progress=lambda done, of: seen.append((done, of)))
    assert [tool.name for tool in result.ran] == ["tamis", "all-text", "lexbor-parse"]
    assert seen[-1] == (6, 6)
    tamis, everything, parse = (result.summary(tool, "birds") for tool in result.tools)
    assert tamis.pages == 3
    assert tamis.score.recall == pytest.approx(2 / 3), "the page with empty gold scores 0"
    assert everything.score.precision < tamis.score.precision
    assert everything.content_lost == 0.0
    assert parse.cost is not None
    assert parse.cost.ratio == 1.0
    assert tamis.cost is not None
    assert tamis.cost_bytes is not None


def test_times_are_told_by_the_size_of_the_page(single_pages: Path):
    result = content.run([single_pages], peers=["tamis", "tamis-forms"], passes=1, give_bytes=False)
    (table,) = [table for table in report(result).tables if "by size" in table.title]
    assert [row[1] for row in table.rows] == [len(result.pages)]
    assert len(table.rows[0]) == 5


def test_sites_weigh_alike_whatever_their_pages(sites: Path):
    result = content.run([sites], peers=["tamis"], passes=1, give_bytes=False)
    tool = result.tools[0]
    per_site = [result.summary(tool, "sites", site=site).score.f1 for site in ("heron", "stork")]
    assert result.summary(tool, "sites").score.f1 == pytest.approx(sum(per_site) / 2)
    assert result.summary(tool, "sites").noise_removed is not None
    assert result.summary(tool, "sites").cost_bytes is None


def test_a_page_is_judged_without_times(sites: Path):
    page = read_gold(sites)[0]
    right = content.judge(page, 0, page.ignored + "\n" + page.main)
    assert (right.score.f1, right.content_lost, right.noise_removed) == (1.0, 0.0, 1.0)
    nothing = content.judge(page, 0, "")
    assert (nothing.score.f1, nothing.content_lost, nothing.noise_removed, nothing.empty) == (0.0, 1.0, 1.0, True)
    assert not content.judge(page, 0, "", "ValueError").empty


def test_the_values_are_plain_json(single_pages: Path):
    result = content.run([single_pages], peers=["tamis"], passes=1)
    values = json.loads(json.dumps(result.to_dict()))
    assert values["collections"]["birds"]["pages with empty gold"] == 1
    assert set(values["collections"]["birds"]["by page_type"]) == {"article", "product"}
    assert len(values["tools"][0]["outcomes"]) == 3


def test_failures_are_named_with_their_reasons(single_pages: Path):
    result = content.run([single_pages], peers=["tamis"], passes=1, give_bytes=False)
    broken = [replace(outcome, error="ValueError: bad\nand more") for outcome in result.tools[0].outcomes]
    tool = replace(result.tools[0], outcomes=tuple(broken))
    console = Console(width=200, record=True, file=StringIO())
    console.print(to_terminal(report(replace(result, tools=(tool, *result.tools[1:])))))
    assert "tamis failed on 3 pages: ValueError: bad and more\n" in console.export_text()


def test_the_plot_is_written(single_pages: Path, tmp_path: Path):
    pytest.importorskip("matplotlib")
    result = content.run([single_pages], peers=["tamis"], passes=1, give_bytes=False)
    draw(report(result).panels, tmp_path / "plot.svg")
    assert "<svg" in (tmp_path / "plot.svg").read_text("utf-8")
