"""Connections whose client does nothing."""

from __future__ import annotations

import asyncio
import re
import signal
import socket
import subprocess
import sys
import time

import pytest

uvicorn = pytest.importorskip("uvicorn")

from uvicorn.server import ServerState  # noqa: E402

from tamis.cli.serve import GRACE  # noqa: E402
from tamis.server import connection  # noqa: E402
from tamis.server.connection import Connection  # noqa: E402

pytestmark = pytest.mark.anyio
HEAD = b"GET / HTTP/1.1\r\nHost: localhost\r\n"


@pytest.fixture
def anyio_backend():
    return "asyncio"


@pytest.fixture
async def port(monkeypatch):
    """A service whose answers are larger than what the system holds for a client."""

    async def app(scope, receive, send):
        await send({"type": "http.response.start", "status": 200, "headers": []})
        await send({"type": "http.response.body", "body": b"x" * 30_000_000})

    monkeypatch.setattr(connection, "_SILENT", 0.1)
    config, state = uvicorn.Config(app, lifespan="off", log_level="error"), ServerState()
    server = await asyncio.get_running_loop().create_server(lambda: Connection(config, state, {}), "127.0.0.1", 0)
    yield server.sockets[0].getsockname()[1]
    server.close()
    assert not state.connections


@pytest.mark.parametrize("sent", [b"", HEAD, b"\x00"], ids=repr)
async def test_a_client_that_does_not_finish_its_request_is_left(port, sent):
    reader, writer = await asyncio.open_connection("127.0.0.1", port)
    writer.write(sent)
    async with asyncio.timeout(300):
        with pytest.raises((asyncio.IncompleteReadError, ConnectionError)):
            await reader.readexactly(10_000)
    writer.close()


async def test_a_client_that_takes_its_answer_gets_all_of_it_and_one_that_does_not_is_left(port):
    for takes in (True, False):
        reader, writer = await asyncio.open_connection("127.0.0.1", port)
        writer.write(HEAD + b"\r\n")
        size = 0
        async with asyncio.timeout(300):
            await asyncio.sleep(0 if takes else 1)
            try:
                while size < 30_000_000 and (part := await reader.read(1_000_000)):
                    size += len(part)
            except ConnectionError:
                pass
        assert (size >= 30_000_000) == takes
        writer.close()
        await asyncio.sleep(0.3)


async def test_connections_beyond_the_limit_are_refused(port, monkeypatch):
    monkeypatch.setattr(connection, "most_connections", lambda: 1)
    kept = await asyncio.open_connection("127.0.0.1", port)
    refused = await asyncio.open_connection("127.0.0.1", port)
    async with asyncio.timeout(300):
        with pytest.raises((asyncio.IncompleteReadError, ConnectionError)):
            await refused[0].readexactly(1)
        kept[1].write(HEAD + b"\r\n")
        assert (await kept[0].read(12)).startswith(b"HTTP/1.1 200")
    for _, writer in (kept, refused):
        writer.close()
    await asyncio.sleep(0.3)


@pytest.mark.skipif(sys.platform == "win32", reason="needs SIGTERM")
def test_clients_that_do_not_finish_their_requests_do_not_hold_the_end_up(tmp_path):
    command = [sys.executable, "-m", "tamis", "serve", "--port", "0", "--workers", "1"]
    with subprocess.Popen(command, stderr=subprocess.PIPE, text=True, cwd=tmp_path) as process:
        port = int(re.search(r":(\d+)/", process.stderr.readline())[1])
        begun = HEAD.replace(b"GET /", b"POST /v1/extract") + b"Content-Type: application/json\r\nContent-Length: 1000\r\n\r\n{"
        clients = [socket.create_connection(("127.0.0.1", port)) for _ in range(3)]
        for client, sent in zip(clients, (b"", HEAD, begun), strict=True):
            client.sendall(sent)
        time.sleep(1)
        process.send_signal(signal.SIGTERM)
        start = time.monotonic()
        process.wait(timeout=GRACE + 200)
        assert time.monotonic() - start < GRACE + 300
        for client in clients:
            client.close()
