"""The frontier: every address of a crawl and what became of it, in an SQLite file.

One transaction settles a page: its state, the lengths of the output files, and the addresses it links to. A killed process leaves the state
before or after a page, never between.
"""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Collection, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from enum import IntEnum
from hashlib import blake2b
from pathlib import Path
from typing import Any, Literal

from tamis.errors import SourceError, UsageError
from tamis.io.files import CRAWL_STATE

Kind = Literal["page", "sitemap", "feed", "robots"]
VERSION = 1
_WAIT_SECONDS = 4.0  # longer than a crawl takes to end whose command was killed


class State(IntEnum):
    """State of an address."""

    WAITING = 0
    DONE = 1
    FAILED = 2
    SKIPPED = 3  #: not fetched or not kept without a failure: a redirect, another type, robots.txt


@dataclass(frozen=True, slots=True)
class Found:
    """An address that may be new to the frontier."""

    key: str  #: its canonical form
    url: str
    host: str
    depth: int
    kind: Kind = "page"
    rank: float = 1.0  #: lower ones first, then by depth, then as found
    hops: int = 0  #: redirects before it
    referrer: str | None = None
    via: str | None = None  #: the address that redirected to it first of all
    pattern: str | None = None  #: what it counts for (:func:`tamis.crawl.scope.pattern`); None: nothing


@dataclass(frozen=True, slots=True)
class FrontierItem:
    """An address to be fetched."""

    id: int
    url: str
    host: str
    kind: Kind
    depth: int
    hops: int
    tries: int
    rank: float
    referrer: str | None
    via: str | None


