"""A name that resolves to a public address first, and to 127.0.0.1 from then on (DNS rebinding): nothing private may be reached.

``unshare --net --mount python -m tests.attack.rebinding`` runs it in a network of its own, where 9.9.9.9 and 127.0.0.1 are this machine.
The resolver is a program of ours on 127.0.0.1. It needs root, ``ip`` and ``mount``. Arguments choose ways of fetching by how their names
begin. It prints what each said, and ends with code 1 if the private server was asked for anything.
"""

from __future__ import annotations

import socket
import struct
import subprocess
import sys
import tempfile
from contextlib import closing
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread
from typing import Any

NAME = "rebinding.example"
PUBLIC, PRIVATE = "9.9.9.9", "127.0.0.1"
SECRETS: list[str] = []
"""Requests that the private server got."""
questions = 0
"""Questions for the name since the last attempt began."""


def resolve_first_public() -> None:
    """Answer questions for addresses: the public one to the first, the private one to all others."""
    global questions  # noqa: PLW0603  # the state of the server
    sock = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
    sock.bind((PRIVATE, 53))
    while True:
        question, asker = sock.recvfrom(512)
        end = question.index(0, 12) + 5
        kind = struct.unpack(">H", question[end - 4 : end - 2])[0]
        answer = b""
        if kind == 1:
            address = socket.inet_aton(PUBLIC if questions == 0 else PRIVATE)
            questions += 1
            answer = b"\xc0\x0c" + struct.pack(">HHIH", 1, 1, 0, 4) + address
        sock.sendto(question[:2] + b"\x81\x80\x00\x01" + struct.pack(">HHH", bool(answer), 0, 0) + question[12:end] + answer, asker)


def serve(address: str, secret: bool) -> None:
    """A server: of pages that lead to the name again, or of secrets."""

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"  # connections are kept

        def do_GET(self) -> None:
            if secret:
                SECRETS.append(self.path)
            go_on = self.path == "/" and not secret
            self.send_response(302 if go_on else 200)
            if go_on:
                self.send_header("Location", f"http://{NAME}/inner")
            page = f"<p>A page.<img src=http://{NAME}/picture><a href=http://{NAME}/more>more</a>".encode()
            self.send_header("Content-Type", "text/html")
            self.send_header("Content-Length", str(len(page)))
            self.end_headers()
            self.wfile.write(page)

        def log_message(self, *_: Any) -> None:
            pass

    Thread(target=ThreadingHTTPServer((address, 80), Handler).serve_forever, daemon=True).start()


def attempts() -> dict[str, Any]:
    """Ways of fetching, by name."""
    import tamis
    from tamis.crawl import CrawlSettings, crawl
    from tamis.io.connections import Connections
    from tamis.io.fetch import Limits, ask

    def on_kept_connections() -> list[str]:
        said = []
        with closing(Connections()) as connections:
            for path in ("inner", "again", "more"):
                try:
                    said.append(ask(f"http://{NAME}/{path}", Limits(allow_private=False), connections=connections).address)
                except tamis.TamisError as error:
                    said.append(str(error))
        return said

    def rendered() -> Any:
        with tamis.Browser(tamis.BrowserSettings(seconds=20, javascript=True)) as browser:
            return browser.render(url=f"http://{NAME}/inner").notes

    return {
        "fetch, which follows a redirect": lambda: tamis.fetch(f"http://{NAME}/"),
        "fetch, public addresses only": lambda: tamis.fetch(f"http://{NAME}/", Limits(allow_private=False)),
        "requests on kept connections": on_kept_connections,
        "crawl": lambda: crawl(f"http://{NAME}/inner", tempfile.mkdtemp(), CrawlSettings(delay=0, timeout=5, retries=0)),
        "render": rendered,
    }


def main() -> int:
    """Attack."""
    global questions  # noqa: PLW0603
    subprocess.run(["ip", "link", "set", "lo", "up"], check=True)
    subprocess.run(["ip", "address", "add", f"{PUBLIC}/32", "dev", "lo"], check=True)
    with tempfile.NamedTemporaryFile("w", suffix=".conf") as settings:
        settings.write(f"nameserver {PRIVATE}\n")
        settings.flush()
        Path(settings.name).chmod(0o644)
        subprocess.run(["mount", "--bind", settings.name, "/etc/resolv.conf"], check=True)
        Thread(target=resolve_first_public, daemon=True).start()
        serve(PUBLIC, secret=False)
        serve(PRIVATE, secret=True)
        for name, attempt in attempts().items():
            if sys.argv[1:] and not name.startswith(tuple(sys.argv[1:])):
                continue
            questions = 0
            try:
                said = str(attempt())
            except Exception as error:
                said = f"{type(error).__name__}: {error}"
            print(f"{name}: {questions} questions, {len(SECRETS)} secrets; {said[:300]}")
    return int(bool(SECRETS))


if __name__ == "__main__":
    sys.exit(main())
