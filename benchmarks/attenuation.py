"""The experiment of the paper on information attenuation, on our pages: accuracy for T from 0.2 to 0.5, and per site at T = 0.34.

Source: Chen 2012, section 3 with figure 4 and table 1. Its figure shows how often the *topic subtree* is right; its table, how often
the *page* is. Both are given here.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass, field, fields
from typing import Any

import numpy as np

from benchmarks.command import Folders, Limit, bench
from benchmarks.exactness import holds_all, is_right
from benchmarks.gold import GoldPage, read_gold
from benchmarks.metric import bag, mean
from benchmarks.report import Panel, Report, Table
from benchmarks.timing import Progress, unseen
from tamis.content.attenuation import REASONS, Attenuation, select
from tamis.document.render.text import to_text
from tamis.page.parsing import parse
from tamis.page.tree import BoolColumn, PageTree

PAPER_THRESHOLD = 0.34
THRESHOLDS: tuple[float, ...] = tuple(k / 100 for k in range(20, 51, 2))  #: T from 0.2 to 0.5 in steps of 0.02.
LEGEND = (
    "accuracy: share of pages extracted correctly. A page is correct if its word characters equal those of the gold, or if they "
    "contain the gold in one piece with at most one extra sentence before and one after, at most 10 % of the gold. subtree holds "
    "all: the topic subtree has at least 99 % of the gold's tokens; subtree right: and none of its children has (figure 4 of the "
    "paper). clip precision: correct pages among those whose subtree holds all. F1: over tokens. By site: means over the pages of "
    "a site, then over sites."
)
_FEWEST = 0.9  #: A subtree with less than this share of the gold's characters cannot hold all of it: spares the comparison.
_UNREAD = REASONS.index("title or script: not page text")


@dataclass(frozen=True, slots=True)
class Verdict:
    """One page at one T."""

    right: bool  #: The result is right in the paper's sense (:func:`benchmarks.exactness.is_right`).
    holds_all: bool  #: The topic subtree holds all of the gold.
    subtree_right: bool  #: It holds all of it, and none of its children does: definition 2 and 3 of the paper's topic subtree.
    f1: float


@dataclass(frozen=True, slots=True)
class PageSweep:
    """One page at every T."""

    page: GoldPage = field(repr=False)
    verdicts: tuple[Verdict, ...]  #: In the order of the thresholds.


@dataclass(frozen=True, slots=True)
class Summary:
    """A group of pages at one T; shares 0..1, F1 0..1."""

    pages: int
    accuracy: float | None
    clip_precision: float | None  #: Right pages by pages whose topic subtree holds all; None where there are none.
    subtree_right: float | None
    holds_all: float | None
    nearly_right: float | None  #: Share of pages with F1 of at least 0.95.
    f1: float | None


_MEANS = [field.name for field in fields(Summary)][1:]


@dataclass(frozen=True, slots=True)
class Result:
    """A whole sweep."""

    thresholds: tuple[float, ...]
    sweeps: tuple[PageSweep, ...] = field(repr=False)

    @property
    def collections(self) -> tuple[str, ...]:
        """Names of the folders, in order."""
        return tuple(dict.fromkeys(sweep.page.collection for sweep in self.sweeps))

    def sites(self, collection: str) -> tuple[str, ...]:
        """Names of the sites of a folder, sorted."""
        return tuple(sorted({sweep.page.site for sweep in self.sweeps if sweep.page.collection == collection}))

    def count(self, collection: str) -> int:
        """Number of pages of a folder."""
        return sum(sweep.page.collection == collection for sweep in self.sweeps)

    def summary(self, collection: str, threshold: float, site: str | None = None) -> Summary:
        """The pages of a folder, or of one site, at one of the thresholds: means over pages of a site, then over sites."""
        k = self.thresholds.index(threshold)
        groups: dict[str, list[Verdict]] = {}
        for sweep in self.sweeps:
            if sweep.page.collection == collection and site in (None, sweep.page.site):
                groups.setdefault(sweep.page.site, []).append(sweep.verdicts[k])
        sites = [_summary(verdicts) for verdicts in groups.values()]
        return Summary(sum(s.pages for s in sites), *(mean(getattr(s, name) for s in sites) for name in _MEANS))

    def to_dict(self) -> dict[str, Any]:
        """Plain values: summaries by T and by site."""
        return {
            "measures": LEGEND,
            "collections": {
                name: {
                    "by T": {f"{t:.2f}": asdict(self.summary(name, t)) for t in self.thresholds},
                    "by site": {
                        site: {f"{t:.2f}": asdict(self.summary(name, t, site)) for t in self.thresholds} for site in self.sites(name)
                    },
                }
                for name in self.collections
            },
        }


def run(folders: Folders, *, limit: Limit = None, progress: Progress = unseen) -> Result:
    """The paper's figure 4 and table: accuracy by T, and by site at T = 0.34."""
    pages = [page for folder in folders for page in read_gold(folder, limit)]
    sweeps = []
    for k, page in enumerate(pages):
        sweeps.append(PageSweep(page, sweep_page(page, parse(page.raw()))))
        progress(k + 1, len(pages))
    return Result(THRESHOLDS, tuple(sweeps))


