"""Judging records: which are found, which cells are right, how much of a list page's text they hold (see :mod:`benchmarks.records`)."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

from benchmarks.gold import GoldPage
from benchmarks.metric import mean
from benchmarks.record_gold import RECORD_SHARE, GoldRecord, PageText, letters, share_held
from tamis.records.finding import Records, find_records


@dataclass(frozen=True, slots=True)
class Outcome:
    """One page, asked for in one way."""

    page: int  #: The page's number.
    gold: int  #: Records of the gold.
    given: int  #: Records that were given.
    found: int  #: Gold records that were found.
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
    recall: float  #: The paper's success rate.
    f1: float  #: Mean over pages.
    exact: float  #: Share of the pages of which each record is found and none invented.
    cell_f1: float | None  #: Mean over pages; None where cells are not known.
    cell_precision: float | None
    cell_recall: float | None
    value_f1: float | None  #: Mean over pages of the F1 of values, whatever record they are in; None where cells are not known.


@dataclass(frozen=True, slots=True)
class ListPage:
    """A list page of the WCXB set: how much of the gold's main text the records hold."""

    id: str
    page_type: str
    records: int
    recall: float  #: Share of the gold's lines that stand in a record of the main list.
    recall_of_all: float  #: Share of them that stand in a record of any list found.
    precision: float | None  #: Share of the records' field characters that stand in the gold; None without records.


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
    places = [text.place(*span) for span in main.spans] if main is not None else []
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
        if share_held(text[low:high], gold[number]) >= RECORD_SHARE:
            used.add(number)
            pairs.append((k, number))
    return pairs


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
        exact=mean(float(each.gold == each.given == each.found) for each in outcomes) or 0.0,
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
