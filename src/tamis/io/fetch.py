"""The HTTP client: one page with its redirects (:func:`fetch`), or one request (:func:`ask`), within limits of size and time.

urllib3 handles HTTP. Connections are made here: the IP address is checked before anything is sent (a public page must not redirect into a
private network), and one time limit covers connection, headers and body. Only the resolver has limits of its own.
"""

from __future__ import annotations

import base64
import contextlib
import ipaddress
import os
import socket
import threading
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from functools import cache
from http import HTTPStatus
from typing import TYPE_CHECKING
from urllib.parse import quote, unquote, urljoin, urlsplit

import tamis
from tamis.errors import FetchError, check_numbers
from tamis.io.addresses import PORTS
from tamis.page.content import CODINGS, ContentError, TooLargeError, codings_of, decode_content

if TYPE_CHECKING:
    import ssl

    from urllib3.connection import HTTPConnection
    from urllib3.response import BaseHTTPResponse

PAGE_TYPES = frozenset({"text/html", "application/xhtml+xml", "text/xml", "application/xml", "text/plain"})
"""Content types that are read as a page, as is a response without one."""
REDIRECTS = frozenset({301, 302, 303, 307, 308})
_TRANSIENT = frozenset({429, 502, 503, 504})
_STATUSES = frozenset(HTTPStatus)
_CHUNK = 65_536
_LONGEST_NUMBER = 18  # digits of a length
_MOST_ADDRESSES = 4
_LONGEST_WAIT = 30.0
_IDLE = 60.0  # seconds after which a connection is not used again
_MOST_IDLE = 64  # connections that are kept open at the same time


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
    """Whether an address in a private network may be fetched; a redirect from the public web into one is never followed."""

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
    confirmed: bool = False  #: whether the body is that of an earlier answer, of which the server says that it has not changed

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
        """Where it redirects to. Headers are read as Latin-1; a server that does not quote its address means UTF-8, or these very bytes."""
        location = self.header("Location") if self.status in REDIRECTS else None
        if not location:
            return None
        sent = location.encode("latin-1", "replace")
        try:
            return sent.decode("utf-8")
        except UnicodeDecodeError:
            return "".join(chr(byte) if byte < 0x80 else f"%{byte:02X}" for byte in sent)

    def body(self, limit: int, *, whole: bool = True) -> bytes:
        """The body with its compression undone, or (``whole`` false) what can be read of its beginning.

        Raises:
            TooLargeError: the body is larger.
            ContentError: it cannot be unpacked.
        """
        return decode_content([self.raw], codings_of(self.header("Content-Encoding")), limit, whole=whole)


class TransientFetchError(FetchError):
    """A page could not be fetched now; a later try may succeed."""


class PrivateAddressError(FetchError):
    """A host has an address that is not of the public internet, and may not be asked."""


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
        return host if self.port == PORTS[self.scheme] else f"{host}:{self.port}"

    @property
    def url(self) -> str:
        return f"{self.scheme}://{self.netloc}{self.target}"


def locate(url: str) -> _Location:
    """Split an address of the web. Raises FetchError if it is not one."""
    try:
        parts = urlsplit(str(url).strip())
        scheme, host, port = parts.scheme.lower(), parts.hostname or "", parts.port
        if not host.isascii():
            host = host.encode("idna").decode("ascii")
    except ValueError as error:
        raise FetchError(f"{url} is not a valid address: {error}") from error
    if scheme not in PORTS or not host:
        why = "it names no host" if scheme in PORTS else "it must start with http:// or https://"
        raise FetchError(f"{url} is not an address of the web: {why}")
    path = quote(parts.path or "/", safe="/%:@!$&'()*+,;=~", errors="replace")
    query = quote(parts.query, safe="/?%:@!$&'()*+,;=~", errors="replace")
    login = f"{unquote(parts.username)}:{unquote(parts.password or '')}" if parts.username else None
    return _Location(scheme, host, port if port is not None else PORTS[scheme], path + (f"?{query}" if query else ""), login)


