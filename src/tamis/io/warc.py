"""WARC archives (ISO 28500), plain, in gzip or in zstd (one member a record, or one for all): pages out of them, and writing records.

Truncated or damaged data is reported as a failure, and reading continues at the next readable record, so no page is lost silently. Bodies
are decoded on demand, within a bound.
"""

from __future__ import annotations

import base64
import gzip
import hashlib
import io
import re
import zlib
from collections.abc import Generator, Iterator
from contextlib import closing, suppress
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any, BinaryIO, cast
from uuid import uuid4

from tamis.errors import SourceError
from tamis.io.fetch import reason_phrase
from tamis.io.files import PACKED_SUFFIXES, open_file
from tamis.page import zstandard
from tamis.page.content import GZIP, ContentError, TooLargeError, codings_of, decode_content
from tamis.page.decode import is_binary

if TYPE_CHECKING:
    from tamis.io.fetch import Answer


_inflating: Any = zlib
_InflateError: type[Exception] = zlib.error
with suppress(ImportError):  # ISA-L is more than twice as fast
    from isal import igzip_lib, isal_zlib

    _inflating, _InflateError = isal_zlib, cast("type[Exception]", igzip_lib.IsalError)

HTML_TYPES = frozenset({"text/html", "application/xhtml+xml"})
LARGEST_RECORD = 200_000_000  #: bytes of a record; a larger one is skipped, and reported as a failure if it holds a page
_LONGEST_HEAD = 65_536
_CHUNK = 262_144
_PACKED_CHUNK = 32_768  # bytes of packed data read at a time: what follows a member is copied with each
_GLANCE = 2048
_MEMBER = b"\x1f\x8b\x08"
_DICTIONARY = b"\x5d\x2a\x4d\x18"  # begins the frame of an archive in zstd that holds the dictionary of the others
_LARGEST_DICTIONARY = 100_000_000
_VERSION = b"WARC/1."
_AFTER_RECORD = b"\r\n\r\n"
_NEXT_RECORD = _AFTER_RECORD + _VERSION
_LONGEST_NUMBER = 15  # digits of the length of a record
_STATUS = re.compile(rb"HTTP/\d(?:\.\d)? (\d{3})(?!\d)")


@dataclass(frozen=True, slots=True)
class ArchivedPage:
    """A page in an archive: an HTTP response with status 2xx that says it is HTML, or says nothing."""

    url: str
    status: int
    content_type: str | None  #: the ``Content-Type`` header, which may name the encoding
    date: str  #: when it was fetched, as the archive states it (ISO 8601)
    offset: int  #: where its record starts in the file, bytes; in gzip its member
    within: int  #: records before it in the same member; only one with 0 can be read by its offset
    raw: bytes  #: the body as stored
    chunked: bool
    codings: tuple[str, ...]

    def body(self, limit: int = LARGEST_RECORD) -> bytes:
        """The page, chunks joined and compression undone. Raises SourceError if it is larger than the limit.

        Some archives keep the headers of a transfer that was decoded earlier: a body that is not chunked or compressed stays as it is.
        So do gzip data that are damaged or cut off: who parses them says so.
        """
        raw = (_joined_chunks(self.raw) if self.chunked else None) or self.raw
        try:
            return decode_content([raw], self.codings, limit)
        except TooLargeError as error:
            raise SourceError(f"{self.url} is {error}") from error
        except ContentError as error:
            if is_binary(raw) and not raw.startswith(GZIP):
                raise SourceError(f"{self.url} is damaged: {error}") from error
            return raw


@dataclass(frozen=True, slots=True)
class ArchiveFailure:
    """A part of an archive that cannot be read."""

    offset: int  #: where it starts in the file, bytes
    reason: str
    url: str | None = None


@dataclass(frozen=True, slots=True)
class Raw:
    """A record, not parsed further."""

    offset: int
    headers: dict[str, str]  #: WARC headers, names in lower case
    block: bytes | None  #: the content; None if it is larger than :data:`LARGEST_RECORD`
    within: int = 0  #: records before it in the same member


def read_pages(path: str | Path, start: int = 0, stop: int | None = None) -> Iterator[ArchivedPage | ArchiveFailure]:
    """The pages whose records start at ``start`` or later and before ``stop`` in the file, bytes, and failures in place of damage.

    Consecutive parts contain every page exactly once, wherever the cuts are. Damage is reported by the part with the last record before it.
    Raises SourceError if the file cannot be opened.
    """
    for record in read_records(path, start, anywhere=start > 0):
        if stop is not None and record.offset >= stop and isinstance(record, Raw):
            return
        page = record if isinstance(record, ArchiveFailure) else _page(record)
        if page is not None:
            yield page


