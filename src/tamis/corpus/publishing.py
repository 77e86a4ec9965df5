"""Last stage: the documents that stay, in the formats asked for, and put where a user looks for them, each file in one move."""

from __future__ import annotations

import json
import os
import shutil
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack
from hashlib import blake2b
from pathlib import Path
from typing import Any
from urllib.parse import quote

from tamis.corpus.config import CorpusConfig
from tamis.corpus.tables import BATCH, DOCUMENTS, DROPPED, FAILURES, RECORDS, Writer, arrow, identity, rows
from tamis.corpus.tasks import Manifest, TaskStore, Work
from tamis.io.files import copy_to
from tamis.io.writing import draft_name
from tamis.io.writing import put_in_place as rename_into_place

_LONGEST_FOLDER = 200
"""Bytes of a name of a folder, quoted; file systems take 255, the column's name included."""
_MOST_FOLDERS = 1_000_000
OPEN_FILES = 128
"""Parts of a partitioned corpus that a task writes at a time; of more, the longest waiting is closed and begun anew."""

_FOLDERS = {"lines": "jsonl", "rows": "csv", "parts": "documents"}
"""Where files of a task are put that are not put in a folder of their name."""


def publish(work: Work) -> Mapping[str, Any]:
    """The task: a shard's documents without duplicates as ``documents.parquet``, a folder ``parts`` (partitioned), ``lines.jsonl``,
    ``rows.csv`` or a folder ``markdown``; ``records.parquet`` of the same pages; ``failures.parquet`` and ``dropped.parquet``. Where a page
    was worked on several times the last time counts."""
    needs = work.task.needs
    files = {what: [work.root / file for file in named] for what, named in needs["tables"].items()}
    gone = _copies(work)
    redone = _redone(files["documents"], files["failures"])
    counts = {"records": 0}
    for what, columns in (("failures", FAILURES), ("dropped", DROPPED), ("records", RECORDS)):
        if what in files:
            with Writer(work.path(f"{what}.parquet"), columns) as table:
                for batch in _last(files[what], redone, gone if what == "records" else set()):
                    table.add_batch(batch)
            counts[what] = table.count
    with ExitStack() as stack:
        outputs = _Outputs(work, needs["formats"], stack)
        for batch in _last(files["documents"], redone, gone):
            outputs.add(batch)
    if "parquet" in needs["formats"] and needs["partition"] is not None:
        _part(work, needs["partition"])
    return {"documents": outputs.count, "records": counts["records"]}


def _copies(work: Work) -> set[int]:
    """The shard's documents that another one stands for."""
    if (file := work.task.needs["duplicates"]) is None:
        return set()
    number = work.task.number
    filters = [("id", ">=", identity(number, 0)), ("id", "<", identity(number + 1, 0))]
    return set(arrow().parquet.read_table(work.root / file, columns=["id"], filters=filters).column(0).to_pylist())


def _redone(documents: Sequence[Path], failures: Sequence[Path]) -> list[set[int]]:
    """For each time that a shard was worked on, the pages that were worked on later again."""
    later: set[int] = set()
    found = []
    for both in reversed(list(zip(documents, failures, strict=True))):
        found.append(set(later))
        if len(found) < len(documents):
            later.update(row["id"] for file in both for row in rows(file, ["id"]))
    return found[::-1]


def _last(files: Sequence[Path], redone: Sequence[set[int]], gone: set[int]) -> Iterator[Any]:
    """The rows of tables as record batches, without those of pages that were worked on later again, or are gone."""
    from pyarrow import compute

    for file, later in zip(files, redone, strict=True):
        without = arrow().array(sorted(later | gone), "int64")
        for batch in arrow().parquet.ParquetFile(file).iter_batches(BATCH):
            left = batch.filter(compute.invert(compute.is_in(batch.column("id"), value_set=without))) if len(without) else batch
            if len(left):
                yield left


def _part(work: Work, column: str) -> None:
    """The documents in folders by a column, ``site=example.org/part-000000-0.parquet``, instead of in one file."""
    import pyarrow.dataset as ds

    whole = work.path("documents.parquet")
    file = arrow().parquet.ParquetFile(whole)
    schema = arrow().schema([file.schema_arrow.field(column)])
    ds.write_dataset(
        (_in_short_folders(batch, column) for batch in file.iter_batches()),
        work.path("parts"),
        schema=file.schema_arrow,
        format="parquet",
        file_options=ds.ParquetFileFormat().make_write_options(compression="zstd"),
        partitioning=ds.partitioning(schema, flavor="hive"),
        basename_template=f"part-{work.task.number:06d}-{{i}}.parquet",
        max_open_files=OPEN_FILES,
        max_partitions=_MOST_FOLDERS,
        use_threads=False,
    )
    file.close()
    whole.unlink()


