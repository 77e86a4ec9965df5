"""A page's own tables of data (:mod:`tamis.document.render.table` finds them) as a grid; merged cells are repeated in every place."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from itertools import product

import numpy as np
from numpy.typing import NDArray

from tamis.document.render import table as rendered
from tamis.document.render.links import image_source, resolve
from tamis.page import tags
from tamis.page.tree import Attributes, BoolColumn
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
    text = {-1: "", **_texts_of_cells(page, set(places.values()))}
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
    if not cells:
        return None
    of_each, number = np.unique(np.array(cells, dtype=np.int32), return_inverse=True)
    shown, first, after = _shown_texts(page, of_each)
    line = np.append(page.tree.line[shown], -1)
    is_plain = (page.links[page.tree.end[of_each]] - page.links[of_each] < 2) & ((first == after) | (line[first] == line[after - 1]))
    return sheets if is_plain[number].mean() >= MOST_PLAIN else None


def cells_of(page: PageFeatures, sheet: Sheet, base: str | None) -> dict[int, Cell]:
    """Return the cells of a table by their node: what each says, the first target of a link in it, the first source of an image."""
    tree = page.tree
    cells = np.array(sorted(sheet.text)[1:], dtype=np.int32)  # without the place of none
    if not len(cells):
        return {}

    def first_address(wanted: BoolColumn, address: Callable[[Attributes], str | None]) -> dict[int, str]:
        nodes = np.flatnonzero(wanted) + cells[0]
        around = cells[cells.searchsorted(nodes.astype(np.int32), "right") - 1]
        inside = nodes < tree.end[around]
        nodes, around = nodes[inside], around[inside]
        found: dict[int, str] = {}
        for cell, attributes in zip(around.tolist(), tree.attributes_of(nodes.tolist()), strict=True):
            if cell not in found and (url := address(attributes)):
                found[cell] = url
        return found

    def target(attributes: Attributes) -> str | None:
        said = attributes.get("href", "").strip()
        return None if said.startswith("#") else resolve(said, base)

    every = slice(cells[0], tree.end[cells[-1]])
    links = first_address(tree.link[every], target)
    images = first_address(tree.tag[every] == _IMG, lambda attributes: image_source(attributes, base))
    return {cell: (sheet.text[cell], links.get(cell), images.get(cell)) for cell in cells.tolist()}


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


def _shown_texts(page: PageFeatures, cells: NDArray[np.int32]) -> tuple[NDArray[np.intp], NDArray[np.intp], NDArray[np.intp]]:
    """The texts that a reader sees from the first of some cells, rising, to the last: their places among the page's texts; and for each
    cell the places of its own among these."""
    tree = page.tree
    begin, stop = tree.texts_between(int(cells[0]), int(tree.end[cells].max()))
    shown = np.flatnonzero(page.length[tree.text_nodes[begin:stop]]) + begin
    nodes = tree.text_nodes[shown]
    return shown, nodes.searchsorted(cells), nodes.searchsorted(tree.end[cells])


def _texts_of_cells(page: PageFeatures, nodes: Iterable[int]) -> dict[int, str]:
    """The text of each cell that a reader sees, white space collapsed; the alternative texts of its images where it has none."""
    tree = page.tree
    cells = np.array(sorted(nodes), dtype=np.int32)
    found = dict.fromkeys(cells.tolist(), "")
    cells = cells[page.shown[tree.end[cells]] > page.shown[cells]]
    if not len(cells):
        return found
    shown, first, after = _shown_texts(page, cells)
    line = tree.line[shown]
    begins = np.append(False, line[1:] != line[:-1]).tolist()
    texts = [tree.texts[text] for text in shown.tolist()]
    for cell, begin, end in zip(cells.tolist(), first.tolist(), after.tolist(), strict=True):
        if begin == end:
            leaves = page.leaves[page.shown[cell] : page.shown[tree.end[cell]]]
            pieces = [each.get("alt", "") + " " for each in tree.attributes_of(leaves[tree.tag[leaves] == _IMG].tolist())]
        else:
            pieces = [texts[begin], *("\n" * begins[k] + texts[k] for k in range(begin + 1, end))]
        found[cell] = " ".join("".join(pieces).split())
    return found


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
    longest = max(cells, key=len, default=[])
    return dict(enumerate(_texts_of_cells(page, longest).values()))