class Frontier:
    """The addresses of one crawl. Only one process at a time can have it open for writing."""

    def __init__(self, folder: Path) -> None:
        """Open the frontier of a folder, or make it.

        Raises:
            UsageError: another process is crawling into the folder.
            SourceError: the file is not a frontier, or of another version.
        """
        path = folder / CRAWL_STATE
        self._base = sqlite3.connect(path, timeout=_WAIT_SECONDS, isolation_level=None)
        try:
            for pragma in ("locking_mode=EXCLUSIVE", "journal_mode=WAL", "synchronous=FULL"):
                self._base.execute(f"PRAGMA {pragma}")
            with self.settled():
                if not self._base.execute("SELECT 1 FROM sqlite_master WHERE name = 'facts'").fetchone():
                    for statement in Path(__file__).with_name("frontier.sql").read_text(encoding="utf-8").split(";"):
                        self._base.execute(statement)
                    self.note("version", VERSION)
            waiting = self._base.execute("SELECT host FROM urls WHERE state = 0 GROUP BY host ORDER BY min(id)")
            self._hosts: dict[str, None] = dict.fromkeys(row[0] for row in waiting)
            if self.fact("version") != VERSION:
                raise SourceError(f"{path} is of version {self.fact('version')}; this tamis reads version {VERSION}")
        except sqlite3.OperationalError as error:
            self._base.close()
            if "locked" in str(error):
                raise UsageError(f"another crawl is writing to {folder}; wait until it ends, or name another folder") from error
            raise SourceError(f"cannot open {path}: {error}") from error
        except sqlite3.DatabaseError as error:
            self._base.close()
            raise SourceError(f"{path} is not the state of a crawl, or is damaged: {error}") from error

    def close(self) -> None:
        """Close the file; another process can open it then."""
        self._base.close()

    @contextmanager
    def settled(self) -> Iterator[None]:
        """Run a transaction: all changes within are written, or none."""
        self._base.execute("BEGIN IMMEDIATE")
        try:
            yield
        except BaseException:
            self._base.execute("ROLLBACK")
            raise
        self._base.execute("COMMIT")

    def fact(self, name: str, default: Any = None) -> Any:
        """Return a value that was noted."""
        row = self._base.execute("SELECT value FROM facts WHERE name = ?", (name,)).fetchone()
        return default if row is None else json.loads(row[0])

    def note(self, name: str, value: Any) -> None:
        """Note a value."""
        self._base.execute("INSERT OR REPLACE INTO facts VALUES (?, ?)", (name, json.dumps(value)))

    def lengths(self) -> dict[str, int]:
        """Return the length of each output file when the last page was settled."""
        return dict(self._base.execute("SELECT name, length FROM files ORDER BY name").fetchall())

    def set_length(self, name: str, length: int) -> None:
        """Say how long an output file is."""
        self._base.execute("INSERT OR REPLACE INTO files VALUES (?, ?)", (name, length))

    def add(self, found: Iterable[Found], per_pattern: int) -> int:
        """Add addresses that are not known yet: how many were new. Those of a pattern beyond its bound are skipped. One that waits comes
        nearer if this way to it is shorter."""
        new = 0
        for entry in found:
            known = self._base.execute("SELECT id, state, depth FROM urls WHERE key = ?", (entry.key,)).fetchone()
            if known is not None:
                if known[1] == State.WAITING and known[2] > entry.depth:
                    self._base.execute("UPDATE urls SET depth = ?, referrer = ? WHERE id = ?", (entry.depth, entry.referrer, known[0]))
                continue
            if entry.pattern is not None and not self._count(entry.pattern, per_pattern):
                self.skip(entry.key, f"trap: more than {per_pattern:,} addresses of one pattern")
                continue
            self._base.execute("DELETE FROM skipped WHERE key = ?", (_key_number(entry.key),))
            self._base.execute(
                "INSERT INTO urls (key, url, host, kind, state, rank, depth, hops, referrer, via) VALUES (?, ?, ?, ?, 0, ?, ?, ?, ?, ?)",
                (entry.key, entry.url, entry.host, entry.kind, entry.rank, entry.depth, entry.hops, entry.referrer, entry.via),
            )
            self._hosts.setdefault(entry.host)
            new += 1
        return new

    def _count(self, pattern: str, most: int) -> bool:
        """Count an address for its pattern; False where the pattern is full."""
        counted = "INSERT INTO patterns VALUES (?, 1) ON CONFLICT (name) DO UPDATE SET count = count + 1 WHERE count < ?"
        return self._base.execute(counted, (pattern, most)).rowcount > 0

    def skip(self, key: str, reason: str) -> None:
        """Note that an address was found and will not be fetched; noted once, however often it is found."""
        self._base.execute("INSERT OR IGNORE INTO skipped VALUES (?, ?)", (_key_number(key), reason))

    def knows(self, key: str) -> bool:
        """Return whether an address was added."""
        return self._base.execute("SELECT 1 FROM urls WHERE key = ?", (key,)).fetchone() is not None

    def hosts(self) -> list[str]:
        """Return hosts that addresses were added of, in the order of the first ones."""
        return list(self._hosts)

    def next(self, host: str, now: float, taken: Collection[int], depth: int | None, kinds: Collection[str]) -> FrontierItem | None:
        """Return the next waiting address of a host that may be fetched ``now``, seconds. ``taken``: identities of those being fetched;
        ``depth``: most links from the start page."""
        rows = self._base.execute(
            "SELECT id, url, host, kind, depth, hops, tries, rank, referrer, via FROM urls WHERE state = 0 AND host = ? "
            f"AND not_before <= ? AND depth <= ? AND kind IN ({_question_marks(kinds)}) ORDER BY rank, depth, id LIMIT ?",
            (host, now, _any(depth), *kinds, len(taken) + 1),
        )
        return next((FrontierItem(*row) for row in rows if row[0] not in taken), None)

    def next_time(self, host: str, taken: Collection[int], depth: int | None, kinds: Collection[str]) -> float | None:
        """Return when the next waiting address of a host may be fetched, in seconds; None if none waits."""
        rows = self._base.execute(
            f"SELECT id, not_before FROM urls WHERE state = 0 AND host = ? AND depth <= ? AND kind IN ({_question_marks(kinds)}) "
            "ORDER BY not_before LIMIT ?",
            (host, _any(depth), *kinds, len(taken) + 1),
        )
        return next((row[1] for row in rows if row[0] not in taken), None)

    def settle(self, item: FrontierItem, state: State, status: int | None = None, reason: str | None = None, size: int = 0) -> None:
        """Say what became of an address."""
        self._base.execute(
            "UPDATE urls SET state = ?, status = ?, reason = ?, size = ?, tries = tries + 1 WHERE id = ?",
            (int(state), status, reason, size, item.id),
        )

    def postpone(self, item: FrontierItem, when: float) -> None:
        """Try an address again, not before a time in seconds."""
        self._base.execute("UPDATE urls SET tries = tries + 1, not_before = ? WHERE id = ?", (when, item.id))

    def forget_addresses(self) -> None:
        """Forget all addresses and what was noted of them, as in a new crawl."""
        for table in ("urls", "skipped", "patterns"):
            self._base.execute(f"DELETE FROM {table}")
        self._base.execute("DELETE FROM facts WHERE name <> 'version'")
        self._hosts.clear()

    def forget_waiting(self) -> None:
        """Forget the addresses that wait, and those that were left out for the bounds of the crawl. The start page stays, and so do pages
        that another address redirected to."""
        self._base.execute(
            "DELETE FROM urls WHERE depth > 0 AND hops = 0 "
            "AND (state = 0 OR state = 3 AND (reason = 'robots.txt' OR reason LIKE 'redirect: %'))"
        )
        self._base.execute("DELETE FROM urls WHERE kind <> 'page' AND state <> 2")
        self._base.execute("DELETE FROM skipped")
        self._base.execute("DELETE FROM patterns")

    def revive_failed(self) -> None:
        """Let all addresses that failed wait again."""
        self._base.execute("UPDATE urls SET state = 0, tries = 0, not_before = 0, status = NULL, reason = NULL WHERE state = 2")
        for (host,) in self._base.execute("SELECT DISTINCT host FROM urls WHERE state = 0"):
            self._hosts.setdefault(host)

    def pages(self) -> Iterator[tuple[str, int, str | None]]:
        """Yield addresses of pages that wait or were fetched, in the order found: address, depth, and the page that links there."""
        wanted = (int(State.WAITING), int(State.DONE))
        yield from self._base.execute("SELECT url, depth, referrer FROM urls WHERE kind = 'page' AND state IN (?, ?) ORDER BY id", wanted)

    def count(self, state: State | None = None, kind: Kind | None = None, depth: int | None = None, most: int = -1) -> int:
        """Count addresses of a state and kind, at most ``depth`` links from the start (None: any), up to ``most``."""
        wanted = {name: value for name, value in (("state", state), ("kind", kind)) if value is not None}
        where = " AND ".join([*(f"{name} = ?" for name in wanted), "depth <= ?"])
        row = self._base.execute(f"SELECT count(*) FROM (SELECT 1 FROM urls WHERE {where} LIMIT ?)", (*wanted.values(), _any(depth), most))
        return int(row.fetchone()[0])

    def missing(self) -> int:
        """Count the addresses that the site says it does not have (404, 410): dead links."""
        return int(self._base.execute("SELECT count(*) FROM urls WHERE state = 2 AND status IN (404, 410)").fetchone()[0])

    def tallies(self) -> list[dict[str, int]]:
        """Return addresses by status, skipped ones by reason, failed ones by reason; most first."""
        tables = (
            "SELECT status AS what FROM urls WHERE status IS NOT NULL",
            "SELECT reason AS what FROM skipped UNION ALL SELECT reason FROM urls WHERE state = 3",
            "SELECT reason AS what FROM urls WHERE state = 2",
        )
        counted = (self._base.execute(f"SELECT what, count(*) FROM ({table}) GROUP BY what ORDER BY 2 DESC, 1") for table in tables)
        return [{str(what): count for what, count in rows} for rows in counted]

    def size(self) -> int:
        """Return bytes of all saved pages, as they were sent."""
        return int(self._base.execute("SELECT coalesce(sum(size), 0) FROM urls WHERE state = 1").fetchone()[0])


def _any(depth: int | None) -> int:
    return 1 << 60 if depth is None else depth


def _question_marks(values: Collection[str]) -> str:
    return ", ".join("?" * len(values))


def _key_number(key: str) -> int:
    return int.from_bytes(blake2b(key.encode("utf-8", "replace"), digest_size=8).digest(), "big", signed=True)
