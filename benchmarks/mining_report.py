"""The mining bench on the screen and as a plot."""

from __future__ import annotations

from pathlib import Path

from rich.console import Group, RenderableType
from rich.table import Table
from rich.text import Text

from benchmarks import mining
from benchmarks.report import FLOOR, OURS, THEIRS, figure, save

PLOTTED = {
    "crossed_nb": ("naive Bayes, crossed", "accuracy"),
    "crossed_svm": ("SVM, crossed", "accuracy"),
    "cluster_f": ("k-means", "F"),
}


def mining_report(result: mining.Result) -> RenderableType:
    """The table of a run of :func:`benchmarks.mining.run`."""
    pages = len(result.topics) * result.sites_per_round * result.per_cell
    table = Table(
        title=f"classification and clustering by topic: {pages} pages of {len(result.topics)} topics on {result.sites_per_round} sites, "
        f"mean of {result.seeds} rounds (± deviation), percent"
    )
    table.add_column("pages cleaned by", no_wrap=True)
    for heading in mining.MEASURES.values():
        table.add_column(heading.replace(": ", ":\n"), justify="right")
    for method in result.methods:
        cells = ((100 * result.mean(method, name), 100 * result.spread(method, name)) for name in mining.MEASURES)
        table.add_row(method, *(f"{mean:.1f} ±{spread:.1f}" for mean, spread in cells))
    drawn = f"Topics: {', '.join(f'{t} ({result.texts[t]} texts)' for t in result.topics)}. Texts of at most {result.words} words."
    lines = [mining.LEGEND, drawn, f"Sites are drawn from: {', '.join(result.sites)}."]
    lines += [f"Not run: {name}: {reason}" for name, reason in result.not_run.items()]
    return Group(table, *map(Text, lines))


def plot_mining(result: mining.Result, path: Path) -> None:
    """Bars with deviations: accuracy of the crossed setting and F of the clusters, by method.

    Raises:
        MissingExtraError: matplotlib is not installed.
        SourceError: the file cannot be written.
    """
    drawing, axes = figure(len(PLOTTED), 4.6, 0.9 + 0.36 * len(result.methods))
    floor = ("all-text", mining.ALONE)
    for place, (axis, (measure, (title, quantity))) in enumerate(zip(axes, PLOTTED.items(), strict=True)):
        means = [100 * result.mean(method, measure) for method in result.methods]
        spreads = [100 * result.spread(method, measure) for method in result.methods]
        colours = [OURS if m == "site" else FLOOR if m in floor else THEIRS for m in result.methods]
        axis.barh(range(len(means)), means, xerr=spreads, color=colours, height=0.66, error_kw={"elinewidth": 1, "ecolor": "#555555"})
        for row, (mean, spread) in enumerate(zip(means, spreads, strict=True)):
            axis.annotate(f"{mean:.1f}", (mean + spread, row), xytext=(4, 0), textcoords="offset points", va="center", fontsize=8)
        axis.set_yticks(range(len(means)), result.methods if place == 0 else [""] * len(means))
        axis.invert_yaxis()
        axis.set(xlim=(0, 112), xlabel=f"{quantity}, percent", title=title)
        axis.grid(True, axis="x", alpha=0.25)
        axis.set_axisbelow(True)
    save(drawing, path)
