"""Results of an earlier run, taken for pages that have not changed since.

A task writes ``results.parquet``, which names each page that it cleaned by its *fingerprint*: a hash of the page, its address, and the
state of its site's template. A run with an earlier one sorts these fingerprints once; workers look them up in a mapped file, and read
results from the tables of the earlier run. Reading decodes a row group, so it pays where pages come in about the same order as before.
"""

from __future__ import annotations

import json
from bisect import bisect_left, bisect_right
from collections.abc import Iterator, Mapping, Sequence
from functools import lru_cache
from hashlib import sha256
from itertools import groupby
from operator import itemgetter
from pathlib import Path
from typing import Any

import numpy as np

from tamis.corpus.tables import read_columns
from tamis.corpus.tasks import Manifest, TaskStore, Work
from tamis.errors import CorpusError, SourceError
from tamis.io.pages import Served
from tamis.io.parquet import arrow_error, parquet_file

INDEX, PARTS = "index.npy", "parts.json"
TABLES = ("documents", "dropped", "failures", "records")
READ_AHEAD = 8  #: row groups that a process may read for nothing
OPEN_PARTS = 2  #: parts of tables that are open; a row group of each is in memory
WORTH = 16  #: results that each further row group must give on the mean: reading a group takes as long as cleaning a few pages
Row = dict[str, Any]


def fingerprint(served: Served, template: bytes) -> bytes:
    """Return the hash of everything that the cleaning of a page depends on, 16 bytes. ``template``: the state of its site's template
    (:meth:`SiteModels.state`)."""
    body = served.html
    found = sha256(body if isinstance(body, bytes) else body.encode("utf-8", "surrogatepass"))
    found.update(repr((isinstance(body, str), served.url, served.content_type, template)).encode("utf-8", "surrogatepass"))
    return found.digest()[:16]


def index_results(work: Work) -> Mapping[str, Any]:
    """Run the task: write the fingerprints of a finished run, sorted (``index.npy``: two halves of the fingerprint, the page's id, the
    number of a part, each uint64 ``(n,)``), and the tables of its parts (``parts.json``). The task needs ``root``, the folder of the run's
    tasks."""
    store = TaskStore(work.task.needs["root"])
    parts: list[dict[str, str]] = []
    columns = []
    for found in _tasks_that_cleaned(store):
        table = read_columns(store.file(found, "results"), ["fingerprint", "id"])
        fingerprints = np.frombuffer(b"".join(table.column("fingerprint").to_pylist()), dtype=np.uint64).reshape(-1, 2)
        ids = table.column("id").to_numpy().astype(np.uint64)
        columns.append(np.column_stack((fingerprints, ids, np.full(len(ids), len(parts), dtype=np.uint64))))
        parts.append({what: str(store.file(found, what)) for what in TABLES if what in found.files})
    index = np.concatenate(columns)
    index = np.ascontiguousarray(index[np.lexsort((index[:, 1], index[:, 0]))].T)
    np.save(work.path(INDEX), index)
    work.path(PARTS).write_text(json.dumps(parts), encoding="utf-8")
    return {"results": index.shape[1]}


def _tasks_that_cleaned(store: TaskStore) -> Iterator[Manifest]:
    for stage in sorted(path.name for path in store.root.iterdir() if path.name.partition("-")[0] in ("read", "clean")):
        yield from (found for found in store.of_stage(stage) if "results" in found.files)


class _Table:
    """A table whose rows are sorted by ``id``, read a row group at a time. Raises SourceError if it cannot be read."""

    def __init__(self, path: str) -> None:
        self._file = parquet_file(path)
        groups = (self._file.metadata.row_group(number) for number in range(self._file.num_row_groups))
        self._first = [group.column(0).statistics.min for group in groups]  # ids of the first rows
        self._group, self._held = -1, dict[int, list[Row]]()  # the row group that was read last, and its rows by id
        self.read = 0  #: row groups read

    def rows(self, id: int) -> list[Row]:
        """Return the rows of a page; they may go on in the next row group."""
        found: list[Row] = []
        for number in range(max(bisect_left(self._first, id) - 1, 0), bisect_right(self._first, id)):
            if number != self._group:
                rows = self._file.read_row_group(number, use_threads=False).to_pylist()
                self._group, self._held = number, {key: list(group) for key, group in groupby(rows, itemgetter("id"))}
                self.read += 1
            found += self._held.get(id, ())
        return found


class PreviousRun:
    """The results of an earlier run, by the fingerprint of the page. ``index``, ``parts``: files of the task :func:`index_results`."""

    def __init__(self, index: Path, parts: Path) -> None:
        self._index = np.load(index, mmap_mode="r")
        self._parts: list[dict[str, str]] = json.loads(parts.read_text(encoding="utf-8"))
        self._tables = lru_cache(OPEN_PARTS)(self._opened)
        self._read, self._taken = 0, 0

    def get(self, fingerprint: bytes) -> Mapping[str, Sequence[Row]] | None:
        """Return the rows of a page by table; None if there is none like it, or if reading rows has not paid yet. Raises CorpusError."""
        if self._read > READ_AHEAD + self._taken // WORTH or (place := self._place(fingerprint)) is None:
            return None
        id, part = place
        try:
            tables = self._tables(part)
            before = sum(table.read for table in tables.values())
            found = {what: table.rows(id) for what, table in tables.items()}
        except (OSError, SourceError, arrow_error()) as error:
            raise CorpusError(f"cannot read results of the earlier run: {error}") from error
        self._read += sum(table.read for table in tables.values()) - before
        self._taken += 1
        return found

    def _place(self, fingerprint: bytes) -> tuple[int, int] | None:
        high, low = np.frombuffer(fingerprint, dtype=np.uint64)
        row = int(np.searchsorted(self._index[0], high))
        if row == self._index.shape[1] or self._index[0, row] != high or self._index[1, row] != low:
            return None
        return int(self._index[2, row]), int(self._index[3, row])

    def _opened(self, part: int) -> dict[str, _Table]:
        return {what: _Table(path) for what, path in self._parts[part].items()}


previous_results = lru_cache(maxsize=1)(PreviousRun)
"""The results of an earlier run. A process keeps what it has read from task to task."""
