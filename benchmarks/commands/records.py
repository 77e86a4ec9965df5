"""``python -m benchmarks records``."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from typer import Argument, Option

from benchmarks.commands.reporting import Json, names, shown
from benchmarks.report import Report, Table

if TYPE_CHECKING:
    from benchmarks.record_judging import Summary
    from benchmarks.records import Result


def records(
    folders: Annotated[list[Path], Argument()],
    *,
    limit: Annotated[int | None, Option(min=1)] = None,
    ways: str | None = None,
    by_site: bool = False,
    seed: int = 1,
    peer_python: Annotated[str | None, Option(envvar="TAMIS_PEER_PYTHON")] = None,
    json_file: Json = None,
) -> None:
    """Records found, missed and invented, and their cells, with and without a sample; the paper's success rate.

    Options:
        folders: Folders with a gold.json of records, a folder of such folders, or single pages with page types (gold.jsonl.gz).
        limit: Most pages of each site, and of each page type.
        ways: How tamis is asked: no sample, first record, two records, random record, paper, wrapper. [default: all]
        by_site: Also print a row for each site.
        seed: For the random record.
        peer_python: Another Python that has autoscraper (with beautifulsoup4<4.13).
    """
    given = locals()
    sites = given.pop("by_site")
    shown("records", "pages", lambda result: report(result, sites=sites), given, ways=names)


def report(result: Result, *, sites: bool = False) -> Report:
    """Records and their cells by the way that tamis is asked; ``sites``: also one row a site."""
    from benchmarks.metric import mean
    from benchmarks.records import PEER

    measures = "pages|,; gold|,; found|,; missed|,; invented|,; P|.1%; R (success)|.1%; F1|.3f; cell F1|.3f; cell P|.1%; cell R|.1%"
    halves = (("all", None), ("half 1", False), ("half 2", True))
    ways = [way for way in result.outcomes if way != PEER]
    tables = []
    for way in ways:
        rows = [
            (name if half is None else "", label, *_measured(result.summary(way, [name], held_out=half)))
            for name in result.collections
            for label, half in halves
        ]
        if len(result.collections) > 1:
            rows.append(("all folders", "all", *_measured(result.summary(way))))
        tables.append(Table(f"Records, {way}", f"folder; sites; {measures}", rows))
    if PEER in result.outcomes:
        values = {name: [result.summary(way, [name]).value_f1 for way in result.outcomes] for name in result.collections}
        columns = "; ".join(["folder", *(f"{way}|.3f" for way in result.outcomes)])
        known = [(name, *found) for name, found in values.items() if any(value is not None for value in found)]
        tables.append(Table("Values, regardless of their record: F1, mean over pages", columns, known))
    if sites and result.outcomes:
        way = next(iter(result.outcomes))
        for name in result.collections:
            by_site = [(site, *_measured(result.summary(way, [name], site=site))) for site in result.sites(name)]
            tables.append(Table(f"{name}: by site, {way}", f"site; {measures}", by_site))
    if result.lists:
        lists = []
        for kind in sorted({page.page_type for page in result.lists}):
            own = [page for page in result.lists if page.page_type == kind]
            shares = (mean(getattr(page, name) for page in own) for name in ("recall", "recall_of_all", "precision"))
            lists.append((kind, len(own), sum(page.records > 0 for page in own), *shares))
        columns = "page type; pages; with a list; lines in the main list|.1%; lines in any list|.1%; characters of fields in the gold|.1%"
        tables.append(Table("Main text of list pages covered by records, no sample", columns, lists))
    remarks = [f"Not run: {name}: {reason}" for name, reason in result.not_run.items()]
    return Report(tables, remarks)


def _measured(found: Summary) -> tuple[float | None, ...]:
    return (
        *(found.pages, found.gold, found.found, found.missed, found.invented, found.precision, found.recall, found.f1),
        *(found.cell_f1, found.cell_precision, found.cell_recall),
    )
