"""Agreement of VIPS and of simple ways to cut a page with blocks that people marked by hand.

What is grouped are the page's text nodes that the browser shows, weighted by their characters; those without a mark of a level do not
count on that level, and those that a way to cut leaves out stand alone.
"""

from __future__ import annotations

import gc
import time
from collections.abc import Callable
from dataclasses import asdict, dataclass, field
from pathlib import Path
from statistics import fmean
from timeit import repeat
from typing import Annotated, Any

import numpy as np
from numpy.typing import NDArray
from typer import Argument, Option

from benchmarks.agreement import Agreement, agreement
from benchmarks.command import bench
from benchmarks.metric import mean
from benchmarks.report import Report, Table
from benchmarks.segmentation_gold import LEVELS, SegmentedPage, align, read_segmentation
from benchmarks.simple_blocks import SIMPLE
from benchmarks.timing import Progress, unseen
from tamis import Browser
from tamis.page.appearance import Appearance
from tamis.page.tree import IntColumn, PageTree
from tamis.segmentation import Segmentation, SegmentSettings, segment
from tamis.segmentation.estimate import estimate_appearance

PDOCS = tuple(range(1, 11))
PDOC_OF_LEVEL = {1: 3, 2: 5}
"""The permitted degree of coherence for each level of the marks: 5 is the default, and the value of the paper on same-layer noise."""
VIPS, PAPER, ESTIMATED = "VIPS, rendered", "VIPS, rendered, the paper's weights", "VIPS, estimated"
WAYS = (VIPS, PAPER, ESTIMATED, *SIMPLE)
LEGEND = (
    "F1, P, R: extended BCubed over the characters of the text nodes that the browser shows; Rand: adjusted Rand index; means over "
    "pages. Level 1: coarse blocks (header, content, footer); level 2: blocks within them. VIPS uses PDoC 3 for level 1 and 5 for "
    "level 2; with the paper's weights, the PDoC that is best over all pages. The weights were tuned on the tuned half: pages 1, "
    "3, 5 and so on. Milliseconds of VIPS and of the estimate: processor time, best pass; of the browser: wall-clock time."
)


@dataclass(frozen=True, slots=True)
class PageAgreement:
    """One page."""

    id: str
    nodes: int
    by_level: dict[int, dict[str, dict[int, Agreement]]] = field(repr=False)
    """For each level that the page has marks of: each way to cut, by PDoC (0 where a way knows none)."""
    milliseconds: dict[str, float] = field(repr=False)  #: What VIPS, the estimate and the browser took.


@dataclass(frozen=True, slots=True)
class Mean:
    """Means over pages."""

    pages: int
    f1: float
    precision: float
    recall: float
    rand: float


@dataclass(frozen=True, slots=True)
class Result:
    """A whole run."""

    pages: tuple[PageAgreement, ...] = field(repr=False)

    def half(self, which: int | None) -> tuple[PageAgreement, ...]:
        """The tuned half of the pages (0), the other (1), or all (None)."""
        return self.pages if which is None else self.pages[which::2]

    def at(self, way: str, level: int, pdoc: int, which: int | None = None) -> Mean | None:
        """Means of one way to cut at one PDoC; None where no page has marks of the level."""
        found = [page.by_level[level][way][pdoc] for page in self.half(which) if level in page.by_level]
        if not found:
            return None
        return Mean(len(found), *(fmean(getattr(one, name) for one in found) for name in ("f1", "precision", "recall", "rand")))

    def pdoc(self, way: str, level: int) -> int:
        """The PDoC at which a way is compared with the others on a level; 0 where it knows none."""
        if way in SIMPLE:
            return 0
        if way != PAPER:
            return PDOC_OF_LEVEL[level]
        return max(PDOCS, key=lambda pdoc: found.f1 if (found := self.at(way, level, pdoc)) else 0.0)

    def summary(self, way: str, level: int, which: int | None = None) -> Mean | None:
        """Means of one way to cut at its PDoC."""
        return self.at(way, level, self.pdoc(way, level), which)

    def milliseconds(self, what: str) -> float:
        """Mean time per page."""
        return mean(page.milliseconds[what] for page in self.pages) or 0.0

    def to_dict(self) -> dict[str, Any]:
        """Plain values: summaries by way, level and half, and by PDoC; each page."""

        def plain(found: Mean | None) -> dict[str, Any] | None:
            return None if found is None else asdict(found)

        return {
            "measures": LEGEND,
            "levels": {
                level: {
                    way: {
                        "pdoc": self.pdoc(way, level) or None,
                        "all": plain(self.summary(way, level)),
                        "tuned half": plain(self.summary(way, level, 0)),
                        "other half": plain(self.summary(way, level, 1)),
                        "by pdoc": {} if way in SIMPLE else {pdoc: plain(self.at(way, level, pdoc)) for pdoc in PDOCS},
                    }
                    for way in WAYS
                }
                for level in LEVELS
            },
            "milliseconds": {what: self.milliseconds(what) for what in (self.pages[0].milliseconds if self.pages else ())},
            "pages": [asdict(page) for page in self.pages],
        }


