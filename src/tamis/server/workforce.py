"""Work in processes: a page that crashes or hangs fails only its own request."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Callable
from typing import Any

from tamis.corpus.workers import NOBODY, PRELOADED, Ended, Note, Worker, WorkerPool
from tamis.server import ServerSettings
from tamis.server.problems import Problem, problem_of

_PRELOADED = (*PRELOADED, "tamis.server.work")


class Workforce:
    """Worker processes with limits of time and memory, and a bounded queue."""

    def __init__(self, settings: ServerSettings) -> None:
        self._settings = settings
        limits = settings.page_seconds, settings.memory_mb << 20
        self._pool = WorkerPool([Worker(_call, *limits, _PRELOADED) for _ in range(settings.workers)])
        # one browser, without the limit of memory: Chromium reserves much more than it uses
        self._browsing = WorkerPool([Worker(_call, settings.page_seconds, 0, _PRELOADED)]) if settings.browser else None
        self.open = 0  #: tasks that wait or run
        self.outcomes = dict.fromkeys(("done", "failed", "time-limit", "worker-crash", "busy", "abandoned"), 0)  #: ended tasks

    async def do(
        self, function: Callable[..., Any], *values: Any, seconds: float | None = None, patient: bool = False, browser: bool = False
    ) -> Any:
        """Run an importable function in a worker process, within ``seconds`` (None: the limit for one page).

        ``patient``: the task is part of an accepted request, and may exceed the queue. ``browser``: the function needs the browser. Raises
        :class:`Problem` if the function raised, took too long or ended its process, or if too many tasks are waiting.
        """
        pool = self._browsing if browser else self._pool
        if pool is None:
            raise Problem("forbidden", 403, "this service renders no pages: start it with --browser")
        if self.open >= self._settings.queue and not patient:
            self._fail("busy", 503, f"{self.open} tasks are waiting or running: try again later")
        limit = seconds or self._settings.page_seconds
        self.open += 1
        left = threading.Event()
        try:
            answer = await asyncio.wrap_future(
                pool.submit(lambda child, message: child.ask(message, 0, limit, lambda: not left.is_set()), (function, values))
            )
        except asyncio.CancelledError:  # the client has left: what waits is dropped, what runs is ended
            left.set()
            self.outcomes["abandoned"] += 1
            raise
        except Exception as error:
            self.outcomes["failed"] += 1
            raise problem_of(error) from error
        finally:
            self.open -= 1
        if isinstance(answer, Ended):
            if answer.loss.kind == "time limit":
                self._fail("time-limit", 504, f"the work took longer than the limit of {limit:g} seconds")
            if answer.item == NOBODY:
                self._fail("busy", 503, f"{answer.loss.reason} before it began: try again later")
            self._fail("worker-crash", 422, f"{answer.loss.reason} while it worked on this page")
        self.outcomes["done"] += 1
        return answer

    def _fail(self, outcome: str, status: int, detail: str) -> None:
        self.outcomes[outcome] += 1
        raise Problem(outcome, status, detail)

    def stop(self) -> None:
        """End the workers at once."""
        for pool in filter(None, (self._pool, self._browsing)):
            pool.close()


def _call(message: tuple[tuple[Callable[..., Any], tuple[Any, ...]], object], note: Note) -> Any:
    """Runs in the worker."""
    note(0)
    (function, values), _ = message
    return function(*values)
