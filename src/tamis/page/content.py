"""Decompress HTTP bodies piece by piece, within a bound: a few bytes of gzip can expand to gigabytes, gzip in gzip to more."""

from __future__ import annotations

import zlib
from collections.abc import Iterable, Iterator

from tamis.errors import MissingExtraError
from tamis.page.zstandard import unpacked

CODINGS = frozenset({"gzip", "x-gzip", "deflate", "identity"})
"""Content codings that are always undone; ``br`` and ``zstd`` are where their packages are installed."""
GZIP = b"\x1f\x8b"  #: Beginning of gzip data.
_CUT_OFF = "its compressed data are cut off"
MOST_CODINGS = 5  #: Codings of one body, one over the other.
_PIECE = 65_536  #: Most bytes that one step gives out.
_STEP = 4_096  #: Bytes fed at a time: what follows the end of a gzip member is copied, so that many short members stay linear.


class ContentError(ValueError):
    """A body cannot be decoded: an unknown coding, too many of them, or damaged data."""


class TooLargeError(ContentError):
    """A body is larger than the limit once it is decoded."""


def codings_of(header: str | None) -> tuple[str, ...]:
    """Return the codings that a ``Content-Encoding`` header names, in the order they were applied.

    >>> codings_of("gzip, identity"), codings_of(None)
    (('gzip',), ())
    """
    named = (coding.strip().lower() for coding in (header or "").split(","))
    return tuple(coding for coding in named if coding and coding != "identity")


def decode_content(chunks: Iterable[bytes], codings: tuple[str, ...], limit: int, *, whole: bool = True) -> bytes:
    """Return a body with its codings undone, at most ``limit`` bytes. No step holds more than some kilobytes besides. ``whole`` false: the
    beginning of a body that is larger or damaged is enough.

    Raises:
        TooLargeError: the body is larger.
        ContentError: a coding is unknown, there are more than :data:`MOST_CODINGS`, or the data are damaged.

    >>> import gzip
    >>> decode_content([gzip.compress(gzip.compress(b"<p>twice"))], ("gzip", "gzip"), 100)
    b'<p>twice'
    """
    body = bytearray()
    try:
        if len(codings) > MOST_CODINGS:
            raise ContentError(f"compressed {len(codings)} times over")
        stream: Iterator[bytes] = iter(chunks)
        for coding in reversed(codings):
            if coding == "br":
                stream = _unbrotlied(stream)
            elif coding == "zstd":
                stream = _of_zstd(stream)
            elif coding in CODINGS:
                stream = _inflated(stream, deflate=coding == "deflate")
            else:
                raise ContentError(f"compressed with {coding[:40]}")
        for piece in stream:
            body += piece
            if len(body) > limit:
                raise TooLargeError(f"larger than the limit of {limit:,} bytes")
    except (zlib.error, ContentError) as error:
        if whole:
            raise error if isinstance(error, ContentError) else ContentError("its compressed data cannot be unpacked") from error
    return bytes(body[:limit])


def unpack_gzip(raw: bytes, limit: int) -> tuple[bytes, str | None]:
    """Return the members of a gzip file unpacked up to ``limit`` bytes, and what is wrong with the rest, if anything."""
    body = bytearray()
    try:
        for piece in _inflated(iter([raw]), deflate=False):
            body += piece
            if len(body) >= limit:
                break
    except (zlib.error, ContentError) as error:
        return bytes(body), str(error)
    return bytes(memoryview(body)[:limit]), None


def _inflated(chunks: Iterator[bytes], *, deflate: bool) -> Iterator[bytes]:
    """gzip, several members too, or deflate with or without its wrapper, unpacked in pieces. What follows the data is left out.

    Data that are cut off are an error, once all that is there has been given out.
    """
    inflate = None
    begun = False
    for data in (chunk[start : start + _STEP] for chunk in chunks for start in range(0, len(chunk), _STEP)):
        rest = data
        while rest or inflate is not None:
            if inflate is None:
                if begun and (deflate or rest[:1] != b"\x1f"):
                    return
                # deflate comes with the wrapper that the standard asks for, or without it, as some servers send it
                wrapped = len(rest) >= 2 and rest[0] & 0x0F == 8 and int.from_bytes(rest[:2], "big") % 31 == 0
                inflate = zlib.decompressobj((zlib.MAX_WBITS if wrapped else -zlib.MAX_WBITS) if deflate else 31)
                begun = True
            piece = inflate.decompress(rest, _PIECE)
            if piece:
                yield piece
            if inflate.eof:
                rest, inflate = inflate.unused_data, None
                continue
            rest = inflate.unconsumed_tail
            if not rest and len(piece) < _PIECE:
                break
    if inflate is not None:
        raise ContentError(_CUT_OFF)


def _of_zstd(chunks: Iterator[bytes]) -> Iterator[bytes]:
    try:
        yield from unpacked(chunks, _PIECE)
    except MissingExtraError as error:
        raise ContentError("compressed with zstd, which needs the package backports.zstd") from error
    except (OSError, EOFError) as error:
        raise ContentError(_CUT_OFF if isinstance(error, EOFError) else "its compressed data cannot be unpacked") from error


def _unbrotlied(chunks: Iterator[bytes]) -> Iterator[bytes]:
    try:
        import brotli
    except ImportError as error:
        raise ContentError("compressed with br, which needs the package brotli") from error
    decompressor = brotli.Decompressor()
    try:
        for data in chunks:
            yield decompressor.process(data, output_buffer_limit=_PIECE)
            while not decompressor.can_accept_more_data():
                yield decompressor.process(b"", output_buffer_limit=_PIECE)
    except brotli.error as error:
        raise ContentError("its compressed data cannot be unpacked") from error
    if not decompressor.is_finished():
        raise ContentError(_CUT_OFF)
