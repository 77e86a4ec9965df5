"""The bench of same-layer noise on the screen and as a plot."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from statistics import fmean

from rich.console import Group, RenderableType
from rich.table import Table
from rich.text import Text

from benchmarks import same_layer
from benchmarks.report import FLOOR, OURS, THEIRS, figure, percent, save
from benchmarks.same_layer import K, Result, Score
from benchmarks.same_layer_parts import CONTENT_TYPES, PARTS
from benchmarks.same_layer_text import WAYS

_HEADINGS = ("recall", "precision", "recall\nchars", "precision\nchars")


def same_layer_report(result: Result) -> RenderableType:
    """The tables of a run of :func:`benchmarks.same_layer.run`."""
    parts = [_forms(result), _sites(result), _by_k(result)]
    if result.grid:
        parts += [_grid(result, form) for form in ("paper", "tamis")]
    parts.append(_likeness(result))
    if result.typed:
        parts.append(_typed(result))
    if result.texts:
        parts.append(_texts(result))
    return Group(*parts, *map(Text, _lines(result)))


def _table(title: str, first: str, headings: Iterable[str]) -> Table:
    table = Table(title=title)
    table.add_column(first, no_wrap=True)
    for heading in headings:
        table.add_column(heading, justify="right")
    return table


def _cells(score: Score) -> tuple[str, ...]:
    return tuple(map(percent, (score.recall, score.precision, score.recall_characters, score.precision_characters)))


def _forms(result: Result) -> Table:
    pages, sites = sum(result.pages.values()), len(result.pages)
    title = f"noise blocks, k = {K}: {pages} pages of {sites} sites, all blocks pooled; mean over sites"
    table = _table(title, "form", (*_HEADINGS, "recall\nsites", "precision\nsites"))
    for form in result.by_form:
        means = (percent(result.mean(form, name)) for name in ("recall", "precision"))
        table.add_row(form, *_cells(result.pooled(form)), *means)
    return table


def _sites(result: Result) -> Table:
    headings = [f"{form}\n{name}" for form in ("paper", "tamis") for name in ("recall", "precision")]
    table = _table(f"by site, k = {K}, by count", "site", ("noise\nblocks", *headings))
    for site in result.pages:
        scores = [result.by_form[form][site] for form in ("paper", "tamis")]
        shares = (share for score in scores for share in (score.recall, score.precision))
        table.add_row(site, str(scores[0].found + scores[0].missed), *map(percent, shares))
    return table


def _by_k(result: Result) -> Table:
    table = _table("by number of same-layer pages, pooled", "form, k", _HEADINGS)
    for (form, k), score in result.by_k.items():
        table.add_row(f"{form}, {k}", *_cells(score))
    return table


def _grid(result: Result, form: str) -> Table:
    table = _table(f"recall / precision by count, {form}, k = {K}", "alpha \\ beta", (f"{beta:.1f}" for beta in same_layer.BETAS))
    for alpha in same_layer.ALPHAS:
        scores = (result.grid[form, alpha, beta] for beta in same_layer.BETAS)
        table.add_row(f"{alpha:.1f}", *(f"{percent(score.recall)} / {percent(score.precision)}" for score in scores))
    return table


def _likeness(result: Result) -> Table:
    table = _table(
        "the paper's table 1: parts of a page that its same-layer pages have alike", "site", ("same-layer\npages", *PARTS, "likeness")
    )
    for row in result.likeness:
        cells = (percent(alike / of) if of else "-" for alike, of in row.parts.values())
        table.add_row(row.site, str(row.siblings), *cells, percent(row.value))
    means = [[alike / of for row in result.likeness for alike, of in (row.parts[name],) if of] for name in PARTS]
    values = [row.value for row in result.likeness if row.value is not None]
    cells = (percent(fmean(mean)) if mean else "-" for mean in (*means, values))
    table.add_row("mean", str(sum(row.siblings for row in result.likeness)), *cells, style="bold")
    return table


def _typed(result: Result) -> Table:
    table = _table(
        "hand-marked blocks by type: found in a made same-layer page, in pages of other sites", "type", ("blocks", "made", "other sites")
    )
    for row in result.typed:
        name = f"{row.type} (content)" if row.type in CONTENT_TYPES else row.type
        table.add_row(name, str(row.blocks), percent(row.in_layer / row.blocks), percent(row.elsewhere / row.blocks))
    return table


def _texts(result: Result) -> Table:
    ks = sorted({score.k for score in result.texts})
    table = _table("main text: F1 (precision, recall), mean over sites", "way", (f"k = {k}" for k in ks))
    for way in WAYS:
        cells = []
        for k in ks:
            scores = [score for score in result.texts if score.way == way and score.k == k]
            f1, precision, recall = (fmean(getattr(score, name) for score in scores) for name in ("f1", "precision", "recall"))
            cells.append(f"{f1:.3f} ({precision:.3f}, {recall:.3f})")
        table.add_row(way, *cells)
    return table


def _lines(result: Result) -> list[str]:
    kinds = ", ".join(f"{kind} {blocks:,} ({size:,} characters)" for kind, (blocks, size) in result.kinds.items())
    lines = [
        f"Blocks judged: {kinds}. Noise and content count; mixed (neither for nine tenths), ignored (titles, bylines, comments) "
        "and empty blocks do not."
    ]
    if result.speed is not None:
        speed = result.speed
        fast, plain, flattening = (1e3 * seconds / speed.pairs for seconds in (speed.fast, speed.plain, speed.flattening))
        lines.append(
            f"Fast path: {speed.ratio:.1f} times as fast as the plain matcher ({fast:.2f} against {plain:.2f} ms of processor time a pair "
            f"of pages; flattening {flattening:.2f} ms), {speed.differing} of {speed.verdicts:,} verdicts differ."
        )
    return lines


def plot_same_layer(result: Result, path: Path) -> None:
    """Recall against precision: by k, by site, and over (alpha, beta).

    Raises:
        MissingExtraError: matplotlib is not installed.
        SourceError: the file cannot be written.
    """
    drawing, axes = figure(3, 4.8, 4.2)
    colours = {"paper": THEIRS, "tamis": OURS}
    for form, colour in colours.items():
        recall, precision = ([100 * getattr(result.by_k[form, k], name) for k in result.ks] for name in ("recall", "precision"))
        axes[0].plot(result.ks, recall, "o-", color=colour, label=f"{form}, recall")
        axes[0].plot(result.ks, precision, "s--", color=colour, label=f"{form}, precision")
        points = [(100 * score.recall, 100 * score.precision) for score in result.by_form[form].values()]
        axes[1].scatter(*zip(*points, strict=True), color=colour, label=form, alpha=0.6)
        grid = [(100 * score.recall, 100 * score.precision) for (name, _, _), score in result.grid.items() if name == form]
        if grid:
            axes[2].scatter(*zip(*grid, strict=True), color=colour, label=form, alpha=0.7)
    axes[0].set(xlabel="same-layer pages", ylabel="percent of blocks", title="by k", xticks=list(result.ks))
    axes[1].set(xlabel="recall, percent", ylabel="precision, percent", title=f"by site, k = {K}")
    axes[2].set(xlabel="recall, percent", ylabel="precision, percent", title=f"over alpha and beta, k = {K}")
    for axis in axes[1:]:
        axis.axvline(95, color=FLOOR, linewidth=0.8, linestyle=":")
        axis.axhline(97, color=FLOOR, linewidth=0.8, linestyle=":")
    for axis in axes:
        axis.grid(True, alpha=0.25)
        axis.legend(fontsize=8)
    save(drawing, path)
