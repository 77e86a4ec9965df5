"""The attenuation bench on the screen and as a plot."""

from __future__ import annotations

from pathlib import Path

from rich.console import Group, RenderableType
from rich.table import Table
from rich.text import Text

from benchmarks import attenuation
from benchmarks.report import FLOOR, OURS, THEIRS, figure, percent, save


def attenuation_report(result: attenuation.Result) -> RenderableType:
    """Tables of a run of :func:`benchmarks.attenuation.run`: the sweep over T, and each site at the paper's T."""
    parts: list[RenderableType] = []
    for name in result.collections:
        table = Table(title=f"{name}: {result.count(name)} pages, by T")
        table.add_column("T", justify="right")
        _attenuation_columns(table)
        for threshold in result.thresholds:
            table.add_row(f"{threshold:.2f}", *_attenuation_cells(result.summary(name, threshold)))
        parts.append(table)
        if len(sites := result.sites(name)) > 1:
            table = Table(title=f"{name}: by site at T = {attenuation.PAPER_THRESHOLD}")
            table.add_column("site")
            table.add_column("pages", justify="right")
            _attenuation_columns(table)
            for site in sites:
                found = result.summary(name, attenuation.PAPER_THRESHOLD, site=site)
                table.add_row(site, str(found.pages), *_attenuation_cells(found))
            parts.append(table)
    parts.append(Text(attenuation.LEGEND))
    return Group(*parts)


def _attenuation_columns(table: Table) -> None:
    for heading in ("accuracy", "clip precision", "subtree right", "subtree holds all", "F1 ≥ 0.95", "F1"):
        table.add_column(heading, justify="right")


def _attenuation_cells(found: attenuation.Summary) -> list[str]:
    shares = (found.accuracy, found.clip_precision, found.subtree_right, found.holds_all, found.nearly_right)
    return [*map(percent, shares), f"{found.f1:.3f}"]


def plot_attenuation(result: attenuation.Result, path: Path) -> None:
    """The paper's figure 4 on our pages: accuracy over T, one panel per collection.

    Raises:
        MissingExtraError: matplotlib is not installed.
        SourceError: the file cannot be written.
    """
    drawing, axes = figure(len(result.collections), 6.4, 4.6)
    for axis, name in zip(axes, result.collections, strict=True):
        found = [result.summary(name, threshold) for threshold in result.thresholds]
        lines = (
            ("topic subtree right", [s.subtree_right for s in found], THEIRS, "s-"),
            ("page right", [s.accuracy for s in found], OURS, "o-"),
            ("mean F1", [s.f1 for s in found], FLOOR, "^--"),
        )
        for label, values, colour, style in lines:
            axis.plot(result.thresholds, [100 * (value or 0) for value in values], style, color=colour, markersize=4, label=label)
        axis.axvline(attenuation.PAPER_THRESHOLD, color="#bbbbbb", linewidth=1, linestyle=":")
        axis.set(xlabel="T", ylabel="percent", ylim=(0, 100), title=f"{name}: {result.count(name)} pages")
        axis.grid(True, alpha=0.25)
        axis.legend(fontsize=8, loc="best")
    save(drawing, path)
