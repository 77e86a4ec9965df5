"""Content of an index: rows (the texts that others are compared with), postings, and the fate of every id."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from tamis.duplicates.candidates import Postings, all_postings, batch, merge_plan, merged, rarest_postings
from tamis.duplicates.rule import DuplicateRule
from tamis.duplicates.signature import Hashes, Signature, SignatureSettings
from tamis.duplicates.spool import SignatureSpool


@dataclass(frozen=True, slots=True)
class Row:
    """A text that others are compared with."""

    id: str
    url: str | None
    address: str | None  #: The address in its canonical form.


@dataclass(frozen=True, slots=True)
class Fate:
    """The decision about a document."""

    status: Literal["kept", "removed", "left alone"]
    digest: bytes  #: Of its text.
    row: int | None = None  #: Row of the kept document.
    member: dict[str, Any] | None = None  #: Data of the removed document: the document that it copies, and why.


Table = Literal["digests", "addresses", "fates"]
Segments = Literal["every", "rarest", "sizes", "demands"]
"""Postings of all features and of those in the rarest passages; letters of each row, and its :attr:`Batch.demand`."""


class Store:
    """The content of an index, kept in memory.

    Args:
        settings: of the signatures.
        rows_are_longer: no text is longer than the rows it will be compared with: half of the postings are not needed.
    """

    def __init__(self, settings: SignatureSettings, *, rows_are_longer: bool = False) -> None:
        self.rows_are_longer = rows_are_longer
        self._signatures = SignatureSpool(settings)
        self._rows: list[Row | None] = []
        self._tables: dict[Table, dict[Any, Any]] = {"digests": {}, "addresses": {}, "fates": {}}
        self._parts: dict[Segments, list[NDArray[Any]]] = {"every": [], "rarest": [], "sizes": [], "demands": []}

    def row_of(self, table: Literal["digests", "addresses"], key: Any) -> int | None:
        """Return the row of the same text, by its digest, or of the same address."""
        row: int | None = self._get(table, key)
        return row

    def fate(self, id: str) -> Fate | None:
        """Return the fate of an id; None for an unknown one."""
        fate: Fate | None = self._get("fates", id)
        return fate

    def postings(self) -> Postings:
        """Return the postings of the rows."""
        rarest = None if self.rows_are_longer else self._segments("rarest")
        return Postings(self._segments("every"), rarest, self._segments("sizes"), self._segments("demands"))

    def searched(self) -> Iterator[Postings]:
        """Yield the postings in parts that are searched one after the other."""
        yield self.postings()

    def add(self, texts: Sequence[tuple[Row, Signature]], rule: DuplicateRule, fates: Iterable[tuple[str, Fate]] = ()) -> None:
        """Make texts rows, numbered on from those there are; those with enough text for the rule get postings. Note fates by id."""
        first = self.rows
        asked = batch([signature for _, signature in texts], rule)
        rows = np.arange(first, first + len(texts), dtype=np.int64)
        every = all_postings(asked, rows)
        new: dict[Segments, NDArray[Any]] = {"every": every, "sizes": asked.size, "demands": asked.demand}
        if not self.rows_are_longer:
            new["rarest"] = rarest_postings(asked, rows, [*self._segments("every"), every])
        for number, (row, signature) in enumerate(texts, first):
            if self.row_of("digests", signature.digest) is None:
                self._put("digests", signature.digest, number)
            if row.address is not None and self.row_of("addresses", row.address) is None:
                self._put("addresses", row.address, number)
        self._add_rows(first, texts)
        for kind, part in new.items():
            if len(part):
                self._append(kind, part)
        for id, fate in fates:
            self._put("fates", id, fate)

    def forget(self, id: str) -> None:
        """Take an id out, and its row with it."""
        fate = self.fate(id)
        if fate is None:
            return
        self._delete("fates", id)
        if fate.row is None:
            return
        row = self.row(fate.row)
        self._drop(fate.row)
        if self.row_of("digests", fate.digest) == fate.row:
            self._delete("digests", fate.digest)
        if row.address is not None and self.row_of("addresses", row.address) == fate.row:
            self._delete("addresses", row.address)

    @property
    def rows(self) -> int:
        """Number of rows, including replaced ones."""
        return len(self._rows)

    @property
    def documents(self) -> int:
        """Number of known ids."""
        return len(self._tables["fates"])

    @contextmanager
    def reading(self) -> Iterator[None]:
        """Open one consistent state for reading."""
        yield

    @contextmanager
    def writing(self) -> Iterator[None]:
        """Open one consistent state for changes, by one writer at a time; all changes are made at its end, or none."""
        yield

    def signature(self, row: int) -> Signature | None:
        """Return the signature of a row; None if it was replaced."""
        return None if self._rows[row] is None else self._signatures.get(row)

    def shingles(self, row: int) -> Hashes | None:
        """Return the shingles of a row; None if it was replaced."""
        return None if self._rows[row] is None else self._signatures.shingles(row)

    def row(self, row: int) -> Row:
        """Return a row that was not replaced."""
        found = self._rows[row]
        if found is None:
            raise KeyError(row)
        return found

    def close(self) -> None:
        """Let go of files."""
        self._signatures.close()

    def _get(self, table: Table, key: Any) -> Any:
        return self._tables[table].get(key)

    def _put(self, table: Table, key: Any, value: Any) -> None:
        self._tables[table][key] = value

    def _delete(self, table: Table, key: Any) -> None:
        del self._tables[table][key]

    def _add_rows(self, first: int, rows: Sequence[tuple[Row, Signature]]) -> None:
        for row, signature in rows:
            self._rows.append(row)
            self._signatures.add(signature)

    def _drop(self, row: int) -> None:
        self._rows[row] = None

    def _segments(self, kind: Segments) -> list[NDArray[Any]]:
        return self._parts[kind]

    def _append(self, kind: Segments, new: NDArray[Any]) -> None:
        parts = self._parts[kind]
        parts.append(new)
        if count := merge_plan([len(part) for part in parts]):
            parts[-count:] = [merged(parts[-count:])]
