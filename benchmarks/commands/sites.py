"""``python -m benchmarks sites``."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

from typer import Argument, Option

from benchmarks.commands.reporting import Json, PeerPythons, Plot, Sites, names, numbers, shown
from benchmarks.report import Panel, Report, Table

if TYPE_CHECKING:
    from benchmarks.sites import Entrant, Result, Summary


def sites(
    folder: Annotated[Path, Argument(help="A folder of sites with gold, or one site.")],
    *,
    ks: Annotated[str, Option("--k")] = "2,3,5,10,30,100",
    sites: Sites = None,
    methods: str | None = None,
    score: Annotated[int, Option(min=1)] = 25,
    seeds: Annotated[int, Option(min=1)] = 1,
    learn_from: Annotated[Literal["all", "content"], Option("--learn")] = "all",
    peer_pythons: PeerPythons = None,
    timeout: Annotated[float, Option(min=0.1)] = 60.0,
    json_file: Json = None,
    plot: Plot = None,
) -> None:
    """Site templates: F1, noise removed and cost after learning from k pages of a site, against other methods.

    Options:
        ks: Numbers of pages to learn from, with commas between.
        methods: Names of methods and tools, with commas between. [default: all]
        score: Most pages of each site that are scored, and at most half.
        seeds: How many times the pages to learn from are drawn.
        learn_from: Pages to learn from: all, or content pages only.
        timeout: Seconds after which a page or a draw counts as failed.
    """
    shown("sites", "draws", report, locals(), ks=numbers, sites=names, methods=names)


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
        visits = (visit for key, found in result.visits.items() if key[0] == one.name for visit in found)
        for what, outcomes in (("to learn", lessons), ("on pages", visits)):
            if errors := [outcome.error for outcome in outcomes if outcome.error is not None]:
                lines.append(f"{one.name} failed {what} {len(errors)} times: {' '.join(errors[0].split())[:150]}")
    lines += [f"Not run: {one.name}: {one.reason}" for one in result.entrants if one.reason is not None]
    few = [f"{site.name} ({len(site.others)})" for site in result.sites if len(site.others) < max(result.ks)]
    return [*lines, *([f"Fewer than {max(result.ks)} pages to learn from, all used: {', '.join(few)}"] if few else [])]
