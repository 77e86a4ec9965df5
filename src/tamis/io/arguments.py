"""Resolve the arguments of a command line: files, those of folders and patterns, addresses; each with its kind, by its name.

A named file counts whatever its name. In folders, and for patterns without a suffix, files that are not pages, archives, JSON lines or
Parquet count as something else, like hidden files and the files that a crawl keeps beside its archives."""

from __future__ import annotations

import glob
import os
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from tamis.errors import SourceError, UsageError
from tamis.io.files import (
    ARCHIVE_PACKED_SUFFIXES,
    ARCHIVE_SUFFIXES,
    PACKED_SUFFIXES,
    as_path,
    find,
    is_archive,
    is_remote,
    is_special,
    is_web,
    walk,
    without_crawl,
)
from tamis.io.pages import words

PAGE_SUFFIXES = (".html", ".htm", ".xhtml", ".mhtml", ".mht")  #: names of pages in a folder end like this, or like this and ``.gz``
LINE_SUFFIXES = (".jsonl", ".ndjson")
LIST_SUFFIXES = (".txt", ".urls")
PARQUET_SUFFIXES = (".parquet", ".pq")
Kind = Literal["page", "archive", "lines", "json", "parquet", "list", "address", "other", "unread"]
_KINDS: dict[str, Kind] = {
    **dict.fromkeys(LINE_SUFFIXES, "lines"),
    **dict.fromkeys(PARQUET_SUFFIXES, "parquet"),
    **dict.fromkeys(LIST_SUFFIXES, "list"),
    ".json": "json",
}
_SERVED = re.compile(r"\.(?:x?html?|php\d?|phtml|shtml?|jhtml|aspx?|jspx?|cgi|cfm|do)(?:[?@][^/]*)?\Z", re.IGNORECASE)
"""Endings of the names of pages that a program made, in copies of a site: ``thread.php``, ``index.html?page=2``."""
_HTML = re.compile(rb"\s*+(?>(?:\xef\xbb\xbf)?)\s*+(?>(?:<\?xml[^>]*+>)?)\s*+<(?:!doctype html|html|head|body|!--)", re.IGNORECASE)
_GLANCE = 512  # bytes that tell whether a file without a suffix of pages holds HTML


@dataclass(frozen=True, slots=True)
class Named:
    """A file or an address."""

    kind: Kind  #: ``unread``: a folder that cannot be read
    name: str
    root: str = ""  #: the folder that it was found in; empty for what is named by itself
    found: bool = False  #: whether it was found in a folder, or by a pattern without a suffix
    trouble: str = ""  #: why it cannot be read


def find_named(word: str) -> Iterator[Named]:
    """Yield the files and addresses of an argument, sorted by path. Raises SourceError, UsageError or OSError at once."""
    path = Path(word)
    if is_web(word):
        return iter([Named("address", word)])
    if path.is_dir():
        os.scandir(path).close()  # raises where the folder itself cannot be read
        return _entries_below(word, word)
    if is_special(word):
        raise SourceError(f"{word} is a pipe or a device, which this command does not read: save its data to a file")
    if path.exists():
        return iter([Named(kind_of(word), word)])
    if glob.has_magic(word):
        return _glob_matches(word)
    raise names_nothing(word)


def find_stored(address: str) -> Iterator[Named]:
    """Yield the files that an address of storage names: a file, those of a folder, or of a pattern. Raises SourceError."""
    root = fixed_part(address) if glob.has_magic(address) else address.rstrip("/")
    return (Named(kind_of(name), name) if name == address else _entry_of(name, root) for name in find(address))


def _entries_below(folder: str, root: str) -> Iterator[Named]:
    for found in walk(folder):
        if isinstance(found, OSError):
            yield Named("unread", found.filename, root, True, f"cannot read {found.filename}: {words(found)}")
        else:
            yield from (_entry_of(path, root) for path in without_crawl(found) if not os.path.basename(path).startswith("."))  # noqa: PTH119


