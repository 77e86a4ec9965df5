"""Columns for the fields of many records: partial alignment of their leaf paths, the longest record first, and what each column is called.

Source: partial tree alignment of Zhai and Liu (2005). The decisions are in ``docs/methods/records.md``. A page's own tables of
data (:mod:`tamis.document.render.table` finds them) as a grid; merged cells are repeated in every place.
"""

from __future__ import annotations

from collections import Counter, defaultdict, deque
from collections.abc import Callable, Collection, Iterable, Sequence
from dataclasses import dataclass
from functools import cache
from itertools import chain, pairwise, product
from typing import TYPE_CHECKING, get_args

import numpy as np
from numpy.typing import NDArray

from tamis.document.render import table as rendered
from tamis.document.render.links import image_source, resolve
from tamis.page import tags
from tamis.page.garbage import gc_paused
from tamis.page.tree import Attributes, BoolColumn
from tamis.records.candidates import PageFeatures, header_rows
from tamis.records.fields import RUNNING_TEXT
from tamis.records.labels import (
    MAX_HEADER,
    Hints,
    Key,
    Sequenced,
    Told,
    is_constant,
    links_named,
    said_by_words,
    shared_label,
    text_of_link,
    texts_named,
    words_of,
)
from tamis.records.table import CELL, MAX_COLUMNS, Column, Kind, Row, Table, ValueType, column_type, numbered

if TYPE_CHECKING:
    from tamis.records.finding import Region

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


MAX_REPEATS = 8  #: Fields at one path in one record that become columns.
SAID = 9  #: Weight of a field and a column if the page says the same of both; 3 if they have the same path.
_SELF_CONTAINED = ("a", "time")  #: Elements that the words before them may be a label of.
MAX_DOUBLES = 4  #: Columns with a common value that another is compared with.
MAX_WORK = 20_000_000  #: Cells of match tables; records of new shapes beyond it are matched first come, first served.


@gc_paused()
def align_records(regions: Sequence[Region]) -> Table:
    """Return the records of lists of one layout, in order, under common columns in the order of the page: those of their wrapper, and
    others between them."""
    wrapper = regions[0].wrapper if regions else None
    known = wrapper.columns if wrapper is not None else ()
    if all(column.path.startswith(CELL) for column in known):
        sheets = [None if region.candidate.run else plain_sheets(region.page, region.candidate.heads) for region in regions]
        if all(each is not None for each in sheets):
            return _of_sheets(regions, [each or {} for each in sheets], known)
    keys_known = [_key_of(column) for column in known]
    records, sure, likely, has_headers = _aligned_fields(regions, {key.said for key in keys_known} - {""})
    keys, rows = align(records, keys_known)
    left = deque(keys_known)
    own = {place: known[len(keys_known) - len(left) - 1] for place, key in enumerate(keys) if left and left[0] == key and left.popleft()}
    values: list[Row] = list(zip(*rows, strict=True)) if rows else [()] * len(keys)
    named = ((key, row, own[k].name if k in own else sure.get(key, "")) for k, (key, row) in enumerate(zip(keys, values, strict=True)))
    shared, values = map(list, zip(*(shared_label(*each) for each in named), strict=True)) if keys else ([], [])
    types = _types(keys, values)
    has_title = has_headers or any(column.name == "title" for column in known)
    texts = texts_named(keys, values, types, shared, *([of.get(key, "") for key in keys] for of in (sure, likely)), has_title=has_title)
    labels = {} if has_headers else _labels_of_links(keys, values, texts)
    for label, place in labels.items():
        texts[place] = texts[place] or words_of(next(filter(None, values[label])) or "")
    names = links_named(keys, values, texts)
    doubles = _repeated(keys, values, texts, own)
    left_out = doubles | _actions(keys, types, values, doubles) | labels.keys()
    kept = [k for k in range(len(keys)) if k in own or (any(values[k]) and k not in left_out)]
    kept.sort(key=lambda k: names[k] != "link" or [*texts, ""][text_of_link(keys, k)] != "title")  # this link has the plain name
    return _table_of_columns(keys, values, types, names, kept, own)


def _key_of(column: Column) -> Key:
    return Key(column.kind, column.path, column.tags, column.said)


