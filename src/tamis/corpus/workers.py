"""Work in child processes, where an item that crashes its process or never ends is lost alone.

A child records its current item in memory that it shares with this process. An item that takes too long, or that a second child dies of, is
lost, and a new child does the rest. Children are kept from job to job.
"""

from __future__ import annotations

import multiprocessing
import os
import pickle
import signal
import sys
import threading
import time
from collections import deque
from collections.abc import Callable, Generator, Iterable, Iterator
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor
from concurrent.futures import wait as wait_for
from contextlib import closing, contextmanager, suppress
from dataclasses import dataclass
from functools import partial
from itertools import islice
from multiprocessing.connection import Connection, wait
from queue import SimpleQueue
from types import ModuleType
from typing import TYPE_CHECKING, Any, Generic, Literal, TypeVar

from tamis.errors import TamisError

if TYPE_CHECKING:
    from multiprocessing.context import BaseContext
    from multiprocessing.process import BaseProcess

T = TypeVar("T")
R = TypeVar("R")
Note = Callable[[int], None]

NOBODY = -1  #: noted if the child is working on no item
WINDOW = 16  #: batches submitted ahead, per worker: enough to keep all busy while one hangs, few enough for flat memory
MOST_BLAMELESS = 3  #: deaths of a child in a row without a current item, before the work is given up
PRELOADED = ("tamis.corpus.batch", "tamis.site.extraction")
GRACE = 0.5  #: seconds that a child may go on with work that nobody waits for: starting another one costs a part of that
_LOOK = 0.2  # seconds between two looks at the item that a child is on


@dataclass(frozen=True, slots=True)
class Loss:
    """Reason for the loss of an item."""

    kind: Literal["time limit", "crash"]
    reason: str


@dataclass(frozen=True, slots=True)
class Ended:
    """A child that died or was killed."""

    item: int  #: position of its current item, or :data:`NOBODY`
    loss: Loss


