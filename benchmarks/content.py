"""Quality and cost of main-text extraction: tamis and its peers on pages with gold.

Every tool runs in its own process and gets the same decoded page; page by page, all tools in turn, beginning with another one
each time. The first pass is scored; the best time over all passes counts, without pages on which the tool failed. Scores of single
pages are means over pages; those of sites are means over a site's pages, then over sites.
"""

from __future__ import annotations

import sys
from collections import Counter
from collections.abc import Sequence
from contextlib import ExitStack
from dataclasses import asdict, dataclass, field, replace
from typing import Annotated, Any

from typer import Option

from benchmarks.command import Folders, Limit, Names, bench
from benchmarks.gold import GoldPage, read_gold
from benchmarks.metric import NOTHING, Score, content_lost, mean, mean_score, noise_removed
from benchmarks.peers import BY_NAME, PARSE
from benchmarks.report import Panel, Report, Table
from benchmarks.timing import Cost, Progress, cost, rotated, unseen
from benchmarks.tool_process import Form, Standing, ToolProcess, choose


@dataclass(frozen=True, slots=True)
class Outcome:
    """The result of one tool on one page."""

    page: int  #: Index into :attr:`Result.pages`.
    score: Score
    content_lost: float | None  #: Share of the main text's characters that is missing, 0..1.
    noise_removed: float | None  #: Share of the noise's characters that is gone, 0..1; None if the gold does not label noise.
    empty: bool  #: Whether it gave no text and no error.
    error: str | None
    seconds: float | None  #: Best time, given text; None where it failed.
    seconds_bytes: float | None  #: Best time, given the page as served; None where it failed or takes no bytes.


@dataclass(frozen=True, slots=True)
class ToolResult:
    """The results of one tool on all pages."""

    standing: Standing
    outcomes: tuple[Outcome, ...] = field(repr=False)  #: One per page; none where the tool could not run.
    idle_memory: int | None  #: Resident memory of its process after import, before the first page, in bytes.
    peak_memory: int | None  #: Most resident memory of its process, in bytes.

    @property
    def name(self) -> str:
        """Name of the tool."""
        return self.standing.peer.name


@dataclass(frozen=True, slots=True)
class Summary:
    """A tool on a group of pages."""

    pages: int
    score: Score
    content_lost: float | None
    noise_removed: float | None
    failures: int
    empties: int
    cost: Cost | None
    cost_bytes: Cost | None


@dataclass(frozen=True, slots=True)
class Result:
    """A whole run."""

    pages: tuple[GoldPage, ...] = field(repr=False)
    sizes: tuple[int, ...] = field(repr=False)  #: Bytes of each page in UTF-8.
    tools: tuple[ToolResult, ...] = field(repr=False)  #: In the order of the peers' table; those that could not run included.
    passes: int

    @property
    def collections(self) -> tuple[str, ...]:
        """Names of the folders, in order."""
        return tuple(dict.fromkeys(page.collection for page in self.pages))

    @property
    def ran(self) -> tuple[ToolResult, ...]:
        """The tools that could run."""
        return tuple(tool for tool in self.tools if tool.standing.reason is None)

    def values(self, collection: str, by: str) -> tuple[str, ...]:
        """The sites (``by="site"``) or page types (``by="page_type"``) of a collection, in order of their names."""
        return tuple(sorted({getattr(page, by) for page in self.pages if page.collection == collection}))

    def summary(self, tool: ToolResult, collection: str, **group: str) -> Summary:
        """A tool on one collection, or on a group of it (``site=...``, ``page_type=...``)."""
        wanted = {"collection": collection, **group}
        chosen = [o for o in tool.outcomes if all(getattr(self.pages[o.page], name) == value for name, value in wanted.items())]
        sites: dict[str, list[Outcome]] = {}
        for outcome in chosen:
            sites.setdefault(self.pages[outcome.page].site, []).append(outcome)
        groups = sites.values()
        return Summary(
            pages=len(chosen),
            score=mean_score(mean_score(o.score for o in of_site) for of_site in groups),
            content_lost=mean(mean(o.content_lost for o in of_site) for of_site in groups),
            noise_removed=mean(mean(o.noise_removed for o in of_site) for of_site in groups),
            failures=sum(o.error is not None for o in chosen),
            empties=sum(o.empty for o in chosen),
            cost=self._cost(chosen, "seconds"),
            cost_bytes=self._cost(chosen, "seconds_bytes"),
        )

    def _cost(self, outcomes: Sequence[Outcome], what: str) -> Cost | None:
        timed = [(o.page, seconds) for o in outcomes if (seconds := getattr(o, what)) is not None]
        parse = next((tool.outcomes for tool in self.tools if tool.name == PARSE and tool.outcomes), None)
        floor = [getattr(parse[page], what) or 0.0 for page, _ in timed] if parse else None
        return cost([seconds for _, seconds in timed], floor)

    def to_dict(self) -> dict[str, Any]:
        """Plain values: tools, summaries by collection, page type and site, and every outcome."""
        return {
            "passes": self.passes,
            "collections": {name: self._collection(name) for name in self.collections},
            "tools": [_tool(tool) for tool in self.tools],
            "pages": [
                {"collection": p.collection, "site": p.site, "id": p.id, "page_type": p.page_type, "unit": p.unit, "gold": len(p.main)}
                for p in self.pages
            ],
        }

    def _collection(self, name: str) -> dict[str, Any]:
        pages = [page for page in self.pages if page.collection == name]
        return {
            "pages": len(pages),
            "pages with empty gold": sum(not page.main.strip() for page in pages),
            "summary": {tool.name: asdict(self.summary(tool, name)) for tool in self.ran},
            **{
                f"by {by}": {
                    value: {tool.name: asdict(self.summary(tool, name, **{by: value})) for tool in self.ran}
                    for value in self.values(name, by)
                }
                for by in ("page_type", "site")
            },
        }


