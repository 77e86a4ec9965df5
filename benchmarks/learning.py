"""The cost of learning a site as its pages grow: time and memory, from a hundred pages to ten thousand.

No site with gold has ten thousand pages, so pages are repeated, each time with a number of its own at the end of every piece of main
text (:func:`benchmarks.planting.make_original`): one template, all texts distinct. Each measurement has a process of its own, one
after the other.
"""

from __future__ import annotations

import json
import sys
import time
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass, field
from math import log
from pathlib import Path
from typing import Annotated, Any

from typer import Argument, Option

from benchmarks.child import measured_in_child
from benchmarks.cleaners import choose_cleaners
from benchmarks.command import Names, Numbers, bench
from benchmarks.planting import Original, read_site
from benchmarks.report import Panel, Report, Table
from benchmarks.site_pages import site_folders
from benchmarks.timing import Progress, unseen
from benchmarks.worker import memory
from tamis.errors import UsageError
from tamis.page.parsing import parse
from tamis.page.tree import PageTree

METHODS = ("site", "style-tree", "pagelets", "paragraphs")
PAGES = (100, 300, 1000, 3000, 10000)
MOST_ORIGINALS = 200  #: Real pages that variants are made of.


@dataclass(frozen=True, slots=True)
class Point:
    """One measurement."""

    method: str
    pages: int
    seconds: float | None  #: Time of learning without parsing; None where it failed.
    parse_seconds: float | None  #: Time of parsing the pages to page trees.
    memory: int | None  #: Resident memory in bytes before learning.
    peak_memory: int | None  #: Most resident memory, in bytes.
    error: str | None = None


@dataclass(frozen=True, slots=True)
class Result:
    """A whole run."""

    site: str
    points: tuple[Point, ...] = field(repr=False)

    @property
    def methods(self) -> tuple[str, ...]:
        """The methods, in order."""
        return tuple(dict.fromkeys(point.method for point in self.points))

    def of(self, method: str) -> list[Point]:
        """The measurements of a method that succeeded, fewest pages first."""
        return [point for point in self.points if point.method == method and point.seconds is not None]

    def growth(self, method: str) -> float | None:
        """Exponent of the growth of time with pages over the upper half of the sizes: 1 is linear."""
        points = self.of(method)
        if len(points) < 2:
            return None
        low, high = points[(len(points) - 1) // 2], points[-1]
        ratio = (high.seconds or 0.0) / (low.seconds or 1.0)
        return log(ratio) / log(high.pages / low.pages) if ratio > 0 else None

    def to_dict(self) -> dict[str, Any]:
        """Plain values."""
        return {
            "site": self.site,
            "exponent of time by pages": {method: self.growth(method) for method in self.methods},
            "points": [asdict(point) for point in self.points],
        }


def run(
    folder: Annotated[Path, Argument(help="A site with gold.")],
    *,
    pages: Numbers = PAGES,
    methods: Names = None,
    timeout: Annotated[float, Option(min=1)] = 600.0,
    progress: Progress = unseen,
) -> Result:
    """Learning a site from more and more pages: time and memory.

    Options:
        pages: Numbers of pages, with commas between.
        methods: Names of methods, with commas between.
        timeout: Seconds that one measurement may take.
    """
    if not pages or min(pages) < 1:
        raise UsageError(f"pages is one or more numbers from 1, not {', '.join(map(str, pages))}")
    found = site_folders(folder)
    if len(found) > 1:
        raise UsageError(f"{folder} holds {len(found)} sites: give one of them, e.g. {found[0].name}")
    chosen = choose_cleaners(METHODS if methods is None else methods)
    sizes = sorted(set(pages))
    points = []
    for count in sizes:
        for cleaner in chosen:
            points.append(_measured(cleaner.name, found[0], count, timeout))
            progress(len(points), len(sizes) * len(chosen))
    return Result(found[0].name, tuple(points))


def _measured(method: str, site: Path, count: int, timeout: float) -> Point:
    answer = measured_in_child("learning", method, site, count, timeout=timeout)
    return Point(method, count, *map(answer.get, ("seconds", "parse_seconds", "before", "peak", "error")))


# -- one measurement, in its own process ----------------------------------------------------------------------------------------


class Source:
    """Makes and parses pages, and knows how long that took."""

    def __init__(self, originals: Sequence[Original], count: int) -> None:
        self._originals = originals
        self._count = count
        self.seconds_made = 0.0
        self.seconds_parsed = 0.0

    def __iter__(self) -> Iterator[PageTree]:
        for number in range(self._count):
            start = time.perf_counter()
            html = self._originals[number % len(self._originals)].variant(number)
            made = time.perf_counter()
            tree = parse(html)
            self.seconds_made += made - start
            self.seconds_parsed += time.perf_counter() - made
            yield tree


def main(method: str, folder: str, count: int) -> None:
    """Learn a site once and print seconds of learning alone and of parsing, memory before learning and the most there was.

    Pages are made, parsed and learned one after the other, as from files; only the method may keep them.
    """
    (cleaner,) = choose_cleaners([method])
    site = read_site(Path(folder))
    originals = [site.original(page) for page in range(min(len(site.pages), MOST_ORIGINALS))]
    source = Source(originals, count)
    before = memory("VmRSS")
    start = time.perf_counter()
    model = cleaner.learn(source)
    total = time.perf_counter() - start
    answer = {
        "seconds": total - source.seconds_made - source.seconds_parsed,
        "parse_seconds": source.seconds_parsed,
        "before": before,
        "peak": memory("VmHWM"),
        "layouts": len(model.layouts),
    }
    sys.stdout.write(json.dumps(answer) + "\n")


# -- report -----------------------------------------------------------------------------------------------------------------


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


command = bench(run, report, "measurements", plots=True)


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2], int(sys.argv[3]))
