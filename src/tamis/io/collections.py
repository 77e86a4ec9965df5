"""Collections of texts (JSON lines, Parquet, folders of text files): read as documents, and copied without the duplicates."""

from __future__ import annotations

import json
import os
import shutil
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Iterator
from contextlib import suppress
from dataclasses import dataclass
from itertools import chain
from pathlib import Path
from typing import Any

from tamis.errors import SourceError, UsageError
from tamis.io.arguments import PARQUET_SUFFIXES, source_around
from tamis.io.files import leads_out
from tamis.io.parquet import parquet_file
from tamis.io.sources import first_records, numbered
from tamis.io.writing import folder_written_whole, lines_written_whole, written_whole

LINE_ENDINGS = (".jsonl", ".jsonl.gz", ".jsonl.zst", ".ndjson", ".ndjson.gz", ".ndjson.zst")
TEXTS = (".txt", ".md")
FIRST = "pages are cleaned first (tamis clean)"
USUAL = {"id": ("id", "source"), "text": ("text", "markdown", "content"), "url": ("url",), "time": ("time", "date", "published")}
"""Default names of fields. The time is also the date in the metadata that tamis clean writes."""


@dataclass(frozen=True, slots=True)
class FieldNames:
    """Names of fields; None: those of :data:`USUAL`."""

    id: str | None = None
    text: str | None = None
    url: str | None = None
    time: str | None = None

    def of(self, kind: str) -> tuple[str, ...]:
        """Return the fields that may hold a value; the first one present counts."""
        given: str | None = getattr(self, kind)
        return (given,) if given else USUAL[kind]


@dataclass(frozen=True, slots=True)
class Item:
    """One document of a collection."""

    place: str  #: file, or file and line: what it is called in messages
    id: str | None
    text: str | None  #: None if it has none
    url: str | None = None
    time: str | None = None
    failure: str | None = None  #: why it could not be read
    canonical: str | None = None  #: the address that the page states as its own


class Collection(ABC):
    """Documents in one or several files of a kind. Raises SourceError or UsageError if a file is missing or has no texts."""

    def __init__(self, paths: list[Path], names: FieldNames) -> None:
        self._paths, self._names = paths, names

    @abstractmethod
    def items(self) -> Iterator[Item]:
        """Yield all documents, in order; the same each time."""

    @abstractmethod
    def copy(self, target: Path, keep: Callable[[int], bool]) -> None:
        """Write the documents that are kept, by their numbers. What is not complete has another name."""

    def _check_text(self, path: Path, there: Iterable[str], kind: str) -> None:
        """Raise UsageError if none of these fields or columns holds the text."""
        wanted = self._names.of("text")
        if not set(wanted) & set(there):
            raise UsageError(f"{path} has no {kind} {' or '.join(wanted)}; --text-field names it. It has: {', '.join(there)}")


def open_collection(words: list[str], names: FieldNames) -> Collection:
    """Return the collection at some paths. Raises SourceError if one is missing, UsageError if they are of several kinds, or of none."""
    paths: list[Path] = []
    for word in words:
        if word == "-":
            raise UsageError("texts are read twice, so they cannot come from standard input; name a file")
        if not Path(word).exists():
            raise SourceError(f"there is no file or folder {word!r}")
        paths += _files_in(Path(word))
    kinds = {_form_of_texts(str(path)) for path in paths}
    if len(kinds) > 1:
        raise UsageError("several inputs have to be of one kind: JSON lines, or Parquet, or folders")
    kind = kinds.pop()
    return kind(paths, names)


def _files_in(path: Path) -> list[Path]:
    """Return the tables in a folder, such as the output of ``tamis corpus run``; the path itself if it holds none."""
    folder = path / "documents" if (path / "documents").is_dir() else path
    return sorted(each for each in folder.glob("*") if each.name.lower().endswith(PARQUET_SUFFIXES)) or [path]


def check_target(collection: Collection, target: str, words: list[str]) -> Path:
    """Return the path to write to. Raises UsageError unless it is of the collection's kind, and none of its own files."""
    path = Path(target)
    if type(collection) is not _form_of_texts(target):
        kind = {JsonLines: "JSON lines", Parquet: "Parquet", TextFolder: "a folder"}[type(collection)]
        raise UsageError(f"the output is of the same kind as the input, {kind}; {target} is not")
    if source_around(path, words) is not None or path.resolve() in [Path(word).resolve() for word in words]:
        raise UsageError(f"{target} is where the texts are read from; name another output")
    return path


def _form_of_texts(word: str) -> type[Collection]:
    lower = word.lower()
    if Path(word).is_dir() or word.endswith(("/", os.sep)):
        return TextFolder
    if lower.endswith(LINE_ENDINGS):
        return JsonLines
    if lower.endswith(PARQUET_SUFFIXES):
        return Parquet
    if not Path(word).suffix:
        return TextFolder
    kinds = f"JSON lines ({', '.join(LINE_ENDINGS)}), Parquet ({', '.join(PARQUET_SUFFIXES)}), or a folder of text files; {FIRST}"
    raise UsageError(f"{word} is not a supported form of texts: {kinds}")


