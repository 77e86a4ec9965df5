"""Byte strings in a temporary file, which goes with the process."""

from __future__ import annotations

import tempfile
from array import array


class TemporaryStore:
    """Byte strings, numbered from 0."""

    def __init__(self) -> None:
        self._file = tempfile.TemporaryFile()  # noqa: SIM115  # closed with the store
        self._ends = array("Q", [0])

    def __len__(self) -> int:
        return len(self._ends) - 1

    def add(self, data: bytes) -> None:
        """Keep some bytes under the next number."""
        self._file.seek(self._ends[-1])
        self._ends.append(self._ends[-1] + self._file.write(data))

    def get(self, number: int) -> bytes:
        """Return the bytes with a number. Raises OSError if another process has cut the file."""
        start, end = self._ends[number], self._ends[number + 1]
        self._file.seek(start)
        data = self._file.read(end - start)
        if len(data) < end - start:
            raise OSError("the temporary file is shorter than what was written to it")
        return data

    def close(self) -> None:
        """Delete the file."""
        self._file.close()
