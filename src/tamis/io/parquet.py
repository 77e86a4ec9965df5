"""Pages in the rows of Parquet files."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from pathlib import Path
from typing import Any, cast

from tamis.errors import MissingExtraError, SourceError
from tamis.io.files import is_remote, open_file
from tamis.io.pages import HTML_FIELDS, BrokenSource, Fields, RowPage, Source

BATCH = 64
"""Rows in memory at a time."""


def parquet_file(path: str | Path) -> Any:
    """A Parquet file, open, here or in storage.

    Raises:
        MissingExtraError: pyarrow is not installed.
        SourceError: it cannot be read.
    """
    try:
        import pyarrow as pa
        import pyarrow.parquet
    except ImportError as error:
        raise MissingExtraError("reading Parquet", "parquet") from error
    try:
        return pa.parquet.ParquetFile(open_file(path) if is_remote(str(path)) else path)
    except (OSError, pa.ArrowException) as error:
        raise SourceError(f"cannot read {path}: {error}") from error


def page_columns(names: Sequence[str], path: str, fields: Fields) -> list[str]:
    """The column of pages, and that of addresses where there is one.

    Raises:
        SourceError: there is no column of pages, or not the one of addresses that was named.
    """
    wanted = (fields.html,) if fields.html else HTML_FIELDS
    html = next((name for name in wanted if name in names), None)
    if html is None:
        listed = " or ".join(wanted)
        raise SourceError(f"{path} has no column {listed}; it has {', '.join(names)}: name the one that holds the pages (--html-field)")
    check_address(names, path, fields, "column")
    return [html, *([fields.url] if fields.url in names else [])]


def check_address(names: Collection[str], path: str, fields: Fields, what: str) -> None:
    """See that there is a column or field for addresses, where one was named; the usual one may be missing.

    Raises:
        SourceError: there is none.
    """
    if names and fields.url not in names and fields.url != Fields().url:
        raise SourceError(f"{path} has no {what} {fields.url}; it has {', '.join(names)}: name that of the addresses (--url-field)")


def open_rows(path: str, fields: Fields = Fields(), start: int = 0, stop: int | None = None) -> Iterator[Source]:
    """The pages of a Parquet file, named by their rows, from 0; ``start`` and ``stop``: its row groups. What cannot be read stands in its
    place.

    Raises:
        SourceError: the file cannot be opened, or has no such column.
    """
    file = parquet_file(path)
    return _rows(file, path, page_columns(file.schema_arrow.names, path, fields), start, file.num_row_groups if stop is None else stop)


def _rows(file: Any, path: str, columns: list[str], start: int, stop: int) -> Iterator[Source]:
    row = sum(file.metadata.row_group(group).num_rows for group in range(start))
    try:
        for batch in file.iter_batches(BATCH, row_groups=list(range(start, stop)), columns=columns):
            addresses = _values(batch.column(1)) if len(columns) > 1 else [None] * len(batch)
            for page, address in zip(_values(batch.column(0)), addresses, strict=True):
                name = f"{path}:{row}"
                row += 1
                if page is None:
                    yield BrokenSource(name, f"{name} has no page: {columns[0]} is empty")
                elif not isinstance(page, (str, bytes)):
                    yield BrokenSource(name, f"{name} has no page: {columns[0]} holds a {type(page).__name__}")
                else:
                    yield RowPage(name, page, _address(address))
    except (OSError, ValueError, arrow_error()) as error:
        yield BrokenSource(f"{path}:{row}", f"cannot read {path} from row {row} on: {error}")


def _values(column: Any) -> list[Any]:
    """The values of a column; bytes where a text is not valid UTF-8."""
    try:
        return cast("list[Any]", column.to_pylist())
    except UnicodeDecodeError:
        return [_decoded(value) for value in column.cast("binary").to_pylist()]


def _decoded(value: bytes | None) -> str | bytes | None:
    try:
        return value if value is None else value.decode()
    except UnicodeDecodeError:
        return value


def _address(value: Any) -> str | None:
    return value if isinstance(value, str) else value.decode("utf-8", "replace") if isinstance(value, bytes) else None


def arrow_error() -> type[Exception]:
    """What pyarrow raises."""
    from pyarrow import ArrowException

    return cast("type[Exception]", ArrowException)
