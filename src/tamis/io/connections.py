"""Connections to hosts of the web: made to an IP address that was checked, ended in time, kept for further requests."""

from __future__ import annotations

import contextlib
import os
import socket
import threading
import time
from collections.abc import Sequence
from functools import cache
from typing import TYPE_CHECKING

from tamis.io.locations import Location, TransientFetchError

if TYPE_CHECKING:
    import ssl

    from urllib3.connection import HTTPConnection

_IDLE = 60.0  # seconds after which a connection is not used again
_MOST_IDLE = 64  # connections that are kept open at the same time


class Deadline:
    """A time limit for a whole transfer: it shuts the watched connection, which ends any waiting."""

    def __init__(self, seconds: float) -> None:
        self.seconds = seconds
        self.passed = False
        self._end = time.monotonic() + seconds
        self._watched: socket.socket | None = None
        self._lock = threading.Lock()
        self._timer = threading.Timer(seconds, self._run_out)
        self._timer.daemon = True

    def __enter__(self) -> Deadline:
        self._timer.start()
        return self

    def __exit__(self, *error: object) -> None:
        self._timer.cancel()
        self.watch(None)

    def left(self) -> float:
        """Return seconds left, never quite 0 (which would mean "do not wait" to a socket)."""
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

    def take(self, here: Location, addresses: Sequence[str]) -> HTTPConnection | None:
        """Return the latest connection to the same host, at one of these addresses, that the server has not closed."""
        with self._lock:
            for number in range(len(self._idle) - 1, -1, -1):
                origin, address, since, connection = self._idle[number]
                if origin == here.origin and address in addresses:
                    del self._idle[number]
                    if connection.is_connected and time.monotonic() - since < _IDLE:
                        return connection
                    connection.close()
        return None

    def keep(self, here: Location, address: str, connection: HTTPConnection) -> None:
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


def connect(here: Location, addresses: Sequence[str], seconds: float, silence: float, deadline: Deadline) -> HTTPConnection:
    """Return a connection to the first address that accepts it, with TLS for https.

    ``seconds``: to connect to one address; ``silence``: seconds without a byte.
    """
    from urllib3.connection import HTTPConnection

    trouble: OSError | None = None
    for address in addresses:
        try:
            sock = socket.create_connection((address, here.port), timeout=min(seconds, deadline.left()))
            break
        except OSError as error:
            trouble = error
    else:
        if isinstance(trouble, TimeoutError):
            raise TransientFetchError(f"{here.host} took too long to connect") from trouble
        said = (trouble.strerror or str(trouble)).lower() if trouble is not None else "no address"
        raise TransientFetchError(f"no connection to {here.host}, port {here.port} ({said})") from trouble
    deadline.watch(sock)
    sock.settimeout(silence)
    connection = HTTPConnection(here.host, here.port, timeout=silence)
    if here.scheme == "https":
        try:
            sock = _tls(os.environ.get("SSL_CERT_FILE"), os.environ.get("SSL_CERT_DIR")).wrap_socket(sock, server_hostname=here.host)
        except BaseException:
            sock.close()
            raise
    connection.sock = sock
    return connection


@cache
def _tls(file: str | None, folder: str | None) -> ssl.SSLContext:
    """Return the TLS settings, made once, since reading all certificates takes long. Arguments: where OpenSSL reads them from."""
    import ssl

    return ssl.create_default_context()