def run(
    folder: Annotated[Path, Argument(help="A folder of pages with hand-marked blocks: gold.json, pages/, assets/.")],
    *,
    limit: Annotated[int | None, Option(min=1)] = None,
    passes: Annotated[int, Option(min=1)] = 3,
    progress: Progress = unseen,
) -> Result:
    """Visual blocks: VIPS as rendered, as estimated, and simple ways to cut a page, against blocks marked by hand.

    Options:
        limit: Most pages.
        passes: How often VIPS is timed on each page; the best time counts.
    """
    pages = read_segmentation(folder, limit)
    measured = []
    with Browser() as browser:
        for number, page in enumerate(pages):
            measured.append(_measure(page, browser, passes))
            progress(number + 1, len(pages))
    return Result(tuple(measured))


def _measure(page: SegmentedPage, browser: Browser, passes: int) -> PageAgreement:
    rendered = browser.render(file=page.path, folder=page.folder)
    partner = _partners(page.tree, rendered.tree)
    finest, paper = SegmentSettings(pdoc=10), SegmentSettings.paper(pdoc=10)
    as_rendered = segment(rendered, settings=finest)
    by_paper = segment(rendered, settings=paper)
    estimated = segment(page.tree, settings=finest)
    owners: dict[str, dict[int, NDArray[np.int64]]] = {
        VIPS: {pdoc: _moved(_owner(as_rendered, pdoc), partner) for pdoc in PDOCS},
        PAPER: {pdoc: _moved(_owner(by_paper, pdoc), partner) for pdoc in PDOCS},
        ESTIMATED: {pdoc: _owner(estimated, pdoc) for pdoc in PDOCS},
        **{name: {0: cut(page.tree).astype(np.int64)} for name, cut in SIMPLE.items()},
    }
    shown = _shown_atoms(page, rendered.appearance, partner)
    seconds = rendered.seconds
    return PageAgreement(
        id=page.id,
        nodes=len(page.tree),
        by_level={level: found for level in LEVELS if (found := _on_level(page, level, shown, owners))},
        milliseconds={
            "VIPS": _processor_time(lambda: segment(rendered), passes),
            "VIPS, to the finest": _processor_time(lambda: segment(rendered, settings=finest), passes),
            "estimate": _processor_time(lambda: estimate_appearance(page.tree), passes),
            "browser": 1e3 * (seconds.navigation + seconds.snapshot + seconds.conversion),
        },
    )


def _partners(tree: PageTree, rendered: PageTree) -> IntColumn:
    """For each node of the parsed page, its node in the rendered one, int32, -1 where it has none."""
    same = len(tree) == len(rendered) and bool((tree.tag == rendered.tag).all()) and list(tree.texts) == list(rendered.texts)
    return np.arange(len(tree), dtype=np.int32) if same else align(tree, rendered)


