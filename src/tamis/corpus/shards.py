"""Shards: the pages of a corpus cut into parts of one task each, planned from names, sizes and Parquet footers alone.

Files may be local or in storage that fsspec knows (``s3://bucket/crawl/*.warc.gz``, :mod:`tamis.io.files`). Archives and JSON lines are cut
at byte offsets (the reader continues at the next record), Parquet at row groups, folders and lists after a number of files. Unreadable data
is replaced by a page that fails when it is read.
"""

from __future__ import annotations

from collections.abc import Collection, Hashable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import chain, groupby
from typing import Literal

from tamis.corpus.tables import need_corpus_extra
from tamis.errors import SourceError
from tamis.io.arguments import Named, absolute, find_named, find_stored
from tamis.io.files import PACKED_SUFFIXES, as_path, is_remote, open_file, size_of
from tamis.io.pages import BrokenSource, Fields, FilePage, JsonLine, Source, words
from tamis.io.parquet import open_rows, parquet_file
from tamis.io.sources import common_folder, first_records, numbered_lines, open_archive, open_lines, pages_of

Kind = Literal["archive", "parquet", "lines", "pages"]


@dataclass(frozen=True, slots=True)
class Cut:
    """The size of shards: small enough that workers share evenly and a repeated task costs little, large enough that starting it does."""

    size: int = 16_000_000  #: bytes of an archive or a file of lines, as it is stored
    rows: int = 10_000  #: rows of Parquet; row groups are not cut
    files: int = 2_000  #: pages of folders, patterns and lists


@dataclass(frozen=True, slots=True)
class Shard:
    """A part of the corpus: of a file, or some pages."""

    kind: Kind
    path: str = ""  #: the file
    start: int = 0  #: first byte or row group
    stop: int = 0  #: byte or row group after the last
    pages: tuple[Source, ...] = ()  #: of the kind ``pages``: files, and addresses and bad lines of lists

    @property
    def paths(self) -> tuple[str, ...]:
        """The files and addresses that it is read from."""
        return (self.path,) if self.path else tuple(getattr(page, "path", page.name) for page in self.pages)

    @property
    def size(self) -> int:
        """Its size compared with other shards of its kind: bytes, row groups or pages."""
        return self.stop - self.start or len(self.pages)


def plan(sources: Sequence[str], cut: Cut = Cut(), fields: Fields = Fields(), skipped: list[str] | None = None) -> list[Shard]:
    """Return the shards of a corpus, in the order of its sources: archives, Parquet, JSON lines, lists of addresses, folders (of any of
    these), patterns. One damaged file among others does not stop it. Files that several sources name are read once.

    Args:
        sources: what to read.
        cut: the size of shards.
        fields: names in JSON lines and columns of Parquet.
        skipped: gets the names of files in folders that are not read: no pages by their name, and JSON lines without a field of pages.

    Raises:
        SourceError: a source names nothing or cannot be read, or all that is found cannot; no Parquet file has a column of the name, and no
            file of JSON lines has a field of the name in its first lines.
        MissingExtraError: the pipeline cannot be run.
    """
    need_corpus_extra()  # before a source asks for a part of it
    planner = _Planner(cut, fields, common_folder(map(as_path, sources)))
    found: dict[Hashable, Shard | Source] = {}
    for source in sources:
        here = list(planner.plan(source)) if source else []
        if not here:
            raise SourceError(f"{source or repr(source)} holds no pages")
        for each in here:
            found.setdefault(each.path if isinstance(each, FilePage) else each, each)
    unread = [each.reason for each in found.values() if isinstance(each, BrokenSource)]
    if unread and len(unread) == len(found):
        raise SourceError(f"{unread[0]}{f', nor {len(unread) - 1} others' if unread[1:] else ''}; there is no other page")
    shards: list[Shard] = []
    for _, neighbours in groupby(found.values(), lambda each: isinstance(each, Shard)):
        group = list(neighbours)
        shards += (each for each in group if isinstance(each, Shard))
        pages = tuple(each for each in group if isinstance(each, Source))
        shards += (Shard("pages", pages=pages[first : first + cut.files]) for first in range(0, len(pages), cut.files))
    planner.check(shards)
    if skipped is not None:
        skipped += planner.skipped
    return shards


