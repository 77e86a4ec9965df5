"""Models in folders: ``model.json``, and arrays in ``columns.npz``; written whole or not at all, read without running anything."""

from __future__ import annotations

import io
import json
import shutil
import struct
import tempfile
import zipfile
import zlib
from collections.abc import Callable, Mapping
from os import PathLike
from pathlib import Path
from typing import Any, ClassVar, Self, TypeVar

import numpy as np
from numpy.typing import NDArray

from tamis.errors import ModelError

Arrays = Mapping[str, NDArray[Any]]
_Made = TypeVar("_Made")
_LONGEST_FORMAT = 100  #: Bytes.
_DAMAGE: tuple[type[Exception], ...] = (KeyError, TypeError, ValueError, IndexError, AttributeError, ArithmeticError, RuntimeError)
_DAMAGE += (EOFError, OSError, zipfile.BadZipFile, zlib.error, struct.error)


class Stored:
    """A model that is kept as a folder or as bytes."""

    FORMAT: ClassVar[str]
    VERSION: ClassVar[int]

    def parts(self) -> tuple[dict[str, Any], Arrays]:
        """Return what is kept: plain values, and arrays."""
        raise NotImplementedError

    @classmethod
    def of_parts(cls, head: dict[str, Any], columns: Arrays) -> Self:
        """Make the model of its :meth:`parts`. What does not fit together raises one of the errors of damage."""
        raise NotImplementedError

    def save(self, path: str | PathLike[str]) -> None:
        """Save as a folder: ``model.json``, and the arrays in ``columns.npz``.

        Raises:
            ModelError: the folder cannot be written, or holds something else.
        """
        write_folder(path, self.FORMAT, self.VERSION, *self.parts())

    def pack(self) -> bytes:
        """Return the model as bytes, the same for the same model, without what only updates need."""
        return pack(self.FORMAT, self.VERSION, *self.parts())

    @classmethod
    def unpack(cls, data: bytes) -> Self:
        """Return the model that :meth:`pack` packed. Raises :class:`~tamis.errors.ModelError` for other bytes, or damaged ones."""
        return unpack(data, cls.FORMAT, cls.VERSION, cls.of_parts)

    @classmethod
    def load(cls, path: str | PathLike[str]) -> Self:
        """Load a saved model. Raises :class:`~tamis.errors.ModelError` where there is none, or a damaged or newer one."""
        return read_folder(path, cls.FORMAT, cls.VERSION, cls.of_parts)

    def without_evidence(self) -> Self:
        """Return the model without what only learning needs; here the model itself."""
        return self


def format_of(path: str | PathLike[str]) -> str | None:
    """Return the format that a folder's ``model.json`` names; None if there is none."""
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


def format_of_packed(data: bytes) -> str:
    """Return the format that :func:`pack` wrote at the beginning of bytes; of others anything else."""
    return data[:_LONGEST_FORMAT].partition(b"\n")[0].decode("utf-8", "replace")


def unpack(data: bytes, format: str, version: int, make: Callable[[dict[str, Any], Arrays], _Made]) -> _Made:
    """Return the model that :func:`pack` packed.

    Raises:
        ModelError: the bytes are not of this kind of model, of another version, or damaged.
    """
    if format_of_packed(data) != format:
        raise ModelError(f"these bytes are not a model of the format {format}; an earlier tamis may have written them: learn anew")
    try:
        with np.load(io.BytesIO(data.partition(b"\n")[2]), allow_pickle=False) as columns:
            head = json.loads(columns["head"].tobytes())
            if head["version"] == version:
                return make(head, columns)
    except _DAMAGE as error:
        raise ModelError(f"a packed model is damaged: {_what_is_wrong(error)}") from error
    raise ModelError(_other_version("a packed model", head["version"], version))


def _other_version(name: object, version: object, right: int) -> str:
    return f"{name} is of version {version}; this tamis reads version {right}: update tamis, or learn anew"


def _what_is_wrong(error: Exception) -> str:
    return f"it has no {error}" if isinstance(error, KeyError) else str(error) or type(error).__name__


def write_folder(path: str | PathLike[str], format: str, version: int, head: Mapping[str, Any], columns: Arrays) -> None:
    """Write a model; an earlier one is replaced in one move.

    Raises:
        ModelError: the folder cannot be written, or holds something else than a model.
    """
    target = Path(path)
    if target.exists() and not (target / "model.json").exists() and any(target.iterdir() if target.is_dir() else [target]):
        raise ModelError(f"{target} exists and is not a site model: choose another folder")
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
    if not (source / "model.json").is_file():
        why = "is a file, and a site model is a folder" if source.is_file() else "is not a site model: it has no model.json"
        raise ModelError(f"{source} {why} (tamis learn makes one)")
    try:
        head = json.loads((source / "model.json").read_text(encoding="utf-8"))
        if head["format"] != format:
            raise ValueError(f"its format is {head['format']!r}, not {format!r}")
        if head["version"] == version:
            with np.load(source / "columns.npz", allow_pickle=False) as columns:
                return make(head, columns)
    except _DAMAGE as error:
        raise ModelError(f"the site model {source} is damaged: {_what_is_wrong(error)}") from error
    raise ModelError(_other_version(source, head["version"], version))
