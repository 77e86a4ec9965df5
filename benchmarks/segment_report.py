"""The segmentation bench on the screen and as a plot."""

from __future__ import annotations

from pathlib import Path

from rich.console import Group, RenderableType
from rich.table import Table
from rich.text import Text

from benchmarks import segment
from benchmarks.report import FLOOR, OURS, THEIRS, figure, save
from benchmarks.segmentation_gold import LEVELS
from benchmarks.simple_blocks import SIMPLE


def segment_report(result: segment.Result) -> RenderableType:
    """Tables of a run of :func:`benchmarks.segment.run`: ways to cut by level, VIPS by PDoC, times."""
    return Group(*(_by_way(result, level) for level in LEVELS), _by_pdoc(result), _times(result), Text(segment.LEGEND))


def _by_way(result: segment.Result, level: int) -> Table:
    table = Table(title=f"level {level} of the marks")
    table.add_column("cut by")
    for heading in ("PDoC", "pages", "F1", "P", "R", "Rand", "F1 tuned half", "F1 other half", "Rand other half"):
        table.add_column(heading, justify="right")
    for way in segment.WAYS:
        found, tuned, other = (result.summary(way, level, which) for which in (None, 0, 1))
        if found is None:
            continue
        shares = (found.f1, found.precision, found.recall, found.rand, tuned and tuned.f1, other and other.f1, other and other.rand)
        cells = ["-" if share is None else f"{share:.3f}" for share in shares]
        table.add_row(way, str(result.pdoc(way, level) or "-"), str(found.pages), *cells)
    return table


def _by_pdoc(result: segment.Result) -> Table:
    table = Table(title="VIPS by PDoC: F1 on level 1, on level 2")
    table.add_column("PDoC", justify="right")
    ways = [way for way in segment.WAYS if way not in SIMPLE]
    for way in ways:
        table.add_column(way, justify="right")
    for pdoc in segment.PDOCS:
        found = [[result.at(way, level, pdoc) for level in LEVELS] for way in ways]
        table.add_row(str(pdoc), *(", ".join(f"{one.f1:.3f}" for one in pair if one) for pair in found))
    return table


def _times(result: segment.Result) -> Table:
    table = Table(title="milliseconds per page")
    table.add_column("what")
    table.add_column("mean", justify="right")
    table.add_column("per 1,000 nodes", justify="right")
    nodes = sum(page.nodes for page in result.pages) / max(len(result.pages), 1)
    for what in result.pages[0].milliseconds if result.pages else ():
        spent = result.milliseconds(what)
        table.add_row(what, f"{spent:.1f}", f"{spent / max(nodes, 1) * 1000:.1f}")
    return table


def plot_segment(result: segment.Result, path: Path) -> None:
    """F1 over PDoC on each level, with the simple ways as lines.

    Raises:
        MissingExtraError: matplotlib is not installed.
        SourceError: the file cannot be written.
    """
    drawing, axes = figure(len(LEVELS), 6.4, 4.6)
    styles = {segment.VIPS: (OURS, "o-"), segment.ESTIMATED: (OURS, "s--"), segment.PAPER: (THEIRS, "^-")}
    for axis, level in zip(axes, LEVELS, strict=True):
        for way, (color, style) in styles.items():
            values = [found.f1 if (found := result.at(way, level, pdoc)) else 0.0 for pdoc in segment.PDOCS]
            axis.plot(segment.PDOCS, values, style, color=color, markersize=4, label=way)
        lines = sorted((found.f1, way) for way in SIMPLE if (found := result.summary(way, level)))
        for number, (f1, way) in enumerate(lines):  # names in turn on three places, so that near lines keep theirs apart
            axis.axhline(f1, color=FLOOR, linewidth=0.8, linestyle=":")
            axis.annotate(
                way, (1 + 4.5 * (number % 3), f1), fontsize=7, color=FLOOR, ha=("left", "center", "right")[number % 3], va="bottom"
            )
        axis.set(xlabel="PDoC", ylabel="BCubed F1", ylim=(0, 1), title=f"level {level} of the marks")
        axis.grid(True, alpha=0.25)
        axis.legend(fontsize=8, loc="lower center")
    save(drawing, path)