def processors() -> int:
    """Return processors that this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


class Worker:
    """A watched child process, for one thread at a time.

    Args:
        work: what the child does with a message, importable by name; calls its second argument with the position of each item.
        seconds: time limit for one item.
        memory: address space of the child, bytes; 0: no limit.
        preload: modules that every child has when it starts.
    """

    def __init__(self, work: Callable[[Any, Note], Any], seconds: float, memory: int = 0, preload: tuple[str, ...] = PRELOADED) -> None:
        self._work = work
        self._seconds = seconds
        self._memory = memory
        self.preload = preload
        self._process: BaseProcess | None = None
        self._pipe: Connection | None = None
        self._spot: Any = None
        self._closed = False

    def ask(self, message: Any, most: int, seconds: float | None = None, wanted: Callable[[], bool] = lambda: True) -> Any:
        """Return the result of the work on a message and what was lost (:class:`Loss` by position); the work leaves lost items out.

        It is repeated where a child ends. An item is lost if it takes too long, or ends a second child: the system may have ended the one
        before. :class:`Ended` if more than ``most`` items are lost, or none is to blame again and again. Raises what the work raises.

        ``seconds``: time limit for one item of this message; None: that of the child. ``wanted``: whether anybody waits for the result: if
        nobody does, the child is ended once it has worked for :data:`GRACE` seconds.
        """
        lost: dict[int, Loss] = {}
        suspects: set[int] = set()
        blameless = 0
        while isinstance(answer := self._ask_once((message, lost), seconds or self._seconds, wanted), Ended):
            if not wanted():
                break
            if answer.item == NOBODY or answer.item in lost:
                blameless += 1
            elif answer.loss.kind == "time limit" or answer.item in suspects:
                lost[answer.item] = answer.loss
            suspects.add(answer.item)
            if blameless >= MOST_BLAMELESS or len(lost) > most:
                break
        return answer

    def _ask_once(self, message: Any, seconds: float, wanted: Callable[[], bool]) -> Any:
        """Return the result of the work on a message, or :class:`Ended` if the child died."""
        if self._process is None or not self._process.is_alive():
            try:
                self._start()
            except (EOFError, OSError) as error:
                self._clear()
                return Ended(NOBODY, Loss("crash", f"a worker process did not start: {error}"))
        assert self._process is not None and self._pipe is not None  # noqa: PT018  # for the type checker
        self._spot[0], self._spot[1] = NOBODY, 0
        try:
            self._pipe.send(message)
        except OSError:  # it has died since
            return self._end(NOBODY, None)
        begun = since = time.monotonic()
        before = (NOBODY, 0)
        while True:
            ready = wait([self._pipe, self._process.sentinel], _LOOK)
            spot = (self._spot[0], self._spot[1])
            if self._pipe in ready:
                try:
                    done, answer = self._pipe.recv()
                except (EOFError, OSError):
                    return self._end(spot[0], None)
                if not done:
                    raise answer
                return answer
            if ready:
                return self._end(spot[0], None)
            if not wanted() and time.monotonic() - begun > GRACE:
                return self._end(spot[0], Loss("time limit", "nobody waits for it any more"))
            if spot != before:
                since, before = time.monotonic(), spot
            elif spot[0] != NOBODY and time.monotonic() - since > seconds:
                return self._end(spot[0], Loss("time limit", f"took longer than the limit of {seconds:g} seconds"))

    def close(self) -> None:
        """Kill the child; it is not started again."""
        self._closed = True
        self._clear()

    def _clear(self) -> None:
        process, self._process = self._process, None
        if process is not None and process.pid is not None:
            process.kill()
            process.join(10)
        if self._pipe is not None:
            self._pipe.close()

    def _end(self, item: int, loss: Loss | None) -> Ended:
        """Clear away a child that is dead, or kill it for a loss."""
        if (process := self._process) is None:  # closed meanwhile
            return Ended(NOBODY, Loss("crash", "the worker process was ended"))
        if loss is not None:
            process.kill()
        process.join(10)
        code = process.exitcode
        self._clear()
        return Ended(item, loss or Loss("crash", f"the worker process died ({_ending(code)})"))

    def _start(self) -> None:
        if self._closed:
            raise TamisError("the worker processes have been ended")
        self._clear()
        context = process_context(self.preload)
        here, there = context.Pipe()
        self._spot = context.RawArray("q", [NOBODY, 0])  # without a lock: a child that is killed would keep it
        arguments = (there, self._spot, self._work, self._memory)
        self._process = context.Process(target=_answer_messages, args=arguments, daemon=True)  # type: ignore[attr-defined]
        self._pipe = here
        with _main_hidden():
            self._process.start()
        there.close()


def _answer_messages(pipe: Connection, spot: Any, work: Callable[[Any, Note], Any], memory: int) -> None:
    """Runs in the child: answer messages until the parent is gone."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    threading.Thread(target=_end_worker_with_parent, daemon=True).start()
    if memory:
        with suppress(ImportError):  # not on this system
            import resource

            resource.setrlimit(resource.RLIMIT_AS, (memory, memory))
    notes = 0

    def note(item: int) -> None:
        nonlocal notes
        notes += 1
        spot[0], spot[1] = item, notes

    while True:
        try:
            message = pipe.recv()
        except (EOFError, OSError):
            return
        except Exception as error:
            pipe.send((False, TamisError(f"worker processes cannot load what they are sent: {error}. {_IMPORTABLE}")))
            continue
        try:
            answer = True, work(message, note)
        except Exception as error:
            answer = False, error
        pipe.send(answer)


_IMPORTABLE = "What is defined in a script or notebook itself must move into a module that both import; or pass workers=1"
_hiding = threading.Lock()


@contextmanager
def _main_hidden() -> Iterator[None]:
    """Hide the caller's main module while a process starts: it would import that module, and run a script without a guard again."""
    with _hiding:
        main = sys.modules["__main__"]
        sys.modules["__main__"] = ModuleType("__main__")
        try:
            yield
        finally:
            sys.modules["__main__"] = main


def _end_worker_with_parent() -> None:
    if (parent := multiprocessing.parent_process()) is not None:
        wait([parent.sentinel])
        os._exit(1)


