"""The bytes of the records of a WARC archive, plain or unpacked from gzip or zstd, with the place in the file where each record begins."""

from __future__ import annotations

import io
import zlib
from contextlib import suppress
from typing import Any, BinaryIO, cast

from tamis.io.files import PACKED_SUFFIXES
from tamis.page import zstandard
from tamis.page.content import decode_content

inflating: Any = zlib
InflateError: type[Exception] = zlib.error
with suppress(ImportError):  # ISA-L is more than twice as fast
    from isal import igzip_lib, isal_zlib

    inflating, InflateError = isal_zlib, cast("type[Exception]", igzip_lib.IsalError)

_CHUNK = 262_144
_PACKED_CHUNK = 32_768  # bytes of packed data read at a time: what follows a member is copied with each
_GLANCE = 2048
_MEMBER = b"\x1f\x8b\x08"
_DICTIONARY = b"\x5d\x2a\x4d\x18"  # begins the frame of an archive in zstd that holds the dictionary of the others
_LARGEST_DICTIONARY = 100_000_000
_VERSION = b"WARC/1."
_AFTER_RECORD = b"\r\n\r\n"
NEXT_RECORD = _AFTER_RECORD + _VERSION


def bytes_of(stream: BinaryIO, offset: int, name: str) -> Plain:
    """What reads an archive from an offset on, by how the data begin there and by the name of the file."""
    stream.seek(offset)
    magic = stream.read(4)
    stream.seek(offset)
    suffix = next((suffix for suffix in PACKED_SUFFIXES if name.lower().endswith(suffix)), "")
    if suffix == ".zst" or magic in (zstandard.MAGIC, _DICTIONARY):
        return _Zstandard(stream, offset)
    return _Packed(stream, offset) if suffix or magic[:3] == _MEMBER else Plain(stream, offset)


class DamageError(Exception):
    """The data at this position cannot be read."""


class Plain:
    """Reads the bytes of an archive that is not compressed."""

    checked = False  # whether damage shows in what follows a record

    def __init__(self, stream: BinaryIO, offset: int) -> None:
        self._stream = stream
        self._buffer = bytearray()
        self.position = offset
        self.in_record = False  # whether only bytes of the current record may be read

    @property
    def offset(self) -> int:
        """Where the current record, or the damage, starts in the file."""
        return self.position

    def _fill(self) -> bool:
        """More bytes into the buffer; False at the end."""
        chunk = self._stream.read(_CHUNK)
        self._buffer += chunk
        return bool(chunk)

    def hold(self, length: int) -> bool:
        """Read until this many bytes are in the buffer; False if there are fewer."""
        while len(self._buffer) < length and self._fill():
            pass
        return len(self._buffer) >= length

    def peek(self, length: int) -> bytes:
        """The next bytes, fewer at the end; they stay."""
        self.hold(length)
        return bytes(memoryview(self._buffer)[:length])

    def take(self, length: int) -> bytes:
        """The next bytes, fewer at the end."""
        taken = self.peek(length)
        del self._buffer[: len(taken)]
        self.position += len(taken)
        return taken

    def take_block(self, length: int) -> bytes:
        """The block of a record, whose stated length may be wrong. Raises DamageError if it is."""
        if not self.hold(length):
            raise DamageError("a record that is shorter than it says")
        self.hold(length + len(NEXT_RECORD))
        if not _ends_record(self._buffer, length):
            if self._buffer.find(NEXT_RECORD, 0, length) >= 0:
                raise DamageError("a record that is shorter than it says")
            if self.checked:
                self.take(length)
                raise DamageError("damaged compressed data (a record that goes on after its end)")
        return self.take(length)

    def find(self, mark: bytes) -> bool:
        """Go to the next occurrence of some bytes, or to the end; whether they were found."""
        while self.hold(1):
            more = self.hold(_CHUNK)
            if (found := self._buffer.find(mark)) >= 0:
                self.take(found)
                return True
            self.take(len(self._buffer) - (len(mark) if more else 0))
        return False

    def begin(self) -> None:
        """Go to the first record that starts here or later: every record but the first follows an empty line."""
        self.position = self._stream.seek(max(self.position - len(_AFTER_RECORD), 0))
        self.find(NEXT_RECORD)
        self.take(len(_AFTER_RECORD))

    def resume(self) -> None:
        """After damage, go to the next position that looks like the start of a record."""
        self.take(1)
        self.find(_VERSION)


