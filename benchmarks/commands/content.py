"""``python -m benchmarks content``."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, Annotated

from typer import Option

from benchmarks.commands.reporting import Folders, Json, Limit, Plot, names, shown
from benchmarks.report import Panel, Report, Table

if TYPE_CHECKING:
    from benchmarks.content import Result


def content(
    folders: Folders,
    *,
    limit: Limit = None,
    peers: str | None = None,
    passes: Annotated[int, Option(min=1)] = 3,
    give_bytes: Annotated[bool, Option("--bytes/--no-bytes")] = True,
    peer_python: Annotated[str | None, Option(envvar="TAMIS_PEER_PYTHON")] = None,
    timeout: Annotated[float, Option(min=0.1)] = 60.0,
    json_file: Json = None,
    plot: Plot = None,
) -> None:
    """Main text: tamis and its peers by F1, milliseconds per page, memory and failures.

    Options:
        peers: Names of tools, with commas between. [default: all]
        passes: How often each page is timed; the best time counts.
        give_bytes: Also time the tools on the page as served, if they accept it.
        peer_python: Another Python, which has the peers that have no wheel for this one.
        timeout: Seconds after which a page counts as failed.
    """
    shown("content", "pages", report, locals(), peers=names)


def report(result: Result) -> Report:
    """Quality and cost of each tool on each collection, by page type and by site; F1 against milliseconds as plots."""
    tables, remarks = [], []
    for name in result.collections:
        tables += [_tools(result, name), _groups(result, name, "page_type")]
        if len(result.values(name, "site")) > 1:
            tables.append(_groups(result, name, "site"))
        if empty := sum(page.collection == name and not page.main.strip() for page in result.pages):
            remarks.append(f"{name}: pages with empty gold, where every output scores 0 for all tools: {empty}")
    for tool in result.ran:
        counted = Counter(" ".join(outcome.error.split())[:150] for outcome in tool.outcomes if outcome.error is not None)
        remarks += [f"{tool.name} failed on {count} page{'s' * (count > 1)}: {reason}" for reason, count in counted.most_common(3)]
    remarks += [f"Not run: {tool.name}: {tool.standing.reason}" for tool in result.tools if tool.standing.reason is not None]
    return Report(tables, remarks, [_quality_by_cost(result, name) for name in result.collections])


def _tools(result: Result, name: str) -> Table:
    from benchmarks.peers import PARSE

    pages = [page for page in result.pages if page.collection == name]
    sites = len({page.site for page in pages})
    means = f"means over the pages of a site, then over {sites} sites" if sites > 1 else "means over pages"
    rows: list[tuple[object, ...]] = []
    for tool in sorted(result.ran, key=lambda tool: -result.summary(tool, name).score.f1):
        found = result.summary(tool, name)
        score, cost, served = found.score, found.cost, found.cost_bytes
        quality = (score.f1, score.precision, score.recall, found.content_lost, found.noise_removed)
        peak = tool.peak_memory and tool.peak_memory / 1e6
        idle = tool.idle_memory and tool.idle_memory / 1e6
        rows.append(
            (
                *(tool.name, (tool.standing.version or "")[:10], *(quality if tool.name != PARSE else [None] * 5)),
                *((cost.mean, cost.median, cost.ratio) if cost else [None] * 3),
                *((served.mean, served.ratio) if served else [None] * 2),
                *(peak, peak - idle if peak and idle else None),
                *(found.failures, None if tool.name == PARSE else found.empties),
            )
        )
    return Table(
        f"{name}: main text, {len(pages)} pages, {means}; best of {result.passes} pass{'es' * (result.passes > 1)}",
        "tool; version; F1|.3f; P|.3f; R|.3f; content lost|.1%; noise removed|.1%; ms mean|.2f; ms median|.2f; × parse|.1f; ms bytes|.2f; "
        "× parse|.1f; peak MB|.0f; above import|.0f; fail; empty",
        rows,
        "ms: given text (bytes: the page as served), without failed pages; × parse: relative to the mean of a bare lexbor parse of the "
        "same pages; peak MB: resident memory of the tool's own process, and its growth since the import",
    )


def _groups(result: Result, name: str, by: str) -> Table:
    """F1 of each tool on each group of pages."""
    from benchmarks.peers import PARSE

    tools = [tool for tool in result.ran if tool.name != PARSE]
    rows = [
        (
            group,
            sum(page.collection == name and getattr(page, by) == group for page in result.pages),
            *(100 * result.summary(tool, name, **{by: group}).score.f1 for tool in tools),
        )
        for group in result.values(name, by)
    ]
    what = by.replace("_", " ")
    return Table(f"{name} by {what}: F1, percent", "; ".join([what, "pages", *(f"{tool.name}|.1f" for tool in tools)]), rows)


def _quality_by_cost(result: Result, name: str) -> Panel:
    from benchmarks.peers import PARSE

    costs = {tool.name: result.summary(tool, name) for tool in result.ran if tool.name != PARSE}
    lines = {tool: [(found.cost.mean, found.score.f1)] for tool, found in costs.items() if found.cost is not None}
    return Panel(name, "milliseconds per page (mean)", "F1 (mean)", lines, log="x")
