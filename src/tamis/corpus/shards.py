"""Shards: the pages of a corpus cut into parts that one task reads, without looking at more than names, sizes and Parquet footers.

An archive or a file of JSON lines is cut at byte offsets (the reader goes on to the next record), Parquet at row groups, folders and lists
after so many files. What cannot be read stands in its place as a page that fails when it is read.
"""

from __future__ import annotations

import glob
import os
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, Literal

from tamis.errors import MissingExtraError, SourceError
from tamis.pages import HTML_FIELDS, BrokenSource, Fields, FilePage, HeldPage, JsonLine, Source, WebPage, words
from tamis.sources import LINE_SUFFIXES, LIST_SUFFIXES, PAGE_SUFFIXES, open_sources
from tamis.warc import ArchiveFailure, is_archive, read_pages_between

Kind = Literal["archive", "parquet", "lines", "files", "addresses"]
PARQUET_SUFFIXES = (".parquet", ".pq")
BATCH = 64
"""Rows of Parquet in memory at a time."""


@dataclass(frozen=True, slots=True)
class Cut:
    """How large shards are. Small enough that a task done again costs little, large enough that a task costs little to start."""

    size: int = 64_000_000
    """Bytes of an archive or a file of lines, as it is stored."""
    rows: int = 10_000
    """Rows of Parquet; row groups are not cut."""
    files: int = 2_000
    """Files of a folder, or addresses of a list."""


@dataclass(frozen=True, slots=True)
class Shard:
    """A part of the corpus."""

    kind: Kind
    paths: tuple[str, ...]
    """One file, or for ``files`` and ``addresses`` the pages themselves."""
    start: int = 0
    """First byte or row group."""
    stop: int = 0
    """Byte or row group after the last."""
    root: str = ""
    """For ``files`` the folder they were found in."""

    def to_dict(self) -> dict[str, Any]:
        """As JSON values."""
        return asdict(self) | {"paths": list(self.paths)}

    @staticmethod
    def from_dict(values: Mapping[str, Any]) -> Shard:
        """From what :meth:`to_dict` gave."""
        return Shard(**{**values, "paths": tuple(values["paths"])})


def plan(sources: Sequence[str], cut: Cut = Cut()) -> list[Shard]:
    """The shards of a corpus, in the order of its sources.

    Args:
        sources: archives, Parquet, JSON lines, lists of addresses, folders (with any of these in them), patterns.
        cut: how large they are.

    Raises:
        SourceError: a source stands for nothing, or cannot be read.
    """
    shards: list[Shard] = []
    for source in sources:
        found = list(_plan(source, cut))
        if not found:
            raise SourceError(f"{source} holds no pages")
        shards += found
    return shards


def _plan(source: str, cut: Cut) -> Iterator[Shard]:
    path = Path(source)
    if path.is_dir():
        yield from _plan_folder(path, cut)
    elif path.exists():
        yield from _plan_file(source, cut)
    elif glob.has_magic(source):
        for name in sorted(glob.glob(source, recursive=True)):  # noqa: PTH207  # a pattern may be absolute
            yield from _plan(name, cut)
    elif source.lower().startswith(("http://", "https://")):
        yield Shard("addresses", (source,))
    else:
        raise SourceError(f"there is no file or folder {source!r}")


def _plan_folder(folder: Path, cut: Cut) -> Iterator[Shard]:
    """Archives and Parquet, or else JSON lines (beside archives they are an index); then single pages, so many a shard."""
    files = [Path(base, name) for base, name in _walk(folder)]
    many = [path for path in files if is_archive(path) or _suffix(path) in PARQUET_SUFFIXES]
    for path in many or [path for path in files if _suffix(path) in LINE_SUFFIXES]:
        yield from _plan_file(str(path), cut)
    pages = [str(path.absolute()) for path in files if _suffix(path) in PAGE_SUFFIXES]
    for first in range(0, len(pages), cut.files):
        yield Shard("files", tuple(pages[first : first + cut.files]), root=str(folder.absolute()))


def _walk(folder: Path) -> Iterator[tuple[str, str]]:
    for base, folders, names in os.walk(folder):
        folders.sort()
        for name in sorted(names):
            if not name.startswith("."):
                yield base, name


def _plan_file(name: str, cut: Cut) -> Iterator[Shard]:
    path = Path(name).absolute()
    suffix = _suffix(path)
    if suffix in PARQUET_SUFFIXES:
        yield from _plan_parquet(path, cut)
    elif is_archive(path) or suffix in LINE_SUFFIXES:
        size = path.stat().st_size
        whole = suffix in LINE_SUFFIXES and path.suffix.lower() == ".gz"
        step = size if whole else cut.size
        for start in range(0, size, max(step, 1)):
            yield Shard("archive" if is_archive(path) else "lines", (str(path),), start, min(start + step, size))
    elif suffix in LIST_SUFFIXES:
        addresses = [page.name for page in open_sources([name])]
        for start in range(0, len(addresses), cut.files):
            yield Shard("addresses", tuple(addresses[start : start + cut.files]))
    else:
        yield Shard("files", (str(path),))