class _Packed(Plain):
    """Reads the bytes of an archive in gzip, unpacked; knows the member they are in."""

    checked = True
    kind, magic = "gzip", _MEMBER

    def __init__(self, stream: BinaryIO, offset: int) -> None:
        super().__init__(stream, offset)
        self._raw = b""
        self._raw_at = offset  # where _raw starts in the file
        self._member = offset
        self._inflate: Any = None
        self._damage: str | None = None

    @property
    def offset(self) -> int:
        """Where the member of the next byte, or the damaged member, starts."""
        return self._member

    def _fill(self) -> bool:
        """Unpack more, at most to the end of a member: bytes of two members are never in the buffer together."""
        if self._damage is not None:
            raise DamageError(self._damage)
        if self._inflate is None and (self._buffer or self.in_record):
            return False
        more = self._inflate is not None and self._holds_more(self._inflate)
        self._raw = self._raw or (b"" if more else self._stream.read(_PACKED_CHUNK))
        if not (self._raw or more):
            if self._inflate is not None:
                self._fail("the file ends within a record")
            return False
        if self._inflate is None:
            self._member = self._raw_at
            self._inflate = self._opened()
        try:
            self._buffer += self._inflate.decompress(self._raw, _CHUNK)
        except self._error():
            self._fail(f"damaged {self.kind} data")
        rest = self._inflate.unused_data if self._inflate.eof else self._unread(self._inflate)
        self._raw_at += len(self._raw) - len(rest)
        self._raw = rest
        if self._inflate.eof:
            self._inflate = None
        return True

    def _opened(self) -> Any:
        """What unpacks a member."""
        return inflating.decompressobj(wbits=31)

    def _error(self) -> type[Exception]:
        """What it raises where the data are damaged."""
        return InflateError

    def _holds_more(self, inflate: Any) -> bool:
        """Whether it has more to give out without more data."""
        return False

    def _unread(self, inflate: Any) -> bytes:
        """The data that it has not taken in."""
        return bytes(inflate.unconsumed_tail)

    def _fail(self, reason: str) -> None:
        self._damage = reason
        raise DamageError(reason)

    def begin(self) -> None:
        """Go to the first member that starts here or later and unpacks to the start of a record."""
        self._member -= 1
        self._next_member()

    def resume(self) -> None:
        """After damage, continue at the next record in this member, or at the next member."""
        try:
            if self._damage is None and self.find(NEXT_RECORD):
                self.take(len(_AFTER_RECORD))
                return
        except DamageError:
            pass
        self._next_member()

    def _next_member(self) -> None:
        """Continue at the next member after the start of this one that unpacks to the start of a record."""
        at = self._member + 1
        self._buffer.clear()
        self._inflate = self._damage = None
        self._raw = b""
        while True:
            self._stream.seek(at)
            block = self._stream.read(_CHUNK + _GLANCE)
            found = block.find(self.magic)
            while 0 <= found < _CHUNK:
                if self._starts_record(block[found : found + _GLANCE]):
                    self._raw_at = self._stream.seek(at + found)
                    return
                found = block.find(self.magic, found + 1)
            if len(block) < _CHUNK + _GLANCE:
                self._raw_at = self._stream.seek(0, io.SEEK_END)
                return
            at += _CHUNK

    def _starts_record(self, packed: bytes) -> bool:
        try:
            return bool(self._opened().decompress(packed, 16).startswith(_VERSION))
        except self._error():
            return False


class _Zstandard(_Packed):
    """The same for zstd, whose members are frames. A first frame may hold the dictionary of all others."""

    kind, magic = "zstd", zstandard.MAGIC

    def __init__(self, stream: BinaryIO, offset: int) -> None:
        super().__init__(stream, offset)
        self._zstd = zstandard.module()
        stream.seek(0)
        head = stream.read(8)
        size = int.from_bytes(head[4:], "little") if head[:4] == _DICTIONARY else 0
        self._dictionary = self._read_dictionary(stream.read(size)) if 0 < size <= _LARGEST_DICTIONARY else None
        stream.seek(offset)

    def _read_dictionary(self, data: bytes) -> Any:
        if data[:4] == zstandard.MAGIC:
            data = decode_content([data], ("zstd",), _LARGEST_DICTIONARY, whole=False)
        try:
            dictionary = self._zstd.ZstdDict(data)
            self._zstd.ZstdDecompressor(dictionary)
        except (ValueError, self._zstd.ZstdError):
            return None  # reading the frames that need it fails
        return dictionary

    def _opened(self) -> Any:
        return self._zstd.ZstdDecompressor(self._dictionary)

    def _error(self) -> type[Exception]:
        return cast("type[Exception]", self._zstd.ZstdError)

    def _holds_more(self, inflate: Any) -> bool:
        return not inflate.needs_input

    def _unread(self, inflate: Any) -> bytes:
        return b""


def _ends_record(data: bytes | bytearray, end: int) -> bool:
    """Whether nothing or another record follows an index."""
    after = bytes(data[end : end + len(NEXT_RECORD)]).lstrip(b"\r\n")
    return _VERSION.startswith(after[: len(_VERSION)])
