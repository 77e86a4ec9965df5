"""The content bench on the screen and as a plot."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

from rich.console import Group, RenderableType
from rich.table import Table
from rich.text import Text

from benchmarks import content
from benchmarks.peers import PARSE
from benchmarks.report import FLOOR, LABEL, OURS, THEIRS, figure, label_points, percent, save
from benchmarks.timing import Cost


def content_report(result: content.Result) -> RenderableType:
    """Tables of a run of :func:`benchmarks.content.run`."""
    parts: list[RenderableType] = []
    for name in result.collections:
        several_sites = len(result.values(name, "site")) > 1
        parts += [_content_table(result, name), _group_table(result, name, "page_type")]
        if several_sites:
            parts.append(_group_table(result, name, "site"))
        if empty := sum(page.collection == name and not page.main.strip() for page in result.pages):
            parts.append(Text(f"{name}: pages with empty gold, where every output scores 0 for all tools: {empty}"))
    parts += [Text(line) for tool in result.ran for line in _failures(tool)]
    parts += [Text(f"Not run: {tool.name}: {tool.standing.reason}") for tool in result.tools if tool.standing.reason is not None]
    return Group(*parts)


def _failures(tool: content.ToolResult) -> list[str]:
    """What a tool failed with, the most common reason first."""
    counted = Counter(" ".join(outcome.error.split())[:150] for outcome in tool.outcomes if outcome.error is not None)
    return [f"{tool.name} failed on {count} page{'s' * (count > 1)}: {reason}" for reason, count in counted.most_common(3)]


def _content_table(result: content.Result, name: str) -> Table:
    pages = [page for page in result.pages if page.collection == name]
    sites = len({page.site for page in pages})
    means = f"means over the pages of a site, then over {sites} sites" if sites > 1 else "means over pages"
    table = Table(
        title=f"{name}: main text, {len(pages)} pages, {means}; best of {result.passes} pass{'es' * (result.passes > 1)}", expand=False
    )
    table.add_column("tool", no_wrap=True)
    table.add_column("version", no_wrap=True, overflow="ellipsis", max_width=10)
    for heading in ("F1", "P", "R", "content lost", "noise removed", "ms mean", "ms median", "× parse", "ms bytes", "× parse", "peak MB"):
        table.add_column(heading, justify="right")
    table.add_column("fail", justify="right")
    table.add_column("empty", justify="right")
    for tool in sorted(result.tools, key=lambda tool: -result.summary(tool, name).score.f1):
        if tool.standing.reason is not None:
            table.add_row(tool.name, "not run: see below")
            continue
        found = result.summary(tool, name)
        quality = [f"{value:.3f}" for value in (found.score.f1, found.score.precision, found.score.recall)]
        quality += [percent(found.content_lost), percent(found.noise_removed)]
        if tool.name == PARSE:
            quality = ["-"] * len(quality)
        row = [tool.name, tool.standing.version or "", *quality, *_cost_cells(found.cost, medians=True), *_cost_cells(found.cost_bytes)]
        table.add_row(*row, _memory(tool), str(found.failures), "-" if tool.name == PARSE else str(found.empties))
    table.caption = (
        "ms: given text (bytes: the page as served), failed pages left out; × parse: by the mean time of a bare lexbor parse of the same "
        "pages; peak MB: resident memory of the tool's own process, in brackets above that after import"
    )
    return table


def _cost_cells(found: Cost | None, *, medians: bool = False) -> list[str]:
    if found is None:
        return ["-"] * (3 if medians else 2)
    ratio = f"{found.ratio:.1f}" if found.ratio is not None else "-"
    return [f"{found.mean:.2f}", *([f"{found.median:.2f}"] if medians else []), ratio]


def _memory(tool: content.ToolResult) -> str:
    if tool.peak_memory is None or tool.idle_memory is None:
        return "-"
    return f"{tool.peak_memory / 1e6:.0f} (+{(tool.peak_memory - tool.idle_memory) / 1e6:.0f})"


def _group_table(result: content.Result, name: str, by: str) -> Table:
    """F1 (P/R) in percent, groups across and tools down; F1 alone, turned around, for many groups."""
    groups = result.values(name, by)
    tools = [tool for tool in result.ran if tool.name != PARSE]
    what = {"page_type": "page type", "site": "site"}[by]
    turned = len(groups) > 8
    table = Table(title=f"{name} by {what}: F1{'' if turned else ' (P/R)'}, percent")
    table.add_column(what if turned else "tool", no_wrap=True)
    scores = {(t.name, g): result.summary(t, name, **{by: g}).score for t in tools for g in groups}
    counts = {g: sum(page.collection == name and getattr(page, by) == g for page in result.pages) for g in groups}
    if turned:
        table.add_column("pages", justify="right")
        for tool in tools:
            table.add_column(tool.name, justify="right")
        for g in groups:
            table.add_row(g, str(counts[g]), *(f"{scores[t.name, g].f1 * 100:.1f}" for t in tools))
        return table
    for g in groups:
        table.add_column(f"{g}\n{counts[g]}", justify="right")
    for tool in tools:
        cells = (scores[tool.name, g] for g in groups)
        table.add_row(tool.name, *(f"{s.f1 * 100:.1f} ({s.precision * 100:.0f}/{s.recall * 100:.0f})" for s in cells))
    return table


def plot_content(result: content.Result, path: Path) -> None:
    """Quality against cost: mean F1 over milliseconds per page (logarithmic), one panel per collection.

    Raises:
        MissingExtraError: matplotlib is not installed.
        SourceError: the file cannot be written.
    """
    drawing, axes = figure(len(result.collections), 7.6, 5.4)
    for axis, name in zip(axes, result.collections, strict=True):
        points = []
        for tool in result.ran:
            found = result.summary(tool, name)
            if found.cost is None:
                continue
            if tool.name == PARSE:
                axis.axvline(found.cost.mean, color=FLOOR, linestyle=":", linewidth=1)
                axis.annotate("bare parse", (found.cost.mean, 1), xycoords=("data", "axes fraction"), xytext=(3, -12), **LABEL, color=FLOOR)
                continue
            colour = OURS if tool.name.startswith("tamis") else FLOOR if tool.standing.peer.floor else THEIRS
            points.append((found.cost.mean, found.score.f1, tool.name, colour))
        label_points(axis, points)
        pages = sum(page.collection == name for page in result.pages)
        axis.set(xscale="log", xlabel="milliseconds per page (mean, logarithmic)", ylabel="F1 (mean)", title=f"{name}: {pages} pages")
        axis.margins(x=0.16, y=0.08)
        axis.grid(True, which="major", alpha=0.25)
    save(drawing, path)
