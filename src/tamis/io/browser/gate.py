"""The gate: a proxy on this machine that checks every connection, the browser's only way to the network.

Routes within the browser see neither redirects nor the address that a name resolves to at the moment of connecting. The gate resolves the
name, refuses addresses that are not public, and connects to the address it checked. It is shut between pages.
"""

from __future__ import annotations

import asyncio
import contextlib
import threading
from dataclasses import dataclass, field
from urllib.parse import urlsplit

from tamis.io.locations import ip_addresses, is_public

OWN_CALLS = frozenset(
    "update.googleapis.com accounts.google.com content-autofill.googleapis.com clients1.google.com clients2.google.com clients4.google.com "
    "optimizationguide-pa.googleapis.com safebrowsing.googleapis.com mtalk.google.com android.clients.google.com".split()
)
"""Hosts that Chromium calls by itself, whatever its flags say. No page needs them; they are always refused."""
_LONGEST_HEAD = 65_536
_CHUNK = 65_536
_SECONDS_TO_CONNECT = 10.0


@dataclass(slots=True)
class Allowance:
    """Bytes that one page may fetch, and those that it did fetch."""

    allow_private: bool
    max_bytes: int
    received: int = 0  #: bytes that came in
    refused: dict[str, str] = field(default_factory=dict)  #: hosts that were not connected to, and why

    @property
    def is_used_up(self) -> bool:
        """Nothing more may come."""
        return self.received > self.max_bytes


class _RefusalError(Exception):
    """A connection that is not made; the message says why."""


class ProxyGate:
    """A proxy for HTTP on 127.0.0.1, in a thread of its own. Refuses everything unless a page has an allowance."""

    def __init__(self) -> None:
        self.port = 0  #: where it listens
        self._allowance: Allowance | None = None
        self._tasks: set[asyncio.Task[None]] = set()
        self._loop = asyncio.new_event_loop()
        self._ready = threading.Event()
        self._thread = threading.Thread(target=self._run, name="tamis-gate", daemon=True)
        self._thread.start()
        self._ready.wait()

    def open(self, allowance: Allowance) -> None:
        """Let connections through from now on."""
        self._allowance = allowance

    def shut(self) -> None:
        """Refuse everything from now on, and end what is open."""
        self._allowance = None
        self._loop.call_soon_threadsafe(self._end_connections)

    def close(self) -> None:
        """End the thread."""
        self._allowance = None
        if self._thread.is_alive():
            self._loop.call_soon_threadsafe(self._loop.stop)
            self._thread.join()

    def _run(self) -> None:
        asyncio.set_event_loop(self._loop)
        server = self._loop.run_until_complete(asyncio.start_server(self._accept, "127.0.0.1", 0, limit=_LONGEST_HEAD))
        self.port = server.sockets[0].getsockname()[1]
        self._ready.set()
        try:
            self._loop.run_forever()
        finally:
            server.close()
            self._end_connections()
            self._loop.run_until_complete(asyncio.gather(*self._tasks, return_exceptions=True))
            self._loop.run_until_complete(self._loop.shutdown_default_executor())
            self._loop.close()

    def _end_connections(self) -> None:
        for task in self._tasks:
            task.cancel()

    async def _accept(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        task = asyncio.current_task()
        if task is not None:
            self._tasks.add(task)
            task.add_done_callback(self._tasks.discard)
        try:
            await self._serve(reader, writer)
        except (OSError, asyncio.IncompleteReadError, asyncio.LimitOverrunError, asyncio.CancelledError, ValueError):
            pass  # the browser sees a connection that ended
        finally:
            writer.close()

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        head = await reader.readuntil(b"\r\n\r\n")
        method, target, _ = head.partition(b"\r\n")[0].decode("latin-1").split(" ", 2)
        tunnel = method == "CONNECT"
        parts = urlsplit(f"//{target}" if tunnel else target)
        host, port = parts.hostname or "", parts.port or 80
        allowance = self._allowance
        try:
            above, to_above = await _connect(host, port, allowance)
        except _RefusalError as refusal:
            if allowance is not None and host not in OWN_CALLS:
                allowance.refused[host] = str(refusal)
            writer.write(b"HTTP/1.1 403 Refused\r\nContent-Length: 0\r\nConnection: close\r\n\r\n")
            await writer.drain()
            return
        assert allowance is not None  # else it was refused
        try:
            if tunnel:
                writer.write(b"HTTP/1.1 200 Connected\r\n\r\n")
            else:
                # the request as its server expects it; one for each connection, so that each is checked
                first, *headers = head[:-4].split(b"\r\n")
                path = (parts.path or "/") + (f"?{parts.query}" if parts.query else "")
                line = b" ".join((method.encode("latin-1"), path.encode("latin-1"), first.rpartition(b" ")[2]))
                to_above.write(b"\r\n".join((line, *_closing(headers), b"", b"")))
            down = self._loop.create_task(_answer(above, writer, allowance, plain=not tunnel))
            up = self._loop.create_task(_pump(reader, to_above))
            try:
                await down
            finally:
                up.cancel()
                down.cancel()
                await asyncio.gather(up, down, return_exceptions=True)
        finally:
            to_above.close()


async def _connect(host: str, port: int, allowance: Allowance | None) -> tuple[asyncio.StreamReader, asyncio.StreamWriter]:
    if allowance is None:
        raise _RefusalError("offline")
    if host in OWN_CALLS:
        raise _RefusalError("not asked for")
    if allowance.is_used_up:
        raise _RefusalError("too large")
    try:
        addresses = ip_addresses(await asyncio.get_running_loop().getaddrinfo(host, port, type=1))
    except (OSError, UnicodeError) as error:
        raise _RefusalError("no host of this name was found") from error
    if not allowance.allow_private and not all(map(is_public, addresses)):
        raise _RefusalError("it is in a private network")
    for address in addresses:
        with contextlib.suppress(OSError):
            return await asyncio.wait_for(asyncio.open_connection(address, port), _SECONDS_TO_CONNECT)
    raise _RefusalError(f"no connection to port {port}")


def _closing(headers: list[bytes]) -> list[bytes]:
    """Headers that end the connection after this message."""
    about = (b"connection:", b"proxy-connection:", b"keep-alive:")
    return [*(line for line in headers if not line.lower().startswith(about)), b"Connection: close"]


async def _answer(above: asyncio.StreamReader, writer: asyncio.StreamWriter, allowance: Allowance, *, plain: bool) -> None:
    """Pass answers to the browser as long as the allowance lasts."""
    if plain:
        head = await above.readuntil(b"\r\n\r\n")
        first, *headers = head[:-4].split(b"\r\n")
        writer.write(b"\r\n".join((first, *(headers if first[9:10] == b"1" else _closing(headers)), b"", b"")))
    while not allowance.is_used_up and (chunk := await above.read(_CHUNK)):
        allowance.received += len(chunk)
        writer.write(chunk)
        await writer.drain()


async def _pump(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    while chunk := await reader.read(_CHUNK):
        writer.write(chunk)
        await writer.drain()
