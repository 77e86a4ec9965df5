"""Work in processes: a page that crashes or hangs costs its own request and nothing else."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Callable
from concurrent.futures.process import BrokenProcessPool
from contextlib import suppress
from typing import Any

from pebble import ProcessExpired, ProcessPool

from tamis.corpus.workers import process_context
from tamis.server.problems import Problem, problem_of
from tamis.server.settings import ServerSettings

_STOP_SECONDS = 5.0


class Workforce:
    """Worker processes with limits of time and memory, and a bounded queue."""

    def __init__(self, settings: ServerSettings) -> None:
        self._settings = settings
        self._pool: ProcessPool | None = None
        self.open = 0
        """Tasks that wait or run."""
        self.outcomes: dict[str, int] = {"done": 0, "failed": 0, "time-limit": 0, "worker-crash": 0, "busy": 0}
        """How tasks ended so far."""

    async def do(self, function: Callable[..., Any], *values: Any, seconds: float | None = None, patient: bool = False) -> Any:
        """Run an importable function in a worker process.

        Args:
            function: what to run.
            values: its arguments.
            seconds: time limit once it runs; None: that for one page.
            patient: the task is part of a request that was let in already, and may exceed the queue.

        Raises:
            Problem: the function raised, took too long or ended its process; or too many tasks are waiting.
        """
        if self.open >= self._settings.queue and not patient:
            self.outcomes["busy"] += 1
            raise Problem("busy", 503, f"{self.open} tasks are waiting or running: try again later")
        limit = seconds or self._settings.page_seconds
        self.open += 1
        try:
            answer = await self._answer(function, values, limit)
            self.outcomes["done"] += 1
            return answer
        except TimeoutError as error:
            self.outcomes["time-limit"] += 1
            raise Problem("time-limit", 504, f"the work took longer than the limit of {limit:g} seconds") from error
        except (ProcessExpired, BrokenProcessPool) as error:
            self.outcomes["worker-crash"] += 1
            raise Problem("worker-crash", 422, "the worker process died while it worked on this page") from error
        except asyncio.CancelledError:
            raise
        except Exception as error:
            self.outcomes["failed"] += 1
            raise problem_of(error) from error
        finally:
            self.open -= 1

    async def _answer(self, function: Callable[..., Any], values: tuple[Any, ...], limit: float) -> Any:
        for last in (False, True):
            try:
                return await asyncio.wrap_future(self._running().schedule(function, args=values, timeout=limit))
            except (RuntimeError, BrokenProcessPool) as error:  # the pool itself broke: once more with a new one
                if last or (type(error) is not RuntimeError and not isinstance(error, BrokenProcessPool)):
                    raise
                self.stop()
        raise AssertionError

    def _running(self) -> ProcessPool:
        if self._pool is None or not self._pool.active:
            self._pool = ProcessPool(
                max_workers=self._settings.workers, context=process_context(), initializer=begin, initargs=(self._settings.memory_mb,)
            )
        return self._pool

    def stop(self) -> None:
        """End the workers, whatever they are at."""
        pool, self._pool = self._pool, None
        if pool is None:
            return

        def end() -> None:
            with suppress(OSError, EOFError):
                pool.join()

        pool.stop()  # type: ignore[no-untyped-call]
        ending = threading.Thread(target=end, daemon=True)
        ending.start()
        ending.join(_STOP_SECONDS)


def begin(memory_mb: int) -> None:
    """Runs in a worker, first: bound its memory; leave Ctrl-C to the parent."""
    import signal

    signal.signal(signal.SIGINT, signal.SIG_IGN)
    if memory_mb:
        try:
            import resource
        except ImportError:  # not on this system
            return
        resource.setrlimit(resource.RLIMIT_AS, (memory_mb << 20, memory_mb << 20))
