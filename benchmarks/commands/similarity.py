"""``python -m benchmarks similarity``."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from typer import Argument, Option

from benchmarks.commands.reporting import Json, names, numbers, shown
from benchmarks.report import Report, Table

if TYPE_CHECKING:
    from benchmarks.similarity import Comparison, Result


def similarity(
    folders: Annotated[list[Path], Argument()],
    *,
    sites: str | None = None,
    sizes: str = "1000,2000,3500,6000,12000",
    peer_sizes: str = "100,200,400,800",
    timeout: Annotated[float, Option(min=0.1)] = 30.0,
    json_file: Json = None,
) -> None:
    """The similarity paper's figures 3 and 4 on our pages: free and ordered matching, similarity and time; peers, clusters, compression.

    Options:
        folders: Folders of sites (*/site.json), or of pages whose gold.json names the cluster or site of each.
        sites: Names of sites whose three largest pages are compared, with commas between; the first is enlarged.
            [default: the three with the largest pages]
        sizes: Nodes of enlarged pages, with commas between.
        peer_sizes: Nodes of the pages that peers compare, with commas between.
        timeout: Seconds that one comparison may take.
    """
    shown("similarity", "comparisons", report, locals(), sites=names, sizes=numbers, peer_sizes=numbers)


def report(result: Result) -> Report:
    """The paper's figures 3 and 4 in form, other tools, clusters and compression."""
    tables = [
        _pairs(result, "figure 3", "figure 3: the three largest pages of a site, compared pairwise"),
        _pairs(result, "itself", "figure 4: a page with itself"),
        _pairs(result, "another", "a page with another of its site"),
        _peers(result),
        Table(
            "clusters of pages with known layouts",
            "set; method; pages; layouts; clusters; Rand|.3f; V|.3f; purity|.3f; s|.2f",
            [
                (one.heap, one.method, one.pages, one.layouts, one.clusters, one.rand, one.v_measure, one.purity, one.seconds)
                for one in result.clusterings
            ],
        ),
        Table(
            "compression: equal subtrees are stored once; sizes in kB",
            "set; pages; nodes|,; distinct|.1%; over all pages|.1%; HTML|,.0f; HTML zlib|,.0f; tree as HTML|,.0f; tree as HTML zlib|,.0f; "
            "tree|,.0f; tree zlib|,.0f; tree zlib / tree as HTML zlib|.1%",
            [
                (
                    *(one.heap, one.pages, one.nodes, *(number / max(one.nodes, 1) for number in (one.shapes, one.shapes_together))),
                    *(size / 1e3 for size in (one.html, one.html_deflated, one.markup, one.markup_deflated, one.tree, one.tree_deflated)),
                    one.tree_deflated / max(one.markup_deflated, 1),
                )
                for one in result.compressions
            ],
        ),
    ]
    remarks = [_LEGEND, *(f"{name} did not run: {why}" for name, why in result.not_run.items())]
    failed = [one for one in result.comparisons if one.error is not None]
    remarks += [f"{one.method} failed at {one.nodes[0]:,} and {one.nodes[1]:,} nodes ({one.part}): {one.error}" for one in failed]
    return Report(tables, remarks)


_LEGEND = (
    "free, ordered: tamis, from page trees to the similarity. plain: the recursion of the definition, with cached node counts; "
    "paper: the same, but nodes are counted in every comparison, as in the steps of the paper. Times: processor time, best of up "
    "to 5 runs. more: time of plain and of paper, relative to tamis."
)


def _grouped(comparisons: list[Comparison]) -> list[dict[str, Comparison]]:
    """Comparisons of the same pages, by method."""
    found: dict[tuple[object, ...], dict[str, Comparison]] = {}
    for one in comparisons:
        found.setdefault((one.pages, one.nodes), {})[one.method] = one
    return list(found.values())


def _pairs(result: Result, part: str, title: str) -> Table:
    from benchmarks.similarity import OURS as METHODS
    from benchmarks.similarity import PLAIN

    rows = []
    for methods in _grouped(result.of(part)):
        one = methods["free"]
        plain = [methods[name].seconds for name in PLAIN[:2]]
        more = tuple(f"{seconds / one.seconds:,.0f}" if one.seconds and seconds else None for seconds in plain)
        values = (methods[name].value if name in methods else None for name in METHODS)
        rows.append((_names(one), one.nodes, *values, *(_milliseconds(methods.get(name)) for name in (*METHODS, *PLAIN)), more))
    headings = ["pages", "nodes|,", *(f"{name}|.4f" for name in METHODS), *(f"ms {name}|,.1f" for name in (*METHODS, *PLAIN)), "more"]
    return Table(title, "; ".join(headings), rows)


def _names(one: Comparison) -> str:
    return " ".join(dict.fromkeys(one.pages))


def _milliseconds(one: Comparison | None) -> float | None:
    return None if one is None or one.seconds is None else 1e3 * one.seconds


def _peers(result: Result) -> Table:
    methods = list(dict.fromkeys(one.method for one in result.of("peers")))
    rows = []
    for found in _grouped(result.of("peers")):
        one = next(iter(found.values()))
        cells = ((found[name].value, _milliseconds(found[name])) if name in found else None for name in methods)
        rows.append((" ".join(one.pages), one.nodes, *cells))
    return Table("tamis and other tools: similarity, ms", "; ".join(["pages", "nodes|,", *(f"{name}|,.4g" for name in methods)]), rows)
