"""The HTTP client: one page with its redirects (:func:`fetch`), or one request (:func:`ask`), within limits of size and time.

urllib3 speaks HTTP and streams, so a page is refused as soon as it is too large, packed or unpacked. The connection is made here, for two
reasons. The address is checked before anything is sent: a page of the public web must not redirect into a private network. And one time
limit covers connection, headers and body, so a server that sends a byte now and then is cut off. Only the resolver has limits of its own.
"""

from __future__ import annotations

import base64
import contextlib
import ipaddress
import os
import socket
import threading
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from functools import cache, partial
from http import HTTPStatus
from types import TracebackType
from typing import TYPE_CHECKING
from urllib.parse import quote, unquote, urljoin, urlsplit

import tamis
from tamis.errors import FetchError, UsageError
from tamis.page.content import CODINGS, ContentError, TooLargeError, codings_of, decode_content

if TYPE_CHECKING:
    import ssl

    from urllib3.connection import HTTPConnection
    from urllib3.response import BaseHTTPResponse

PAGE_TYPES = frozenset({"text/html", "application/xhtml+xml", "text/xml", "application/xml", "text/plain"})
"""Content types that are read as a page; a response that names none is read too."""
REDIRECTS = frozenset({301, 302, 303, 307, 308})
_TRANSIENT = frozenset({429, 502, 503, 504})
_STATUSES = frozenset(HTTPStatus)
_CHUNK = 65_536
_LONGEST_NUMBER = 18
"""Digits of a length."""
_MOST_ADDRESSES = 4
_LONGEST_WAIT = 30.0
_IDLE = 60.0
"""Seconds after which a connection is not used again."""
_MOST_IDLE = 64
"""Connections that are kept open at the same time."""


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
    """Further tries after no connection, an early end, or status 429, 502, 503, 504."""
    allow_private: bool = True
    """Whether an address in a private network may be fetched; a redirect from the public web into one is never followed."""

    @property
    def longest(self) -> float:
        """Most seconds that a fetch may take, all tries and the waits between them."""
        return self.total * (self.retries + 1) + sum(map(_wait, range(self.retries)))

    def __post_init__(self) -> None:
        for name in ("connect", "read", "total", "max_bytes"):
            if not getattr(self, name) > 0:
                raise UsageError(f"{name} must be above 0, not {getattr(self, name)}")
        for name in ("redirects", "retries"):
            if getattr(self, name) < 0:
                raise UsageError(f"{name} must be 0 or more, not {getattr(self, name)}")


@dataclass(frozen=True, slots=True)
class Response:
    """A page as served."""

    url: str
    """Where it came from, after redirects."""
    status: int
    content_type: str | None
    """The ``Content-Type`` header, which may name the encoding."""
    body: bytes
    """The page, with its transfer compression undone."""
    redirects: tuple[str, ...] = ()
    """The addresses that redirected, first to last."""


@dataclass(frozen=True, slots=True)
class Answer:
    """The answer to one request."""

    url: str
    status: int
    headers: tuple[tuple[str, str], ...]
    raw: bytes
    """The body as sent, chunks joined; empty where it was not wanted."""
    started: datetime
    request: bytes
    """Request line and headers, as sent."""
    protocol: str = "HTTP/1.1"
    address: str | None = None
    """IP address of the server."""
    latency: float = 0.0
    """Seconds until the headers had come."""

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
    def location(self) -> str | None:
        """Where it redirects to. Headers are read as Latin-1; a server that does not quote its address means UTF-8."""
        location = self.header("Location") if self.status in REDIRECTS else None
        return location.encode("latin-1", "replace").decode("utf-8", "replace") if location else None

    def body(self, limit: int) -> bytes:
        """The body with its compression undone.

        Raises:
            TooLargeError: it is larger than the limit.
            ContentError: it cannot be unpacked.
        """
        return decode_content([self.raw], codings_of(self.header("Content-Encoding")), limit)


class TransientFetchError(FetchError):
    """A page could not be fetched now; a later try may succeed."""


class PrivateAddressError(FetchError):
    """A host has an address that is not of the public internet, and may not be asked."""


