"""``tamis similarity``: compare the structure of two pages, or of every pair of pages in a folder."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal

from typer import Argument, Option

from tamis.cli import options, terminal
from tamis.errors import UsageError

if TYPE_CHECKING:
    from tamis.io.pages import Source
    from tamis.structure.shapes import Shaping
    from tamis.structure.similarity import Method


def similarity(
    pages: Annotated[list[str], Argument(metavar="PAGES...")],
    *,
    free: bool = False,
    ordered: bool = False,
    stm: bool = False,
    labels: Literal["tag", "class"] = "tag",
    texts: bool = False,
    explain: bool = False,
    lines: Annotated[int, Option(min=0)] = 40,
    depth: Annotated[int | None, Option(min=0)] = None,
    threshold: Annotated[float | None, Option(metavar="T", min=0, max=1)] = None,
    output: Annotated[Path | None, Option("--output", "-o", metavar="FILE")] = None,
    heat_map: Annotated[Path | None, Option(metavar="FILE")] = None,
    overwrite: options.Overwrite = False,
    as_json: options.Json = False,
) -> None:
    """Compare the structure of pages, from 0 to 1: of two pages, or of every page with every other, with clusters.

    Examples:

    - `tamis similarity one.html other.html`
    - `tamis similarity one.html other.html --explain`
    - `tamis similarity site/ -o matrix.csv --heat-map matrix.png`

    Options:
        pages: Two pages; or folders, patterns, lists of pages.

    How pages are compared:
        free: Each child picks its best partner. [default]
        ordered: Children are paired one to one, in order.
        stm: Simple tree matching: print the number of nodes paired in this way, for two pages.
        labels: Compare elements by tag name, or by tag name and class names.
        texts: Count text nodes, too.

    For two pages:
        explain: Show which subtree matches which, in both directions.
        lines: Lines of the explanation for each direction; 0: all.
        depth: Levels below the roots that are explained.

    For many pages:
        threshold: Average similarity at which pages form one cluster. [default: 0.8]
        output: Write the matrix: .csv or .json.
        heat_map: Draw the matrix (png, svg, pdf).
    """
    from tamis.io.sources import open_sources
    from tamis.io.writing import refuse_existing
    from tamis.structure.shapes import Shaping

    if free + ordered + stm > 1:
        raise UsageError("choose one of --free, --ordered and --stm")
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
        raise UsageError(f"comparing takes two pages or a folder of pages ({pages[0]} is one page)")
    if output is not None and output.suffix.lower() not in (".csv", ".json"):
        raise UsageError(f"the matrix is written as .csv or .json, not to {output}")
    _matrix(sources, method, shaping, threshold, output, heat_map, as_json)


def _refuse(given: dict[str, Any], why: str) -> None:
    for name, value in given.items():
        if value:
            raise UsageError(f"{name} {why}")


def _pair(sources: list[Source], method: Method, shaping: Shaping, stm: bool, lines: int | None, depth: int | None, as_json: bool) -> None:
    """Compare two pages."""
    from tamis.cli import subtree_matches
    from tamis.cli.reading import tree_of
    from tamis.structure.correspondence import explain

    found = explain(tree_of(sources[0])[0], tree_of(sources[1])[0], method, shaping)
    names = (sources[0].name, sources[1].name)
    if as_json:
        terminal.deliver_json(subtree_matches.as_dict(found, names, lines is not None, depth))
        return
    terminal.to_stdout(f"{found.matched_nodes if stm else f'{found.similarity:.4f}'}\n")
    terminal.say(f"{method} matching by {shaping.labels} of {found.sizes[0]:,} and {found.sizes[1]:,} nodes")
    if not found.exact:
        terminal.say("the pages have too many different siblings: some were matched by their names only")
    if lines is not None:
        subtree_matches.show(found, names, lines, depth)


def _matrix(
    sources: list[Source], method: Method, shaping: Shaping, alike: float | None, output: Path | None, heat_map: Path | None, as_json: bool
) -> None:
    """Compare every page with every other."""
    from tamis.cli import matrix as shown
    from tamis.cli.reading import readable
    from tamis.structure.clusters import ALIKE, MAX_PAGES, cluster, similarity_matrix

    if len(sources) > MAX_PAGES:
        raise UsageError(f"{len(sources)} pages are more than the {MAX_PAGES} that are compared at once: give fewer")
    failures: list[str] = []
    found = [(source.name, tree) for source, tree in readable(sources, "reading", failures)]
    terminal.say_unreadable(failures)
    if len(found) < 2:
        terminal.complain(f"{len(found)} of the {len(sources)} pages can be read, and comparing takes two")
        raise SystemExit(terminal.ERROR)
    names = [name for name, _ in found]
    matrix = similarity_matrix([tree for _, tree in found], method, shaping)
    clusters = cluster(matrix, ALIKE if alike is None else alike)
    if output is not None:
        shown.write(output, names, matrix, clusters)
    if heat_map is not None:
        from tamis.structure.clusters import draw_heat_map

        draw_heat_map(matrix, names, clusters, heat_map)
        terminal.say(f"written to {heat_map}")
    if as_json:
        terminal.deliver_json(shown.as_dict(names, matrix, clusters))
    else:
        shown.show(names, matrix, clusters)