def read_page(path: str | Path, offset: int) -> ArchivedPage:
    """The page whose record starts at an offset of the file. Raises SourceError if there is none, or it cannot be read."""
    return _page_at(path, offset)[0]


def read_answer(path: str | Path, offset: int) -> Answer:
    """The answer in the record at an offset, as :func:`exchange_records` wrote it, without the request. Raises SourceError as above."""
    from tamis.io.fetch import Answer

    page, block = _page_at(path, offset)
    try:
        started = datetime.fromisoformat(page.date)
    except ValueError as error:
        raise SourceError(f"{path} has a page without a date at {offset}") from error
    fields = _fields(_divided(block)[0].split(b"\n")[1:])
    headers = tuple((name.decode("latin-1"), value.decode("latin-1")) for name, value in fields)
    return Answer(page.url, page.status, headers, page.raw, started, b"")


def _page_at(path: str | Path, offset: int) -> tuple[ArchivedPage, bytes]:
    """A page, and the block of its record."""
    with closing(read_records(path, offset)) as records:
        record = next(records, None)
    found = _page(record) if isinstance(record, Raw) else record
    if isinstance(record, Raw) and isinstance(found, ArchivedPage) and found.offset == offset:
        return found, record.block or b""
    raise SourceError(f"{path} has no page at {offset}: {found.reason if isinstance(found, ArchiveFailure) else 'another kind of record'}")


def read_records(path: str | Path, offset: int = 0, *, anywhere: bool = False) -> Generator[Raw | ArchiveFailure, None, None]:
    """The records of an archive from the offset of a record on, and failures in place of damage. Raises SourceError if it cannot be opened.

    ``anywhere``: the offset may lie within a record; reading begins at the first record that starts there or later.
    """
    try:
        stream = open_file(path)
    except OSError as error:
        raise SourceError(f"cannot read {path}: {(error.strerror or str(error)).lower()}") from error
    with stream:
        stream.seek(offset)
        magic = stream.read(4)
        stream.seek(offset)
        suffix = next((suffix for suffix in PACKED_SUFFIXES if str(path).lower().endswith(suffix)), "")
        if suffix == ".zst" or magic in (zstandard.MAGIC, _DICTIONARY):
            reader: _Plain = _Zstandard(stream, offset)
        else:
            reader = _Packed(stream, offset) if suffix or magic[:3] == _MEMBER else _Plain(stream, offset)
        if anywhere:
            reader.begin()
        last, within = -1, 0
        while (record := _next_record(reader)) is not None:
            within = within + 1 if record.offset == last else 0
            last = record.offset
            yield replace(record, within=within) if isinstance(record, Raw) else record


# -- bytes of records --------------------------------------------------------------------------------------------------


class _DamageError(Exception):
    """The data at this position cannot be read."""


class _Plain:
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
        """The block of a record, whose stated length may be wrong. Raises _DamageError if it is."""
        if not self.hold(length):
            raise _DamageError("a record that is shorter than it says")
        self.hold(length + len(_NEXT_RECORD))
        if not _ends_record(self._buffer, length):
            if self._buffer.find(_NEXT_RECORD, 0, length) >= 0:
                raise _DamageError("a record that is shorter than it says")
            if self.checked:
                self.take(length)
                raise _DamageError("damaged compressed data (a record that goes on after its end)")
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
        self.find(_NEXT_RECORD)
        self.take(len(_AFTER_RECORD))

    def resume(self) -> None:
        """After damage, go to the next position that looks like the start of a record."""
        self.take(1)
        self.find(_VERSION)