def fetch(url: str, limits: Limits = Limits()) -> Response:
    """Fetch one page.

    Raises:
        FetchError: not an http(s) address, no such host, no connection, an untrusted certificate, an error status, not a page,
            too large, too slow, too many redirects, or a redirect from the public web into a private network.
    """
    attempt = 0
    while True:
        try:
            return _follow(url, limits)
        except TransientFetchError:
            if attempt >= limits.retries:
                raise
        time.sleep(_wait(attempt))
        attempt += 1


def _wait(attempt: int) -> float:
    """Seconds before the next try."""
    return min(2.0**attempt, _LONGEST_WAIT)


def is_public(address: str) -> bool:
    """Whether an IP address belongs to the public internet, also where an IPv6 address carries an IPv4 one.

    >>> is_public("9.9.9.9"), is_public("10.0.0.1"), is_public("::ffff:127.0.0.1"), is_public("64:ff9b::a00:1"), is_public("fec0::1")
    (True, False, False, False, False)
    """
    ip = ipaddress.ip_address(address)
    if isinstance(ip, ipaddress.IPv6Address):
        if ip.is_site_local or ip in _LOCAL_NAT64:
            return False
        carried = ip.ipv4_mapped or ip.sixtofour or (ipaddress.IPv4Address(int(ip) & 0xFFFFFFFF) if ip in _NAT64 else None)
        if carried is not None:
            ip = carried
    return ip.is_global and not ip.is_multicast


_NAT64 = ipaddress.IPv6Network("64:ff9b::/96")
_LOCAL_NAT64 = ipaddress.IPv6Network("64:ff9b:1::/48")
"""Translation within one network (RFC 8215), which some versions of Python take for public."""


@dataclass(frozen=True, slots=True)
class _Location:
    """An address split into what a request needs; host in ASCII, path and query quoted."""

    scheme: str
    host: str
    port: int
    target: str
    login: str | None = None

    @property
    def origin(self) -> tuple[str, str, int]:
        return self.scheme, self.host, self.port

    @property
    def netloc(self) -> str:
        host = f"[{self.host}]" if ":" in self.host else self.host
        return host if self.port == _PORTS[self.scheme] else f"{host}:{self.port}"

    @property
    def url(self) -> str:
        return f"{self.scheme}://{self.netloc}{self.target}"


_PORTS = {"http": 80, "https": 443}


def locate(url: str) -> _Location:
    """Split an address of the web.

    Raises:
        FetchError: it is not one.
    """
    try:
        parts = urlsplit(url.strip())
        scheme, host, port = parts.scheme.lower(), parts.hostname or "", parts.port
        if not host.isascii():
            host = host.encode("idna").decode("ascii")
    except ValueError as error:
        raise FetchError(f"{url} is not a valid address: {error}") from error
    if scheme not in _PORTS or not host:
        raise FetchError(f"{url} is not an address of the web: it must start with http:// or https://")
    path = quote(parts.path or "/", safe="/%:@!$&'()*+,;=~", errors="replace")
    query = quote(parts.query, safe="/?%:@!$&'()*+,;=~", errors="replace")
    login = f"{unquote(parts.username)}:{unquote(parts.password or '')}" if parts.username else None
    return _Location(scheme, host, port if port is not None else _PORTS[scheme], path + (f"?{query}" if query else ""), login)


class _Deadline:
    """A time limit for a whole transfer: when it is over, the watched connection is shut, which ends any waiting."""

    def __init__(self, seconds: float) -> None:
        self.seconds = seconds
        self.passed = False
        self._end = time.monotonic() + seconds
        self._watched: socket.socket | None = None
        self._lock = threading.Lock()
        self._timer = threading.Timer(seconds, self._run_out)
        self._timer.daemon = True

    def __enter__(self) -> _Deadline:
        self._timer.start()
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        self._timer.cancel()
        self.watch(None)

    def left(self) -> float:
        """Seconds left, never quite 0 (which would mean "do not wait" to a socket)."""
        return max(self._end - time.monotonic(), 0.001)

    def watch(self, sock: socket.socket | None) -> None:
        """Watch this connection from now on, through a duplicate: TLS takes the original's descriptor away."""
        with self._lock:
            if self._watched is not None:
                self._watched.close()
            self._watched = socket.socket(fileno=os.dup(sock.fileno())) if sock is not None else None
            if self.passed:
                self._shut()

    def _run_out(self) -> None:
        with self._lock:
            self.passed = True
            self._shut()

    def _shut(self) -> None:
        if self._watched is not None:
            with contextlib.suppress(OSError):  # it may have ended by itself
                self._watched.shutdown(socket.SHUT_RDWR)


