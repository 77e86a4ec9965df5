"""The dedup bench on the screen and as a plot."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from rich.console import Group, RenderableType
from rich.table import Table
from rich.text import Text

from benchmarks import dedup
from benchmarks.dedup_scale import ScaleRun
from benchmarks.report import FLOOR, OURS, THEIRS, figure, percent, save

_LEGEND = (
    "pairs: as the method gives them. clusters: pairs joined by transitive closure, or the method's own; P, R: every two documents of a "
    "cluster; B³: BCubed. merged: clusters with documents of several groups. lost: removed documents whose kept one is of another group. "
    "s: processor time from texts to the answer; times: by that of tamis."
)
_STYLE: dict[str, dict[str, Any]] = {
    "tamis": {"color": OURS, "marker": "o"},
    "tamis, index on disk": {"color": OURS, "marker": "s", "linestyle": "--"},
    "tamis, brute force": {"color": OURS, "marker": "^", "linestyle": ":"},
    "feature code, forest": {"color": FLOOR, "marker": "o"},
    "datasketch": {"color": THEIRS, "marker": "o"},
    "rensa": {"color": THEIRS, "marker": "s", "linestyle": "--"},
    "simhash": {"color": THEIRS, "marker": "^", "linestyle": ":"},
}


def dedup_report(result: dedup.Result) -> RenderableType:
    """The tables of a run of :func:`benchmarks.dedup.run`."""
    parts: list[RenderableType] = []
    for collection, documents in result.collections.items():
        outcomes = result.of(collection)
        parts.append(_quality(f"{collection}: {documents:,} documents", outcomes))
        parts += [_shares(title, outcomes, get) for title, get in _SHARES if any(get(one) for one in outcomes)]
    if parts:
        parts += [Text(_LEGEND, "dim"), _agreements(result)]
    if result.scale:
        parts.append(_scale(result.scale))
    parts += [Text(f"{name} did not run: {why}") for name, why in result.not_run.items()]
    parts += [Text(f"{one.method} failed at {one.documents:,} documents: {one.error}") for one in result.scale if one.error is not None]
    return Group(*parts)


_SHARES: tuple[tuple[str, Callable[[dedup.Outcome], dict[str, float]]], ...] = (
    ("pairs of an original and an edit of it that were found", lambda one: one.by_edit),
    ("pairs within a family that were taken for the same (errors)", lambda one: one.by_family),
)


def _table(title: str, *headings: str) -> Table:
    table = Table(title=title)
    table.add_column(headings[0], no_wrap=True)
    for heading in headings[1:]:
        table.add_column(heading, justify="right")
    return table


def _quality(title: str, outcomes: Sequence[dedup.Outcome]) -> Table:
    headings = ("pairs P", "pairs R", "clusters", "P", "R", "B³ P", "B³ R", "merged", "lost", "largest", "s", "times")
    table = _table(title, "method", *headings)
    ours = next((one.seconds for one in outcomes if one.method == "tamis"), None)
    for one in outcomes:
        found = one.clusters
        pairs = ("", "") if one.pairs is None else (_three(one.pairs.precision), _three(one.pairs.recall))
        inside = (_three(value) for value in (found.pairs.precision, found.pairs.recall, found.precision, found.recall))
        shares = (percent(found.over_merged), percent(found.lost))
        times = f"{one.seconds / ours:.1f}" if ours else "-"
        table.add_row(one.method, *pairs, str(found.clusters), *inside, *shares, str(found.largest), f"{one.seconds:.2f}", times)
    return table


def _three(value: float | None) -> str:
    return "-" if value is None else f"{value:.3f}"


def _shares(title: str, outcomes: Sequence[dedup.Outcome], get: Callable[[dedup.Outcome], dict[str, float]]) -> Table:
    """What each method found of each kind, in per cent."""
    kinds = list(get(outcomes[0]))
    table = _table(f"{title}, %", "method", *kinds)
    for one in outcomes:
        table.add_row(one.method, *(f"{100 * get(one).get(kind, 0.0):.1f}" for kind in kinds))
    return table


def _agreements(result: dedup.Result) -> Table:
    headings = ("index = brute force", "pairs of codes", "not in forest", "in other trees")
    table = _table("what has to be equal, and what the forest misses", "collection", *headings)
    for one in result.agreements:
        equal = "-" if one.index_is_brute_force is None else "yes" if one.index_is_brute_force else "NO"
        missed = "-" if not one.code_pairs or one.missed_by_forest is None else percent(one.missed_by_forest / one.code_pairs)
        trees = "-" if not one.missed_by_forest or one.in_other_trees is None else percent(one.in_other_trees / one.missed_by_forest)
        table.add_row(one.collection, equal, "-" if one.code_pairs is None else f"{one.code_pairs:,}", missed, trees)
    return table


def _scale(runs: Sequence[ScaleRun]) -> Table:
    headings = ("documents", "s", "ms each", "P", "R", "lost", "MB", "MB before", "MB on disk", "one more, ms", "passed, ms")
    table = _table("more and more synthetic documents", "method", *headings)
    for one in sorted(runs, key=lambda run: (list(_STYLE).index(run.method), run.documents)):
        each = None if one.seconds is None else 1e3 * one.seconds / one.documents
        table.add_row(
            one.method,
            f"{one.documents:,}",
            _number(one.seconds, 2),
            _number(each, 3),
            *(_three(value) for value in (one.precision, one.recall)),
            percent(one.lost),
            *(_number(None if size is None else size / 1e6, 0) for size in (one.peak, one.before, one.disk)),
            *(_number(None if seconds is None else 1e3 * seconds, 2) for seconds in (one.one_more, one.one_more_wall)),
        )
    return table


def _number(value: float | None, digits: int) -> str:
    return "-" if value is None else f"{value:,.{digits}f}"


def plot_dedup(result: dedup.Result, path: Path) -> None:
    """Time and memory by number of documents.

    Raises:
        MissingExtraError: matplotlib is not installed.
        SourceError: the file cannot be written.
    """
    drawing, (time, memory) = figure(2, 6.2, 4.6)
    for method, style in _STYLE.items():
        runs = sorted((one for one in result.scale if one.method == method and one.seconds), key=lambda one: one.documents)
        if not runs:
            continue
        sizes = [one.documents for one in runs]
        time.plot(sizes, [one.seconds for one in runs], label=method, markersize=5, **style)
        memory.plot(sizes, [((one.peak or 0) - (one.before or 0)) / 1e6 for one in runs], label=method, markersize=5, **style)
    time.set(xscale="log", yscale="log", xlabel="documents", ylabel="seconds of processor time", title="time")
    memory.set(xscale="log", yscale="log", xlabel="documents", ylabel="MB", title="memory, beyond what the process had before")
    for axis in (time, memory):
        axis.grid(True, which="major", alpha=0.25)
        axis.legend(fontsize=8)
        ticks = sorted({one.documents for one in result.scale if one.seconds})
        axis.set_xticks(ticks, [f"{size:,}" for size in ticks], fontsize=7, rotation=45)
        axis.set_xticks([], minor=True)
    save(drawing, path)
