"""A function over many items in parallel processes, of which none can stop the run.

A parser in C may crash its process, and a page may take for ever. The standard library's pool is lost for good with the first
crash and cannot end a task that hangs. pebble's ``ProcessPool`` knows which task a worker is at, ends a worker whose task has
taken too long, and replaces it; it is small, old and maintained. What it does not survive, a worker that dies between two tasks or in the
middle of a message, is noticed here by the standstill, and the pool is made anew.

Items travel in small batches, since a message costs as much as a short page. A batch that fails is tried again item by item, so that
only the guilty one is lost; a batch that has become slow gives back what it has.
"""

from __future__ import annotations

import multiprocessing
import signal
import threading
import time
import weakref
from collections import deque
from collections.abc import Callable, Generator, Iterable, Iterator
from concurrent.futures import FIRST_COMPLETED, Future, wait
from concurrent.futures.process import BrokenProcessPool
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from itertools import islice
from typing import TYPE_CHECKING, Any, Generic, Literal, TypeVar

from pebble import ProcessExpired, ProcessPool

from tamis.errors import TamisError

if TYPE_CHECKING:
    from multiprocessing.context import BaseContext
    from multiprocessing.process import BaseProcess

T = TypeVar("T")
R = TypeVar("R")

WINDOW = 16
"""Batches on their way, per worker: enough to keep all busy while one hangs, few enough for flat memory."""
_GRACE = 30.0
"""Seconds beyond the time limit without any result after which the pool is made anew."""
_LOOK = 0.25
"""Seconds between two looks at whether the pool stands still."""
_MOST_RENEWALS = 3
"""How often the pool is made anew without any result in between."""
_MOST_STUCK = 2
_PATIENCE = 0.1
"""A batch gives back what it has after this share of the time limit."""


@dataclass(frozen=True, slots=True)
class Loss:
    """How an item was lost together with its worker."""

    kind: Literal["time limit", "crash"]
    reason: str


def in_workers(
    function: Callable[[T], R],
    items: Iterable[T],
    rescue: Callable[[T, Loss], R],
    *,
    workers: int,
    time_limit: float,
    batch: int = 8,
    ordered: bool = True,
) -> Generator[R, None, None]:
    """Apply a function to every item in worker processes; one result for each item.

    Args:
        function: importable by name; what it raises counts as a crash.
        items: taken as they are needed, a bounded number ahead of the results.
        rescue: gives the result for an item that was lost.
        workers: number of processes, at least 1.
        time_limit: seconds for one item.
        batch: items in one message.
        ordered: results in the order of the items; otherwise as they come.

    Raises:
        TamisError: worker processes cannot start.
    """
    waiting = iter(items)
    crew = _Crew(function, workers, time_limit)
    try:
        crew.start()
        more = True
        while more or crew.jobs:
            if more and len(crew.jobs) < WINDOW * workers and not crew.first_is_done():
                share = tuple(islice(waiting, batch))
                more = bool(share)
                if share:
                    crew.jobs.append(crew.job(share))
            else:
                yield from crew.settle(crew.next_done(ordered), rescue)
    finally:
        crew.stop()


@dataclass(slots=True, eq=False)
class _Job(Generic[T, R]):
    """Items on their way."""

    items: tuple[T, ...]
    future: Future[list[R]]
    stuck: int = 0
    """How often the pool stood still while a worker was at them."""


class _Crew(Generic[T, R]):
    """The worker processes, and the jobs on their way through them."""

    def __init__(self, function: Callable[[T], R], workers: int, time_limit: float) -> None:
        self.jobs: deque[_Job[T, R]] = deque()
        self._assignment = (function, time_limit * _PATIENCE)
        self._workers = workers
        self._limit = time_limit
        self._renewals = 0
        self._new_pool()

    def _new_pool(self) -> None:
        self._processes = _Processes()
        self._pool = ProcessPool(max_workers=self._workers, context=self._processes, initializer=_assign, initargs=self._assignment)

    def start(self) -> None:
        """Start the workers. An interruption waits that long: workers that are half made can only be ended with noise."""
        with _deaf_to_interruption():
            self._processes.prepare()
            self._pool.active  # noqa: B018  # starts what has not started

    def job(self, items: tuple[T, ...]) -> _Job[T, R]:
        """Send items on their way."""
        return _Job(items, self._send(items))

    def _send(self, items: tuple[T, ...]) -> Future[list[R]]:
        # The last item of a batch may start just before the batch gives up, and has its full time then.
        limit = self._limit if len(items) == 1 else self._limit * (1 + _PATIENCE)
        while True:
            try:
                return self._pool.schedule(_work, args=(items,), timeout=limit)
            except RuntimeError:  # the pool has broken since
                self._renew()

    def first_is_done(self) -> bool:
        """Whether the job that was taken first has ended."""
        return bool(self.jobs) and self.jobs[0].future.done()

    def next_done(self, ordered: bool) -> _Job[T, R]:
        """Take the next finished job out of the queue; the pool is made anew when it stands still."""
        last_change, last_done = time.monotonic(), -1
        while True:
            wait([self.jobs[0].future] if ordered else [job.future for job in self.jobs], timeout=_LOOK, return_when=FIRST_COMPLETED)
            first = self.jobs[0] if ordered else next((job for job in self.jobs if job.future.done()), self.jobs[0])
            if first.future.done() and not isinstance(first.future.exception(), BrokenProcessPool):
                self.jobs.remove(first)
                return first
            done = sum(job.future.done() for job in self.jobs)
            if done != last_done and not first.future.done():
                last_change, last_done = time.monotonic(), done
            elif first.future.done() or not self._pool.active or time.monotonic() - last_change > self._limit * (1 + _PATIENCE) + _GRACE:
                self._renew()
                last_change = time.monotonic()

    def settle(self, job: _Job[T, R], rescue: Callable[[T, Loss], R]) -> list[R]:
        """The results of a finished job; items that need another go are sent again, ahead of all others."""
        loss = _loss(job.future.exception(), self._limit)
        if loss is not None and len(job.items) == 1:
            return [rescue(job.items[0], loss)]
        if loss is not None:
            self.jobs.extendleft([self.job((item,)) for item in reversed(job.items)])
            return []
        self._renewals = 0
        results = job.future.result()
        if rest := job.items[len(results) :]:
            self.jobs.appendleft(self.job(rest))
        return results

    def _renew(self) -> None:
        """A new pool, and all work that the old one has not finished for it."""
        self._renewals += 1
        if self._renewals > _MOST_RENEWALS:
            raise TamisError(
                "worker processes do not start or die at once; in a script of your own, the code that starts them belongs "
                "under: if __name__ == '__main__'"
            )
        open_jobs = [job for job in self.jobs if not job.future.done() or isinstance(job.future.exception(), BrokenProcessPool)]
        for job in open_jobs:
            job.stuck += job.future.running()
        self.stop()
        self._new_pool()
        self.start()
        for job in open_jobs:
            if job.stuck < _MOST_STUCK:
                job.future = self._send(job.items)
            else:
                job.stuck, job.future = 0, Future()
                job.future.set_exception(TamisError("the workers stood still over it"))

    def stop(self) -> None:
        """End the workers, whatever they are at. The pool's threads may be stuck with them, so they are not waited for without end."""
        pool = self._pool

        def end() -> None:
            with suppress(OSError, EOFError):
                pool.join()

        pool.stop()  # type: ignore[no-untyped-call]
        self._processes.kill()
        ending = threading.Thread(target=end, daemon=True)
        ending.start()
        ending.join(timeout=15)