def _in_short_folders(batch: Any, column: str) -> Any:
    """The rows with values of a column that can name a folder."""
    values = [folder_value(value) for value in batch.column(column).to_pylist()]
    return batch.set_column(batch.schema.get_field_index(column), batch.schema.field(column), arrow().array(values, "string"))


def folder_value(value: str | None) -> str | None:
    """What a folder of a partitioned corpus is named for a value: the value itself, or its beginning and a hash where it is too long.

    >>> folder_value("example.org"), len(folder_value("a" * 300 + ".example"))
    ('example.org', 57)
    """
    if value is None or len(quote(value, safe="")) <= _LONGEST_FOLDER:
        return value or None
    return f"{value[:40]}~{blake2b(value.encode(), digest_size=8).hexdigest()}"


class _Outputs:
    """The formats that documents are written in."""

    def __init__(self, work: Work, formats: Sequence[str], stack: ExitStack) -> None:
        self._parquet = stack.enter_context(Writer(work.path("documents.parquet"), DOCUMENTS)) if "parquet" in formats else None
        self._lines = stack.enter_context(work.path("lines.jsonl").open("w", encoding="utf-8")) if "jsonl" in formats else None
        self._csv = stack.enter_context(_csv_writer(work.path("rows.csv"))) if "csv" in formats else None
        self._folder = work.path("markdown") if "markdown" in formats else None
        self.count = 0
        if self._folder is not None:
            self._folder.mkdir()

    def add(self, batch: Any) -> None:
        """More documents."""
        self.count += len(batch)
        if self._parquet is not None:
            self._parquet.add_batch(batch)
        if self._csv is not None:
            self._csv.write_batch(_csv_cells(batch))
        for row in batch.to_pylist() if self._lines is not None or self._folder is not None else ():
            if self._lines is not None:
                self._lines.write(json.dumps(row, ensure_ascii=False) + "\n")
            if self._folder is not None:
                text = row["markdown"] or row["text"]
                (self._folder / f"{row['id']:016x}.md").write_text(text, encoding="utf-8", errors="replace")


def _csv_writer(path: Path) -> Any:
    from pyarrow import csv

    kinds = {name: "string" if kind.startswith("list<") else kind for name, kind in DOCUMENTS.items()}
    return csv.CSVWriter(path, arrow().schema([(name, getattr(arrow(), kind)()) for name, kind in kinds.items()]))


def _csv_cells(batch: Any) -> Any:
    """A batch for CSV: lists joined by semicolons; an apostrophe before what a spreadsheet would take for a formula."""
    from pyarrow import compute, types

    columns = []
    for column in batch.columns:
        cells = compute.binary_join(column, "; ") if types.is_list(column.type) else column
        columns.append(compute.replace_substring_regex(cells, r"\A([=+\-@\t\r\n])", r"'\1") if types.is_string(cells.type) else cells)
    return arrow().RecordBatch.from_arrays(columns, names=batch.schema.names)


def put_in_place(store: TaskStore, published: Sequence[Manifest], duplicates: Manifest | None, config: CorpusConfig) -> None:
    """Put ``documents/part-000000.parquet`` and the like into the output, and to :attr:`CorpusConfig.target` where there is one.

    Raises:
        CorpusError: the target cannot be written.
    """
    output = store.root.parent
    files = _files(store, published, duplicates, config)
    for name, source in files.items():
        _place(source, output / name)
        if config.target is not None:
            copy_to(source, f"{config.target.rstrip('/')}/{name}")
    for folder in {name.partition("/")[0] for name in files if "/" in name}:
        for path in (output / folder).rglob("*"):  # of an earlier round
            if path.is_file() and path.relative_to(output).as_posix() not in files:
                path.unlink()


def _files(store: TaskStore, published: Sequence[Manifest], duplicates: Manifest | None, config: CorpusConfig) -> dict[str, Path]:
    """Files by what they are called in the output."""
    found = {}
    for number, manifest in enumerate(published):
        for what in manifest.files:
            source = store.file(manifest, what)
            folder = _FOLDERS.get(what, what)
            if source.is_dir():
                for file in sorted(path for path in source.rglob("*") if path.is_file()):
                    found[f"{folder}/{file.relative_to(source).as_posix()}"] = file
            elif what != "dropped" or config.dropped:
                found[f"{folder}/part-{number:06d}{source.suffix}"] = source
    if duplicates is not None:
        found["duplicates.parquet"] = store.file(duplicates, "duplicates")
    return found


def _place(source: Path, target: Path) -> None:
    """A link to a file, or a copy, put in place in one move."""
    target.parent.mkdir(parents=True, exist_ok=True)
    draft = draft_name(target)
    draft.unlink(missing_ok=True)
    try:
        os.link(source, draft)
    except OSError:  # no links here
        shutil.copyfile(source, draft)
    rename_into_place(draft, target)
