"""The corpus bench on the screen and as a plot."""

from __future__ import annotations

from pathlib import Path

from rich.console import Group, RenderableType
from rich.table import Table
from rich.text import Text

from benchmarks import corpus
from benchmarks.report import OURS, THEIRS, figure, save

_MARKS = {"tamis-text": "^", "tamis-ray": "s", "datatrove": "v", "datatrove-ray": "D"}


def corpus_report(result: corpus.Result) -> RenderableType:
    """The table of a run of :func:`benchmarks.corpus.run`."""
    table = Table(title=f"pages in {result.form}: whole runs, all processes")
    table.add_column("contestant", no_wrap=True)
    for heading in ("workers", "pages", "s", "cpu s", "pages/s", "pages/cpu s", "MB/cpu s", "peak MB", "F1", "documents", "duplicates"):
        table.add_column(heading, justify="right")
    for point in result.points:
        table.add_row(point.contestant, str(point.workers), f"{point.pages:,}", *_cells(point))
    lines = [f"{point.contestant} failed at {point.pages:,} pages: {point.error}" for point in result.points if point.error]
    for point in result.points:
        if point.stages:
            stages = ", ".join(f"{name} {seconds:.1f} s" for name, seconds in point.stages.items())
            lines.append(f"{point.contestant}, {point.workers} workers, {point.pages:,} pages: {stages}")
    return Group(table, *map(Text, [*lines, *_ratios(result)]))


def _cells(point: corpus.Point) -> list[str]:
    if point.seconds is None or not point.processor_seconds:
        return ["-"] * 9
    return [
        f"{point.seconds:.1f}",
        f"{point.processor_seconds:.1f}",
        f"{point.pages / point.seconds:.0f}",
        f"{point.pages / point.processor_seconds:.0f}",
        f"{point.html_bytes / 1e6 / point.processor_seconds:.1f}",
        f"{(point.memory or 0) / 1e6:.0f}",
        "-" if point.f1 is None else f"{point.f1:.3f}",
        f"{point.documents:,}",
        f"{point.duplicates:,}",
    ]


def _ratios(result: corpus.Result) -> list[str]:
    """tamis against the pool of trafilatura, and two workers against one."""
    lines = []
    found = {(point.contestant, point.workers, point.pages): point for point in result.points if point.error is None}
    for (contestant, workers, pages), point in found.items():
        peer = found.get(("trafilatura", workers, pages))
        if contestant.startswith("tamis") and peer and peer.rate and point.rate and peer.seconds and point.seconds:
            lines.append(
                f"{contestant}, {pages:,} pages, {workers} workers: {peer.seconds / point.seconds:.1f} times the peer by the clock, "
                f"{point.rate / peer.rate:.1f} times by processor time"
            )
        one = found.get((contestant, 1, pages))
        if workers == 2 and one and one.seconds and point.seconds and one.longest and point.longest:
            lines.append(
                f"{contestant}, {pages:,} pages: two workers are {one.seconds / point.seconds:.2f} times as quick as one by the clock, "
                f"{one.longest / point.longest:.2f} times by processor time along the longest line"
            )
    return lines


def plot_corpus(result: corpus.Result, path: Path) -> None:
    """Processor seconds and peak memory over the number of pages.

    Raises:
        MissingExtraError: matplotlib is not installed.
        SourceError: the file cannot be written.
    """
    drawing, (time_axis, memory_axis) = figure(2, 5.4, 4.4)
    for contestant, workers in dict.fromkeys((point.contestant, point.workers) for point in result.points):
        points = result.of(contestant, workers)
        style = {
            "color": THEIRS if contestant in corpus.PEERS else OURS,
            "linestyle": "-" if workers == 1 else "--",
            "marker": _MARKS.get(contestant, "o"),
            "markersize": 4,
            "label": f"{contestant}, {workers} workers",
        }
        time_axis.plot([p.pages for p in points], [p.processor_seconds for p in points], **style)
        memory_axis.plot([p.pages for p in points], [(p.memory or 0) / 1e6 for p in points], **style)
    time_axis.set(xscale="log", yscale="log", xlabel="pages", ylabel="seconds of processors")
    memory_axis.set(xscale="log", ylim=(0, None), xlabel="pages", ylabel="most memory of all processes, MB")
    for axis in (time_axis, memory_axis):
        axis.grid(True, which="major", alpha=0.25)
        axis.legend(fontsize=8, loc="best")
    save(drawing, path)