_ASSIGNMENT: list[Any] = []
"""In a worker: the function, and the seconds after which a batch gives back what it has. Sent once: settings can be large."""


def _assign(function: Callable[[Any], Any], patience: float) -> None:
    """Runs in the worker, first."""
    _ASSIGNMENT[:] = function, patience


def _work(items: tuple[Any, ...]) -> list[Any]:
    """Runs in the worker: the results of the first items, of all unless it takes long."""
    function, patience = _ASSIGNMENT
    start = time.monotonic()
    results: list[Any] = []
    for item in items:
        results.append(function(item))
        if time.monotonic() - start > patience:
            break
    return results


def _loss(error: BaseException | None, limit: float) -> Loss | None:
    if error is None:
        return None
    if isinstance(error, TimeoutError):
        return Loss("time limit", f"took longer than the limit of {limit:g} seconds")
    if isinstance(error, ProcessExpired):
        code = error.exitcode
        how = _signal_name(-code) if code is not None and code < 0 else f"exit code {code}"
        return Loss("crash", f"the worker process died ({how})")
    return Loss("crash", f"{type(error).__name__}: {error}")


def _signal_name(number: int) -> str:
    try:
        return signal.Signals(number).name
    except ValueError:
        return f"signal {number}"


class _Processes:
    """How pebble starts processes, in place of the module ``multiprocessing``; all can be ended at once.

    They come from a server that has loaded tamis once, where the system has such servers, and are never a fork of this process, which
    has threads.
    """

    def __init__(self) -> None:
        self._context = process_context()
        self._started: weakref.WeakSet[BaseProcess] = weakref.WeakSet()
        self._closed = False

    def prepare(self) -> None:
        """Start the server."""
        if self._context.get_start_method() == "forkserver":
            from multiprocessing import forkserver, resource_tracker

            # Ctrl-C reaches every process of a terminal. This one ends the others; they need not hear of it, and complain.
            resource_tracker.ensure_running()  # which would undo the deafness, were it started by the server
            with _deaf_to_interruption():
                forkserver.ensure_running()

    def __getattr__(self, name: str) -> Any:
        return getattr(self._context, name)

    def Process(self, *args: Any, **options: Any) -> BaseProcess:  # noqa: N802  # as multiprocessing calls it
        """A new process, not started."""
        if self._closed:
            raise OSError("the workers have been ended")
        process: BaseProcess = self._context.Process(*args, **options)  # type: ignore[attr-defined]
        self._started.add(process)
        return process

    def kill(self) -> None:
        """End all processes, also those that are about to start and would complain on standard error that this process is done."""
        self._closed = True
        for process in self._started:
            with suppress(OSError, ValueError, AttributeError):  # not started, or gone
                process.kill()


def process_context() -> BaseContext:
    """How processes are started: by a server that has loaded tamis once, where the system has such servers."""
    if "forkserver" not in multiprocessing.get_all_start_methods():
        return multiprocessing.get_context("spawn")
    context = multiprocessing.get_context("forkserver")
    context.set_forkserver_preload(["__main__", "tamis.corpus.batch", "tamis.site.extraction"])
    return context


@contextmanager
def _deaf_to_interruption() -> Iterator[None]:
    """Ctrl-C is held back, in this process until the end, in processes that are started here for good."""
    if threading.current_thread() is not threading.main_thread() or not callable(before := signal.getsignal(signal.SIGINT)):
        yield  # only the main thread is interrupted
        return
    heard: list[int] = []
    signal.signal(signal.SIGINT, lambda number, frame: heard.append(number))
    # The mask is for the new processes: this one has threads of libraries that hear in spite of it.
    mask = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT}) if hasattr(signal, "pthread_sigmask") else None
    try:
        yield
    finally:
        if mask is not None:
            signal.pthread_sigmask(signal.SIG_SETMASK, mask)
        signal.signal(signal.SIGINT, before)
    if heard:
        signal.raise_signal(signal.SIGINT)
