"""A site with faults, on a server of this machine that remembers what it was asked."""

from __future__ import annotations

import gzip
import threading
import time
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest

from tamis.crawl import CrawlSettings

pytest.importorskip("protego", reason="needs the crawl extra")

QUICK = CrawlSettings(delay=0, allow_private=True, timeout=30, retries=0)

Serve = Callable[["Handler"], None]


class Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    server: Server

    def log_message(self, format: str, *args: object) -> None:
        pass

    def do_GET(self) -> None:
        self.server.log.append((time.monotonic(), self.path, dict(self.headers)))
        self.server.active += 1
        self.server.most_active = max(self.server.most_active, self.server.active)
        try:
            self.server.serve(self)
        except OSError:
            self.close_connection = True  # the client had enough
        finally:
            self.server.active -= 1

    def answer(self, body: bytes | str = b"", status: int = 200, kind: str | None = "text/html; charset=utf-8", **headers: str) -> None:
        body = body.encode() if isinstance(body, str) else body
        self.send_response(status)
        if kind is not None:
            self.send_header("Content-Type", kind)
        self.send_header("Content-Length", headers.pop("length", str(len(body))))
        for name, value in headers.items():
            self.send_header(name.replace("_", "-"), value)
        self.end_headers()
        self.wfile.write(body)

    def endless(self, piece: bytes, pause: float) -> None:
        self.send_response(200)
        self.send_header("Content-Type", "text/html")
        self.send_header("Connection", "close")
        self.end_headers()
        self.close_connection = True
        while not self.server.ending:
            self.wfile.write(piece)
            self.server.sent[self.path] += len(piece)
            time.sleep(pause)

    @property
    def asked(self) -> int:
        """How often this page was asked for."""
        return self.server.asked()[self.path]


class Server(ThreadingHTTPServer):
    daemon_threads = True

    def __init__(self, serve: Serve) -> None:
        super().__init__(("127.0.0.1", 0), Handler)
        self.serve = serve
        self.log: list[tuple[float, str, dict[str, str]]] = []
        self.sent: Counter[str] = Counter()
        self.ending = False
        self.active = self.most_active = 0

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.server_address[1]}"

    def asked(self) -> Counter[str]:
        """How often each page was asked for."""
        return Counter(path for _, path, _ in self.log)

    def handle_error(self, request: object, client_address: object) -> None:
        pass


@contextmanager
def serving(serve: Serve) -> Iterator[Server]:
    with Server(serve) as server:
        thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True)
        thread.start()
        try:
            yield server
        finally:
            server.ending = True
            server.shutdown()
            thread.join()


def page(title: str, *links: str, text: str = "") -> str:
    anchors = " ".join(link if link.startswith("<") else f'<a href="{link}">{link}</a>' for link in links)
    return f"<!DOCTYPE html><title>{title}</title><main><h1>{title}</h1><p>{text or f'What {title} says.'}</p></main><nav>{anchors}</nav>"


def site(pages: dict[str, str | Serve]) -> Serve:
    """Serve pages by path; others are missing."""

    def serve(handler: Handler) -> None:
        found = pages.get(handler.path)
        if callable(found):
            found(handler)
        elif found is not None:
            handler.answer(found)
        else:
            handler.answer("<p>Nothing here.", 404)

    return serve


def small_site(count: int, pause: float = 0.0) -> Serve:
    """A site of so many pages, each linked from the one before and from the start page."""

    def serve(handler: Handler) -> None:
        time.sleep(pause)
        number = handler.path.strip("/").removesuffix(".html")
        if handler.path == "/":
            handler.answer(page("Start", *(f"/story-no-{n}x.html" for n in range(0, count, 3))))
        elif number.startswith("story-no-") and int(number[9:-1]) < count:
            n = int(number[9:-1])
            handler.answer(page(f"Story {n}", "/", *([f"/story-no-{n + 1}x.html"] if n + 1 < count else []), text=f"Line {n}. " * 200))
        else:
            handler.answer("<p>Nothing here.", 404)

    return serve


def packed(text: str) -> bytes:
    return gzip.compress(text.encode(), mtime=0)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return tmp_path / "crawl"
