"""Quality and cost of cleaning whole sites: main text after learning from k pages of a site, against other ways.

Of each site some content pages are scored; the others are there to learn from. They are put in random order, and a draw of k pages
is the first k of them, so larger draws hold the smaller. All methods get the same draw and the same pages, in turn, beginning with
another one each time; a bare parse of the same pages is timed among them. Scores are means over a site's pages and draws, then over
sites. A site with fewer than k other pages is learned from all of them.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Sequence
from contextlib import ExitStack
from dataclasses import asdict, dataclass, field
from math import inf
from pathlib import Path
from statistics import fmean
from typing import Annotated, Any

from typer import Argument, Option

from benchmarks import content
from benchmarks.command import Names, PeerPythons, Sites, bench, numbers
from benchmarks.contestants import Cleaned, Contestant, Given, Learned, bare_parse, contestants
from benchmarks.gold import GoldPage
from benchmarks.metric import Score, mean, mean_score
from benchmarks.report import Panel, Report, Table
from benchmarks.site_pages import LearnFrom, SitePages, read_site_pages, site_folders
from benchmarks.timing import Progress, rotated, unseen
from tamis.errors import UsageError

KS = (2, 3, 5, 10, 30, 100)
REFERENCE = 30  #: The k of tables that show one: the largest that is not more.
SINGLE_PAGE_VISITS = 2  #: How often methods that learn nothing are given each page; only the times differ.
LEARNING_VISITS = 2  #: How often each draw is learned; the best time counts.


@dataclass(frozen=True, slots=True)
class Visit:
    """The result of one method on one page after one draw."""

    seed: int
    outcome: content.Outcome  #: On a page of the site's scored ones.
    note: str | None  #: What the method said of how it came about.


@dataclass(frozen=True, slots=True)
class Lesson:
    """One draw learned by one method."""

    seed: int
    pages: int  #: Pages in the draw: k, or fewer where the site has no more.
    seconds: float
    parse_seconds: float  #: Time of a bare parse of the same pages, the best of all that were taken among the methods' turns.
    layouts: tuple[int, ...]
    error: str | None


@dataclass(frozen=True, slots=True)
class Rate:
    """Time per page."""

    milliseconds: float
    ratio: float  #: By the time of a bare parse of the same pages.


@dataclass(frozen=True, slots=True)
class Summary:
    """A method after learning from k pages."""

    visits: int
    score: Score
    content_lost: float | None
    noise_removed: float | None
    worst_site: str
    worst_site_f1: float
    worst_page: str  #: ``site/page`` with the least mean F1 over the draws.
    worst_page_f1: float
    failures: int
    empties: int
    notes: dict[str, int]  #: What the method said of pages, and of how many.


@dataclass(frozen=True, slots=True)
class Entrant:
    """A method of the run."""

    name: str
    setup: str
    version: str | None
    learns: bool
    reason: str | None  #: Why it could not run; None where it could.


@dataclass(frozen=True, slots=True)
class Result:
    """A whole run."""

    ks: tuple[int, ...]
    learn_from: LearnFrom
    seeds: int
    sites: tuple[SitePages, ...] = field(repr=False)
    entrants: tuple[Entrant, ...]
    visits: dict[tuple[str, int, str], list[Visit]] = field(repr=False)  #: By method, k (0 for a method that learns nothing) and site.
    lessons: dict[tuple[str, int, str], list[Lesson]] = field(repr=False)  #: By method, k and site.
    times: dict[tuple[str, str], list[tuple[float, float]]] = field(repr=False)
    """By method and site: for each page the best seconds, and those of a bare parse."""

    @property
    def ran(self) -> tuple[Entrant, ...]:
        """The methods that could run."""
        return tuple(entrant for entrant in self.entrants if entrant.reason is None)

    @property
    def reference(self) -> int:
        """The k of tables that show one."""
        return max((k for k in self.ks if k <= REFERENCE), default=min(self.ks))

    def summary(self, entrant: Entrant, k: int, site: str | None = None) -> Summary:
        """A method after k pages, on all sites or on one; a method that learns nothing is the same at every k."""
        cells = {s.name: self.visits[entrant.name, k if entrant.learns else 0, s.name] for s in self.sites if site in (None, s.name)}
        everything = [visit for visits in cells.values() for visit in visits]
        pages: dict[str, list[float]] = {}
        for s in self.sites:
            for visit in cells.get(s.name, ()):
                pages.setdefault(f"{s.name}/{s.scored[visit.outcome.page].id}", []).append(visit.outcome.score.f1)
        by_page = {page: fmean(scores) for page, scores in pages.items()}
        by_site = {name: fmean(visit.outcome.score.f1 for visit in visits) for name, visits in cells.items()}
        worst_page, worst_site = min(by_page, key=by_page.__getitem__), min(by_site, key=by_site.__getitem__)
        notes = [visit.note for visit in everything if visit.note]
        return Summary(
            visits=len(everything),
            score=mean_score(mean_score(visit.outcome.score for visit in visits) for visits in cells.values()),
            content_lost=mean(mean(visit.outcome.content_lost for visit in visits) for visits in cells.values()),
            noise_removed=mean(mean(visit.outcome.noise_removed for visit in visits) for visits in cells.values()),
            worst_site=worst_site,
            worst_site_f1=by_site[worst_site],
            worst_page=worst_page,
            worst_page_f1=by_page[worst_page],
            failures=sum(visit.outcome.error is not None for visit in everything),
            empties=sum(visit.outcome.empty for visit in everything),
            notes={note: notes.count(note) for note in sorted(set(notes))},
        )

    def learning(self, entrant: Entrant, k: int) -> Rate | None:
        """Time per page learned from, over all sites and draws; None where nothing is learned."""
        found = [lesson for s in self.sites for lesson in self.lessons.get((entrant.name, k, s.name), ()) if lesson.error is None]
        return _rate([(lesson.seconds, lesson.parse_seconds) for lesson in found], sum(lesson.pages for lesson in found))

    def cleaning(self, entrant: Entrant) -> Rate | None:
        """Time per page cleaned, from HTML text to clean text, the best of all visits to each page."""
        timed = [pair for s in self.sites for pair in self.times.get((entrant.name, s.name), ())]
        return _rate(timed, len(timed))

    def layouts(self, site: str, k: int) -> list[tuple[int, ...]]:
        """The layouts that the site model found, for each draw."""
        return [lesson.layouts for lesson in self.lessons.get(("site", k, site), ())]

    def to_dict(self) -> dict[str, Any]:
        """Plain values: means by method and k, per site, and every page's F1."""
        return {
            "ks": list(self.ks),
            "learn from": self.learn_from,
            "draws": self.seeds,
            "methods": [self._method(entrant) for entrant in self.entrants],
            "sites": {
                s.name: {
                    "scored": [page.id for page in s.scored],
                    "to learn from": len(s.others),
                    "of them content pages": sum(page.is_content for page in s.others),
                    "layouts by k": {str(k): self.layouts(s.name, k) for k in self.ks},
                }
                for s in self.sites
            },
        }

    def _method(self, entrant: Entrant) -> dict[str, Any]:
        values: dict[str, Any] = asdict(entrant)
        if entrant.reason is not None:
            return values
        cleaning = self.cleaning(entrant)
        values["cleaning"] = asdict(cleaning) if cleaning else None
        values["by k"] = {str(k): self._at(entrant, k) for k in (self.ks if entrant.learns else (0,))}
        return values

    def _at(self, entrant: Entrant, k: int) -> dict[str, Any]:
        learning = self.learning(entrant, k)
        return {
            "mean": asdict(self.summary(entrant, k)),
            "learning": asdict(learning) if learning else None,
            "sites": {
                s.name: {
                    **asdict(self.summary(entrant, k, s.name)),
                    "pages": [
                        (visit.seed, visit.outcome.page, round(visit.outcome.score.f1, 4)) for visit in self.visits[entrant.name, k, s.name]
                    ],
                }
                for s in self.sites
            },
        }


