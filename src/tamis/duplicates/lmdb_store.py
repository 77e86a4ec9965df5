"""A store on disk, in LMDB: memory-mapped, with transactions that survive the death of the process, and readers beside a writer.

Each segment of postings is one value, searched in place; rows are in blocks. LMDB has no checksums, so a checksum of the file is kept
beside it while nobody writes, and compared on opening, up to :data:`MAX_CHECKED` bytes."""

# ruff: noqa: D102  # methods of a store are documented in Store

from __future__ import annotations

import json
import struct
import zlib
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import asdict
from hashlib import blake2b
from pathlib import Path
from typing import Any
from unicodedata import unidata_version

import numpy as np
from numpy.typing import NDArray

from tamis.duplicates.candidates import merge_plan, merged
from tamis.duplicates.rule import DuplicateRule
from tamis.duplicates.signature import Hashes, Signature
from tamis.duplicates.spool import from_bytes, shingles_of, to_bytes
from tamis.duplicates.store import Fate, Row, Segments, Store, Table
from tamis.errors import ModelError, UsageError, needs_extra
from tamis.io.plain import made

FORMAT = 6  #: Version of what is written; another one is refused.

MAX_CHECKED = 1 << 28
"""Bytes of a file up to which its checksum is made and compared; it takes a tenth of a second, or reading the file from the disk."""
_TABLES = ("rows", "gone", "fates", "digests", "addresses", "segments", "meta")
_NUMBER = struct.Struct(">Q")
_BLOCK = 1 << 20  #: Bytes from which on a block of rows is full.
_FIRST_SIZE = 1 << 28
_ROOM = 1 << 29  #: Bytes that a batch may need besides its own: the largest merge, and the pages that are copied.


