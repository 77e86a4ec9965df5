"""Which subtree of one page matches which of the other, as text and as plain values."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import islice
from typing import Any

from rich.text import Text

from tamis.cli import terminal
from tamis.page.tree import PageTree
from tamis.structure.correspondence import UNMATCHED, Explanation, SubtreeMatch

_LONGEST = 60
"""Characters of an element's name that are shown."""


def as_dict(found: Explanation, names: tuple[str, str], with_matches: bool, depth: int | None = None) -> dict[str, Any]:
    """The comparison as plain values; on request with every match."""
    values: dict[str, Any] = {
        "pages": list(names),
        "method": found.method,
        "labels": found.shapes.shaping.labels,
        "similarity": found.similarity,
        "nodes": list(found.sizes),
        "exact": found.exact,
    }
    if found.method == "ordered":
        values["pairs of nodes"] = found.matched_nodes
    if with_matches:
        for direction, name in enumerate(("first to second", "second to first")):
            tree, other = found.trees[direction], found.trees[1 - direction]
            values[name] = [
                {
                    "element": tree.xpath(match.node),
                    "partner": None if match.partner == UNMATCHED else other.xpath(match.partner),
                    "similarity": match.similarity,
                    "nodes": match.size,
                    "times": match.times,
                }
                for match in found.matches(direction, depth)
            ]
    return values


def show(found: Explanation, names: tuple[str, str], lines: int, depth: int | None = None) -> None:
    """Print both directions, at most so many lines each (0: all)."""
    terminal.deliver_lines(_lines(found, names, lines, depth))


def _lines(found: Explanation, names: tuple[str, str], lines: int, depth: int | None) -> Iterator[Text]:
    for direction in (0, 1):
        yield Text()
        yield Text(f"{names[direction]} to {names[1 - direction]}", "bold")
        yield Text("similarity, element and its nodes, its match", "dim")
        matches = found.matches(direction, depth)
        for match in islice(matches, lines or None):
            yield _line(found, direction, match)
        if left := sum(1 for _ in matches):
            yield Text(f"... and {left:,} more lines (--lines 0 shows all, --depth fewer)", "dim")


def _line(found: Explanation, direction: int, match: SubtreeMatch) -> Text:
    tree, other = found.trees[direction], found.trees[1 - direction]
    times = f" x {match.times}" if match.times > 1 else ""
    element = f"{'  ' * min(match.depth, 40)}{element_name(tree, match.node)}{times} ({match.size:,})"
    if match.partner == UNMATCHED:
        return Text.assemble((f"{match.similarity:.3f}  ", "red"), element, ("  no match", "red"))
    colour = "green" if match.similarity == 1 else "yellow"
    return Text.assemble((f"{match.similarity:.3f}  ", colour), element, ("  matches ", "dim"), element_name(other, match.partner))


def element_name(tree: PageTree, node: int) -> str:
    """An element as a step of a CSS path: number among its siblings, id and class names.

    >>> from tamis import parse
    >>> element_name(parse("<p><p id=one class='a b'>"), 4)
    'p[2]#one.a.b'
    """
    number = f"[{tree.ordinal[node]}]" if tree.name(node) not in ("html", "head", "body", "#text") else ""
    own = tree.attribute(node, "id")
    classes = (tree.attribute(node, "class") or "").split()
    name = terminal.harmless("".join([tree.name(node), number, *([f"#{own}"] if own else []), *(f".{token}" for token in classes)]))
    return terminal.beginning(name, _LONGEST)
