"""Files by name: paths, and addresses of storage (``s3://``, ``gs://``, ``memory://``).

fsspec and its drivers read credentials and endpoints from the environment and from ``~/.config/fsspec``.
"""

from __future__ import annotations

import errno
import os
import re
import shutil
import stat
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from select import select
from typing import Any, BinaryIO, cast
from urllib.parse import unquote, urlsplit

from tamis.errors import SourceError, needs_extra
from tamis.io.writing import written_whole

ARCHIVE_SUFFIXES = (".warc", ".arc")  #: names of archives end like this, or like this and one of :data:`ARCHIVE_PACKED_SUFFIXES`
PACKED_SUFFIXES = (".gz", ".zst")  #: names of files compressed with gzip and zstd end like this
ARCHIVE_PACKED_SUFFIXES = (*PACKED_SUFFIXES, ".lz4")  #: those of archives also like this
_ARC_ENDINGS, _WARC_ENDINGS = (tuple(f"{suffix}{packed}" for packed in ("", *ARCHIVE_PACKED_SUFFIXES)) for suffix in (".arc", ".warc"))
CRAWL_STATE, CRAWL_PAGES, CRAWL_FAILURES = "crawl.sqlite", "pages.jsonl", "failures.jsonl"
"""Files of a crawl beside its archives: its frontier, the index of its pages, and the list of its failures."""
_PIPE_SECONDS = 30.0  # for another program to write to a named pipe
_SCHEME = re.compile(r"([a-z][a-z0-9+.-]+::)*[a-z][a-z0-9+.-]+://", re.IGNORECASE)


def is_web(name: str) -> bool:
    """Return whether a name is an address of the web."""
    return name.lower().startswith(("http://", "https://"))


def is_remote(name: str) -> bool:
    """Return whether a name is an address of storage, and not a path or a page of the web.

    >>> is_remote("s3://bucket/a.warc.gz"), is_remote("a.warc.gz"), is_remote("https://example.org/"), is_remote("C:/a")
    (True, False, False, False)
    >>> is_remote("simplecache::s3://bucket/a.warc.gz"), is_remote("notes::a.warc.gz")
    (True, False)
    """
    return _SCHEME.match(name) is not None and not is_web(name)


def is_archive(name: str | Path) -> bool:
    """Return whether a file is a WARC or ARC archive by its name.

    >>> is_archive("a.warc.gz"), is_archive("a.WARC"), is_archive("a.warc.zst"), is_archive("a.arc.gz"), is_archive("a.html.gz")
    (True, True, True, True, False)
    """
    return str(name).lower().endswith((*_ARC_ENDINGS, *_WARC_ENDINGS))


def is_arc(name: str | Path) -> bool:
    """Return whether a file is an ARC archive by its name."""
    return str(name).lower().endswith(_ARC_ENDINGS)


def without_crawl(paths: list[str]) -> list[str]:
    """Return the files of a folder but, if it is that of a crawl, those that the crawl keeps beside its archives.

    >>> without_crawl(["a/crawl.sqlite", "a/crawl.sqlite-wal", "a/pages.jsonl", "a/more.jsonl"]), without_crawl(["b/pages.jsonl"])
    (['a/more.jsonl'], ['b/pages.jsonl'])
    """
    names = {path: os.path.basename(path) for path in paths}  # noqa: PTH119  # many of them
    if CRAWL_STATE not in names.values():
        return paths
    return [path for path, name in names.items() if name not in (CRAWL_PAGES, CRAWL_FAILURES) and not name.startswith(CRAWL_STATE)]


def is_special(path: str | Path) -> bool:
    """Return whether a path is a pipe, a socket or a device: reading one that nobody named could wait for ever."""
    try:
        mode = os.stat(path).st_mode  # noqa: PTH116  # ten times as fast as by way of a Path
    except (OSError, ValueError):  # no file, or a name that none can have
        return False
    return not (stat.S_ISREG(mode) or stat.S_ISDIR(mode))


def walk(folder: str | Path) -> Iterator[list[str] | OSError]:
    """Yield the files of a folder and of each folder below it, sorted by name, the files of a folder before its subfolders; pipes and
    devices are left out. At the end an error for each folder that cannot be read, and for each link that leads out of the folder."""
    unread: list[OSError] = []
    for here, folders, names in os.walk(folder, onerror=unread.append):
        folders.sort()
        paths = [os.path.join(here, name) for name in sorted(names)]  # noqa: PTH118  # as the user wrote it, "./" too
        refused = {path for path in paths if leads_out(path, folder)}
        for path in (path for path in paths if path in refused):
            leads = os.path.exists(path)  # noqa: PTH110  # which raises nothing, whatever the name is
            unread.append(OSError(errno.EPERM, _LEADS_OUT if leads else _LEADS_NOWHERE, path))
        yield [path for path in paths if path not in refused and not is_special(path)]
    yield from unread


FOLLOW_LINKS = "TAMIS_FOLLOW_LINKS"
"""The variable of the environment that lets links lead out of folders, if it is set to anything."""
_LEADS_NOWHERE = "it is a link out of the folder, to nothing"
_LEADS_OUT = f"it is a link out of the folder; {FOLLOW_LINKS}=1 follows such links"


