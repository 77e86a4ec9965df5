"""Atomic files: an output takes its name when it is complete."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import BinaryIO


def partial_name(path: Path) -> Path:
    """The name of an output that is not complete.

    >>> str(partial_name(Path("out/pages.jsonl")))
    'out/pages.jsonl.partial'
    """
    return path.with_name(path.name + ".partial")


@contextmanager
def written_whole(path: Path) -> Iterator[BinaryIO]:
    """A file to write that takes its name when all is written."""
    partial = partial_name(path)
    with partial.open("wb") as stream:
        yield stream
    partial.replace(path)
