"""The pages that the arguments of a command line name, one by one.

An argument is a file, a folder, a pattern (``site/**/*.html``), an address, a list of addresses and paths (``.txt``, ``.urls``), JSON lines
(``.jsonl``, ``.ndjson``), an array of JSON (``.json``), Parquet, an archive (``.warc``, ``.arc``), or ``-`` for standard input
(:mod:`tamis.io.arguments`); files may be compressed with gzip, lines and archives also with zstd, archives with LZ4. In folders, and for
patterns without a suffix, only archives and pages are read.
Arguments are checked at once; pages are found as needed.
"""

from __future__ import annotations

import gzip
import json
import os
import sys
import zlib
from collections.abc import Iterable, Iterator
from contextlib import suppress
from functools import partial
from io import BufferedReader, RawIOBase
from itertools import chain, islice
from pathlib import Path
from typing import Any, BinaryIO, cast

from tamis.errors import FetchError, SourceError, UsageError
from tamis.io.arguments import ENDINGS, PAGE_SUFFIXES, Named, absolute, bare_suffix, find_named, kind_of, names_nothing
from tamis.io.files import is_remote, is_special, is_web, open_file, open_pipe
from tamis.io.locations import locate
from tamis.io.pages import ArchivedSource, BrokenSource, Fields, FilePage, HeldPage, JsonLine, Source, WebPage, words
from tamis.io.parquet import open_rows
from tamis.page import zstandard
from tamis.page.content import GZIP, unpack_gzip

MAX_LINE = 200_000_000  #: most bytes of a line of JSON
_NAMELESS = "a source has no name: it is an empty text"
_LONGEST_PATH = 1_000
_FIRST_LINES = 100  #: Lines that tell what standard input is, and which fields lines have.
_GLANCE = 512  # bytes that tell whether damaged data are lines of JSON

_Line = tuple[int, bytes | SourceError]  # number of a line, from 1, and the line, or why it cannot be read


def open_sources(named: Iterable[str | Path], fields: Fields = Fields(), skipped: list[str] | None = None) -> Iterator[Source]:
    """Yield the pages that the arguments of a command line name, in order; a file that several arguments name is one page.

    Args:
        named: files, folders, patterns, addresses, lists, ``-`` (standard input) and pipes (of both: a page, JSON lines, or a list of
            addresses or paths).
        fields: names in JSON lines and columns of Parquet.
        skipped: gets the names of files in folders that are not pages.

    Raises:
        SourceError: an argument names no file, an empty folder, or a pattern without a match. Raised at once.
    """
    names = list(map(str, named))
    common = common_folder(names)
    found = [_open(name, fields, [] if skipped is None else skipped, common) for name in names]
    pages = chain.from_iterable(found)
    return pages if len(names) == 1 and Path(names[0]).exists() else _once(pages)


def common_folder(names: Iterable[str]) -> str:
    """Return the folder that the pages have in common that are named by themselves, absolute; empty where there is none."""
    pages = (name for name in names if kind_of(name) == "page" and Path(name).is_file())
    try:
        return os.path.commonpath([os.path.dirname(absolute(name)) for name in pages])  # noqa: PTH120
    except ValueError:  # no files, or on different drives
        return ""


def _once(pages: Iterable[Source]) -> Iterator[Source]:
    """Yield the pages, a saved one only the first time that it is named."""
    seen: set[str] = set()
    for page in pages:
        if not isinstance(page, FilePage) or page.path not in seen:
            yield page
        if isinstance(page, FilePage):
            seen.add(page.path)


def open_page(word: str | Path) -> Source:
    """Return the one page that an argument names: a file, a pipe, an address, or ``-`` for standard input.

    Raises:
        SourceError: there is no such file, or the argument names several pages.
        UsageError: the argument is not a name, or is an address that no page can have.
    """
    word = str(word)
    if not word:
        raise UsageError(_NAMELESS)
    if is_stream(word):
        return HeldPage(word, _stream_of(word).read())
    if is_web(word):
        return _web_page(word)
    is_folder = Path(word).is_dir()
    if is_folder and all(each.kind not in ("page", "archive") for each in find_named(word)):
        raise SourceError(f"{word} is a folder without pages")
    if is_folder or kind_of(word) in ("archive", "lines", "json", "parquet"):
        raise SourceError(f"{word} holds many pages: 'tamis clean' cleans them all")
    if not Path(word).exists():
        raise names_nothing(word)
    return _file_page(word)


