"""Tables: which of them hold data, and their rows and cells with bounded spans.

A table is data if its text is in several columns of running text; if cells hold lists, headings, several paragraphs or tables, it
is layout unless it has header cells or a caption.
"""

from __future__ import annotations

import re
from collections import defaultdict
from dataclasses import dataclass
from itertools import chain

import numpy as np
from numpy.typing import NDArray

from tamis.page import tags
from tamis.page.tree import BoolColumn, PageTree

MAX_SPAN = 1000  #: Most columns that a cell spans, as in the HTML standard.
MAX_GRID = 100_000  #: Most places in the grid of a table with spans; beyond it every cell takes one place.

_CELL = tags.lookup(tags.CELLS)
_SECTION = tags.lookup(tags.codes("thead tbody tfoot"))
_TABLE, _ROW, _CAPTION, _HEAD, _TH = (tags.CODE[name] for name in ("table", "tr", "caption", "thead", "th"))
_NESTING = tags.lookup(tags.HEADINGS | {_TABLE})
STRUCTURE = tags.HEADINGS | tags.LISTS | (tags.PREFORMATTED & tags.BLOCKS) | {_TABLE} | tags.codes("blockquote dl details figure hr")
"""Elements that are more than running text."""
_STRUCTURE = tags.lookup(STRUCTURE)
_PARAGRAPH, _IMAGE = tags.lookup(tags.codes("p")), tags.lookup(tags.codes("img"))
_DIGITS = re.compile(r"\s*\+?(\d{1,9})")


@dataclass(slots=True)
class Cell:
    """A cell of a table."""

    node: int
    colspan: int = 1
    rowspan: int = 1


@dataclass(frozen=True, slots=True)
class ShownTable:
    """A data table: the rows that show something, each with all of its cells."""

    node: int
    rows: dict[int, tuple[Cell, ...]]  #: Cells by the node of their row, in order.
    columns: int  #: Most cells in a row.
    head: bool  #: The first row holds the columns' names.
    merged: bool  #: A cell spans several rows or columns.
    pictured: bool  #: Each row is one text, some with images before it, as in a note with its icon: the table is shown as layout.


