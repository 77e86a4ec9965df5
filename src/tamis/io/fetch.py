"""The HTTP client: one page with its redirects (:func:`fetch`), or one request (:func:`ask`), within limits of size and time.

urllib3 handles HTTP. Connections are made here: the IP address is checked before anything is sent (a public page must not redirect into a
private network), and one time limit covers connection, headers and body. Only the resolver has limits of its own.
"""

from __future__ import annotations

import base64
import contextlib
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from typing import TYPE_CHECKING
from urllib.parse import urljoin

import tamis
from tamis.errors import FetchError, check_numbers
from tamis.io.answers import Answer, reason_phrase
from tamis.io.connections import Connections, Deadline, connect
from tamis.io.locations import Location, PrivateAddressError, TransientFetchError, is_public, locate, resolve
from tamis.page.content import CODINGS, ContentError, TooLargeError, codings_of

if TYPE_CHECKING:
    from urllib3.connection import HTTPConnection
    from urllib3.response import BaseHTTPResponse

PAGE_TYPES = frozenset({"text/html", "application/xhtml+xml", "text/xml", "application/xml", "text/plain"})
"""Content types that are read as a page, as is a response without one."""
_TRANSIENT = frozenset({429, 502, 503, 504})
_CHUNK = 65_536
_LONGEST_NUMBER = 18  # digits of a length
_LONGEST_WAIT = 30.0


@dataclass(frozen=True, slots=True)
class Limits:
    """Bounds on one page from the web.

    Raises:
        UsageError: a limit is not above 0 (redirects and retries: below 0).
    """

    connect: float = 10.0
    """Seconds to connect to one address."""
    read: float = 15.0
    """Seconds without a byte."""
    total: float = 30.0
    """Seconds for the whole transfer, redirects included; each retry has as many again."""
    max_bytes: int = 20_000_000
    """Most bytes of a page, compressed or not."""
    redirects: int = 10
    retries: int = 0
    """Further tries after no connection, an early end, damaged data, or status 429, 502, 503, 504."""
    allow_private: bool = True
    """Allow addresses in private networks; a redirect from the public web into one is never followed."""

    @property
    def longest(self) -> float:
        """Most seconds that a fetch may take, all tries and the waits between them."""
        return self.total * (self.retries + 1) + sum(map(_wait, range(self.retries)))

    def __post_init__(self) -> None:
        check_numbers(self, positive=("connect", "read", "total", "max_bytes"), natural=("redirects", "retries"))


@dataclass(frozen=True, slots=True)
class Response:
    """A page as served."""

    url: str  #: where it came from, after redirects
    status: int
    content_type: str | None  #: the ``Content-Type`` header, which may name the encoding
    body: bytes  #: the page, with its transfer compression undone
    redirects: tuple[str, ...] = ()  #: the addresses that redirected, first to last


def _wait(attempt: int) -> float:
    return min(2.0**attempt, _LONGEST_WAIT)


def fetch(url: str, limits: Limits = Limits()) -> Response:
    """Fetch one page.

    Raises:
        FetchError: not an http(s) address, no such host, no connection, an untrusted certificate, an error status, not a page,
            too large, too slow, too many redirects, or a redirect from the public web into a private network.
    """
    for attempt in range(limits.retries):
        try:
            return _follow(url, limits)
        except TransientFetchError:
            time.sleep(_wait(attempt))
    return _follow(url, limits)


def _follow(url: str, limits: Limits) -> Response:
    here = locate(url)
    passed: list[str] = []
    public = False
    with Deadline(limits.total) as deadline:
        while True:
            try:
                addresses = resolve(here)
                if not passed:
                    public = any(map(is_public, addresses))
                elif public and not all(map(is_public, addresses)):
                    raise FetchError(f"redirected from {passed[-1]} into a private network: not followed")
                request = _Request(here, addresses, limits, deadline)
                answer = request.ask(_is_page)
                if (location := answer.location) is None:
                    return Response(here.url, answer.status, answer.content_type, request.decoded(answer), tuple(passed))
                passed.append(here.url)
                try:
                    there = locate(urljoin(here.url, location))
                except ValueError as error:
                    raise FetchError(f"redirects to {location[:200]!r}, which is not a valid address") from error
                if there.url in passed:
                    raise FetchError("redirects in a circle")
                if len(passed) > limits.redirects:
                    raise FetchError(f"redirects more than {limits.redirects} times")
            except FetchError as error:
                raise type(error)(f"{here.url}: {error}") from error
            here = there