class Connections:
    """Open connections that wait for the next request to the same host, at an address that this request may use; for any number of
    threads."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._idle: list[tuple[tuple[str, str, int], str, float, HTTPConnection]] = []

    def take(self, here: _Location, addresses: Sequence[str]) -> HTTPConnection | None:
        """The latest connection to the same host, at one of these addresses, that the server has not closed."""
        with self._lock:
            for number in range(len(self._idle) - 1, -1, -1):
                origin, address, since, connection = self._idle[number]
                if origin == here.origin and address in addresses:
                    del self._idle[number]
                    if connection.is_connected and time.monotonic() - since < _IDLE:
                        return connection
                    connection.close()
        return None

    def keep(self, here: _Location, address: str, connection: HTTPConnection) -> None:
        """Keep a connection whose answer was read to its end; the oldest goes where there are too many."""
        with self._lock:
            self._idle.append((here.origin, address, time.monotonic(), connection))
            for *_, old in self._idle[:-_MOST_IDLE]:
                old.close()
            del self._idle[:-_MOST_IDLE]

    def close(self) -> None:
        """Close all."""
        with self._lock:
            for *_, connection in self._idle:
                connection.close()
            self._idle.clear()


def ask(
    url: str,
    limits: Limits = Limits(),
    *,
    agent: str | None = None,
    wanted: Callable[[Answer], bool] = lambda answer: True,
    connections: Connections | None = None,
) -> Answer:
    """Send one request; redirects are not followed, and every status is an answer.

    Args:
        url: address.
        limits: bounds; the body as sent is bounded by ``max_bytes``.
        agent: the user agent; None: ``tamis/VERSION``.
        wanted: whether the body is to be read, from the answer without it.
        connections: connections to use again and to keep; None: the connection ends with the answer.

    Raises:
        TransientFetchError: no such host, no connection, or too slow.
        PrivateAddressError: the host has a private address, and ``limits`` do not allow that.
        FetchError: any other reason. Messages say why, and do not name the address.
    """
    here = locate(url)
    try:
        with _Deadline(limits.total) as deadline:
            return replace(_ask(here, _resolve(here), limits, deadline, wanted, agent, connections), url=url)
    except FetchError as error:
        raise type(error)(str(error).removeprefix(here.url).lstrip(": ")) from error


def _follow(url: str, limits: Limits) -> Response:
    """Fetch, along redirects."""
    here = locate(url)
    passed: list[str] = []
    public = False
    with _Deadline(limits.total) as deadline:
        while True:
            addresses = _resolve(here)
            if not passed:
                public = any(map(is_public, addresses))
            elif public and not all(map(is_public, addresses)):
                raise FetchError(f"{passed[-1]} redirects into a private network ({here.url}): not followed")
            answer = _ask(here, addresses, limits, deadline, partial(_is_page, here))
            if (location := answer.location) is None:
                return Response(here.url, answer.status, answer.content_type, _decoded(here, answer, limits), tuple(passed))
            passed.append(here.url)
            here = _redirected(here, location)
            if here.url in passed:
                raise FetchError(f"{url} redirects in a circle")
            if len(passed) > limits.redirects:
                raise FetchError(f"{url} redirects more than {limits.redirects} times")


def _redirected(here: _Location, answer: str) -> _Location:
    try:
        return locate(urljoin(here.url, answer))
    except ValueError as error:
        raise FetchError(f"{here.url} redirects to {answer[:200]!r}, which is no valid address") from error


def _resolve(here: _Location) -> list[str]:
    """The IP addresses of a host."""
    try:
        found = socket.getaddrinfo(here.host, here.port, type=socket.SOCK_STREAM)
    except (OSError, ValueError) as error:
        raise TransientFetchError(f"{here.url}: no host {here.host} was found") from error
    return list(dict.fromkeys(str(entry[4][0]) for entry in found))[:_MOST_ADDRESSES]


def _ask(
    here: _Location,
    addresses: list[str],
    limits: Limits,
    deadline: _Deadline,
    wanted: Callable[[Answer], bool],
    agent: str | None = None,
    connections: Connections | None = None,
) -> Answer:
    """Send one request; the answer, with its body where it is wanted."""
    if not limits.allow_private and not all(map(is_public, addresses)):
        raise PrivateAddressError(f"{here.url} is not on the public internet: not fetched")
    headers = {
        "Host": here.netloc,
        "User-Agent": agent or f"tamis/{tamis.__version__}",
        "Accept": "text/html,application/xhtml+xml;q=0.9,*/*;q=0.1",
        "Accept-Encoding": "gzip, deflate",
        "Connection": "close" if connections is None else "keep-alive",
    }
    if here.login:
        headers["Authorization"] = "Basic " + base64.b64encode(here.login.encode("utf-8", "replace")).decode("ascii")
    started, begun = datetime.now(UTC), time.monotonic()
    try:
        connection, address, response = _begin(here, addresses, limits, deadline, headers, connections)
        with contextlib.ExitStack() as ending:
            ending.callback(connection.close)
            answer = Answer(
                url=here.url,
                status=response.status,
                headers=tuple(response.headers.items()),
                raw=b"",
                started=started,
                request="\r\n".join((f"GET {here.target} HTTP/1.1", *map(": ".join, headers.items()), "", "")).encode("latin-1", "replace"),
                protocol=f"HTTP/{response.version / 10:.1f}",
                address=address,
                latency=time.monotonic() - begun,
            )
            if not wanted(answer):
                return answer
            answer = replace(answer, raw=_read(here, response, limits, deadline))
            if connections is not None and connection.sock is not None:
                ending.pop_all()
                connections.keep(here, address, connection)
            return answer
    except FetchError:
        raise
    except Exception as error:  # the parser of headers raises what it likes
        raise _plain(here, error, limits, deadline) from error


def _begin(
    here: _Location,
    addresses: list[str],
    limits: Limits,
    deadline: _Deadline,
    headers: dict[str, str],
    connections: Connections | None,
) -> tuple[HTTPConnection, str, BaseHTTPResponse]:
    """Send a request: the connection, the address of the server, and the answer, its body not read.

    A kept connection comes first. The server may have closed it in the meantime; then a new one is made.
    """
    used = connections.take(here, addresses) if connections is not None else None
    if used is not None:
        try:
            return used, *_send(used, here, headers, deadline)
        except Exception:
            used.close()
            if deadline.passed:
                raise
    connection = _connect(here, addresses, limits, deadline)
    try:
        return connection, *_send(connection, here, headers, deadline)
    except BaseException:
        connection.close()
        raise


def _send(connection: HTTPConnection, here: _Location, headers: dict[str, str], deadline: _Deadline) -> tuple[str, BaseHTTPResponse]:
    """Send a request on a connection: the address of the server, and the answer, its body not read."""
    sock = connection.sock
    assert sock is not None
    deadline.watch(sock)
    address = str(sock.getpeername()[0])
    connection.request("GET", here.target, headers=headers, preload_content=False, decode_content=False)
    return address, connection.getresponse()


def _connect(here: _Location, addresses: list[str], limits: Limits, deadline: _Deadline) -> HTTPConnection:
    """A connection to the first address that takes it, with TLS for https."""
    from urllib3.connection import HTTPConnection

    sock: socket.socket | None = None
    trouble: OSError | None = None
    for address in addresses:
        try:
            sock = socket.create_connection((address, here.port), timeout=min(limits.connect, deadline.left()))
            break
        except OSError as error:
            trouble = error
    if sock is None:
        if isinstance(trouble, TimeoutError):
            raise TransientFetchError(f"{here.url}: {here.host} took too long to connect") from trouble
        said = (trouble.strerror or str(trouble)).lower() if trouble is not None else "no address"
        raise TransientFetchError(f"{here.url}: no connection to {here.host}, port {here.port} ({said})") from trouble
    deadline.watch(sock)
    sock.settimeout(limits.read)
    connection = HTTPConnection(here.host, here.port, timeout=limits.read)
    if here.scheme == "https":
        try:
            sock = _tls(os.environ.get("SSL_CERT_FILE"), os.environ.get("SSL_CERT_DIR")).wrap_socket(sock, server_hostname=here.host)
        except Exception as error:
            sock.close()
            raise _plain(here, error, limits, deadline) from error
    connection.sock = sock
    return connection


@cache
def _tls(file: str | None, folder: str | None) -> ssl.SSLContext:
    """How secure connections are made; made once, since reading all certificates takes long. Arguments: where OpenSSL reads them from."""
    import ssl

    return ssl.create_default_context()


def _is_page(here: _Location, answer: Answer) -> bool:
    """Whether a body is to be read: not that of a redirect; an error, and what is no page, is refused by its headers."""
    if answer.location is not None:
        return False
    if not 200 <= answer.status < 300:
        kind = TransientFetchError if answer.status in _TRANSIENT else FetchError
        raise kind(f"{here.url}: the server answered {answer.status} {reason_phrase(answer.status)}".rstrip())
    if answer.kind and answer.kind not in PAGE_TYPES:
        raise FetchError(f"{here.url} is {answer.kind}, not a web page")
    codings = set(codings_of(answer.header("Content-Encoding")))
    if codings - CODINGS:
        raise FetchError(f"{here.url} is compressed in a way that was not asked for ({', '.join(sorted(codings - CODINGS))})")
    return True


def reason_phrase(status: int) -> str:
    """What a status means, in the words of the standard.

    >>> reason_phrase(404), reason_phrase(799)
    ('Not Found', '')
    """
    return HTTPStatus(status).phrase if status in _STATUSES else ""


def _read(here: _Location, response: BaseHTTPResponse, limits: Limits, deadline: _Deadline) -> bytes:
    """The body as it is sent."""
    length = response.headers.get("Content-Length") or ""
    if length.isdecimal() and (len(length) > _LONGEST_NUMBER or int(length) > limits.max_bytes):
        raise _too_large(here, limits)
    raw = bytearray()
    for chunk in response.stream(_CHUNK, decode_content=False):
        raw += chunk
        if len(raw) > limits.max_bytes:
            raise _too_large(here, limits)
    if deadline.passed:  # a body of no stated length just ends when the connection is shut
        raise TransientFetchError(_too_slow(here, deadline))
    return bytes(raw)


def _decoded(here: _Location, answer: Answer, limits: Limits) -> bytes:
    try:
        return answer.body(limits.max_bytes)
    except TooLargeError as error:
        raise _too_large(here, limits) from error
    except ContentError as error:
        raise FetchError(f"{here.url} is damaged: {error}") from error


def _too_large(here: _Location, limits: Limits) -> FetchError:
    return FetchError(f"{here.url} is larger than the limit of {limits.max_bytes:,} bytes")


def _too_slow(here: _Location, deadline: _Deadline) -> str:
    return f"{here.url} took longer than the limit of {deadline.seconds:g} seconds"


def _plain(here: _Location, error: Exception, limits: Limits, deadline: _Deadline) -> FetchError:
    """What went wrong on the wire, in a plain sentence."""
    import ssl

    from urllib3.exceptions import HTTPError

    if deadline.passed:
        return TransientFetchError(_too_slow(here, deadline))
    causes = _causes(error)
    for cause in causes:
        if isinstance(cause, ssl.SSLCertVerificationError):
            return FetchError(f"{here.url}: the certificate of {here.host} is not trusted ({cause.verify_message})")
        if isinstance(cause, ssl.SSLError):
            return FetchError(f"{here.url}: no secure connection to {here.host} ({cause.reason or cause})")
        if isinstance(cause, TimeoutError):
            return TransientFetchError(f"{here.url} sent nothing for {limits.read:g} seconds")
        if isinstance(cause, ConnectionError):
            return TransientFetchError(f"{here.url}: the server ended the connection")
    if isinstance(error, HTTPError):
        return TransientFetchError(f"{here.url}: the connection ended before the page was complete")
    return FetchError(f"{here.url}: the answer is not HTTP ({type(error).__name__})")


def _causes(error: BaseException) -> list[BaseException]:
    """An exception and what it was raised from or wraps, outermost first."""
    chain: list[BaseException] = []
    rest: list[BaseException | None] = [error]
    while rest and len(chain) < 10:
        link = rest.pop(0)
        if link is not None and link not in chain:
            chain.append(link)
            rest += [link.__cause__, link.__context__]
    return chain