def _open(word: str, fields: Fields, skipped: list[str], common: str = "") -> Iterator[Source]:
    """Yield the pages of one argument; raises at once if there are none. ``common``: the folder of all files named by themselves."""
    if not word:
        raise UsageError(_NAMELESS)
    if is_stream(word):
        return _open_stream(_stream_of(word), word, fields)
    path = Path(word)
    if path.is_dir() and not any(path.iterdir()):
        raise SourceError(f"{word} is an empty folder")
    found, before = find_named(word), len(skipped)
    if path.exists() and not path.is_dir():
        return pages_of(next(found), fields, common)
    pages = chain.from_iterable(pages_of(each, fields) for each in found if _is_opened(each, skipped))
    if (first := next(pages, None)) is None:
        what = f"{word} holds no page: {_without_pages(skipped[before:])}" if path.is_dir() else f"no page matches the pattern {word}"
        raise SourceError(what)
    return chain([first], pages)


def is_stream(word: str | Path) -> bool:
    """Return whether an argument names standard input or a pipe, which can be read only once."""
    return str(word) == "-" or is_special(word)


def _stream_of(word: str) -> BinaryIO:
    return sys.stdin.buffer if word == "-" else open_pipe(word)


def _is_opened(named: Named, skipped: list[str]) -> bool:
    """Return whether a file is opened; else ``skipped`` gets its name."""
    if named.found and named.kind in ("other", "lines", "parquet"):
        skipped.append(named.name)
        return False
    return True


def _without_pages(skipped: list[str]) -> str:
    """Describe a folder without pages; ``skipped``: its files."""
    if many := sorted(name for name in skipped if kind_of(name) in ("lines", "parquet")):
        return f"it contains JSON lines or Parquet, whose pages are read where the files themselves are named, such as {many[0]}"
    return f"it contains no {ENDINGS} files, and no HTML files without a suffix or with that of a program (.php)"


def pages_of(named: Named, fields: Fields, common: str = "") -> Iterator[Source]:
    """Yield the pages of a file, or at an address."""
    name = named.name
    if named.kind == "lines":
        return open_lines(name, fields)
    if named.kind == "json":
        return open_json(name, fields)
    if named.kind == "list":
        return _pages_of_list(numbered(name), name)
    if named.kind == "parquet":
        return open_rows(name, fields)
    if named.kind == "archive":
        return open_archive(name)
    if named.kind == "unread":
        return iter([BrokenSource(name, named.trouble)])
    return iter([_web_page(name) if named.kind == "address" else _file_page(name, named.root, common)])


def _file_page(name: str, root: str = "", named_in: str = "") -> FilePage:
    return FilePage(name, absolute(name), absolute(root) if root else "", named_in)


def open_archive(name: str, start: int = 0, stop: int | None = None, *, read: bool = False) -> Iterator[Source]:
    """Yield the pages of an archive whose records begin from ``start`` to before ``stop``, bytes, and failures in place of damage.

    ``read``: whether pages come with their records; otherwise they are read again by their place in the file.
    """
    from tamis.io.warc import ArchiveFailure, read_pages

    path = absolute(name)
    try:
        for page in read_pages(path, start, stop):
            at = f"{name}:{page.offset}"
            if isinstance(page, ArchiveFailure):
                yield BrokenSource(at, f"{at}{f' ({page.url})' if page.url else ''}: {page.reason}", page.url)
            else:
                name_of_page = f"{at}+{page.within}" if page.within else at
                yield ArchivedSource(name_of_page, path, page.offset, page.url, page if page.within or read else None)
    except OSError as error:
        yield BrokenSource(name, f"cannot read {name}: {words(error)}", may_pass=is_remote(name))


