"""``python -m benchmarks corpus``."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

from typer import Option

from benchmarks.commands.reporting import Folders, Json, Plot, Sites, names, numbers, shown
from benchmarks.report import Panel, Report, Table

if TYPE_CHECKING:
    from benchmarks.corpus import Result


def corpus(
    folders: Folders,
    *,
    pages: str = "2000",
    workers: str = "1,2",
    contestants: str = "tamis,trafilatura",
    form: str = "warc",
    sites: Sites = None,
    timeout: Annotated[float, Option(min=1)] = 3600.0,
    json_file: Json = None,
    plot: Plot = None,
) -> None:
    """The whole corpus pipeline: pages a second, memory of all processes, F1; against a pool of processes with trafilatura and MinHash.

    Options:
        pages: Sizes of the corpora, with commas between.
        workers: Numbers of processes, with commas between.
        contestants: Separated by commas: tamis, tamis-text, tamis-ray, tamis-models, tamis-again, tamis-unchanged, trafilatura, datatrove,
            datatrove-ray.
        form: How pages are packed: warc or parquet.
        timeout: Seconds that one measurement may take.
    """
    shown("corpus", "measurements", report, locals(), pages=numbers, workers=numbers, contestants=names, sites=names)


def report(result: Result) -> Report:
    """Whole runs of each contestant: pages a second, memory, F1; processor time and memory by pages as plots."""
    rows, remarks = [], []
    for point in result.points:
        seconds, processor = point.seconds or None, point.processor_seconds or None
        rates: list[float | None] = [None] * 5
        if seconds and processor:
            rates = [seconds, processor, point.pages / seconds, point.pages / processor, point.html_bytes / 1e6 / processor]
        found = ((point.memory or 0) / 1e6, point.f1, point.documents, point.duplicates) if seconds and processor else [None] * 4
        rows.append((point.contestant, point.workers, point.pages, *rates, *found))
        if point.error:
            remarks.append(f"{point.contestant} failed at {point.pages:,} pages: {point.error}")
        if point.stages:
            stages = ", ".join(f"{name} {seconds:.1f} s" for name, seconds in point.stages.items())
            remarks.append(f"{point.contestant}, {point.workers} workers, {point.pages:,} pages: {stages}")
        if point.parts:
            parts = ", ".join(f"{name} {1000 * seconds / point.pages:.2f}" for name, seconds in point.parts.items() if seconds)
            remarks.append(f"  milliseconds of the processor a page: {parts}")
    table = Table(
        f"pages in {result.form}: whole runs, all processes",
        "contestant; workers; pages|,; s|.1f; cpu s|.1f; pages/s|.0f; pages/cpu s|.0f; MB/cpu s|.1f; peak MB|.0f; F1|.3f; documents|,; "
        "duplicates|,",
        rows,
    )
    runs = {f"{p.contestant}, {p.workers} workers": result.of(p.contestant, p.workers) for p in result.points}
    times = {label: [(p.pages, p.processor_seconds) for p in points] for label, points in runs.items()}
    memories = {label: [(p.pages, (p.memory or 0) / 1e6) for p in points] for label, points in runs.items()}
    panels = [
        Panel("time", "pages", "seconds of processors", times, "xy"),
        Panel("memory", "pages", "most memory of all processes, MB", memories, "x"),
    ]
    return Report([table], [*remarks, *_ratios(result)], panels)


def _ratios(result: Result) -> list[str]:
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
        first = found.get(("tamis-models", workers, pages))
        if contestant in ("tamis-again", "tamis-unchanged") and first and first.processor_seconds and point.processor_seconds:
            ratio = point.processor_seconds / first.processor_seconds
            what = "stored templates" if contestant == "tamis-again" else "stored templates and results"
            lines.append(f"{pages:,} pages, {workers} workers: the second run with {what} takes {ratio:.2f} of the first")
        one = found.get((contestant, 1, pages))
        if workers == 2 and one and one.seconds and point.seconds and one.longest and point.longest:
            lines.append(
                f"{contestant}, {pages:,} pages: two workers are {one.seconds / point.seconds:.2f} times as quick as one by the clock, "
                f"{one.longest / point.longest:.2f} times by processor time along the longest line"
            )
    return lines
