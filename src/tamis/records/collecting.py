"""The records of many pages: a table for each layout of their list, with rows in a temporary file."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from tamis.io.temporary import TemporaryStore
from tamis.io.writing import as_line
from tamis.records.columns import align_records
from tamis.records.finding import Region
from tamis.records.table import Column, Kind, Row, Table, numbered
from tamis.records.wrapper import Wrapper

TOGETHER = 30  #: Pages whose records are aligned at a time.
MAX_NODES = 600_000  #: Nodes of pages whose records wait to be aligned.
_PAGE = ""  #: The name of the page among the values of a record.


class StoredRows(Sequence[Row]):
    """Rows in a file, as values by the names of columns. A row has nothing under the columns that came after it."""

    def __init__(self, store: TemporaryStore, numbers: range, names: Sequence[str]) -> None:
        self._store = store
        self._numbers = numbers
        self._names = names

    def __len__(self) -> int:
        return len(self._numbers)

    def __getitem__(self, place: Any) -> Any:
        found = self._numbers[place]
        return tuple(map(self._row, found)) if isinstance(place, slice) else self._row(found)

    def _row(self, number: int) -> Row:
        return tuple(map(json.loads(self._store.get(number)).get, self._names))


def stored(table: Table, store: TemporaryStore) -> Table:
    """Return a table whose rows are in a file."""
    for record in table.records():
        store.add(as_line(record))
    return replace(table, rows=StoredRows(store, range(len(store) - len(table), len(store)), table.names))


@dataclass(eq=False)
class LayoutRecords:
    """The records of the pages of one layout."""

    wrapper: Wrapper  #: With the columns of the wrapper, and others between them that the pages have shown up to now.
    rows: TemporaryStore = field(default_factory=TemporaryStore)
    pages: int = 0
    waiting: list[tuple[str, Region]] = field(default_factory=list)  #: Names of pages, and lists that are not aligned yet.

    def align(self) -> None:
        """Put the records that wait under columns. Types of columns are those that their first values show."""
        if not self.waiting:
            return
        table = align_records([replace(region, wrapper=self.wrapper) for _, region in self.waiting])
        known = {column.name: column for column in self.wrapper.columns} if len(self.rows) else {}
        self.wrapper = replace(self.wrapper, columns=tuple(known.get(column.name, column) for column in table.columns))
        names = (name for name, region in self.waiting for _ in range(len(region)))
        for name, record in zip(names, table.records(), strict=True):
            self.rows.add(as_line({_PAGE: name} | {key: value for key, value in record.items() if value is not None}))
        self.pages += len(self.waiting)
        self.waiting.clear()

    def table(self, *kinds: Kind) -> Table:
        """Return the records under the columns of some kinds, with the page in the first column."""
        self.align()
        columns = (Column(_PAGE), *Table(self.wrapper.columns).arranged().only(*kinds).columns)
        rows = StoredRows(self.rows, range(len(self.rows)), [column.name for column in columns])
        names = numbered(["page", *(column.name for column in columns[1:])])
        return Table(tuple(replace(column, name=name) for column, name in zip(columns, names, strict=True)), rows)


class PageRecords:
    """The records of many pages, by the layouts of their lists. Memory holds some pages at a time."""

    def __init__(self) -> None:
        self.layouts: dict[Wrapper, LayoutRecords] = {}

    def add(self, name: str, region: Region) -> None:
        """Take the list of a page, which was found by a wrapper."""
        wrapper = region.wrapper or region.to_wrapper()
        own = self.layouts.setdefault(wrapper, LayoutRecords(wrapper))
        own.waiting.append((name, region))
        if len(own.waiting) == TOGETHER or sum(len(each.page.tree) for _, each in own.waiting) > MAX_NODES:
            own.align()

    def close(self) -> None:
        """Delete the files of the rows."""
        for each in self.layouts.values():
            each.rows.close()
