"""Attacks on the service and on the tools over HTTP, as processes of their own on 127.0.0.1."""

from __future__ import annotations

import json
import re
import signal
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from http.client import HTTPConnection
from pathlib import Path

import pytest

pytest.importorskip("uvicorn")
pytest.importorskip("mcp")

pytestmark = [pytest.mark.slow, pytest.mark.skipif(sys.platform != "linux", reason="reads /proc")]
TOKEN = "correct horse"
PATIENCE = 300  #: Seconds that an answer may take on a busy machine.
SLOW = 8  #: Seconds after which a client that does not finish its request is left.
PAGE = json.dumps({"html": "<h1>Tides</h1><p>The tide comes in twice a day, and goes out twice."})
CALL = json.dumps({"jsonrpc": "2.0", "id": 1, "method": "tools/list"})
AGENT = {"Accept": "application/json, text/event-stream"}


class Running:
    """A process that serves, and the path and body of a request that it answers."""

    def __init__(self, process: subprocess.Popen[str], port: int, path: str, body: str) -> None:
        self.process, self.port, self.path, self.body = process, port, path, body

    def ask(self, method: str, path: str, body: str | bytes | None = None, **headers: str) -> int:
        """Return the status of an answer."""
        connection = HTTPConnection("127.0.0.1", self.port, timeout=PATIENCE)
        try:
            given = {"Content-Type": "application/json", **AGENT, **{name.replace("_", "-"): value for name, value in headers.items()}}
            connection.request(method, path, body, given)
            answer = connection.getresponse()
            answer.read()
            return answer.status
        finally:
            connection.close()

    def works(self) -> bool:
        return self.ask("POST", self.path, self.body, Authorization=f"Bearer {TOKEN}") == 200

    @property
    def megabytes(self) -> int:
        """Memory of the process that takes requests."""
        status = Path(f"/proc/{self.process.pid}/status").read_text()
        return int(re.search(r"VmHWM:\s+(\d+)", status)[1]) // 1024


@pytest.fixture(scope="module", params=["serve", "mcp"])
def running(request, tmp_path_factory) -> Iterator[Running]:
    arguments = {"serve": ["serve"], "mcp": ["mcp", "--http"]}[request.param]
    command = [sys.executable, "-m", "tamis", *arguments, "--port", "0", "-j", "1", "--token", TOKEN, "--set", f"body_seconds={SLOW}"]
    with subprocess.Popen(command, stderr=subprocess.PIPE, text=True, cwd=tmp_path_factory.mktemp("state")) as process:
        assert process.stderr is not None
        port = int(re.search(r":(\d+)/", process.stderr.readline())[1])
        path, body = {"serve": ("/v1/extract", PAGE), "mcp": ("/mcp", CALL)}[request.param]
        found = Running(process, port, path, body)
        assert found.works()
        yield found
        assert found.works()
        process.send_signal(signal.SIGTERM)
        process.wait(PATIENCE)


@pytest.mark.parametrize(
    "given",
    [None, "", "Bearer", "Bearer ", f"Bearer {TOKEN} ", f"Bearer {TOKEN[:-1]}", f"Basic {TOKEN}", "Bearer \xe9", "Bearer " + "x" * 50_000],
)
def test_a_wrong_token_opens_nothing(running, given):
    headers = {} if given is None else {"Authorization": given}
    if given is not None and given.endswith(" ") and TOKEN in given:
        pytest.skip("white space around a header does not count")
    assert running.ask("POST", running.path, running.body, **headers) in (400, 401, 431)


@pytest.mark.parametrize("form", ["?token={}", "?authorization=Bearer%20{}", "?access_token={}", ";{}"])
def test_the_token_counts_in_its_header_alone(running, form):
    assert running.ask("POST", running.path + form.format(TOKEN.replace(" ", "%20")), running.body) in (401, 404)


@pytest.mark.parametrize("written", ["/{}", "/%2e/{}", "/x/../{}", "/{}/", "/{}%00", "/{}%20", "/%2f{}"])
def test_no_way_of_writing_a_path_goes_around_the_token(running, written):
    path = running.path.removeprefix("/")
    for spelled in {path, path.upper(), f"%{ord(path[0]):02x}{path[1:]}"}:
        assert running.ask("POST", written.format(spelled), running.body) in (307, 400, 401, 404, 405)


