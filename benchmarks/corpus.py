"""The corpus pipeline measured whole: pages a second, memory of all processes, main-text F1; against a pool of processes with trafilatura.

Every measurement is a command in its own process, with all its children: seconds by the clock, seconds of processors, and the
most memory that all of them had at a time (proportional set size, so that shared pages count once). Where other things run on the machine,
seconds of processors are what can be compared.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Annotated

from typer import Option

from benchmarks.child import child_environment
from benchmarks.choosing import chosen
from benchmarks.command import Folders, Numbers, Sites, bench, names
from benchmarks.corpus_pages import Packed, pack
from benchmarks.gold import GoldPage
from benchmarks.report import Panel, Report, Table
from benchmarks.timing import Progress, unseen
from tamis.errors import SourceError, UsageError

PEERS = {"trafilatura": ("corpus_peer",), "datatrove": ("corpus_datatrove", "local"), "datatrove-ray": ("corpus_datatrove", "ray")}
"""Module of this package, and its arguments: a pool of processes with trafilatura and datasketch's MinHash; datatrove, whose packages
(``datatrove[io,processing,ray]``, ``spacy``) have to be there."""
CONTESTANTS = ("tamis", "tamis-text", "tamis-ray", "tamis-models", "tamis-again", "tamis-unchanged", *PEERS)
"""``tamis-text`` leaves out what the peers do not do either: metadata, and the text that was dropped. ``tamis-models`` leaves its templates
in a store, and ``tamis-again``, after it, uses them on the same pages; ``tamis-unchanged`` takes its results, too (``--previous``)."""
_LOOK = 0.2  #: Seconds between two looks at the memory.


@dataclass(frozen=True, slots=True)
class Point:
    """One measurement."""

    contestant: str
    workers: int
    pages: int
    html_bytes: int
    seconds: float | None = None  #: By the clock; None where it failed.
    processor_seconds: float | None = None
    memory: int | None = None  #: Most bytes of all processes together.
    longest: float | None = None
    """Seconds of processors one after the other: of the first process and of the busiest of the others. What a machine of enough
    processors, doing nothing else, would take."""
    f1: float | None = None  #: Mean main-text F1 of the pages with gold.
    documents: int | None = None
    duplicates: int | None = None
    stages: dict[str, float] = field(default_factory=dict)  #: Seconds by stage.
    parts: dict[str, float] = field(default_factory=dict)  #: Processor seconds by part of the work on pages.
    error: str | None = None

    @property
    def rate(self) -> float | None:
        """Pages a second of a processor."""
        return self.pages / self.processor_seconds if self.processor_seconds else None


@dataclass(frozen=True, slots=True)
class Result:
    """A whole run."""

    form: str
    points: tuple[Point, ...] = field(repr=False)

    def of(self, contestant: str, workers: int) -> list[Point]:
        """The measurements of one contestant that succeeded, fewest pages first."""
        found = [point for point in self.points if (point.contestant, point.workers) == (contestant, workers) and point.error is None]
        return sorted(found, key=lambda point: point.pages)


def run(
    folders: Folders,
    *,
    pages: Numbers = (2000,),
    workers: Numbers = (1, 2),
    contestants: Annotated[Sequence[str], names] = ("tamis", "trafilatura"),
    form: str = "warc",
    sites: Sites = None,
    timeout: Annotated[float, Option(min=1)] = 3600.0,
    progress: Progress = unseen,
) -> Result:
    """The whole corpus pipeline: pages a second, memory of all processes, F1; against a pool of processes with trafilatura and MinHash.

    Options:
        pages: Sizes of the corpora, with commas between.
        workers: Numbers of processes, with commas between.
        contestants: Separated by commas: tamis, tamis-text, tamis-ray, tamis-models, tamis-again, tamis-unchanged, trafilatura, datatrove,
            datatrove-ray.
        form: How pages are packed: warc or parquet.
        timeout: Seconds that one measurement may take.
    """
    contestants = chosen("contestant", contestants, CONTESTANTS)
    if form != "warc" and any(contestant.startswith("datatrove") for contestant in contestants):
        raise UsageError("datatrove is measured on WARC")
    if form not in ("warc", "parquet"):
        raise UsageError(f"pages are packed as warc or parquet, not {form}")
    points = []
    total = len(pages) * len(workers) * len(contestants)
    for size in pages:
        with tempfile.TemporaryDirectory(prefix="tamis-bench-") as folder:
            packed = pack(folders, Path(folder) / "crawl", size, form, sites)
            files = [str(file) for file in packed.files if file.stat().st_size]
            for count in workers:
                for contestant in contestants:
                    output = Path(folder) / f"{contestant}-{count}"
                    points.append(_measure(contestant, count, packed, files, output, timeout))
                    progress(len(points), total)
    return Result(form, tuple(points))


def _measure(contestant: str, workers: int, packed: Packed, files: list[str], output: Path, timeout: float) -> Point:
    module, *words = PEERS.get(contestant, ("corpus_child", contestant))
    command = [sys.executable, "-m", f"benchmarks.{module}", str(output), str(workers), *words, *files]
    base = {"contestant": contestant, "workers": workers, "pages": packed.pages, "html_bytes": packed.html_bytes}
    watched = _watch(command, timeout)
    if watched.error is not None:
        return Point(**base, error=watched.error)  # type: ignore[arg-type]
    answer = json.loads(watched.said)
    texts = _peer_texts(output) if contestant in PEERS else _texts(output)
    return Point(
        **base,  # type: ignore[arg-type]
        seconds=watched.seconds,
        processor_seconds=watched.processor_seconds,
        memory=watched.memory,
        longest=watched.longest,
        f1=_f1(texts, packed.gold),
        documents=answer["documents"],
        duplicates=answer["pages"] - answer["documents"],
        stages={name: seconds for name, seconds in answer.items() if isinstance(seconds, float)},
        parts=answer.get("parts", {}),
    )


def _f1(texts: Iterator[tuple[str, str]], gold: dict[str, GoldPage]) -> float | None:
    """Mean F1 over all pages with gold; a page without text scores 0."""
    scores = dict.fromkeys(gold, 0.0)
    for url, text in texts:
        if (page := gold.get(url)) is not None:
            scores[url] = page.score(text).f1
    return sum(scores.values()) / len(scores) if scores else None


def _texts(output: Path) -> Iterator[tuple[str, str]]:
    """Texts of all cleaned pages, before duplicates are collapsed: of what is measured here, a copy's text is as good as its survivor's."""
    from tamis.corpus.tables import rows
    from tamis.corpus.tasks import TaskStore

    store = TaskStore(output / "work")
    for manifest in [*store.of_stage("read"), *store.of_stage("clean")]:
        for row in () if "documents" not in manifest.files else rows(store.file(manifest, "documents"), ["url", "text"]):
            yield row["url"], row["text"]


def _peer_texts(output: Path) -> Iterator[tuple[str, str]]:
    with output.open(encoding="utf-8") as stream:
        for line in stream:
            row = json.loads(line)
            yield row["url"], row["text"]


# -- a command and all its children ---------------------------------------------------------------------------------------


@dataclass(slots=True)
class _Watched:
    said: str = ""
    seconds: float = 0.0
    processor_seconds: float = 0.0
    memory: int = 0
    longest: float = 0.0
    error: str | None = None


def _watch(command: list[str], timeout: float) -> _Watched:
    """Run a command in a session of its own; its time, and the most memory of all processes of the session.

    Raises:
        SourceError: this system does not report the memory of processes.
    """
    if not Path("/proc/self/smaps_rollup").exists():
        raise SourceError("memory of processes is measured on Linux only")
    watched = _Watched()
    start = time.perf_counter()
    environment = child_environment() | {"RAY_USAGE_STATS_ENABLED": "0"}
    with tempfile.TemporaryFile("w+") as errors:
        process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=errors, text=True, start_new_session=True, env=environment)
        used: dict[int, float] = {}
        over = threading.Event()
        looker = threading.Thread(target=_look, args=(process.pid, watched, used, over), daemon=True)
        looker.start()
        try:
            watched.said, _ = process.communicate(timeout=timeout)
        except subprocess.TimeoutExpired:
            watched.error = f"more than {timeout:g} seconds"
        finally:
            over.set()
            looker.join()
            for pid in _session(process.pid):
                with suppress(OSError):
                    os.kill(pid, 9)
            process.communicate()
        watched.seconds = time.perf_counter() - start
        watched.processor_seconds = sum(used.values())
        first = used.pop(process.pid, 0.0)
        watched.longest = first + max(used.values(), default=0.0)
        if watched.error is None and process.returncode:
            errors.seek(0)
            lines = errors.read().strip().splitlines()
            watched.error = lines[-1][:300] if lines else f"exit code {process.returncode}"
    return watched


def _look(session: int, watched: _Watched, used: dict[int, float], over: threading.Event) -> None:
    tick = os.sysconf("SC_CLK_TCK")
    while not over.wait(_LOOK):
        memory = 0
        for pid in _session(session):
            with suppress(OSError, ValueError, IndexError):
                rollup = Path(f"/proc/{pid}/smaps_rollup").read_text("ascii", "replace")
                memory += next(int(line.split()[1]) * 1024 for line in rollup.splitlines() if line.startswith("Pss:"))
                fields = Path(f"/proc/{pid}/stat").read_text("ascii", "replace").rpartition(")")[2].split()
                used[pid] = (int(fields[11]) + int(fields[12])) / tick
        watched.memory = max(watched.memory, memory)


def _session(session: int) -> Iterator[int]:
    """The processes of a session."""
    for path in Path("/proc").glob("[0-9]*/stat"):
        with suppress(OSError, ValueError, IndexError):
            if int(path.read_text("ascii", "replace").rpartition(")")[2].split()[3]) == session:
                yield int(path.parent.name)


# -- report -----------------------------------------------------------------------------------------------------------------


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


command = bench(run, report, "measurements", plots=True)