def sweep_page(page: GoldPage, tree: PageTree, thresholds: Sequence[float] = THRESHOLDS) -> tuple[Verdict, ...]:
    """The verdicts on one page. Thresholds that end at the same topic subtree share one."""
    gold = bag(page.main, page.unit)
    lowest: int | None = None
    known: dict[int, Verdict] = {}
    verdicts = []
    for k, threshold in enumerate(thresholds):
        selection = select(tree, Attenuation(threshold=threshold))
        if k == 0:
            lowest = lowest_that_holds(tree, selection.reason != _UNREAD, page)
        topic = selection.trail[-1].node if selection.trail else -1
        if topic not in known:
            text = to_text(tree, selection.keep)
            holds = topic >= 0 and holds_all(_text(tree, topic, selection.reason != _UNREAD), gold, page.unit)
            known[topic] = Verdict(
                right=is_right(text, page.main, page.ignored),
                holds_all=holds,
                subtree_right=holds and topic == lowest,
                f1=page.score(text).f1,
            )
        verdicts.append(known[topic])
    return tuple(verdicts)


def lowest_that_holds(tree: PageTree, seen: BoolColumn, page: GoldPage) -> int | None:
    """The lowest node that holds all of the gold: what the topic subtree should be; None where not even the page holds it.

    Args:
        tree: the page.
        seen: nodes that count as running text, bool ``(n,)``.
        page: its gold.
    """
    gold = bag(page.main, page.unit)
    if not len(tree) or not holds_all(to_text(tree, seen), gold, page.unit):
        return None
    total = tree.subtree_sum(np.where(seen, tree.text_length, 0))
    least = _FEWEST * sum(len(token) * count for token, count in gold.items())
    node = 0
    while True:
        children = tree.children(node)
        children = children[total[children] >= least]
        by_size = children[np.argsort(-total[children], kind="stable")].tolist()
        holder = next((c for c in by_size if total[c] == total[node] or holds_all(_text(tree, c, seen), gold, page.unit)), None)
        if holder is None:
            return node
        node = holder


def _text(tree: PageTree, node: int, seen: BoolColumn) -> str:
    inside = np.zeros(len(tree), dtype=np.bool_)
    inside[node : tree.end[node]] = seen[node : tree.end[node]]
    return to_text(tree, inside)


def _summary(verdicts: Sequence[Verdict]) -> Summary:
    n = len(verdicts)
    right, holds = sum(v.right for v in verdicts), sum(v.holds_all for v in verdicts)
    return Summary(
        pages=n,
        accuracy=right / n,
        clip_precision=sum(v.right and v.holds_all for v in verdicts) / holds if holds else None,
        subtree_right=sum(v.subtree_right for v in verdicts) / n,
        holds_all=holds / n,
        nearly_right=sum(v.f1 >= 0.95 for v in verdicts) / n,
        f1=sum(v.f1 for v in verdicts) / n,
    )


# -- report -----------------------------------------------------------------------------------------------------------------


def report(result: Result) -> Report:
    """Accuracy by T, and by site at the paper's T; the paper's figure 4 as plots."""
    measures = "accuracy|.1%; clip precision|.1%; subtree right|.1%; subtree holds all|.1%; F1 ≥ 0.95|.1%; F1|.3f"
    tables, panels = [], []
    for name in result.collections:
        found = {threshold: result.summary(name, threshold) for threshold in result.thresholds}
        pages = f"{name}: {result.count(name)} pages"
        tables.append(Table(f"{pages}, by T", f"T; {measures}", [(f"{t:.2f}", *_shares(one)) for t, one in found.items()]))
        if len(sites := result.sites(name)) > 1:
            by_site = {site: result.summary(name, PAPER_THRESHOLD, site=site) for site in sites}
            rows = [(site, one.pages, *_shares(one)) for site, one in by_site.items()]
            tables.append(Table(f"{name}: by site at T = {PAPER_THRESHOLD}", f"site; pages; {measures}", rows))
        drawn = {"topic subtree right": "subtree_right", "page right": "accuracy", "mean F1": "f1"}
        lines = {label: [(t, getattr(one, measure)) for t, one in found.items()] for label, measure in drawn.items()}
        panels.append(Panel(pages, "T", "share of pages; F1", lines))
    return Report(tables, (LEGEND,), panels)


def _shares(found: Summary) -> tuple[float | None, ...]:
    return (found.accuracy, found.clip_precision, found.subtree_right, found.holds_all, found.nearly_right, found.f1)


command = bench(run, report, "pages", plots=True)
