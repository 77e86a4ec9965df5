"""Which subtree met which, for people and as plain values."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import islice
from typing import Any

from rich.text import Text

from tamis.cli import terminal
from tamis.cli.terminal import harmless
from tamis.page.tree import PageTree
from tamis.structure.correspondence import UNMATCHED, Explanation, SubtreeMatch

_LONGEST = 60
"""Characters of an element's name that are shown."""


def as_dict(found: Explanation, names: tuple[str, str], told: bool, depth: int | None = None) -> dict[str, Any]:
    """The comparison as plain values, with every meeting where ``told``."""
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
    if told:
        values["first to second"], values["second to first"] = (
            [_as_dict(found, direction, met) for met in found.matches(direction, depth)] for direction in (0, 1)
        )
    return values


def _as_dict(found: Explanation, direction: int, met: SubtreeMatch) -> dict[str, Any]:
    partner = found.trees[1 - direction].xpath(met.partner) if met.partner != UNMATCHED else None
    return {
        "element": found.trees[direction].xpath(met.node),
        "partner": partner,
        "similarity": met.similarity,
        "nodes": met.size,
        "times": met.times,
    }


def show(found: Explanation, names: tuple[str, str], lines: int, depth: int | None = None) -> None:
    """Print both directions, at most so many lines each (0: all)."""
    terminal.deliver_lines(_lines(found, names, lines, depth))


def _lines(found: Explanation, names: tuple[str, str], lines: int, depth: int | None) -> Iterator[Text]:
    for direction in (0, 1):
        yield Text()
        yield Text(f"{names[direction]} to {names[1 - direction]}", "bold")
        yield Text("similarity, element and its nodes, the element it met", "dim")
        matches = found.matches(direction, depth)
        for met in islice(matches, lines or None):
            yield _line(found, direction, met)
        if left := sum(1 for _ in matches):
            yield Text(f"... and {left:,} lines more (--lines 0 shows all, --depth fewer)", "dim")


def _line(found: Explanation, direction: int, met: SubtreeMatch) -> Text:
    tree, other = found.trees[direction], found.trees[1 - direction]
    times = f" x {met.times}" if met.times > 1 else ""
    element = f"{'  ' * min(met.depth, 40)}{element_name(tree, met.node)}{times} ({met.size:,})"
    if met.partner == UNMATCHED:
        return Text.assemble((f"{met.similarity:.3f}  ", "red"), element, ("  met nothing", "red"))
    colour = "green" if met.similarity == 1 else "yellow"
    return Text.assemble((f"{met.similarity:.3f}  ", colour), element, ("  met ", "dim"), element_name(other, met.partner))


def element_name(tree: PageTree, node: int) -> str:
    """An element as a step of a CSS path, with its number among its siblings, its id and its class names.

    >>> from tamis import parse
    >>> element_name(parse("<p><p id=one class='a b'>"), 4)
    'p[2]#one.a.b'
    """
    number = f"[{tree.ordinal[node]}]" if tree.name(node) not in ("html", "head", "body", "#text") else ""
    own = tree.attribute(node, "id")
    classes = (tree.attribute(node, "class") or "").split()
    name = harmless("".join([tree.name(node), number, *([f"#{own}"] if own else []), *(f".{token}" for token in classes)]))
    return name if len(name) <= _LONGEST else name[:_LONGEST] + "…"
