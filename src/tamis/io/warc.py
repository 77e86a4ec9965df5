"""WARC archives (ISO 28500, and versions 0.17 and 0.18) and ARC archives, plain, in gzip, zstd or LZ4 (one member a record, or one for
all): pages out of them, and writing records of WARC.

Truncated or damaged data is reported as a failure, and reading continues at the next readable record, so no page is lost silently. Bodies
are decoded on demand, within a bound.
"""

from __future__ import annotations

import base64
import gzip
import hashlib
import re
from collections.abc import Generator, Iterator
from contextlib import closing
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from pathlib import Path
from uuid import uuid4

from tamis.errors import SourceError
from tamis.io.answers import Answer, reason_phrase
from tamis.io.files import is_web, open_file
from tamis.io.record_bytes import ARC, DamageError, Plain, bytes_of
from tamis.page.content import GZIP, ContentError, TooLargeError, codings_of, decode_content
from tamis.page.decode import is_binary

HTML_TYPES = frozenset({"text/html", "application/xhtml+xml"})
LARGEST_RECORD = 200_000_000  #: bytes of a record; a larger one is skipped, and reported as a failure if it holds a page
_LONGEST_HEAD = 65_536
_LONGEST_NUMBER = 15  # digits of the length of a record
_STATUS = re.compile(rb"HTTP/\d(?:\.\d)? (\d{3})(?!\d)")


