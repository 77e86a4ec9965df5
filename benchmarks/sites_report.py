"""The bench of sites on the screen and as a plot."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

from rich.console import Group, RenderableType
from rich.table import Table
from rich.text import Text

from benchmarks import sites
from benchmarks.report import FLOOR, OURS, THEIRS, figure, percent, save

MARKS = "osv^DPX*<>"
COLOURS = ("#27864f", "#8e5bb5", "#c98a1b", "#3a9ca6", "#7a5230", "#b04a8f", "#5a6b7a", "#93a12c", "#444444")


def sites_report(result: sites.Result) -> RenderableType:
    """Tables of a run of :func:`benchmarks.sites.run`."""
    parts: list[RenderableType] = [
        _by_k(result, "F1", lambda found: f"{found.score.f1:.3f}"),
        _by_k(result, "noise removed", lambda found: percent(found.noise_removed)),
        _by_k(result, "content lost", lambda found: percent(found.content_lost)),
        _at_reference(result),
        _by_site(result),
    ]
    parts += [Text(line) for line in _remarks(result)]
    return Group(*parts)


def ranked(result: sites.Result) -> list[sites.Entrant]:
    """The methods that ran, the best at the reference k first."""
    return sorted(result.ran, key=lambda entrant: -result.summary(entrant, result.reference).score.f1)


def _what(result: sites.Result) -> str:
    scored = sum(len(site.scored) for site in result.sites)
    draws = f"{result.seeds} draw{'s' * (result.seeds > 1)}"
    kind = "all other pages" if result.learn_from == "all" else "other content pages"
    return f"{len(result.sites)} sites, {scored} pages scored, {draws} of k from {kind}"


def _by_k(result: sites.Result, measure: str, cell: Callable[[sites.Summary], str]) -> Table:
    table = Table(title=f"{measure} by pages learned from: {_what(result)}")
    table.add_column("method", no_wrap=True)
    for k in result.ks:
        table.add_column(f"k = {k}", justify="right")
    for entrant in ranked(result):
        if entrant.learns:
            table.add_row(entrant.name, *(cell(result.summary(entrant, k)) for k in result.ks))
        else:
            table.add_row(entrant.name, f"{cell(result.summary(entrant, 0))} ", *("·" for _ in result.ks[1:]))
    return table


def _at_reference(result: sites.Result) -> Table:
    k = result.reference
    table = Table(title=f"k = {k}: {_what(result)}; means over a site's pages, then over sites")
    table.add_column("method", no_wrap=True)
    table.add_column("version", no_wrap=True, overflow="ellipsis", max_width=10)
    headings = ("F1", "P", "R", "noise removed", "content lost", "worst site", "worst page", "ms learn", "× parse", "ms clean", "× parse")
    for heading in (*headings, "fail", "empty"):
        table.add_column(heading, justify="right")
    for entrant in ranked(result):
        found = result.summary(entrant, k)
        table.add_row(
            entrant.name,
            entrant.version or "",
            *(f"{value:.3f}" for value in (found.score.f1, found.score.precision, found.score.recall)),
            percent(found.noise_removed),
            percent(found.content_lost),
            f"{found.worst_site} {found.worst_site_f1:.2f}",
            f"{found.worst_page} {found.worst_page_f1:.2f}",
            *_rate_cells(result.learning(entrant, k)),
            *_rate_cells(result.cleaning(entrant)),
            str(found.failures),
            str(found.empties),
        )
    table.caption = (
        "ms learn: per page learned from, from HTML text to the model; ms clean: per page, from HTML text to clean text, the best of all "
        "visits; × parse: by the time of a bare lexbor parse of the same pages"
    )
    return table


def _rate_cells(rate: sites.Rate | None) -> list[str]:
    return [f"{rate.milliseconds:.2f}", f"{rate.ratio:.1f}"] if rate else ["-", "-"]


def _by_site(result: sites.Result) -> Table:
    k = result.reference
    table = Table(title=f"by site at k = {k}: F1, percent")
    table.add_column("site", no_wrap=True)
    for heading in ("scored", "others", "layouts"):
        table.add_column(heading, justify="right")
    methods = ranked(result)
    for entrant in methods:
        table.add_column(entrant.name.replace("-", "-\n").replace("+", "\n+"), justify="right", overflow="fold")
    for site in result.sites:
        scores = (result.summary(entrant, k, site.name).score.f1 for entrant in methods)
        row = [site.name, str(len(site.scored)), str(len(site.others)), _layouts(result, site.name, k)]
        table.add_row(*row, *(f"{score * 100:.1f}" for score in scores))
    table.caption = (
        "others: pages there are to learn from; layouts: found by the site model in the first draw, with the pages of each (four largest)"
    )
    return table


def _layouts(result: sites.Result, site: str, k: int) -> str:
    found = result.layouts(site, k)
    if not found:
        return "-"
    sizes = " ".join(map(str, found[0][:4])) + (" …" if len(found[0]) > 4 else "")
    return f"{len(found[0])} ({sizes})"


def _remarks(result: sites.Result) -> list[str]:
    lines = []
    for entrant in result.ran:
        for note, count in result.summary(entrant, result.reference).notes.items():
            lines.append(f"{entrant.name} at k = {result.reference}: {count} pages: {note}")
        failed = [lesson.error for lessons in _lessons(result, entrant) for lesson in lessons if lesson.error is not None]
        if failed:
            lines.append(f"{entrant.name} failed to learn {len(failed)} times: {failed[0]}")
        errors = [
            visit.error for key, visits in result.visits.items() if key[0] == entrant.name for visit in visits if visit.error is not None
        ]
        if errors:
            lines.append(f"{entrant.name} failed on pages {len(errors)} times: {' '.join(errors[0].split())[:150]}")
    lines += [f"Not run: {entrant.name}: {entrant.reason}" for entrant in result.entrants if entrant.reason is not None]
    few = [f"{site.name} ({len(site.others)})" for site in result.sites if len(site.others) < max(result.ks)]
    if few:
        lines.append(f"Fewer than {max(result.ks)} pages to learn from, all used: {', '.join(few)}")
    return lines


def _lessons(result: sites.Result, entrant: sites.Entrant) -> list[list[sites.Lesson]]:
    return [lessons for key, lessons in result.lessons.items() if key[0] == entrant.name]


def plot_sites(result: sites.Result, path: Path) -> None:
    """Mean F1 against the number of pages learned from (logarithmic); methods that learn nothing are level lines.

    Raises:
        MissingExtraError: matplotlib is not installed.
        SourceError: the file cannot be written.
    """
    drawing, (axis,) = figure(1, 9.6, 5.6)
    last = max(result.ks)
    ends = []
    others = 0
    for entrant in ranked(result):
        values = [result.summary(entrant, k).score.f1 for k in result.ks]
        style: dict[str, Any]
        if entrant.name == "site":
            style = {"color": OURS, "marker": "o", "linewidth": 2.4}
        elif entrant.learns:
            style = {"color": COLOURS[others % len(COLOURS)], "marker": MARKS[1 + others % (len(MARKS) - 1)], "linewidth": 1.4}
            others += 1
        else:
            style = {"color": FLOOR if entrant.name == "all-text" else THEIRS, "linestyle": "--", "linewidth": 1, "alpha": 0.7}
        axis.plot(result.ks, values, markersize=5, **style)
        ends.append((values[-1], entrant.name, style["color"]))
    axis.set(
        xscale="log",
        xlim=(min(result.ks) / 1.1, last * 1.1),
        xlabel="pages learned from (logarithmic)",
        ylabel="F1 (mean over sites)",
        title=_what(result),
    )
    axis.set_xticks(result.ks, list(map(str, result.ks)))
    axis.minorticks_off()
    axis.grid(True, alpha=0.25)
    low, high = axis.get_ylim()
    for (value, name, colour), height in zip(sorted(ends), apart(sorted(end[0] for end in ends), 0.032 * (high - low)), strict=True):
        axis.annotate(
            f"{name} {value:.3f}",
            (last, value),
            xytext=(last * 1.2, height),
            textcoords="data",
            fontsize=8,
            color=colour,
            va="center",
            annotation_clip=False,
            arrowprops={"arrowstyle": "-", "color": colour, "linewidth": 0.5, "alpha": 0.6, "relpos": (0, 0.5)},
        )
    save(drawing, path)


def apart(heights: list[float], gap: float) -> list[float]:
    """Rising heights moved so that neighbours are at least a gap apart, by least squares.

    >>> apart([0.0, 0.5, 2.0], 1.0)
    [-0.25, 0.75, 2.0]
    """
    groups: list[tuple[float, int]] = []
    """Mean place of the first of each group of names that touch, and how many they are."""
    for height in heights:
        first, count = height, 1
        while groups and groups[-1][0] + groups[-1][1] * gap > first:
            before, many = groups.pop()
            first, count = (before * many + (first - many * gap) * count) / (many + count), many + count
        groups.append((first, count))
    return [first + k * gap for first, count in groups for k in range(count)]