def _plan_parquet(path: Path, cut: Cut) -> Iterator[Shard]:
    footer = _parquet_file(path).metadata
    start = rows = 0
    for group in range(footer.num_row_groups):
        rows += footer.row_group(group).num_rows
        if rows >= cut.rows or group == footer.num_row_groups - 1:
            yield Shard("parquet", (str(path),), start, group + 1)
            start, rows = group + 1, 0


def read(shard: Shard, fields: Fields = Fields()) -> Iterator[Source]:
    """The pages of a shard, in order."""
    if shard.kind == "archive":
        return _read_archive(shard)
    if shard.kind == "lines":
        return _read_lines(shard, fields)
    if shard.kind == "parquet":
        return _read_parquet(shard, fields)
    if shard.kind == "addresses":
        return (WebPage(address) for address in shard.paths)
    return (FilePage(path, path, shard.root) for path in shard.paths)


def _read_archive(shard: Shard) -> Iterator[Source]:
    (path,) = shard.paths
    try:
        for page in read_pages_between(path, shard.start, shard.stop):
            at = f"{path}:{page.offset}"
            if isinstance(page, ArchiveFailure):
                yield BrokenSource(at, f"{at}{f' ({page.url})' if page.url else ''}: {page.reason}")
            else:
                yield HeldPage(f"{at}+{page.within}" if page.within else at, page.body, page.url, page.content_type)
    except OSError as error:
        yield BrokenSource(path, f"cannot read {path}: {words(error)}")


def _read_lines(shard: Shard, fields: Fields) -> Iterator[Source]:
    """Lines that begin within the shard; named by where they stand."""
    (path,) = shard.paths
    if path.lower().endswith(".gz"):
        yield from open_sources([path], fields)
        return
    try:
        with Path(path).open("rb") as stream:
            if shard.start:
                stream.seek(shard.start - 1)
                stream.readline()
            while (at := stream.tell()) < shard.stop and (line := stream.readline()):
                if line.strip():
                    yield JsonLine(f"{path}:{at}", line, fields)
    except OSError as error:
        yield BrokenSource(path, f"cannot read {path}: {words(error)}")


def _read_parquet(shard: Shard, fields: Fields) -> Iterator[Source]:
    (path,) = shard.paths
    try:
        file = _parquet_file(Path(path))
        html, url = _columns(file.schema_arrow.names, path, fields)
        row = sum(file.metadata.row_group(group).num_rows for group in range(shard.start))
        groups = list(range(shard.start, shard.stop))
        for batch in file.iter_batches(BATCH, row_groups=groups, columns=[html, url] if url else [html]):
            addresses = batch.column(1).to_pylist() if url else [None] * len(batch)
            for page, address in zip(batch.column(0).to_pylist(), addresses, strict=True):
                name = f"{path}:{row}"
                row += 1
                if page is None:
                    yield BrokenSource(name, f"{name} has no page: {html} is empty")
                else:
                    yield HeldPage(name, page, address)
    except (OSError, ValueError) as error:  # pyarrow's errors are of these kinds
        yield BrokenSource(path, f"cannot read {path}: {error}")


def check(shards: Iterable[Shard], fields: Fields = Fields()) -> None:
    """Look at what is there before anything is done.

    Raises:
        SourceError: a Parquet file has no column of the name.
    """
    for path in sorted({shard.paths[0] for shard in shards if shard.kind == "parquet"}):
        _columns(_parquet_file(Path(path)).schema_arrow.names, path, fields)


def _columns(names: Sequence[str], path: str, fields: Fields) -> tuple[str, str | None]:
    """The columns of pages and addresses."""
    wanted = (fields.html,) if fields.html else HTML_FIELDS
    html = next((name for name in wanted if name in names), None)
    if html is None:
        raise SourceError(f"{path} has no column {' or '.join(wanted)}; it has {', '.join(names)}: name the one that holds the pages")
    return html, fields.url if fields.url in names else None


def _parquet_file(path: Path) -> Any:
    try:
        import pyarrow as pa
        import pyarrow.parquet
    except ImportError as error:
        raise MissingExtraError("reading Parquet", "corpus") from error
    try:
        return pa.parquet.ParquetFile(path)
    except (OSError, pa.ArrowException) as error:
        raise SourceError(f"cannot read {path}: {error}") from error


def _suffix(path: Path) -> str:
    """The suffix that says what a file is, in lower case; gzip's is left aside."""
    return (Path(path.stem) if path.suffix.lower() == ".gz" else path).suffix.lower()
