"""A tool in its own process, asked page by page, so that its crashes, hangs and memory do not affect the benchmark."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from threading import Timer
from types import TracebackType
from typing import Any, Literal

from benchmarks.choosing import chosen
from benchmarks.peers import BY_NAME, Peer

Form = Literal["str", "bytes"]
WORKER = Path(__file__).with_name("worker.py")
START_TIMEOUT = 120.0  #: Seconds that a tool may take to be imported.


@dataclass(frozen=True, slots=True)
class Answer:
    """The result of a tool on a page."""

    text: str
    seconds: float  #: Time of the tool's call alone, measured in its process.
    error: str | None  #: What it raised, or how its process ended.


@dataclass(frozen=True, slots=True)
class Standing:
    """Whether and how a tool runs here."""

    peer: Peer
    version: str | None
    python: str | None  #: Version of the Python that runs it.
    reason: str | None  #: Why it cannot run; None where it can.


class ToolProcess:
    """The process of one tool. It is restarted after a crash or a page that took too long."""

    def __init__(self, peer: Peer, *, pythons: Sequence[str] = (sys.executable,), timeout: float = 60.0) -> None:
        """Start the tool with the first of ``pythons`` that can import it; ``timeout``: seconds that one page may take."""
        self.peer = peer
        self.timeout = timeout
        self.peak_memory: int | None = None  #: Most resident memory that the process had, in bytes.
        self.idle_memory: int | None = None  #: Resident memory after the import, before the first page, in bytes.
        self._process: subprocess.Popen[bytes] | None = None
        reasons = []
        for python in pythons:
            self._python = python
            head = self._start()
            if head.get("ready"):
                self.idle_memory = head["resident"]
                self.standing = Standing(peer, head["version"], head["python"], None)
                return
            reasons.append(str(head.get("reason")))
        self.standing = Standing(peer, None, None, "; ".join(dict.fromkeys([*reasons, *([peer.remark] if peer.remark else [])])))

    def __enter__(self) -> ToolProcess:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        self.close()

    @property
    def runs(self) -> bool:
        """Whether the tool could be loaded."""
        return self.standing.reason is None

    def ask(self, page: str | bytes, *, want_text: bool = True) -> Answer:
        """Give the tool a page. Never raises for what the tool does."""
        if self._process is None and not (head := self._start()).get("ready"):
            return Answer("", 0.0, f"could not be started again: {head.get('reason')}")
        form: Form = "str" if isinstance(page, str) else "bytes"
        body = page.encode("utf-8", "surrogatepass") if isinstance(page, str) else page
        head, text = self._exchange({"form": form, "size": len(body), "want_text": want_text}, body, self.timeout)
        if "seconds" not in head:
            return Answer("", 0.0, head["reason"])
        self.peak_memory = max(self.peak_memory or 0, head["peak"] or 0) or None
        return Answer(text.decode("utf-8", "surrogatepass"), head["seconds"], head["error"])

    def close(self) -> None:
        """End the process."""
        process, self._process = self._process, None
        if process is None:
            return
        if process.stdin is not None:
            with suppress(OSError):
                process.stdin.close()
        try:
            process.wait(5)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()
        if process.stdout is not None:
            process.stdout.close()

    def _start(self) -> dict[str, Any]:
        command = [self._python, "-P", "-W", "ignore", str(WORKER), self.peer.name]
        try:
            self._process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
        except OSError as error:
            return {"ready": False, "reason": f"cannot run {self._python}: {error.strerror or error}"}
        head, _ = self._exchange(None, b"", START_TIMEOUT)
        if not head.get("ready"):
            self.close()
        return head

    def _exchange(self, request: dict[str, Any] | None, body: bytes, timeout: float) -> tuple[dict[str, Any], bytes]:
        """Send a request (None: only listen) and read the answer; a process that is too slow is ended, as one that crashed."""
        process = self._process
        if process is None or process.stdin is None or process.stdout is None:
            return {"reason": "the process has no pipes"}, b""
        late: list[bool] = []

        def end() -> None:
            late.append(True)
            process.kill()

        timer = Timer(timeout, end)
        timer.start()
        try:
            if request is not None:
                process.stdin.write(json.dumps(request).encode() + b"\n" + body)
                process.stdin.flush()
            line = process.stdout.readline()
            head: dict[str, Any] = json.loads(line) if line.endswith(b"\n") else {}
            text = process.stdout.read(head.get("size", 0))
            if head and len(text) == head.get("size", 0):
                return head, text
        except (BrokenPipeError, json.JSONDecodeError):
            pass
        finally:
            timer.cancel()
        process.kill()
        code = process.wait()
        self.close()
        return {"reason": f"no answer within {timeout:g} s" if late else f"the process ended (exit code {code})"}, b""


def choose(names: Sequence[str] | None) -> tuple[Peer, ...]:
    """The peers of these names; all for None.

    Raises:
        UsageError: there is no such peer.
    """
    return tuple(BY_NAME[name] for name in chosen("peer", names, BY_NAME))
