"""One description of tables and plots for all benchmarks."""

from __future__ import annotations

from io import StringIO
from pathlib import Path

import pytest
from rich.console import Console

from benchmarks.report import Panel, Report, Table, draw, to_terminal, write_json
from tamis.errors import SourceError


def text_of(report: Report) -> str:
    console = Console(width=120, record=True, file=StringIO())
    console.print(to_terminal(report))
    return console.export_text()


def test_values_are_shown_in_the_format_of_their_column():
    rows = [("one", 0.5, 0.25, 12345), ("two", None, "not run", (1, 2))]
    text = text_of(Report([Table("title", "tool; F1|.3f; lost|.1%; pages|,", rows, "caption")], ["remark"]))
    for word in ("title", "tool", "0.500", "25.0%", "12,345", "-", "not run", "1 2", "caption", "remark"):
        assert word in text


def test_a_row_has_a_value_for_each_column():
    with pytest.raises(ValueError, match="zip"):
        text_of(Report([Table("title", "tool; F1", [("one",)])]))


def test_panels_are_drawn_and_a_plot_that_cannot_be_written_is_an_error(tmp_path: Path):
    pytest.importorskip("matplotlib")
    lines: dict[str, list[tuple[float, float | None]]] = {"a": [(1, 2.0), (10, None)], "b": [(1, 3), (2, 4)], "none": []}
    panels = [Panel("left", "x", "y", lines, "xy"), Panel("right", "", "", lines)]
    draw(panels, tmp_path / "plot.svg")
    assert "<svg" in (tmp_path / "plot.svg").read_text("utf-8")
    with pytest.raises(SourceError, match="cannot write the plot"):
        draw(panels, tmp_path / "none" / "plot.svg")
    with pytest.raises(SourceError, match="cannot write"):
        write_json({}, tmp_path / "none" / "values.json")
