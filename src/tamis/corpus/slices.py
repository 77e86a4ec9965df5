"""Third pass: the distinct texts of a corpus in slices, longest first, each a file of signatures and one of postings, and copies looked for
in one slice after the other. So a process holds two slices, however many there are.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tamis.corpus.signing import RULE
from tamis.corpus.tables import FOUND, Writer, arrow
from tamis.corpus.tasks import Work
from tamis.duplicates.candidates import Postings, all_postings, batch, search
from tamis.duplicates.clusters import Deduplication
from tamis.duplicates.rule import Evidence, can_be_same, compare_signatures
from tamis.duplicates.signature import Signature
from tamis.duplicates.spool import from_bytes

ROWS = 16_384
"""Texts in a slice."""
BATCH = 512
"""Texts that are looked for together."""
_MOST_COMPARED = Deduplication().most_compared or 0


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
        at = row - self.first
        return from_bytes(self._data[self._starts[at] : self._starts[at + 1]].tobytes(), RULE.signature)[0]

    def candidates(self, texts: Sequence[Signature], settled: NDArray[np.bool_]) -> Iterator[tuple[int, int]]:
        """Numbers of texts, and rows that can be the same and are no shorter, rising for each text; none for texts that are settled."""
        postings = Postings([self._postings], None, [self._letters])
        for pairs in search(texts, postings, RULE, len(self), settled):
            yield from zip(pairs.text.tolist(), (pairs.row + self.first).tolist(), strict=True)


@dataclass(slots=True)
class _Query:
    row: int
    low: int
    high: int
    text: Signature
    found: list[tuple[int, Evidence]]
    compared: int = 0

    def look(self, row: int, other: Signature) -> None:
        """Compare with a row. Only those that the code lets pass count as compared: which others are looked at depends on the slices."""
        if can_be_same(self.text, other, RULE):
            self.compared += 1
            evidence = compare_signatures(self.text, other, RULE)
            if evidence.same:
                self.found.append((row, evidence))


def match(work: Work) -> Mapping[str, Any]:
    """The task: ``found.parquet``, for each question about a text of a slice the first rows before it that it is the same as.

    A question is a row, and the rows (from, to) to look at. Of an answer with fewer rows than asked for, all rows were looked at.
    """
    needs = work.task.needs
    folders = [work.root / folder for folder in needs["slices"]]
    size, most = int(needs["size"]), int(needs["most"])
    here = int(needs["slice"])
    skipped = _skipped(work)
    own = Slice(folders[here], here * size)
    with Writer(work.path("found.parquet"), FOUND) as writer:
        questions = list(_questions(work, own))
        for at in range(0, len(questions), BATCH):
            queries = [_Query(*question, own.text(question[0]), []) for question in questions[at : at + BATCH]]
            _look_up(queries, folders[: here + 1], size, most, skipped)
            for query in queries:
                for row, evidence in query.found:
                    writer.add(_answer(query, row, evidence))
                if len(query.found) < most:
                    writer.add(_answer(query, None, None))
        return {"questions": len(questions), "answers": writer.count}


def _look_up(queries: Sequence[_Query], folders: Sequence[Path], size: int, most: int, skipped: NDArray[np.bool_]) -> None:
    settled = np.zeros(len(queries), dtype=np.bool_)
    texts = [query.text for query in queries]
    for number, folder in enumerate(folders):
        first = number * size
        asked = np.array([query.low < first + size and query.high > first for query in queries]) & ~settled
        if not asked.any():
            continue
        part = Slice(folder, first)
        passed = ~asked
        for place, row in part.candidates(texts, passed):
            query = queries[place]
            if passed[place] or not query.low <= row < query.high or (len(skipped) and skipped[row]):
                continue
            query.look(row, part.text(row))
            if len(query.found) >= most or query.compared >= _MOST_COMPARED:
                passed[place] = settled[place] = True


def _questions(work: Work, own: Slice) -> Iterator[tuple[int, int, int]]:
    """Rows of the slice, and the rows to look at: in the first round all before each, later what is still open."""
    if (file := work.task.needs["questions"]) is None:
        yield from ((row, 0, row) for row in range(own.first, own.first + len(own)))
        return
    filters = [("row", ">=", own.first), ("row", "<", own.first + len(own))]
    for row in arrow().parquet.read_table(work.root / file, filters=filters).to_pylist():
        yield row["row"], row["low"], row["high"]


def _skipped(work: Work) -> NDArray[np.bool_]:
    """Rows that are known to be copies; empty: none is known."""
    file = work.task.needs["copies"]
    return np.load(work.root / file) if file is not None else np.zeros(0, dtype=np.bool_)


def _answer(query: _Query, row: int | None, evidence: Evidence | None) -> dict[str, Any]:
    return {
        "row": query.row,
        "high": query.high,
        "found": row,
        "relation": evidence.relation if evidence else None,
        "resemblance": evidence.resemblance if evidence else None,
        "containment": evidence.containment if evidence else None,
    }