def _rate(pairs: Sequence[tuple[float, float]], pages: int) -> Rate | None:
    seconds, parsing = (sum(pair[i] for pair in pairs) for i in (0, 1))
    return Rate(round(1e3 * seconds / pages, 4), round(seconds / parsing, 3)) if pages and parsing else None


def run(
    folder: Annotated[Path, Argument(help="A folder of sites with gold, or one site.")],
    *,
    ks: Annotated[Sequence[int], numbers, Option("--k")] = KS,
    sites: Sites = None,
    methods: Names = None,
    score: Annotated[int, Option(min=1)] = 25,
    seeds: Annotated[int, Option(min=1)] = 1,
    learn_from: Annotated[LearnFrom, Option("--learn")] = "all",
    peer_pythons: PeerPythons = None,
    timeout: Annotated[float, Option(min=0.1)] = 60.0,
    progress: Progress = unseen,
) -> Result:
    """Site templates: F1, noise removed and cost after learning from k pages of a site, against other methods.

    Options:
        ks: Numbers of pages to learn from, with commas between.
        methods: Names of methods and tools, with commas between. [default: all]
        score: Most pages of each site that are scored, and at most half.
        seeds: How many times the pages to learn from are drawn.
        learn_from: Pages to learn from: all, or content pages only.
        timeout: Seconds after which a page or a draw counts as failed.
    """
    if not ks or min(ks) < 1:
        raise UsageError(f"k is one or more numbers of pages from 1, not {', '.join(map(str, ks))}")
    numbers = tuple(sorted(set(ks)))
    folders = site_folders(folder, sites)
    with ExitStack() as stack:
        all_there = contestants(methods, [sys.executable, *(peer_pythons or ())], timeout)
        for one in all_there:
            stack.callback(one.close)
        running = [one for one in all_there if one.reason is None]
        sheet = _Sheet()
        read = []
        rounds = [(seed, k) for seed in range(seeds) for k in numbers]
        for place, path in enumerate(folders):
            pages = read_site_pages(path, score, learn_from)
            read.append(pages)
            site = _Site(pages, sheet)
            for turn, (seed, k) in enumerate(rounds):
                site.round(running, turn, seed, k)
                progress(place * len(rounds) + turn + 1, len(folders) * len(rounds))
            site.close()
        entrants = tuple(Entrant(one.name, one.setup, one.version, one.learns, one.reason) for one in all_there)
        return Result(numbers, learn_from, seeds, tuple(read), entrants, sheet.visits, sheet.lessons, sheet.times)


