"""Records found, missed and invented, with and without a sample, on pages with gold.

A record is *found* when one of the records that a tool gives holds its anchor, no other record's anchor, and at least 80 % of the
characters of its cells; every gold record counts once. Precision is found by given, recall found by gold; the *success rate* of the
paper's table 2 is that recall. Records that the page's source does not hold count as missed.

A cell is right when a found record has a field of the same letters and digits (spaces, punctuation and case aside); cells are counted as
often as they stand. Cells that the page does not hold count for nobody. Fields of records that are no gold record's are wrong. For
``wien``, whose gold has link targets, targets and sources are fields, too; for ``search-results`` only texts are. A tool that knows
values, but no records, is compared by *values*: cells of all records together.

F1 of a group of pages is the mean over pages; precision and recall are of all records together. Thresholds of the ranking were chosen
on the sites of one half (``half 1``); the other (``half 2``) is given beside it.
"""

from __future__ import annotations

import random
import re
import sys
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

from tamis.bench.gold import GoldPage, read_gold
from tamis.bench.metric import mean
from tamis.bench.record_gold import GoldRecord, PageText, RecordPage, locate, read_record_pages, sample_node, squeezed
from tamis.bench.record_peers import NOT_RUN, AutoScraperProcess
from tamis.decode import decode
from tamis.errors import UsageError
from tamis.parsing import parse, read_file
from tamis.records.finding import Records, RecordSettings, find_records, learn_records
from tamis.records.key_search import KeySearch
from tamis.records.wrapper import Wrapper
from tamis.tree import PageTree

WAYS = ("no sample", "first record", "random record", "paper", "wrapper")
"""How tamis is asked: without a sample; with the page's first record, or a random one, as the sample; with the first one by the paper's
method alone; by a wrapper learned, without a sample, on the first page of the site (the other pages are measured)."""
PEER = "autoscraper"
"""The other tool that is measured, by values only."""
HELD = 0.8
"""Share of a gold record's characters that a found record holds."""
TYPES = ("listing", "collection")
"""Page types of the WCXB set that are lists."""
_NO_LETTER = re.compile(r"[\W_]+")
Progress = Callable[[int, int], None]


@dataclass(frozen=True, slots=True)
class Outcome:
    """One page, asked for in one way."""

    page: int
    """Index into :attr:`Result.pages`."""
    gold: int
    """Records of the gold."""
    given: int
    """Records that were given."""
    found: int
    """Gold records that were found."""
    gold_cells: int
    given_cells: int
    right_cells: int
    right_values: int = 0
    """Given cells that are cells of any gold record, each as often as in the gold: what a tool can be judged by that knows no records."""

    @property
    def f1(self) -> float:
        """F1 of records."""
        return f1(self.found, self.given, self.gold)

    @property
    def cell_f1(self) -> float:
        """F1 of cells."""
        return f1(self.right_cells, self.given_cells, self.gold_cells)


@dataclass(frozen=True, slots=True)
class Summary:
    """A group of pages."""

    pages: int
    gold: int
    given: int
    found: int
    missed: int
    invented: int
    precision: float
    recall: float
    """The paper's success rate."""
    f1: float
    """Mean over pages."""
    cell_f1: float | None
    """Mean over pages; None where cells are not known."""
    cell_precision: float | None
    cell_recall: float | None
    value_f1: float | None
    """Mean over pages of the F1 of values, whatever record they are in; None where cells are not known."""


@dataclass(frozen=True, slots=True)
class ListPage:
    """A list page of the WCXB set: how much of the gold's main text the records hold."""

    id: str
    page_type: str
    records: int
    recall: float
    """Share of the gold's lines that stand in a record of the main list."""
    recall_of_all: float
    """Share of them that stand in a record of any list found."""
    precision: float | None
    """Share of the records' field characters that stand in the gold; None without records."""