def _item(place: str, record: dict[str, Any], names: FieldNames) -> Item:
    def first(fields: tuple[str, ...]) -> str | None:
        found = next((record[field] for field in fields if record.get(field) is not None), None)
        if isinstance(found, bytes):
            return found.decode("utf-8", "replace")
        return found if found is None or isinstance(found, str) else str(found)

    record = {**_stated_fields(record.get("metadata")), **record}
    known = any(field in record for field in names.of("text")) or "status" in record
    failure = None if known else f"there is no field {' or '.join(names.of('text'))}; --text-field names it"
    field = next((field for field in names.of("text") if record.get(field) is not None), "")
    if isinstance(record.get(field), (list, dict)):
        failure = f"the field {field} holds a {type(record[field]).__name__}, not a text"
    id, text, url, time = (first(names.of(kind)) for kind in USUAL)
    return Item(place, id or None, text, url or None, time, failure, first(("canonical_url",)))


def _stated_fields(metadata: object) -> dict[str, str]:
    """Return date and address from the metadata that ``tamis clean`` writes; Parquet has them as JSON."""
    if isinstance(metadata, str):
        with suppress(ValueError, RecursionError):
            metadata = json.loads(metadata)
    found = metadata if isinstance(metadata, dict) else {}
    return {name: found[name] for name in ("date", "canonical_url") if isinstance(found.get(name), str)}


class JsonLines(Collection):
    """One object a line, as ``tamis clean`` writes them; gzip too."""

    def __init__(self, paths: list[Path], names: FieldNames) -> None:
        super().__init__(paths, names)
        for path in paths:
            records = (record for record in first_records(str(path)) if record.get("status") not in ("failed", "empty"))
            if fields := dict.fromkeys(chain.from_iterable(records)):
                self._check_text(path, fields, "field")

    def items(self) -> Iterator[Item]:
        """Yield all documents, in order; the same each time."""
        for path, number, line in self._lines():
            place = f"{path}:{number}"
            try:
                record = json.loads(line)
            except (ValueError, RecursionError) as error:
                yield Item(place, None, None, failure=f"no JSON: {str(error)[:100]}")
                continue
            yield _item(place, record, self._names) if isinstance(record, dict) else Item(place, None, None, failure="no JSON object")

    def copy(self, target: Path, keep: Callable[[int], bool]) -> None:
        """Write the lines that are kept, as they are."""
        with lines_written_whole(target) as stream:
            for place, (_, _, line) in enumerate(self._lines()):
                if keep(place):
                    stream.write(line.rstrip(b"\r\n") + b"\n")

    def _lines(self) -> Iterator[tuple[Path, int, bytes]]:
        for path in self._paths:
            for number, line in numbered(str(path)):
                if isinstance(line, SourceError):
                    raise line
                if line.strip():
                    yield path, number, line


class Parquet(Collection):
    """Tables with a text in each row."""

    def __init__(self, paths: list[Path], names: FieldNames) -> None:
        super().__init__(paths, names)
        wanted = (*names.of("id"), *names.of("text"), *names.of("url"), *names.of("time"), "status", "metadata", "canonical_url")
        self._columns: dict[Path, list[str]] = {}
        for path in paths:
            there = parquet_file(path).schema_arrow.names
            self._columns[path] = [name for name in wanted if name in there]
            self._check_text(path, there, "column")

    def items(self) -> Iterator[Item]:
        """Yield all documents, in order; the same each time."""
        for path in self._paths:
            number = 0
            for batch in parquet_file(path).iter_batches(1024, columns=self._columns[path]):
                for record in batch.to_pylist():
                    number += 1
                    yield _item(f"{path}:{number}", record, self._names)

    def copy(self, target: Path, keep: Callable[[int], bool]) -> None:
        """Write the rows that are kept, with all of their columns."""
        from pyarrow.parquet import ParquetWriter

        schema = parquet_file(self._paths[0]).schema_arrow
        first = 0
        with written_whole(target) as stream, ParquetWriter(stream, schema) as writer:
            for path in self._paths:
                for batch in parquet_file(path).iter_batches(1024):
                    if batch.schema.names != schema.names:
                        raise UsageError(f"{path} has other columns than {self._paths[0]}")
                    kept = [place for place in range(batch.num_rows) if keep(first + place)]
                    first += batch.num_rows
                    if kept:
                        writer.write_batch(batch.take(kept).cast(schema))


class TextFolder(Collection):
    """Text files in folders; a file's id is its path within."""

    def __init__(self, paths: list[Path], names: FieldNames) -> None:
        super().__init__(paths, names)
        self._files: list[tuple[Path, Path]] = []
        for root in paths:
            here = sorted(path for path in root.rglob("*") if path.suffix.lower() in TEXTS and path.is_file() and not leads_out(path, root))
            if not here:
                raise SourceError(f"{root} holds no {' or '.join(TEXTS)} files; JSON lines are named themselves, {FIRST}")
            self._files += [(path, path.relative_to(root)) for path in here]

    def items(self) -> Iterator[Item]:
        """Yield all documents, in order; the same each time."""
        for path, within in self._files:
            try:
                yield Item(str(path), within.as_posix(), path.read_text(encoding="utf-8", errors="replace"))
            except OSError as error:
                yield Item(str(path), within.as_posix(), None, failure=error.strerror or str(error))

    def copy(self, target: Path, keep: Callable[[int], bool]) -> None:
        """Copy the files that are kept; if the folder exists, only its files of the same names are replaced."""
        with folder_written_whole(target) as folder:
            for place, (path, within) in enumerate(self._files):
                if keep(place):
                    (folder / within).parent.mkdir(parents=True, exist_ok=True)
                    shutil.copyfile(path, folder / within)
