"""``python -m benchmarks learning``."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from typer import Argument, Option

from benchmarks.commands.reporting import Json, Plot, names, numbers, shown
from benchmarks.report import Panel, Report, Table

if TYPE_CHECKING:
    from benchmarks.learning import Result


def learning(
    folder: Annotated[Path, Argument(help="A site with gold.")],
    *,
    pages: str = "100,300,1000,3000,10000",
    methods: str | None = None,
    timeout: Annotated[float, Option(min=1)] = 600.0,
    json_file: Json = None,
    plot: Plot = None,
) -> None:
    """Learning a site from more and more pages: time and memory.

    Options:
        pages: Numbers of pages, with commas between.
        methods: Names of methods, with commas between.
        timeout: Seconds that one measurement may take.
    """
    shown("learning", "measurements", report, locals(), pages=numbers, methods=names)


def report(result: Result) -> Report:
    """Time and memory of each method by the number of pages."""
    rows = []
    for method in result.methods:
        for point in result.of(method):
            seconds, over = point.seconds or 0.0, None
            if point.peak_memory is not None and point.memory is not None:
                over = point.peak_memory - point.memory
            of_memory = (None, None, None) if over is None else ((point.peak_memory or 0) / 1e6, over / 1e6, over / 1e3 / point.pages)
            rows.append((method, point.pages, seconds, 1e3 * seconds / point.pages, point.parse_seconds or 0.0, *of_memory))
    table = Table(
        f"learning {result.site}: time without parsing, and memory, by number of pages",
        "method; pages; s|.2f; ms a page|.2f; s parsing|.2f; peak MB|.0f; over start|.0f; kB a page|.1f",
        rows,
    )
    grown = ((method, result.growth(method)) for method in result.methods)
    remarks = [f"{method}: time grows with pages to the power of {found:.2f}" for method, found in grown if found is not None]
    remarks += [f"{point.method} failed at {point.pages} pages: {point.error}" for point in result.points if point.error is not None]
    times = {method: [(p.pages, p.seconds) for p in result.of(method)] for method in result.methods}
    memories = {method: [(p.pages, (p.peak_memory or 0) / 1e6) for p in result.of(method)] for method in result.methods}
    panels = [
        Panel(result.site, "pages", "seconds of learning, without parsing", times, "xy"),
        Panel(result.site, "pages", "most resident memory, MB", memories, "x"),
    ]
    return Report([table], remarks, panels)
