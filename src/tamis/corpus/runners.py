"""Runners do the tasks of a stage in parallel, on this machine or on a Ray cluster."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator, Sequence
from concurrent.futures import as_completed
from functools import cache, partial
from typing import Any

from tamis.corpus.tables import arrow
from tamis.corpus.tasks import Manifest, Task, TaskStore
from tamis.corpus.workers import Ended, Loss, Note, Worker, WorkerPool
from tamis.errors import CorpusError, needs_extra

PRELOADED = ("tamis.corpus.cleaning", "tamis.corpus.deduplication", "pyarrow.parquet")
"""Modules that every child has when it starts."""
MOST_LOST = 1000  #: pages that one task may lose. More losses have another cause.


class TaskWorker(Worker):
    """A child process that does tasks. If a page kills the child or takes too long, the task is repeated without this page.

    ``root``: folder of the task store; ``page_seconds``, ``memory``: time limit for a page, and address space (bytes; 0: no limit).
    """

    def __init__(self, root: str, page_seconds: float, memory: int = 0) -> None:
        super().__init__(partial(_run_task, root), page_seconds, memory, PRELOADED)

    def run(self, task: Task) -> Manifest:
        """Do a task. Raises CorpusError if it fails by itself, or too often."""
        answer = self.ask(task, MOST_LOST)
        if isinstance(answer, Ended):
            raise CorpusError(f"{task.name} failed: {answer.loss.reason}")
        manifest: Manifest = answer
        return manifest


class _NoPandas:
    """Hides pandas in a child: pyarrow would load it to check whether a list is a series, at 0.4 seconds and 40 MB a child."""

    @staticmethod
    def find_spec(name: str, *_: object) -> None:
        if name == "pandas":
            raise ModuleNotFoundError(name)


def _run_task(root: str, message: tuple[Task, dict[int, Loss]], note: Note) -> Manifest:
    """Runs in the child."""
    if _NoPandas not in sys.meta_path:
        sys.meta_path.insert(0, _NoPandas)
        arrow().set_cpu_count(1)  # each child has one processor
    task, lost = message
    try:
        return TaskStore(root).run(task, {position: loss.reason for position, loss in lost.items()}, note)
    except CorpusError:
        raise
    except Exception as error:
        raise CorpusError(f"{task.name} failed: {type(error).__name__}: {error}") from None


class LocalRunner:
    """Runs tasks in child processes of this one. Arguments as for :class:`TaskWorker`."""

    def __init__(self, root: str, workers: int, page_seconds: float, memory: int = 0) -> None:
        self._pool = WorkerPool([TaskWorker(root, page_seconds, memory) for _ in range(workers)])

    def run(self, tasks: Sequence[Task]) -> Iterator[Manifest]:
        """Do all tasks in parallel; their manifests as they are done, in any order. Raises CorpusError if one fails; others may be done."""
        futures = [self._pool.submit(TaskWorker.run, task) for task in tasks]
        try:
            for future in as_completed(futures):
                yield future.result()
        finally:
            for future in futures:
                future.cancel()

    def close(self) -> None:
        """Kill all children. The next run repeats their tasks."""
        self._pool.close()


class RayRunner:
    """Runs tasks on a Ray cluster whose machines all see the folder of the corpus. Raises MissingExtraError if Ray is not installed.

    ``root``, ``page_seconds``, ``memory`` as for :class:`TaskWorker`; ``address``: of the cluster (None: ``RAY_ADDRESS``, else a cluster on
    this machine that ends with the run); ``workers``: processors of a cluster on this machine, None: all.
    """

    def __init__(self, root: str, page_seconds: float, memory: int = 0, address: str | None = None, workers: int | None = None) -> None:
        os.environ.setdefault("RAY_USAGE_STATS_ENABLED", "0")  # nothing is sent anywhere
        with needs_extra("the Ray runner", "ray"):
            import ray
        self._ray: Any = ray
        self._mine = not self._ray.is_initialized()
        if self._mine:
            address = address or os.environ.get("RAY_ADDRESS", "local")
            options = {"num_cpus": workers, "include_dashboard": False} if address == "local" else {}
            self._ray.init(address, log_to_driver=False, logging_level="ERROR", **options)
        self._remote = self._ray.remote(num_cpus=1, max_retries=3)(_run_in_worker)
        self._arguments = (root, page_seconds, memory)

    def run(self, tasks: Sequence[Task]) -> Iterator[Manifest]:
        """Do what :meth:`LocalRunner.run` does. Workers of the cluster watch child processes that do the tasks; Ray replaces dead ones."""
        waiting = list(reversed(tasks))
        under_way: list[Any] = []
        while waiting or under_way:
            most = 4 * max(1, int(self._ray.cluster_resources().get("CPU", 1)))  # nodes come and go
            while waiting and len(under_way) < most:
                under_way.append(self._remote.remote(waiting.pop(), *self._arguments))
            done, under_way = self._ray.wait(under_way)
            for reference in done:
                try:
                    yield self._ray.get(reference)
                except self._ray.exceptions.RayTaskError as error:
                    raise error.cause if isinstance(error.cause, CorpusError) else CorpusError(str(error.cause)) from error
                except self._ray.exceptions.RayError as error:
                    raise CorpusError(f"the Ray cluster lost a task: {error}") from error

    def close(self) -> None:
        """Leave the cluster; end it if it was started here."""
        if self._mine:
            self._ray.shutdown()


Runner = LocalRunner | RayRunner


_worker = cache(TaskWorker)
"""The watched process of this worker of the cluster. It is kept for further tasks, and ends with the worker."""


def _run_in_worker(task: Task, root: str, page_seconds: float, memory: int) -> Manifest:
    return _worker(root, page_seconds, memory).run(task)