@dataclass(frozen=True, slots=True)
class Result:
    """A whole run."""

    pages: tuple[RecordPage, ...] = field(repr=False)
    outcomes: dict[str, tuple[Outcome, ...]] = field(repr=False)
    """By way."""
    lists: tuple[ListPage, ...] = field(repr=False)
    not_run: dict[str, str] = field(default_factory=dict)
    """Tools that could not run, and why."""

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
            "bench": "records",
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
    folders: Sequence[Path],
    *,
    limit: int | None = None,
    ways: Sequence[str] | None = None,
    seed: int = 1,
    peer_python: str | None = None,
    progress: Progress | None = None,
) -> Result:
    """Run all ways over folders with gold.

    Args:
        folders: folders with records as gold (:mod:`tamis.bench.record_gold`), or of single pages with page types (WCXB).
        limit: at most so many pages of each site; of single pages, at most so many of each type.
        ways: some of :data:`WAYS`; None: all.
        seed: for the random record.
        peer_python: a Python that has autoscraper; None: this one.
        progress: called after each page.

    Raises:
        UsageError: there is no such way.
        SourceError: a folder without gold.
    """
    ways = tuple(ways) if ways is not None else WAYS
    if unknown := set(ways) - set(WAYS):
        raise UsageError(f"there is no way {sorted(unknown)[0]!r}; ways are {', '.join(WAYS)}")
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
    with AutoScraperProcess(peer_python or sys.executable) as peer:
        for number, page in enumerate(pages):
            visit = _Visit(page, number, random.Random(seed * 1_000_003 + number))
            for way in ways:
                if (outcome := visit.outcome(way, wrappers)) is not None:
                    outcomes[way].append(outcome)
            if (outcome := visit.of_peer(peer)) is not None:
                outcomes[PEER].append(outcome)
            if progress is not None:
                progress(number + 1, total)
        not_run = NOT_RUN if peer.standing.version else {PEER: peer.standing.reason, **NOT_RUN}
    lists = []
    for number, single in enumerate(singles):
        lists.append(judge_list(single))
        if progress is not None:
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
        settings = RecordSettings(search=KeySearch(of_one_kind=way != "paper"))
        node = self._sample(way)
        return self._judged(find_records(self._tree, like=node, settings=settings) if node is not None else None)

    def of_peer(self, peer: AutoScraperProcess) -> Outcome | None:
        """What autoscraper makes of the cells of the first record; None where it does not run or cells are not known."""
        first = next((record for record in self._gold if record.anchor is not None and record.values), None)
        if first is None or peer.standing.version is None:
            return None
        wanted = sum((Counter(filter(None, map(letters, record.values))) for record in self._gold), Counter())
        values = peer.values(decode(read_file(self._page.path)), [value.strip() for value in first.values])
        given = Counter(filter(None, map(letters, values)))
        right = (given & wanted).total()
        return Outcome(self._number, len(self._gold), 0, 0, wanted.total(), given.total(), 0, right)

    def _sample(self, way: str) -> int | None:
        nodes = (sample_node(self._text, self._gold, k) for k in range(len(self._gold)))
        if way != "random record":
            return next((node for node in nodes if node is not None), None)
        usable = [node for node in nodes if node is not None]
        return self._chance.choice(usable) if usable else None

    def _judged(self, found: Records | None) -> Outcome:
        return judge(self._number, self._text, self._gold, found, with_targets=self._page.collection == "wien")


def _learned(tree: PageTree) -> Wrapper | None:
    try:
        return learn_records([tree])
    except UsageError:
        return None