def leads_out(path: str | Path, folder: str | Path) -> bool:
    """Return whether a file of a folder is a link to a place outside: following it would let the folder's maker choose what is read."""
    if not os.path.islink(path) or os.environ.get(FOLLOW_LINKS):  # noqa: PTH114  # ten times as fast
        return False
    return not Path(os.path.realpath(path)).is_relative_to(os.path.realpath(folder))


def as_path(name: str) -> str:
    """Return a ``file://`` address as a path; any other name as it is.

    >>> as_path("file:///data/a%20b.warc"), as_path("s3://bucket/a")
    ('/data/a b.warc', 's3://bucket/a')
    """
    if name.lower().startswith("file://"):
        return unquote(urlsplit(name).path)
    return name


def storage(name: str) -> tuple[Any, str]:
    """Return the file system of fsspec for an address, and the path in it.

    Raises:
        MissingExtraError: fsspec is not installed.
        SourceError: the storage is unknown, lacks its driver, or cannot be reached.
    """
    with needs_extra("reading from storage by address", "corpus"):
        from fsspec.core import url_to_fs
    try:
        system, path = url_to_fs(name)
    except ImportError as error:
        raise SourceError(f"{name} needs a driver: {error}") from error
    except Exception as error:  # drivers raise what they like
        raise SourceError(f"cannot use {name}: {error}") from error
    return system, path


def open_file(name: str | Path) -> BinaryIO:
    """Return a file, open for reading bytes. Raises OSError, or SourceError if its storage cannot be used."""
    if not is_remote(str(name)):
        return Path(name).open("rb")
    system, path = storage(str(name))
    return cast("BinaryIO", system.open(path, "rb"))


def open_pipe(path: str | Path) -> BinaryIO:
    """Return a pipe, open for reading bytes. Raises SourceError for a device, and if nobody writes to a named pipe; that of a command
    (``<(curl ...)``) has a writer, however long it takes."""
    if not Path(path).is_fifo():
        raise SourceError(f"{path} is a device: save its data to a file")
    pipe = open(os.open(path, os.O_RDONLY | os.O_NONBLOCK), "rb")  # noqa: PTH123, SIM115  # the caller closes it
    if not str(path).startswith(("/dev/", "/proc/")) and not select([pipe], [], [], _PIPE_SECONDS)[0]:
        pipe.close()
        raise SourceError(f"nothing was written to the pipe {path} for {_PIPE_SECONDS:g} seconds")
    os.set_blocking(pipe.fileno(), True)
    return pipe


def size_of(name: str) -> int:
    """Return the size of a file in bytes. Raises OSError if there is no such file, or it cannot be reached."""
    if not is_remote(name):
        return Path(name).stat().st_size
    system, path = storage(name)
    return int(system.size(path) or 0)


def stamp_of(name: str) -> list[Any]:
    """Return the values that change with a file: size and time, or the key of its storage; zeros if it is missing."""
    try:
        if not is_remote(name):
            found = Path(name).stat()
            return [found.st_size, found.st_mtime_ns]
        system, path = storage(name)
        return [int(system.size(path) or 0), str(system.ukey(path))]
    except (OSError, SourceError, ValueError):  # a name that no file can have
        return [0, 0]


def find(name: str) -> Iterator[str]:
    """Yield the names of all files that an address of storage (file, folder or pattern) names, sorted. Raises SourceError."""
    system, path = storage(name)
    try:
        if "*" in path or "?" in path or "[" in path:
            found = [each for match in sorted(system.glob(path)) for each in _files_below(system, match)]
        else:
            found = _files_below(system, path) if system.exists(path) else []
        return iter([str(system.unstrip_protocol(each)) for each in found])
    except Exception as error:  # drivers raise what they like
        raise SourceError(f"cannot list {name}: {error}") from error


def _files_below(system: Any, path: str) -> list[str]:
    return sorted(system.find(path)) if system.isdir(path) else [path]


def copy_to(source: Path, name: str) -> None:
    """Copy a file to a path or address, where it appears complete. Raises SourceError if it cannot be written."""
    name = as_path(name)
    try:
        if is_remote(name):
            system, path = storage(name)
            parent, _, last = path.rpartition("/")
            draft = f"{parent}/.{last}.new"
            system.makedirs(parent, exist_ok=True)
            system.put_file(str(source), draft)
            system.mv(draft, path)
            return
        with written_whole(Path(name), hidden=True) as written, source.open("rb") as stream:
            shutil.copyfileobj(stream, written)
    except SourceError:
        raise
    except Exception as error:  # drivers raise what they like
        raise SourceError(f"cannot write {name}: {error}") from error


def remove(name: str) -> None:
    """Remove a file, if possible."""
    with suppress(Exception):  # drivers raise what they like
        if is_remote(name):
            system, path = storage(name)
            system.rm_file(path)
        else:
            Path(name).unlink(missing_ok=True)