def _types(keys: Sequence[Key], values: Sequence[Row]) -> list[ValueType]:
    return [column_type(own) if key.kind == "text" else "text" for key, own in zip(keys, values, strict=True)]


def _table_of_columns(
    keys: Sequence[Key],
    values: Sequence[Row],
    types: Sequence[ValueType],
    names: Sequence[str],
    kept: Sequence[int],
    own: dict[int, Column],
) -> Table:
    """The table of some columns, which are named in the order of ``kept``. ``own``: those of a wrapper, by their places."""
    free = [k for k in kept if k not in own]
    kept = sorted(kept)
    name_of = {k: column.name for k, column in own.items()}
    name_of.update(zip(free, numbered((names[k] for k in free), [*name_of.values()]), strict=True))
    columns = tuple(Column(name_of[k], keys[k].kind, keys[k].path, types[k], keys[k].tags, keys[k].said) for k in kept)
    count = len(values[0]) if values else 0
    return Table(columns, tuple(zip(*(values[k] for k in kept), strict=True)) if kept else ((),) * count)


def _aligned_fields(regions: Sequence[Region], known: set[str]) -> tuple[list[Sequenced], dict[Key, str], dict[Key, str], bool]:
    """The fields of the records of some lists, each with what it is aligned by, hints on their names, and whether there are headers."""
    told: list[list[Told]] = []
    sure: dict[Key, str] = {}
    likely: dict[Key, str] = {}
    has_headers = False
    for region in regions:
        headers = header_cells(region.page, int(region.candidate.heads[-1]))
        has_headers = has_headers or any(headers.values())
        hints = Hints(region.page, region.paths, headers)
        own = [region.paths.told(fields) for fields in region.fields]
        for record, fields in zip(own, region.fields, strict=True):
            for (key, *_), field in zip(record, fields, strict=True):
                if key not in sure:
                    sure[key] = hints.sure(field, key.said)
                    likely[key] = hints.likely(field) if field.kind == "text" else ""
        told += own
    records = said_by_words(told, known)
    for key in {key for record in records for key, _ in record}:
        for of in (sure, likely):
            of.setdefault(key, next((of[each] for each in (key._replace(said=""),) if each in of), ""))
    return records, sure, likely, has_headers


def _repeated(keys: Sequence[Key], values: Sequence[Row], names: Sequence[str], fixed: Collection[int]) -> set[int]:
    """Columns of links and images that repeat another in every record that has them. Of columns with as many values the first stays whose
    words have a name, else the first; one of links that all have the same words goes. ``names``: of texts; ``fixed``: columns that stay."""
    first: dict[int, int] = {}  # the first record that has a column
    for place, (key, own) in enumerate(zip(keys, values, strict=True)):
        if len(set(own)) > 1 and key.kind != "text":
            first[place] = next(k for k, value in enumerate(own) if value is not None)

    def rank(place: int) -> tuple[bool, int, bool, bool, int]:
        text = text_of_link(keys, place) if keys[place].kind == "link" else -1
        is_of_same_words = text >= 0 and is_constant(values[text])
        return place not in fixed, values[place].count(None), is_of_same_words, text < 0 or not names[text], place

    found = set()
    begun: dict[tuple[Kind, int, str | None], list[Row]] = {}  # columns that stay, by a value of them
    for place in sorted(first, key=rank):
        own = values[place]
        like = begun.get((keys[place].kind, first[place], own[first[place]]), [])
        if place not in fixed and any(all(value in (None, same) for value, same in zip(own, other, strict=True)) for other in like):
            found.add(place)
            continue
        for row in set(first.values()):
            same = begun.setdefault((keys[place].kind, row, own[row]), [])
            same += [own] * (len(same) < MAX_DOUBLES)
    return found


def _actions(keys: Sequence[Key], types: Sequence[ValueType], values: Sequence[Row], doubles: Collection[int]) -> set[int]:
    """Columns of the words of a button or a link that every record repeats (``Read more``): a link with other targets is named by them."""
    links = {text_of_link(keys, place): place for place, key in enumerate(keys) if key.kind == "link"}

    def is_said_elsewhere(place: int) -> bool:
        link = links.get(place, -1)
        return keys[place].tags.endswith("button") or link in doubles or (link >= 0 and len(set(values[link])) > 1)

    texts = (place for place, key in enumerate(keys) if key.kind == "text" and types[place] == "text")
    return {place for place in texts if is_constant(values[place]) and is_said_elsewhere(place)}


