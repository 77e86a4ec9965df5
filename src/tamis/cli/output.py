"""Outputs of records: JSON lines, Parquet, a folder of files, or standard output; ``.partial`` until the run is complete."""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Callable, Iterable, Iterator
from contextlib import AbstractContextManager, contextmanager
from importlib.util import find_spec
from pathlib import Path
from typing import Any, TypeAlias

import tamis
from tamis.corpus.batch import ChunkRows
from tamis.document.chunks import OF_CHUNKS
from tamis.document.detection import DETECTED
from tamis.document.document import ENDINGS
from tamis.errors import MissingExtraError, UsageError
from tamis.io.arguments import PARQUET_SUFFIXES
from tamis.io.collections import LINE_ENDINGS
from tamis.io.naming import Names, place_of, safe_place
from tamis.io.writing import as_line, check_outputs, folder_written_whole, lines_written_whole, partial_name, written_whole

_NUMBERS = {DETECTED[1]: "float64", "number": "int64", "size": "int64"}  #: Columns of Parquet that hold numbers.

Add: TypeAlias = Callable[["tamis.Record"], object]  #: Writes one record.
Rows: TypeAlias = Callable[["tamis.Record"], Iterable[dict[str, Any]]]  #: The rows of a record.


def for_page(record: tamis.Record) -> Iterable[dict[str, Any]]:
    """Return one row for a page."""
    return (record.to_dict(),)


@contextmanager
def lines(path: Path | None, rows: Rows = for_page) -> Iterator[Add]:
    """JSON lines to a file, as gzip if its name ends so (without name and time), or to standard output, where each line shows at once."""
    if path is None:
        out = sys.stdout.buffer
        yield lambda record: (out.writelines(map(as_line, rows(record))), out.flush())
        return
    with lines_written_whole(path, keep=True) as stream:
        yield lambda record: stream.writelines(map(as_line, rows(record)))


@contextmanager
def table(path: Path, names: tuple[str, ...], rows: Rows = for_page) -> Iterator[Add]:
    """Open a Parquet file with columns of these names. Objects and lists are JSON text."""
    from tamis.corpus.tables import Writer

    with written_whole(path, keep=True) as raw, Writer(raw, {name: _NUMBERS.get(name, "string") for name in names}) as writer:

        def add(record: tamis.Record) -> None:
            for row in rows(record):
                writer.add({name: _as_text(row.get(name)) for name in names})

        try:
            yield add
        finally:
            writer.flush()  # an interrupted run leaves its rows, too


def _as_text(value: object) -> str | float | None:
    if value is None or isinstance(value, (int, float)):
        return value
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)


@contextmanager
def folder(path: Path, forms: tuple[str, ...]) -> Iterator[Add]:
    """Open a folder with a file for each page that has a main text, named like its address or else its file, once in each form."""
    names = Names()
    with folder_written_whole(path, keep=True) as draft:

        def add(record: tamis.Record) -> None:
            if record.status != "ok":
                return
            bare = names.free(safe_place(place_of(record.url) if record.url else record.place))
            for form in forms:
                target = draft / bare.with_name(bare.name + ENDINGS[form])
                target.parent.mkdir(parents=True, exist_ok=True)
                target.write_bytes(_form_bytes(record, form))

        yield add


@contextmanager
def failures(path: Path | None) -> Iterator[Callable[[object], object]]:
    """Write what failed as JSON lines, where there is a path; without failures there is no file."""
    if path is None:
        yield lambda _: None
        return
    with written_whole(path, keep=True) as stream:
        yield lambda failure: stream.write(as_line(failure))
    if path.is_file() and not path.stat().st_size:
        path.unlink()


def open_output(
    path: str, forms: tuple[str, ...], overwrite: bool, parts: tuple[str, ...] = (), *, keeps: bool = False, chunked: bool = False
) -> tuple[AbstractContextManager[Add], Path | None]:
    """Return the output for a path, and the file or folder that an interrupted run leaves. ``parts``: what rows hold besides the formats;
    ``keeps``: whether they hold fields of the input; ``chunked``: whether there is a row for each chunk."""
    rows = ChunkRows() if chunked else for_page
    parquet = path.lower().endswith(PARQUET_SUFFIXES)
    is_file = path.lower().endswith(LINE_ENDINGS) or parquet
    if "json" in forms and (is_file or path == "-"):
        raise UsageError("rows hold all that --format json writes: choose another format for what is in them")
    if path == "-":
        return lines(None, rows), None
    target = _named_path(path)
    if not is_file and target.suffix and not target.is_dir() and not path.endswith(("/", os.sep)):
        kinds = f"{', '.join((*LINE_ENDINGS[:2], PARQUET_SUFFIXES[0]))}, a folder (ending with /), or - for standard output"
        raise UsageError(f"{path}: unknown output format; use {kinds}")
    check_outputs(target, overwrite=overwrite)
    if "chunks" in parts and not is_file and "json" not in forms:
        otherwise = "" if chunked else ", or use --format json"
        raise UsageError(f"chunks are written as rows, not into a folder: name a file .jsonl, .jsonl.gz or .parquet{otherwise}")
    if is_file and target.is_dir():
        raise UsageError(f"{path} is a folder with the name of a file")
    if not is_file and target.exists() and not target.is_dir():
        raise UsageError(f"{path} is {'a file; name it .jsonl, or name a folder' if target.is_file() else 'neither a file nor a folder'}")
    if parquet and find_spec("pyarrow") is None:
        raise MissingExtraError("writing Parquet", "parquet")
    if parquet:
        parts = (*parts, "fields") if keeps else parts
        names = ("source", "url", "status", *(form for form in forms if form != "json"), *parts, "metadata", "problems", "encoding")
        if chunked:
            names = (*OF_CHUNKS, *(name for name in parts if name != "chunks"))
        return table(target, names, rows), partial_name(target)
    return lines(target, rows) if is_file else folder(target, forms), partial_name(target)


def failures_path(path: str) -> Path | None:
    """Return the file beside an output that names the pages that failed; None for standard output.

    >>> str(failures_path("out/pages.jsonl.gz")), str(failures_path("texts/")), failures_path("-")
    ('out/pages.failures.jsonl', 'texts.failures.jsonl', None)
    """
    if path == "-":
        return None
    name = _named_path(path).name
    for ending in sorted(LINE_ENDINGS, key=len, reverse=True):
        name = name.removesuffix(ending)
    return _named_path(path).with_name(f"{name}.failures.jsonl")


def _named_path(path: str) -> Path:
    """Return a path with a name, which ``.`` and ``..`` have not."""
    return Path(path) if Path(path).name not in ("", "..") else Path(path).resolve()


def _form_bytes(record: tamis.Record, form: str) -> bytes:
    if form == "json":
        return json.dumps(record.to_dict(), ensure_ascii=False, indent=2).encode("utf-8", "replace") + b"\n"
    return ((record.content[form] or "").rstrip("\n") + "\n").encode("utf-8", "replace")
