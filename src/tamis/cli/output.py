"""Outputs of records: JSON lines, Parquet, a folder with a file for each page, or standard output.

Until the run is over, the output's name ends in ``.partial``; an interrupted run leaves it so.
"""

from __future__ import annotations

import gzip
import json
import os
import shutil
import sys
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext
from hashlib import blake2b
from importlib.util import find_spec
from pathlib import Path, PurePosixPath
from typing import TYPE_CHECKING, BinaryIO, TypeAlias

from tamis.errors import MissingExtraError, UsageError
from tamis.io.collections import LINE_ENDINGS, PARQUET
from tamis.io.writing import partial_name, put_in_place, refuse_existing, written_whole

if TYPE_CHECKING:
    from tamis.corpus.batch import Record

_SUFFIX = {"text": ".txt", "markdown": ".md", "html": ".html", "json": ".json"}
_LONGEST_NAME = 120
_ROWS = 1_000
"""Rows of Parquet that are written together."""
_FORBIDDEN = str.maketrans(dict.fromkeys([*map(chr, range(32)), *'<>:"|?*\\\x7f'], "_"))


Add: TypeAlias = "Callable[[Record, PurePosixPath], object]"
"""Writes one record; the path mirrors where its page came from."""


@contextmanager
def lines(path: Path) -> Iterator[Add]:
    """A file of JSON lines, gzip where its name ends so."""
    with written_whole(path) as raw, packed(raw) if path.suffix == ".gz" else nullcontext(raw) as stream:
        yield lambda record, _: stream.write(as_line(record.to_dict()))


def packed(raw: BinaryIO) -> gzip.GzipFile:
    """A gzip stream without name and time, so that the same records give the same bytes."""
    return gzip.GzipFile("", "wb", 6, raw, mtime=0)


@contextmanager
def table(path: Path, forms: tuple[str, ...]) -> Iterator[Add]:
    """A Parquet file with a row for each record; metadata and problems are JSON text."""
    import pyarrow as pa
    from pyarrow import parquet

    names = ("source", "url", "status", *(form for form in forms if form != "json"), "metadata", "problems", "encoding")
    schema = pa.schema([(name, pa.string()) for name in names])
    rows: list[dict[str, str | None]] = []

    def write() -> None:
        writer.write_table(pa.Table.from_pylist(rows, schema))
        rows.clear()

    def add(record: Record, _: PurePosixPath) -> None:
        plain = record.to_dict()
        rows.append({name: _as_text(plain[name]) for name in names})
        if len(rows) >= _ROWS:
            write()

    with written_whole(path) as raw, parquet.ParquetWriter(raw, schema, compression="zstd") as writer:
        try:
            yield add
        finally:
            write()


def _as_text(value: object) -> str | None:
    text = value if value is None or isinstance(value, str) else json.dumps(value, ensure_ascii=False)
    return text if text is None else text.encode("utf-8", "replace").decode()


@contextmanager
def standard_output() -> Iterator[Add]:
    """JSON lines on standard output."""

    def add(record: Record, _: PurePosixPath) -> None:
        sys.stdout.buffer.write(as_line(record.to_dict()))
        sys.stdout.buffer.flush()

    yield add


@contextmanager
def folder(path: Path, forms: tuple[str, ...]) -> Iterator[Add]:
    """A folder with a file for each page that has a main text, named like the page, once in each form.

    Where there is a folder of that name, its files are replaced one by one at the end, and no other file is touched.
    """
    partial = partial_name(path)
    shutil.rmtree(partial, ignore_errors=True)  # of an earlier run that was interrupted
    partial.mkdir(parents=True)
    taken: set[bytes] = set()

    def free(place: PurePosixPath) -> PurePosixPath:
        """The place, or the next of the same name that is free, also where upper and lower case are the same."""
        number, found = 1, place
        while (key := blake2b(str(found).casefold().encode("utf-8", "replace"), digest_size=12).digest()) in taken:
            number += 1
            found = place.with_name(f"{place.name}~{number}")
        taken.add(key)
        return found

    def add(record: Record, place: PurePosixPath) -> None:
        if record.status != "ok":
            return
        bare = free(safe_place(place))
        for form in forms:
            target = partial / bare.with_name(bare.name + _SUFFIX[form])
            target.parent.mkdir(parents=True, exist_ok=True)
            target.write_bytes(_page(record, form))

    yield add
    if not path.exists():
        put_in_place(partial, path)
        return
    for here, _, names in os.walk(partial):
        target = path / Path(here).relative_to(partial)
        target.mkdir(parents=True, exist_ok=True)
        for name in names:
            (Path(here) / name).replace(target / name)
    shutil.rmtree(partial)


class Failures:
    """The pages that failed, in a file beside an output; there is none where no page failed."""

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

    def __enter__(self) -> Failures:
        return self

    def __exit__(self, error: type[BaseException] | None, *_: object) -> None:
        if self._file is not None:
            self._file.close()
        if error is not None or self.path is None:
            return
        if self._file is not None:
            put_in_place(partial_name(self.path), self.path)
        else:
            self.path.unlink(missing_ok=True)  # of an earlier run


def open_output(path: str, forms: tuple[str, ...], overwrite: bool) -> tuple[AbstractContextManager[Add], Path | None]:
    """The output that a path stands for, and what an interrupted run leaves of it.

    Raises:
        UsageError: it exists and is not to be overwritten, or it is neither of the kinds that are written.
        MissingExtraError: it is Parquet, and pyarrow is not installed.
    """
    parquet = path.lower().endswith(PARQUET)
    is_file = path.lower().endswith(LINE_ENDINGS) or parquet
    if "json" in forms and (is_file or path == "-"):
        raise UsageError("rows hold all that --format json writes: choose text, markdown or html for what is in them")
    if path == "-":
        return standard_output(), None
    target = _named(path)
    if not is_file and target.suffix and not target.is_dir() and not path.endswith(("/", os.sep)):
        kinds = f"{', '.join((*LINE_ENDINGS[:2], PARQUET[0]))}, a folder (ending with /), or - for standard output"
        raise UsageError(f"{path}: unknown output format; use {kinds}")
    if is_file and target.is_dir():
        raise UsageError(f"{path} is a folder, and its name is that of a file")
    refuse_existing(target, overwrite=overwrite)
    if not is_file and target.is_file():
        raise UsageError(f"{path} is a file; name a file {', '.join(LINE_ENDINGS[:2])} or a folder")
    if parquet and find_spec("pyarrow") is None:
        raise MissingExtraError("writing Parquet", "parquet")
    return table(target, forms) if parquet else lines(target) if is_file else folder(target, forms), partial_name(target)


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