def _web_page(word: str) -> WebPage:
    try:
        locate(word)
    except FetchError as error:
        raise UsageError(str(error)) from error
    return WebPage(word)


def open_lines(name: str, fields: Fields = Fields()) -> Iterator[Source]:
    """Yield the pages of a file of JSON lines, local or in storage, named by line numbers; a failure ends the file."""
    return _json_lines(numbered(name), name, fields)


def open_json(name: str, fields: Fields = Fields()) -> Iterator[Source]:
    """Yield the pages of a JSON file, local or in storage: an array's objects, numbered from 1; an object; or JSON lines."""
    try:
        with open_file(name) as stream:
            magic = stream.read(len(zstandard.MAGIC))
            stream.seek(0)
            data = (_unpacking(stream, magic) or stream).read(MAX_LINE + 1)
    except (OSError, EOFError, zlib.error) as error:
        return iter([BrokenSource(name, f"cannot read {name}: {words(error)}")])
    try:
        if len(data) > MAX_LINE:
            raise ValueError(f"it is larger than {MAX_LINE:,} bytes; save its objects as JSON lines (.jsonl)")
        return _json_objects(data, name, fields)
    except (ValueError, RecursionError) as error:
        if data.lstrip()[:1] == b"{":
            return open_lines(name, fields)
        return iter([BrokenSource(name, f"{name} cannot be read as JSON: {error}")])


def _json_objects(data: bytes, name: str, fields: Fields) -> Iterator[Source]:
    """Yield the objects of an array in JSON, or an object. Raises ValueError or RecursionError for anything else."""
    found = json.loads(data)
    objects = found if isinstance(found, list) else [found]
    return (JsonLine(f"{name}:{number}", json.dumps(each).encode(), fields) for number, each in enumerate(objects, start=1))


def _open_stream(stream: BinaryIO, name: str, fields: Fields) -> Iterator[Source]:
    """Yield the pages of standard input or a pipe, unpacked: JSON lines if a brace comes first, an array of JSON, a list if an address or
    the path of a file comes first, else a page, unless each line is named like one."""
    raw = _Recorded(BufferedReader(cast("RawIOBase", stream)))
    head: list[bytes] = []
    try:
        magic = raw.stream.peek(len(zstandard.MAGIC))[: len(zstandard.MAGIC)]
        lines = _unpacking(raw, magic) or cast("BinaryIO", raw.stream)
        for line in islice(iter(partial(lines.readline, MAX_LINE), b""), _FIRST_LINES):
            head.append(line)
            if head[0].lstrip().startswith(b"["):  # an array
                break
            is_json = line.lstrip().startswith(b"{")
            if is_json or (b"<" not in line and (line.lstrip()[:8].lower().startswith((b"http://", b"https://")) or _names_a_file(line))):
                raw.seen = None
                found = _until_damage(numbered_lines(lines, head), name)
                return _json_lines(found, name, fields) if is_json else _pages_of_list(found, name)
            if b"<" in line:
                break
    except (OSError, EOFError, zlib.error) as error:
        if unpack_gzip(bytes(raw.seen or b""), _GLANCE)[0].lstrip()[:1] in b"{":
            return iter([BrokenSource(name, f"cannot read {name}: {words(error)}")])
    if head and all(bare_suffix(line.decode("utf-8", "replace").strip()) in PAGE_SUFFIXES for line in head):
        first = head[0].decode("utf-8", "replace").strip()
        return iter([BrokenSource(name, f"{name} is a list of files, but there is no file {first!r}: paths begin at the working folder")])
    page = bytes(raw.seen or b"".join(head)) + raw.stream.read()  # packed: unpacked when it is read
    with suppress(ValueError, RecursionError):
        if page.lstrip()[:1] == b"[":
            return _json_objects(page, name, fields)
    return iter([HeldPage(name, page)])


