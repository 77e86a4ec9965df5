"""Models in folders: ``model.json``, and arrays in ``columns.npz``; written whole or not at all, read without running anything."""

from __future__ import annotations

import io
import json
import shutil
import tempfile
import zipfile
from collections.abc import Callable, Mapping
from os import PathLike
from pathlib import Path
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from tamis.errors import ModelError

Arrays = Mapping[str, NDArray[Any]]
_Made = TypeVar("_Made")
_DAMAGE = (KeyError, TypeError, ValueError, IndexError, AttributeError, OSError, zipfile.BadZipFile)


def format_of(path: str | PathLike[str]) -> str | None:
    """Return the format that a folder's ``model.json`` names; None where there is none."""
    try:
        return str(json.loads((Path(path) / "model.json").read_text(encoding="utf-8"))["format"])
    except (OSError, ValueError, KeyError, TypeError, RecursionError):
        return None


def pack(format: str, version: int, head: Mapping[str, Any], columns: Arrays) -> bytes:
    """Return a model as bytes, beginning with its format."""
    stream = io.BytesIO()
    text = json.dumps({"format": format, "version": version, **head}, ensure_ascii=False).encode()
    arrays: dict[str, Any] = {**columns, "head": np.frombuffer(text, dtype=np.uint8)}
    np.savez_compressed(stream, **arrays)
    return f"{format}\n".encode() + stream.getvalue()


def unpack(data: bytes, make: Callable[[dict[str, Any], Arrays], _Made]) -> _Made:
    """Return the model that :func:`pack` packed. Raises :class:`~tamis.errors.ModelError` if it is damaged."""
    try:
        with np.load(io.BytesIO(data.partition(b"\n")[2]), allow_pickle=False) as columns:
            return make(json.loads(columns["head"].tobytes()), columns)
    except _DAMAGE as error:
        raise ModelError(f"a packed model is damaged: {error}") from error


def write_folder(path: str | PathLike[str], format: str, version: int, head: Mapping[str, Any], columns: Arrays) -> None:
    """Write a model; what stood there before is replaced in one move.

    Raises:
        ModelError: the folder cannot be written, or holds something else than a model.
    """
    target = Path(path)
    if target.exists() and not (target / "model.json").exists() and any(target.iterdir() if target.is_dir() else [target]):
        raise ModelError(f"{target} exists and is not a model of a site: choose another folder")
    try:
        target.parent.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryDirectory(prefix=f".{target.name}.", dir=target.parent) as folder:
            work = Path(folder) / "new"
            work.mkdir()
            values = {"format": format, "version": version, **head}
            (work / "model.json").write_text(json.dumps(values, ensure_ascii=False, indent=1) + "\n", encoding="utf-8")
            arrays: dict[str, Any] = dict(columns)
            np.savez_compressed(work / "columns.npz", **arrays)
            if target.exists():
                target.rename(Path(folder) / "old")
            work.rename(target)
            shutil.rmtree(Path(folder) / "old", ignore_errors=True)
    except OSError as error:
        raise ModelError(f"cannot write {target}: {error.strerror or error}") from error


def read_folder(path: str | PathLike[str], format: str, version: int, make: Callable[[dict[str, Any], Arrays], _Made]) -> _Made:
    """Read a model that :func:`write_folder` wrote.

    Raises:
        ModelError: there is none, it is damaged, or a newer tamis wrote it.
    """
    source = Path(path)
    if format_of(source) != format:
        raise ModelError(f"{source} is not a model of the format {format} (tamis learn makes one)")
    try:
        head = json.loads((source / "model.json").read_text(encoding="utf-8"))
        if head["version"] == version:
            with np.load(source / "columns.npz", allow_pickle=False) as columns:
                return make(head, columns)
    except _DAMAGE as error:
        raise ModelError(f"the model {source} is damaged: {error}") from error
    raise ModelError(f"{source} is of version {head['version']}; this tamis reads version {version}: update tamis, or learn anew")
