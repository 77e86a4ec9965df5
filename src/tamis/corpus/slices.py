"""Deduplication: the distinct texts of a corpus in slices, longest first, each a file of signatures and one of postings, and copies looked
for in one slice after the other. So a process holds two slices, however many there are.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tamis.corpus.signing import RULE
from tamis.corpus.tables import FOUND, Writer, arrow
from tamis.corpus.tasks import Work
from tamis.duplicates.candidates import Postings, all_postings, batch, search
from tamis.duplicates.clusters import Deduplication
from tamis.duplicates.rule import DuplicateRule, Evidence, compare_signatures, seem_same
from tamis.duplicates.signature import Signature
from tamis.duplicates.spool import from_bytes, shingles_of

ROWS = 16_384
"""Texts in a slice."""
BATCH = 512
"""Texts that are looked for together."""
MOST_COMPARED = Deduplication().most_compared or 0
"""Rows that a text is compared with."""
Rows = NDArray[np.int64]


def slice_up(work: Work) -> Mapping[str, Any]:
    """The task: a slice's ``signatures.bin``, ``starts.npy`` (int64, one more than texts), ``letters.npy`` (uint32), ``postings.npy``."""
    needs = work.task.needs
    first = int(needs["first"])
    filters = [("row", ">=", first), ("row", "<", first + int(needs["count"]))]
    rows = arrow().parquet.read_table(work.root / needs["rows"], filters=filters).sort_by("row").to_pylist()
    starts = np.zeros(len(rows) + 1, dtype=np.int64)
    starts[1:] = np.cumsum([row["size"] for row in rows])
    texts = []
    with work.path("signatures.bin").open("wb") as stream:
        opened: dict[str, NDArray[np.uint8]] = {}
        for row in rows:
            if (held := opened.get(row["file"])) is None:
                held = opened[row["file"]] = np.memmap(Path(row["file"]).with_name("signatures.bin"), dtype=np.uint8, mode="r")
            data = held[row["start"] : row["start"] + row["size"]].tobytes()
            stream.write(data)
            texts.append(from_bytes(data, RULE.signature)[0])
    np.save(work.path("starts.npy"), starts)
    np.save(work.path("letters.npy"), np.array([min(text.letters, 0xFFFFFFFF) for text in texts], dtype=np.uint32))
    np.save(work.path("postings.npy"), all_postings(batch(texts, RULE), np.arange(len(texts), dtype=np.int64)))
    return {"texts": len(texts)}


class Slice:
    """A slice on disk.

    Args:
        folder: of its files.
        first: row of its first text.
    """

    def __init__(self, folder: Path, first: int) -> None:
        self.first = first
        self._data = np.memmap(folder / "signatures.bin", dtype=np.uint8, mode="r")
        self._starts = np.load(folder / "starts.npy")
        self._letters = np.load(folder / "letters.npy")
        self._postings = np.load(folder / "postings.npy", mmap_mode="r").view(np.ndarray)

    def __len__(self) -> int:
        return len(self._letters)

    def text(self, row: int) -> Signature:
        """The signature of a row."""
        return from_bytes(self._bytes(row), RULE.signature)[0]

    def compare(self, text: Signature, row: int, rule: DuplicateRule) -> Evidence | None:
        """What makes a text the same as a row that is no shorter; None where it is not."""
        data = self._bytes(row)
        if not seem_same(text, [shingles_of(data)], rule)[0]:
            return None
        evidence = compare_signatures(text, from_bytes(data, rule.signature)[0], rule)
        return evidence if evidence.same else None

    def candidates(self, texts: Sequence[Signature], settled: NDArray[np.bool_]) -> Iterator[tuple[int, Rows, Rows]]:
        """For each text that is not settled, the rows, rising, that it can be the same as and that are no shorter, and their strengths."""
        for pairs in search(texts, Postings([self._postings], None, [self._letters]), RULE, len(self), settled):
            starts = np.flatnonzero(np.diff(pairs.text, prepend=-1)).tolist()
            for start, end in pairwise([*starts, len(pairs.text)]):
                yield int(pairs.text[start]), pairs.row[start:end] + self.first, pairs.strength[start:end]

    def _bytes(self, row: int) -> bytes:
        at = row - self.first
        return self._data[self._starts[at] : self._starts[at + 1]].tobytes()


@dataclass(slots=True)
class Query:
    """A text that is looked for among the rows from ``low`` to before ``high``."""

    row: int
    low: int
    high: int
    text: Signature
    found: list[tuple[int, Evidence]] = field(default_factory=list)
    compared: int = 0
    crowded: bool = False
    """There are more rows than it may be compared with."""


