"""Reports of benchmarks: tables, remarks and plots, described by every benchmark alike, shown, drawn and written here."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from tamis.errors import SourceError, needs_extra

if TYPE_CHECKING:
    from rich.console import RenderableType


@dataclass(frozen=True, slots=True)
class Table:
    """A table: the first column holds names, the others stand to the right."""

    title: str
    columns: str  #: Headings with ``"; "`` between, each with the format of its numbers after a ``|``: ``"tool; F1|.3f; lost|.1%"``.
    rows: Iterable[Sequence[Any]]
    """A value for each column. A string is shown as it is, None as ``-``, a tuple's values one after the other."""
    caption: str = ""


@dataclass(frozen=True, slots=True)
class Panel:
    """One of the plots that are drawn side by side."""

    title: str
    x: str
    y: str
    lines: Mapping[str, Iterable[tuple[float, float | None]]]  #: Points by label; those without a value are left out.
    log: str = ""  #: Axes that are logarithmic: ``x``, ``xy``.


@dataclass(frozen=True, slots=True)
class Report:
    """What a benchmark found."""

    tables: Sequence[Table]
    remarks: Sequence[str] = ()
    panels: Sequence[Panel] = ()


def show(report: Report) -> None:
    """Print a report."""
    from rich.console import Console

    console = Console()
    if not console.is_terminal:  # a file or a pipe has no edge to fold tables at
        console = Console(width=220)
    console.print(to_terminal(report))


def to_terminal(report: Report) -> RenderableType:
    """A report for a terminal."""
    from rich.console import Group
    from rich.table import Table as Grid
    from rich.text import Text

    grids = []
    for table in report.tables:
        grid = Grid(title=table.title, caption=table.caption or None)
        heading, *others = (column.partition("|") for column in table.columns.split("; "))
        grid.add_column(heading[0], no_wrap=True)
        for other in others:
            grid.add_column(other[0], justify="right")
        for row in table.rows:
            grid.add_row(*(_cell(value, form) for value, (_, _, form) in zip(row, (heading, *others), strict=True)))
        grids.append(grid)
    return Group(*grids, *map(Text, report.remarks))


def _cell(value: Any, form: str) -> str:
    if isinstance(value, tuple):
        return " ".join(_cell(each, form) for each in value)
    return "-" if value is None else value if isinstance(value, str) else format(value, form)


def draw(panels: Sequence[Panel], path: Path) -> None:
    """Draw panels side by side, in the format that the file's name says.

    Raises:
        MissingExtraError: matplotlib is not installed.
        SourceError: the file cannot be written.
    """
    with needs_extra("drawing a plot", "bench"):
        from matplotlib.figure import Figure
    drawing = Figure(figsize=(5.6 * max(len(panels), 1), 4.6), layout="constrained")
    for axis, panel in zip(drawing.subplots(1, max(len(panels), 1), squeeze=False)[0], panels, strict=False):
        for label, points in panel.lines.items():
            known = [(x, y) for x, y in points if y is not None]
            axis.plot([x for x, _ in known], [y for _, y in known], "o-", label=label, markersize=5)
        axis.set(xlabel=panel.x, ylabel=panel.y, title=panel.title, **{f"{name}scale": "log" for name in panel.log})
        axis.grid(True, which="major", alpha=0.25)
        axis.legend(fontsize=8)
    try:
        drawing.savefig(path, dpi=130)
    except (OSError, ValueError) as error:
        raise SourceError(f"cannot write the plot {path}: {error}") from error


def write_json(values: dict[str, Any], path: Path) -> None:
    """Write a result's plain values.

    Raises:
        SourceError: the file cannot be written.
    """
    try:
        path.write_text(json.dumps(values, ensure_ascii=False, indent=1) + "\n", "utf-8")
    except OSError as error:
        raise SourceError(f"cannot write {path}: {error.strerror or error}") from error
