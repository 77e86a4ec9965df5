"""Jobs: crawls and corpus runs in processes of their own, with progress and cancellation. Their state survives the service.

``python -m tamis.server.jobs`` runs one job: it reads its order from standard input, writes events, and ends when its input closes.
"""

from __future__ import annotations

import asyncio
import json
import os
import shutil
import signal
import sys
import threading
import uuid
from contextlib import suppress
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path
from typing import Any, Literal, get_args

from tamis.errors import TamisError
from tamis.io.plain import made
from tamis.server.problems import Problem
from tamis.server.sites import NAME, StoredSite, site_names, write_json

State = Literal["waiting", "running", "done", "failed", "cancelled", "interrupted"]
_OPEN = ("waiting", "running")
_PATIENCE = 5.0  # seconds in which a job must end after a request to end; killed, it can be resumed as well
MOST = 1_000  #: jobs that are remembered


@dataclass(slots=True)
class Job:
    """A job and its state."""

    id: str
    order: dict[str, Any]
    state: State = "waiting"
    progress: dict[str, Any] = field(default_factory=dict)  #: ``stage``, ``done``, ``total``
    result: dict[str, Any] | None = None
    detail: str | None = None  #: why it failed

    def shown(self) -> dict[str, Any]:
        """Return the job as the API shows it."""
        shown = asdict(self)
        order = shown.pop("order")
        return {**shown, "kind": order["kind"], "url": order.get("url")}


class Jobs:
    """All jobs of a state folder."""

    def __init__(self, root: Path, at_once: int) -> None:
        self._root = root
        self._turn = asyncio.Semaphore(at_once)
        self._tasks: dict[str, asyncio.Task[None]] = {}
        read = {path.name: read_job(path) for path in sorted((root / "jobs").glob("*.json"))}
        self.jobs = {job.id: job for job in read.values() if job is not None}
        self.damaged = [name for name, job in read.items() if job is None]  #: files of jobs that cannot be read
        for job in self.jobs.values():
            if job.state in _OPEN:  # the service ended before the job did
                job.state = "interrupted"
                self._save(job)

    def get(self, id: str) -> Job:
        """Return one job. Raises :class:`Problem` if there is none."""
        if id not in self.jobs:
            raise Problem("not-found", 404, f"there is no job {id!r}")
        return self.jobs[id]

    def folder(self, job: Job) -> Path:
        """Return the folder of the job's output."""
        return self._root / "runs" / job.id

    def start(self, order: dict[str, Any]) -> Job:
        """Begin a job."""
        if len(self.jobs) >= MOST:
            raise Problem("busy", 503, f"{MOST:,} jobs are kept: delete old ones (DELETE /v1/jobs/ID)")
        return self._launch(Job(uuid.uuid4().hex[:12], order))

    def resume(self, job: Job) -> Job:
        """Continue a job that was interrupted, cancelled, or failed."""
        if job.state in (*_OPEN, "done"):
            raise Problem("conflict", 409, f"the job is {job.state}: there is nothing to resume")
        return self._launch(replace(job, state="waiting", detail=None))

    def cancel(self, job: Job) -> Job:
        """Ask a job to end; its results stay, and it can be resumed."""
        task = self._tasks.get(job.id)
        if task is None or job.state not in _OPEN:
            raise Problem("conflict", 409, f"the job is {job.state}: there is nothing to cancel")
        self._end(task)
        return job

    async def remove(self, job: Job) -> None:
        """Delete a job and what it wrote; one that waits or runs is ended first."""
        self.jobs.pop(job.id, None)  # nobody resumes it meanwhile
        if task := self._tasks.get(job.id):
            self._end(task)
            await asyncio.wait([task])
        await asyncio.to_thread(shutil.rmtree, self.folder(job), ignore_errors=True)
        self._file(job).unlink(missing_ok=True)

    @staticmethod
    def _end(task: asyncio.Task[None], *why: str) -> None:
        if not task.cancelling():  # a second cancellation would not wait for the end of the process
            task.cancel(*why)

    async def close(self) -> None:
        """End all jobs; they count as interrupted."""
        for task in list(self._tasks.values()):
            self._end(task, "interrupted")
        await asyncio.gather(*self._tasks.values(), return_exceptions=True)

    def _launch(self, job: Job) -> Job:
        self._save(job)
        self.jobs[job.id] = job
        self._tasks[job.id] = task = asyncio.create_task(self._run(job))
        task.add_done_callback(lambda _: self._tasks.pop(job.id, None))
        return job

    async def _run(self, job: Job) -> None:
        try:
            async with self._turn:
                job.state = "running"
                self._save(job)
                await self._work(job)
        except asyncio.CancelledError as ended:
            job.state = "interrupted" if ended.args == ("interrupted",) else "cancelled"
        except Exception as error:
            job.state, job.detail = "failed", f"{type(error).__name__}: {error}"
        self._save(job)

    async def _work(self, job: Job) -> None:
        pipe = asyncio.subprocess.PIPE
        process = await asyncio.create_subprocess_exec(
            sys.executable, "-m", "tamis.server.jobs", stdin=pipe, stdout=pipe, stderr=asyncio.subprocess.DEVNULL, start_new_session=True
        )
        assert process.stdin is not None and process.stdout is not None  # noqa: PT018  # for the type checker
        try:
            order = {**job.order, "folder": str(self.folder(job))}
            process.stdin.write(json.dumps(order).encode() + b"\n")
            await process.stdin.drain()
            async for line in process.stdout:
                event = json.loads(line)
                if event["event"] == "progress":
                    job.progress = {name: event[name] for name in ("stage", "done", "total")}
                else:
                    job.state, job.result, job.detail = event["event"], event.get("result"), event.get("detail")
            code = await process.wait()
            if job.state == "running":
                job.state, job.detail = "failed", f"the process of the job ended with code {code}"
        finally:
            if process.returncode is None:
                with suppress(ProcessLookupError):
                    process.terminate()
                    await asyncio.wait([asyncio.ensure_future(process.wait())], timeout=_PATIENCE)
                    process.kill()
                await process.wait()

    def _save(self, job: Job) -> None:
        self._file(job).parent.mkdir(parents=True, exist_ok=True)
        write_json(self._file(job), asdict(job))

    def _file(self, job: Job) -> Path:
        return self._root / "jobs" / f"{job.id}.json"


