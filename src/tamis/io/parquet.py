"""Pages in the rows of Parquet files."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any, cast

from tamis.errors import SourceError, needs_extra
from tamis.io.files import is_remote, open_file
from tamis.io.pages import BrokenSource, Fields, HeldPage, Source

BATCH = 64  # rows in memory at a time


def parquet_file(path: str | Path) -> Any:
    """Return an open Parquet file, local or in storage. Raises MissingExtraError, or SourceError if it cannot be read."""
    with needs_extra("reading Parquet", "parquet"):
        import pyarrow as pa
        import pyarrow.parquet
    try:
        return pa.parquet.ParquetFile(open_file(path) if is_remote(str(path)) else path)
    except (OSError, pa.ArrowException) as error:
        raise SourceError(f"cannot read {path}: {error}") from error


def open_rows(path: str, fields: Fields = Fields(), start: int = 0, stop: int | None = None) -> Iterator[Source]:
    """Yield the pages of a Parquet file, named by row numbers from 0, or failures of rows; ``start``, ``stop``: row groups.

    Raises:
        SourceError: the file cannot be opened, or has no such column.
    """
    file = parquet_file(path)
    names = file.schema_arrow.names
    columns = [fields.page_among(names, path, "column"), *([fields.url] if fields.url in names else [])]
    if missing := [name for name in fields.keep if name not in names]:
        raise SourceError(f"{path} has no column {', '.join(missing)}; it has {', '.join(names)}")
    return _pages_of_groups(file, path, columns, fields.keep, start, file.num_row_groups if stop is None else stop)


def _pages_of_groups(file: Any, path: str, columns: list[str], keep: tuple[str, ...], start: int, stop: int) -> Iterator[Source]:
    """Yield the pages of some row groups; a damaged group costs its own rows from the damage on."""
    first = sum(file.metadata.row_group(group).num_rows for group in range(start))
    for group in range(start, stop):
        yield from _rows_of_group(file, path, columns, keep, group, first)
        first += file.metadata.row_group(group).num_rows


def _rows_of_group(file: Any, path: str, columns: list[str], keep: tuple[str, ...], group: int, row: int) -> Iterator[Source]:
    try:
        for batch in file.iter_batches(BATCH, row_groups=[group], columns=[*dict.fromkeys((*columns, *keep))]):
            kept = (
                [{name: _as_json_value(row[name]) for name in keep} for row in batch.select(list(keep)).to_pylist()]
                if keep
                else [None] * len(batch)
            )
            addresses = _column_values(batch.column(1)) if len(columns) > 1 else [None] * len(batch)
            for page, address, own in zip(_column_values(batch.column(0)), addresses, kept, strict=True):
                name = f"{path}:{row}"
                row += 1
                decoded = address.decode("utf-8", "replace") if isinstance(address, bytes) else address
                url = decoded if isinstance(decoded, str) else None
                if page is None:
                    yield BrokenSource(name, f"{name} has no page: {columns[0]} is empty", url)
                elif not isinstance(page, (str, bytes)):
                    yield BrokenSource(name, f"{name} has no page: {columns[0]} holds a {type(page).__name__}", url)
                else:
                    yield HeldPage(name, page, url, None, own)
    except (OSError, ValueError, arrow_error()) as error:
        said = " ".join(str(error).split())  # Arrow's messages have several lines
        yield BrokenSource(f"{path}:{row}", f"cannot read {path} from row {row} to the end of row group {group}: {said}")


def _column_values(column: Any) -> list[Any]:
    try:
        return cast("list[Any]", column.to_pylist())
    except UnicodeDecodeError:
        return [_text_of_bytes(value) for value in column.cast("binary").to_pylist()]


def _as_json_value(value: Any) -> Any:
    """Return a value as JSON can hold it; a date, a number of fixed precision and the like as text."""
    return value if value is None or isinstance(value, (str, bool, int, float, list, dict)) else str(value)


def _text_of_bytes(value: bytes | None) -> str | bytes | None:
    try:
        return value if value is None else value.decode()
    except UnicodeDecodeError:
        return value


def arrow_error() -> type[Exception]:
    """Return the error type of pyarrow."""
    from pyarrow import ArrowException

    return cast("type[Exception]", ArrowException)
