"""Columns for the fields of many records: partial alignment of their leaf paths, the longest record first.

Source: partial tree alignment of Zhai and Liu (2005). The decisions are in ``docs/methods/records.md``.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import NamedTuple

from tamis.records.fields import Kind
from tamis.records.table import Row

MAX_COLUMNS = 300  #: Columns of a table; what would need more joins the nearest column of its kind.
MAX_REPEATS = 8
"""Fields at one path in one record that become columns; where a record has more, all of them share one column, a line each."""
SAID = 9  #: What it weighs if the page says the same of a field and a column; 3 if they have the same path.
MAX_WORK = 20_000_000  #: Cells of match tables; records of new shapes beyond it are matched first come, first served.


class Key(NamedTuple):
    """What fields of a column have in common."""

    kind: Kind
    path: str  #: Path below the record, tags with class names: ``h3.title/a``.
    tags: str  #: The same, tags only.
    said: str = ""  #: What the page says that the field is: a property, a label, an icon, a type; fields with other words share no column.


Sequenced = tuple[tuple[Key, str], ...]  #: The fields of a record in order: what each is by, and its value.


def align(records: Sequence[Sequenced], columns: Sequence[Key] = ()) -> tuple[list[Key], tuple[Row, ...]]:
    """The columns of records, after the columns of a saved wrapper, and the values of each record under them."""
    records = _joined(records)
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


def _joined(records: Sequence[Sequenced]) -> list[Sequenced]:
    """Records in which fields at one path, where a record has too many of them, are one field with a line each."""
    crowded: set[Key] = set()
    for record in records:
        crowded.update(key for key, count in Counter(key for key, _ in record).items() if count > MAX_REPEATS)
    if not crowded:
        return list(records)
    found = []
    for record in records:
        values: dict[tuple[Key, int], list[str]] = {}
        for place, (key, value) in enumerate(record):
            values.setdefault((key, -1 if key in crowded else place), []).append(value)
        found.append(tuple((key, "\n".join(lines)) for (key, _), lines in values.items()))
    return found


def _match(shape: tuple[Key, ...], keys: list[Key], *, exact: bool, all_fields: bool = False) -> list[int]:
    """The column of each field of a record, rising; -1 for none. ``all_fields``: as many as possible have one, whatever it weighs."""
    if list(shape) == keys[: len(shape)]:
        return list(range(len(shape)))
    found = _best_match(shape, keys, SAID * len(shape) if all_fields else 0) if exact else _first_match(shape, keys)
    return _with_said(shape, keys, found)


def _with_said(shape: tuple[Key, ...], keys: list[Key], found: list[int]) -> list[int]:
    """The columns of fields, with those of fields that stand elsewhere in other records: the only one of which the page says the same."""
    lost = [place for place, column in enumerate(found) if column < 0 and shape[place].said]
    if not lost:
        return found
    places: dict[tuple[Kind, str], list[int]] = {}
    for column, key in enumerate(keys):
        places.setdefault((key.kind, key.said), []).append(column)
    for place in lost:
        columns = places.get((shape[place].kind, shape[place].said), [])
        if len(columns) == 1 and columns[0] not in found:
            found[place] = columns[0]
    return found


def _weights(shape: Sequence[Key], keys: Sequence[Key], each: int = 0) -> list[list[int]]:
    """What it weighs if a field is in a column; 0 where it cannot be. ``each``: what every match weighs besides. Without it, a field of
    other class names than the column's is in it only if there is no column of the field's own, and the record has none of the column's."""
    fields, columns = ({(key.kind, key.path) for key in some} for some in (shape, keys))
    strange = [(key.kind, key.path) not in fields for key in keys]

    def is_alike(field: Key, column: Key) -> bool:
        name = field.path.rpartition("/")[2]
        return field.tags == column.tags or ("." in name and name == column.path.rpartition("/")[2])

    def weight(field: Key, column: Key, is_strange: bool) -> int:
        if field.kind != column.kind or (field.said and column.said and field.said != column.said):
            return 0
        if field.said and field.said == column.said:
            return each + SAID
        if field.path == column.path:
            return each + 3 - (field.said != column.said)
        is_free = is_strange and (field.kind, field.path) not in columns
        if each:
            return each + 1 if field.tags == column.tags or (is_free and is_alike(field, column)) else 0
        return int(is_free and is_alike(field, column))

    return [[weight(field, column, is_strange) for column, is_strange in zip(keys, strange, strict=True)] for field in shape]


def _best_match(shape: tuple[Key, ...], keys: list[Key], each: int = 0) -> list[int]:
    """The order-keeping match of the greatest weight, by dynamic programming."""
    weights = _weights(shape, keys, each)
    best = [[0] * (len(keys) + 1) for _ in range(len(shape) + 1)]
    for i in range(len(shape) - 1, -1, -1):
        row, below, own = best[i], best[i + 1], weights[i]
        for j in range(len(keys) - 1, -1, -1):
            value = max(below[j], row[j + 1])
            if own[j]:
                value = max(value, below[j + 1] + own[j])
            row[j] = value
    found, j = [], 0
    for i, own in enumerate(weights):
        column = -1
        while j < len(keys) and best[i][j] != best[i + 1][j]:
            j += 1
            if own[j - 1] and best[i][j - 1] == best[i + 1][j] + own[j - 1]:
                column = j - 1
                break
        found.append(column)
    return found


def _first_match(shape: tuple[Key, ...], keys: list[Key]) -> list[int]:
    """For each field in turn the next column of its path."""
    where: dict[Key, list[int]] = {}
    for column in range(len(keys) - 1, -1, -1):
        where.setdefault(keys[column], []).append(column)
    found, last = [], -1
    for field in shape:
        columns = where.get(field, [])
        while columns and columns[-1] <= last:
            columns.pop()
        found.append(last := columns.pop()) if columns else found.append(-1)
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
