"""A page's own tables of data (:mod:`tamis.document.render.table` finds them) as a grid; merged cells are repeated in every place."""

from __future__ import annotations

from itertools import product

import numpy as np

from tamis.document.render import table as rendered
from tamis.page import tags
from tamis.page.tree import PageTree
from tamis.records.places import Places, header_rows
from tamis.records.table import Column, Table, numbered

MAX_HEADS = 3  #: Rows of headers of a table that are read.
MAX_WIDTH = 1_000  #: Columns of a table that are read.
_TABLE, _CAPTION, _TH, _HEAD, _TR = (tags.CODE[name] for name in ("table", "caption", "th", "thead", "tr"))
_Grid = list[list[tuple[str, bool]]]  #: Rows of cells: text, and whether it is a header cell.


def data_tables(page: Places) -> tuple[Table, ...]:
    """The data tables of a page, in order."""
    return tuple(_read(page, table) for table in page.tables.values())


def _read(page: Places, table: rendered.Table) -> Table:
    tree = page.tree
    grid = _grid(page, table)
    heads = _header_rows(tree, table, grid)
    names = numbered(
        " ".join(dict.fromkeys(row[k][0] for row in grid[:heads] if row[k][0])) or f"column_{k + 1}" for k in range(len(grid[0]))
    )
    rows = [tuple(cell[0] or None for cell in row) for row in grid[heads:]]
    kept = [k for k in range(len(names)) if any(row[k] for row in rows) or heads]
    caption = next((tree.text(node) for node in tree.children(table.node).tolist() if tree.tag[node] == _CAPTION), "")
    return Table(tuple(Column(names[k]) for k in kept), tuple(tuple(row[k] for k in kept) for row in rows), caption)


def _grid(page: Places, table: rendered.Table) -> _Grid:
    """The cells of each row at their places; a cell that spans several places stands in all of them."""
    grid: dict[tuple[int, int], tuple[str, bool]] = {}
    width = 0
    for number, cells in enumerate(table.rows.values()):
        column = 0
        for cell in cells:
            while (number, column) in grid:
                column += 1
            if column >= MAX_WIDTH:
                break
            value = (cell_text(page, cell.node), bool(page.tree.tag[cell.node] == _TH))
            places = product(range(number, number + cell.rowspan), range(column, min(column + cell.colspan, MAX_WIDTH)))
            for place in places:
                grid.setdefault(place, value)
            column += cell.colspan
        width = max(width, column)
    width = min(width, MAX_WIDTH)
    return [[grid.get((row, column), ("", False)) for column in range(width)] for row in range(len(table.rows))]


def cell_text(page: Places, node: int) -> str:
    """The text of a cell that a reader sees, white space collapsed."""
    return page.tree.text(node) if page.characters[page.tree.end[node]] > page.characters[node] else ""


def _header_rows(tree: PageTree, table: rendered.Table, grid: _Grid) -> int:
    """How many rows at the top hold names: those in ``thead``, or all of header cells; a table of nothing else has none."""
    count = 0
    for row, cells in zip(table.rows, grid, strict=True):
        filled = [is_header for text, is_header in cells if text]
        if tree.tag[tree.parent[row]] == _HEAD or (filled and all(filled) and len(filled) > 1):
            count += 1
        else:
            break
    return count if count < len(grid) else 0


def header_cells(page: Places, row: int) -> dict[int, str]:
    """The header cells of the table that a row stands in, by position: those of the first longest row of headers above it; none without."""
    tree = page.tree
    table = next((node for node in tree.ancestors(row) if tree.tag[node] == _TABLE), row)
    above = np.flatnonzero(tree.tag[table:row] == _TR) + table
    heads = above[header_rows(tree)[above] | (tree.tag[tree.parent[above]] == _HEAD)]
    cells = [[node for node in tree.children(head).tolist() if tree.tag[node] in tags.CELLS] for head in heads[:MAX_HEADS].tolist()]
    return dict(enumerate(cell_text(page, cell) for cell in max(cells, key=len, default=[])))
