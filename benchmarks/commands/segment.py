"""``python -m benchmarks segment``."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from typer import Argument, Option

from benchmarks.commands.reporting import Json, shown
from benchmarks.report import Report, Table

if TYPE_CHECKING:
    from benchmarks.segment import Result


def segment(
    folder: Annotated[Path, Argument(help="A folder of pages with hand-marked blocks: gold.json, pages/, assets/.")],
    *,
    limit: Annotated[int | None, Option(min=1)] = None,
    passes: Annotated[int, Option(min=1)] = 3,
    json_file: Json = None,
) -> None:
    """Visual blocks: VIPS as rendered, as estimated, and simple ways to cut a page, against blocks marked by hand.

    Options:
        limit: Most pages.
        passes: How often VIPS is timed on each page; the best time counts.
    """
    shown("segment", "pages", report, locals())


def report(result: Result) -> Report:
    """Ways to cut by level, VIPS by PDoC, times."""
    from benchmarks.segment import LEGEND, PDOCS, WAYS
    from benchmarks.segmentation_gold import LEVELS
    from benchmarks.simple_blocks import SIMPLE

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