def _owner(segmentation: Segmentation, pdoc: int) -> NDArray[np.int64]:
    """The leaf that holds each node at a PDoC; -1 for none."""
    owner = np.full(len(segmentation.tree), -1, dtype=np.int64)
    for position, block in enumerate(segmentation.leaves_at(pdoc)):
        for node in block.nodes:
            owner[node : segmentation.tree.end[node]] = position
    return owner


def _moved(owner: NDArray[np.int64], partner: IntColumn) -> NDArray[np.int64]:
    """From the nodes of the rendered page to those of the parsed one."""
    return np.where(partner >= 0, owner[partner], -1)


def _shown_atoms(page: SegmentedPage, appearance: Appearance, partner: IntColumn) -> NDArray[np.intp]:
    """Text nodes that hold characters and are shown."""
    atoms = page.atoms.astype(np.intp)
    shown = (partner[atoms] >= 0) & appearance.visible[partner[atoms]] & (page.tree.text_length[atoms] > 0)
    return atoms[shown]


def _on_level(
    page: SegmentedPage, level: int, atoms: NDArray[np.intp], owners: dict[str, dict[int, NDArray[np.int64]]]
) -> dict[str, dict[int, Agreement]]:
    """The agreement of every way to cut; empty where fewer than two texts are marked."""
    true = page.labels(level)[atoms].astype(np.int64)
    atoms, true = atoms[true >= 0], true[true >= 0]
    if len(atoms) < 2:
        return {}
    weight = page.tree.text_length[atoms].astype(np.float64)
    alone = -2 - atoms.astype(np.int64)
    return {
        way: {pdoc: agreement(np.where(owner[atoms] >= 0, owner[atoms], alone), true, weight) for pdoc, owner in by_pdoc.items()}
        for way, by_pdoc in owners.items()
    }


def _processor_time(job: Callable[[], object], passes: int) -> float:
    """Milliseconds of processor time, the best of some passes."""
    return 1e3 * min(repeat(job, gc.enable, time.process_time, passes, 1))


# -- report -----------------------------------------------------------------------------------------------------------------


def report(result: Result) -> Report:
    """Ways to cut by level, VIPS by PDoC, times."""
    columns = "cut by; PDoC; pages; F1|.3f; P|.3f; R|.3f; Rand|.3f; F1 tuned half|.3f; F1 other half|.3f; Rand other half|.3f"
    tables = []
    vips = [way for way in WAYS if way not in SIMPLE]
    for level in LEVELS:
        rows: list[tuple[object, ...]] = []
        for way in WAYS:
            found, tuned, other = (result.summary(way, level, which) for which in (None, 0, 1))
            if found is not None:
                halves = (tuned and tuned.f1, other and other.f1, other and other.rand)
                means = (found.pages, found.f1, found.precision, found.recall, found.rand, *halves)
                rows.append((way, result.pdoc(way, level) or None, *means))
        tables.append(Table(f"level {level} of the marks", columns, rows))
        at = {way: [found.f1 if (found := result.at(way, level, pdoc)) else None for pdoc in PDOCS] for way in vips}
        by_pdoc = [(str(pdoc), *(at[way][k] for way in vips)) for k, pdoc in enumerate(PDOCS)]
        tables.append(Table(f"VIPS by PDoC: F1 on level {level}", "; ".join(["PDoC", *(f"{way}|.3f" for way in vips)]), by_pdoc))
    thousands = sum(page.nodes for page in result.pages) / max(len(result.pages), 1) / 1000 or 1
    spent = [(what, result.milliseconds(what)) for what in (result.pages[0].milliseconds if result.pages else ())]
    times = [(what, mean, mean / thousands) for what, mean in spent]
    tables.append(Table("milliseconds per page", "what; mean|.1f; per 1,000 nodes|.1f", times))
    return Report(tables, (LEGEND,))


command = bench(run, report, "pages")
