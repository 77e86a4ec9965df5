"""Shards: the pages of a corpus cut into parts of one task each, planned from names, sizes and Parquet footers alone.

Files may be local or in storage that fsspec knows (``s3://bucket/crawl/*.warc.gz``, :mod:`tamis.io.files`). Archives and JSON lines are cut
at byte offsets (the reader continues at the next record), Parquet at row groups, folders and lists after a number of files. Unreadable data
is replaced by a page that fails when it is read.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import chain, groupby
from typing import BinaryIO, Literal

from tamis.corpus.tables import need_corpus_extra
from tamis.errors import SourceError
from tamis.io.arguments import Named, absolute, find_named, find_stored
from tamis.io.files import PACKED_SUFFIXES, as_path, is_remote, is_web, open_file, size_of
from tamis.io.pages import BrokenSource, Fields, FilePage, JsonLine, Source, WebPage, words
from tamis.io.parquet import open_rows, parquet_file
from tamis.io.sources import MAX_LINE, common_folder, first_records, open_archive, open_lines, pages_of

Kind = Literal["archive", "parquet", "lines", "files", "addresses"]
_SKIPPED = 1_000_000  # bytes read at a time of a line that is skipped


@dataclass(frozen=True, slots=True)
class Cut:
    """The size of shards: small enough that workers share evenly and a repeated task costs little, large enough that starting it does."""

    size: int = 16_000_000  #: bytes of an archive or a file of lines, as it is stored
    rows: int = 10_000  #: rows of Parquet; row groups are not cut
    files: int = 2_000  #: files of a folder, or addresses of a list


@dataclass(frozen=True, slots=True)
class Shard:
    """A part of the corpus."""

    kind: Kind
    paths: tuple[str, ...]  #: one file, or for ``files`` and ``addresses`` (and paths in a list) the pages themselves
    start: int = 0  #: first byte or row group
    stop: int = 0  #: byte or row group after the last
    root: str = ""  #: for ``files`` the folder they were found in
    named_in: str = ""  #: for ``files`` named by themselves, the folder that all of them have in common

    @property
    def size(self) -> int:
        """Its size compared with other shards of its kind: bytes, row groups or pages."""
        return self.stop - self.start or len(self.paths)


def plan(sources: Sequence[str], cut: Cut = Cut(), fields: Fields = Fields()) -> list[Shard]:
    """The shards of a corpus, in the order of its sources: archives, Parquet, JSON lines, lists of addresses, folders (of any of these),
    patterns. One damaged file among others does not stop it.

    Raises:
        SourceError: a source names nothing or cannot be read; no Parquet file has a column of the name, and no file of JSON lines such a
            field in its first lines.
        MissingExtraError: the pipeline cannot be run.
    """
    need_corpus_extra()  # before a source asks for a part of it
    planner = _Planner(cut, fields)
    shards: list[Shard] = []
    seen: set[Shard | str] = set()
    for source in sources:
        found = list(planner.plan(source)) if source else []
        if not found:
            raise SourceError(f"{source or repr(source)} holds no pages")
        shards += _unseen(found, seen)
    planner.check(shards)
    single = {shard for shard in shards if shard.kind == "files" and not shard.root and not is_remote(shard.paths[0])}
    common = common_folder(path for shard in single for path in shard.paths)
    return _joined((replace(shard, named_in=common) if shard in single else shard for shard in shards), cut.files)


def _joined(shards: Iterable[Shard], most: int) -> list[Shard]:
    """The shards, neighbours with single pages as one of at most so many: a pattern may name thousands of files."""
    joined: list[Shard] = []
    for shard in shards:
        last = joined[-1] if joined else None
        one_kind = last is not None and (last.kind, last.root) == (shard.kind, shard.root) and shard.kind in ("files", "addresses")
        if last is not None and one_kind and len(last.paths) + len(shard.paths) <= most:
            joined[-1] = replace(last, paths=last.paths + shard.paths)
        else:
            joined.append(shard)
    return joined


def _unseen(shards: Iterable[Shard], seen: set[Shard | str]) -> Iterator[Shard]:
    """The shards without what earlier sources name, too. ``seen`` grows."""
    for shard in shards:
        if shard.kind != "files":
            if shard not in seen:
                yield shard
            seen.add(shard)
        elif paths := tuple(path for path in shard.paths if path not in seen):
            yield replace(shard, paths=paths)
            seen.update(paths)


class _Planner:
    """Turns sources into shards. Each file is opened once."""

    def __init__(self, cut: Cut, fields: Fields) -> None:
        self._cut, self._fields = cut, fields
        self._names: dict[str, Collection[str] | SourceError] = {}
        """By file of rows its columns, or the fields in its first lines; or why it cannot be read."""

    def plan(self, source: str) -> Iterator[Shard]:
        """The shards of a source: archives, Parquet and JSON lines with pages; then single pages, and folders that cannot be read."""
        source = as_path(source)
        found = [each for each in (find_stored(source) if is_remote(source) else find_named(source)) if each.kind != "other"]
        passed = {each.name for each in found if each.found and each.kind == "lines" and not self._has_pages(each.name)}
        for each in found:
            if each.name not in passed or len(passed) == len(found):  # where there is nothing else, `check` says which fields they have
                yield from self._file(each)
        single = [each for each in found if each.kind in ("page", "unread")]  # reading what cannot be read fails
        for root, pages in groupby(single, lambda each: absolute(each.root) if each.root else ""):
            paths = tuple(absolute(each.name) for each in pages)
            for first in range(0, len(paths), self._cut.files):
                yield Shard("files", paths[first : first + self._cut.files], root=root)

    def _has_pages(self, name: str) -> bool:
        """Whether JSON lines have a field with pages, unlike the index and the failures of a crawl. Reading unreadable ones says why."""
        names = self._names_in(name)
        return isinstance(names, SourceError) or not names or any(field in names for field in self._fields.pages_of_lines)

    def _names_in(self, name: str) -> Collection[str] | SourceError:
        """What is in :attr:`_names` of a file of JSON lines."""
        if name not in self._names:
            try:
                self._names[name] = dict.fromkeys(chain.from_iterable(first_records(name)))
            except SourceError as error:
                self._names[name] = error
        return self._names[name]

    def _file(self, named: Named) -> Iterator[Shard]:
        """The shards of a file with many pages, or of an address; none of a page."""
        kind, name, cut = named.kind, absolute(named.name), self._cut
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
                yield Shard(kind, (name,), start, min(start + step, size))
        elif kind == "list":
            addresses = [_entry(page) for page in pages_of(replace(named, name=name), self._fields)]
            for start in range(0, len(addresses), cut.files):
                yield Shard("addresses", tuple(addresses[start : start + cut.files]))
        elif kind == "address":
            yield Shard("addresses", (name,))

    def _parquet(self, name: str) -> Iterator[Shard]:
        try:
            with parquet_file(name) as file:
                self._names[name], footer = file.schema_arrow.names, file.metadata
        except SourceError as error:
            self._names[name] = error
            yield Shard("parquet", (name,), 0, 1)  # the file is damaged: `check` or reading it says so
            return
        start = rows = 0
        for group in range(footer.num_row_groups):
            rows += footer.row_group(group).num_rows
            if rows >= self._cut.rows or group == footer.num_row_groups - 1:
                yield Shard("parquet", (name,), start, group + 1)
                start, rows = group + 1, 0

    def check(self, shards: Iterable[Shard]) -> None:
        """Raise SourceError if no file of rows has the fields that are asked for, or each is damaged."""
        named = sorted({(shard.kind, shard.paths[0]) for shard in shards if shard.kind in ("parquet", "lines")})
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


def _entry(page: Source) -> str:
    """A page of a list as a path of its shard: an address, an absolute path, or the name and the reason of a line that is neither."""
    if isinstance(page, BrokenSource):
        return f"{page.name}\0{page.reason}"
    return page.path if isinstance(page, FilePage) else page.name


def _listed(entry: str) -> Source:
    """The page of :func:`_entry`."""
    name, broken, reason = entry.partition("\0")
    if broken:
        return BrokenSource(name, reason)
    return WebPage(name) if is_web(name) else FilePage(name, name)


def read(shard: Shard, fields: Fields = Fields()) -> Iterator[Source]:
    """The pages of a shard, in order."""
    if shard.kind == "archive":
        yield from open_archive(shard.paths[0], shard.start, shard.stop, read=True)
    elif shard.kind == "lines":
        yield from _read_lines(shard, fields)
    elif shard.kind == "parquet":
        yield from open_rows(shard.paths[0], fields, shard.start, shard.stop)
    elif shard.kind == "addresses":
        yield from map(_listed, shard.paths)
    else:
        yield from (FilePage(path, path, shard.root, shard.named_in) for path in shard.paths)


def _read_lines(shard: Shard, fields: Fields) -> Iterator[Source]:
    """Lines that begin within the shard, named by their byte offset, as how many precede them is not known; packed ones by their number."""
    (path,) = shard.paths
    if path.lower().endswith(PACKED_SUFFIXES):
        yield from open_lines(path, fields)
        return
    try:
        with open_file(path) as stream:
            if shard.start:
                stream.seek(shard.start - 1)
                _skip_line(stream)
            while (at := stream.tell()) < shard.stop and (line := stream.readline(MAX_LINE)):
                if len(line) == MAX_LINE and not line.endswith(b"\n"):
                    yield BrokenSource(f"{path}:byte {at}", f"{path}:byte {at} begins a line of more than {MAX_LINE:,} bytes")
                    _skip_line(stream)
                elif line.strip():
                    yield JsonLine(f"{path}:byte {at}", line, fields)
    except OSError as error:
        yield BrokenSource(path, f"cannot read {path}: {words(error)}", may_pass=is_remote(path))


def _skip_line(stream: BinaryIO) -> None:
    """Go to the start of the next line."""
    while (rest := stream.readline(_SKIPPED)) and not rest.endswith(b"\n"):
        pass
