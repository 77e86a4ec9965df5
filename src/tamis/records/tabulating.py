"""together: the records of lists under common columns."""

from __future__ import annotations

from collections import deque
from collections.abc import Sequence
from dataclasses import replace
from itertools import islice
from typing import TYPE_CHECKING, get_args

from tamis.records.alignment import Key, Sequenced, align
from tamis.records.columns import PathReader, actions, repeated, united
from tamis.records.data_tables import CELL, Sheet, cells_of, header_cells, plain_sheets
from tamis.records.fields import Kind
from tamis.records.labels import Told, said_by_words
from tamis.records.names import UNTOLD, Namer, by_labels, with_kind, word_of
from tamis.records.table import Column, Table, numbered
from tamis.records.values import ValueType, column_type

if TYPE_CHECKING:
    from tamis.records.finding import Region
    from tamis.records.wrapper import Wrapper


def together(regions: Sequence[Region]) -> Table:
    """The records of lists on several pages, in order, under common columns. Columns of a wrapper come first; lists that the wrappers of
    several layouts found share the columns of one name."""
    of_layout: dict[Wrapper | None, list[Region]] = {}
    for region in regions:
        of_layout.setdefault(region.wrapper, []).append(region)
    tables = {wrapper: _of_one_layout(own, wrapper) for wrapper, own in of_layout.items()}
    if len(tables) == 1:
        return next(iter(tables.values()))
    columns: dict[tuple[str, str], Column] = {}
    for table in tables.values():
        for column in table.columns:
            columns.setdefault((column.name, column.kind), column)
    left = {wrapper: iter(table.rows) for wrapper, table in tables.items()}
    rows = []
    for region in regions:
        own = {(column.name, column.kind): k for k, column in enumerate(tables[region.wrapper].columns)}
        rows += [tuple(row[own[each]] if each in own else None for each in columns) for row in islice(left[region.wrapper], len(region))]
    types = [column_type(row[k] for row in rows) if kind == "text" else "text" for k, (_, kind) in enumerate(columns)]
    named = zip(columns.values(), numbered(name for name, _ in columns), types, strict=True)
    return Table(tuple(replace(column, name=name, type=type) for column, name, type in named), tuple(rows))


def _of_one_layout(regions: Sequence[Region], wrapper: Wrapper | None) -> Table:
    """The records of lists under the columns of their wrapper, and others between them."""
    known = wrapper.columns if wrapper is not None else ()
    if all(column.path.startswith(CELL) for column in known):
        sheets = [None if region.candidate.run else plain_sheets(region.page, region.candidate.heads) for region in regions]
        if all(each is not None for each in sheets):
            return _of_sheets(regions, [each or {} for each in sheets], known)
    keys_known = [Key(column.kind, column.path, column.tags, column.said) for column in known]
    records, names_of = _read(regions, {key.said for key in keys_known} - {""})
    keys, rows = align(records, keys_known)
    left = deque(keys_known)
    own = [place for place, key in enumerate(keys) if left and left[0] == key and left.popleft()]
    values = list(zip(*rows, strict=True)) if rows else [()] * len(keys)
    names = [names_of.get(key, "") for key in keys]
    for rest, other in united(names, values, own).items():
        values[other] = tuple(b if a is None else a for a, b in zip(values[other], values[rest], strict=True))
        values[rest] = ()
    names = by_labels(names, [key.kind for key in keys], values)
    types: list[ValueType] = [column_type(values[k]) if key.kind == "text" else "text" for k, key in enumerate(keys)]
    doubles = repeated(names, keys, types, values, own)
    labels = actions(names, keys, values, doubles)
    for words, link in labels.items():
        if link >= 0:
            names[link] = with_kind(word_of(values[words][0] or ""), "link")
    others = [k for k in range(len(keys)) if any(values[k]) and k not in {*own, *doubles, *labels}]
    for k in others:
        if types[k] in ("date", "price") and names[k] in UNTOLD:
            names[k] = types[k]
    name_at = dict(zip([*own, *others], numbered([*(column.name for column in known), *(names[k] for k in others)]), strict=True))
    kept = sorted(name_at)
    columns = tuple(Column(name_at[k], keys[k].kind, keys[k].path, types[k], keys[k].tags, keys[k].said) for k in kept)
    return Table(columns, tuple(zip(*(values[k] for k in kept), strict=True)) if kept and rows else rows)