def run(
    folders: Folders,
    *,
    limit: Limit = None,
    peers: Names = None,
    passes: Annotated[int, Option(min=1)] = 3,
    give_bytes: Annotated[bool, Option("--bytes/--no-bytes")] = True,
    peer_python: Annotated[str | None, Option(envvar="TAMIS_PEER_PYTHON")] = None,
    timeout: Annotated[float, Option(min=0.1)] = 60.0,
    progress: Progress = unseen,
) -> Result:
    """Main text: tamis and its peers by F1, milliseconds per page, memory and failures.

    Options:
        peers: Names of tools, with commas between. [default: all]
        passes: How often each page is timed; the best time counts.
        give_bytes: Also time the tools on the page as served, if they accept it.
        peer_python: Another Python, which has the peers that have no wheel for this one.
        timeout: Seconds after which a page counts as failed.
    """
    chosen = choose(peers)
    if BY_NAME[PARSE] not in chosen:
        chosen = (*chosen, BY_NAME[PARSE])
    pages = tuple(page for folder in folders for page in read_gold(folder, limit))
    pythons = (sys.executable, *([peer_python] if peer_python else []))
    with ExitStack() as stack:
        tools = [stack.enter_context(ToolProcess(peer, pythons=pythons, timeout=timeout)) for peer in chosen]
        running = [tool for tool in tools if tool.runs]
        sheets = {tool.peer.name: _Sheet(len(pages)) for tool in running}
        for number in range(passes):
            for k, page in enumerate(pages):
                _visit(page, k, rotated(running, k + number), sheets, first=number == 0, give_bytes=give_bytes)
                progress(number * len(pages) + k + 1, passes * len(pages))
        sizes = tuple(len(page.html().encode("utf-8", "replace")) for page in pages)
        return Result(pages, sizes, tuple(_result(tool, sheets.get(tool.peer.name)) for tool in tools), passes)


class _Sheet:
    """What is noted of one tool while it runs."""

    def __init__(self, pages: int) -> None:
        self.scored: dict[int, Outcome] = {}
        self.best: dict[Form, list[float | None]] = {"str": [None] * pages, "bytes": [None] * pages}

    def note_time(self, form: Form, page: int, seconds: float) -> None:
        before = self.best[form][page]
        self.best[form][page] = seconds if before is None else min(before, seconds)