def read_job(path: Path) -> Job | None:
    """Return a job that was saved; None for a damaged file."""
    try:
        job = made(Job, json.loads(path.read_text(encoding="utf-8")), path.name)
        is_whole = job.id == path.stem and job.state in get_args(State)
        return job if is_whole and job.order["kind"] in ("crawl", "corpus") and isinstance(job.order["settings"], dict) else None
    except (OSError, ValueError, TypeError, KeyError, RecursionError):
        return None


def damage(root: Path) -> list[str]:
    """Return the files of a state folder that are damaged, relative to it: of jobs, and of pages of sites."""
    jobs = [path for path in sorted((root / "jobs").glob("*.json")) if read_job(path) is None]
    sites = [StoredSite(root, name) for name in site_names(root) if NAME.fullmatch(name)]
    pages = [site.folder / "pages" / f"{id}.json" for site in sites for id in site.damaged()]
    return [path.relative_to(root).as_posix() for path in (*jobs, *pages)]


def main() -> None:
    """Do the job that one line of standard input describes."""
    order = json.loads(sys.stdin.readline())
    signal.signal(signal.SIGTERM, signal.default_int_handler)
    threading.Thread(target=_end_job_with_parent, daemon=True).start()
    with suppress(KeyboardInterrupt):
        try:
            send(event="done", result=crawl(order) if order["kind"] == "crawl" else corpus(order))
        except TamisError as error:
            send(event="failed", detail=str(error))


def send(**event: Any) -> None:
    """Send an event to the service."""
    print(json.dumps(event), flush=True)


def crawl(order: dict[str, Any]) -> dict[str, Any]:
    """Crawl a site into the folder of the job, or continue the crawl."""
    from tamis.crawl import CrawlSettings
    from tamis.crawl import crawl as crawl_into

    settings = made(CrawlSettings, order["settings"], "the settings")
    pages = 0

    def on_event(event: dict[str, Any]) -> None:
        nonlocal pages
        if event["event"] == "page":
            pages += 1
            send(event="progress", stage="crawl", done=pages, total=settings.pages)

    return crawl_into(order["url"], order["folder"], settings, on_event=on_event).to_dict() | {"folder": None}


def corpus(order: dict[str, Any]) -> dict[str, Any]:
    """Do a corpus run in the folder of the job, or continue it, and write its report."""
    from tamis.corpus.config import make
    from tamis.corpus.pipeline import clear, run
    from tamis.corpus.report import write_report

    config = make({**order["settings"], "sources": order["sources"], "output": order["folder"]})
    summary = run(config, lambda stage, done, total: send(event="progress", stage=stage, done=done, total=total))
    write_report(Path(order["folder"]))
    clear(summary)
    return {name: getattr(summary, name) for name in ("pages", "documents", "duplicates", "empty", "failed", "left_out")}


def _end_job_with_parent() -> None:
    while sys.stdin.readline():
        pass
    os.kill(os.getpid(), signal.SIGTERM)


if __name__ == "__main__":
    main()
