"""Deduplication, last step: which documents are kept, and which of them stands for each other one.

As in :mod:`tamis.duplicates.clusters`: documents are taken in the order of keeping; one is a copy of the document that is kept with the
same words, else with the same address, else of the first that is kept and the same by the rule; where there is none, it is kept. Since
texts were compared in parallel, the first text that one is the same as may turn out to be a copy itself; what that leaves open is asked in
another round, until nothing is.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from tamis.corpus.tables import DUPLICATES, QUESTIONS, Writer, arrow
from tamis.corpus.tasks import Work

BATCH = 65_536
"""Documents that are read at a time."""
_Edge = tuple[int, int, str, float | None, float | None]
"""Copy, survivor, relation, resemblance, containment."""


@dataclass(slots=True)
class Chain:
    """What is known of the texts before one that are the same as it."""

    rows: list[int] = field(default_factory=list)
    """In order."""
    evidence: list[tuple[str, float, float]] = field(default_factory=list)
    """Of each: relation, resemblance, containment."""
    seen: int = 0
    """Rows before this one were looked at."""


class Survivors:
    """The decision on documents, one after the other.

    Args:
        chains: by row; a row without one was not looked at.
    """

    def __init__(self, chains: Mapping[int, Chain]) -> None:
        self._chains = chains
        self._kept: dict[int, int] = {}
        """Document that is kept, by row of its text."""
        self._kept_at: dict[int, int] = {}
        """The same by address."""
        self._open: set[int] = set()
        self._open_at: set[int] = set()
        self.edges: list[_Edge] = []
        self.questions: dict[int, tuple[int, int]] = {}
        """By row, which rows to look at (from, to)."""

    def take(self, document: int, row: int, address: int | None, before: int) -> None:
        """The next document: its id, the row of its text, the number of its address, and how many rows begin before it."""
        if row in self._kept:
            self.edges.append((document, self._kept[row], "identical", None, None))
        elif row in self._open:
            self._leave_open(row, address)
        elif address is not None and address in self._kept_at:
            self.edges.append((document, self._kept_at[address], "same address", None, None))
        elif address is not None and address in self._open_at:
            self._leave_open(row, address)
        else:
            self._compare(document, row, address, before)

    def _compare(self, document: int, row: int, address: int | None, before: int) -> None:
        chain = self._chains.get(row, Chain())
        for other, (relation, resemblance, containment) in zip(chain.rows, chain.evidence, strict=True):
            if other >= before:
                break
            if other in self._kept:
                self.edges.append((document, self._kept[other], relation, resemblance, containment))
                return
            if other in self._open:
                self._leave_open(row, address)
                return
        if chain.seen < before:
            self.questions[row] = chain.seen, before  # the last document with this text asks for most
            self._leave_open(row, address)
            return
        self._kept[row] = document
        if address is not None:
            self._kept_at[address] = document

    def _leave_open(self, row: int, address: int | None) -> None:
        self._open.add(row)
        if address is not None:
            self._open_at.add(address)

    def copies(self, rows: int) -> np.ndarray[Any, np.dtype[np.bool_]]:
        """Rows of texts of which nothing is kept, bool ``(rows,)``."""
        found = np.ones(rows, dtype=np.bool_)
        found[list(self._kept)] = False
        found[list(self._open)] = False
        return found


def resolve(work: Work) -> Mapping[str, Any]:
    """The task: ``duplicates.parquet``, each copy with the document that stands for it, sorted by the copy; or ``questions.parquet`` and
    ``copies.npy``, what is still open."""
    needs = work.task.needs
    survivors = Survivors(_chains([work.root / file for file in needs["found"]]))
    rows = 0
    for batch in arrow().parquet.ParquetFile(work.root / needs["documents"]).iter_batches(BATCH):
        for document, row, address in zip(*(batch.column(name).to_pylist() for name in ("id", "row", "address")), strict=True):
            survivors.take(document, row, address, rows)
            rows += row == rows  # rows are numbered by the first documents with their texts
    if survivors.questions:
        with Writer(work.path("questions.parquet"), QUESTIONS) as writer:
            for row, (low, high) in sorted(survivors.questions.items()):
                writer.add({"row": row, "low": low, "high": high})
        np.save(work.path("copies.npy"), survivors.copies(rows))
        return {"open": len(survivors.questions)}
    for row in _answers([work.root / needs["repeated"]]):
        survivors.edges.append((row["id"], row["survivor"], "identical", None, None))
    sizes: dict[int, int] = {}
    with Writer(work.path("duplicates.parquet"), DUPLICATES) as writer:
        for copy, survivor, relation, resemblance, containment in sorted(survivors.edges):
            sizes[survivor] = sizes.get(survivor, 1) + 1
            values = {"id": copy, "survivor": survivor, "relation": relation}
            writer.add({**values, "resemblance": resemblance, "containment": containment})
    return {"duplicates": writer.count, "clusters": len(sizes), "largest": max(sizes.values(), default=0), "open": 0}


def _chains(files: list[Path]) -> dict[int, Chain]:
    """The answers of all rounds together, earlier ones first."""
    chains: dict[int, Chain] = {}
    for row in _answers(files):
        chain = chains.setdefault(row["row"], Chain())
        if row["found"] is None:
            chain.seen = max(chain.seen, row["high"])
        else:
            chain.rows.append(row["found"])
            chain.evidence.append((row["relation"], row["resemblance"], row["containment"]))
            chain.seen = max(chain.seen, row["found"] + 1)
    return chains


def _answers(files: list[Path]) -> Iterator[dict[str, Any]]:
    for file in files:
        for batch in arrow().parquet.ParquetFile(file).iter_batches(BATCH):
            yield from batch.to_pylist()
