"""Pages to be read later, perhaps in another process.

A :class:`Source` is sent to a worker, and its page is read, fetched or decoded there, so that memory stays flat. Only lines of JSON, rows
and held pages are sent with their text. The address of a saved page is not known: ``url`` is None, unless the page states it.
"""

from __future__ import annotations

import base64
import binascii
import json
from abc import ABC, abstractmethod
from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from typing import TYPE_CHECKING, TypeVar
from urllib.parse import urlsplit

from tamis.errors import SourceError
from tamis.io.fetch import Limits, fetch
from tamis.io.files import open_file

if TYPE_CHECKING:
    from tamis.io.warc import ArchivedPage

HTML_FIELDS = ("html", "content", "body", "raw_html")
"""Names under which a JSON line may hold its page; the first that is there counts."""
BASE64_FIELD = "html_base64"
"""Name under which a JSON line may hold its page as bytes."""
_BINARY_WITHIN = 1024

_Html = TypeVar("_Html", bound="str | bytes")


@dataclass(frozen=True, slots=True)
class Fields:
    """Names of the fields of a JSON line."""

    url: str = "url"
    html: str | None = None
    """The field with the page as text; None: the first of :data:`HTML_FIELDS`, then bytes in :data:`BASE64_FIELD`."""


@dataclass(frozen=True, slots=True)
class Served:
    """A page as its source gives it."""

    html: str | bytes
    url: str | None = None
    content_type: str | None = None


@dataclass(frozen=True, slots=True)
class Source(ABC):
    """One page that can be read, here or in another process."""

    name: str
    """Path, address, or file and line."""

    @property
    def url(self) -> str | None:
        """The page's address, where it is known before the page is read."""
        return None

    @property
    def place(self) -> PurePosixPath:
        """A relative path for what is made of the page: mirrors where it came from."""
        return PurePosixPath(Path(self.name).name)

    @abstractmethod
    def read(self, limits: Limits = Limits()) -> Served:
        """The page.

        Raises:
            SourceError: it cannot be read (FetchError: fetched), is larger than the limits allow, or is no text.
        """


@dataclass(frozen=True, slots=True)
class FilePage(Source):
    """A saved page, perhaps in gzip."""

    path: str
    """Absolute: a worker process may have another current folder."""
    root: str = ""
    """The folder it was found in, absolute; empty for a file named by itself."""

    @property
    def place(self) -> PurePosixPath:
        """Its path within the folder it was found in."""
        path = Path(self.path)
        return PurePosixPath(path.relative_to(self.root).as_posix() if self.root else path.name)

    def read(self, limits: Limits = Limits()) -> Served:
        """The file's bytes, unpacked."""
        try:
            with open_file(self.path) as stream:
                raw = stream.read(limits.max_bytes + 1)
        except OSError as error:
            raise SourceError(f"cannot read {self.name}: {words(error)}") from error
        return Served(_page_bytes(raw, self.name, limits))


@dataclass(frozen=True, slots=True)
class _OfWeb(Source):
    """A page with an address of the web."""

    @property
    def place(self) -> PurePosixPath:
        """Host, path and query of its address."""
        try:
            parts = urlsplit(self.url or "")
        except ValueError:
            return PurePosixPath("page")
        path = parts.path + "index" if parts.path.endswith("/") else parts.path or "index"
        return PurePosixPath(parts.hostname or "page", path.lstrip("/") + (f"_{parts.query}" if parts.query else ""))


@dataclass(frozen=True, slots=True)
class WebPage(_OfWeb):
    """A page to be fetched; its name is its address."""

    @property
    def url(self) -> str:
        """Its address."""
        return self.name

    def read(self, limits: Limits = Limits()) -> Served:
        """The page as fetched, with its address after redirects."""
        response = fetch(self.name, limits)
        return Served(_text_only(response.body, self.name), response.url, response.content_type)


@dataclass(frozen=True, slots=True)
class ArchivedSource(_OfWeb):
    """A page in a WARC archive, read by its place in the file (:mod:`tamis.io.warc`)."""

    path: str
    """Of the archive, absolute."""
    offset: int
    address: str

    @property
    def url(self) -> str:
        """Its address."""
        return self.address

    def read(self, limits: Limits = Limits()) -> Served:
        """The page as it was fetched."""
        from tamis.io.warc import read_page

        return RecordPage(self.name, read_page(self.path, self.offset)).read(limits)


@dataclass(frozen=True, slots=True)
class RecordPage(_OfWeb):
    """A page whose record of an archive is in memory; its body is decoded where it is read."""

    record: ArchivedPage

    @property
    def url(self) -> str:
        """Its address."""
        return self.record.url

    def read(self, limits: Limits = Limits()) -> Served:
        """The page as it was fetched."""
        body = self.record.body(limits.max_bytes)
        return Served(_text_only(body, self.name), self.record.url, self.record.content_type)