def match(work: Work) -> Mapping[str, Any]:
    """The task: ``found.parquet``, for each question about a text of a slice the first rows before it that it is the same as.

    A question is a row, and the rows (from, to) to look at. Where no row is found, or fewer than asked for, an answer without one says that
    all were looked at.
    """
    needs = work.task.needs
    here, size = int(needs["slice"]), int(needs["size"])
    folders = [work.root / folder for folder in needs["slices"]][: here + 1]
    search = Search(folders, size, replace(RULE, parts=needs["parts"]), int(needs["most"]), _copies(work))
    own = Slice(search.folders[here], here * size)
    with Writer(work.path("found.parquet"), FOUND) as writer:
        questions = list(_questions(work, own))
        for at in range(0, len(questions), BATCH):
            queries = [Query(*question, own.text(question[0])) for question in questions[at : at + BATCH]]
            search.answer(queries)
            for query in queries:
                for row, evidence in query.found:
                    writer.add(_answer(query, row, evidence))
                if not query.found or (len(query.found) < search.wanted and not query.crowded):
                    writer.add(_answer(query, None, None))
        return {"questions": len(questions), "answers": writer.count}


class Search:
    """Texts looked for in slices, the longest texts first.

    Args:
        folders: of the slices.
        size: texts in each.
        rule: by which texts are the same.
        wanted: rows to be found for a text.
        copies: rows that are passed over, bool ``(rows,)``; empty: none.
    """

    def __init__(self, folders: Sequence[Path], size: int, rule: DuplicateRule, wanted: int, copies: NDArray[np.bool_]) -> None:
        self.folders = folders
        self._rule = rule
        self.wanted = wanted
        self._size = size
        self._copies = copies

    def answer(self, queries: Sequence[Query]) -> None:
        """Find, for each text, the first rows that it is the same as, up to :data:`MOST_COMPARED` comparisons; where there are more to
        compare with and none was the same, the first of the likeliest."""
        for part, place, rows, _ in self._candidates(queries):
            query = queries[place]
            for row in rows.tolist():
                if query.compared >= MOST_COMPARED:
                    query.crowded = True
                    break
                query.compared += 1
                if (evidence := part.compare(query.text, row, self._rule)) is not None:
                    query.found.append((row, evidence))
                    if len(query.found) >= self.wanted:
                        break
        self._look_for_likeliest([query for query in queries if query.crowded and not query.found])

    def _look_for_likeliest(self, queries: Sequence[Query]) -> None:
        likeliest = [(np.zeros(0, dtype=np.int64), np.zeros(0, dtype=np.int64)) for _ in queries]
        for query in queries:
            query.crowded = False
        for _, place, more, strength in self._candidates(queries):
            rows = np.concatenate([likeliest[place][0], more])
            strengths = np.concatenate([likeliest[place][1], strength])
            chosen = np.sort(np.lexsort((rows, -strengths))[:MOST_COMPARED])
            likeliest[place] = rows[chosen], strengths[chosen]
        for number in range(len(self.folders)):
            part = self._open(number)
            for query, (rows, _) in zip(queries, likeliest, strict=True):
                for row in rows[rows // self._size == number].tolist():
                    if len(query.found) < self.wanted and (evidence := part.compare(query.text, row, self._rule)) is not None:
                        query.found.append((row, evidence))

    def _candidates(self, queries: Sequence[Query]) -> Iterator[tuple[Slice, int, Rows, Rows]]:
        """Slice by slice, for each text that still needs some: the slice, the text's number, rows and strengths."""
        texts = [query.text for query in queries]
        for number in range(len(self.folders)):
            first, after = number * self._size, (number + 1) * self._size
            asked = np.array([self._is_open(query) and query.low < after and query.high > first for query in queries], dtype=np.bool_)
            if not asked.any():
                continue
            part = self._open(number)
            for place, rows, strength in part.candidates(texts, ~asked):
                query = queries[place]
                seen = (rows >= query.low) & (rows < query.high)
                if len(self._copies):
                    seen &= ~self._copies[rows]
                if seen.any():
                    yield part, place, rows[seen], strength[seen]

    def _is_open(self, query: Query) -> bool:
        return not query.crowded and len(query.found) < self.wanted

    def _open(self, number: int) -> Slice:
        return Slice(self.folders[number], number * self._size)


def _questions(work: Work, own: Slice) -> Iterator[tuple[int, int, int]]:
    """Rows of the slice, and the rows to look at: in the first round all before each, later what is still open."""
    if (file := work.task.needs["questions"]) is None:
        yield from ((row, 0, row) for row in range(own.first, own.first + len(own)))
        return
    filters = [("row", ">=", own.first), ("row", "<", own.first + len(own))]
    for row in arrow().parquet.read_table(work.root / file, filters=filters).to_pylist():
        yield row["row"], row["low"], row["high"]


def _copies(work: Work) -> NDArray[np.bool_]:
    """Rows that are known to be copies; empty: none is known."""
    file = work.task.needs["copies"]
    return np.load(work.root / file) if file is not None else np.zeros(0, dtype=np.bool_)


def _answer(query: Query, row: int | None, evidence: Evidence | None) -> dict[str, Any]:
    return {
        "row": query.row,
        "high": query.high,
        "found": row,
        "relation": evidence.relation if evidence else None,
        "resemblance": evidence.resemblance if evidence else None,
        "containment": evidence.containment if evidence else None,
    }
