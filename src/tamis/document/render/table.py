"""Tables: which of them hold data, and their rows and cells with bounded spans.

The web lays out pages with tables as well. A table is data when its text stands in two columns or more and its cells hold
running text; a table of one column, or one whose cells hold lists, headings, several paragraphs or tables, is layout unless
header cells or a caption say otherwise.
"""

from __future__ import annotations

import re
from collections import defaultdict
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from tamis.page import tags
from tamis.page.tree import BoolColumn, PageTree

MAX_SPAN = 1000
"""Most columns that a cell spans, as in the HTML standard."""
MAX_GRID = 100_000
"""Most places in the grid of a table with spans; beyond it every cell takes one place."""

_CELL = tags.lookup(tags.CELLS)
_SECTION = tags.lookup(tags.codes("thead tbody tfoot"))
_TABLE, _ROW, _CAPTION, _HEAD, _TH, _P = (tags.CODE[name] for name in ("table", "tr", "caption", "thead", "th", "p"))
_NESTING = tags.lookup(tags.HEADINGS | {_TABLE})
_STRUCTURE = tags.lookup(
    tags.HEADINGS | tags.LISTS | (tags.PREFORMATTED & tags.BLOCKS) | {_TABLE} | tags.codes("blockquote dl details figure hr")
)
_DIGITS = re.compile(r"\s*\+?(\d{1,9})")


@dataclass(frozen=True, slots=True)
class Cell:
    """A cell of a table."""

    node: int
    colspan: int = 1
    rowspan: int = 1


@dataclass(frozen=True, slots=True)
class Table:
    """A data table: the rows of which something is shown, each with all of its cells."""

    node: int
    rows: dict[int, tuple[Cell, ...]]
    """Cells by the node of their row, in order."""
    columns: int
    """Most cells in a row."""
    head: bool
    """Whether the first row holds the columns' names."""
    merged: bool
    """Whether a cell spans several rows or columns."""


def structure_below(tree: PageTree, shown: BoolColumn) -> NDArray[np.int64]:
    """How many shown nodes in each node's subtree are more than running text (lists, headings, quotes, code, tables), int64 ``(n,)``."""
    return np.asarray(tree.subtree_sum((tree.of_tags(_STRUCTURE) & shown).astype(np.int64)))


def data_tables(tree: PageTree, leaves: BoolColumn, structure: NDArray[np.int64]) -> dict[int, Table]:
    """The data tables of a page by their node.

    Args:
        tree: the page.
        leaves: the texts, images and rules that are shown, bool ``(n,)``.
        structure: what :func:`structure_below` gives, int64 ``(n,)``.
    """
    nodes = np.flatnonzero(tree.tag == _TABLE)
    if not len(nodes):
        return {}
    shown = tree.subtree_sum(leaves.astype(np.int64))
    cells, rows, owners = _cells_of_tables(tree, shown)
    captions = np.flatnonzero(tree.tag == _CAPTION)
    captions = captions[(tree.parent[captions] >= 0) & (tree.tag[tree.parent[captions]] == _TABLE) & (structure[captions] == 0)]
    inside = np.bincount(owners, weights=shown[cells], minlength=len(tree))
    inside = inside + np.bincount(tree.parent[captions], weights=shown[captions], minlength=len(tree))
    regular = nodes[(shown[nodes] > 0) & (inside[nodes] == shown[nodes])]
    wanted = np.isin(owners, regular)
    by_table: defaultdict[int, defaultdict[int, list[int]]] = defaultdict(lambda: defaultdict(list))
    for cell, row, table in zip(cells[wanted].tolist(), rows[wanted].tolist(), owners[wanted].tolist(), strict=True):
        by_table[table][row].append(cell)
    paragraphs = tree.subtree_sum(((tree.tag == _P) & (shown > 0)).astype(np.int64))
    nesting = tree.subtree_sum((tree.of_tags(_NESTING) & (shown > 0)).astype(np.int64))
    spanning = {node for codes, _ in tree.values_at(None, ("colspan", "rowspan")) for node in (codes >= 0).nonzero()[0].tolist()}
    captioned = set(tree.parent[captions[shown[captions] > 0]].tolist())
    found = {}
    for table, its in by_table.items():
        if tree.attribute(table, "role") in ("presentation", "none") or not _several_columns(its, shown):
            continue
        every = np.array([cell for row in its.values() for cell in row])
        rich = bool(np.any((structure[every] > 0) | (paragraphs[every] > 1)))
        if rich and (nesting[every].any() or not (table in captioned or np.any(tree.tag[every] == _TH))):
            continue
        found[table] = _table(tree, table, its, shown, spanning)
    return found


def _cells_of_tables(tree: PageTree, shown: NDArray[np.int64]) -> tuple[NDArray[np.intp], NDArray[np.int32], NDArray[np.int32]]:
    """Cells that stand where they belong in a row of which something is shown; their rows; their tables."""
    cells = np.flatnonzero(tree.of_tags(_CELL))
    rows = tree.parent[cells]
    sections = tree.parent[rows]
    owners = np.where(tags.within(_SECTION, tree.tag[sections]), tree.parent[sections], sections)
    inside = (rows >= 0) & (sections >= 0) & (owners >= 0)
    proper = inside & (tree.tag[rows] == _ROW) & (tree.tag[owners] == _TABLE) & (shown[rows] > 0)
    return cells[proper], rows[proper], owners[proper]


def _several_columns(rows: dict[int, list[int]], shown: NDArray[np.int64]) -> bool:
    """Whether text or images stand in more than one column."""
    filled = -1
    for row in rows.values():
        for column, cell in enumerate(row):
            if shown[cell] and column != filled:
                if filled >= 0:
                    return True
                filled = column
    return False


def _table(tree: PageTree, table: int, rows: dict[int, list[int]], shown: NDArray[np.int64], spanning: set[int]) -> Table:
    first = next(iter(rows))
    filled = [cell for cell in rows[first] if shown[cell]]
    head = tree.tag[tree.parent[first]] == _HEAD or all(tree.tag[cell] == _TH for cell in filled)
    spanned = _spanned(tree, rows, spanning)
    merged = any(cell.colspan > 1 or cell.rowspan > 1 for row in spanned.values() for cell in row)
    columns = max(map(len, rows.values()))
    return Table(node=table, rows=spanned, columns=columns, head=bool(head), merged=merged)


def _spanned(tree: PageTree, rows: dict[int, list[int]], spanning: set[int]) -> dict[int, tuple[Cell, ...]]:
    """The cells with their spans, bounded: no cell reaches below its part of the table, and the grid has at most MAX_GRID places."""
    below: dict[int, int] = {}
    left: defaultdict[int, int] = defaultdict(int)
    for row in reversed(rows):
        left[int(tree.parent[row])] += 1
        below[row] = left[int(tree.parent[row])]
    result = {
        row: tuple(_cell(tree, cell, below[row]) if cell in spanning else Cell(cell) for cell in cells) for row, cells in rows.items()
    }
    places = sum(cell.colspan * cell.rowspan for cells in result.values() for cell in cells)
    if places > MAX_GRID:
        return {row: tuple(Cell(cell) for cell in cells) for row, cells in rows.items()}
    return result


def _cell(tree: PageTree, node: int, below: int) -> Cell:
    attributes = tree.attributes[node]
    rowspan = _number(attributes.get("rowspan", "1"))
    return Cell(node, min(max(_number(attributes.get("colspan", "1")), 1), MAX_SPAN), min(rowspan or below, below))


def _number(value: str) -> int:
    match = _DIGITS.match(value)
    return int(match[1]) if match else 1
