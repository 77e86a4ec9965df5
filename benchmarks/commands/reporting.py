"""The shared part of all benchmark commands: options, lists, the progress bar, and showing a report."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import asdict
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer
from typer import Argument, Option

from tamis.errors import TamisError, UsageError

if TYPE_CHECKING:
    from benchmarks.report import Report

_FOLDERS = "Folders with gold: single pages (gold.jsonl.gz and html/), a site (site.json), or a folder of sites."
Folders = Annotated[list[Path], Argument(help=_FOLDERS)]
Limit = Annotated[int | None, Option(min=1, help="Most pages of each folder, and of each site, spread evenly.")]
Json = Annotated[Path | None, Option("--json", help="Write everything measured to this file.")]
Plot = Annotated[Path | None, Option("--plot", help="Draw to this file (png, svg, pdf).")]
Sites = Annotated[str | None, Option(help="Names of sites, with commas between. [default: all]")]
_PYTHONS = "Another Python, which has tools that this one cannot have. May be repeated."
PeerPythons = Annotated[list[str] | None, Option("--peer-python", envvar="TAMIS_PEER_PYTHON", help=_PYTHONS)]


def shown(bench: str, what: str, report: Callable[[Any], Report], given: dict[str, Any], **readers: Callable[[str], Any]) -> None:
    """Run a benchmark while a progress bar counts, show its report, and write its values and plots to files.

    Errors that tamis raises on purpose end the command with their message.

    Args:
        bench: the module of the benchmark, with a function ``run``.
        what: what the bar counts.
        report: makes the report of the result.
        given: the parameters of the command: those of ``run``, and ``json_file`` and ``plot``. None leaves the default to ``run``.
        readers: functions that read the parameters that are lists.
    """
    json_file, plot = given.pop("json_file"), given.pop("plot", None)
    try:
        settings = {name: readers[name](value) if name in readers else value for name, value in given.items() if value is not None}
        with progress(what) as done:
            result = import_module(f"benchmarks.{bench}").run(**settings, progress=done)
        deliver(report(result), _values(bench, result), json_file, plot)
    except TamisError as error:
        typer.echo(f"benchmarks: {error}", err=True)
        raise typer.Exit(2) from error


def _values(bench: str, result: Any) -> dict[str, Any]:
    """A result, or a list of scores, as plain values."""
    if not isinstance(result, list):
        found: dict[str, Any] = result.to_dict()
        return found
    return {"bench": bench, "scores": [each.to_dict() if hasattr(each, "to_dict") else asdict(each) for each in result]}


def names(listed: str) -> list[str]:
    """The names in a list with commas between."""
    return [name.strip() for name in listed.split(",") if name.strip()]


def numbers(listed: str) -> list[int]:
    """The numbers in a list with commas between."""
    try:
        return [int(number) for number in listed.split(",") if number.strip()]
    except ValueError as error:
        raise UsageError(f"this takes whole numbers with commas between, not {listed!r}") from error


def deliver(report: Report, values: dict[str, Any], json_file: Path | None, plot: Path | None = None) -> None:
    """Show a report, and write the values and draw the panels where files are named."""
    from rich.console import Console

    from benchmarks.report import draw, to_terminal, write_json

    console = Console()
    if not console.is_terminal:  # a file or a pipe has no edge to fold tables at
        console = Console(width=220)
    console.print(to_terminal(report))
    if json_file is not None:
        write_json(values, json_file)
    if plot is not None:
        draw(report.panels, plot)


@contextmanager
def progress(what: str) -> Iterator[Callable[[int, int], None]]:
    """A progress bar on standard error, moved by calls with how many are done, of how many."""
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

    columns = (TextColumn(what), BarColumn(), MofNCompleteColumn(), TimeRemainingColumn())
    with Progress(*columns, console=Console(stderr=True), transient=True) as bar:
        task = bar.add_task(what, total=None)
        yield lambda done, total: bar.update(task, completed=done, total=total)