def _of_sheets(regions: Sequence[Region], sheets: Sequence[dict[int, Sheet]], known: Sequence[Column]) -> Table:
    """The rows of tables of data under their columns, which tables with the same headers share; targets and sources come last."""
    columns: dict[Key, str] = {Key(column.kind, column.path, column.tags, column.said): column.name for column in known}
    names_of = {(column.name, column.kind): Key(column.kind, column.path, column.tags, column.said) for column in known}
    rows: list[dict[Key, str | None]] = []
    for region, own in zip(regions, sheets, strict=True):
        words = {node: _words(region, sheet) for node, sheet in own.items()}
        for head in region.candidate.heads.tolist():
            node = int(region.page.table_of[head])
            row: dict[Key, str | None] = {}
            for k, cell in enumerate(cells_of(region.page, own[node], head, region.base)):
                for kind, value in zip(get_args(Kind), cell, strict=True):
                    path = f"{CELL}{own[node].columns[k] + 1}"
                    name = with_kind(words[node][k] or "text", kind)
                    key = names_of.get((name, kind), Key(kind, path, path)) if words[node][k] else Key(kind, path, path)
                    columns.setdefault(key, name)
                    names_of.setdefault((name, kind), key)
                    row[key] = value or None
            rows.append(row)
    kinds = get_args(Kind)
    order = [*columns][: len(known)] + sorted([*columns][len(known) :], key=lambda key: kinds.index(key.kind))
    values = {key: tuple(row.get(key) for row in rows) for key in order}
    kept = [key for k, key in enumerate(order) if k < len(known) or any(values[key])]
    types: list[ValueType] = [column_type(values[key]) if key.kind == "text" else "text" for key in kept]
    said = [type if type in ("date", "price") and columns[key] in UNTOLD else columns[key] for key, type in zip(kept, types, strict=True)]
    named = zip(numbered(said), kept, types, strict=True)
    found = tuple(Column(name, key.kind, key.path, type, key.tags) for name, key, type in named)
    return Table(found, tuple(zip(*(values[key] for key in kept), strict=True)))


def _words(region: Region, sheet: Sheet) -> list[str]:
    """The names of the columns of a table of data, equal ones told apart; empty for none."""
    found = sheet.names
    if not any(found):
        heads = header_cells(region.page, int(region.candidate.heads[-1]))
        found = [heads.get(place, "") for place in sheet.columns]
    said = iter(numbered(word for name in found if (word := word_of(name))))
    return [next(said) if word_of(name) else "" for name in found]


def _read(regions: Sequence[Region], known: set[str]) -> tuple[list[Sequenced], dict[Key, str]]:
    """The fields of the records of some lists, each with what it is aligned by, and names for these."""
    told: list[list[Told]] = []
    names: dict[Key, str] = {}
    for region in regions:
        paths = PathReader(region.page, run=region.candidate.run)
        namer = Namer(region.page, region.candidate.spans.tolist(), header_cells(region.page, int(region.candidate.heads[-1])))
        for record in region.fields:
            keys = [paths.key(each) for each in record]
            for key, each in zip(keys, record, strict=True):
                if key not in names:
                    names[key] = namer.name(each, paths.steps(each))
            icons = [paths.icon(each) for each in record]
            told.append([Told(*each) for each in zip(keys, (each.value for each in record), icons, strict=True)])
    records = said_by_words(told, known)
    for own in records:
        for key, _ in own:
            if key not in names:
                label = key.said.partition(":")
                names[key] = with_kind(word_of(label[2]), key.kind) if label[0] == "label" else names.get(key._replace(said=""), "")
    return records, names