def _labels_of_links(keys: Sequence[Key], values: Sequence[Row], names: Sequence[str]) -> dict[int, int]:
    """Columns without a name that hold the same words wherever a record has a link or a ``time`` right after them in the same parent
    (``by``, ``Posted in``), and the columns of these."""
    texts = [place for place, key in enumerate(keys) if key.kind == "text"]
    found = {}
    for place, after in pairwise(texts):
        parent = keys[place].path.rpartition("/")[0]
        is_before, is_after = (keys[each].tags.rpartition("/")[2] in _SELF_CONTAINED for each in (place, after))
        if parent and is_after and not is_before and not names[place] and keys[after].path.startswith(f"{parent}/"):
            words = tuple(word for word, value in zip(values[place], values[after], strict=True) if value)
            if is_constant(words) and sum(map(bool, values[place])) == len(words):
                found[place] = after
    return found


def _of_sheets(regions: Sequence[Region], sheets: Sequence[dict[int, Sheet]], known: Sequence[Column]) -> Table:
    """The rows of tables of data under their columns, which tables with the same headers share; targets and sources come last."""
    names: dict[Key, str] = {_key_of(column): column.name for column in known}
    by_name = {(column.name, column.kind): _key_of(column) for column in known}
    by_path = {(column.path, column.kind): _key_of(column) for column in known}
    rows: list[dict[Key, str | None]] = []
    for region, own in zip(regions, sheets, strict=True):
        columns: dict[int, list[list[Key]]] = {}  # of each table, by place and kind
        cells = {table: cells_of(region.page, sheet, region.base) for table, sheet in own.items()}
        for head in region.candidate.heads.tolist():
            sheet = own[node := int(region.page.table_of[head])]
            if node not in columns:
                columns[node] = []
                for place, word in zip(sheet.columns, _header_names(region, sheet), strict=True):
                    columns[node].append([])
                    for kind in get_args(Kind):
                        path = f"{CELL}{place + 1}"
                        name = word if kind == "text" else f"{word} {kind}".strip()
                        bare = by_path.get((path, kind), Key(kind, path, path))
                        key = by_name.setdefault((name, kind), Key(kind, path, path, word)) if word else bare
                        names.setdefault(key, name)
                        columns[node][-1].append(key)
            row = [(own_keys, cells[node][cell]) for own_keys, cell in zip(columns[node], sheet.rows[head], strict=True) if cell >= 0]
            rows.append({key: value for own_keys, cell in row for key, value in zip(own_keys, cell, strict=True) if value})
    filled = set(chain.from_iterable(rows))
    keys = [key for k, key in enumerate(names) if k < len(known) or key in filled]
    values = [tuple(row.get(key) for row in rows) for key in keys]
    types = _types(keys, values)
    said = [names[key] or ("" if type == "text" else type) for key, type in zip(keys, types, strict=True)]
    return _table_of_columns(keys, values, types, said, range(len(keys)), dict(enumerate(known)))


def _header_names(region: Region, sheet: Sheet) -> list[str]:
    """The names of the columns of a table of data, equal ones told apart; empty for none."""
    found = sheet.names
    if not any(found):
        heads = header_cells(region.page, int(region.candidate.heads[-1]))
        found = [heads.get(place, "") for place in sheet.columns]
    said = iter(numbered(filter(None, map(words_of, found))))
    return [next(said) if words_of(name) else "" for name in found]


def align(records: Sequence[Sequenced], columns: Sequence[Key] = ()) -> tuple[list[Key], tuple[Row, ...]]:
    """Return the columns of records, after the columns of a saved wrapper, and the values of each record under them."""
    records = _joined_fields(records, columns)
    keys = list(columns)
    known = [True] * len(keys)
    shapes = Counter(tuple(key for key, _ in record) for record in records)
    budget = MAX_WORK
    for shape in sorted(shapes, key=lambda shape: (-len(shape), -shapes[shape])):
        budget -= len(shape) * len(keys)
        _insert(shape, keys, known, exact=budget > 0)
    places = {}
    for shape in shapes:
        budget -= len(shape) * len(keys)
        places[shape] = _match(shape, keys, exact=budget > 0, all_fields=True)
    rows = [_row(record, places[tuple(key for key, _ in record)], keys) for record in records]
    used = [column for column in range(len(keys)) if known[column] or any(row[column] is not None for row in rows)]
    return [keys[column] for column in used], tuple(tuple(row[column] for column in used) for row in rows)