class _Recorded:
    """A stream, and what was read of it (None: that is not wanted any longer)."""

    def __init__(self, stream: BufferedReader) -> None:
        self.stream = stream
        self.seen: bytearray | None = bytearray()

    def read(self, size: int) -> bytes:
        """Read ``size`` bytes, fewer at the end."""
        data = self.stream.read(size)
        if self.seen is not None:
            self.seen += data
        return data


def _names_a_file(line: bytes) -> bool:
    word = line.decode("utf-8-sig", "replace").strip()
    return 0 < len(word) < _LONGEST_PATH and "<" not in word and "\0" not in word and os.path.isfile(word)  # noqa: PTH113


def numbered(name: str) -> Iterator[_Line]:
    """Yield the lines of a file here or in storage, unpacked; if reading fails, an error is the last one."""

    def lines() -> Iterator[_Line]:
        with open_file(name) as stream:
            magic = stream.read(len(zstandard.MAGIC))
            stream.seek(0)
            yield from numbered_lines(_unpacking(stream, magic) or stream)

    return _until_damage(lines(), name)


def _unpacking(stream: Any, magic: bytes) -> BinaryIO | None:
    """Return a packed stream unpacked, by how it begins; None for one that is not packed."""
    if magic[:2] == GZIP:
        return cast("BinaryIO", gzip.GzipFile(fileobj=stream))
    return zstandard.reading(stream) if magic == zstandard.MAGIC else None


def _until_damage(lines: Iterator[_Line], name: str) -> Iterator[_Line]:
    number = 0
    try:
        for number, line in lines:
            yield number, line
    except (OSError, EOFError, zlib.error) as error:
        yield number + 1, SourceError(f"cannot read {name} from line {number + 1} on: {words(error)}")


def numbered_lines(stream: BinaryIO, head: Iterable[bytes] = ()) -> Iterator[_Line]:
    """Yield the lines of a stream (``head``: those that were read already), with an error in place of a line that is too long."""
    lines = chain(head, iter(partial(stream.readline, MAX_LINE), b""))
    for number, line in enumerate(lines, start=1):
        if len(line) < MAX_LINE or line.endswith(b"\n"):
            yield number, line
        else:
            next((part for part in lines if part.endswith(b"\n")), None)
            yield number, SourceError(f"line {number} is longer than {MAX_LINE:,} bytes")


def first_records(name: str) -> list[dict[str, Any]]:
    """Return the objects in the first lines of a file of JSON lines. Raises SourceError if the file is unreadable."""
    found: list[dict[str, Any]] = []
    trouble: SourceError | None = None
    for _, line in islice(numbered(name), _FIRST_LINES):
        if isinstance(line, SourceError):
            trouble = line
            continue
        with suppress(ValueError, RecursionError):
            found += [record] if isinstance(record := json.loads(line), dict) else []
    if trouble is not None and not found:
        raise trouble
    return found


def _json_lines(lines: Iterator[_Line], name: str, fields: Fields) -> Iterator[Source]:
    for number, line in lines:
        if isinstance(line, SourceError):
            yield BrokenSource(f"{name}:{number}", str(line))
        elif line.strip():
            yield JsonLine(f"{name}:{number}", line, fields)


def _pages_of_list(lines: Iterator[_Line], name: str) -> Iterator[Source]:
    """Yield the pages of a list: an address or a path (relative to here, or else to the list's folder) on each line. ``#``: a comment."""
    here = Path(name).parent
    for number, line in lines:
        if isinstance(line, SourceError):
            yield BrokenSource(f"{name}:{number}", str(line))
            continue
        word = line.decode("utf-8-sig", "replace").strip()
        if is_web(word):
            yield WebPage(word)
        elif _names_a_file(line):
            yield _file_page(word)
        elif word and _names_a_file(os.fsencode(here / word)):
            yield _file_page(str(here / word))
        elif word and not word.startswith("#"):
            yield BrokenSource(f"{name}:{number}", f"line {number} of {name} is neither an address nor a file: {word[:100]!r}")
