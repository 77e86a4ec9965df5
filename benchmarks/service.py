"""The service under load: clients that send pages without pause, some of which leave in the middle.

The service is a process of its own on this machine. A client that leaves ends its connection at a random moment: while it sends, or while
it waits for the answer. The times are those of the others, from the connection to the end of the answer. They depend on how busy the
machine is; how the slowest compare with the median does so less.
"""

from __future__ import annotations

import asyncio
import gzip
import json
import random
import re
import signal
import subprocess
import sys
import tempfile
import time
from collections import Counter
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

import numpy as np
from typer import Argument, Option

from benchmarks.command import bench
from benchmarks.report import Report, Table
from benchmarks.timing import Progress, unseen
from tamis.errors import SourceError

_PAUSE = 0.5  # seconds within which a client that leaves has left


@dataclass(frozen=True, slots=True)
class Load:
    """What the clients of a service saw."""

    seconds: list[float]
    """Of each answer to a client that stayed, in order of time."""
    outcomes: dict[str, int]
    """How the requests of the clients that stayed ended, by status or error; and how many were left."""

    @property
    def errors(self) -> int:
        """Requests of clients that stayed, and got no page."""
        return sum(count for outcome, count in self.outcomes.items() if outcome not in ("200", "left"))


def run(
    pages: Annotated[Path | None, Argument(help="A folder of pages (.html, .html.gz). [default: the demo site]")] = None,
    clients: int = 64,
    leaving: float = 1 / 3,
    heavy: Annotated[float, Option(help="Share of what leaving clients send that is a page of 4 MB.")] = 0.0,
    seconds: float = 60.0,
    workers: int = 2,
    seed: int = 0,
    progress: Progress = unseen,
) -> Load:
    """Load the service with clients, a share of which leave in the middle."""
    bodies = _bodies(pages)
    with tempfile.TemporaryDirectory() as folder:
        command = [sys.executable, "-m", "tamis", "serve", "--port", "0", "-j", str(workers)]
        with subprocess.Popen(command, stderr=subprocess.PIPE, text=True, cwd=folder) as process:
            assert process.stderr is not None
            try:
                said = process.stderr.readline()
                if not (address := re.search(r":(\d+)/", said)):
                    raise SourceError(f"the service does not start: {said.strip()}")
                return asyncio.run(_load(int(address[1]), bodies, clients, leaving, heavy, seconds, seed, progress))
            finally:
                process.send_signal(signal.SIGTERM)


def _bodies(folder: Path | None) -> list[bytes]:
    if folder is None:
        from demo import build_site

        raw = [page.raw for page in build_site() if page.raw]
    else:
        raw = [(gzip.decompress if path.suffix == ".gz" else bytes)(path.read_bytes()) for path in sorted(folder.rglob("*.html*"))]
    if not raw:
        raise SourceError(f"{folder}: no pages")
    return [_body(page.decode("utf-8", "replace")) for page in raw]


def _body(html: str) -> bytes:
    return json.dumps({"html": html, "formats": ["text", "markdown"]}).encode()


async def _load(
    port: int, bodies: list[bytes], clients: int, leaving: float, heavy: float, seconds: float, seed: int, progress: Progress
) -> Load:
    large = _body(("<p>" + "The tide comes in twice a day, and goes out twice. " * 4) * (4_000_000 // 207))
    taken: list[float] = []
    outcomes: Counter[str] = Counter()

    async def client(number: int) -> None:
        draw = random.Random(f"{seed} {number}")
        leaves = number < round(clients * leaving)
        while (start := time.monotonic()) - begun < seconds:
            body = large if leaves and draw.random() < heavy else draw.choice(bodies)
            try:
                if leaves:
                    await _leave(port, body, draw)
                    outcomes["left"] += 1
                    continue
                status = await _ask(port, body)
                outcomes[status] += 1
                taken.append(time.monotonic() - start)
            except (OSError, EOFError) as error:
                outcomes["left" if leaves else type(error).__name__] += 1
                await asyncio.sleep(0.05)
            progress(min(int(time.monotonic() - begun), int(seconds)), int(seconds))

    await _ask(port, bodies[0])  # the workers have started
    begun = time.monotonic()
    await asyncio.gather(*map(client, range(clients)))
    return Load(taken, dict(outcomes))


def _request(body: bytes) -> bytes:
    head = b"POST /v1/extract HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\nContent-Type: application/json\r\n"
    return head + b"Content-Length: %d\r\n\r\n" % len(body) + body


async def _ask(port: int, body: bytes) -> str:
    """Send a page; the status of the answer, and what it says of an error."""
    reader, writer = await asyncio.open_connection("127.0.0.1", port)
    try:
        writer.write(_request(body))
        await writer.drain()
        answer = await reader.read(-1)
        if not answer.startswith(b"HTTP/1.1 "):
            raise EOFError
        status, detail = answer[9:12].decode(), re.search(rb'"detail":"(.*?)"', answer)
        return status if status == "200" or not detail else f"{status} {detail[1].decode()}"
    finally:
        writer.close()


async def _leave(port: int, body: bytes, draw: random.Random) -> None:
    """Send a part of a request, often all of it, and end the connection without the answer."""
    _, writer = await asyncio.open_connection("127.0.0.1", port)
    request = _request(body)
    writer.write(request[: draw.choice((len(request), len(request), draw.randrange(len(request))))])
    await asyncio.sleep(draw.random() * _PAUSE)
    writer.transport.abort()


def report(load: Load) -> Report:
    """How long answers took, and what else came of the requests."""
    middle, high, most = np.quantile(load.seconds or [0.0], (0.5, 0.99, 1))
    row = ("clients that stayed", len(load.seconds), load.errors, middle, high, most, high / middle if middle else None)
    columns = "requests of; answers|,; errors|,; median s|.3f; 99% s|.3f; most s|.3f; 99% by median|.1f"
    ends = ", ".join(f"{count:,} {outcome}" for outcome, count in sorted(load.outcomes.items()))
    return Report([Table("The service under load", columns, [row])], [f"ends of requests: {ends}"])


command = bench(run, report, "seconds")