@dataclass(frozen=True, slots=True)
class HeldPage(Source):
    """A page that the program holds already."""

    html: str | bytes
    address: str | None = None
    content_type: str | None = None

    @property
    def url(self) -> str | None:
        """Its address, if it was given one."""
        return self.address

    def read(self, limits: Limits = Limits()) -> Served:
        """The page as it is held, gzip unpacked."""
        html = self.html
        held = _page_bytes(html, self.name, limits) if isinstance(html, bytes) else _within(html, self.name, limits)
        return Served(held, self.address, self.content_type)


@dataclass(frozen=True, slots=True)
class RowPage(HeldPage):
    """A page in a row of Parquet."""

    @property
    def place(self) -> PurePosixPath:
        """The file's name as a folder, the row's number as a file."""
        return _numbered(self.name, "rows")


@dataclass(frozen=True, slots=True)
class JsonLine(Source):
    """A line of a JSON lines file: an object with a page and perhaps its address. It is decoded where it is read."""

    line: bytes
    fields: Fields = Fields()

    @property
    def url(self) -> str | None:
        """The address that the line states."""
        try:
            return self._address(self._object())
        except SourceError:
            return None

    @property
    def place(self) -> PurePosixPath:
        """The file's name as a folder, the line's number as a file."""
        return _numbered(self.name, "lines")

    def read(self, limits: Limits = Limits()) -> Served:
        """The page in the line."""
        item = self._object()
        html = self._html(item)
        html = _within(html, self.name, limits) if isinstance(html, str) else _page_bytes(html, self.name, limits)
        return Served(html, self._address(item))

    def _object(self) -> dict[str, object]:
        try:
            item = json.loads(self.line)
        except (ValueError, RecursionError) as error:
            raise SourceError(f"{self.name} is not JSON: {error}") from error
        if not isinstance(item, dict):
            raise SourceError(f"{self.name} is JSON, but not an object")
        return item

    def _address(self, item: dict[str, object]) -> str | None:
        url = item.get(self.fields.url)
        return url if isinstance(url, str) and url else None

    def _html(self, item: dict[str, object]) -> str | bytes:
        names = (self.fields.html,) if self.fields.html else HTML_FIELDS
        for name in names:
            if isinstance(html := item.get(name), str):
                return html
        packed = item.get(BASE64_FIELD)
        if self.fields.html or not isinstance(packed, str):
            raise SourceError(f"{self.name} has no page: no text in the field {' or '.join(names)}")
        try:
            return base64.b64decode(packed, validate=True)
        except (binascii.Error, ValueError) as error:
            raise SourceError(f"{self.name}: {BASE64_FIELD} is not base64") from error


@dataclass(frozen=True, slots=True)
class BrokenSource(Source):
    """The place of a page that is known to be unreadable; reading it says why."""

    reason: str

    def read(self, limits: Limits = Limits()) -> Served:
        """Never a page.

        Raises:
            SourceError: always.
        """
        raise SourceError(self.reason)


def words(error: BaseException) -> str:
    """What an error of the system says, in the middle of a sentence."""
    said = getattr(error, "strerror", None) or str(error) or type(error).__name__
    return said[0].lower() + said[1:]


def _numbered(name: str, kind: str) -> PurePosixPath:
    path, _, number = name.rpartition(":")
    stem = Path(path).name.split(".")[0] if path != "-" else "stdin"
    return PurePosixPath(stem or kind, f"{int(number):06d}" if number.isdecimal() else number)


def _page_bytes(raw: bytes, name: str, limits: Limits) -> bytes:
    """A page's bytes, gzip unpacked, within the limit and no binary data."""
    raw = _within(raw, name, limits)
    if raw[:2] == b"\x1f\x8b":
        from tamis.page.parsing import unpack

        raw = _within(unpack(raw, name, limits.max_bytes + 1), name, limits)
    return _text_only(raw, name)


def _within(html: _Html, name: str, limits: Limits) -> _Html:
    if len(html) > limits.max_bytes:
        raise SourceError(f"{name} is larger than the limit of {limits.max_bytes:,} bytes")
    return html


def _text_only(raw: bytes, name: str) -> bytes:
    """Refuse what is no text: pages have no NUL bytes, unless they are UTF-16 with a byte-order mark."""
    if raw[:5] == b"%PDF-" or (b"\0" in raw[:_BINARY_WITHIN] and raw[:2] not in (b"\xff\xfe", b"\xfe\xff")):
        raise SourceError(f"{name} is no page: it holds binary data")
    return raw
