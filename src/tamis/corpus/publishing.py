"""Last pass: the documents that stay, in the formats asked for."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack
from pathlib import Path
from typing import Any

from tamis.corpus.tables import DOCUMENTS, DROPPED, FAILURES, Writer, rows
from tamis.corpus.tasks import Work


def publish(work: Work) -> Mapping[str, Any]:
    """The task: a shard's documents without duplicates as ``documents.parquet``, ``lines.jsonl`` or a folder ``markdown``; and
    ``failures.parquet`` and ``dropped.parquet``, where of a page that was worked on several times the last time counts."""
    needs = work.task.needs
    files = {what: [work.root / file for file in needs[what]] for what in ("documents", "failures", "dropped")}
    gone = {row["id"] for file in needs["duplicates"] for row in rows(work.root / file, ["id"])}
    redone = _redone(files["documents"], files["failures"])
    count = 0
    with ExitStack() as stack:
        failures = stack.enter_context(Writer(work.path("failures.parquet"), FAILURES))
        dropped = stack.enter_context(Writer(work.path("dropped.parquet"), DROPPED))
        for writer, what in ((failures, "failures"), (dropped, "dropped")):
            for row in _last(files[what], redone):
                writer.add(row)
        outputs = _Outputs(work, needs["formats"], stack)
        for row in _last(files["documents"], redone):
            if row["id"] not in gone:
                outputs.add(row)
                count += 1
    return {"documents": count}


def _redone(documents: Sequence[Path], failures: Sequence[Path]) -> list[set[int]]:
    """For each time that a shard was worked on, the pages that were worked on later again."""
    later: set[int] = set()
    found = []
    for both in reversed(list(zip(documents, failures, strict=True))):
        found.append(set(later))
        if len(found) < len(documents):
            later.update(row["id"] for file in both for row in rows(file, ["id"]))
    return found[::-1]


def _last(files: Sequence[Path], redone: Sequence[set[int]]) -> Iterator[dict[str, Any]]:
    for file, later in zip(files, redone, strict=True):
        yield from (row for row in rows(file) if row["id"] not in later)


class _Outputs:
    """The formats that documents are written in."""

    def __init__(self, work: Work, formats: Sequence[str], stack: ExitStack) -> None:
        self._parquet = stack.enter_context(Writer(work.path("documents.parquet"), DOCUMENTS)) if "parquet" in formats else None
        self._lines = stack.enter_context(work.path("lines.jsonl").open("w", encoding="utf-8")) if "jsonl" in formats else None
        self._folder = work.path("markdown") if "markdown" in formats else None
        if self._folder is not None:
            self._folder.mkdir()

    def add(self, row: dict[str, Any]) -> None:
        """One more document."""
        if self._parquet is not None:
            self._parquet.add(row)
        if self._lines is not None:
            self._lines.write(json.dumps(row, ensure_ascii=False) + "\n")
        if self._folder is not None:
            text = row["markdown"] or row["text"]
            (self._folder / f"{row['id']:016x}.md").write_text(text, encoding="utf-8", errors="replace")
