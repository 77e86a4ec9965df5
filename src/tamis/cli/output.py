"""Outputs of records: JSON lines, Parquet, a folder with a file for each page, or standard output.

Until the run is over, the output's name ends in ``.partial``; an interrupted run leaves it so.
"""

from __future__ import annotations

import gzip
import json
import os
import shutil
import sys
from abc import ABC, abstractmethod
from hashlib import blake2b
from pathlib import Path, PurePosixPath
from typing import TYPE_CHECKING, Any, BinaryIO, cast

from tamis.errors import MissingExtraError, UsageError
from tamis.io.collections import LINE_ENDINGS, PARQUET
from tamis.io.writing import partial_name, refuse_existing

if TYPE_CHECKING:
    from tamis.corpus.batch import Record

_SUFFIX = {"text": ".txt", "markdown": ".md", "html": ".html", "json": ".json"}
_LONGEST_NAME = 120
_ROWS = 1_000
"""Rows of Parquet that are written together."""
_FORBIDDEN = str.maketrans(dict.fromkeys([*map(chr, range(32)), *'<>:"|?*\\\x7f'], "_"))


class Output(ABC):
    """Takes records, in order, once it has been started."""

    partial: Path | None = None
    """What an interrupted run leaves behind."""

    @abstractmethod
    def start(self) -> None:
        """Make the partial output."""

    @abstractmethod
    def add(self, record: Record, place: PurePosixPath) -> None:
        """Write one record. ``place``: a relative path that mirrors where its page came from."""

    @abstractmethod
    def close(self) -> None:
        """Close files; what was written stays partial."""

    def finish(self) -> None:
        """Close, and give the output its name."""
        self.close()


