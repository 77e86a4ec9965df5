"""Outputs: files appear when they are complete, and replace nothing unless asked to."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import BinaryIO

from tamis.errors import UsageError


def partial_name(path: Path) -> Path:
    """The name of an output that is not complete.

    >>> str(partial_name(Path("out/pages.jsonl")))
    'out/pages.jsonl.partial'
    """
    return path.with_name(path.name + ".partial")


def refuse_existing(*paths: Path | None, overwrite: bool) -> None:
    """Refuse to replace a file, or a folder that holds something; None is no output.

    Raises:
        UsageError: there is one, and it is not to be overwritten.
    """
    for path in paths:
        if not overwrite and path is not None and (path.is_file() or (path.is_dir() and any(path.iterdir()))):
            raise UsageError(f"{path} exists already; --overwrite replaces it")


@contextmanager
def written_whole(path: Path) -> Iterator[BinaryIO]:
    """A file to write that takes its name when all is written."""
    partial = partial_name(path)
    with partial.open("wb") as stream:
        yield stream
    partial.replace(path)
