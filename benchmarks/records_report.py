"""The records bench on the screen and as a plot."""

from __future__ import annotations

from pathlib import Path

from rich.console import Group, RenderableType
from rich.table import Table
from rich.text import Text

from benchmarks import records
from benchmarks.metric import mean
from benchmarks.record_judging import Summary
from benchmarks.report import FLOOR, OURS, THEIRS, figure, percent, save


def records_report(result: records.Result, *, sites: bool = False) -> RenderableType:
    """Tables of a run of :func:`benchmarks.records.run`; ``sites``: also one row a site."""
    parts: list[RenderableType] = [_way_table(result, way) for way in result.outcomes if way != records.PEER]
    if records.PEER in result.outcomes:
        parts.append(_value_table(result))
    if sites and result.outcomes:
        way = next(iter(result.outcomes))
        parts += [_site_table(result, name, way) for name in result.collections]
    if result.lists:
        parts.append(_list_table(result))
    parts += [Text(f"Not run: {name}: {reason}") for name, reason in result.not_run.items()]
    return Group(*parts)


def _columns(table: Table) -> None:
    for heading in ("pages", "gold", "found", "missed", "invented", "P", "R (success)", "F1", "cell F1", "cell P", "cell R"):
        table.add_column(heading, justify="right")


def _row(found: Summary) -> list[str]:
    return [
        *(f"{value:,}" for value in (found.pages, found.gold, found.found, found.missed, found.invented)),
        percent(found.precision),
        percent(found.recall),
        f"{found.f1:.3f}",
        "-" if found.cell_f1 is None else f"{found.cell_f1:.3f}",
        percent(found.cell_precision),
        percent(found.cell_recall),
    ]


def _way_table(result: records.Result, way: str) -> Table:
    table = Table(title=f"Records, {way}")
    table.add_column("folder")
    table.add_column("sites")
    _columns(table)
    for name in result.collections:
        for label, held_out in (("all", None), ("half 1", False), ("half 2", True)):
            table.add_row(name if held_out is None else "", label, *_row(result.summary(way, [name], held_out=held_out)))
    if len(result.collections) > 1:
        table.add_row("all folders", "all", *_row(result.summary(way)))
    return table


def _value_table(result: records.Result) -> Table:
    table = Table(title="Values, whatever record they are in: F1, mean over pages")
    table.add_column("folder")
    for way in result.outcomes:
        table.add_column(way, justify="right")
    for name in result.collections:
        found = [result.summary(way, [name]).value_f1 for way in result.outcomes]
        if any(value is not None for value in found):
            table.add_row(name, *("-" if value is None else f"{value:.3f}" for value in found))
    return table


def _site_table(result: records.Result, name: str, way: str) -> Table:
    table = Table(title=f"{name}: by site, {way}")
    table.add_column("site")
    _columns(table)
    for site in result.sites(name):
        table.add_row(site, *_row(result.summary(way, [name], site=site)))
    return table


def _list_table(result: records.Result) -> Table:
    table = Table(title="Main text of list pages that stands in records, no sample")
    table.add_column("page type")
    for heading in ("pages", "with a list", "lines in the main list", "lines in any list", "characters of fields in the gold"):
        table.add_column(heading, justify="right")
    for kind in sorted({page.page_type for page in result.lists}):
        own = [page for page in result.lists if page.page_type == kind]
        table.add_row(
            kind,
            str(len(own)),
            str(sum(page.records > 0 for page in own)),
            percent(mean(page.recall for page in own)),
            percent(mean(page.recall_of_all for page in own)),
            percent(mean(page.precision for page in own)),
        )
    return table


def plot_records(result: records.Result, path: Path) -> None:
    """F1 of every page, sorted, one panel a folder and one line a way.

    Raises:
        MissingExtraError: matplotlib is not installed.
        SourceError: the file cannot be written.
    """
    drawing, axes = figure(len(result.collections), 5.4, 4.2)
    colours = (OURS, THEIRS, "#6aa0cc", FLOOR, "#c8a13a")
    for axis, name in zip(axes, result.collections, strict=False):
        ways = [(way, outcomes) for way, outcomes in result.outcomes.items() if way != records.PEER]
        for colour, (way, outcomes) in zip(colours, ways, strict=False):
            values = sorted(outcome.f1 for outcome in outcomes if result.pages[outcome.page].collection == name)
            if values:
                shares = [100 * (k + 1) / len(values) for k in range(len(values))]
                axis.plot(shares, values, color=colour, linewidth=1.6, label=f"{way} (mean {sum(values) / len(values):.2f})")
        axis.set(xlabel="percent of pages, worst first", ylabel="F1 of records", ylim=(-0.02, 1.02), xlim=(0, 100), title=name)
        axis.grid(True, alpha=0.25)
        axis.legend(fontsize=8, loc="lower right")
    save(drawing, path)
