"""``tamis similarity``: compare the structure of two pages, or of every pair of pages in a folder."""

from __future__ import annotations

import csv
import json
from collections.abc import Iterator
from io import StringIO
from itertools import islice
from pathlib import Path
from typing import Annotated, Any, Literal

import numpy as np
from rich.text import Text
from typer import Argument, Option

import tamis
from tamis.cli import options, terminal
from tamis.cli.page import readable, tree_of
from tamis.errors import UsageError
from tamis.io.pages import Source
from tamis.io.sources import open_sources
from tamis.io.writing import check_outputs
from tamis.page.tree import PageTree
from tamis.records.table import as_text_cell
from tamis.structure.clusters import LEAST_SIMILARITY, MAX_PAGES, Clusters, cluster, draw_heat_map, similarity_matrix
from tamis.structure.correspondence import UNMATCHED, Explanation, SubtreeMatch, explain
from tamis.structure.shapes import Shaping, shapes
from tamis.structure.similarity import Method, Similarities

_LONGEST = 60  #: Characters of an element's name that are shown.
_SHOWN = 30  #: Clusters that are shown.


def similarity(
    pages: Annotated[list[str], Argument(metavar="PAGES...")],
    *,
    ordered: bool = False,
    labels: Literal["tag", "class"] = "tag",
    texts: bool = False,
    explain: bool = False,
    lines: Annotated[int, Option(min=0)] = 40,
    threshold: Annotated[float | None, Option(metavar="T", min=0, max=1)] = None,
    output: Annotated[Path | None, Option("--output", "-o", metavar="FILE")] = None,
    heat_map: Annotated[Path | None, Option(metavar="FILE")] = None,
    compress: bool = False,
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
        ordered: Pair children one to one, in order (simple tree matching), instead of each with its most similar partner.
        labels: Compare elements by tag name, or by tag name and class names.
        texts: Also count text nodes.

    For two pages:
        explain: Show which subtree matches which, in both directions.
        lines: Lines of the explanation for each direction; 0: all.

    Instead of comparing:
        compress: Store each page with equal subtrees once, and print what is left: distinct subtrees and bytes.

    For many pages:
        threshold: Average similarity at which pages form one cluster. [default: 0.8]
        output: Write the matrix: .csv or .json.
        heat_map: Draw the matrix (png, svg, pdf).
    """
    method: Method = "ordered" if ordered else "free"
    check_outputs(output, heat_map, overwrite=overwrite)
    shaping = Shaping(labels=labels, texts=texts)
    sources = list(open_sources(pages))
    if compress:
        if output is not None or heat_map is not None or explain:
            raise UsageError("--compress compares nothing: leave out --output, --heat-map and --explain")
        _compress(sources, shaping, as_json)
        return
    if len(sources) == 2 and len(pages) == 2:
        for name, value in (("--output", output), ("--heat-map", heat_map), ("--threshold", threshold)):
            if value is not None:
                raise UsageError(f"{name} is for a folder, or more than two pages")
        _pair(sources, method, shaping, lines if explain else None, as_json)
        return
    if explain:
        raise UsageError(f"--explain is for two pages, not {len(sources)}")
    if len(sources) < 2:
        raise UsageError(f"comparing takes two pages or a folder of pages ({pages[0]} is one page)")
    if len(sources) > MAX_PAGES:
        raise UsageError(f"{len(sources)} pages are more than the {MAX_PAGES} that are compared at once: give fewer")
    if output is not None and output.suffix.lower() not in (".csv", ".json"):
        raise UsageError(f"the matrix is written as .csv or .json, not to {output}")
    names, trees = _read_trees(sources)
    matrix = similarity_matrix(trees, method, shaping)
    clusters = cluster(matrix, LEAST_SIMILARITY if threshold is None else threshold)
    values = {"pages": names, "clusters": clusters.tolist(), "similarity": np.round(matrix, 6).tolist()}
    if output is not None:
        as_text = json.dumps(values, ensure_ascii=False) + "\n" if output.suffix.lower() == ".json" else _csv(names, matrix, clusters)
        terminal.deliver(as_text, output)
    if heat_map is not None:
        draw_heat_map(matrix, names, clusters, heat_map)
        terminal.say(f"written to {heat_map}")
    if as_json:
        terminal.deliver_json(values)
    else:
        terminal.to_stdout(_clusters(names, matrix, clusters))


def _compress(sources: list[Source], shaping: Shaping, as_json: bool) -> None:
    """Print what is left of each page when equal subtrees are stored once."""
    failures: list[str] = []
    rows: list[tuple[Any, ...]] = []
    for source, tree, served in readable(sources, "compressing", failures):
        found, html = shapes(tree, shaping), served.html
        size = len(html if isinstance(html, bytes) else html.encode("utf-8", "replace"))
        rows.append((int((found.nodes[0] >= 0).sum()), len(found), size, len(tamis.compress(tree)), source.name))
    terminal.say_unreadable(failures)
    headings = ("nodes", "distinct subtrees", "bytes of HTML", "compressed", "page")
    if as_json:
        terminal.deliver_json([dict(zip(headings, row, strict=True)) for row in rows])
    else:
        terminal.to_stdout(terminal.columns(headings, [(*(f"{value:,}" for value in row[:4]), terminal.harmless(row[4])) for row in rows]))


def _read_trees(sources: list[Source]) -> tuple[list[str], list[PageTree]]:
    failures: list[str] = []
    found = [(source.name, tree) for source, tree, _ in readable(sources, "reading", failures)]
    terminal.say_unreadable(failures)
    if len(found) < 2:
        terminal.stop(f"{len(found)} of the {len(sources)} pages can be read, and comparing takes two", terminal.ERROR)
    return [name for name, _ in found], [tree for _, tree in found]


def _pair(sources: list[Source], method: Method, shaping: Shaping, lines: int | None, as_json: bool) -> None:
    """Compare two pages; ``lines``: of the explanation, None without one."""
    found = explain(tree_of(sources[0])[0], tree_of(sources[1])[0], method, shaping)
    names = [source.name for source in sources]
    if as_json:
        terminal.deliver_json(_comparison(found, names, lines is not None))
        return
    pairs = f"; {found.matched_nodes:,} are paired" if method == "ordered" else ""
    terminal.to_stdout(f"{found.similarity:.4f}\n")
    terminal.say(f"{method} matching by {shaping.labels} of {found.sizes[0]:,} and {found.sizes[1]:,} nodes{pairs}")
    if not found.exact:
        terminal.say("the pages have too many different siblings: some were matched by their names only")
    if lines is not None:
        terminal.deliver_lines(_match_lines(found, names, lines))


def _comparison(found: Explanation, names: list[str], with_matches: bool) -> dict[str, Any]:
    """Return the comparison as plain values; on request with every match."""
    values: dict[str, Any] = {
        "pages": names,
        "method": found.method,
        "labels": found.shapes.shaping.labels,
        "similarity": found.similarity,
        "nodes": list(found.sizes),
        "exact": found.exact,
    }
    if found.method == "ordered":
        values["pairs of nodes"] = found.matched_nodes
    for direction, name in enumerate(("first to second", "second to first") if with_matches else ()):
        tree, other = found.trees[direction], found.trees[1 - direction]
        values[name] = [
            {
                "element": tree.xpath(match.node),
                "partner": None if match.partner == UNMATCHED else other.xpath(match.partner),
                "similarity": match.similarity,
                "nodes": match.size,
                "times": match.times,
            }
            for match in found.matches(direction)
        ]
    return values


def _match_lines(found: Explanation, names: list[str], lines: int) -> Iterator[Text]:
    """Yield both directions, at most ``lines`` lines each (0: all)."""
    for direction in (0, 1):
        yield Text()
        yield Text(f"{names[direction]} to {names[1 - direction]}", "bold")
        yield Text("similarity, element and its nodes, its match", "dim")
        matches = found.matches(direction)
        for match in islice(matches, lines or None):
            yield _match_line(found.trees[direction], found.trees[1 - direction], match)
        if left := sum(1 for _ in matches):
            yield Text(f"... and {left:,} more lines (--lines 0 shows all)", "dim")


def _match_line(tree: PageTree, other: PageTree, match: SubtreeMatch) -> Text:
    times = f" x {match.times}" if match.times > 1 else ""
    element = f"{'  ' * min(match.depth, 40)}{element_name(tree, match.node)}{times} ({match.size:,})"
    if match.partner == UNMATCHED:
        return Text.assemble((f"{match.similarity:.3f}  ", "red"), element, ("  no match", "red"))
    colour = "green" if match.similarity == 1 else "yellow"
    return Text.assemble((f"{match.similarity:.3f}  ", colour), element, ("  matches ", "dim"), element_name(other, match.partner))


def element_name(tree: PageTree, node: int) -> str:
    """Return an element as a step of a CSS path: number among its siblings, id and class names.

    >>> from tamis import parse
    >>> element_name(parse("<p><p id=one class='a b'>"), 4)
    'p[2]#one.a.b'
    """
    number = f"[{tree.ordinal[node]}]" if tree.name(node) not in ("html", "head", "body", "#text") else ""
    own = tree.attribute(node, "id")
    classes = (tree.attribute(node, "class") or "").split()
    name = terminal.harmless("".join([tree.name(node), number, *([f"#{own}"] if own else []), *(f".{token}" for token in classes)]))
    return terminal.beginning(name, _LONGEST)


def _csv(names: list[str], matrix: Similarities, clusters: Clusters) -> str:
    """Return a row and a column for each page, and its cluster."""
    page = StringIO()
    rows = csv.writer(page, lineterminator="\n")
    rows.writerow(["page", "cluster", *map(as_text_cell, names)])
    for name, number, row in zip(names, clusters.tolist(), matrix.tolist(), strict=True):
        rows.writerow([as_text_cell(name), number, *(f"{value:.6g}" for value in row)])
    return page.getvalue()


def _clusters(names: list[str], matrix: Similarities, clusters: Clusters) -> str:
    """Return the clusters: number of pages, their similarities, and the page that is most similar to the others."""
    count = int(clusters.max()) + 1
    rows = []
    for number in range(min(count, _SHOWN)):
        members = np.flatnonzero(clusters == number)
        inner = matrix[np.ix_(members, members)]
        pairs = inner[np.triu_indices(len(members), 1)]
        central = terminal.harmless(names[int(members[inner.sum(0).argmax()])])
        rows.append((number, len(members), *((f"{pairs.mean():.3f}", f"{pairs.min():.3f}") if len(pairs) else "--"), central))
    headings = ("cluster", "pages", "mean similarity", "lowest", "central page")
    more = f"and {count - _SHOWN} smaller clusters (--json or --output for all)\n" if count > _SHOWN else ""
    return f"{len(names)} pages in {count} clusters\n" + terminal.columns(headings, rows) + more
