"""tamis similarity: how alike two pages are in their structure, or every page of a folder to every other."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal

import typer

from tamis.cli import options, terminal
from tamis.errors import UsageError

if TYPE_CHECKING:
    from tamis.io.pages import Source
    from tamis.page.tree import PageTree
    from tamis.structure.shapes import Shaping
    from tamis.structure.similarity import Method

HOW = "How pages are compared"
PAIR = "For two pages"
MANY = "For many pages"


def similarity(
    pages: Annotated[list[str], typer.Argument(metavar="PAGES...", help="Two pages; or folders, patterns, lists of pages.")],
    *,
    free: Annotated[bool, typer.Option("--free", rich_help_panel=HOW, help="Each child picks its best partner. [default]")] = False,
    ordered: Annotated[bool, typer.Option("--ordered", rich_help_panel=HOW, help="Children are paired one to one, in order.")] = False,
    stm: Annotated[
        bool, typer.Option("--stm", rich_help_panel=HOW, help="Simple tree matching: the number of nodes paired so, of two pages.")
    ] = False,
    labels: Annotated[Literal["tag", "class"], typer.Option(rich_help_panel=HOW, help="What elements are told apart by.")] = "tag",
    texts: Annotated[bool, typer.Option("--texts", rich_help_panel=HOW, help="Text nodes count as nodes, too.")] = False,
    explain: Annotated[bool, typer.Option("--explain", rich_help_panel=PAIR, help="Show which subtree met which, both ways.")] = False,
    lines: Annotated[int, typer.Option(min=0, rich_help_panel=PAIR, help="Lines of the explanation each way; 0: all.")] = 40,
    depth: Annotated[int | None, typer.Option(min=0, rich_help_panel=PAIR, help="Steps below the roots that are explained.")] = None,
    threshold: Annotated[
        float | None,
        typer.Option(
            metavar="T", min=0, max=1, rich_help_panel=MANY, help="Average similarity from which pages are one cluster. [default: 0.8]"
        ),
    ] = None,
    output: Annotated[
        Path | None, typer.Option("--output", "-o", metavar="FILE", rich_help_panel=MANY, help="Write the matrix: .csv or .json.")
    ] = None,
    heat_map: Annotated[
        Path | None, typer.Option("--heat-map", metavar="FILE", rich_help_panel=MANY, help="Draw the matrix (png, svg, pdf).")
    ] = None,
    overwrite: options.Overwrite = False,
    as_json: options.Json = False,
) -> None:
    """How alike pages are in their structure, 0 to 1: of two pages, or of every page to every other, with clusters.

    **Examples**

    tamis similarity one.html other.html

    tamis similarity one.html other.html --explain

    tamis similarity site/ -o matrix.csv --heat-map matrix.png
    """
    from tamis.io.sources import open_sources
    from tamis.io.writing import refuse_existing
    from tamis.structure.shapes import Shaping

    if free + ordered + stm > 1:
        raise UsageError("one way of matching at a time: --free, --ordered or --stm")
    method: Method = "ordered" if ordered or stm else "free"
    refuse_existing(output, heat_map, overwrite=overwrite)
    shaping = Shaping(labels=labels, texts=texts)
    sources = list(open_sources(pages))
    if len(sources) == 2 and len(pages) == 2:
        _refuse({"--output": output, "--heat-map": heat_map, "--threshold": threshold}, "is for a folder, or more than two pages")
        _pair(sources, method, shaping, stm, lines if explain else None, depth, as_json)
        return
    _refuse({"--explain": explain, "--stm": stm}, f"is for two pages, not {len(sources)}")
    if len(sources) < 2:
        raise UsageError(f"a page is compared with another: give two, or a folder of pages ({pages[0]} is one)")
    if output is not None and output.suffix.lower() not in (".csv", ".json"):
        raise UsageError(f"the matrix is written as .csv or .json, not to {output}")
    _matrix(sources, method, shaping, threshold, output, heat_map, as_json)


def _refuse(given: dict[str, Any], why: str) -> None:
    for name, value in given.items():
        if value:
            raise UsageError(f"{name} {why}")


def _pair(sources: list[Source], method: Method, shaping: Shaping, stm: bool, lines: int | None, depth: int | None, as_json: bool) -> None:
    """Compare two pages."""
    from tamis.cli import meetings
    from tamis.structure.correspondence import explain

    found = explain(_tree(sources[0]), _tree(sources[1]), method, shaping)
    names = (sources[0].name, sources[1].name)
    if as_json:
        terminal.to_stdout(json.dumps(meetings.as_dict(found, names, lines is not None, depth), ensure_ascii=False, indent=1) + "\n")
        return
    terminal.to_stdout(f"{found.matched_nodes if stm else f'{found.similarity:.4f}'}\n")
    terminal.say(f"{method} matching by {shaping.labels} of {found.sizes[0]:,} and {found.sizes[1]:,} nodes")
    if not found.exact:
        terminal.say("the pages have too many different siblings: some were met by their names only")
    if lines is not None:
        meetings.show(found, names, lines, depth)


def _matrix(
    sources: list[Source], method: Method, shaping: Shaping, alike: float | None, output: Path | None, heat_map: Path | None, as_json: bool
) -> None:
    """Compare every page with every other."""
    from tamis.cli import matrix as shown
    from tamis.structure.clusters import ALIKE, MAX_PAGES, cluster, similarity_matrix

    if len(sources) > MAX_PAGES:
        raise UsageError(f"{len(sources)} pages are more than the {MAX_PAGES} that are compared at once: give fewer")
    names, trees = _readable(sources)
    matrix = similarity_matrix(trees, method, shaping)
    clusters = cluster(matrix, ALIKE if alike is None else alike)
    if output is not None:
        shown.write(output, names, matrix, clusters)
    if heat_map is not None:
        from tamis.structure.heat_map import draw_heat_map

        draw_heat_map(matrix, names, clusters, heat_map)
        terminal.say(f"heat map drawn to {heat_map}")
    if as_json:
        terminal.to_stdout(json.dumps(shown.as_dict(names, matrix, clusters), ensure_ascii=False, indent=1) + "\n")
    else:
        shown.show(names, matrix, clusters)


def _readable(sources: list[Source]) -> tuple[list[str], list[PageTree]]:
    """Names and trees of the pages that can be read; at least two."""
    from tamis.cli.progress import shown
    from tamis.errors import TamisError

    names, trees, failures = [], [], []
    for source in shown(sources, "reading"):
        try:
            trees.append(_tree(source))
            names.append(source.name)
        except TamisError as error:
            failures.append(str(error))
    if failures:
        terminal.say(f"{terminal.counted(len(failures), 'page')} could not be read, such as: {failures[0]}")
    if len(trees) < 2:
        terminal.complain(f"{len(trees)} of the {len(sources)} pages can be read, and comparing takes two")
        raise SystemExit(terminal.ERROR)
    return names, trees


def _tree(source: Source) -> PageTree:
    from tamis.page.parsing import parse

    served = source.read()
    return parse(served.html, content_type=served.content_type)
