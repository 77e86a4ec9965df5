"""What a server answered: its body with the compression undone, and the exchange as it goes into the archive."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, datetime
from http import HTTPStatus
from typing import Any

from tamis.errors import SourceError
from tamis.io.warc import HTML_TYPES, Exchange
from tamis.page.content import ContentError, TooLargeError, codings_of, decode_content


@dataclass(frozen=True, slots=True)
class Answer:
    """An HTTP response."""

    url: str
    status: int
    headers: tuple[tuple[str, str], ...]
    raw: bytes
    """The body as sent."""
    started: datetime
    request: bytes
    """The request, as sent."""
    protocol: str = "HTTP/1.1"
    address: str | None = None
    latency: float = 0.0
    """Seconds to the headers."""
    stopped: bool = False
    """Whether the body was left unread because of the headers."""

    def header(self, name: str) -> str | None:
        """The first header of a name."""
        return next((value for key, value in self.headers if key.lower() == name.lower()), None)

    @property
    def content_type(self) -> str | None:
        """The ``Content-Type`` header."""
        return self.header("Content-Type")

    @property
    def kind(self) -> str:
        """The type of the content, bare and in lower case; empty where none is named."""
        return (self.content_type or "").partition(";")[0].strip().lower()

    @property
    def is_html(self) -> bool:
        """Whether it says to be a page, or says nothing."""
        return not self.kind or self.kind in HTML_TYPES

    def body(self, most: int) -> bytes:
        """The body with its compression undone.

        Raises:
            SourceError: it cannot be unpacked, or is larger than the limit.
        """
        try:
            return decode_content([self.raw], codings_of(self.header("Content-Encoding")), most)
        except TooLargeError as error:
            raise SourceError(f"{error}, unpacked") from error
        except ContentError as error:
            raise SourceError(str(error)) from error

    @property
    def exchange(self) -> Exchange:
        """The exchange for the archive. Chunks are joined, so the headers say how long the body is instead."""
        kept = [(name, value) for name, value in self.headers if name.lower() not in ("content-length", "transfer-encoding")]
        lines = "".join(f"{name}: {' '.join(value.split())}\r\n" for name, value in (*kept, ("Content-Length", str(len(self.raw)))))
        line = f"{self.protocol} {self.status} {reason_phrase(self.status)}".rstrip()
        return Exchange(self.url, self.request, line.encode(), lines.encode("latin-1", "replace"), self.raw, self.started, self.address)


def reason_phrase(status: int) -> str:
    """What a status means, in the words of the standard.

    >>> reason_phrase(404), reason_phrase(799)
    ('Not Found', '')
    """
    try:
        return HTTPStatus(status).phrase
    except ValueError:
        return ""


def from_scrapy(response: Any, started: float) -> Answer:
    """The answer that Scrapy got. ``started``: when the request did, seconds."""
    request = response.request
    return Answer(
        url=response.url,
        status=response.status,
        headers=_pairs(response.headers),
        raw=response.body,
        started=datetime.fromtimestamp(started, UTC),
        request=_request_bytes(request),
        protocol=response.protocol or "HTTP/1.1",
        address=str(response.ip_address) if response.ip_address else None,
        latency=float(request.meta.get("download_latency") or 0.0),
        stopped="download_stopped" in response.flags,
    )


def _pairs(headers: Any) -> tuple[tuple[str, str], ...]:
    return tuple((name.decode("latin-1"), value.decode("latin-1")) for name, values in headers.items() for value in values)


def _request_bytes(request: Any) -> bytes:
    """The request as it was sent: Twisted adds the host."""
    from urllib.parse import urlsplit

    parts = urlsplit(request.url)
    target = (parts.path or "/") + (f"?{parts.query}" if parts.query else "")
    lines = [f"{request.method} {target} HTTP/1.1", f"Host: {parts.netloc.rpartition('@')[2]}"]
    lines += [f"{name}: {value}" for name, value in _pairs(request.headers) if name.lower() != "host"]
    return ("\r\n".join(lines) + "\r\n\r\n").encode("latin-1", "replace")
