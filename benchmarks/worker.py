"""One tool in its own process: ``python -P worker.py NAME``, driven by :class:`benchmarks.tool_process.ToolProcess`.

Needs the standard library and ``peers.py`` beside it, no tamis: it also runs under another Python that has a peer this one cannot have.

A frame is a line of JSON followed by ``size`` bytes. First the worker says whether the tool could be loaded. Then for each page
(``{"form": "str" | "bytes", "size": n, "want_text": bool}`` and the page) it answers
``{"seconds": s, "size": n, "error": null | str, "peak": bytes | null}`` and the text. The clock runs around the tool's call only.
"""

from __future__ import annotations

import importlib.util
import json
import os
import sys
import time
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any, BinaryIO


def main(name: str) -> None:
    """Load the tool and answer pages until the input ends."""
    answers = os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)  # what a tool prints must not get between the frames
    try:
        peer = _peers().RUNNABLE[name]
        extract = peer.load()
        found = _version(peer.distribution)
    except BaseException as error:  # whatever keeps a tool from loading is the answer
        _send(answers, {"ready": False, "reason": f"{type(error).__name__}: {error}"})
        return
    _send(answers, {"ready": True, "version": found, "python": sys.version.split()[0], "resident": memory("VmRSS")})
    pages = sys.stdin.buffer
    while line := pages.readline():
        request = json.loads(line)
        raw = pages.read(request["size"])
        page = raw.decode("utf-8", "surrogatepass") if request["form"] == "str" else raw
        text, error_name = "", None
        start = time.perf_counter()
        try:
            text = extract(page)
        except Exception as error:
            error_name = f"{type(error).__name__}: {error}"[:300]
        seconds = time.perf_counter() - start
        body = text.encode("utf-8", "surrogatepass") if request["want_text"] else b""
        _send(answers, {"seconds": seconds, "size": len(body), "error": error_name, "peak": memory("VmHWM")}, body)


def memory(field: str) -> int | None:
    """A figure of this process's memory in bytes (``VmRSS``: now, ``VmHWM``: most so far); None if the system does not report it."""
    try:
        status = Path("/proc/self/status").read_text("ascii", "replace")
    except OSError:
        return None
    return next((int(line.split()[1]) * 1024 for line in status.splitlines() if line.startswith(field + ":")), None)


def _send(stream: BinaryIO, head: dict[str, Any], body: bytes = b"") -> None:
    stream.write(json.dumps(head).encode() + b"\n" + body)
    stream.flush()


def _peers() -> Any:
    spec = importlib.util.spec_from_file_location("_tamis_bench_peers", Path(__file__).with_name("peers.py"))
    if spec is None or spec.loader is None:
        raise ImportError("peers.py is missing beside worker.py")
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module  # dataclasses look their module up
    spec.loader.exec_module(module)
    return module


def _version(distribution: str) -> str:
    try:
        return version(distribution)
    except PackageNotFoundError:
        return "unknown"


if __name__ == "__main__":
    main(sys.argv[1])