class _Packed(_Plain):
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
            raise _DamageError(self._damage)
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
        return _inflating.decompressobj(wbits=31)

    def _error(self) -> type[Exception]:
        """What it raises where the data are damaged."""
        return _InflateError

    def _holds_more(self, inflate: Any) -> bool:
        """Whether it has more to give out without more data."""
        return False

    def _unread(self, inflate: Any) -> bytes:
        """The data that it has not taken in."""
        return bytes(inflate.unconsumed_tail)

    def _fail(self, reason: str) -> None:
        self._damage = reason
        raise _DamageError(reason)

    def begin(self) -> None:
        """Go to the first member that starts here or later and unpacks to the start of a record."""
        self._member -= 1
        self._next_member()

    def resume(self) -> None:
        """After damage, continue at the next record in this member, or at the next member."""
        try:
            if self._damage is None and self.find(_NEXT_RECORD):
                self.take(len(_AFTER_RECORD))
                return
        except _DamageError:
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
        self._zstd = zstandard.library()
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
    after = bytes(data[end : end + len(_NEXT_RECORD)]).lstrip(b"\r\n")
    return _VERSION.startswith(after[: len(_VERSION)])


def _next_record(reader: _Plain) -> Raw | ArchiveFailure | None:
    """The next record, or a failure in its place; None at the end."""
    url = offset = None
    reader.in_record = False
    try:
        while reader.peek(1) in (b"\r", b"\n"):
            reader.take(1)
        if not reader.peek(1):
            return None
        offset = reader.offset
        reader.in_record = True
        headers = _headers(_head(reader))
        url = headers.get("warc-target-uri", "").strip("<> ") or None
        length = headers.get("content-length", "")
        if not length.isdecimal() or len(length) > _LONGEST_NUMBER:
            raise _DamageError("a record that does not say how long it is")
        block = None
        if int(length) <= LARGEST_RECORD:
            block = reader.take_block(int(length))
        else:
            end = reader.position + int(length)
            reader.find(_NEXT_RECORD)
            if reader.position < end:
                raise _DamageError("a record that is shorter than it says")
    except _DamageError as damage:
        offset = reader.offset if offset is None else offset
        reader.resume()
        return ArchiveFailure(offset, str(damage), url)
    return Raw(offset, headers, block)


def _head(reader: _Plain) -> bytes:
    """The headers of a record, including the final empty line."""
    if not reader.peek(7).startswith(b"WARC/1."):
        raise _DamageError("no WARC record where one should start")
    size = 1024
    while True:
        seen = reader.peek(size)
        ends = [seen.find(mark) + len(mark) for mark in (b"\r\n\r\n", b"\n\n") if mark in seen]
        if ends:
            return reader.take(min(ends))
        if len(seen) < size or size > _LONGEST_HEAD:
            raise _DamageError("headers of a record that do not end")
        size *= 2


def _headers(head: bytes) -> dict[str, str]:
    """Headers by name in lower case, continued lines joined; the last one of a name counts."""
    fields = _fields(head.split(b"\n")[1:])
    return {name.decode("latin-1"): " ".join(value.decode("utf-8", "replace").split()) for name, value in fields}


def _fields(lines: list[bytes]) -> list[tuple[bytes, bytes]]:
    """Header lines as names in lower case and values."""
    found: list[tuple[bytes, list[bytes]]] = []
    for line in lines:
        if line[:1] in (b" ", b"\t") and found:
            found[-1][1].append(line.strip())
            continue
        name, colon, value = line.partition(b":")
        if colon and name.strip():
            found.append((name.strip().lower(), [value.strip()]))
    return [(name, b" ".join(filter(None, parts))) for name, parts in found]


# -- pages -------------------------------------------------------------------------------------------------------------


def _page(record: Raw) -> ArchivedPage | ArchiveFailure | None:
    """The page in a record; None if it holds something else."""
    headers = record.headers
    url = headers.get("warc-target-uri", "").strip("<> ")
    if headers.get("warc-type") != "response" or not headers.get("content-type", "").lower().startswith("application/http"):
        return None
    if record.block is None:
        return ArchiveFailure(record.offset, f"a record larger than the limit of {LARGEST_RECORD:,} bytes", url)
    head, body = _divided(record.block)
    if (status := _STATUS.match(head)) is None:
        return ArchiveFailure(record.offset, "an HTTP response that cannot be read (no status)", url)
    fields = {name: value.decode("latin-1") for name, value in reversed(_fields(head.split(b"\n")[1:]))}  # the first of a name counts
    content_type = fields.get(b"content-type")
    kind = (content_type or "text/html").partition(";")[0].strip().lower()
    if not 200 <= int(status[1]) < 300 or kind not in HTML_TYPES:
        return None
    chunked = "chunked" in fields.get(b"transfer-encoding", "").lower()
    codings = codings_of(fields.get(b"content-encoding"))
    date = headers.get("warc-date", "")
    return ArchivedPage(url, int(status[1]), content_type, date, record.offset, record.within, body, chunked, codings)


