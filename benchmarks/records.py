"""Records found, missed and invented, with and without a sample, on pages with gold.

A record is *found* when one of the records that a tool gives holds its anchor, no other record's anchor, and at least 80 % of the
characters of its cells; every gold record counts once. Precision is found by given, recall found by gold; the *success rate* of the
paper's table 2 is that recall. Records that the page's source does not hold count as missed.

A cell is right when a found record has a field of the same letters and digits (spaces, punctuation and case aside); cells are counted as
often as they stand. Cells whose letters the page does not hold count for nobody. Fields of records that are no gold record's are wrong. For
``wien``, whose gold has link targets, targets and sources are fields, too; for ``search-results`` only texts are. A tool that knows
values, but no records, is compared by *values*: cells of all records together.

F1 of a group of pages is the mean over pages; *exact* is the share of pages with every record found and none invented; precision and
recall are of all records together. Thresholds of the ranking were chosen on the sites of one half (``half 1``); the other (``half 2``) is
given beside it.
"""

from __future__ import annotations

import json
import random
import sys
from collections import Counter
from collections.abc import Iterable
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Annotated, Any

from typer import Argument, Option

from benchmarks.choosing import chosen
from benchmarks.command import Names, bench
from benchmarks.gold import GoldPage, read_gold
from benchmarks.metric import mean
from benchmarks.peers import AUTOSCRAPER
from benchmarks.record_gold import RecordPage, letters, locate, read_record_pages, sample_node
from benchmarks.record_judging import ListPage, Outcome, Summary, judge, judge_list, summarise
from benchmarks.report import Report, Table
from benchmarks.timing import Progress, unseen
from benchmarks.tool_process import ToolProcess
from tamis.errors import UsageError
from tamis.page.decode import decode
from tamis.page.parsing import parse, read_file
from tamis.page.tree import PageTree
from tamis.records.finding import Records, find_records, learn_records
from tamis.records.search import RecordSettings
from tamis.records.wrapper import Wrapper

WAYS = ("no sample", "first record", "two records", "random record", "paper", "wrapper")
"""How tamis is asked: without a sample; with the page's first record, the first two, or a random one, as the sample; with the first one by
the paper's method alone; by a wrapper learned, without a sample, on the first page of the site (the other pages are measured)."""
PEER = AUTOSCRAPER.name  #: The other tool that is measured, by values only.
PEER_SECONDS = 30.0  #: Time for one page.
NOT_RUN = {
    "mdr": "0.0.1 is of Python 2, and its C sources do not compile for Python 3.11 (PyCode_New, PyFrameObject)",
    "mlscraper": "1.0.0rc3 requires records whose values are each the whole text of one element; on three pages (Bbc, Sbnation, Github) "
    "it ended with NoMatchFoundException",
}
"""Tools that were tried without success."""
TYPES = ("listing", "collection")  #: Page types of the WCXB set that are lists.


@dataclass(frozen=True, slots=True)
class Result:
    """A whole run."""

    pages: tuple[RecordPage, ...] = field(repr=False)
    outcomes: dict[str, tuple[Outcome, ...]] = field(repr=False)  #: By way.
    lists: tuple[ListPage, ...] = field(repr=False)
    not_run: dict[str, str] = field(default_factory=dict)  #: Tools that could not run, and why.

    @property
    def collections(self) -> tuple[str, ...]:
        """Names of the folders."""
        return tuple(dict.fromkeys(page.collection for page in self.pages))

    def sites(self, collection: str) -> tuple[str, ...]:
        """Names of the sites of a folder."""
        return tuple(sorted({page.site for page in self.pages if page.collection == collection}))

    def summary(
        self, way: str, collections: Iterable[str] | None = None, *, site: str | None = None, held_out: bool | None = None
    ) -> Summary:
        """A way on some of the pages."""
        wanted = set(collections) if collections is not None else set(self.collections)
        return summarise(
            [
                outcome
                for outcome in self.outcomes[way]
                if (page := self.pages[outcome.page]).collection in wanted
                and (site is None or page.site == site)
                and (held_out is None or page.held_out == held_out)
            ]
        )

    def to_dict(self) -> dict[str, Any]:
        """Plain values."""
        return {
            "summary": {
                way: {
                    name: {
                        "all": asdict(self.summary(way, [name])),
                        "half 1": asdict(self.summary(way, [name], held_out=False)),
                        "half 2": asdict(self.summary(way, [name], held_out=True)),
                    }
                    for name in self.collections
                }
                for way in self.outcomes
            },
            "lists": [asdict(page) for page in self.lists],
            "not run": self.not_run,
            "pages": [{"collection": page.collection, "site": page.site, "id": page.id, "half": 1 + page.held_out} for page in self.pages],
            "outcomes": {
                way: [{**asdict(outcome), "f1": round(outcome.f1, 4), "cell_f1": round(outcome.cell_f1, 4)} for outcome in outcomes]
                for way, outcomes in self.outcomes.items()
            },
        }