def ask(
    url: str,
    limits: Limits = Limits(),
    *,
    agent: str | None = None,
    wanted: Callable[[Answer], bool] = lambda answer: True,
    connections: Connections | None = None,
    whole: bool = True,
    conditions: Mapping[str, str] | None = None,
) -> Answer:
    """Send one request; redirects are not followed, and every status is an answer.

    Args:
        url: address.
        limits: bounds; the body as sent is bounded by ``max_bytes``.
        agent: the user agent; None: ``tamis/VERSION``.
        wanted: whether to read the body, decided from the answer without it.
        connections: connections to use again and to keep; None: the connection ends with the answer.
        whole: a larger body is an error; else about its first ``max_bytes`` are read.
        conditions: headers that ask whether an earlier answer has changed.

    Raises:
        TransientFetchError: no such host, no connection, or too slow.
        PrivateAddressError: the host has a private address, and ``limits`` do not allow that.
        FetchError: any other reason. Messages give the reason without the address.
    """
    here = locate(url)
    with Deadline(limits.total) as deadline:
        return replace(_Request(here, resolve(here), limits, deadline, agent, connections, whole, conditions).ask(wanted), url=url)


@dataclass(frozen=True, slots=True)
class _Request:
    """One request to one of the resolved addresses of a host."""

    here: Location
    addresses: list[str]
    limits: Limits
    deadline: Deadline
    agent: str | None = None
    connections: Connections | None = None
    whole: bool = True
    conditions: Mapping[str, str] | None = None

    def ask(self, wanted: Callable[[Answer], bool]) -> Answer:
        """Send the request; the answer, with its body where it is wanted."""
        here, connections = self.here, self.connections
        if not self.limits.allow_private and not all(map(is_public, self.addresses)):
            raise PrivateAddressError("not on the public internet: not fetched")
        headers = {
            "Host": here.netloc,
            "User-Agent": self.agent or f"tamis/{tamis.__version__}",
            "Accept": "text/html,application/xhtml+xml;q=0.9,*/*;q=0.1",
            "Accept-Encoding": "gzip, deflate",
            "Connection": "close" if connections is None else "keep-alive",
        }
        headers |= self.conditions or {}
        if here.login:
            headers["Authorization"] = "Basic " + base64.b64encode(here.login.encode("utf-8", "replace")).decode("ascii")
        request = "\r\n".join((f"GET {here.target} HTTP/1.1", *map(": ".join, headers.items()), "", "")).encode("latin-1", "replace")
        started, begun = datetime.now(UTC), time.monotonic()
        try:
            connection, address, response = self._begin(headers)
            with contextlib.ExitStack() as ending:
                ending.callback(connection.close)
                sent, protocol = tuple(response.headers.items()), f"HTTP/{response.version / 10:.1f}"
                latency = time.monotonic() - begun
                answer = Answer(here.url, response.status, sent, b"", started, request, protocol, address, latency)
                if not wanted(answer):
                    return answer
                answer = replace(answer, raw=self._read(response))
                if connections is not None and connection.sock is not None and len(answer.raw) <= self.limits.max_bytes:
                    ending.pop_all()
                    connections.keep(here, address, connection)
                return answer
        except FetchError:
            raise
        except Exception as error:  # urllib3 and http.client raise many types
            raise self._explained(error) from error

    def _begin(self, headers: dict[str, str]) -> tuple[HTTPConnection, str, BaseHTTPResponse]:
        """Send the request: the connection, the address of the server, and the answer, its body not read.

        A kept connection is used first. If the server has closed it in the meantime, a new one is made.
        """
        used = self.connections.take(self.here, self.addresses) if self.connections is not None else None
        if used is not None:
            try:
                return self._send(used, headers)
            except Exception:
                if self.deadline.passed:
                    raise
        return self._send(connect(self.here, self.addresses, self.limits.connect, self.limits.read, self.deadline), headers)

    def _send(self, connection: HTTPConnection, headers: dict[str, str]) -> tuple[HTTPConnection, str, BaseHTTPResponse]:
        try:
            assert connection.sock is not None
            self.deadline.watch(connection.sock)
            address = str(connection.sock.getpeername()[0])
            connection.request("GET", self.here.target, headers=headers, preload_content=False, decode_content=False)
            return connection, address, connection.getresponse()
        except BaseException:
            connection.close()
            raise

    def _read(self, response: BaseHTTPResponse) -> bytes:
        length = response.headers.get("Content-Length") or ""
        if self.whole and length.isdecimal() and (len(length) > _LONGEST_NUMBER or int(length) > self.limits.max_bytes):
            raise self._too_large()
        raw = bytearray()
        for chunk in response.stream(_CHUNK, decode_content=False):
            raw += chunk
            if len(raw) > self.limits.max_bytes:
                if self.whole:
                    raise self._too_large()
                break
        if self.deadline.passed:  # a body without a stated length just ends when the connection is shut
            raise self._too_slow()
        return bytes(raw)

    def decoded(self, answer: Answer) -> bytes:
        """Return the body of an answer with its compression undone."""
        try:
            return answer.body(self.limits.max_bytes)
        except TooLargeError as error:
            raise self._too_large() from error
        except ContentError as error:
            raise TransientFetchError(f"damaged: {error}") from error

    def _too_large(self) -> FetchError:
        return FetchError(f"larger than the limit of {self.limits.max_bytes:,} bytes (--max-bytes)")

    def _too_slow(self) -> FetchError:
        return TransientFetchError(f"took longer than the limit of {self.deadline.seconds:g} seconds")

    def _explained(self, error: Exception) -> FetchError:
        """Return an error that explains a failed connection in a sentence."""
        import ssl

        from urllib3.exceptions import HTTPError

        if self.deadline.passed:
            return self._too_slow()
        cause: BaseException | None = error
        while cause is not None:
            if isinstance(cause, ssl.SSLCertVerificationError):
                return FetchError(f"the certificate of {self.here.host} is not trusted ({cause.verify_message})")
            if isinstance(cause, ssl.SSLError):
                return FetchError(f"no secure connection to {self.here.host} ({cause.reason or cause})")
            if isinstance(cause, TimeoutError):
                return TransientFetchError(f"sent nothing for {self.limits.read:g} seconds")
            if isinstance(cause, ConnectionError):
                return TransientFetchError("the server ended the connection")
            cause = cause.__cause__ or cause.__context__
        if isinstance(error, HTTPError):
            return TransientFetchError("the connection ended before the page was complete")
        return FetchError(f"the answer is not HTTP ({type(error).__name__})")


def _is_page(answer: Answer) -> bool:
    """Return whether to read a body: not that of a redirect. An error status, or another type than a page, raises by the headers alone."""
    if answer.location is not None:
        return False
    if not 200 <= answer.status < 300:
        kind = TransientFetchError if answer.status in _TRANSIENT else FetchError
        raise kind(f"the server answered {answer.status} {reason_phrase(answer.status)}".rstrip())
    if answer.kind and answer.kind not in PAGE_TYPES:
        raise FetchError(f"it is {answer.kind}, not a web page")
    if unknown := set(codings_of(answer.header("Content-Encoding"))) - CODINGS:
        raise FetchError(f"it is compressed in a way that was not asked for ({', '.join(sorted(unknown))})")
    return True
