"""Last stage: the documents that stay, in the formats asked for, and put where a user looks for them, each file in one move."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import closing
from hashlib import blake2b
from itertools import chain, groupby
from operator import itemgetter
from pathlib import Path, PurePosixPath
from typing import Any
from urllib.parse import quote

from tamis.corpus.config import CorpusConfig
from tamis.corpus.tables import BATCH, DOCUMENTS, WRITTEN, arrow, database, identity, quoted, read_columns, rows
from tamis.corpus.tasks import Manifest, TaskStore, Work
from tamis.document.detection import language_of
from tamis.document.render import front_matter
from tamis.io.files import copy_to
from tamis.io.naming import Names, place_of, safe_place
from tamis.io.writing import draft_name, link
from tamis.io.writing import put_in_place as rename_into_place

_LONGEST_FOLDER = 200  # bytes of a name of a folder, quoted; file systems take 255, the column's name included
_MOST_FOLDERS = 1_000_000
UNKNOWN = "unknown"  #: the folder of documents without a value: pandas cannot read a partition whose value is missing
OPEN_FILES = 128  #: files of a partitioned corpus that a task writes at a time; beyond, the one opened first is closed and begun again
_MEMORY = "512MB"
_FOLDERS = {"lines": "jsonl", "rows": "csv", "parts": "documents"}
"""Folders of the output whose names differ from those of the files of a task."""


def publish(work: Work) -> Mapping[str, Any]:
    """Run the task: write a shard's documents without duplicates as ``documents.parquet``, a folder ``parts`` (partitioned),
    ``lines.jsonl``, ``rows.csv`` or a folder ``markdown``; ``records.parquet`` of the same pages; ``failures.parquet`` and
    ``dropped.parquet``. Of a page that was cleaned several times, the last time counts."""
    needs, config = work.task.needs, work.config
    tables = {what: [work.root / file for file in files] for what, files in needs["tables"].items()}
    last: dict[int, int] = {}
    if len(tables["documents"]) > 1:
        for time, pair in enumerate(zip(tables["documents"], tables["failures"], strict=True)):
            last.update(dict.fromkeys(chain.from_iterable(map(_ids_in, pair)), time))
    copies = frozenset[int]()
    if needs["duplicates"] is not None:
        copies = frozenset(_copies_of_shard(work.root / needs["duplicates"], work.task.number))
    gone = {"documents": copies, "records": copies}
    counts = {what: _without(files, work.path(f"{what}.parquet"), last, gone.get(what, frozenset())) for what, files in tables.items()}
    whole = work.path("documents.parquet")
    cells = ", ".join(map(_csv_cell, DOCUMENTS))
    for form, columns, name, how in (("jsonl", "*", "lines.jsonl", "format json"), ("csv", cells, "rows.csv", "format csv, header true")):
        if form in config.formats:
            with closing(database(_MEMORY, work.folder)) as base:
                base.execute(f"copy (select {columns} from {quoted(whole)}) to {quoted(work.path(name))} ({how})")
    if "markdown" in config.formats:
        names = Names()
        work.path("markdown").mkdir()
        for row in rows(whole, [name for name in DOCUMENTS if name != "text"]):
            place = names.free(_file_place(row))
            target = work.path("markdown") / place.with_name(f"{place.name}.md")
            target.parent.mkdir(parents=True, exist_ok=True)
            target.write_text((front_matter(row) if config.front_matter else "") + row["markdown"], encoding="utf-8")
    if "parquet" in config.formats and config.partition is not None:
        _partitioned(work, config.partition)
    if "parquet" not in config.formats or config.partition is not None:
        whole.unlink()
    return {"documents": counts["documents"], "records": counts.get("records", 0)}


def _file_place(row: Mapping[str, Any]) -> PurePosixPath:
    """Return the place of a document's file, without suffix: by its address, or else by the file that it was read from."""
    if row["url"]:
        return safe_place(place_of(row["url"]))
    site, source = row["site"], row["source"]
    inner = source.partition(f"{site}/")[2]
    return safe_place(PurePosixPath(*[site] * ("/" not in site), inner) if inner else PurePosixPath(Path(source).name))


def _copies_of_shard(path: Path, shard: int) -> Iterator[int]:
    """Yield the copies among a shard's pages, and others in the same row groups."""
    with arrow().parquet.ParquetFile(path) as file:
        for group in range(file.num_row_groups):
            ids = file.metadata.row_group(group).column(0).statistics
            if ids is not None and ids.min < identity(shard + 1, 0) and ids.max >= identity(shard, 0):
                yield from file.read_row_group(group, ["id"]).column(0).to_pylist()


def _ids_in(path: Path) -> list[int]:
    return read_columns(path, ["id"]).column(0).to_pylist()  # type: ignore[no-any-return]  # Arrow has no types