def _ending(code: int | None) -> str:
    if code is not None and code < 0:
        with suppress(ValueError):
            return signal.Signals(-code).name
    return f"exit code {code}"


def process_context(preload: Iterable[str] = PRELOADED) -> BaseContext:
    """Return the way to start processes: by a server that has loaded tamis, if the system supports that."""
    if "forkserver" not in multiprocessing.get_all_start_methods():
        return multiprocessing.get_context("spawn")
    context = multiprocessing.get_context("forkserver")
    context.set_forkserver_preload(list(preload))
    return context


def start_server(preload: Iterable[str] = PRELOADED) -> None:
    """Start the server of processes. It ignores Ctrl-C, which reaches every process of a terminal: this process ends the others."""
    if process_context(preload).get_start_method() == "forkserver":
        from multiprocessing import forkserver, resource_tracker

        resource_tracker.ensure_running()  # which would undo the mask, were it started by the server
        mask = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
        try:
            forkserver.ensure_running()
        finally:
            signal.pthread_sigmask(signal.SIG_SETMASK, mask)


C = TypeVar("C", bound=Worker)


class WorkerPool(Generic[C]):
    """Children that work in parallel, each watched by a thread of this process."""

    def __init__(self, children: list[C]) -> None:
        start_server(children[0].preload)
        self._children = children
        self._free: SimpleQueue[C] = SimpleQueue()
        for child in children:
            self._free.put(child)
        self._threads = ThreadPoolExecutor(len(children), thread_name_prefix="tamis-worker")

    def submit(self, do: Callable[[C, T], R], what: T) -> Future[R]:
        """Have something done by the next free child."""

        def do_it() -> R:
            child = self._free.get()
            try:
                return do(child, what)
            finally:
                self._free.put(child)

        return self._threads.submit(do_it)

    def close(self) -> None:
        """Kill all children."""
        self._threads.shutdown(wait=False, cancel_futures=True)
        for child in self._children:
            with suppress(OSError, ValueError):
                child.close()


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
    """Apply a function to every item in worker processes; one result for each item. Raises TamisError if these cannot start.

    Args:
        function: importable by name; an exception counts as a crash.
        items: read a bounded number ahead of the results.
        rescue: makes the result of an item that was lost.
        workers: number of processes.
        time_limit: seconds for one item.
        batch: items in one message, since a message costs as much as a short page.
        ordered: whether results come in the order of the items.
    """
    waiting = iter(items)
    under_way: deque[Future[list[R]]] = deque()
    more = True
    with closing(WorkerPool([Worker(partial(_apply, function), time_limit) for _ in range(workers)])) as pool:
        while more or under_way:
            if more and len(under_way) < WINDOW * workers and not (under_way and under_way[0].done()):
                share = tuple(islice(waiting, batch))
                more = bool(share)
                if share:
                    under_way.append(pool.submit(partial(_do, rescue), share))
                continue
            done = under_way[0] if ordered else next(iter(wait_for(under_way, return_when=FIRST_COMPLETED).done))
            results = done.result()
            under_way.remove(done)
            yield from results


def _do(rescue: Callable[[T, Loss], R], child: Worker, items: tuple[T, ...]) -> list[R]:
    answer = child.ask(items, len(items))
    if isinstance(answer, Ended):
        raise TamisError(f"worker processes do not start, or die at once: {answer.loss.reason}. Pass workers=1 to work without them")
    return [rescue(item, one) if isinstance(one, Loss) else pickle.loads(one) for item, one in zip(items, answer, strict=True)]


def _apply(function: Callable[[Any], Any], message: tuple[tuple[Any, ...], dict[int, Loss]], note: Note) -> list[bytes | Loss]:
    """Runs in the child: the results of items, pickled one by one, so that only an item that cannot be pickled fails."""
    items, lost = message
    results: list[bytes | Loss] = []
    for position, item in enumerate(items):
        if position in lost:
            results.append(lost[position])
            continue
        note(position)
        try:
            results.append(pickle.dumps(function(item)))
        except Exception as error:
            results.append(Loss("crash", f"{type(error).__name__}: {error}"))
    note(NOBODY)
    return results
