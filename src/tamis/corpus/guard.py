"""A task in a child process that can be ended: a page that crashes the parser or never ends costs itself and nothing else.

The child notes the page it is on in memory that it shares with this process. When it dies, or stays on a page too long and is ended, that
page is written down as lost and the task is done again without it. The child lives on from task to task.
"""

from __future__ import annotations

import os
import signal
import threading
import time
from collections.abc import Mapping
from multiprocessing.connection import Connection, wait
from typing import TYPE_CHECKING, Any

from tamis.corpus.tasks import NOBODY, Lost, Manifest, Task, TaskStore
from tamis.corpus.workers import process_context
from tamis.errors import CorpusError

if TYPE_CHECKING:
    from multiprocessing.process import BaseProcess

_LOOK = 0.2
"""Seconds between two looks at the page the child is on."""
PRELOADED = ("__main__", "tamis.corpus.reading", "tamis.corpus.slices", "pyarrow.parquet")
"""Modules that a child has when it starts, shared with all others."""
MOST_LOST = 1000
"""Pages that one task may lose: with more, something else is wrong."""
MOST_BLAMELESS = 3
"""Deaths of a child that no page is to blame for, before the task is given up."""


class Guard:
    """One child process and the watch over it. Not for several threads at once.

    Args:
        root: folder of the task store.
        page_seconds: time that one page may take.
        memory: bytes of address space that the child may use; 0: any number.
    """

    def __init__(self, root: str, page_seconds: float, memory: int = 0) -> None:
        self._root = root
        self._seconds = page_seconds
        self._memory = memory
        self._child: BaseProcess | None = None
        self._pipe: Connection | None = None
        self._spot: Any = None

    def run(self, task: Task) -> Manifest:
        """Do a task, losing pages where it must.

        Raises:
            CorpusError: the task fails by itself, or too often.
        """
        lost: dict[int, Lost] = {}
        blameless = 0
        while True:
            answer = self._attempt(task, lost)
            if isinstance(answer, Manifest):
                return answer
            if isinstance(answer, BaseException):
                raise answer
            page, reason = answer
            if page == NOBODY or page in lost:
                blameless += 1
            else:
                lost[page] = Lost(task.stage, reason)
            if blameless >= MOST_BLAMELESS or len(lost) > MOST_LOST:
                raise CorpusError(f"{task.name} failed: {reason}")

    def close(self) -> None:
        """End the child."""
        child, self._child = self._child, None
        if child is not None and child.pid is not None:
            child.kill()
            child.join()
        if self._pipe is not None:
            self._pipe.close()

    def _attempt(self, task: Task, lost: Mapping[int, Lost]) -> Manifest | BaseException | tuple[int, str]:
        """One try: the manifest, the task's own error, or the page that was lost and why."""
        if self._child is None or not self._child.is_alive():
            self._start()
        assert self._child is not None and self._pipe is not None  # noqa: PT018  # for the type checker
        self._spot[0], self._spot[1] = NOBODY, 0
        self._pipe.send((task, dict(lost)))
        since, before = time.monotonic(), (NOBODY, 0)
        while True:
            ready = wait([self._pipe, self._child.sentinel], _LOOK)
            spot = (self._spot[0], self._spot[1])
            if self._pipe in ready:
                try:
                    answer: Manifest | BaseException = self._pipe.recv()
                except (EOFError, OSError):
                    return self._ended(spot[0], None)
                return answer
            if ready:
                return self._ended(spot[0], None)
            if spot != before:
                since, before = time.monotonic(), spot
            elif spot[0] != NOBODY and time.monotonic() - since > self._seconds:
                return self._ended(spot[0], f"it took more than {self._seconds:g} seconds")

    def _ended(self, page: int, reason: str | None) -> tuple[int, str]:
        """Clear away a child that is dead or shall be."""
        assert self._child is not None
        if reason is not None:
            self._child.kill()
        self._child.join(10)
        code = self._child.exitcode
        self.close()
        return page, reason or f"its process ended with {_words(code)}"

    def _start(self) -> None:
        self.close()
        context = process_context()
        if context.get_start_method() == "forkserver":
            context.set_forkserver_preload(list(PRELOADED))
        here, there = context.Pipe()
        self._spot = context.RawArray("q", [NOBODY, 0])  # without a lock: a child that is killed would keep it
        self._child = context.Process(  # type: ignore[attr-defined]
            target=_serve, args=(there, self._spot, self._root, self._memory), daemon=True
        )
        self._pipe = here
        self._child.start()
        there.close()


def _serve(pipe: Connection, spot: Any, root: str, memory: int) -> None:
    """The child: do tasks until the parent is gone."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    threading.Thread(target=_end_with_parent, daemon=True).start()
    if memory:
        _bound_memory(memory)
    store = TaskStore(root)
    notes = 0

    def note(page: int) -> None:
        nonlocal notes
        notes += 1
        spot[0], spot[1] = page, notes

    while True:
        try:
            task, lost = pipe.recv()
        except (EOFError, OSError):
            return
        try:
            answer: Any = store.run(task, lost, note)
        except CorpusError as error:
            answer = error
        except Exception as error:
            answer = CorpusError(f"{task.name} failed: {type(error).__name__}: {error}")
        pipe.send(answer)


def _end_with_parent() -> None:
    from multiprocessing import parent_process

    parent = parent_process()
    if parent is not None:
        wait([parent.sentinel])
        os._exit(1)


def _bound_memory(size: int) -> None:
    try:
        import resource
    except ImportError:  # not on this system
        return
    resource.setrlimit(resource.RLIMIT_AS, (size, size))


def _words(code: int | None) -> str:
    if code is not None and code < 0:
        try:
            return signal.Signals(-code).name
        except ValueError:
            return f"signal {-code}"
    return f"exit code {code}"