def data_tables(tree: PageTree, leaves: NDArray[np.integer]) -> dict[int, ShownTable]:
    """Return the data tables of a page by their node. ``leaves``: the texts, images and rules that are shown, rising."""
    tables = (tree.tag == _TABLE).nonzero()[0]
    filled = tree.count_below(tables, leaves)
    tables, filled = tables[filled > 0], filled[filled > 0]
    if not len(tables):
        return {}

    start, stop = int(tables[0]), int(tree.end[tables].max())
    here = tree.tag[start:stop]

    def shown_of(table: BoolColumn) -> NDArray[np.intp]:
        nodes = tags.within(table, here).nonzero()[0] + start
        return nodes[tree.count_below(nodes, leaves) > 0]

    cells, rows, owners = _cells_of_tables(tree, tags.within(_CELL, here).nonzero()[0] + start, leaves)
    structure, paragraphs, nesting = map(shown_of, (_STRUCTURE, _PARAGRAPH, _NESTING))
    captions = np.flatnonzero(here == _CAPTION) + start
    captions = captions[(tree.parent[captions] >= 0) & (tree.tag[tree.parent[captions]] == _TABLE)]
    captions = captions[tree.count_below(captions, structure) == 0]
    held = np.concatenate([cells, captions])
    inside = np.bincount(np.concatenate([owners, tree.parent[captions]]), tree.count_below(held, leaves), len(tree))
    is_plain = np.zeros(len(tree), dtype=np.bool_)
    is_plain[tables] = inside[tables] == filled
    wanted = is_plain[owners]
    cells, rows, owners = cells[wanted], rows[wanted], owners[wanted]
    shown = (tree.count_below(cells, leaves) > 0).tolist()
    worded = (tree.count_below(cells, leaves[tree.tag[leaves] == tags.TEXT]) > 0).tolist()
    pictured = (tree.count_below(cells, tree.tagged(_IMAGE)) > 0).tolist()
    rich = (tree.count_below(cells, structure) > 0) | (tree.count_below(cells, paragraphs) > 1)
    nested = tree.count_below(cells, nesting) > 0
    spanning = np.logical_or.reduce([tree.values(name).codes[cells] >= 0 for name in ("colspan", "rowspan")])
    captioned = set(tree.parent[captions[tree.count_below(captions, leaves) > 0]].tolist())
    spans = set(cells[spanning].tolist())
    by_table: defaultdict[int, list[int]] = defaultdict(list)
    for k, owner in enumerate(owners.tolist()):
        by_table[owner].append(k)
    found = {}
    for table, its in by_table.items():
        by_row: defaultdict[int, list[int]] = defaultdict(list)
        for k in its:
            by_row[int(rows[k])].append(k)
        filled_columns = {column for row in by_row.values() for column, cell in enumerate(row) if shown[cell]}
        if len(filled_columns) < 2 or tree.attribute(table, "role") in ("presentation", "none"):
            continue
        if rich[its].any() and (nested[its].any() or not (table in captioned or np.any(tree.tag[cells[its]] == _TH))):
            continue
        first = next(iter(by_row))
        said = [[worded[k] for k in ks if worded[k] or pictured[k]] for ks in by_row.values()]
        own = {row: cells[ks].tolist() for row, ks in by_row.items()}
        plain = spans.isdisjoint(chain.from_iterable(own.values()))
        spanned = {row: tuple(map(Cell, nodes)) for row, nodes in own.items()} if plain else _spanned(tree, own, spans)
        found[table] = ShownTable(
            node=table,
            rows=spanned,
            columns=max(map(len, by_row.values())),
            head=bool(tree.tag[tree.parent[first]] == _HEAD or all(tree.tag[cells[k]] == _TH for k in by_row[first] if shown[k])),
            merged=not plain and any(cell.colspan > 1 or cell.rowspan > 1 for row in spanned.values() for cell in row),
            pictured=max(map(len, said)) > 1 and all(any(words[-1:]) and not any(words[:-1]) for words in said),
        )
    return found


def _cells_of_tables(
    tree: PageTree, cells: NDArray[np.intp], leaves: NDArray[np.integer]
) -> tuple[NDArray[np.intp], NDArray[np.int32], NDArray[np.int32]]:
    """Return the cells that belong to a row that shows something; their rows; their tables."""
    rows = tree.parent[cells]
    sections = tree.parent[rows]
    owners = np.where(tags.within(_SECTION, tree.tag[sections]), tree.parent[sections], sections)
    inside = (rows >= 0) & (sections >= 0) & (owners >= 0)
    proper = inside & (tree.tag[rows] == _ROW) & (tree.tag[owners] == _TABLE) & (tree.count_below(rows, leaves) > 0)
    return cells[proper], rows[proper], owners[proper]


def _spanned(tree: PageTree, rows: dict[int, list[int]], spanning: set[int]) -> dict[int, tuple[Cell, ...]]:
    """Return the cells with their spans, bounded: no cell reaches below its part of the table, and the grid has at most MAX_GRID places."""
    below: dict[int, int] = {}
    left: defaultdict[int, int] = defaultdict(int)
    for row in reversed(rows):
        left[int(tree.parent[row])] += 1
        below[row] = left[int(tree.parent[row])]
    result = {
        row: tuple(_cell_of(tree, cell, below[row]) if cell in spanning else Cell(cell) for cell in cells) for row, cells in rows.items()
    }
    places = sum(cell.colspan * cell.rowspan for cells in result.values() for cell in cells)
    if places > MAX_GRID:
        return {row: tuple(Cell(cell) for cell in cells) for row, cells in rows.items()}
    return result


def _cell_of(tree: PageTree, node: int, below: int) -> Cell:
    attributes = tree.attributes[node]
    rowspan = _span(attributes.get("rowspan", "1"))
    return Cell(node, min(max(_span(attributes.get("colspan", "1")), 1), MAX_SPAN), min(rowspan or below, below))


def _span(value: str) -> int:
    match = _DIGITS.match(value)
    return int(match[1]) if match else 1
