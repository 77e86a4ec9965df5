"""Signatures on disk: as bytes, and in a temporary file that goes with the process."""

from __future__ import annotations

import struct
import tempfile
from array import array

import numpy as np

from tamis.duplicates.signature import Signature, SignatureSettings

_HEAD = struct.Struct("<IIIQ16s")


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


class Spool:
    """Signatures in a temporary file, numbered from 0."""

    def __init__(self, settings: SignatureSettings) -> None:
        self._settings = settings
        self._file = tempfile.TemporaryFile()  # noqa: SIM115  # closed with the spool
        self._ends = array("Q", [0])

    def __len__(self) -> int:
        return len(self._ends) - 1

    def add(self, signature: Signature) -> int:
        """Keep a signature; its number."""
        data = to_bytes(signature)
        self._file.write(data)
        self._ends.append(self._ends[-1] + len(data))
        return len(self) - 1

    def get(self, number: int) -> Signature:
        """The signature with a number."""
        self._file.seek(self._ends[number])
        data = self._file.read(self._ends[number + 1] - self._ends[number])
        self._file.seek(0, 2)
        return from_bytes(data, self._settings)[0]

    def close(self) -> None:
        """Delete the file."""
        self._file.close()
