"""Last pass: the documents that stay, in the formats asked for."""

from __future__ import annotations

import json
from collections.abc import Mapping
from contextlib import ExitStack
from typing import Any

from tamis.corpus.tables import DOCUMENTS, Writer, rows
from tamis.corpus.tasks import Work


def publish(work: Work) -> Mapping[str, Any]:
    """The task: ``documents.parquet``, ``documents.jsonl`` or a folder ``markdown`` with a shard's documents, without duplicates."""
    needs = work.task.needs
    gone = {row["id"] for file in needs["duplicates"] for row in rows(work.root / file, ["id"])}
    count = 0
    with ExitStack() as stack:
        parquet = stack.enter_context(Writer(work.path("documents.parquet"), DOCUMENTS)) if "parquet" in needs["formats"] else None
        lines = stack.enter_context(work.path("lines.jsonl").open("w", encoding="utf-8")) if "jsonl" in needs["formats"] else None
        folder = work.path("markdown") if "markdown" in needs["formats"] else None
        if folder is not None:
            folder.mkdir()
        for row in rows(work.root / needs["documents"]):
            if row["id"] in gone:
                continue
            count += 1
            if parquet is not None:
                parquet.add(row)
            if lines is not None:
                lines.write(json.dumps(row, ensure_ascii=False) + "\n")
            if folder is not None:
                (folder / f"{row['id']:016x}.md").write_text(row["markdown"] or row["text"], encoding="utf-8")
    return {"documents": count}
