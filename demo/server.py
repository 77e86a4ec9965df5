"""The demo site over HTTP, on this machine only."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread


class _Quiet(SimpleHTTPRequestHandler):
    """Serves a folder; names no encoding in ``Content-Type``, as old servers do, and writes no log."""

    def log_message(self, format: str, *args: object) -> None:  # the name is inherited
        """Say nothing."""


@contextmanager
def serving(folder: Path, port: int = 0) -> Iterator[str]:
    """Serve a folder on 127.0.0.1 while the context is open.

    Args:
        folder: what to serve.
        port: where; 0 takes a free one.

    Yields:
        The URL of the folder, with a slash at its end.

    Raises:
        OSError: the port is taken.
    """
    with ThreadingHTTPServer(("127.0.0.1", port), partial(_Quiet, directory=str(folder))) as server:
        thread = Thread(target=server.serve_forever, kwargs={"poll_interval": 0.05}, daemon=True)
        thread.start()
        try:
            yield f"http://127.0.0.1:{server.server_address[1]}/"
        finally:
            server.shutdown()
            thread.join()
