"""The learning bench on the screen and as a plot."""

from __future__ import annotations

from pathlib import Path

from rich.console import Group, RenderableType
from rich.table import Table
from rich.text import Text

from benchmarks import learning
from benchmarks.report import FLOOR, OURS, figure, save
from benchmarks.sites_report import COLOURS, MARKS


def learning_report(result: learning.Result) -> RenderableType:
    """The table of a run of :func:`benchmarks.learning.run`."""
    table = Table(title=f"learning {result.site}: time without parsing, and memory, by number of pages")
    table.add_column("method", no_wrap=True)
    for heading in ("pages", "s", "ms a page", "s parsing", "peak MB", "over start", "kB a page"):
        table.add_column(heading, justify="right")
    for method in result.methods:
        for point in result.of(method):
            table.add_row(method, str(point.pages), *_cells(point))
        table.add_section()
    grown = ((method, result.growth(method)) for method in result.methods)
    lines = [f"{method}: time grows with pages to the power of {found:.2f}" for method, found in grown if found is not None]
    lines += [f"{point.method} failed at {point.pages} pages: {point.error}" for point in result.points if point.error is not None]
    return Group(table, *map(Text, lines))


def _cells(point: learning.Point) -> list[str]:
    seconds, parsing = point.seconds or 0.0, point.parse_seconds or 0.0
    cells = [f"{seconds:.2f}", f"{1e3 * seconds / point.pages:.2f}", f"{parsing:.2f}"]
    if point.peak_memory is None or point.memory is None:
        return [*cells, "-", "-", "-"]
    over = point.peak_memory - point.memory
    return [*cells, f"{point.peak_memory / 1e6:.0f}", f"+{over / 1e6:.0f}", f"{over / 1e3 / point.pages:.1f}"]


def plot_learning(result: learning.Result, path: Path) -> None:
    """Seconds (logarithmic) and peak memory over the number of pages; a dotted line grows in step with the pages.

    Raises:
        MissingExtraError: matplotlib is not installed.
        SourceError: the file cannot be written.
    """
    drawing, (time_axis, memory_axis) = figure(2, 5.4, 4.4)
    for number, method in enumerate(result.methods):
        points = result.of(method)
        colour = OURS if method == "site" else COLOURS[number % len(COLOURS)]
        style = {"color": colour, "marker": MARKS[number % len(MARKS)], "markersize": 5, "label": method}
        time_axis.plot([p.pages for p in points], [p.seconds for p in points], **style)
        known = [p for p in points if p.peak_memory is not None]
        memory_axis.plot([p.pages for p in known], [(p.peak_memory or 0) / 1e6 for p in known], **style)
    first = result.of(result.methods[0])
    if first:
        pages = [p.pages for p in first]
        time_axis.plot(pages, [(first[0].seconds or 0) * n / pages[0] for n in pages], color=FLOOR, linestyle=":", label="linear")
    time_axis.set(xscale="log", yscale="log", xlabel="pages", ylabel="seconds of learning, without parsing", title=result.site)
    memory_axis.set(xscale="log", ylim=(0, None), xlabel="pages", ylabel="most resident memory, MB", title=result.site)
    for axis in (time_axis, memory_axis):
        axis.grid(True, which="major", alpha=0.25)
        axis.legend(fontsize=8, loc="best")
    save(drawing, path)
