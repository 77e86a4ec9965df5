"""Signatures on disk: as bytes, and in a temporary file that goes with the process."""

from __future__ import annotations

import struct

import numpy as np

from tamis.duplicates.signature import Hashes, Signature, SignatureSettings
from tamis.io.temporary import TemporaryStore

_HEAD = struct.Struct("<IIIIQ16s")


def to_bytes(signature: Signature) -> bytes:
    """Return a signature as bytes, without its settings."""
    columns = (signature.shingles, signature.numbers, signature.words)
    head = _HEAD.pack(*map(len, columns), signature.title, signature.letters, signature.digest)
    return b"".join((head, *(column.astype("<u4", copy=False).tobytes() for column in columns)))


def from_bytes(data: bytes | memoryview, settings: SignatureSettings) -> tuple[Signature, int]:
    """Return a signature of bytes, which it keeps; and where they end."""
    *lengths, title, letters, digest = _HEAD.unpack_from(data)
    columns, end = [], _HEAD.size
    for length in lengths:
        columns.append(np.frombuffer(data, dtype="<u4", count=length, offset=end))
        end += 4 * length
    shingles, numbers, words = columns
    return Signature(shingles, numbers, words, letters, digest, settings, title), end


def shingles_of(data: bytes | memoryview) -> Hashes:
    """Return the shingles of a signature of bytes, which they keep."""
    return np.frombuffer(data, dtype="<u4", count=_HEAD.unpack_from(data)[0], offset=_HEAD.size)


class SignatureSpool:
    """Signatures in a temporary file, numbered from 0."""

    def __init__(self, settings: SignatureSettings) -> None:
        self._settings = settings
        self._spool = TemporaryStore()
        self.close = self._spool.close

    def add(self, signature: Signature) -> None:
        """Keep a signature under the next number."""
        self._spool.add(to_bytes(signature))

    def get(self, number: int) -> Signature:
        """Return the signature with a number."""
        return from_bytes(self._spool.get(number), self._settings)[0]

    def shingles(self, number: int) -> Hashes:
        """Return its shingles."""
        return shingles_of(self._spool.get(number))