def _without(files: Sequence[Path], target: Path, last: Mapping[int, int], gone: frozenset[int]) -> int:
    """Return a table as one file; how many rows it has. ``files``: by the time pages were cleaned; ``last``: by page, the time that counts;
    ``gone``: pages that are left out. A file that stays as it is is linked."""
    if len(files) == 1 and gone.isdisjoint(_ids_in(files[0]) if gone else ()):
        link(files[0], target)
        return int(arrow().parquet.ParquetFile(target).metadata.num_rows)
    count = 0
    with arrow().parquet.ParquetWriter(target, arrow().parquet.ParquetFile(files[0]).schema_arrow, **WRITTEN) as writer:
        for time, file in enumerate(files):
            for batch in arrow().parquet.ParquetFile(file).iter_batches(BATCH):
                stays = [last.get(id, time) == time and id not in gone for id in batch.column("id").to_pylist()]
                count += sum(stays)
                if any(stays):  # in slices: a filter would load all functions of pyarrow
                    runs = (list(run) for stay, run in groupby(enumerate(stays), itemgetter(1)) if stay)
                    writer.write_table(arrow().Table.from_batches([batch.slice(run[0][0], len(run)) for run in runs]))
    return count


def _csv_cell(name: str) -> str:
    """Return a column for CSV: lists joined by semicolons; an apostrophe before what a spreadsheet would take for a formula."""
    if DOCUMENTS[name].startswith("list<"):
        return f"array_to_string({name}, '; ') as {name}"
    return rf"regexp_replace({name}, '\A([=+\-@\t\r\n])', '''\1') as {name}" if DOCUMENTS[name] == "string" else name


def _partitioned(work: Work, column: str) -> None:
    """The documents in folders by a column, ``site=example.org/part-000000-0.parquet``, not in one file. The language is the one that
    counts (:func:`tamis.document.detection.language_of`)."""
    import pyarrow.dataset as ds

    whole = work.path("documents.parquet")
    file = arrow().parquet.ParquetFile(whole)
    field, place = file.schema_arrow.field(column), file.schema_arrow.get_field_index(column)
    schema = arrow().schema([field])

    def in_short_folders(batch: Any) -> Any:
        values = batch.column(place).to_pylist()
        if column == "language":
            values = map(language_of, batch.column("detected_language").to_pylist(), values)
        names = [folder_value(value) for value in values]
        return batch.set_column(place, field, arrow().array(names, "string"))

    ds.write_dataset(
        map(in_short_folders, file.iter_batches()),
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


def folder_value(value: str | None) -> str:
    """Return the name of a folder of a partitioned corpus for a value: the value, or its beginning and a hash if it is too long.

    >>> folder_value("example.org"), len(folder_value("a" * 300 + ".example")), folder_value(None)
    ('example.org', 57, 'unknown')
    """
    if not value:
        return UNKNOWN
    if len(quote(value, safe="")) <= _LONGEST_FOLDER:
        return value
    return f"{value[:40]}~{blake2b(value.encode(), digest_size=8).hexdigest()}"


def put_in_place(store: TaskStore, published: Sequence[Manifest], duplicates: Manifest | None, config: CorpusConfig) -> None:
    """Put ``documents/part-000000.parquet`` and the like into the output, and into :attr:`CorpusConfig.target` if it is set."""
    output = store.root.parent
    files = _files(store, published, duplicates, config)
    for name, source in files.items():
        target = output / name
        target.parent.mkdir(parents=True, exist_ok=True)
        draft = draft_name(target)
        draft.unlink(missing_ok=True)
        link(source, draft)
        rename_into_place(draft, target)
        if config.target is not None:
            copy_to(source, f"{config.target.rstrip('/')}/{name}")
    for folder in {name.partition("/")[0] for name in files if "/" in name}:
        for path in (output / folder).rglob("*"):  # of an earlier round
            if path.is_file() and path.relative_to(output).as_posix() not in files:
                path.unlink()


def _files(store: TaskStore, published: Sequence[Manifest], duplicates: Manifest | None, config: CorpusConfig) -> dict[str, Path]:
    found = {}
    names = Names()
    for number, manifest in enumerate(published):
        for what in manifest.files:
            source = store.file(manifest, what)
            folder = _FOLDERS.get(what, what)
            if source.is_dir():
                for file in sorted(path for path in source.rglob("*") if path.is_file()):
                    place = PurePosixPath(folder, file.relative_to(source))
                    free = names.free(place.with_suffix(""))  # shards may have files of one name
                    found[str(free.with_name(free.name + place.suffix))] = file
            elif what != "dropped" or config.dropped:
                found[f"{folder}/part-{number:06d}{source.suffix}"] = source
    if duplicates is not None:
        found["duplicates.parquet"] = store.file(duplicates, "duplicates")
    return found