def _entry_of(path: str, root: str) -> Named:
    kind = kind_of(path)
    return Named(kind if kind in ("archive", "lines", "parquet") or (kind == "page" and is_page(path)) else "other", path, root, True)


def _glob_matches(pattern: str) -> Iterator[Named]:
    root = fixed_part(pattern)
    for name in sorted(glob.glob(pattern, recursive=True)):  # noqa: PTH207  # pathlib's has no absolute patterns
        if Path(name).is_dir():
            yield from _entries_below(name, root)
        elif not is_special(name):
            yield Named(kind_of(name), name, root) if Path(pattern).suffix else _entry_of(name, root)


def kind_of(name: str | Path) -> Kind:
    """Return the kind of a file by its name."""
    return "archive" if is_archive(name) else _KINDS.get(bare_suffix(name), "page")


def is_page(path: str) -> bool:
    """Return whether a file is a page by its suffix or, without one or with that of a program, by its first bytes (never in storage)."""
    if bare_suffix(path) in PAGE_SUFFIXES:
        return True
    if is_remote(path) or (Path(path).suffix and not _SERVED.search(path)):
        return False
    try:
        with open(path, "rb") as stream:  # noqa: PTH123  # as the user wrote it
            return _HTML.match(stream.read(_GLANCE)) is not None
    except OSError:
        return False


def source_around(path: str | Path, sources: Iterable[str | Path]) -> str | Path | None:
    """Return the folder among some sources that a path lies in: what is written there would be read as pages."""
    folders = (source for source in sources if str(source) and not is_remote(str(source)) and Path(as_path(str(source))).is_dir())
    return next((each for each in folders if Path(path).resolve().is_relative_to(Path(as_path(str(each))).resolve())), None)


def names_nothing(word: str) -> SourceError | UsageError:
    """Return why an argument names nothing, and what may have been meant."""
    scheme, found, _ = word.partition("://")
    if found:
        return UsageError(f"{word}: pages are fetched with http and https, not {scheme}")
    if word.lstrip().startswith("<"):
        return UsageError("a source is named by its path or address; a page held as text is a HeldPage(name, html)")
    host = word.split("/", 1)[0]
    if "." in host.strip(".") and bare_suffix(word) not in (*PAGE_SUFFIXES, *LINE_SUFFIXES, *LIST_SUFFIXES):
        return SourceError(f"there is no file or folder {word!r}; as an address it would be https://{word}")
    return SourceError(f"there is no file or folder {word!r}")


def fixed_part(pattern: str) -> str:
    """Return the folder that contains all matches of a pattern.

    >>> fixed_part("site/*/a*.html"), fixed_part("*.html"), fixed_part("s3://bucket/crawl/**/*.html")
    ('site', '.', 's3://bucket/crawl')
    """
    return os.path.dirname(re.split(r"[*?[]", pattern, maxsplit=1)[0]) or "."  # noqa: PTH120  # addresses stay as they are


def absolute(name: str) -> str:
    """Return an absolute path, in which symbolic links stay; an address as it is."""
    return name if is_remote(name) or is_web(name) else os.path.abspath(name)  # noqa: PTH100


def bare_suffix(name: str | Path) -> str:
    """Return the suffix of a file's type in lower case, without that of its compression.

    >>> bare_suffix("s3://bucket/pages.JSONL.gz"), bare_suffix(Path("a.html"))
    ('.jsonl', '.html')
    """
    path = Path(name)
    return (Path(path.stem) if path.suffix.lower() in PACKED_SUFFIXES else path).suffix.lower()


ENDINGS = f"{', '.join(PAGE_SUFFIXES)}, {', '.join(ARCHIVE_SUFFIXES)} (or these and {', '.join(ARCHIVE_PACKED_SUFFIXES)})"
"""Endings of the names of pages and archives in folders, in words."""