class _Planner:
    """Turns sources into shards and single pages. Each file is opened once. ``common``: the folder of all files named by themselves."""

    def __init__(self, cut: Cut, fields: Fields, common: str) -> None:
        self._cut, self._fields, self._common = cut, fields, common
        self._names: dict[str, Collection[str] | SourceError] = {}
        """By file of rows its columns, or the fields in its first lines; or why it cannot be read."""
        self.skipped: list[str] = []

    def plan(self, source: str) -> Iterator[Shard | Source]:
        """Yield parts of a source: of archives, Parquet and JSON lines with pages; then single pages, and unreadable folders."""
        source = as_path(source)
        named = find_stored(source) if is_remote(source) else find_named(source)
        every = [replace(each, name=absolute(each.name)) for each in named]
        found = [each for each in every if each.kind != "other"]
        wanted = [each for each in found if not each.found or each.kind != "lines" or self._has_pages(each.name)]
        found = wanted or found  # where there is nothing else, `check` says which fields they have
        read = set(found)
        self.skipped += (each.name for each in every if each not in read)
        for each in sorted(found, key=lambda each: each.kind in ("page", "unread")):
            yield from self._parts(each)

    def _has_pages(self, name: str) -> bool:
        """Return whether JSON lines have a field with pages, unlike the index and failures of a crawl; True for unreadable ones."""
        names = self._names_in(name)
        return isinstance(names, SourceError) or not names or any(field in names for field in self._fields.pages_of_lines)

    def _names_in(self, name: str) -> Collection[str] | SourceError:
        """Return the fields of a file of JSON lines that are in :attr:`_names`."""
        if name not in self._names:
            try:
                self._names[name] = dict.fromkeys(chain.from_iterable(first_records(name)))
            except SourceError as error:
                self._names[name] = error
        return self._names[name]

    def _parts(self, named: Named) -> Iterator[Shard | Source]:
        """Yield the shards of a file with many pages; else pages."""
        kind, name, cut = named.kind, named.name, self._cut
        if kind == "parquet":
            yield from self._parquet(name)
        elif kind in ("archive", "lines"):
            try:
                size = size_of(name)
            except OSError as error:
                raise SourceError(f"cannot read {name}: {words(error)}") from error
            whole = kind == "lines" and name.lower().endswith(PACKED_SUFFIXES)
            step = size if whole else cut.size
            for start in range(0, size, max(step, 1)):
                yield Shard(kind, name, start, min(start + step, size))
        else:
            for page in pages_of(named, self._fields, "" if is_remote(name) else self._common):
                yield replace(page, name=page.path) if isinstance(page, FilePage) else page  # a worker may have another current folder

    def _parquet(self, name: str) -> Iterator[Shard]:
        try:
            with parquet_file(name) as file:
                self._names[name], footer = file.schema_arrow.names, file.metadata
        except SourceError as error:
            self._names[name] = error
            yield Shard("parquet", name, 0, 1)  # the file is damaged: `check` or reading it says so
            return
        start = rows = 0
        for group in range(footer.num_row_groups):
            rows += footer.row_group(group).num_rows
            if rows >= self._cut.rows or group == footer.num_row_groups - 1:
                yield Shard("parquet", name, start, group + 1)
                start, rows = group + 1, 0

    def check(self, shards: Iterable[Shard]) -> None:
        """Raise SourceError if no file of rows has the fields that are asked for, or each is damaged."""
        named = sorted({(shard.kind, shard.path) for shard in shards if shard.kind in ("parquet", "lines")})
        errors = []
        for kind, path in named:
            names = self._names[path] if kind == "parquet" else self._names_in(path)
            try:
                if isinstance(names, SourceError):
                    raise names
                if names or kind == "parquet":  # otherwise the lines fail one by one
                    self._fields.page_among(names, path, "column" if kind == "parquet" else "field")
            except SourceError as error:
                errors.append(error)
        if errors and len(errors) == len(named):
            raise errors[0]


def read(shard: Shard, fields: Fields = Fields()) -> Iterator[Source]:
    """Yield the pages of a shard, in order."""
    if shard.kind == "archive":
        yield from open_archive(shard.path, shard.start, shard.stop, read=True)
    elif shard.kind == "lines":
        yield from _read_lines(shard, fields)
    elif shard.kind == "parquet":
        yield from open_rows(shard.path, fields, shard.start, shard.stop)
    else:
        yield from shard.pages


def _read_lines(shard: Shard, fields: Fields) -> Iterator[Source]:
    """Lines that begin within the shard, named by their byte offset, as how many precede them is not known; packed ones by their number."""
    path = shard.path
    if path.lower().endswith(PACKED_SUFFIXES):
        yield from open_lines(path, fields)
        return
    try:
        with open_file(path) as stream:
            lines = numbered_lines(stream)
            if shard.start:
                stream.seek(shard.start - 1)
                next(lines, None)  # the line that begins before
            while (at := stream.tell()) < shard.stop and (found := next(lines, None)) is not None:
                name, line = f"{path}:byte {at}", found[1]
                if isinstance(line, SourceError):
                    yield BrokenSource(name, f"{name}: {line}")
                elif line.strip():
                    yield JsonLine(name, line, fields)
    except OSError as error:
        yield BrokenSource(path, f"cannot read {path}: {words(error)}", may_pass=is_remote(path))
