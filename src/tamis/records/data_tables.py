"""A page's own tables of data (:mod:`tamis.document.render.table` finds them) as a grid; merged cells are repeated in every place."""

from __future__ import annotations

from collections import Counter, defaultdict
from dataclasses import dataclass
from itertools import product

import numpy as np
from numpy.typing import NDArray

from tamis.document.render import table as rendered
from tamis.document.render.links import image_source, resolve
from tamis.page import tags
from tamis.records.candidates import PageFeatures, header_rows
from tamis.records.labels import MAX_HEADER
from tamis.records.table import Column, Table, numbered

MAX_HEADS = 3  #: Rows of headers of a table that are read.
MAX_WIDTH = 1_000  #: Columns of a table that are read.
_EMPTY = 20  #: Characters of an empty place of a table in JSON.
_TABLE, _CAPTION, _TH, _HEAD, _TR, _IMG = (tags.CODE[name] for name in ("table", "caption", "th", "thead", "tr", "img"))
_Places = dict[tuple[int, int], int]  #: The cell at each place of a table, by row and column.


@dataclass(frozen=True, slots=True)
class Sheet:
    """A table of data as a person sees it: each cell in every place that it spans, hidden cells in none."""

    node: int
    columns: tuple[int, ...]  #: Places of the columns that show something, rising.
    heads: int  #: Rows at the top that hold names.
    rows: dict[int, tuple[int, ...]]  #: The cells of each row under these columns, by the row's node; -1 for none.
    text: dict[int, str]  #: The text of each cell.

    @property
    def names(self) -> list[str]:
        """Return the header of each column; empty without one."""
        above = list(self.rows.values())[: self.heads]
        return [" ".join(dict.fromkeys(filter(None, (self.text[row[k]] for row in above)))) for k in range(len(self.columns))]


def data_tables(page: PageFeatures) -> tuple[Table, ...]:
    """Return the data tables of a page, in order."""
    return tuple(_table_of(page, table) for table in rendered.data_tables(page.tree, page.leaves).values())


def _table_of(page: PageFeatures, table: rendered.ShownTable) -> Table:
    tree = page.tree
    sheet = sheet_of(page, table)
    names = numbered(sheet.names)
    if not tree.budget(table.node).take(sum(map(len, names)), len(sheet.rows)):
        names = numbered(name[:MAX_HEADER] for name in names)
    rows = [tuple(sheet.text[cell] or None for cell in row) for row in list(sheet.rows.values())[sheet.heads :]]
    caption = next((tree.text(node) for node in tree.children(table.node).tolist() if tree.tag[node] == _CAPTION), "")
    return Table(tuple(map(Column, names)), tuple(rows), caption)


