"""The same postings in several embedded stores: seconds to build, milliseconds to ask, bytes. Needs lmdb, duckdb and pyarrow.

python scripts/compare_stores.py 200000
"""

from __future__ import annotations

import sqlite3
import struct
import sys
import tempfile
import time
from pathlib import Path

import lmdb
import numpy as np

from tamis.duplicates.postings import merge_plan, merged

BATCH, FEATURES = 1024, 75
LOW, SHIFT = np.uint64(0xFFFFFFFF), np.uint64(32)


def postings(documents: int) -> list[np.ndarray]:
    """Of random features, sorted, by batches of documents."""
    dice = np.random.default_rng(1)
    found = []
    for first in range(0, documents - BATCH + 1, BATCH):
        features = dice.integers(0, 2**30, BATCH * FEATURES, dtype=np.uint64)
        found.append(np.sort((features << SHIFT) | np.repeat(np.arange(first, first + BATCH, dtype=np.uint64), FEATURES)))
    return found


class Segments:
    """LMDB, sorted arrays as values, merged as they grow: what tamis does."""

    def __init__(self, path: str) -> None:
        self.environment, self.segments = lmdb.open(path, map_size=1 << 35), []

    def add(self, batch: np.ndarray) -> None:
        """In one transaction."""
        with self.environment.begin(write=True, buffers=True) as transaction:
            count = merge_plan([*(size for _, size in self.segments), len(batch)])
            old = [self.segments.pop() for _ in range(count - 1)] if count else []
            parts = [np.frombuffer(transaction.get(key), dtype="<u8") for key, _ in old]
            whole = merged([*parts, batch]) if parts else batch
            for key, _ in old:
                transaction.delete(key)
            key = struct.pack(">Q", len(self.segments))
            transaction.put(key, whole.tobytes())
            self.segments.append((key, len(whole)))

    def ask(self, features: np.ndarray) -> int:
        """How many postings there are."""
        with self.environment.begin(buffers=True) as transaction:
            parts = [np.frombuffer(transaction.get(key), dtype="<u8") for key, _ in self.segments]
            first, last = features << SHIFT, (features << SHIFT) | LOW
            return sum(int((np.searchsorted(part, last, "right") - np.searchsorted(part, first)).sum()) for part in parts)


class Duplicates:
    """LMDB, a duplicate value for each posting."""

    def __init__(self, path: str) -> None:
        self.environment = lmdb.open(path, map_size=1 << 35, max_dbs=1)
        self.table = self.environment.open_db(b"postings", dupsort=True, dupfixed=True)

    def add(self, batch: np.ndarray) -> None:
        """In one transaction."""
        pairs = [(int(posting >> SHIFT).to_bytes(4, "big"), int(posting & LOW).to_bytes(4, "big")) for posting in batch]
        with self.environment.begin(write=True, db=self.table) as transaction:
            transaction.cursor().putmulti(pairs)

    def ask(self, features: np.ndarray) -> int:
        """How many postings there are."""
        with self.environment.begin(db=self.table) as transaction:
            cursor = transaction.cursor()
            return sum(cursor.count() for feature in features.tolist() if cursor.set_key(feature.to_bytes(4, "big")))


class Sqlite:
    """SQLite, a row for each posting."""

    def __init__(self, path: str) -> None:
        self.connection = sqlite3.connect(f"{path}/postings.db")
        self.connection.execute("pragma journal_mode=wal")
        self.connection.execute("create table postings (feature integer, row integer, primary key (feature, row)) without rowid")

    def add(self, batch: np.ndarray) -> None:
        """In one transaction."""
        with self.connection:
            self.connection.executemany(
                "insert into postings values (?, ?)", zip((batch >> SHIFT).tolist(), (batch & LOW).tolist(), strict=True)
            )

    def ask(self, features: np.ndarray) -> int:
        """How many postings there are."""
        query = "select row from postings where feature = ?"
        return sum(len(self.connection.execute(query, (feature,)).fetchall()) for feature in features.tolist())


class DuckDb:
    """DuckDB, a row for each posting, and an index."""

    def __init__(self, path: str) -> None:
        import duckdb

        self.connection = duckdb.connect(f"{path}/postings.duckdb")
        self.connection.execute("set threads = 1")
        self.connection.execute("create table postings (feature uinteger, row uinteger)")
        self.connection.execute("create index by_feature on postings (feature)")

    def add(self, batch: np.ndarray) -> None:
        """In one transaction."""
        import pyarrow

        new = pyarrow.table({"feature": (batch >> SHIFT).astype(np.uint32), "row": (batch & LOW).astype(np.uint32)})
        self.connection.register("new", new)
        self.connection.execute("insert into postings select * from new")

    def ask(self, features: np.ndarray) -> int:
        """How many postings there are."""
        listed = ", ".join(map(str, features.tolist()))
        return len(self.connection.execute(f"select row from postings where feature in ({listed})").fetchall())


def main() -> None:
    """Print a line for each store."""
    batches = postings(int(sys.argv[1]) if len(sys.argv) > 1 else 20_000)
    questions = [np.unique(batch[::97] >> SHIFT)[:FEATURES] for batch in batches[:50]]
    for store in (Segments, Duplicates, Sqlite, DuckDb):
        with tempfile.TemporaryDirectory() as path:
            start = time.process_time()
            built = store(path)
            for batch in batches:
                built.add(batch)
            seconds, start = time.process_time() - start, time.process_time()
            found = sum(built.ask(question) for question in questions)
            each = (time.process_time() - start) / len(questions) * 1000
            size = sum(file.stat().st_blocks * 512 for file in Path(path).iterdir())
            print(f"{store.__name__:12} {seconds:7.1f} s  {each:7.2f} ms  {size >> 20:6} MB  {found} postings found", flush=True)


if __name__ == "__main__":
    main()
