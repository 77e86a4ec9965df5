"""The bytes of the records of a WARC or ARC archive, plain or unpacked (gzip, zstd, LZ4), with each record's place in the file."""

from __future__ import annotations

import io
import re
import zlib
from contextlib import suppress
from dataclasses import dataclass
from itertools import islice
from typing import Any, BinaryIO, cast

from tamis.errors import needs_extra
from tamis.io.files import ARCHIVE_PACKED_SUFFIXES, is_arc
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
_LZ4 = b"\x04\x22\x4d\x18"
_LZ4_HEAD = 64  # bytes within which the content of a frame begins
_LARGEST_DICTIONARY = 100_000_000
_HEAD = re.compile(rb"WARC/(?:1\.\d|0\.1[78])\r?\n(?:[A-Za-z-]{1,80}:[^\n]{0,8000}\n){1,100}\r?\n")
_LENGTH = re.compile(rb"\nContent-Length: *+(\d{1,9})\r?\n", re.IGNORECASE)
_MOST_HEADS = 8  # heads of records that are looked at in one block
_MOST_BEYOND = 1_000_000  # bytes by which a record may be longer than it says, if the next one begins right after it
_AFTER_RECORD = b"\r\n\r\n"


@dataclass(frozen=True, slots=True)
class Marks:
    """Beginnings of the records of a kind of archive."""

    start: re.Pattern[bytes]  #: the start of a record
    next: re.Pattern[bytes]  #: the bytes between a record and the next one
    reach: int  #: most bytes that either looks at


_WARC_START = rb"WARC/(?:1\.|0\.1[78])"
WARC = Marks(re.compile(_WARC_START), re.compile(rb"\r\n\r\n(?=%s)|\n(?=%s\d*\nWARC-)" % (_WARC_START, _WARC_START)), 32)
"""WARC of the versions 0.17, 0.18 and 1.x. Old archives have lines that end in a line feed, and one such line end after a record."""
_ARC_START = rb"([a-z][a-z0-9.+-]{1,20}:[^\r\n]{1,4000}?) [0-9A-Fa-f.:]{1,45} (\d{14}) [^\r\n]{1,200} (\d{1,15})\r?\n"
ARC = Marks(re.compile(_ARC_START), re.compile(rb"\n(?=%s)" % _ARC_START), 4_400)
"""ARC, the format before WARC: each record begins with a line of its address, host, date, type and length."""


def bytes_of(stream: BinaryIO, offset: int, name: str) -> Plain:
    """Return a reader of an archive from an offset on, by the data's beginning there and the name of the file."""
    stream.seek(offset)
    magic = stream.read(4)
    stream.seek(offset)
    suffix = next((suffix for suffix in ARCHIVE_PACKED_SUFFIXES if name.lower().endswith(suffix)), "")
    marks = ARC if is_arc(name) else WARC
    if suffix == ".zst" or magic in (zstandard.MAGIC, _DICTIONARY):
        return _Zstandard(stream, offset, marks)
    if suffix == ".lz4" or magic == _LZ4:
        return _Lz4(stream, offset, marks)
    return (_Packed if suffix or magic[:3] == _MEMBER else Plain)(stream, offset, marks)


class DamageError(Exception):
    """The data at this position cannot be read."""


