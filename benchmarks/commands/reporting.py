"""What the command of every bench is made with: options, lists, the progress bar, and the end where a report is shown."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from tamis.errors import TamisError, UsageError

if TYPE_CHECKING:
    from collections.abc import Callable

    from benchmarks.report import Report

Folders = Annotated[
    list[Path], typer.Argument(help="Folders with gold: single pages (gold.jsonl.gz and html/), a site (site.json), or a folder of sites.")
]
Limit = Annotated[int | None, typer.Option(help="At most so many pages of each folder, and of each site, spread evenly.", min=1)]
Json = Annotated[Path | None, typer.Option("--json", help="Write everything measured to this file.")]
Plot = Annotated[Path | None, typer.Option("--plot", help="Draw to this file (png, svg, pdf).")]
PeerPython = Annotated[
    list[str] | None,
    typer.Option(envvar="TAMIS_PEER_PYTHON", help="Another Python, with tools that this one cannot have; may be given again."),
]


def names(listed: str | None) -> list[str] | None:
    """The names in a list with commas between; None for none."""
    return [name.strip() for name in listed.split(",") if name.strip()] if listed else None


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


@contextmanager
def errors_shown() -> Iterator[None]:
    """Errors that tamis raises on purpose end the command with their message."""
    try:
        yield
    except TamisError as error:
        typer.echo(f"benchmarks: {error}", err=True)
        raise typer.Exit(2) from error