def _joined_fields(records: Sequence[Sequenced], columns: Sequence[Key]) -> list[Sequenced]:
    """Records with the fields of a list that have no column of their own as lines of the last one that has (:func:`_columns_of_lists`)."""
    room = _columns_of_lists(records, columns)
    if not room:
        return list(records)
    found = []
    for record in records:
        values: dict[tuple[Key, int], list[str]] = {}
        seen: Counter[Key] = Counter()
        for place, (key, value) in enumerate(record):
            seen[key] += 1
            values.setdefault((key, min(seen[key], room[key]) if key in room else -place), []).append(value)
        found.append(tuple((key, "\n".join(lines)) for (key, _), lines in values.items()))
    return found


def _columns_of_lists(records: Sequence[Sequenced], columns: Sequence[Key]) -> dict[Key, int]:
    """Return the keys whose fields are a list, and the number of columns of each. A key has a list if a record has more than
    :data:`MAX_REPEATS` fields, or if fewer than half of the records have as many as the longest: links, images, paragraphs, and other words
    if half of the first ones are later ones elsewhere. All fields of a list share one column (tags). But links and images get as many
    columns as each record has (title, author, others) if no first one is a later one elsewhere. ``columns``: of a wrapper, which has
    decided."""
    values: dict[Key, list[list[str]]] = {}
    for record in records:
        own: dict[Key, list[str]] = {}
        for key, value in record:
            own.setdefault(key, []).append(value)
        for key, lines in own.items():
            values.setdefault(key, []).append(lines)
    found = {}
    for key, each in values.items():
        counts = [*map(len, each)]
        most, known = max(counts), columns.count(key)
        if known and known < most:
            found[key] = known
        elif most > MAX_REPEATS:
            found[key] = 1
        elif not known and most > 1 and 2 * counts.count(most) < len(counts):
            texts = [text for lines in each for text in lines]
            later = {text for lines in each for text in lines[1:]}
            share = sum(lines[0] in later for lines in each) / len(each)
            is_of_words = key.kind == "text" and column_type(texts) == "text"
            is_long = key.kind == "text" and sum(map(len, texts)) >= RUNNING_TEXT * len(texts)
            if is_long or (is_of_words and share >= 0.5):
                found[key] = 1
            elif key.kind != "text" or (is_of_words and key.tags.endswith("/a")):
                found[key] = 1 if share else min(counts)
    return found


def _match(shape: tuple[Key, ...], keys: list[Key], *, exact: bool, all_fields: bool = False) -> list[int]:
    """The column of each field of a record, rising; -1 for none. ``all_fields``: as many as possible have one, whatever it weighs."""
    first = next((k for k, (field, column) in enumerate(zip(shape, keys, strict=False)) if field != column), min(len(shape), len(keys)))
    if first == len(shape):
        return list(range(first))
    most = min(len(shape), len(keys)) - first
    last = next((k for k in range(most) if shape[-1 - k] != keys[-1 - k]), most)
    inner = _best_match(shape, keys, SAID * len(shape) if all_fields else 0, first, last) if exact else [-1] * (len(shape) - first - last)
    ends = range(len(keys) - last, len(keys))
    return _out_of_order(shape, keys, [*range(first), *inner, *ends], all_fields=all_fields or not exact)


def _out_of_order(shape: tuple[Key, ...], keys: list[Key], found: list[int], *, all_fields: bool) -> list[int]:
    """Return the column of each field, including fields that other records have elsewhere: the only column with the same words of the page,
    or with the same path. ``all_fields``: the first of several, too."""
    lost = [place for place, column in enumerate(found) if column < 0]
    if not lost:
        return found

    def names(key: Key) -> list[tuple[Kind, str, str]]:
        return [(key.kind, "", key.said)] * bool(key.said) + [(key.kind, key.path, key.said)]

    columns: dict[tuple[Kind, str, str], list[int]] = {}
    for column, key in enumerate(keys):
        for name in names(key):
            columns.setdefault(name, []).append(column)
    fields = Counter(name for key in shape for name in names(key))
    for place in lost:
        for name in names(shape[place]):
            own = columns.get(name, [])
            if found[place] < 0 and (all_fields or len(own) == 1 == fields[name]):
                found[place] = next((column for column in own if column not in found), -1)
    return found