def _divided(block: bytes) -> tuple[bytes, bytes]:
    """The head and the body of an HTTP message; lines may end in ``\\n`` alone."""
    marks = [(at, len(mark)) for mark in (b"\r\n\r\n", b"\n\n") if (at := block.find(mark, 0, _LONGEST_HEAD)) >= 0]
    at, length = min(marks, default=(min(len(block), _LONGEST_HEAD), 0))
    return block[:at], block[at + length :]


def _joined_chunks(raw: bytes) -> bytes | None:
    """The data of a chunked body, as far as it goes; None if it is not chunked."""
    pieces: list[bytes] = []
    at = 0
    while (end := raw.find(b"\n", at, at + 1_024)) >= 0:
        size = raw[at:end].partition(b";")[0].strip()
        if not size or len(size) > _LONGEST_NUMBER or size.strip(b"0123456789abcdefABCDEF"):
            return None
        if not int(size, 16):
            return b"".join(pieces)
        pieces.append(raw[end + 1 : end + 1 + int(size, 16)])
        at = end + 1 + int(size, 16)
        at += 2 if raw[at : at + 2] == b"\r\n" else raw[at : at + 1] == b"\n"
    return b"".join(pieces) if pieces and at >= len(raw) else None


# -- writing -----------------------------------------------------------------------------------------------------------


def exchange_records(answer: Answer) -> tuple[bytes, bytes, str]:
    """The records of a response and its request, each a gzip member, and the digest of the body (``sha1:...``).

    The body is stored with its chunks joined and a ``Content-Length``.
    """
    digest = hashlib.sha1(answer.raw, usedforsecurity=False).digest()
    response = f"<urn:uuid:{uuid4()}>"
    shared = {"WARC-Target-URI": answer.url}
    if answer.address:
        shared["WARC-IP-Address"] = answer.address
    kept = [(name, value) for name, value in answer.headers if name.lower() not in ("content-length", "transfer-encoding")]
    lines = "".join(f"{name}: {_one_line(value)}\r\n" for name, value in (*kept, ("Content-Length", str(len(answer.raw)))))
    line = f"{answer.protocol} {answer.status} {reason_phrase(answer.status)}".rstrip()
    block = f"{line}\r\n{lines}\r\n".encode("latin-1", "replace") + answer.raw
    of_response = record("response", response, answer.started, block, "application/http; msgtype=response", shared, digest)
    shared["WARC-Concurrent-To"] = response
    of_request = record("request", f"<urn:uuid:{uuid4()}>", answer.started, answer.request, "application/http; msgtype=request", shared)
    return of_response, of_request, _digest_text(digest)


def warcinfo_record(name: str, date: datetime, fields: dict[str, str]) -> bytes:
    """The record that describes how an archive was made, a gzip member."""
    block = "".join(f"{key}: {' '.join(value.split())}\r\n" for key, value in fields.items()).encode()
    return record("warcinfo", f"<urn:uuid:{uuid4()}>", date, block, "application/warc-fields", {"WARC-Filename": name})


def record(
    kind: str, identity: str, date: datetime, block: bytes, content_type: str, headers: dict[str, str], payload_digest: bytes | None = None
) -> bytes:
    """A record of WARC 1.1 with the digest of its block, as a gzip member."""
    lines = {"WARC-Type": kind, "WARC-Record-ID": identity, "WARC-Date": date.astimezone(UTC).strftime("%Y-%m-%dT%H:%M:%S.%fZ")}
    lines |= {name: _one_line(value) for name, value in headers.items()}
    if payload_digest is not None:
        lines["WARC-Payload-Digest"] = _digest_text(payload_digest)
    lines["WARC-Block-Digest"] = _digest_text(hashlib.sha1(block, usedforsecurity=False).digest())
    lines |= {"Content-Type": content_type, "Content-Length": str(len(block))}
    head = "WARC/1.1\r\n" + "".join(f"{name}: {value}\r\n" for name, value in lines.items()) + "\r\n"
    return gzip.compress(head.encode() + block + b"\r\n\r\n", 6, mtime=0)


def _digest_text(digest: bytes) -> str:
    return "sha1:" + base64.b32encode(digest).decode("ascii")


def _one_line(value: str) -> str:
    return " ".join(value.split())