class _Sheet:
    """What is noted while the methods run."""

    def __init__(self) -> None:
        self.visits: dict[tuple[str, int, str], list[Visit]] = {}
        self.lessons: dict[tuple[str, int, str], list[Lesson]] = {}
        self.times: dict[tuple[str, str], list[tuple[float, float]]] = {}


class _Site:
    """The rounds of one site: draws learned and pages cleaned."""

    def __init__(self, pages: SitePages, sheet: _Sheet) -> None:
        self._pages = pages
        self._sheet = sheet
        self._given: list[Given] = [(page.url, page.html()) for page in pages.scored]
        self._drawn: dict[Path, Given] = {}
        self._judged: dict[tuple[int, str, str | None], content.Outcome] = {}
        self._best: dict[tuple[str, int], float] = {}

    def round(self, running: Sequence[Contestant], turn: int, seed: int, k: int) -> None:
        """Learn one draw with every method, then clean every page with every method."""
        draw = self._pages.draw(seed)[:k]
        given = [self._drawn.setdefault(page.path, (page.url, page.html())) for page in draw]
        order = rotated(running, turn)
        self._learn([one for one in order if one.learns], given, seed, k)
        asked = [one for one in order if one.learns or turn < SINGLE_PAGE_VISITS]
        for index, page in enumerate(self._given):
            self._note_time("", index, bare_parse(page[1]))
            for one in rotated(asked, index):
                cleaned = one.clean(page)
                if cleaned.error is None:
                    self._note_time(one.name, index, cleaned.seconds)
                if one.learns or turn == 0:
                    visits = self._sheet.visits.setdefault((one.name, k if one.learns else 0, self._pages.name), [])
                    visits.append(self._visit(index, seed, cleaned, self._pages.scored[index]))

    def close(self) -> None:
        """Note the best times of every method that cleaned a page, beside those of a bare parse."""
        for (name, index), seconds in sorted(self._best.items()):
            if name:
                self._sheet.times.setdefault((name, self._pages.name), []).append((seconds, self._best["", index]))

    def _learn(self, learners: Sequence[Contestant], given: Sequence[Given], seed: int, k: int) -> None:
        best: dict[str, Learned] = {}
        parsing = inf
        for _ in range(LEARNING_VISITS):
            for one in learners:
                parsing = min(parsing, sum(bare_parse(html) for _, html in given))
                learned = one.learn(given)
                if one.name not in best or learned.seconds < best[one.name].seconds:
                    best[one.name] = learned
        for name, learned in best.items():
            lesson = Lesson(seed, len(given), learned.seconds, parsing, learned.layouts, learned.error)
            self._sheet.lessons.setdefault((name, k, self._pages.name), []).append(lesson)

    def _note_time(self, name: str, index: int, seconds: float) -> None:
        self._best[name, index] = min(seconds, self._best.get((name, index), seconds))

    def _visit(self, index: int, seed: int, cleaned: Cleaned, page: GoldPage) -> Visit:
        key = (index, cleaned.text, cleaned.error)
        outcome = self._judged.get(key)
        if outcome is None:
            outcome = self._judged[key] = content.judge(page, index, cleaned.text, cleaned.error)
        return Visit(seed, outcome, cleaned.note)


# -- report -----------------------------------------------------------------------------------------------------------------


