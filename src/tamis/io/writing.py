"""Outputs: files appear when they are complete and on the disk, and replace nothing unless asked to."""

from __future__ import annotations

import contextlib
import gzip
import json
import os
import shutil
from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager
from pathlib import Path
from typing import BinaryIO

from tamis.errors import UsageError
from tamis.page import zstandard


def partial_name(path: Path) -> Path:
    """Return the name of an incomplete output: ``out/pages.jsonl.partial``."""
    return path.with_name(path.name + ".partial")


def check_outputs(*paths: Path | None, overwrite: bool) -> None:
    """Check the outputs of a command before its work; None is skipped.

    Raises:
        UsageError: a file or a folder that is not empty exists and may not be overwritten, two outputs are the same, or a file is where a
        folder is needed. OSError: nothing can be written there.
    """
    from tempfile import TemporaryFile

    named = [path for path in paths if path is not None and str(path) != os.devnull]
    if len(set(map(os.path.realpath, named))) < len(named):
        raise UsageError(f"{' and '.join(map(str, named))} are the same file: name one for each output")
    for path in named:
        if not overwrite and (path.is_file() or (path.is_dir() and any(path.iterdir()))):
            raise UsageError(f"{path} exists already; --overwrite replaces it")
        if _is_stream(path):
            continue
        place = _led_to(path)
        place = next(each for each in (place if place.is_dir() else place.parent, *place.parents) if each.exists())
        if not place.is_dir():
            raise UsageError(f"{path} cannot be written: {place} is a file, not a folder")
        try:
            with TemporaryFile(dir=place):
                pass
        except OSError as error:  # it names the temporary file
            raise OSError(error.errno, error.strerror, str(place)) from error


def as_line(values: object) -> bytes:
    """Plain values as a line of JSON in UTF-8."""
    return json.dumps(values, ensure_ascii=False).encode("utf-8", "replace") + b"\n"


def draft_name(path: Path) -> Path:
    """Return the hidden name of an incomplete file in a folder of outputs: ``out/.run.json.new``."""
    return path.with_name(f".{path.name}.new")


@contextmanager
def written_whole(path: Path, *, hidden: bool = False, keep: bool = False) -> Iterator[BinaryIO]:
    """Open a file that gets its name when all is written and on the disk. Its folder is made if it is missing.

    While incomplete, it is called ``name.partial``, or ``.name.new`` (``hidden``). If writing fails, it is removed; with ``keep``, only an
    empty one. Of a link, what it leads to is written. A device or a pipe is written to as it is: no file may take the place of
    ``/dev/null``.

    Raises:
        UsageError: another run is writing to it.
    """
    if _is_stream(path):
        with path.open("wb") as stream:
            yield stream
        return
    path = _led_to(path)
    path.parent.mkdir(parents=True, exist_ok=True)
    draft = draft_name(path) if hidden else partial_name(path)
    with contextlib.nullcontext() if hidden else alone_in(draft, make=True):
        try:
            with draft.open("wb") as stream:
                yield stream
                stream.flush()
                os.fsync(stream.fileno())
            put_in_place(draft, path)
        except BaseException:
            with contextlib.suppress(OSError):
                if not keep or not draft.stat().st_size:
                    draft.unlink()
            raise


@contextmanager
def lines_written_whole(path: Path, *, keep: bool = False) -> Iterator[gzip.GzipFile | BinaryIO]:
    """Do what :func:`written_whole` does; packed by gzip, without name and time, or by zstd, if the name ends so."""
    with written_whole(path, keep=keep) as raw, _packing(raw, path.suffix.lower()) as stream:
        yield stream


def _packing(raw: BinaryIO, suffix: str) -> AbstractContextManager[gzip.GzipFile | BinaryIO]:
    if suffix == ".gz":
        return gzip.GzipFile("", "wb", 6, raw, mtime=0)
    return zstandard.writing(raw) if suffix == ".zst" else contextlib.nullcontext(raw)


@contextmanager
def folder_written_whole(path: Path, *, keep: bool = False) -> Iterator[Path]:
    """Open a folder that gets its name when all is written. Files of an existing folder are replaced at the end; its other files stay, so
    do its permissions.

    If writing fails, the incomplete folder ``name.partial`` is removed; with ``keep``, only an empty one.
    """
    path = _led_to(path)
    draft = partial_name(path)
    shutil.rmtree(draft, ignore_errors=True)  # of an earlier run that was interrupted
    draft.mkdir(parents=True)
    try:
        yield draft
    except BaseException:
        if not keep or not any(draft.iterdir()):
            shutil.rmtree(draft, ignore_errors=True)
        raise
    if path.exists():
        for here, _, names in os.walk(draft):
            target = path / Path(here).relative_to(draft)
            target.mkdir(exist_ok=True)
            for name in names:
                Path(here, name).replace(target / name)
        shutil.rmtree(draft)
    else:
        put_in_place(draft, path)


def _is_stream(path: Path) -> bool:
    """Return whether it is a device or a pipe, or leads to one: ``/dev/stdout``."""
    return path.exists() and not path.is_file() and not path.is_dir()


def _led_to(path: Path) -> Path:
    """Return the target of a link; any other path, and a link in a circle, as it is."""
    return Path(os.path.realpath(path)) if path.is_symlink() else path


def put_in_place(draft: Path, path: Path) -> None:
    """Give a complete file or folder its name, and see that the name is on the disk."""
    draft.replace(path)
    with contextlib.suppress(OSError):  # not every system opens folders
        folder = os.open(path.parent, os.O_RDONLY)
        try:
            os.fsync(folder)
        finally:
            os.close(folder)


def link(source: Path, target: Path) -> None:
    """Make a file known by another name, or copy it where there are no links."""
    try:
        os.link(source, target)
    except OSError:
        shutil.copyfile(source, target)


@contextmanager
def alone_in(path: Path, *, make: bool = False) -> Iterator[None]:
    """Lock a folder, or a file (``make``: which is made), against other processes of tamis, if the system can.

    Raises:
        UsageError: another process has locked it.
    """
    try:
        import fcntl
    except ImportError:
        yield
        return
    held = os.open(path, os.O_WRONLY | os.O_CREAT if make else os.O_RDONLY, 0o666)
    try:
        with contextlib.suppress(OSError):  # a file system without locks
            try:
                fcntl.flock(held, fcntl.LOCK_EX | fcntl.LOCK_NB)
                is_ours = path.exists() and os.path.samestat(os.fstat(held), path.stat())  # it may have got its name meanwhile
            except BlockingIOError:
                is_ours = False
            if not is_ours:
                raise UsageError(f"another run is writing to {path}: wait until it ends, or name another output")
        yield
    finally:
        os.close(held)
