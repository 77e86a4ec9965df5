"""A page's own tables as tables: rows and columns in a grid, header cells as names.

Which ``table`` elements hold data, and which lay out the page, is decided where tables are rendered (:mod:`tamis.document.render.table`).
Merged cells are repeated in every place they span, so that a row can be read by itself; spans are bounded as browsers bound them.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from tamis.document.render import table as rendered
from tamis.page import tags
from tamis.page.tree import PageTree
from tamis.records.columns import numbered
from tamis.records.places import Places
from tamis.records.table import Column, Table

MAX_WIDTH = 1_000
"""Columns of a table that are read."""
_CAPTION, _TH, _HEAD, _TR = (tags.CODE[name] for name in ("caption", "th", "thead", "tr"))
_Grid = list[list[tuple[str, bool]]]
"""Rows of cells: text, and whether it is a header cell."""


def data_tables(page: Places) -> dict[int, Table]:
    """The data tables of a page by their node, in order."""
    tree = page.tree
    return {node: _read(page, table) for node, table in rendered.data_tables(tree, np.sort(page.leaves)).items()}


def _read(page: Places, table: rendered.Table) -> Table:
    tree = page.tree
    grid = _grid(page, table)
    width = max((len(row) for row in grid), default=0)
    heads = _header_rows(tree, table, grid)
    names = numbered(_column_name([row[k][0] if k < len(row) else "" for row in grid[:heads]], k) for k in range(width))
    rows = [tuple(cell[0] or None for cell in row) + (None,) * (width - len(row)) for row in grid[heads:]]
    kept = [k for k in range(width) if any(row[k] for row in rows) or heads]
    caption = next((tree.text(node) for node in tree.children(table.node).tolist() if tree.tag[node] == _CAPTION), "")
    return Table(tuple(Column(names[k]) for k in kept), tuple(tuple(row[k] for k in kept) for row in rows), caption)


def _grid(page: Places, table: rendered.Table) -> _Grid:
    """The cells of each row at their places; a cell that spans several places stands in all of them."""
    waiting: dict[int, tuple[int, tuple[str, bool]]] = {}  # by column: rows that a cell from above still takes, and the cell
    grid: _Grid = []
    for cells in table.rows.values():
        row: list[tuple[str, bool]] = []
        below: dict[int, tuple[int, tuple[str, bool]]] = {}
        queue = iter(cells)
        while len(row) < MAX_WIDTH:
            if len(row) in waiting:
                left, value = waiting.pop(len(row))
                if left > 1:
                    below[len(row)] = (left - 1, value)
                row.append(value)
                continue
            cell = next(queue, None)
            if cell is None:
                if not waiting or max(waiting) < len(row):
                    break
                row.append(("", False))
                continue
            value = (cell_text(page, cell.node), bool(page.tree.tag[cell.node] == _TH))
            for _ in range(min(cell.colspan, MAX_WIDTH - len(row))):
                if cell.rowspan > 1:
                    below[len(row)] = (cell.rowspan - 1, value)
                row.append(value)
        waiting = below
        grid.append(row)
    return grid


def cell_text(page: Places, node: int) -> str:
    """The text of a cell that a reader sees, white space collapsed."""
    tree = page.tree
    return tree.text(node) if page.characters[tree.end[node]] > page.characters[node] else ""


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


def _column_name(parts: list[str], column: int) -> str:
    """The texts of the header cells above a column, each once."""
    return " ".join(dict.fromkeys(part for part in parts if part)) or f"column_{column + 1}"


def header_cells(page: Places, row: int) -> dict[int, str]:
    """The header cells of the table that a row stands in, by position; none where its first row of cells is no row of headers."""
    tree = page.tree
    table = next((node for node in tree.ancestors(row) if tree.tag[node] == tags.CODE["table"]), None)
    if table is None:
        return {}
    for other in _rows(tree, table):
        cells = [node for node in tree.children(other).tolist() if tree.tag[node] in tags.CELLS]
        if not cells:
            continue
        in_head = tree.tag[tree.parent[other]] == _HEAD
        if in_head or (len(cells) > 1 and all(tree.tag[cell] == _TH for cell in cells)):
            return {k: cell_text(page, cell) for k, cell in enumerate(cells)}
        return {}
    return {}


def _rows(tree: PageTree, table: int) -> Iterator[int]:
    """The first rows of a table."""
    inside = np.flatnonzero(tree.tag[table : tree.end[table]] == _TR)[:3] + table
    yield from inside.tolist()
