"""crawl: a site into a folder, from a process of its own."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import dataclass, field
from importlib.util import find_spec
from pathlib import Path
from typing import Any, Literal, TextIO, cast

from tamis.crawl.frontier import NAME, Frontier, State
from tamis.crawl.output import FAILURES, LOG, PAGES
from tamis.crawl.settings import CrawlSettings
from tamis.errors import MissingExtraError, SourceError, TamisError, UsageError
from tamis.io.pages import Source

Ending = Literal["finished", "page limit", "interrupted"]
_NEEDS = ("scrapy", "protego", "w3lib", "fastwarc", "lxml")
_PATIENCE = 10.0
"""Seconds that the process has to end after it was asked to."""


class CrawlError(TamisError):
    """The process of a crawl ended before the crawl did; what it fetched is kept."""


@dataclass(frozen=True, slots=True)
class CrawlResult:
    """What a crawl has come to, with what earlier runs into the same folder fetched."""

    folder: Path
    ending: Ending
    """``finished``: nothing is left to fetch; ``page limit``: more is known, but enough is saved; ``interrupted``: it can go on."""
    pages: int
    """Pages saved."""
    failed: int
    """Pages that failed; see ``failures.jsonl`` in the folder."""
    waiting: int
    """Pages that are known and not fetched."""
    bytes: int
    """Bytes of the saved pages, as they were sent."""
    status: dict[str, int] = field(default_factory=dict)
    """Answers by status, most first."""
    skipped: dict[str, int] = field(default_factory=dict)
    """Addresses that were not fetched or not kept, by reason, most first."""
    failures: dict[str, int] = field(default_factory=dict)
    """Pages that failed, by reason, most first."""

    def sources(self) -> Iterator[Source]:
        """The saved pages, as :func:`tamis.clean` and :func:`tamis.learn` take them."""
        return crawled_pages(self.folder)

    def to_dict(self) -> dict[str, Any]:
        """The result as plain values."""
        names = ("ending", "pages", "failed", "waiting", "bytes", "status", "skipped", "failures")
        return {"folder": str(self.folder)} | {name: getattr(self, name) for name in names}


def crawl(
    url: str,
    output: str | Path,
    settings: CrawlSettings = CrawlSettings(),
    *,
    overwrite: bool = False,
    retry_failed: bool = False,
    on_event: Callable[[dict[str, Any]], None] | None = None,
) -> CrawlResult:
    """Crawl a site into a folder, or go on with a crawl that was interrupted.

    It runs in a process of its own. Whenever that ends, killed or not, the same call goes on: no page that was saved is fetched again,
    and none that was found is lost; only a page that was on its way is asked for once more. A crawl that saved no page begins anew.

    Args:
        url: the start page.
        output: the folder; it is made where it is missing. One that holds something else is not touched.
        settings: what may be fetched, and how fast. Those of an interrupted crawl can be changed when it goes on.
        overwrite: begin anew where the folder holds a crawl.
        retry_failed: also fetch again what failed in earlier runs.
        on_event: is told what happens: ``page``, ``failed``, ``skipped``, ``again``, ``robots``, ``sitemap``, ``feed``, each with ``url``.

    Returns:
        The numbers of the crawl; its pages are :meth:`CrawlResult.sources`. An interruption (Ctrl-C) stops the crawl and is raised.

    Raises:
        UsageError: the address is none of the web, the folder holds something else, or another process is crawling into it.
        SourceError: the folder's files are damaged.
        CrawlError: the process of the crawl died.
        MissingExtraError: the ``crawl`` extra is not installed.
    """
    need_crawl_extra()
    url = _checked(url)
    folder = Path(output)
    _prepare(folder, overwrite)
    order = {"url": url, "folder": str(folder.absolute()), "settings": settings.to_dict(), "retry_failed": retry_failed}
    stopped = _run(order, folder, on_event)
    if stopped not in (None, "interrupted"):
        raise CrawlError(f"the crawl ended: {stopped}; {folder / LOG} says where; repeat the command to continue")
    return summary(folder, interrupted=stopped is not None)


def summary(folder: str | Path, *, interrupted: bool = False) -> CrawlResult:
    """What a crawl has come to.

    Raises:
        SourceError: there is no crawl in the folder.
        UsageError: a process is crawling into it now.
    """
    folder = Path(folder)
    if not (folder / NAME).is_file():
        raise SourceError(f"{folder} holds no crawl")
    frontier = Frontier(folder)
    try:
        settings = frontier.fact("settings", {})
        waiting = frontier.count_pages(settings.get("depth"))
        ending: Ending = "interrupted" if interrupted else "page limit" if waiting else "finished"
        tallies = frontier.tallies()
        return CrawlResult(
            folder=folder,
            ending=ending,
            pages=frontier.count(State.DONE, "page"),
            failed=frontier.count(State.FAILED),
            waiting=waiting,
            bytes=frontier.size(),
            status=tallies["status"],
            skipped=tallies["skipped"],
            failures=tallies["failed"],
        )
    finally:
        frontier.close()


def crawled_pages(folder: str | Path) -> Iterator[Source]:
    """The pages that a crawl saved, in the order they were fetched.

    Raises:
        SourceError: the folder holds no archive.
    """
    from tamis.io.sources import open_sources

    archives = sorted(Path(folder).glob("pages-*.warc.gz"))
    if not archives:
        raise SourceError(f"{folder} holds no pages of a crawl")
    return open_sources(archives)


def need_crawl_extra() -> None:
    """Raise where the ``crawl`` extra is not installed."""
    if any(find_spec(name) is None for name in _NEEDS):
        raise MissingExtraError("crawling", "crawl")


def _checked(url: str) -> str:
    """An address of the web, or an error that says what it should be."""
    from tamis.io.addresses import tidy

    try:
        tidied = tidy(url)
    except ValueError as error:
        raise UsageError(f"{url} is not a valid address: {error}") from error
    if not tidied.startswith(("http://", "https://")) or not tidied.split("/")[2]:
        known = "" if "://" in url else f"; with its scheme it would be https://{url}"
        raise UsageError(f"{url} is no address of the web{known}")
    return tidied


def _prepare(folder: Path, overwrite: bool) -> None:
    """Make the folder, or see that it holds a crawl and nothing else."""
    if folder.exists() and not folder.is_dir():
        raise UsageError(f"{folder} is a file; name a folder")
    folder.mkdir(parents=True, exist_ok=True)
    if (folder / NAME).exists():
        if overwrite:
            _remove_crawl(folder)
    elif any(folder.iterdir()):
        raise UsageError(f"{folder} holds other files and no crawl; name another folder")


def _remove_crawl(folder: Path) -> None:
    Frontier(folder).close()  # an error where another process is at it
    for path in [folder / PAGES, folder / FAILURES, folder / LOG, *folder.glob("pages-*.warc.gz"), *folder.glob(NAME + "*")]:
        path.unlink(missing_ok=True)


def _run(order: dict[str, Any], folder: Path, on_event: Callable[[dict[str, Any]], None] | None) -> str | None:
    """Run the process until it ends: why it ended early, if it did."""
    command = [sys.executable, "-m", "tamis.crawl.child"]
    environment = os.environ | {"PYTHONUTF8": "1"}
    with subprocess.Popen(
        command,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        encoding="utf-8",
        env=environment,
        start_new_session=True,
    ) as process:
        end: dict[str, Any] | None = None
        try:
            into, out = cast("TextIO", process.stdin), cast("TextIO", process.stdout)
            into.write(json.dumps(order) + "\n")
            into.flush()
            for line in out:
                event = json.loads(line)
                if event["event"] == "error":
                    raise _error(event)
                if event["event"] == "end":
                    end = event
                elif on_event is not None:
                    on_event(event)
        except BaseException:
            _end(process)
            raise
        return _verdict(process, end, folder)


def _verdict(process: subprocess.Popen[str], end: dict[str, Any] | None, folder: Path) -> str | None:
    """Why a process that has said its last word ended early, if it did."""
    said = process.stderr.read() if process.stderr is not None else ""
    code = process.wait()
    if end is not None:
        return None if end["stopped"] is None else str(end["stopped"])
    how = f"signal {signal.Signals(-code).name}" if code < 0 else f"code {code}"
    last = (said.strip().splitlines() or ["without a word"])[-1]
    raise CrawlError(f"the process of the crawl died ({how}: {last}); what it fetched is in {folder}; repeat the command to continue")


def _end(process: subprocess.Popen[str]) -> None:
    """Ask the process to end, and make it end where it does not. Any moment is a good one: pages are settled as a whole."""
    with suppress(OSError):
        process.send_signal(signal.SIGINT)
    try:
        process.communicate(timeout=_PATIENCE)
    except (subprocess.TimeoutExpired, ValueError, KeyboardInterrupt):
        process.kill()
        process.wait()


def _error(event: dict[str, Any]) -> TamisError:
    kind = {"UsageError": UsageError, "SourceError": SourceError}.get(event["kind"], CrawlError)
    return kind(event["message"])
