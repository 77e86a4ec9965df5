"""The gate, asked as Chromium asks it: by a socket, without a browser."""

from __future__ import annotations

import socket
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import pytest

from tamis.io.browser.gate import Allowance, ProxyGate


class Answers(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def do_GET(self):
        self.server.asked.append((self.path, self.headers["Connection"], self.headers["Host"]))
        body = b"x" * 300_000 if self.path == "/large" else b"hello"
        self.send_response(200)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *words):
        pass


@pytest.fixture(scope="module")
def server():
    with ThreadingHTTPServer(("127.0.0.1", 0), Answers) as started:
        started.asked = []
        started.daemon_threads = True
        threading.Thread(target=started.serve_forever, daemon=True).start()
        yield started
        started.shutdown()


@pytest.fixture
def gate():
    started = ProxyGate()
    yield started
    started.close()


def ask(gate: ProxyGate, request: str) -> bytes:
    with socket.create_connection(("127.0.0.1", gate.port), timeout=300) as connection:
        connection.sendall(request.encode())
        answer = bytearray()
        while chunk := connection.recv(65_536):
            answer += chunk
    return bytes(answer)


def get(gate: ProxyGate, server, path: str = "/") -> bytes:
    host = f"127.0.0.1:{server.server_port}"
    return ask(gate, f"GET http://{host}{path} HTTP/1.1\r\nHost: {host}\r\nProxy-Connection: keep-alive\r\n\r\n")


def test_a_plain_request_is_passed_on_and_its_connection_ends(gate, server):
    allowance = Allowance(allow_private=True, max_bytes=1_000)
    gate.open(allowance)
    answer = get(gate, server, "/a?b=c")
    assert answer.startswith(b"HTTP/1.1 200")
    assert answer.endswith(b"\r\n\r\nhello")
    assert b"Connection: close" in answer
    assert server.asked[-1] == ("/a?b=c", "close", f"127.0.0.1:{server.server_port}")
    assert allowance.received == len(b"hello")


def test_a_tunnel_carries_what_it_is_given(gate, server):
    gate.open(Allowance(allow_private=True, max_bytes=1_000))
    target = f"127.0.0.1:{server.server_port}"
    with socket.create_connection(("127.0.0.1", gate.port), timeout=300) as connection:
        connection.sendall(f"CONNECT {target} HTTP/1.1\r\nHost: {target}\r\n\r\n".encode())
        assert connection.recv(100).startswith(b"HTTP/1.1 200")
        connection.sendall(b"GET /t HTTP/1.0\r\n\r\n")
        assert connection.recv(100).startswith(b"HTTP/1.1 200")


def test_a_gate_that_is_shut_lets_nothing_through(gate, server):
    asked = len(server.asked)
    assert get(gate, server).startswith(b"HTTP/1.1 403")
    gate.open(Allowance(allow_private=True, max_bytes=1_000))
    gate.shut()
    assert get(gate, server).startswith(b"HTTP/1.1 403")
    assert len(server.asked) == asked


@pytest.mark.parametrize(
    "host", ["127.0.0.1", "localhost", "[::1]", "0.0.0.0", "2130706433", "10.1.2.3", "169.254.169.254", "[::ffff:127.0.0.1]"]
)
@pytest.mark.parametrize("tunnel", [False, True])
def test_addresses_that_are_not_public_are_refused(gate, server, host, tunnel):
    allowance = Allowance(allow_private=False, max_bytes=1_000)
    gate.open(allowance)
    asked = len(server.asked)
    target = f"{host}:{server.server_port}"
    request = f"CONNECT {target} HTTP/1.1\r\n\r\n" if tunnel else f"GET http://{target}/ HTTP/1.1\r\n\r\n"
    assert ask(gate, request).startswith(b"HTTP/1.1 403")
    assert list(allowance.refused.values()) == ["it is in a private network"]
    assert len(server.asked) == asked


def test_what_comes_after_the_allowance_does_not_come(gate, server):
    allowance = Allowance(allow_private=True, max_bytes=100_000)
    gate.open(allowance)
    assert len(get(gate, server, "/large")) < 300_000
    assert allowance.is_used_up
    assert get(gate, server).startswith(b"HTTP/1.1 403")


@pytest.mark.parametrize(
    "request_", ["hello\r\n\r\n", "GET / HTTP/1.1\r\n\r\n", "GET http://[ HTTP/1.1\r\n\r\n", f"{'x' * 100_000}", "CONNECT a:b c\r\n\r\n"]
)
def test_nonsense_ends_its_own_connection_only(gate, server, request_):
    gate.open(Allowance(allow_private=True, max_bytes=1_000))
    with socket.create_connection(("127.0.0.1", gate.port), timeout=300) as connection:
        connection.sendall(request_.encode())
        connection.shutdown(socket.SHUT_WR)
        answer = connection.recv(100)
    assert not answer or answer.startswith(b"HTTP/1.1 403")
    assert get(gate, server).startswith(b"HTTP/1.1 200")
