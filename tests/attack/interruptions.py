"""Kill the long commands at random moments, and fill the disk under them; then the same command must give the same rows.

``python -m tests.attack.interruptions kill --moments 10`` kills each command so many times with SIGKILL, its worker processes too, and
repeats it after each. ``... full`` runs each on a file system of a few sizes that are too small, then on one that is large enough; where
none can be mounted, the size of a file is limited instead. ``... readonly`` runs each on a file system that cannot be written, and then
on the same one that can. Exit code 1: rows differ, or an error was not one line that names the disk.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import re
import resource
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread
from typing import Any

from demo import build_site
from tamis.crawl import crawled_pages


@dataclass(frozen=True, slots=True)
class Command:
    """A long command: its arguments given input and output, and what stands in its output, as values that can be compared."""

    arguments: Callable[[Path, Path, str], list[str]]
    rows: Callable[[Path], Any]


def _lines(path: Path) -> Any:
    return sorted(path.read_text().splitlines())


def _corpus(path: Path) -> Any:
    import pyarrow.parquet as pq

    return [sorted(map(repr, pq.read_table(path / name).to_pylist())) for name in ("documents", "failures")]


def _model(path: Path) -> Any:
    import numpy as np

    with np.load(path / "columns.npz") as columns:
        tables = {name: columns[name].tolist() for name in sorted(columns)}
    assert tables, "the model has no tables"
    return repr(tables)


def _crawled(path: Path) -> Any:
    return sorted(re.sub(r"^http://[^/]*", "", source.url or "") for source in crawled_pages(path))


def _index(path: Path) -> Any:
    from tamis import DuplicateIndex

    with DuplicateIndex(path / "index", readonly=True) as index:
        return [_lines(path / "unique.jsonl"), len(index), [[match.id for match in index.matches(text)] for text in _texts()]]


def _texts() -> Iterator[str]:
    """Texts, two and two alike."""
    words = "the tide sea boat gull reed salt wind harbour stone quay rope net sail mast fog".split()
    for number in range(400):
        yield " ".join(random.Random(number // 2).choices(words, k=300)[number % 2 :])


COMMANDS = {
    "clean": Command(
        lambda source, output, url: ["clean", f"{source}/site", "-o", f"{output}/texts.jsonl", "-j", "2"],
        lambda path: _lines(path / "texts.jsonl"),
    ),
    "corpus run": Command(
        lambda source, output, url: ["corpus", "run", f"{source}/site", "-o", f"{output}/corpus", "-j", "2"],
        lambda path: _corpus(path / "corpus"),
    ),
    "learn": Command(
        lambda source, output, url: ["learn", f"{source}/site", "-o", f"{output}/site.model"], lambda path: _model(path / "site.model")
    ),
    "dedup": Command(
        lambda source, output, url: ["dedup", f"{source}/texts.jsonl", "-o", f"{output}/unique.jsonl", "--index", f"{output}/index"], _index
    ),
    "denoise": Command(
        lambda source, output, url: ["denoise", f"{source}/page.html", "--siblings", f"{source}/site", "-o", f"{output}/page.txt"],
        lambda path: _lines(path / "page.txt"),
    ),
    "crawl": Command(
        lambda source, output, url: ["crawl", url, "-o", f"{output}/crawl", "--delay", "0", "--allow-private"],
        lambda path: _crawled(path / "crawl"),
    ),
}
"""The long commands by name."""


def write_input(folder: Path) -> None:
    """Pages of the demo site, several times over under different names, and texts."""
    pages = [page for page in build_site() if page.raw and page.path.startswith("news/")]
    for number in range(4):
        for page in pages:
            path = folder / "site" / f"{number}" / page.path
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(page.raw.replace(b"</body>", b"<p>Copy number %d.</p></body>" % number))
    (folder / "page.html").write_bytes(pages[0].raw)
    with (folder / "texts.jsonl").open("w") as stream:
        for number, text in enumerate(_texts()):
            stream.write(json.dumps({"id": str(number), "text": text}) + "\n")


@contextmanager
def served(folder: Path) -> Iterator[str]:
    """A server of saved pages on 127.0.0.1, a page of links to all of them first."""
    files = sorted(str(path.relative_to(folder)) for path in folder.rglob("*.html"))
    home = "".join(f"<a href='/{name}'>{name}</a>" for name in files).encode()

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            name = self.path.lstrip("/")
            body = home if not name else (folder / name).read_bytes() if name in files else None
            self.send_response(404 if body is None else 200)
            self.send_header("Content-Type", "text/html; charset=utf-8")
            self.end_headers()
            with suppress(OSError):
                self.wfile.write(body or b"")

        def log_message(self, *_: Any) -> None:
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    Thread(target=server.serve_forever, daemon=True).start()
    try:
        yield f"http://127.0.0.1:{server.server_port}/"
    finally:
        server.shutdown()


def start(arguments: list[str], **more: Any) -> subprocess.Popen[str]:
    """A command of tamis in a session of its own."""
    command = [sys.executable, "-m", "tamis", *arguments, "-q"]
    return subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True, start_new_session=True, **more)


_FULL = r"(?:tamis: stopped after .*\n)?tamis: .*(?:space|large|room|full|write).*\n"
"""What a command says of a full disk."""


_READ_ONLY = r"tamis: .*(?:[Rr]ead-only file system|[Pp]ermission denied)\n"


def finish(arguments: list[str]) -> float:
    """Run a command to its end; seconds. Output that exists already was put in place before the command was killed, so it is compared."""
    began = time.monotonic()
    process = start(arguments)
    _, said = process.communicate(timeout=600)
    assert process.returncode == 0 or "exists already" in said, said
    return time.monotonic() - began


def kill(command: Command, source: Path, url: str, moments: int, rng: random.Random) -> Iterator[str]:
    """Findings of so many kills."""
    with tempfile.TemporaryDirectory() as folder:
        whole = Path(folder, "whole")
        whole.mkdir()
        arguments = command.arguments(source, whole, url)
        seconds = finish(arguments)
        expected = command.rows(whole)
        for moment in range(moments):
            output = Path(folder, str(moment))
            output.mkdir()
            arguments = command.arguments(source, output, url)
            process = start(arguments)
            after = rng.uniform(0.1, seconds)
            with suppress(subprocess.TimeoutExpired):
                process.wait(after)
            with suppress(ProcessLookupError):
                os.killpg(process.pid, signal.SIGKILL)
            process.communicate()
            try:
                if process.returncode != 0:
                    finish(arguments)
                if command.rows(output) != expected:
                    yield f"rows differ after a kill at {after:.2f} s"
            except Exception as error:
                yield f"after a kill at {after:.2f} s: {error!r}"
            shutil.rmtree(output)


@contextmanager
def small_disk(folder: Path, size: int) -> Iterator[Callable[[str], None] | None]:
    """A file system of a size; the function mounts it again with another option. None: it cannot be mounted."""
    folder.mkdir()
    options = ["mount", "-t", "tmpfs", "-o", f"size={size}", "tmpfs", str(folder)]
    if shutil.which("mount") is None or subprocess.run(options, capture_output=True, check=False).returncode:
        yield None
        return
    try:
        yield lambda option: subprocess.run(["mount", "-o", f"remount,{option}", str(folder)], check=True) and None
    finally:
        subprocess.run(["umount", "--lazy", str(folder)], check=True)


def full(command: Command, source: Path, url: str, moments: int, rng: random.Random) -> Iterator[str]:
    """Findings on disks that are too small."""
    with tempfile.TemporaryDirectory() as folder:
        whole = Path(folder, "whole")
        whole.mkdir()
        finish(command.arguments(source, whole, url))
        expected = command.rows(whole)
        used = sum(path.stat().st_blocks * 512 for path in whole.rglob("*"))
        for moment in range(moments):
            output = Path(folder, str(moment))
            size = (used * (moment + 1) // (moments + 1)) // 4096 * 4096 + 4096
            with small_disk(output, size) as remount:
                arguments = command.arguments(source, output, url)
                limit = None if remount else lambda size=size: resource.setrlimit(resource.RLIMIT_FSIZE, (size // 4, size // 4))
                process = start(arguments, preexec_fn=limit)
                _, said = process.communicate(timeout=600)
                if process.returncode not in (0, 1) or (process.returncode and not re.fullmatch(_FULL, said)):
                    yield f"with {size} bytes: exit code {process.returncode}, {said[-300:]!r}"
                if remount:
                    remount(f"size={1 << 30}")
                try:
                    if process.returncode:
                        finish(arguments)
                    if command.rows(output) != expected:
                        yield f"rows differ after a disk of {size} bytes (exit code {process.returncode})"
                except Exception as error:
                    yield f"after a disk of {size} bytes: {error!r}"


def readonly(command: Command, source: Path, url: str, moments: int, rng: random.Random) -> Iterator[str]:
    """Findings on a disk that cannot be written, once."""
    with tempfile.TemporaryDirectory() as folder:
        whole, output = Path(folder, "whole"), Path(folder, "output")
        whole.mkdir()
        finish(command.arguments(source, whole, url))
        with small_disk(output, 1 << 30) as remount:
            remount("ro") if remount else output.chmod(0o500)
            process = start(arguments := command.arguments(source, output, url))
            _, said = process.communicate(timeout=600)
            if process.returncode != 1 or not re.fullmatch(_READ_ONLY, said):
                yield f"exit code {process.returncode}, {said[-300:]!r}"
            remount("rw") if remount else output.chmod(0o700)
            finish(arguments)
            if command.rows(output) != command.rows(whole):
                yield "rows differ"


def main() -> int:
    """Interrupt."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("how", choices=("kill", "full", "readonly"))
    parser.add_argument("--moments", type=int, default=10)
    parser.add_argument("--commands", nargs="*", default=list(COMMANDS))
    parser.add_argument("--seed", type=int, default=0)
    options = parser.parse_args()
    rng = random.Random(options.seed)
    found = 0
    with tempfile.TemporaryDirectory() as folder:
        source = Path(folder)
        write_input(source)
        with served(source / "site") as url:
            for name in options.commands:
                attack = {"kill": kill, "full": full, "readonly": readonly}[options.how]
                findings = list(attack(COMMANDS[name], source, url, options.moments, rng))
                found += len(findings)
                print(
                    f"{name}: {1 if options.how == 'readonly' else options.moments} times, {len(findings)} findings",
                    *findings,
                    sep="\n  ",
                    flush=True,
                )
    return int(bool(found))


if __name__ == "__main__":
    sys.exit(main())
