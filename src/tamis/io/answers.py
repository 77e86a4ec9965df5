"""Answers to HTTP requests: headers, and the body as it was sent."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from http import HTTPStatus

from tamis.page.content import codings_of, decode_content

REDIRECTS = frozenset({301, 302, 303, 307, 308})
_STATUSES = frozenset(HTTPStatus)


@dataclass(frozen=True, slots=True)
class Answer:
    """The answer to one request."""

    url: str
    status: int
    headers: tuple[tuple[str, str], ...]
    raw: bytes  #: the body as sent, chunks joined; empty where it was not wanted
    started: datetime
    request: bytes  #: request line and headers, as sent
    protocol: str = "HTTP/1.1"
    address: str | None = None  #: IP address of the server
    latency: float = 0.0  #: seconds until the headers had come
    confirmed: bool = False  #: the body is that of an earlier answer, which the server says has not changed

    def header(self, name: str) -> str | None:
        """Return the first header of a name."""
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
    def location(self) -> str | None:
        """Target of a redirect. Headers are read as Latin-1; a server that does not quote its address means UTF-8, or these very bytes."""
        location = self.header("Location") if self.status in REDIRECTS else None
        if not location:
            return None
        sent = location.encode("latin-1", "replace")
        try:
            return sent.decode("utf-8")
        except UnicodeDecodeError:
            return "".join(chr(byte) if byte < 0x80 else f"%{byte:02X}" for byte in sent)

    def body(self, limit: int, *, whole: bool = True) -> bytes:
        """Return the body with its compression undone, or (``whole`` false) what can be read of its beginning.

        Raises:
            TooLargeError: the body is larger.
            ContentError: it cannot be unpacked.
        """
        return decode_content([self.raw], codings_of(self.header("Content-Encoding")), limit, whole=whole)


def reason_phrase(status: int) -> str:
    """Return the standard phrase for a status; empty if it has none.

    >>> reason_phrase(404), reason_phrase(799)
    ('Not Found', '')
    """
    return HTTPStatus(status).phrase if status in _STATUSES else ""
