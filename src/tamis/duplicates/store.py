"""What an index keeps: rows (the texts that others are compared with), postings, and what became of every id.

:class:`MemoryStore` forgets with the process, and keeps its signatures in a temporary file; :class:`tamis.duplicates.lmdb_store.LmdbStore`
remembers.
"""

# ruff: noqa: D102  # methods of a store are documented in Store

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass
from typing import Any, Literal, Protocol

import numpy as np

from tamis.duplicates.candidates import Postings
from tamis.duplicates.postings import Packed, merge_plan, merged
from tamis.duplicates.shingling import Hashes
from tamis.duplicates.signature import Signature, SignatureSettings
from tamis.duplicates.spool import Spool


@dataclass(frozen=True, slots=True)
class Row:
    """A text that others are compared with."""

    id: str
    url: str | None
    address: str | None
    """The address in its canonical form."""


@dataclass(frozen=True, slots=True)
class Fate:
    """What became of an id."""

    status: Literal["kept", "removed", "left alone"]
    digest: bytes
    """Of its text."""
    row: int | None = None
    """Where it was kept."""
    member: dict[str, Any] | None = None
    """Where it was removed: of which it is a copy, and why."""


@dataclass(frozen=True, slots=True)
class Changes:
    """What one batch changes."""

    rows: Sequence[tuple[Row, Signature]]
    every: Packed | None
    rarest: Packed | None
    size: Hashes
    """Letters of each row, as many as fit, uint32 ``(rows,)``."""
    demand: Hashes
    """:attr:`tamis.duplicates.candidates.Batch.demand` of each row, uint32 ``(rows,)``."""
    fates: Sequence[tuple[str, Fate]]
    """By id; the rows are numbered on from those there are."""


class Store(Protocol):
    """What an index keeps."""

    rows_are_longer: bool
    """No text is longer than the rows it will be compared with: half of the postings are not needed."""

    @property
    def rows(self) -> int:
        """How many rows there are, those that were replaced too."""
        ...

    @property
    def documents(self) -> int:
        """How many ids are known."""
        ...

    def reading(self) -> AbstractContextManager[None]:
        """One consistent state, as long as it lasts."""
        ...

    def writing(self) -> AbstractContextManager[None]:
        """One consistent state that may be changed, by one writer at a time; all changes are made at its end, or none."""
        ...

    def postings(self) -> Postings:
        """The postings of the rows."""
        ...

    def signature(self, row: int) -> Signature | None:
        """The signature of a row; None where it was replaced."""
        ...

    def shingles(self, row: int) -> Hashes | None:
        """The shingles of a row; None where it was replaced."""
        ...

    def row(self, row: int) -> Row:
        """A row that was not replaced."""
        ...

    def with_digest(self, digest: bytes) -> int | None:
        """The row of the same text."""
        ...

    def with_address(self, address: str) -> int | None:
        """The row of the same address."""
        ...

    def fate(self, id: str) -> Fate | None:
        """What became of an id; None where it was never seen."""
        ...

    def change(self, changes: Changes) -> None:
        """Make the changes."""
        ...

    def forget(self, id: str) -> None:
        """Take an id out, and its row with it."""
        ...

    def close(self) -> None:
        """Let go of files."""
        ...


class MemoryStore:
    """A store that goes with the process.

    Args:
        settings: of the signatures.
        rows_are_longer: no text is longer than the rows it will be compared with.
    """

    def __init__(self, settings: SignatureSettings, *, rows_are_longer: bool = False) -> None:
        self.rows_are_longer = rows_are_longer
        self._signatures = Spool(settings)
        self._rows: list[Row | None] = []
        self._digests: dict[bytes, int] = {}
        self._addresses: dict[str, int] = {}
        self._fates: dict[str, Fate] = {}
        self._every: list[Packed] = []
        self._rarest: list[Packed] = []
        self._sizes: list[Hashes] = []
        self._demands: list[Hashes] = []

    @property
    def rows(self) -> int:
        return len(self._rows)

    @property
    def documents(self) -> int:
        return len(self._fates)

    @contextmanager
    def reading(self) -> Iterator[None]:
        yield

    writing = reading

    def postings(self) -> Postings:
        return Postings(self._every, None if self.rows_are_longer else self._rarest, self._sizes, self._demands)

    def signature(self, row: int) -> Signature | None:
        return None if self._rows[row] is None else self._signatures.get(row)

    def shingles(self, row: int) -> Hashes | None:
        return None if self._rows[row] is None else self._signatures.shingles(row)

    def letters(self, row: int) -> int:
        """How many letters the text of a row has."""
        return int(self.postings().sizes(np.array([row]))[0])

    def row(self, row: int) -> Row:
        found = self._rows[row]
        if found is None:
            raise KeyError(row)
        return found

    def with_digest(self, digest: bytes) -> int | None:
        return self._digests.get(digest)

    def with_address(self, address: str) -> int | None:
        return self._addresses.get(address)

    def fate(self, id: str) -> Fate | None:
        return self._fates.get(id)

    def change(self, changes: Changes) -> None:
        for row, signature in changes.rows:
            number = len(self._rows)
            self._rows.append(row)
            self._signatures.add(signature)
            self._digests.setdefault(signature.digest, number)
            if row.address is not None:
                self._addresses.setdefault(row.address, number)
        for segments, new in ((self._every, changes.every), (self._rarest, changes.rarest)):
            if new is not None and len(new):
                segments.append(new)
                if count := merge_plan([len(segment) for segment in segments]):
                    segments[-count:] = [merged(segments[-count:])]
        for parts, more in ((self._sizes, changes.size), (self._demands, changes.demand)):
            parts.append(more)
            if count := merge_plan([len(part) for part in parts]):
                parts[-count:] = [np.concatenate(parts[-count:])]
        self._fates.update(changes.fates)

    def forget(self, id: str) -> None:
        fate = self._fates.pop(id, None)
        if fate is None or fate.row is None:
            return
        row = self.row(fate.row)
        self._rows[fate.row] = None
        if self._digests.get(fate.digest) == fate.row:
            del self._digests[fate.digest]
        if row.address is not None and self._addresses.get(row.address) == fate.row:
            del self._addresses[row.address]

    def close(self) -> None:
        self._signatures.close()