def _weights(shape: Sequence[Key], keys: Sequence[Key], each: int = 0, first: int = 0, last: int = 0) -> list[list[int]]:
    """Return the weight of each pair of field and column; 0 if the field cannot be in the column. ``each``: added to every match. Without
    it, a field of other class names than the column's is in it only if there is no column of the field's own, and the record has none of
    the column's. ``first``, ``last``: how many fields and columns at the ends are left out."""
    fields, columns = ({(key.kind, key.path) for key in some} for some in (shape, keys))
    inner = keys[first : len(keys) - last]
    known = [(key, *_loose(key), (key.kind, key.path) not in fields) for key in inner]
    found = []
    for key in shape[first : len(shape) - last]:
        kind, path, bare, said = key
        is_strange = (kind, path) not in columns
        tags, end = _loose(key)
        row = []
        for column, own_tags, own_end, is_free in known:
            weight = 0
            if kind != column.kind or (said != column.said and said and column.said):
                pass
            elif said and said == column.said:
                weight = each + SAID
            elif path == column.path:
                weight = each + 3 - (said != column.said)
            elif is_strange and is_free and end and end == own_end:
                weight = each + 2
            elif (is_strange and is_free and tags == own_tags) or (each and bare == column.tags):
                weight = each + 1
            row.append(weight)
        found.append(row)
    return found


@cache
def _loose(key: Key) -> tuple[str, str]:
    """Return what fields of one column share where some records have it elsewhere: the tags of the path, and the path from its last class
    name on (may be empty). A text may be a link in one record and not in another."""
    tags, steps = ([step for step in path.split("/") if step != "a"] for path in (key.tags, key.path))
    named = max((place for place, step in enumerate(steps) if "." in step), default=len(steps))
    return "/".join(tags), "/".join(steps[named:])


def _best_match(shape: tuple[Key, ...], keys: list[Key], each: int = 0, first: int = 0, last: int = 0) -> list[int]:
    """Return the order-keeping match of the greatest weight, by dynamic programming. The ``first`` and ``last`` fields and columns are
    equal and left out: matching them is never worse."""
    height, width = len(shape) - first - last, len(keys) - first - last
    weights = _weights(shape, keys, each, first, last)
    best = [[0] * (width + 1) for _ in range(height + 1)]
    for i in range(height - 1, -1, -1):
        row, below, own = best[i], best[i + 1], weights[i]
        for j in range(width - 1, -1, -1):
            value = below[j] if below[j] > row[j + 1] else row[j + 1]
            if own[j] and below[j + 1] + own[j] > value:
                value = below[j + 1] + own[j]
            row[j] = value
    found, j = [], 0
    for i, own in enumerate(weights):
        while j < width and best[i][j] == best[i][j + 1] and not (own[j] and best[i][j] == best[i + 1][j + 1] + own[j]):
            j += 1
        if j < width and own[j] and best[i][j] == best[i + 1][j + 1] + own[j]:
            found.append(first + j)
            j += 1
        else:
            found.append(-1)
    return found


def _insert(shape: tuple[Key, ...], keys: list[Key], known: list[bool], *, exact: bool) -> None:
    """Give every field of a record that has no column one, next to its neighbours. ``known``: which columns there were before."""
    columns = _match(shape, keys, exact=exact)
    after = -1
    shift = 0
    for field, column in zip(shape, columns, strict=True):
        if column >= 0:
            after = max(column + shift, after)
        elif len(keys) < MAX_COLUMNS:
            after += 1
            keys.insert(after, field)
            known.insert(after, False)
            shift += 1


def _row(record: Sequenced, places: list[int], keys: list[Key]) -> Row:
    """The values of a record under the columns; one without a column joins the nearest of its kind before it, a line each."""
    row: list[str | None] = [None] * len(keys)
    last: dict[Kind, int] = {}
    for (key, value), column in zip(record, places, strict=True):
        if column < 0 and (column := last.get(key.kind, -1)) < 0:
            continue
        before = row[column]
        row[column] = value if before is None else f"{before}\n{value}"
        last[key.kind] = column
    return tuple(row)
