"""The published files where a user looks for them, each put there in one move."""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator, Sequence
from pathlib import Path

from tamis.corpus.config import CorpusConfig
from tamis.corpus.tasks import Manifest, TaskStore
from tamis.files import copy_to

_FOLDERS = {"lines": "jsonl", "parts": "documents"}
"""Where files of a task are put that are not put in a folder of their name."""


def put_in_place(store: TaskStore, published: Sequence[Manifest], duplicates: Manifest | None, config: CorpusConfig) -> None:
    """Put ``documents/part-000000.parquet`` and the like into the output, and to :attr:`CorpusConfig.target` where there is one.

    Raises:
        CorpusError: the target cannot be written.
    """
    output = store.root.parent
    for source, name in _files(store, published, duplicates, config):
        _place(source, output / name)
        if config.target is not None:
            copy_to(source, f"{config.target.rstrip('/')}/{name}")


def _files(
    store: TaskStore, published: Sequence[Manifest], duplicates: Manifest | None, config: CorpusConfig
) -> Iterator[tuple[Path, str]]:
    """Files, and what they are called in the output."""
    for number, manifest in enumerate(published):
        for what in manifest.files:
            source = store.file(manifest, what)
            folder = _FOLDERS.get(what, what)
            if source.is_dir():
                for file in sorted(path for path in source.rglob("*") if path.is_file()):
                    yield file, f"{folder}/{file.relative_to(source).as_posix()}"
            elif what != "dropped" or config.dropped:
                yield source, f"{folder}/part-{number:06d}{source.suffix}"
    if duplicates is not None:
        yield store.file(duplicates, "duplicates"), "duplicates.parquet"


def _place(source: Path, target: Path) -> None:
    """A link to a file, or a copy, put in place in one move."""
    target.parent.mkdir(parents=True, exist_ok=True)
    draft = target.with_name(f".{target.name}.new")
    draft.unlink(missing_ok=True)
    try:
        os.link(source, draft)
    except OSError:  # no links here
        shutil.copyfile(source, draft)
    draft.replace(target)