class Lines(Output):
    """A file of JSON lines, gzip where its name ends so."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self.partial = partial_name(path)
        self._file: BinaryIO | None = None
        self._packed: gzip.GzipFile | None = None

    def start(self) -> None:
        """Make the file."""
        self._path.parent.mkdir(parents=True, exist_ok=True)
        self._file = partial_name(self._path).open("wb")
        if self._path.suffix == ".gz":  # no name and no time in the header: the same records give the same bytes
            self._packed = gzip.GzipFile("", "wb", 6, self._file, mtime=0)

    def add(self, record: Record, place: PurePosixPath) -> None:
        """Write one line."""
        cast("BinaryIO", self._packed or self._file).write(as_line(record.to_dict()))

    def close(self) -> None:
        """Close the file."""
        if self._packed is not None:
            self._packed.close()
        if self._file is not None:
            self._file.close()

    def finish(self) -> None:
        """Close the file and give it its name."""
        self.close()
        partial_name(self._path).replace(self._path)


class Table(Output):
    """A Parquet file with a row for each record; metadata and problems are JSON text."""

    def __init__(self, path: Path, forms: tuple[str, ...]) -> None:
        try:
            import pyarrow as pa
            from pyarrow import parquet
        except ImportError as error:
            raise MissingExtraError("writing Parquet", "parquet") from error
        names = ("source", "url", "status", *(form for form in forms if form != "json"), "metadata", "problems", "encoding")
        self._schema = pa.schema([(name, pa.string()) for name in names])
        self._pa, self._parquet = pa, parquet
        self._path = path
        self.partial = partial_name(path)
        self._rows: list[dict[str, str | None]] = []
        self._writer: Any = None

    def start(self) -> None:
        """Make the file."""
        self._path.parent.mkdir(parents=True, exist_ok=True)
        self._writer = self._parquet.ParquetWriter(str(partial_name(self._path)), self._schema, compression="zstd")

    def add(self, record: Record, place: PurePosixPath) -> None:
        """Keep one row; rows are written some at a time."""
        plain = record.to_dict()
        self._rows.append({name: _as_text(plain[name]) for name in self._schema.names})
        if len(self._rows) >= _ROWS:
            self._write()

    def _write(self) -> None:
        self._writer.write_table(self._pa.Table.from_pylist(self._rows, self._schema))
        self._rows = []

    def close(self) -> None:
        """Write the rest and close the file."""
        if self._writer is not None:
            if self._rows:
                self._write()
            self._writer.close()
            self._writer = None

    def finish(self) -> None:
        """Close the file and give it its name."""
        self.close()
        partial_name(self._path).replace(self._path)


def _as_text(value: object) -> str | None:
    text = value if value is None or isinstance(value, str) else json.dumps(value, ensure_ascii=False)
    return text if text is None else text.encode("utf-8", "replace").decode()


class StandardOutput(Output):
    """JSON lines on standard output."""

    def start(self) -> None:
        """Nothing is to be made."""

    def add(self, record: Record, place: PurePosixPath) -> None:
        """Write one line."""
        sys.stdout.buffer.write(as_line(record.to_dict()))
        sys.stdout.buffer.flush()

    def close(self) -> None:
        """Nothing is left to close."""


class Folder(Output):
    """A folder with a file for each page that has a main text, named like the page; ``forms``: text, markdown, html, json."""

    def __init__(self, path: Path, forms: tuple[str, ...]) -> None:
        self._path = path
        self._forms = forms
        self._taken: set[bytes] = set()
        self.partial = partial_name(path)

    def start(self) -> None:
        """Make the folder."""
        partial = partial_name(self._path)
        shutil.rmtree(partial, ignore_errors=True)  # of an earlier run that was interrupted
        partial.mkdir(parents=True)

    def add(self, record: Record, place: PurePosixPath) -> None:
        """Write one page, once in each form."""
        if record.status != "ok":
            return
        bare = self._free(safe_place(place))
        for form in self._forms:
            target = partial_name(self._path) / bare.with_name(bare.name + _SUFFIX[form])
            target.parent.mkdir(parents=True, exist_ok=True)
            target.write_bytes(_page(record, form))

    def close(self) -> None:
        """Nothing is left to close."""

    def finish(self) -> None:
        """Give the folder its name; where there is one already, its files are replaced one by one and no other file is touched."""
        partial = partial_name(self._path)
        if not self._path.exists():
            partial.replace(self._path)
            return
        for here, _, names in os.walk(partial):
            target = self._path / Path(here).relative_to(partial)
            target.mkdir(parents=True, exist_ok=True)
            for name in names:
                (Path(here) / name).replace(target / name)
        shutil.rmtree(partial)

    def _free(self, place: PurePosixPath) -> PurePosixPath:
        """The place, or the next of the same name that is free, also where upper and lower case are the same."""
        number, free = 1, place
        while (key := blake2b(str(free).casefold().encode("utf-8", "replace"), digest_size=12).digest()) in self._taken:
            number += 1
            free = place.with_name(f"{place.name}~{number}")
        self._taken.add(key)
        return free


class Failures:
    """The pages that failed, beside an output; a file only where there are any."""

    def __init__(self, output: str) -> None:
        self.path = failures_path(output) if output != "-" else None
        self._file: BinaryIO | None = None

    @property
    def written(self) -> bool:
        """Whether there are any."""
        return self._file is not None

    def add(self, record: Record) -> None:
        """Write one line if the page failed: source, url, stage, reason."""
        if record.failure is None or self.path is None:
            return
        if self._file is None:
            self._file = partial_name(self.path).open("wb")
        values = {"source": record.source, "url": record.url, "stage": record.failure.stage, "reason": record.failure.reason}
        self._file.write(as_line(values))

    def close(self) -> None:
        """Close the file."""
        if self._file is not None:
            self._file.close()

    def finish(self) -> None:
        """Close the file and give it its name; without failures, one of an earlier run goes."""
        self.close()
        if self.path is None:
            return
        if self._file is not None:
            partial_name(self.path).replace(self.path)
        else:
            self.path.unlink(missing_ok=True)


def open_output(path: str, forms: tuple[str, ...], overwrite: bool) -> Output:
    """The output that a path stands for.

    Raises:
        UsageError: it exists and is not to be overwritten, or it is neither of the kinds that are written.
    """
    parquet = path.lower().endswith(PARQUET)
    lines = path.lower().endswith(LINE_ENDINGS) or parquet
    if "json" in forms and (lines or path == "-"):
        raise UsageError("rows hold all that --format json writes: choose text, markdown or html for what is in them")
    if path == "-":
        return StandardOutput()
    target = _named(path)
    if not lines and target.suffix and not target.is_dir() and not path.endswith(("/", os.sep)):
        kinds = f"{', '.join((*LINE_ENDINGS[:2], PARQUET[0]))}, a folder (ending with /), or - for standard output"
        raise UsageError(f"{path}: unknown output format; use {kinds}")
    if lines and target.is_dir():
        raise UsageError(f"{path} is a folder, and its name is that of a file")
    refuse_existing(target, overwrite=overwrite)
    if not lines and target.is_file():
        raise UsageError(f"{path} is a file; name a file {', '.join(LINE_ENDINGS[:2])} or a folder")
    if parquet:
        return Table(target, forms)
    return Lines(target) if lines else Folder(target, forms)


def failures_path(path: str) -> Path:
    """The file beside an output that names the pages that failed.

    >>> str(failures_path("out/pages.jsonl.gz")), str(failures_path("texts/"))
    ('out/pages.failures.jsonl', 'texts.failures.jsonl')
    """
    name = _named(path).name
    for ending in sorted(LINE_ENDINGS, key=len, reverse=True):
        name = name.removesuffix(ending)
    return _named(path).with_name(f"{name}.failures.jsonl")


def _named(path: str) -> Path:
    """A path with a name, which ``.`` and ``..`` have not."""
    return Path(path) if Path(path).name not in ("", "..") else Path(path).resolve()


def as_line(values: object) -> bytes:
    """Plain values as a line of JSON in UTF-8."""
    return json.dumps(values, ensure_ascii=False).encode("utf-8", "replace") + b"\n"


def safe_place(place: PurePosixPath) -> PurePosixPath:
    """A relative path without the page's suffix, of names that every system can hold.

    >>> str(safe_place(PurePosixPath("a/../b?c/page.html.gz"))), str(safe_place(PurePosixPath("/x/" + "y" * 300)))[:10]
    ('a/b_c/page', 'x/yyyyyyyy')
    """
    parts = [part for part in place.parts if part not in ("/", "..", ".")] or ["page"]
    for suffix in (".gz", ".html", ".htm", ".xhtml"):
        if parts[-1].lower().endswith(suffix) and len(parts[-1]) > len(suffix):
            parts[-1] = parts[-1][: -len(suffix)]
    return PurePosixPath(*map(_safe_name, parts))


def _safe_name(name: str) -> str:
    safe = name.encode("utf-8", "replace").decode("utf-8").translate(_FORBIDDEN).rstrip(". ") or "_"
    if len(safe.encode()) <= _LONGEST_NAME:
        return safe
    mark = blake2b(name.encode("utf-8", "replace"), digest_size=6).hexdigest()
    return safe.encode()[: _LONGEST_NAME - 13].decode("utf-8", "ignore") + "~" + mark


def _page(record: Record, form: str) -> bytes:
    if form == "json":
        return json.dumps(record.to_dict(), ensure_ascii=False, indent=2).encode("utf-8", "replace") + b"\n"
    return ((record.content[form] or "").rstrip("\n") + "\n").encode("utf-8", "replace")