def test_other_names_origins_and_kinds_of_bodies_are_refused(running):
    known = {"Authorization": f"Bearer {TOKEN}"}
    for name, status in (
        ("evil.example", 421),
        ("127.0.0.1.evil.example", 421),
        ("", 421),
        ("[::1", 421),
        ("localhost:1@evil.example", 421),
    ):
        assert running.ask("POST", running.path, running.body, Host=name, **known) in (status, 400), name
    for origin in ("http://evil.example", "null", f"http://127.0.0.1:{running.port + 1}", "file://"):
        assert running.ask("POST", running.path, running.body, Origin=origin, **known) == 403, origin
    assert running.ask("POST", running.path, running.body, Sec_Fetch_Site="cross-site", **known) == 403
    assert running.ask("POST", running.path, running.body, Content_Type="text/plain", **known) == 415


@pytest.mark.parametrize("body", [b"[" * 3_000_000, b"[" + b"[]," * 2_000_000 + b"[]]", b"\xff" * 1_000_000, b"x" * 21_000_000])
def test_a_hostile_body_is_refused(running, body):
    assert 400 <= running.ask("POST", running.path, body, Authorization=f"Bearer {TOKEN}") < 500


def test_no_connection_is_upgraded(running):
    upgrade = {
        "Connection": "Upgrade",
        "Upgrade": "websocket",
        "Sec_WebSocket_Version": "13",
        "Sec_WebSocket_Key": "dGhlIHNhbXBsZSBub25jZQ==",
        "Accept": "application/json",  # no stream of events, which would never end
    }
    assert running.ask("GET", running.path, **upgrade, Authorization=f"Bearer {TOKEN}") in (400, 404, 405, 406)


def test_large_bodies_at_once_are_bounded_in_memory_and_hold_up_no_other(running):
    page = json.dumps({"html": "<p>" + "The tide comes in twice a day. " * 600_000})
    assert 18_000_000 < len(page) < 20_000_000
    statuses = []

    def send() -> None:
        try:
            statuses.append(running.ask("POST", running.path, page, Authorization=f"Bearer {TOKEN}"))
        except ConnectionError:
            statuses.append(408)  # which the sender of a body that is left halfway may not get to read

    senders = [threading.Thread(target=send) for _ in range(16)]
    for sender in senders:
        sender.start()
    assert running.ask("GET", "/health") in (200, 404)
    for sender in senders:
        sender.join(PATIENCE)
    assert len(statuses) == 16
    assert set(statuses) <= {200, 400, 408, 413, 503, 504}  # 408: on a busy machine a body may take longer than its time
    assert running.works()
    assert running.megabytes < 2_500


def test_slow_clients_hold_up_no_other_and_are_left(running):
    """Some send a head byte by byte, some a body, some nothing."""
    head = f"POST {running.path} HTTP/1.1\r\nHost: localhost\r\n".encode()
    begun = head + b"Authorization: Bearer %b\r\nContent-Type: application/json\r\nContent-Length: 100000\r\n\r\n{" % TOKEN.encode()
    clients = []
    for sent in (head, begun, b"") * 40:
        client = socket.create_connection(("127.0.0.1", running.port), timeout=PATIENCE)
        client.sendall(sent)
        clients.append(client)
    assert running.works()
    until = time.monotonic() + PATIENCE
    left = set(clients)
    while left and time.monotonic() < until:
        for client in list(left):
            try:
                client.setblocking(False)
                if client.recv(10_000) in (b"",):
                    left.discard(client)
                    continue
            except BlockingIOError:
                pass
            except OSError:
                left.discard(client)
                continue
            try:
                client.send(b"x")
            except OSError:
                left.discard(client)
        time.sleep(0.5)
    for client in clients:
        client.close()
    assert not left


def test_streams_that_stay_open_hold_up_no_other(running):
    known = f"Authorization: Bearer {TOKEN}\r\nAccept: text/event-stream\r\n"
    clients = [socket.create_connection(("127.0.0.1", running.port)) for _ in range(60)]
    for client in clients:
        client.sendall(f"GET {running.path} HTTP/1.1\r\nHost: localhost\r\n{known}\r\n".encode())
    assert running.works()
    for client in clients:
        client.close()
    assert running.works()
