"""A store of templates, which keeps them from run to run.

It is a folder or an address of storage with Parquet files (:data:`tamis.corpus.tables.MODELS`, one site a row) and ``models.json``,
which names the current files and the runs that wrote them. A run copies the store when it begins, and replaces it when it ends: new files
first, then ``models.json`` in one move. So the store stays complete whenever a run is interrupted.
"""

from __future__ import annotations

import json
import shutil
from collections import Counter
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import tamis
from tamis.corpus.tables import read_columns
from tamis.corpus.tasks import Work
from tamis.errors import ModelError, SourceError
from tamis.io.files import as_path, copy_to, is_remote, open_file, remove

FORMAT, VERSION = "tamis-site-models", 1
DATE = "%Y-%m-%dT%H:%M:%SZ"


def stored_files(store: str) -> list[str]:
    """Return the Parquet files of a store, if there is one yet. Raises ModelError for a store of another version; SourceError."""
    return [f"{store.rstrip('/')}/{name}" for name in _head_of_store(store)["files"]]


def _head_of_store(store: str) -> dict[str, Any]:
    store = as_path(store)
    path = f"{store.rstrip('/')}/models.json"
    try:
        with open_file(path) as stream:
            head = json.loads(stream.read())
        if head["format"] != FORMAT or not all(isinstance(name, str) and "/" not in name for name in head["files"]):
            raise ValueError("another format")
        if head["version"] != VERSION:
            known = f"this tamis reads version {VERSION}: update tamis, or name another folder"
            raise ModelError(f"{store} is of version {head['version']}; {known}")
        return dict(head)
    except (ModelError, SourceError):
        raise
    except (FileNotFoundError, NotADirectoryError) as error:
        folder = Path(store)
        if is_remote(store) or not folder.exists() or (folder.is_dir() and not any(folder.iterdir())):
            return {"format": FORMAT, "version": VERSION, "files": [], "runs": []}
        raise ModelError(f"{store} exists and holds no site models (no models.json): name another folder") from error
    except Exception as error:  # drivers of storage raise what they like
        raise ModelError(f"cannot read {path}: {error}") from error


def fetch_models(work: Work) -> Mapping[str, Any]:
    """Run the task: copy the files of a store, so that other runs do not change this one, and note the date of the run."""
    for number, name in enumerate(stored_files(work.config.models or "")):
        with open_file(name) as stream, work.path(f"models-{number:05d}.parquet").open("wb") as copy:
            shutil.copyfileobj(stream, copy)
    return {"date": datetime.now(UTC).strftime(DATE)}


def store_models(work: Work) -> Mapping[str, Any]:
    """Run the task: put the templates of a run into the store."""
    needs = work.task.needs
    return put(work.config.models or "", [work.root / file for file in needs["models"]], needs["date"], work.config.sources, work.folder)


def put(store: str, files: Sequence[Path], date: str, sources: Sequence[str], folder: Path) -> dict[str, int]:
    """Make these files the store, with drafts in ``folder``; how many sites had which outcome."""
    store = as_path(store).rstrip("/")
    head = _head_of_store(store)
    before, head["files"] = head["files"], []
    counts: Counter[str] = Counter()
    for number, file in enumerate(files):
        counts.update(read_columns(file, ["outcome"]).column(0).to_pylist())
        head["files"].append(f"models-{''.join(filter(str.isdigit, date))}-{number:05d}.parquet")
        copy_to(file, f"{store}/{head['files'][-1]}")
    head["runs"].append({"date": date, "sources": list(sources), "tamis": tamis.__version__, "sites": dict(counts)})
    draft = folder / "head.json"
    draft.write_text(json.dumps(head, indent=1) + "\n", encoding="utf-8")
    copy_to(draft, f"{store}/models.json")
    for name in set(before) - set(head["files"]):
        remove(f"{store}/{name}")
    return dict(counts)