def judge(page: int, text: PageText, gold: Sequence[GoldRecord], found: Records | None, *, with_targets: bool = False) -> Outcome:
    """Compare the records of the main list with the gold.

    Args:
        page: the page's number.
        text: its text.
        gold: its records.
        found: what was found; None: nothing.
        with_targets: whether link targets and image sources are cells.
    """
    main = found.main if found is not None else None
    places = [text.place(spans[0][0], spans[-1][1]) for spans in main.spans] if main is not None else []
    pairs = match(text.text, gold, places)
    known = any(record.values for record in gold)
    wanted = [Counter(filter(None, map(letters, record.values))) for record in gold]
    given: list[Counter[str]] = []
    if main is not None and known:
        given = [
            Counter(filter(None, (letters(each.value) for each in fields if with_targets or each.kind == "text"))) for fields in main.fields
        ]
    right = sum((given[k] & wanted[number]).total() for k, number in pairs) if given else 0
    return Outcome(
        page=page,
        gold=len(gold),
        given=len(places),
        found=len(pairs),
        gold_cells=sum(each.total() for each in wanted),
        given_cells=sum(each.total() for each in given),
        right_cells=right,
        right_values=(sum(given, Counter()) & sum(wanted, Counter())).total(),
    )


def match(text: str, gold: Sequence[GoldRecord], places: Sequence[tuple[int, int]]) -> list[tuple[int, int]]:
    """Which of the given places are which gold records: pairs of numbers."""
    anchors = sorted((record.anchor, number) for number, record in enumerate(gold) if record.anchor is not None)
    pairs: list[tuple[int, int]] = []
    used: set[int] = set()
    for k, (low, high) in enumerate(places):
        inside = [(anchor, number) for anchor, number in anchors if low <= anchor[0] < high]
        if len(inside) != 1 or inside[0][0][1] > high or inside[0][1] in used:
            continue
        number = inside[0][1]
        here = text[low:high]
        cells = gold[number].cells
        if sum(len(cell) for cell in cells if cell in here) >= HELD * sum(map(len, cells)):
            used.add(number)
            pairs.append((k, number))
    return pairs


def letters(text: str) -> str:
    """The letters and digits of a text, lower case."""
    return _NO_LETTER.sub("", squeezed(text))


def f1(right: int, given: int, gold: int) -> float:
    """The harmonic mean of precision and recall; 0 where nothing is right."""
    return 2 * right / (given + gold) if right else 0.0


def summarise(outcomes: Sequence[Outcome]) -> Summary:
    """Means over pages, and counts."""
    gold, given, found = (sum(getattr(each, name) for each in outcomes) for name in ("gold", "given", "found"))
    cells, given_cells, right = (sum(getattr(each, name) for each in outcomes) for name in ("gold_cells", "given_cells", "right_cells"))
    return Summary(
        pages=len(outcomes),
        gold=gold,
        given=given,
        found=found,
        missed=gold - found,
        invented=given - found,
        precision=found / given if given else 0.0,
        recall=found / gold if gold else 0.0,
        f1=mean(each.f1 for each in outcomes) or 0.0,
        cell_f1=mean(each.cell_f1 for each in outcomes if each.gold_cells) if cells else None,
        cell_precision=right / given_cells if cells and given_cells else None,
        cell_recall=right / cells if cells else None,
        value_f1=mean(f1(each.right_values, each.given_cells, each.gold_cells) for each in outcomes if each.gold_cells) if cells else None,
    )


def judge_list(page: GoldPage) -> ListPage:
    """How much of the main text of a list page stands in the records found on it."""
    found = find_records(page.html())
    lines = [line for line in map(letters, page.main.split("\n")) if line]
    texts = ["".join(map(letters, region.texts)) for region in found.regions]
    main = texts[0] if texts else ""
    everywhere = "\n".join(texts)
    gold = letters(page.main)
    fields = [letters(each.value) for record in found.main.fields for each in record if each.kind == "text"] if found.main else []
    held = sum(len(each) for each in fields if each in gold)
    return ListPage(
        id=page.id,
        page_type=page.page_type,
        records=len(found.main) if found.main else 0,
        recall=sum(line in main for line in lines) / len(lines) if lines else 0.0,
        recall_of_all=sum(line in everywhere for line in lines) / len(lines) if lines else 0.0,
        precision=held / max(sum(map(len, fields)), 1) if fields else None,
    )
