"""The published files where a user looks for them, each put there in one move."""

from __future__ import annotations

import os
import shutil
from collections.abc import Sequence
from pathlib import Path

from tamis.corpus.config import CorpusConfig
from tamis.corpus.tasks import Manifest, TaskStore
from tamis.io.files import copy_to
from tamis.io.writing import draft_name
from tamis.io.writing import put_in_place as rename_into_place

_FOLDERS = {"lines": "jsonl", "rows": "csv", "parts": "documents"}
"""Where files of a task are put that are not put in a folder of their name."""


def put_in_place(store: TaskStore, published: Sequence[Manifest], duplicates: Manifest | None, config: CorpusConfig) -> None:
    """Put ``documents/part-000000.parquet`` and the like into the output, and to :attr:`CorpusConfig.target` where there is one.

    Raises:
        CorpusError: the target cannot be written.
    """
    output = store.root.parent
    files = _files(store, published, duplicates, config)
    for name, source in files.items():
        _place(source, output / name)
        if config.target is not None:
            copy_to(source, f"{config.target.rstrip('/')}/{name}")
    for folder in {name.partition("/")[0] for name in files if "/" in name}:
        for path in (output / folder).rglob("*"):  # of an earlier round
            if path.is_file() and path.relative_to(output).as_posix() not in files:
                path.unlink()


def _files(store: TaskStore, published: Sequence[Manifest], duplicates: Manifest | None, config: CorpusConfig) -> dict[str, Path]:
    """Files by what they are called in the output."""
    found = {}
    for number, manifest in enumerate(published):
        for what in manifest.files:
            source = store.file(manifest, what)
            folder = _FOLDERS.get(what, what)
            if source.is_dir():
                for file in sorted(path for path in source.rglob("*") if path.is_file()):
                    found[f"{folder}/{file.relative_to(source).as_posix()}"] = file
            elif what != "dropped" or config.dropped:
                found[f"{folder}/part-{number:06d}{source.suffix}"] = source
    if duplicates is not None:
        found["duplicates.parquet"] = store.file(duplicates, "duplicates")
    return found


def _place(source: Path, target: Path) -> None:
    """A link to a file, or a copy, put in place in one move."""
    target.parent.mkdir(parents=True, exist_ok=True)
    draft = draft_name(target)
    draft.unlink(missing_ok=True)
    try:
        os.link(source, draft)
    except OSError:  # no links here
        shutil.copyfile(source, draft)
    rename_into_place(draft, target)