def run(
    folders: Annotated[list[Path], Argument()],
    *,
    limit: Annotated[int | None, Option(min=1)] = None,
    ways: Names = None,
    seed: int = 1,
    peer_python: Annotated[str | None, Option(envvar="TAMIS_PEER_PYTHON")] = None,
    progress: Progress = unseen,
) -> Result:
    """Records found, missed and invented, and their cells, with and without a sample; the paper's success rate.

    Options:
        folders: Folders with a gold.json of records, a folder of such folders, or single pages with page types (gold.jsonl.gz).
        limit: Most pages of each site, and of each page type.
        ways: How tamis is asked: no sample, first record, two records, random record, paper, wrapper. [default: all]
        by_site: Also print a row for each site.
        seed: For the random record.
        peer_python: Another Python that has autoscraper (with beautifulsoup4<4.13).
    """
    ways = chosen("way", ways, WAYS)
    pages: list[RecordPage] = []
    singles: list[GoldPage] = []
    for folder in folders:
        if (folder / "gold.jsonl.gz").is_file():
            for kind in TYPES:
                singles += [page for page in read_gold(folder) if page.page_type == kind][:limit]
        else:
            pages += read_record_pages(folder, limit)
    total = len(pages) + len(singles)
    outcomes: dict[str, list[Outcome]] = {way: [] for way in (*ways, PEER)}
    wrappers: dict[tuple[str, str], Wrapper | None] = {}
    with ToolProcess(AUTOSCRAPER, pythons=[peer_python or sys.executable], timeout=PEER_SECONDS) as peer:
        for number, page in enumerate(pages):
            visit = _Visit(page, number, random.Random(seed * 1_000_003 + number))
            for way in ways:
                if (outcome := visit.outcome(way, wrappers)) is not None:
                    outcomes[way].append(outcome)
            if (outcome := visit.of_peer(peer)) is not None:
                outcomes[PEER].append(outcome)
            progress(number + 1, total)
        not_run = NOT_RUN if peer.standing.reason is None else {PEER: peer.standing.reason, **NOT_RUN}
    lists = []
    for number, single in enumerate(singles):
        lists.append(judge_list(single))
        progress(len(pages) + number + 1, total)
    return Result(tuple(pages), {way: tuple(each) for way, each in outcomes.items() if each}, tuple(lists), not_run)


class _Visit:
    """One page with its gold, asked for in several ways."""

    def __init__(self, page: RecordPage, number: int, chance: random.Random) -> None:
        self._page = page
        self._number = number
        self._chance = chance
        self._tree = parse(page.path)
        self._text, self._gold = locate(page, self._tree)

    def outcome(self, way: str, wrappers: dict[tuple[str, str], Wrapper | None]) -> Outcome | None:
        """What comes of a way; None where it does not apply to this page."""
        if way == "wrapper":
            site = (self._page.collection, self._page.site)
            if site not in wrappers:
                wrappers[site] = _learned(self._tree)
                return None
            wrapper = wrappers[site]
            return self._judged(find_records(self._tree, wrapper=wrapper) if wrapper else None)
        if way == "no sample":
            return self._judged(find_records(self._tree))
        settings = RecordSettings(of_one_kind=way != "paper")
        nodes = self._samples(way)
        return self._judged(find_records(self._tree, like=nodes, settings=settings) if nodes else None)

    def of_peer(self, peer: ToolProcess) -> Outcome | None:
        """The values that autoscraper finds from those of the first record; None if it does not run or no cells are known."""
        first = next((record for record in self._gold if record.anchor is not None and record.values), None)
        if first is None or not peer.runs:
            return None
        wanted = sum((Counter(filter(None, map(letters, record.values))) for record in self._gold), Counter())
        message = {"html": decode(read_file(self._page.path)), "wanted": [value.strip() for value in first.values]}
        answer = peer.ask(json.dumps(message))
        values = map(str, json.loads(answer.text) or ()) if answer.error is None else ()
        given = Counter(filter(None, map(letters, values)))
        right = (given & wanted).total()
        return Outcome(self._number, len(self._gold), 0, 0, wanted.total(), given.total(), 0, right)

    def _samples(self, way: str) -> list[int]:
        nodes = (sample_node(self._text, self._gold, k) for k in range(len(self._gold)))
        usable = list(dict.fromkeys(node for node in nodes if node is not None))
        if way == "random record":
            return [self._chance.choice(usable)] if usable else []
        return usable[: 2 if way == "two records" else 1]

    def _judged(self, found: Records | None) -> Outcome:
        return judge(self._number, self._text, self._gold, found, with_targets=self._page.collection == "wien")


def _learned(tree: PageTree) -> Wrapper | None:
    try:
        return learn_records([tree])
    except UsageError:
        return None


# -- report -----------------------------------------------------------------------------------------------------------------


def report(result: Result, by_site: bool = False) -> Report:
    """Records and their cells by the way that tamis is asked; ``by_site``: also one row a site."""
    measures = (
        "pages|,; gold|,; found|,; missed|,; invented|,; P|.1%; R (success)|.1%; F1|.3f; exact|.1%; cell F1|.3f; cell P|.1%; cell R|.1%"
    )
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
    if by_site and result.outcomes:
        way = next(iter(result.outcomes))
        for name in result.collections:
            rows = [(site, *_measured(result.summary(way, [name], site=site))) for site in result.sites(name)]
            tables.append(Table(f"{name}: by site, {way}", f"site; {measures}", rows))
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
        *(found.pages, found.gold, found.found, found.missed, found.invented, found.precision, found.recall, found.f1, found.exact),
        *(found.cell_f1, found.cell_precision, found.cell_recall),
    )


command = bench(run, report, "pages")