@dataclass(frozen=True, slots=True)
class ArchivedPage:
    """A page in an archive: an HTTP response with status 2xx that says it is HTML, or says nothing; or a resource that says so."""

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
        """Return the page, chunks joined and compression undone. Raises SourceError if it is larger than the limit.

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
    """Yield the pages whose records start at ``start`` or later and before ``stop`` in the file, bytes, and failures in place of damage.

    Consecutive parts contain every page exactly once, wherever the cuts are. Damage is reported by the part with the last record before it.
    Raises SourceError if the file cannot be opened.
    """
    for record in read_records(path, start, anywhere=start > 0):
        if stop is not None and record.offset >= stop and isinstance(record, Raw):
            return
        page = record if isinstance(record, ArchiveFailure) else _page_of(record)
        if page is not None:
            yield page


def read_page(path: str | Path, offset: int) -> ArchivedPage:
    """Return the page whose record starts at an offset of the file. Raises SourceError if there is none, or it cannot be read."""
    return _page_at(path, offset)[0]


def read_answer(path: str | Path, offset: int) -> Answer:
    """Return the answer in the record at an offset, as :func:`exchange_records` wrote it. Raises SourceError as above."""
    page, block = _page_at(path, offset)
    try:
        started = datetime.fromisoformat(page.date)
    except ValueError as error:
        raise SourceError(f"{path} has a page without a date at {offset}") from error
    fields = _fields(_divided(block)[0].split(b"\n")[1:])
    headers = tuple((name.decode("latin-1"), value.decode("latin-1")) for name, value in fields)
    return Answer(page.url, page.status, headers, page.raw, started, b"")


def _page_at(path: str | Path, offset: int) -> tuple[ArchivedPage, bytes]:
    with closing(read_records(path, offset)) as records:
        record = next(records, None)
    found = _page_of(record) if isinstance(record, Raw) else record
    if isinstance(record, Raw) and isinstance(found, ArchivedPage) and found.offset == offset:
        return found, record.block or b""
    raise SourceError(f"{path} has no page at {offset}: {found.reason if isinstance(found, ArchiveFailure) else 'another kind of record'}")


def read_records(path: str | Path, offset: int = 0, *, anywhere: bool = False) -> Generator[Raw | ArchiveFailure, None, None]:
    """Yield the records of an archive from a record's offset on, and failures for damage. Raises SourceError if it cannot be opened.

    ``anywhere``: the offset may lie within a record; reading begins at the first record that starts there or later.
    """
    try:
        stream = open_file(path)
    except OSError as error:
        raise SourceError(f"cannot read {path}: {(error.strerror or str(error)).lower()}") from error
    with stream:
        reader = bytes_of(stream, offset, str(path))
        if anywhere:
            reader.begin()
        last, within = -1, 0
        while (record := _next_record(reader)) is not None:
            within = within + 1 if record.offset == last else 0
            last = record.offset
            yield replace(record, within=within) if isinstance(record, Raw) else record


def _next_record(reader: Plain) -> Raw | ArchiveFailure | None:
    """Return the next record, or a failure in its place; None at the end."""
    url = offset = None
    reader.in_record = False
    begun = reader.position
    try:
        while reader.peek(1) in (b"\r", b"\n"):
            reader.take(1)
        if not reader.peek(1):
            return None
        offset = reader.offset
        reader.in_record = True
        begun = reader.position
        headers = _arc_headers(reader) if reader.marks is ARC else _headers(_record_head(reader))
        url = headers.get("warc-target-uri", "").strip("<> ") or None
        length = headers.get("content-length", "")
        if not length.isdecimal() or len(length) > _LONGEST_NUMBER:
            raise DamageError("a record that does not say how long it is")
        block = None
        if int(length) <= LARGEST_RECORD:
            block = reader.take_block(int(length))
        else:
            end = reader.position + int(length)
            reader.find()
            if reader.position < end:
                raise DamageError("a record that is shorter than it says")
    except DamageError as damage:
        offset = reader.offset if offset is None else offset
        reader.resume(begun)
        return ArchiveFailure(offset, str(damage), url)
    return Raw(offset, headers, block)


def _record_head(reader: Plain) -> bytes:
    if reader.marks.start.match(reader.peek(reader.marks.reach)) is None:
        raise DamageError("no WARC record where one should start")
    size = 1024
    while True:
        seen = reader.peek(size)
        ends = [seen.find(mark) + len(mark) for mark in (b"\r\n\r\n", b"\n\n") if mark in seen]
        if ends:
            return reader.take(min(ends))
        if len(seen) < size or size > _LONGEST_HEAD:
            raise DamageError("headers of a record that do not end")
        size *= 2


def _arc_headers(reader: Plain) -> dict[str, str]:
    """Return the line that begins a record of ARC, as headers of WARC: address, host, date, type, ..., length."""
    line = reader.marks.start.match(reader.peek(reader.marks.reach))
    if line is None:
        raise DamageError("no ARC record where one should start")
    reader.take(len(line[0]))
    url, date, length = (value.decode("latin-1") for value in line.groups())
    stamp = "{}-{}-{}T{}:{}:{}Z".format(date[:4], *(date[at : at + 2] for at in range(4, 14, 2)))
    kind = {"warc-type": "response", "content-type": "application/http"} if is_web(url) else {}
    return {"warc-target-uri": url, "warc-date": stamp, "content-length": length} | kind


def _headers(head: bytes) -> dict[str, str]:
    """Headers by name in lower case, continued lines joined; the last one of a name counts."""
    fields = _fields(head.split(b"\n")[1:])
    return {name.decode("latin-1"): " ".join(value.decode("utf-8", "replace").split()) for name, value in fields}


def _fields(lines: list[bytes]) -> list[tuple[bytes, bytes]]:
    found: list[tuple[bytes, list[bytes]]] = []
    for line in lines:
        if line[:1] in (b" ", b"\t") and found:
            found[-1][1].append(line.strip())
            continue
        name, colon, value = line.partition(b":")
        if colon and name.strip():
            found.append((name.strip().lower(), [value.strip()]))
    return [(name, b" ".join(filter(None, parts))) for name, parts in found]


def _page_of(record: Raw) -> ArchivedPage | ArchiveFailure | None:
    """Return the page in a record; None if it holds something else."""
    headers = record.headers
    url = headers.get("warc-target-uri", "").strip("<> ")
    stated, date = headers.get("content-type", ""), headers.get("warc-date", "")
    type_of_block = stated.partition(";")[0].strip().lower()
    is_page = type_of_block in HTML_TYPES and headers.get("warc-type") in ("response", "resource", "conversion")
    if not is_page and (headers.get("warc-type") != "response" or type_of_block != "application/http"):
        return None
    if record.block is None:
        return ArchiveFailure(record.offset, f"a record larger than the limit of {LARGEST_RECORD:,} bytes", url)
    if is_page:  # a page without the headers of a transfer
        return ArchivedPage(url, 200, stated, date, record.offset, record.within, record.block, False, ())
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
    return ArchivedPage(url, int(status[1]), content_type, date, record.offset, record.within, body, chunked, codings)


def _divided(block: bytes) -> tuple[bytes, bytes]:
    """Return the head and the body of an HTTP message; lines may end in ``\\n`` alone."""
    marks = [(at, len(mark)) for mark in (b"\r\n\r\n", b"\n\n") if (at := block.find(mark, 0, _LONGEST_HEAD)) >= 0]
    at, length = min(marks, default=(min(len(block), _LONGEST_HEAD), 0))
    return block[:at], block[at + length :]


def _joined_chunks(raw: bytes) -> bytes | None:
    """Return the data of a chunked body, as far as it goes; None if it is not chunked."""
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


def exchange_records(answer: Answer) -> tuple[bytes, bytes, str]:
    """Return the records of a response and its request, each a gzip member, and the digest of the body (``sha1:...``).

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
    """Return the record that describes how an archive was made, a gzip member."""
    block = "".join(f"{key}: {' '.join(value.split())}\r\n" for key, value in fields.items()).encode()
    return record("warcinfo", f"<urn:uuid:{uuid4()}>", date, block, "application/warc-fields", {"WARC-Filename": name})


def record(
    kind: str, identity: str, date: datetime, block: bytes, content_type: str, headers: dict[str, str], payload_digest: bytes | None = None
) -> bytes:
    """Return a record of WARC 1.1 with the digest of its block, as a gzip member."""
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
