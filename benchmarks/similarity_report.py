"""The similarity bench on the screen and as a plot."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

from rich.console import Group, RenderableType
from rich.table import Table
from rich.text import Text

from benchmarks import similarity
from benchmarks.report import OURS, THEIRS, figure, percent, save

_STYLE = {
    "free": {"color": OURS, "marker": "o"},
    "ordered": {"color": OURS, "marker": "s", "linestyle": "--"},
    "free, plain": {"color": THEIRS, "marker": "o"},
    "free, paper": {"color": "#7fa8cc", "marker": "^"},
    "ordered, plain": {"color": THEIRS, "marker": "s", "linestyle": "--"},
}
_LEGEND = (
    "free, ordered: tamis, from page tree to number. plain: the recursion of the definition, counts of nodes kept; paper: the same, nodes "
    "counted in every comparison, as the paper's steps say. Times: processor time, best of up to 5 runs. more: plain, paper by ours."
)


def similarity_report(result: similarity.Result) -> RenderableType:
    """The tables of a run of :func:`benchmarks.similarity.run`."""
    parts: list[RenderableType] = [
        _pairs(result, "figure 3", "figure 3: the three largest pages of a site, each with each"),
        _pairs(result, "itself", "figure 4: a page with itself"),
        _pairs(result, "another", "a page with another of its site"),
        Text(_LEGEND, "dim"),
        _peers(result),
        _clusters(result),
        _compression(result),
    ]
    parts += [Text(f"{name} did not run: {why}") for name, why in result.not_run.items()]
    failed = [one for one in result.comparisons if one.error is not None]
    parts += [Text(f"{one.method} failed at {one.nodes[0]:,} and {one.nodes[1]:,} nodes ({one.part}): {one.error}") for one in failed]
    return Group(*parts)


def _table(title: str, *headings: str) -> Table:
    table = Table(title=title)
    table.add_column(headings[0], no_wrap=True)
    for heading in headings[1:]:
        table.add_column(heading, justify="right")
    return table


def _grouped(comparisons: list[similarity.Comparison]) -> list[dict[str, similarity.Comparison]]:
    """Comparisons of the same pages, by method."""
    found: dict[tuple[Any, ...], dict[str, similarity.Comparison]] = {}
    for one in comparisons:
        found.setdefault((one.pages, one.nodes), {})[one.method] = one
    return list(found.values())


def _pairs(result: similarity.Result, part: str, title: str) -> Table:
    table = _table(
        title, "pages", "nodes", "free", "ordered", *(f"ms {method}" for method in (*similarity.OURS, *similarity.PLAIN)), "more"
    )
    for methods in _grouped(result.of(part)):
        one = methods["free"]
        ours = one.seconds
        more = [f"{found.seconds / ours:,.0f}" if ours and (found := methods[name]).seconds else "-" for name in similarity.PLAIN[:2]]
        table.add_row(
            " ".join(dict.fromkeys(one.pages)),
            " ".join(f"{n:,}" for n in one.nodes),
            *(_value(methods.get(method)) for method in similarity.OURS),
            *(_milliseconds(methods.get(method)) for method in (*similarity.OURS, *similarity.PLAIN)),
            " ".join(more),
        )
    return table


def _value(one: similarity.Comparison | None) -> str:
    return "-" if one is None or one.value is None else f"{one.value:.4f}"


def _milliseconds(one: similarity.Comparison | None) -> str:
    if one is None or one.seconds is None:
        return "-"
    return f"{1e3 * one.seconds:,.1f}" if one.seconds < 1 else f"{1e3 * one.seconds:,.0f}"


def _peers(result: similarity.Result) -> Table:
    methods = list(dict.fromkeys(one.method for one in result.of("peers")))
    table = _table("beside other tools: similarity, ms", "pages", "nodes", *methods)
    for found in _grouped(result.of("peers")):
        one = next(iter(found.values()))
        cells = [f"{_value(found.get(method))}  {_milliseconds(found.get(method))}" for method in methods]
        table.add_row(" ".join(one.pages), " ".join(f"{n:,}" for n in one.nodes), *cells)
    return table


def _clusters(result: similarity.Result) -> Table:
    table = _table("pages of known layouts in one heap", "heap", "method", "pages", "layouts", "clusters", "Rand", "V", "purity", "s")
    for one in result.clusterings:
        counts = (str(number) for number in (one.pages, one.layouts, one.clusters))
        table.add_row(one.heap, one.method, *counts, f"{one.rand:.3f}", f"{one.v_measure:.3f}", f"{one.purity:.3f}", f"{one.seconds:.2f}")
    return table


def _compression(result: similarity.Result) -> Table:
    table = _table(
        "equal subtrees stored once",
        *("heap", "pages", "nodes", "distinct", "of all pages"),
        *("HTML", "HTML zlib", "tree as HTML", "that zlib", "tree", "tree zlib", "by that zlib"),
    )
    for one in result.compressions:
        sizes = (
            f"{size / 1e3:,.0f} kB" for size in (one.html, one.html_deflated, one.markup, one.markup_deflated, one.tree, one.tree_deflated)
        )
        shares = (percent(number / max(one.nodes, 1)) for number in (one.shapes, one.shapes_together))
        last = percent(one.tree_deflated / max(one.markup_deflated, 1))
        table.add_row(one.heap, str(one.pages), f"{one.nodes:,}", *shares, *sizes, last)
    return table


def plot_similarity(result: similarity.Result, path: Path) -> None:
    """The paper's figures in form: similarity of pairs (figure 3), time on growing pages (figure 4).

    Raises:
        MissingExtraError: matplotlib is not installed.
        SourceError: the file cannot be written.
    """
    drawing, (bars, itself, another) = figure(3, 5.2, 4.2)
    _draw_pairs(bars, _grouped(result.of("figure 3")))
    for axis, part, title in ((itself, "itself", "a page with itself"), (another, "another", "with another page of its site")):
        for method, style in _STYLE.items():
            points = [one for one in result.of(part, method) if one.seconds is not None]
            axis.plot([one.nodes[0] for one in points], [one.seconds for one in points], label=method, markersize=5, **style)
        axis.set(xscale="log", yscale="log", xlabel="nodes", ylabel="seconds", title=title)
        _name_sizes(axis, [one.nodes[0] for one in result.of(part, "free")])
        axis.grid(True, which="major", alpha=0.25)
    itself.legend(fontsize=8, loc="center right")
    save(drawing, path)


def _name_sizes(axis: Any, sizes: list[int]) -> None:
    axis.set_xticks(sizes, [f"{size:,}" for size in sizes], fontsize=8)
    axis.set_xticks([], minor=True)


def _draw_pairs(axis: Any, pairs: list[dict[str, similarity.Comparison]]) -> None:
    """Similarity of each pair, free beside ordered."""
    value: Callable[[dict[str, similarity.Comparison], str], float] = lambda found, method: found[method].value or 0.0  # noqa: E731
    places = range(len(pairs))
    for shift, method, colour in ((-0.2, "free", OURS), (0.2, "ordered", THEIRS)):
        axis.bar([place + shift for place in places], [value(found, method) for found in pairs], 0.4, label=method, color=colour)
    axis.set_xticks(list(places), [" ".join(dict.fromkeys(found["free"].pages)) for found in pairs], rotation=90, fontsize=6)
    axis.set(ylim=(0, 1.15), ylabel="similarity", title="three pages of a site, each with each")
    axis.legend(fontsize=8, ncols=2, loc="upper right")