def sheet_of(page: PageFeatures, table: rendered.ShownTable) -> Sheet:
    """Return a table with its cells at their places."""
    places, width = _cells_by_place(page, table)
    heads = _header_rows(page, table, places)
    text = {cell: cell_text(page, cell) for cell in {-1, *places.values()}}
    budget, copies = page.tree.budget(table.node), Counter(places.values())
    once = {cell for cell, number in copies.items() if number > 1 and not budget.take(len(text[cell]), number - 1)}
    if once:  # texts that would be out of proportion to the page in all places that they span are read in the first only
        firsts = {cell: place for place, cell in reversed(places.items())}
        places = {place: cell for place, cell in places.items() if cell not in once or firsts[cell] == place}
    shown = {column for (_, column), cell in places.items() if text[cell]}
    most = (budget.left // _EMPTY + len(places)) // max(len(table.rows), 1)
    columns = tuple(column for column in range(width) if column in shown)[: max(most, 1)]
    rows = {node: tuple(places.get((number, column), -1) for column in columns) for number, node in enumerate(table.rows)}
    return Sheet(table.node, columns, heads, rows, text)


MOST_PLAIN = 0.9  #: Share of the cells with one line and one link at most from which on each cell is one field.
Cell = tuple[str, str | None, str | None]  #: Text of a cell, target of its link, source of its image.


def plain_sheets(page: PageFeatures, heads: NDArray[np.intp]) -> dict[int, Sheet] | None:
    """Return the tables that the records are rows of; None if they are not rows of data tables, or if cells hold several fields."""
    own = page.table_of[heads]
    if not len(own) or own.min() < 0:
        return None
    sheets = {table: sheet_of(page, page.tables[table]) for table in np.unique(own).tolist()}
    cells = [cell for head, table in zip(heads.tolist(), own.tolist(), strict=True) for cell in sheets[table].rows[head] if cell >= 0]
    is_plain = [page.links[page.tree.end[cell]] - page.links[cell] < 2 and _is_one_line(page, cell) for cell in cells]
    return sheets if np.mean(is_plain) >= MOST_PLAIN else None


def _is_one_line(page: PageFeatures, node: int) -> bool:
    first, last = page.tree.texts_between(node, int(page.tree.end[node]))
    lines = page.tree.line[first:last][page.length[page.tree.text_nodes[first:last]] > 0]
    return len(lines) == 0 or bool(lines[0] == lines[-1])


def cells_of(page: PageFeatures, sheet: Sheet, row: int, base: str | None) -> dict[int, Cell]:
    """Return the cells of a row by their column: what each says, the first target of a link in it, the first source of an image."""
    tree = page.tree
    found = {}
    for column, cell in enumerate(sheet.rows[row]):
        if cell < 0:
            continue
        inside = np.arange(cell, int(tree.end[cell]))
        targets = (tree.attributes[link].get("href", "").strip() for link in inside[tree.link[inside]].tolist())
        link = next((url for target in targets if not target.startswith("#") and (url := resolve(target, base))), None)
        images = (image_source(tree.attributes[image], base) for image in inside[tree.tag[inside] == _IMG].tolist())
        found[column] = sheet.text[cell], link, next(filter(None, images), None)
    return found


def _cells_by_place(page: PageFeatures, table: rendered.ShownTable) -> tuple[_Places, int]:
    grid: _Places = {}
    width = 0
    for number, cells in enumerate(table.rows.values()):
        column = 0
        for cell in cells:
            if page.tree.hidden[cell.node]:
                continue
            while (number, column) in grid:
                column += 1
            if column >= MAX_WIDTH:
                break
            places = product(range(number, number + cell.rowspan), range(column, min(column + cell.colspan, MAX_WIDTH)))
            for place in places:
                grid.setdefault(place, cell.node)
            column += cell.colspan
        width = max(width, column)
    return grid, min(width, MAX_WIDTH)


def cell_text(page: PageFeatures, node: int) -> str:
    """Return the text of a cell that a reader sees, white space collapsed; the alternative texts of its images where it has none."""
    if node < 0 or page.shown[page.tree.end[node]] == page.shown[node]:
        return ""
    leaves = page.leaves[page.shown[node] : page.shown[page.tree.end[node]]]
    texts = np.searchsorted(page.tree.text_nodes, leaves[page.tree.tag[leaves] == tags.TEXT]).tolist()
    line = page.tree.line
    pieces = [("\n" if k and line[texts[k - 1]] != line[text] else "") + page.tree.texts[text] for k, text in enumerate(texts)]
    if not pieces:
        pieces = [page.tree.attributes[image].get("alt", "") + " " for image in leaves[page.tree.tag[leaves] == _IMG].tolist()]
    return " ".join("".join(pieces).split())


def _header_rows(page: PageFeatures, table: rendered.ShownTable, places: _Places) -> int:
    """Return the number of rows at the top that hold names: those in ``thead``, or all of header cells, unless no others follow."""
    tree, count = page.tree, 0
    of_row: defaultdict[int, list[int]] = defaultdict(list)
    for (row, _), cell in places.items():
        if page.characters[tree.end[cell]] > page.characters[cell]:
            of_row[row].append(cell)
    for number, row in enumerate(table.rows):
        filled = tree.tag[of_row[number]] == _TH if of_row[number] else np.zeros(0, dtype=np.bool_)
        if tree.tag[tree.parent[row]] == _HEAD or (filled.all() and len(filled) > 1):
            count += 1
        else:
            break
    return count if count < len(table.rows) else 0


def header_cells(page: PageFeatures, row: int) -> dict[int, str]:
    """Return the header cells above a row by position: those of the first longest row of headers; empty without headers."""
    tree = page.tree
    table = next((node for node in tree.ancestors(row) if tree.tag[node] == _TABLE), row)
    above = np.flatnonzero(tree.tag[table:row] == _TR) + table
    heads = above[header_rows(tree)[above] | (tree.tag[tree.parent[above]] == _HEAD)]
    cells = [[node for node in tree.children(head).tolist() if tree.tag[node] in tags.CELLS] for head in heads[:MAX_HEADS].tolist()]
    return dict(enumerate(cell_text(page, cell) for cell in max(cells, key=len, default=[])))
