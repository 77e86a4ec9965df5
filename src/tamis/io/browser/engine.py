"""Chromium and Playwright in a thread of their own.

Playwright's sync API belongs to one thread without an event loop, and a hanging page blocks it forever. So one thread does one job after
the other; if a job takes too long, Chromium is killed and the job fails.
"""

from __future__ import annotations

import contextlib
import os
import queue
import signal
import threading
from collections.abc import Callable
from concurrent.futures import Future
from functools import partial
from typing import TYPE_CHECKING, Any, TypeVar

from tamis.errors import RenderError, needs_extra
from tamis.io.browser.settings import ADVICE, BrowserSettings, find_chromium

if TYPE_CHECKING:
    from playwright.sync_api import Browser as Chromium

Result = TypeVar("Result")
_Job = tuple[Callable[["Chromium"], Any], "Future[Any]"]

FLAGS = (
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--webrtc-ip-handling-policy=disable_non_proxied_udp",
    "--force-webrtc-ip-handling-policy",
    "--proxy-bypass-list=<-loopback>",
    "--host-resolver-rules=MAP * ~NOTFOUND , EXCLUDE 127.0.0.1",
)
"""Chromium starts without what pages do not need, and can reach the network through the gate only."""
SECONDS_TO_START = 60.0
SECONDS_TO_END = 20.0


class Engine:
    """A running Chromium. ``port``: of the gate. Raises MissingExtraError without Playwright, RenderError if Chromium does not start."""

    def __init__(self, settings: BrowserSettings, port: int) -> None:
        with needs_extra("rendering pages", "browser"):
            import playwright.sync_api  # noqa: F401  # so that it is missed here, not in the thread
        as_root = getattr(os, "geteuid", lambda: 1)() == 0  # root has no sandbox
        self._options: dict[str, Any] = {
            "headless": True,
            "executable_path": find_chromium(settings.executable),
            "chromium_sandbox": settings.sandbox if settings.sandbox is not None else not as_root,
            "args": [*FLAGS, f"--proxy-server=http://127.0.0.1:{port}"],
            "ignore_default_args": ["--disable-popup-blocking"],
            "handle_sigint": False,
            "timeout": SECONDS_TO_START * 1000,
        }
        self._jobs: queue.SimpleQueue[_Job | None] = queue.SimpleQueue()
        self._started: Future[int] = Future()
        self._is_over = threading.Event()
        self._thread = threading.Thread(target=self._work, name="tamis-browser", daemon=True)
        self._thread.start()
        try:
            self.pid: int = self._started.result(SECONDS_TO_START)
            """Of Chromium's first process."""
        except TimeoutError as error:
            raise RenderError(f"Chromium did not start within {SECONDS_TO_START:g} seconds") from error

    @property
    def is_alive(self) -> bool:
        """It takes jobs."""
        return self._thread.is_alive() and not self._is_over.is_set()

    def do(self, job: Callable[[Chromium], Result], seconds: float) -> Result:
        """Do a job in the browser's thread. Raises TimeoutError if it took too long; Chromium was killed then."""
        future: Future[Result] = Future()
        self._jobs.put((job, future))
        try:
            return future.result(seconds)
        except BaseException:  # a timeout, or an interruption of this thread
            if not future.done():
                self.kill()
            raise

    def forget(self) -> None:
        """Close the contexts of visited pages, or kill Chromium if that fails."""
        if self.is_alive:
            with contextlib.suppress(Exception):
                self.do(_close_contexts, SECONDS_TO_END)

    def close(self) -> None:
        """End Chromium and the thread."""
        self._jobs.put(None)
        self._thread.join(SECONDS_TO_END)
        if self._thread.is_alive():
            self.kill()

    def kill(self) -> None:
        """End both at once. Whatever the thread is waiting for fails, so it ends, too."""
        self._is_over.set()
        self._jobs.put(None)
        with contextlib.suppress(ProcessLookupError):
            os.kill(self.pid, signal.SIGKILL)
        self._thread.join(SECONDS_TO_END)

    def _do(self, task: _Job, chromium: Chromium) -> None:
        """Do a job. If Chromium ended in it, that is set before the result is."""
        job, future = task
        done: Callable[[], None]
        try:
            done = partial(future.set_result, job(chromium))
        except BaseException as error:
            done = partial(future.set_exception, error)
        if not chromium.is_connected():
            self._is_over.set()
        done()

    def _work(self) -> None:
        from playwright.sync_api import Error, sync_playwright

        try:
            with sync_playwright() as playwright:
                chromium = playwright.chromium.launch(**self._options)
                self._started.set_result(_pid(chromium))
                while not self._is_over.is_set() and (task := self._jobs.get()) is not None:
                    self._do(task, chromium)
                with contextlib.suppress(Error):
                    chromium.close()
        except Exception as error:
            if not self._started.done():
                self._started.set_exception(_why_not_started(error))
        finally:
            self._is_over.set()


def _close_contexts(chromium: Chromium) -> None:
    for context in chromium.contexts:
        context.close()


def _pid(chromium: Chromium) -> int:
    """Chromium's first process; all others end when it does."""
    session = chromium.new_browser_cdp_session()
    processes = session.send("SystemInfo.getProcessInfo")["processInfo"]
    session.detach()
    return next(int(process["id"]) for process in processes if process["type"] == "browser")


def _why_not_started(error: Exception) -> RenderError:
    """Return why Chromium did not start, in a sentence."""
    said = str(error)
    if "Executable doesn't exist" in said or "is not found" in said:
        return RenderError(ADVICE)
    if "sandbox" in said.lower() and "no usable" in said.lower():
        return RenderError(
            "Chromium has no sandbox here; where only pages that you trust are rendered, BrowserSettings(sandbox=False) does without"
        )
    return RenderError(f"Chromium does not start: {said.splitlines()[0] if said else type(error).__name__}")