def report(result: Result) -> Report:
    """Each method by the number of pages learned from, at the reference number, and by site; F1 by that number as a plot."""
    ranked = sorted(result.ran, key=lambda entrant: -result.summary(entrant, result.reference).score.f1)
    draws = f"{result.seeds} draw{'s' * (result.seeds > 1)}"
    kind = "all other pages" if result.learn_from == "all" else "other content pages"
    what = f"{len(result.sites)} sites, {sum(len(site.scored) for site in result.sites)} pages scored, {draws} of k from {kind}"
    measures: dict[str, tuple[str, Callable[[Summary], float | None]]] = {
        "F1": (".3f", lambda found: found.score.f1),
        "noise removed": (".1%", lambda found: found.noise_removed),
        "content lost": (".1%", lambda found: found.content_lost),
    }
    tables = []
    for measure, (form, get) in measures.items():
        columns = "; ".join(["method", *(f"k = {k}|{form}" for k in result.ks)])
        rows = [(one.name, *(get(result.summary(one, k)) if one.learns or k == result.ks[0] else "·" for k in result.ks)) for one in ranked]
        tables.append(Table(f"{measure} by pages learned from: {what}", columns, rows))
    tables += [_at_reference(result, ranked, what), _by_site(result, ranked)]
    lines = {one.name: [(k, result.summary(one, k).score.f1) for k in result.ks] for one in ranked}
    return Report(tables, _remarks(result), [Panel(what, "pages learned from", "F1 (mean over sites)", lines, "x")])


def _at_reference(result: Result, ranked: Sequence[Entrant], what: str) -> Table:
    k = result.reference
    rows: list[tuple[object, ...]] = []
    for one in ranked:
        found, learning, cleaning = result.summary(one, k), result.learning(one, k), result.cleaning(one)
        rows.append(
            (
                *(one.name, (one.version or "")[:10], found.score.f1, found.score.precision, found.score.recall),
                *(
                    found.noise_removed,
                    found.content_lost,
                    (found.worst_site, found.worst_site_f1),
                    (found.worst_page, found.worst_page_f1),
                ),
                *((rate.milliseconds if rate else None) for rate in (learning, cleaning)),
                *((rate.ratio if rate else None) for rate in (learning, cleaning)),
                *(found.failures, found.empties),
            )
        )
    return Table(
        f"k = {k}: {what}; means over a site's pages, then over sites",
        "method; version; F1|.3f; P|.3f; R|.3f; noise removed|.1%; content lost|.1%; worst site|.2f; worst page|.2f; ms learn|.2f; "
        "ms clean|.2f; learn × parse|.1f; clean × parse|.1f; fail; empty",
        rows,
        "ms learn: per page learned from, from HTML text to the model; ms clean: per page, from HTML text to clean text, best of all "
        "visits; × parse: relative to a bare lexbor parse of the same pages",
    )


def _by_site(result: Result, ranked: Sequence[Entrant]) -> Table:
    k = result.reference
    rows = []
    for site in result.sites:
        sizes = next(iter(result.layouts(site.name, k)), None)
        layouts = f"{len(sizes)} ({' '.join(map(str, sizes[:4]))}{' …' * (len(sizes) > 4)})" if sizes else None
        scores = (100 * result.summary(one, k, site.name).score.f1 for one in ranked)
        rows.append((site.name, len(site.scored), len(site.others), layouts, *scores))
    return Table(
        f"by site at k = {k}: F1, percent",
        "; ".join(["site", "scored", "others", "layouts", *(f"{one.name}|.1f" for one in ranked)]),
        rows,
        "others: pages available for learning; layouts: found by the site model in the first draw, with the pages of the four largest",
    )


def _remarks(result: Result) -> list[str]:
    lines = []
    for one in result.ran:
        for note, count in result.summary(one, result.reference).notes.items():
            lines.append(f"{one.name} at k = {result.reference}: {count} pages: {note}")
        lessons = (lesson for key, found in result.lessons.items() if key[0] == one.name for lesson in found)
        visits = (visit.outcome for key, found in result.visits.items() if key[0] == one.name for visit in found)
        for what, outcomes in (("to learn", lessons), ("on pages", visits)):
            if errors := [outcome.error for outcome in outcomes if outcome.error is not None]:
                lines.append(f"{one.name} failed {what} {len(errors)} times: {' '.join(errors[0].split())[:150]}")
    lines += [f"Not run: {one.name}: {one.reason}" for one in result.entrants if one.reason is not None]
    few = [f"{site.name} ({len(site.others)})" for site in result.sites if len(site.others) < max(result.ks)]
    return [*lines, *([f"Fewer than {max(result.ks)} pages to learn from, all used: {', '.join(few)}"] if few else [])]


command = bench(run, report, "draws", plots=True)
