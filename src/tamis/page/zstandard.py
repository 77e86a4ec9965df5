"""Zstandard: the module of Python 3.14, or for earlier versions its twin on PyPI, backports.zstd."""

from __future__ import annotations

from collections.abc import Iterator
from io import BufferedReader, RawIOBase
from typing import Any, BinaryIO, cast

from tamis.errors import needs_extra

MAGIC = b"\x28\xb5\x2f\xfd"  #: Beginning of zstd data.
_LARGEST_WINDOW = 31  #: Logarithm of the bytes that a file may refer back to; archives of text use up to this.


def module() -> Any:
    """Return the module.

    Raises:
        MissingExtraError: there is none (``pip install '.[warc]'``).
    """
    with needs_extra("data compressed with zstd", "warc"):
        try:
            from compression import zstd  # type: ignore[import-not-found, unused-ignore]
        except ImportError:
            from backports import zstd
    return zstd


class _Unpacked(RawIOBase):
    """The unpacked bytes of a zstd file; damage is an OSError."""

    def __init__(self, packed: BinaryIO) -> None:
        self._zstd = module()
        options = {self._zstd.DecompressionParameter.window_log_max: _LARGEST_WINDOW}
        self._file = self._zstd.ZstdFile(packed, options=options)

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int:
        try:
            data = self._file.read(len(buffer))
        except self._zstd.ZstdError as error:
            raise OSError("damaged zstd data") from error
        buffer[: len(data)] = data
        return len(data)


def reading(packed: BinaryIO) -> BinaryIO:
    """Return a reader of a zstd file's unpacked bytes. Reading raises EOFError if the file is cut off, and OSError if it is damaged."""
    return cast("BinaryIO", BufferedReader(_Unpacked(packed)))


def writing(raw: BinaryIO) -> BinaryIO:
    """Return a stream whose bytes are written packed."""
    return cast("BinaryIO", module().ZstdFile(raw, "wb"))


def unpacked(chunks: Iterator[bytes], most: int) -> Iterator[bytes]:
    """Unpack frames of zstd in pieces of at most ``most`` bytes.

    Raises:
        OSError: the data are damaged.
        EOFError: they are cut off.
    """
    zstd = module()
    frame = None
    try:
        for chunk in chunks:
            rest = chunk
            while rest or (frame is not None and not frame.needs_input):
                frame = frame or zstd.ZstdDecompressor()
                if piece := frame.decompress(rest, most):
                    yield piece
                rest = frame.unused_data if frame.eof else b""
                frame = None if frame.eof else frame
    except zstd.ZstdError as error:
        raise OSError("damaged zstd data") from error
    if frame is not None:
        raise EOFError("cut off")
