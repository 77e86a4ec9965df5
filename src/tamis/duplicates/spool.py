"""Signatures on disk: as bytes, and in a temporary file that goes with the process."""

from __future__ import annotations

import os
import struct
import tempfile
from array import array

import numpy as np

from tamis.duplicates.shingling import Hashes
from tamis.duplicates.signature import Signature, SignatureSettings

_HEAD = struct.Struct("<IIIQ16s")
_TAIL = 1 << 20
"""Bytes that are written together."""


def to_bytes(signature: Signature) -> bytes:
    """A signature as bytes, without its settings."""
    columns = (signature.shingles, signature.numbers, signature.words)
    head = _HEAD.pack(*map(len, columns), signature.letters, signature.digest)
    return b"".join((head, *(column.astype("<u4", copy=False).tobytes() for column in columns)))


def from_bytes(data: bytes | memoryview, settings: SignatureSettings) -> tuple[Signature, int]:
    """A signature of bytes, which it keeps; and where they end."""
    *lengths, letters, digest = _HEAD.unpack_from(data)
    columns, end = [], _HEAD.size
    for length in lengths:
        columns.append(np.frombuffer(data, dtype="<u4", count=length, offset=end))
        end += 4 * length
    shingles, numbers, words = columns
    return Signature(shingles, numbers, words, letters, digest, settings), end


def shingles_of(data: bytes | memoryview) -> Hashes:
    """The shingles of a signature of bytes, which they keep."""
    return np.frombuffer(data, dtype="<u4", count=_HEAD.unpack_from(data)[0], offset=_HEAD.size)


class Spool:
    """Signatures in a temporary file, numbered from 0."""

    def __init__(self, settings: SignatureSettings) -> None:
        self._settings = settings
        self._file = tempfile.TemporaryFile(buffering=0)  # noqa: SIM115  # closed with the spool
        self._ends = array("Q", [0])
        self._written = 0
        self._tail = bytearray()
        """What is still to be written."""

    def __len__(self) -> int:
        return len(self._ends) - 1

    def add(self, signature: Signature) -> int:
        """Keep a signature; its number."""
        self._tail += to_bytes(signature)
        self._ends.append(self._written + len(self._tail))
        if len(self._tail) >= _TAIL:
            self._file.seek(self._written)
            rest = memoryview(self._tail)
            while rest:
                rest = rest[self._file.write(rest) :]
            self._written, self._tail = self._ends[-1], bytearray()
        return len(self) - 1

    def get(self, number: int) -> Signature:
        """The signature with a number."""
        return from_bytes(self._data(number), self._settings)[0]

    def shingles(self, number: int) -> Hashes:
        """Its shingles."""
        return shingles_of(self._data(number))

    def _data(self, number: int) -> bytes:
        start, end = self._ends[number], self._ends[number + 1]
        if start >= self._written:
            return bytes(self._tail[start - self._written : end - self._written])
        if hasattr(os, "pread"):
            data = os.pread(self._file.fileno(), end - start, start)
        else:
            self._file.seek(start)
            data = self._file.read(end - start)
        if len(data) < end - start:
            raise OSError("the temporary file of signatures is shorter than what was written to it")
        return data

    def close(self) -> None:
        """Delete the file."""
        self._file.close()
