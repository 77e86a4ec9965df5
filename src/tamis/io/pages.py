"""Pages to be read later, perhaps in another process.

A :class:`Source` is sent to a worker, which reads, fetches or decodes its page, so memory stays flat. Only lines of JSON, rows and held
pages are sent with their text. The ``url`` of a saved page is None unless the page states it.
"""

from __future__ import annotations

import base64
import binascii
import json
from abc import ABC, abstractmethod
from collections.abc import Collection, Mapping
from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from typing import TYPE_CHECKING, Any, Literal, TypeVar

from tamis.errors import SourceError
from tamis.io.fetch import Limits, fetch
from tamis.io.files import open_file
from tamis.io.naming import place_of
from tamis.page.mhtml import MailedPage

if TYPE_CHECKING:
    from tamis.io.warc import ArchivedPage

HTML_FIELDS = ("html", "content", "body", "raw_html")  #: default names of the field or column with the page; the first one present counts
BASE64_FIELD = "html_base64"  #: field of a JSON line that may hold its page as bytes

_Html = TypeVar("_Html", bound="str | bytes")


@dataclass(frozen=True, slots=True)
class Fields:
    """Names of the fields of JSON lines and of the columns of Parquet."""

    url: str = "url"
    html: str | None = None  #: the field with the page as text; None: the first of :data:`HTML_FIELDS`, then bytes in :data:`BASE64_FIELD`
    keep: tuple[str, ...] = ()  #: Other fields that results keep, such as the caller's own ids.

    @property
    def pages(self) -> tuple[str, ...]:
        """The fields that may hold the page."""
        return (self.html,) if self.html else HTML_FIELDS

    @property
    def pages_of_lines(self) -> tuple[str, ...]:
        """The fields of JSON lines that may hold the page, also as bytes."""
        return self.pages if self.html else (*HTML_FIELDS, BASE64_FIELD)

    def page_among(self, names: Collection[str], path: str, kind: Literal["field", "column"]) -> str:
        """Return the first of the names of a file's fields, or of its columns, that holds the page.

        Raises:
            SourceError: there is none, or not the field of addresses that was set; the usual one may be missing.
        """
        wanted = self.pages if kind == "column" else self.pages_of_lines
        if (found := next((name for name in wanted if name in names), None)) is None:
            missing, what, option = " or ".join(wanted), "pages", "--html-field"
        elif self.url not in names and self.url != Fields().url:
            missing, what, option = self.url, "addresses", "--url-field"
        else:
            return found
        raise SourceError(f"{path} has no {kind} {missing}; it has {', '.join(names)}: name the one that holds the {what} ({option})")


@dataclass(frozen=True, slots=True)
class Served:
    """A page as its source gives it."""

    html: str | bytes
    url: str | None = None
    content_type: str | None = None
    fields: Mapping[str, Any] | None = None  #: Fields named by :attr:`Fields.keep`.


@dataclass(frozen=True, slots=True)
class Source(ABC):
    """One page that can be read, here or in another process."""

    name: str  #: path, address, or file and line

    @property
    def url(self) -> str | None:
        """The page's address, if it is known before the page is read."""
        address: str | None = getattr(self, "address", None)
        return address

    @property
    def place(self) -> PurePosixPath:
        """A relative path for outputs made from the page: mirrors its source. Of a line or row: the file's name, then the number."""
        path, _, number = self.name.rpartition(":")
        if not number.isdecimal():
            return PurePosixPath(Path(self.name).name)
        return PurePosixPath(Path(path).name.split(".")[0] if path != "-" else "stdin", f"{int(number):06d}")

    @abstractmethod
    def read(self, limits: Limits = Limits()) -> Served:
        """Return the page. Raises SourceError if it is unreadable (FetchError: not fetched), too large, or not text."""


@dataclass(frozen=True, slots=True)
class FilePage(Source):
    """A saved page, perhaps in gzip."""

    path: str  #: absolute, since a worker process may have another current folder
    root: str = ""  #: the folder it was found in, absolute; empty for a file named by itself
    named_in: str = ""  #: for a file named by itself, the folder that all such files have in common, absolute

    @property
    def place(self) -> PurePosixPath:
        """Its path within the folder it was found in."""
        path = Path(self.path)
        return PurePosixPath(path.relative_to(self.root or self.named_in or path.parent).as_posix())

    def read(self, limits: Limits = Limits()) -> Served:
        """Return the file's bytes; whole gzip data unpacked."""
        try:
            with open_file(self.path) as stream:
                raw = stream.read(limits.max_bytes + 1)
        except OSError as error:
            raise SourceError(f"cannot read {self.name}: {words(error)}") from error
        from tamis.page.parsing import type_of

        return _served(_page_bytes(raw, self.name, limits), None, type_of(Path(self.path)))