class Plain:
    """Reads the bytes of an archive that is not compressed."""

    checked = False  # whether damage shows in what follows a record

    def __init__(self, stream: BinaryIO, offset: int, marks: Marks = WARC) -> None:
        self._stream = stream
        self.marks = marks
        self._buffer = bytearray()
        self.position = offset
        self.in_record = False  # whether only bytes of the current record may be read

    @property
    def offset(self) -> int:
        """Offset of the current record, or of the damage, in the file."""
        return self.position

    def _fill(self) -> bool:
        chunk = self._stream.read(_CHUNK)
        self._buffer += chunk
        return bool(chunk)

    def hold(self, length: int) -> bool:
        """Read until this many bytes are in the buffer; False if there are fewer."""
        while len(self._buffer) < length and self._fill():
            pass
        return len(self._buffer) >= length

    def peek(self, length: int) -> bytes:
        """Return the next bytes, fewer at the end; they stay."""
        self.hold(length)
        return bytes(memoryview(self._buffer)[:length])

    def take(self, length: int) -> bytes:
        """Return the next bytes, fewer at the end."""
        taken = self.peek(length)
        del self._buffer[: len(taken)]
        self.position += len(taken)
        return taken

    def take_block(self, length: int) -> bytes:
        """Return the block of a record, whose stated length may be wrong. Raises DamageError if it is.

        A block that goes on after its stated end, up to where the next record begins, is longer than it says: some writers counted wrong.
        """
        if not self.hold(length):
            raise DamageError("a record that is shorter than it says")
        self.hold(length + self.marks.reach)
        if not self._ends_record(length):
            if self._next_within(length) or self._whole_within(length):
                raise DamageError("a record that is shorter than it says")
            beyond = self._end_beyond(length)
            if beyond is None and self.checked:
                self.take(length)
                raise DamageError("damaged compressed data (a record that goes on after its end)")
            length = beyond or length
        return self.take(length)

    def _next_within(self, length: int) -> bool:
        found = self.marks.next.search(self._buffer, 0, length + self.marks.reach)
        return found is not None and found.start() < length

    def _whole_within(self, length: int) -> bool:
        """Return whether another whole record begins in a block without an end of line before it: the record before it is cut off."""
        for head in islice(_HEAD.finditer(self._buffer, 0, length), _MOST_HEADS):
            stated = _LENGTH.search(head[0])
            end = head.end() + int(stated[1]) if stated else 0
            self.hold(end + self.marks.reach)
            if length < end <= len(self._buffer) and self._ends_record(end):
                return True
        return False

    def _end_beyond(self, length: int) -> int | None:
        """Return the end of a block whose stated length is too small; None if it is unknown."""
        whole = not self.hold(length + _MOST_BEYOND) and self.is_whole
        ends = (_AFTER_RECORD, b"\n\n") if whole and self.checked else (b"\r\n", b"\n")
        if self._buffer.startswith(ends, length):
            return None  # the record ended, and what follows it is damaged
        found = self.marks.next.search(self._buffer, length)
        if found is not None:
            return found.start() if found.start() <= length + _MOST_BEYOND else None
        return length + len(self._buffer[length:].rstrip(b"\r\n")) if whole else None

    @property
    def is_whole(self) -> bool:
        """The bytes in the buffer, to which no more can be added, were written to their end."""
        return self._buffer.endswith((_AFTER_RECORD, b"\n\n"))

    def _ends_record(self, end: int) -> bool:
        after = bytes(self._buffer[end : end + self.marks.reach]).lstrip(b"\r\n")
        return not after or self.marks.start.match(after) is not None or (len(after) < 7 and b"WARC/1.".startswith(after))

    def find(self) -> int | None:
        """Go to where a record ends and another one follows, or to the end: the bytes between the two, or None."""
        while self.hold(1):
            more = self.hold(_CHUNK)
            if (found := self.marks.next.search(self._buffer)) is not None:
                self.take(found.start())
                return len(found[0])
            self.take(len(self._buffer) - (self.marks.reach if more else 0))
        return None

    def begin(self) -> None:
        """Go to the first record that starts here or later: every record but the first follows the end of a line."""
        start = self.position
        self.position = self._stream.seek(max(self.position - len(_AFTER_RECORD), 0))
        while (between := self.find()) is not None:
            self.take(between)
            if self.position >= start:
                return

    def resume(self, damaged: int) -> None:
        """After damage, go to the next position that looks like the start of a record. ``damaged``: where that begins which is damaged."""
        self.take(self.position == damaged)
        while self.hold(1):
            more = self.hold(_CHUNK)
            if (found := self.marks.start.search(self._buffer)) is not None:
                self.take(found.start())
                return
            self.take(len(self._buffer) - (self.marks.reach if more else 0))


class _Packed(Plain):
    """Reads the bytes of an archive in gzip, unpacked; knows the member they are in."""

    checked = True
    kind, magic = "gzip", _MEMBER
    error: type[Exception] = InflateError

    def __init__(self, stream: BinaryIO, offset: int, marks: Marks = WARC) -> None:
        super().__init__(stream, offset, marks)
        self._raw = b""
        self._raw_at = offset  # where _raw starts in the file
        self._member = offset
        self._inflate: Any = None
        self._damage: str | None = None

    @property
    def offset(self) -> int:
        """Offset of the member of the next byte, or of the damaged member."""
        return self._member

    @property
    def is_whole(self) -> bool:
        """The bytes in the buffer go up to the end of a member, where its checksum was compared."""
        return self._inflate is None and self._damage is None

    def _fill(self) -> bool:
        """Unpack more, at most to the end of a member: bytes of two members are never in the buffer together."""
        if self._damage is not None:
            raise DamageError(self._damage)
        if self._inflate is None and (self._buffer or self.in_record):
            return False
        more = not getattr(self._inflate, "needs_input", True)  # zstd and LZ4 keep what they have not unpacked
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
        except self.error:
            self._fail(f"damaged {self.kind} data")
        rest = bytes((self._inflate.unused_data if self._inflate.eof else getattr(self._inflate, "unconsumed_tail", b"")) or b"")
        self._raw_at += len(self._raw) - len(rest)
        self._raw = rest
        if self._inflate.eof:
            self._inflate = None
        return True

    def _opened(self) -> Any:
        return inflating.decompressobj(wbits=31)

    def _fail(self, reason: str) -> None:
        self._damage = reason
        raise DamageError(reason)

    def begin(self) -> None:
        """Go to the first member that starts here or later and unpacks to the start of a record."""
        self._member -= 1
        self._next_member()

    def resume(self, damaged: int) -> None:
        """After damage, continue at the next record in this member, or at the next member."""
        try:
            if self._damage is None and (between := self.find()) is not None:
                self.take(between)
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
            return self.marks.start.match(self._opened().decompress(packed, self.marks.reach)) is not None
        except self.error:
            return False


class _Lz4(_Packed):
    """The same for LZ4."""

    kind, magic, error = "LZ4", _LZ4, RuntimeError

    def _opened(self) -> Any:
        with needs_extra("archives compressed with LZ4", "warc"):
            from lz4.frame import LZ4FrameDecompressor
        return LZ4FrameDecompressor()

    def _starts_record(self, packed: bytes) -> bool:
        return self.marks.start.search(packed, 0, _LZ4_HEAD) is not None  # the first characters of a frame are stored as they are


class _Zstandard(_Packed):
    """The same for zstd. A first frame may hold the dictionary of all others."""

    kind, magic = "zstd", zstandard.MAGIC

    def __init__(self, stream: BinaryIO, offset: int, marks: Marks = WARC) -> None:
        super().__init__(stream, offset, marks)
        self._zstd = zstandard.module()
        self.error = self._zstd.ZstdError
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
        except (ValueError, self.error):
            return None  # reading the frames that need it fails
        return dictionary

    def _opened(self) -> Any:
        return self._zstd.ZstdDecompressor(self._dictionary)