def _visit(page: GoldPage, k: int, tools: Sequence[ToolProcess], sheets: dict[str, _Sheet], *, first: bool, give_bytes: bool) -> None:
    html = page.html()
    for tool in tools:
        answer = tool.ask(html, want_text=first)
        sheet = sheets[tool.peer.name]
        if answer.error is None:
            sheet.note_time("str", k, answer.seconds)
        if first:
            sheet.scored[k] = judge(page, k, answer.text, answer.error)
    if give_bytes:
        raw = page.raw()
        for tool in tools:
            if tool.peer.takes_bytes:
                answer = tool.ask(raw, want_text=False)
                if answer.error is None:
                    sheets[tool.peer.name].note_time("bytes", k, answer.seconds)


def judge(page: GoldPage, index: int, text: str, error: str | None = None) -> Outcome:
    """The outcome of one text on one page, without times."""
    return Outcome(
        page=index,
        score=page.score(text) if text else NOTHING,
        content_lost=content_lost(text, page.main, page.unit),
        noise_removed=None if page.noise is None else noise_removed(text, page.main, page.noise, ignored=page.ignored, unit=page.unit),
        empty=error is None and not text.strip(),
        error=error,
        seconds=None,
        seconds_bytes=None,
    )


def _result(tool: ToolProcess, sheet: _Sheet | None) -> ToolResult:
    if sheet is None:
        return ToolResult(tool.standing, (), None, None)
    times = zip(sheet.best["str"], sheet.best["bytes"], strict=True)
    outcomes = tuple(replace(sheet.scored[k], seconds=a, seconds_bytes=b) for k, (a, b) in enumerate(times))
    return ToolResult(tool.standing, outcomes, tool.idle_memory, tool.peak_memory)


def _tool(tool: ToolResult) -> dict[str, Any]:
    standing = tool.standing
    return {
        "name": tool.name,
        "distribution": standing.peer.distribution,
        "version": standing.version,
        "python": standing.python,
        "setup": standing.peer.setup,
        "not run": standing.reason,
        "resident memory after import, bytes": tool.idle_memory,
        "peak resident memory, bytes": tool.peak_memory,
        "outcomes": [
            {
                "f1": round(o.score.f1, 4),
                "precision": round(o.score.precision, 4),
                "recall": round(o.score.recall, 4),
                "seconds": o.seconds,
                "seconds_bytes": o.seconds_bytes,
                "error": o.error,
            }
            for o in tool.outcomes
        ],
    }


# -- report -----------------------------------------------------------------------------------------------------------------


def report(result: Result) -> Report:
    """Quality and cost of each tool on each collection, by page type and by site; F1 against milliseconds as plots."""
    tables, remarks = [], []
    for name in result.collections:
        tables += [_tools(result, name), times_by_size(result, name), _groups(result, name, "page_type")]
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


SIZES = {13: 20, 40: 66, 107: 160, 240: 350, 500: None}
"""Kilobytes that a page of a size has about, and that it has at the most."""


def times_by_size(result: Result, name: str) -> Table:
    """Return the time of each tool on pages of each size, relative to a bare parse of the same pages."""
    tools = [tool for tool in result.ran if tool.name != PARSE]
    parse = next(tool for tool in result.ran if tool.name == PARSE)
    rows: list[tuple[object, ...]] = []
    above = 0
    for about, most in SIZES.items():
        here = [k for k, size in enumerate(result.sizes) if above <= size and (most is None or size < most * 1000)]
        above = (most or 0) * 1000
        here = [k for k in here if result.pages[k].collection == name]
        floor = cost([seconds for k in here if (seconds := parse.outcomes[k].seconds) is not None])
        if floor is not None:
            of_tools = [result._cost([tool.outcomes[k] for k in here], "seconds") for tool in tools]
            rows.append((about, len(here), floor.mean, *(found and found.ratio for found in of_tools)))
    what = "; ".join(["kB, about", "pages", "parse, ms|.3f", *(f"{tool.name}|.1f" for tool in tools)])
    return Table(f"{name} by size of the page: time by that of a bare parse", what, rows)


def _groups(result: Result, name: str, by: str) -> Table:
    """F1 of each tool on each group of pages."""
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

    costs = {tool.name: result.summary(tool, name) for tool in result.ran if tool.name != PARSE}
    lines = {tool: [(found.cost.mean, found.score.f1)] for tool, found in costs.items() if found.cost is not None}
    return Panel(name, "milliseconds per page (mean)", "F1 (mean)", lines, log="x")


command = bench(run, report, "pages", plots=True)