@dataclass(frozen=True, slots=True)
class _OfWeb(Source):
    """A page with an address of the web."""

    @property
    def place(self) -> PurePosixPath:
        """Host, path and query of its address."""
        return place_of(self.url or "")


@dataclass(frozen=True, slots=True)
class WebPage(_OfWeb):
    """A page to be fetched; its name is its address."""

    @property
    def url(self) -> str:
        """Its address."""
        return self.name

    def read(self, limits: Limits = Limits()) -> Served:
        """Return the page as fetched, with its address after redirects."""
        response = fetch(self.name, limits)
        return Served(text_only(response.body, self.name), response.url, response.content_type)


@dataclass(frozen=True, slots=True)
class ArchivedSource(_OfWeb):
    """A page in a WARC archive (:mod:`tamis.io.warc`), read by its place in the file unless its record is in memory."""

    path: str  #: of the archive, absolute
    offset: int
    address: str
    record: ArchivedPage | None = None

    def read(self, limits: Limits = Limits()) -> Served:
        """Return the page as it was fetched."""
        from tamis.io.warc import read_page

        record = self.record or read_page(self.path, self.offset)
        return Served(_page_bytes(record.body(limits.max_bytes), self.name, limits), record.url, record.content_type)


@dataclass(frozen=True, slots=True)
class HeldPage(Source):
    """A page that is in memory."""

    html: str | bytes
    address: str | None = None
    content_type: str | None = None
    kept: Mapping[str, Any] | None = None  #: Fields named by :attr:`Fields.keep`.

    def read(self, limits: Limits = Limits()) -> Served:
        """Return the page; whole gzip data unpacked."""
        html = self.html
        held = _page_bytes(html, self.name, limits) if isinstance(html, bytes) else _within(html, self.name, limits)
        return _served(held, self.address, self.content_type, self.kept)


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

    def read(self, limits: Limits = Limits()) -> Served:
        """Return the page in the line."""
        item = self._object()
        kept = {name: item.get(name) for name in self.fields.keep}
        return HeldPage(self.name, self._html(item), self._address(item), None, kept or None).read(limits)

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
        for name in self.fields.pages:
            if isinstance(html := item.get(name), str):
                return html
        packed = item.get(BASE64_FIELD)
        if self.fields.html or not isinstance(packed, str):
            found = self.fields.page_among(item, self.name, "field")
            raise SourceError(f"{self.name} has no page: its field {found} holds no text")
        try:
            return base64.b64decode(packed, validate=True)
        except (binascii.Error, ValueError) as error:
            raise SourceError(f"{self.name}: {BASE64_FIELD} is not base64") from error


@dataclass(frozen=True, slots=True)
class BrokenSource(Source):
    """Stands for a page that cannot be read."""

    reason: str
    address: str | None = None
    may_pass: bool = False  #: whether it may be read another time

    def read(self, limits: Limits = Limits()) -> Served:
        """Raise SourceError with the reason."""
        raise SourceError(self.reason)


def _served(html: str | bytes, url: str | None = None, content_type: str | None = None, fields: Mapping[str, Any] | None = None) -> Served:
    """Return a page as its source gives it; one that was saved as one file states its address and its type itself."""
    if isinstance(html, MailedPage):
        return Served(bytes(html), url or html.url, html.content_type, fields)
    return Served(html, url, content_type, fields)


def words(error: BaseException) -> str:
    """Return the message of a system error, for the middle of a sentence."""
    said = getattr(error, "strerror", None) or str(error) or type(error).__name__
    return said[0].lower() + said[1:]


def _page_bytes(raw: bytes, name: str, limits: Limits) -> bytes:
    """Return a page's bytes, whole gzip data unpacked (:func:`tamis.page.parsing.unpack`), checked for size and binary data."""
    from tamis.page.parsing import CutOff, unpack

    page = unpack(_within(raw, name, limits), name, limits.max_bytes + 1)
    text_only(_within(page.body if isinstance(page, CutOff) else page, name, limits), name)
    return page


def _within(html: _Html, name: str, limits: Limits) -> _Html:
    if len(html) > limits.max_bytes:
        raise SourceError(f"{name} is larger than the limit of {limits.max_bytes:,} bytes (--max-bytes)")
    return html


def text_only(raw: bytes, name: str) -> bytes:
    """Return bytes that may be a page. Raises SourceError for binary data and archives."""
    from tamis.page.decode import is_binary

    if is_binary(raw):
        raise SourceError(f"{name} is not a page: it holds binary data")
    if raw.startswith((b"WARC/", b"filedesc:")):
        kind = "warc" if raw[:1] == b"W" else "arc"
        raise SourceError(f"{name} is not a page but a {kind.upper()} archive: save it as .{kind} or .{kind}.gz, and name that file")
    return raw