class LmdbStore(Store):
    """A store in a folder.

    Args:
        path: the folder; made where it is not there.
        rule: by which texts are compared; None: as the folder says, and by default in a new one.
        readonly: only read; several processes can, also while one writes.

    Raises:
        MissingExtraError: lmdb is not installed.
        ModelError: the folder holds no index, or one of another version.
        UsageError: the index was made with other settings.
    """

    def __init__(self, path: Path, rule: DuplicateRule | None = None, *, readonly: bool = False) -> None:
        with needs_extra("An index on disk", "dedup"):
            import lmdb
        if readonly and not (path / "data.mdb").exists():
            raise ModelError(f"no index in {path}; tamis dedup --index makes one")
        if path.exists() and not path.is_dir():
            raise ModelError(f"{path} is a file; an index is a folder")
        if path.is_dir() and not (path / "data.mdb").exists() and any(path.iterdir()):
            raise ModelError(f"{path} holds other files and no index; an index needs a folder of its own")
        self.rows_are_longer = False
        self._lmdb = lmdb
        self._transaction: Any = None
        path.parent.mkdir(parents=True, exist_ok=True)
        try:
            self._environment = lmdb.open(
                str(path), max_dbs=len(_TABLES), map_size=_FIRST_SIZE, readonly=readonly, max_readers=512, readahead=False
            )
            self._path, self._changed = path, False
            self._check_file()
            self._databases = {name: self._environment.open_db(name.encode(), create=not readonly) for name in _TABLES}
        except lmdb.Error as error:
            if "already open" in str(error):
                raise UsageError(f"the index in {path} is open in this process already: use that object, or close it first") from error
            raise ModelError(f"{path} holds no index that can be read: {error}") from error
        self.rule = self._agreed(rule, readonly)

    @property
    def rows(self) -> int:
        cursor = self._cursor("rows")
        return _number_of(cursor.key()) + _number_of(cursor.value()) if cursor.last() else 0

    @property
    def documents(self) -> int:
        with self.reading():
            return int(self._transaction.stat(self._databases["fates"])["entries"])

    @contextmanager
    def reading(self) -> Iterator[None]:
        with self._within(write=False):
            yield

    @contextmanager
    def writing(self) -> Iterator[None]:
        self._make_room()
        with self._within(write=True):
            self._checksum_file.unlink(missing_ok=True)
            self._changed = True
            yield

    def signature(self, row: int) -> Signature | None:
        data = self._record(row)
        return None if data is None else from_bytes(data, self.rule.signature)[0]

    def shingles(self, row: int) -> Hashes | None:
        data = self._record(row)
        return None if data is None else shingles_of(data)

    def row(self, row: int) -> Row:
        data = self._record(row)
        if data is None:
            raise KeyError(row)
        _, end = from_bytes(data, self.rule.signature)
        return Row(*json.loads(bytes(data[end:])))

    def close(self) -> None:
        if self._changed and (self._path / "data.mdb").stat().st_size <= MAX_CHECKED:
            with self._environment.begin(write=True), suppress(OSError):  # nobody else writes meanwhile
                new = self._checksum_file.with_suffix(".new")
                new.write_text(self._checksum())
                new.replace(self._checksum_file)
        self._changed = False
        self._environment.close()

    @property
    def _checksum_file(self) -> Path:
        return self._path / "checksum"

    def _checksum(self) -> str:
        checksum = 0
        with (self._path / "data.mdb").open("rb") as stream:
            while part := stream.read(1 << 20):
                checksum = zlib.crc32(part, checksum)
        return f"{checksum:08x}"

    def _check_file(self) -> None:
        """Refuse a file that is shorter or other than what was written: reading it would end the process, or give other matches."""
        written = (self._environment.info()["last_pgno"] + 1) * self._environment.stat()["psize"]
        size = (self._path / "data.mdb").stat().st_size
        trouble = "its file was cut off" if size < written else ""
        with suppress(FileNotFoundError):
            noted = self._checksum_file.read_bytes()
            if not trouble and size <= MAX_CHECKED and noted != self._checksum().encode() and self._checksum_file.read_bytes() == noted:
                trouble = "its file is not what was written"
        if trouble:
            self._environment.close()
            raise ModelError(f"the index in {self._path} is damaged: {trouble}; restore it, or build it again from the texts")

    def _agreed(self, rule: DuplicateRule | None, readonly: bool) -> DuplicateRule:
        """Return the rule, which is that of the folder where it has one."""
        with self._within(write=not readonly):
            data = self._read("meta", b"about")
            if data is None:
                rule = rule or DuplicateRule()
                about = {"format": FORMAT, "unicode": unidata_version, "rule": asdict(rule)}
                if not readonly:
                    self._write("meta", b"about", json.dumps(about).encode())
                return rule
            about = json.loads(bytes(data))
        if about["format"] != FORMAT:
            raise ModelError(f"the index in {self._path} has format {about['format']}; this tamis reads {FORMAT}")
        if about["unicode"] != unidata_version:
            made_with = f"Unicode {about['unicode']}, this Python has {unidata_version}"
            raise ModelError(f"the index in {self._path} was made with {made_with}; make it anew")
        its_own = made(DuplicateRule, about["rule"], f"the index in {self._path}")
        if rule is not None and rule != its_own:
            raise UsageError(
                f"the index in {self._path} was made by another rule (threshold, parts): leave the rule out, or name a new folder"
            )
        return its_own

    @contextmanager
    def _within(self, *, write: bool) -> Iterator[None]:
        if self._transaction is not None:
            yield
            return
        try:
            transaction = self._environment.begin(write=write, buffers=True)
        except self._lmdb.MapResizedError:  # another process has made it larger
            self._environment.set_mapsize(0)
            transaction = self._environment.begin(write=write, buffers=True)
        damage = (self._lmdb.CorruptedError, self._lmdb.PageNotFoundError, self._lmdb.PanicError, struct.error, UnicodeDecodeError)
        try:
            with transaction:
                self._transaction = transaction
                yield
        except damage as error:
            message = f"the index in {self._path} is damaged ({error}); restore it, or build it again from the texts"
            raise ModelError(message) from error
        except self._lmdb.Error as error:
            raise ModelError(f"cannot write the index in {self._path}: {error}; is the disk full?") from error
        finally:
            self._transaction = None

    def _make_room(self) -> None:
        """Grow the map where it is small, and map it anew, which frees the pages read: neither can be done within a transaction."""
        if self._transaction is None:
            about = self._environment.info()
            used = (about["last_pgno"] + 1) * self._environment.stat()["psize"]
            size = about["map_size"]
            self._environment.set_mapsize(size if size - used >= _ROOM else max(2 * size, used + 2 * _ROOM))

    def _add_rows(self, first: int, rows: Sequence[tuple[Row, Signature]]) -> None:
        """Write rows in blocks: how many they are, where each ends, and the rows."""
        block: list[bytes] = []
        size = 0
        for number, (row, signature) in enumerate(rows, first + 1):
            record = to_bytes(signature) + json.dumps([row.id, row.url, row.address]).encode()
            block.append(record + b" " * (-len(record) % _NUMBER.size))  # the next one begins where numbers may
            size += len(block[-1])
            if size >= _BLOCK or number == first + len(rows):
                ends = np.cumsum([len(record) for record in block]).astype(">u8").tobytes()
                self._write("rows", _NUMBER.pack(number - len(block)), b"".join((_NUMBER.pack(len(block)), ends, *block)))
                block, size = [], 0

    def _record(self, row: int) -> memoryview | None:
        """Return the bytes of a row, where they lie; None if it was replaced."""
        key = _NUMBER.pack(row)
        if self._read("gone", key) is not None:
            return None
        cursor = self._cursor("rows")
        if not (cursor.set_range(key) and bytes(cursor.key()) == key) and not (cursor.prev() if cursor.key() else cursor.last()):
            raise KeyError(row)
        block: memoryview = cursor.value()
        place, head = row - _number_of(cursor.key()), _NUMBER.size * (1 + _number_of(block))
        start = _number_of(block[_NUMBER.size * place :]) if place else 0
        return block[head + start : head + _number_of(block[_NUMBER.size * (place + 1) :])]

    def _segments(self, kind: Segments) -> list[NDArray[Any]]:
        numbers = "<u8" if kind in ("every", "rarest") else "<u4"
        return [np.require(np.frombuffer(value, dtype=numbers), requirements="A") for _, value in self._stored_segments(kind)]

    def _stored_segments(self, kind: Segments) -> list[tuple[bytes, memoryview]]:
        cursor = self._cursor("segments")
        found = []
        if cursor.set_range(prefix := kind[:1].encode()):
            for key, value in cursor:
                if bytes(key[:1]) != prefix:
                    break
                found.append((bytes(key), value))
        return found

    def _append(self, kind: Segments, new: NDArray[Any]) -> None:
        """A further segment, merged with those before it."""
        stored = self._stored_segments(kind)
        little = new.dtype.newbyteorder("<")
        count = merge_plan([*(len(value) // little.itemsize for _, value in stored), len(new)])
        old = stored[len(stored) - count + 1 :] if count else []
        whole = merged([*(np.frombuffer(value, dtype=little) for _, value in old), new]) if old else new
        number = _NUMBER.unpack(stored[-1][0][1:])[0] + 1 if stored else 0
        for key, _ in old:
            self._transaction.delete(key, db=self._databases["segments"])
        self._write("segments", old[0][0] if old else kind[:1].encode() + _NUMBER.pack(number), whole.astype(little, copy=False).tobytes())

    def _cursor(self, table: str) -> Any:
        return self._transaction.cursor(db=self._databases[table])

    def _read(self, table: str, key: bytes) -> Any:
        return self._transaction.get(key, db=self._databases[table])

    def _write(self, table: str, key: bytes, value: bytes) -> None:
        self._transaction.put(key, value, db=self._databases[table])

    def _get(self, table: Table, key: Any) -> Any:
        data = self._read(table, _bounded_key(key))
        if data is None or table != "fates":
            return None if data is None else _number_of(data)
        status, digest, row, member = json.loads(bytes(data))
        return Fate(status, bytes.fromhex(digest), row, member)

    def _put(self, table: Table, key: Any, value: Any) -> None:
        if isinstance(value, Fate):
            data = json.dumps([value.status, value.digest.hex(), value.row, value.member]).encode()
        else:
            data = _NUMBER.pack(value)
        self._write(table, _bounded_key(key), data)

    def _delete(self, table: Table, key: Any) -> None:
        self._transaction.delete(_bounded_key(key), db=self._databases[table])

    def _drop(self, row: int) -> None:
        self._write("gone", _NUMBER.pack(row), b"")


def _number_of(data: bytes | memoryview) -> int:
    return int(_NUMBER.unpack_from(data)[0])


def _bounded_key(key: str | bytes) -> bytes:
    """Return a key of bounded length; a digest is one."""
    return key if isinstance(key, bytes) else blake2b(key.encode("utf-8", "surrogatepass"), digest_size=16).digest()