class _Deadline:
    """A time limit for a whole transfer: it shuts the watched connection, which ends any waiting."""

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

    def __exit__(self, *error: object) -> None:
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
    """Open connections kept for further requests to the same host at an allowed address; for any number of threads."""

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
        """Keep a connection whose answer was read to its end; the oldest is closed if there are too many."""
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
    """Fetch a page along its redirects."""
    here = locate(url)
    passed: list[str] = []
    public = False
    with _Deadline(limits.total) as deadline:
        while True:
            try:
                addresses = _resolve(here)
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
                    raise FetchError(f"redirects to {location[:200]!r}, which is no valid address") from error
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
    with _Deadline(limits.total) as deadline:
        return replace(_Request(here, _resolve(here), limits, deadline, agent, connections, whole, conditions).ask(wanted), url=url)


def _resolve(here: _Location) -> list[str]:
    """The IP addresses of a host."""
    try:
        found = socket.getaddrinfo(here.host, here.port, type=socket.SOCK_STREAM)
    except (OSError, ValueError) as error:
        raise TransientFetchError(f"no host {here.host} was found") from error
    return list(dict.fromkeys(str(entry[4][0]) for entry in found))[:_MOST_ADDRESSES]


@dataclass(frozen=True, slots=True)
class _Request:
    """One request to one of the resolved addresses of a host."""

    here: _Location
    addresses: list[str]
    limits: Limits
    deadline: _Deadline
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
        return self._send(self._connect(), headers)

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

    def _connect(self) -> HTTPConnection:
        """A connection to the first address that accepts it, with TLS for https."""
        from urllib3.connection import HTTPConnection

        here, limits = self.here, self.limits
        trouble: OSError | None = None
        for address in self.addresses:
            try:
                sock = socket.create_connection((address, here.port), timeout=min(limits.connect, self.deadline.left()))
                break
            except OSError as error:
                trouble = error
        else:
            if isinstance(trouble, TimeoutError):
                raise TransientFetchError(f"{here.host} took too long to connect") from trouble
            said = (trouble.strerror or str(trouble)).lower() if trouble is not None else "no address"
            raise TransientFetchError(f"no connection to {here.host}, port {here.port} ({said})") from trouble
        self.deadline.watch(sock)
        sock.settimeout(limits.read)
        connection = HTTPConnection(here.host, here.port, timeout=limits.read)
        if here.scheme == "https":
            try:
                sock = _tls(os.environ.get("SSL_CERT_FILE"), os.environ.get("SSL_CERT_DIR")).wrap_socket(sock, server_hostname=here.host)
            except BaseException:
                sock.close()
                raise
        connection.sock = sock
        return connection

    def _read(self, response: BaseHTTPResponse) -> bytes:
        """The body as it is sent."""
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
        """The body of an answer with its compression undone."""
        try:
            return answer.body(self.limits.max_bytes)
        except TooLargeError as error:
            raise self._too_large() from error
        except ContentError as error:
            raise TransientFetchError(f"damaged: {error}") from error

    def _too_large(self) -> FetchError:
        return FetchError(f"larger than the limit of {self.limits.max_bytes:,} bytes")

    def _too_slow(self) -> FetchError:
        return TransientFetchError(f"took longer than the limit of {self.deadline.seconds:g} seconds")

    def _explained(self, error: Exception) -> FetchError:
        """What went wrong with the connection, in a sentence."""
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


@cache
def _tls(file: str | None, folder: str | None) -> ssl.SSLContext:
    """The TLS settings, made once, since reading all certificates takes long. Arguments: where OpenSSL reads them from."""
    import ssl

    return ssl.create_default_context()


def _is_page(answer: Answer) -> bool:
    """Whether to read a body: not that of a redirect. An error status, and what is not a page, raise by their headers alone."""
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


def reason_phrase(status: int) -> str:
    """The standard phrase for a status; empty if it has none.

    >>> reason_phrase(404), reason_phrase(799)
    ('Not Found', '')
    """
    return HTTPStatus(status).phrase if status in _STATUSES else ""
