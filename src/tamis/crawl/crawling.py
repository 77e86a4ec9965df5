"""crawl: a site into a folder; siblings: the same-layer pages of a page."""

from __future__ import annotations

import sqlite3
import time
from collections.abc import Callable, Iterator
from contextlib import closing
from dataclasses import asdict, dataclass, field, replace
from importlib.util import find_spec
from itertools import islice
from pathlib import Path
from queue import Empty, SimpleQueue
from tempfile import TemporaryDirectory
from threading import Thread
from typing import Any, Literal
from urllib.parse import urlsplit

from tamis.crawl.earlier import EarlierCrawl
from tamis.crawl.frontier import Frontier, FrontierItem, State
from tamis.crawl.hosts import ROBOTS_BYTES
from tamis.crawl.settings import CrawlSettings
from tamis.crawl.sitemaps import LARGEST
from tamis.crawl.work import Crawl, may_be_page
from tamis.errors import FetchError, MissingExtraError, SourceError, TamisError, UsageError
from tamis.io.answers import Answer
from tamis.io.connections import Connections
from tamis.io.fetch import Limits, ask
from tamis.io.files import CRAWL_FAILURES, CRAWL_PAGES, CRAWL_STATE, is_web
from tamis.io.locations import PrivateAddressError, TransientFetchError
from tamis.io.pages import Source
from tamis.layer.siblings import Layer

Ending = Literal["finished", "page limit", "interrupted"]
MOST_HOSTS = 32  #: hosts that are asked at the same time
_NEEDS = ("protego", "w3lib", "lxml")


class CrawlError(TamisError):
    """A crawl stopped because its output cannot be written; what it fetched is kept."""


@dataclass(frozen=True, slots=True)
class CrawlResult:
    """The counts of a crawl, all runs into its folder together."""

    folder: Path
    ending: Ending
    """``finished``: nothing is left to fetch; ``page limit``: more is known, but enough is saved; ``interrupted``: the crawl was
    stopped, or a host asked for too long a pause, and the same call continues."""
    pages: int  #: pages saved
    failed: int  #: pages that failed; see ``failures.jsonl`` in the folder
    missing: int  #: addresses that links lead to and the site does not have (404, 410): no failures of the crawl, but in ``failures.jsonl``
    waiting: int  #: pages that are known and not fetched
    bytes: int  #: bytes of the saved pages, as they were sent
    status: dict[str, int] = field(default_factory=dict)  #: answers by status, most first
    skipped: dict[str, int] = field(default_factory=dict)  #: addresses that were not fetched or not kept, by reason, most first
    failures: dict[str, int] = field(default_factory=dict)  #: pages that failed or are missing, by reason, most first

    @property
    def obstacle(self) -> str:
        """Return the most frequent reason why pages were not saved."""
        reasons = (why for why in (*self.failures, *self.skipped) if why not in ("no sitemap", "no feed"))
        return next(reasons, "nothing was fetched")

    def sources(self) -> Iterator[Source]:
        """Yield the saved pages, as :func:`tamis.clean` and :func:`tamis.learn` take them."""
        return crawled_pages(self.folder)

    def to_dict(self) -> dict[str, Any]:
        """Return the result as plain values."""
        return asdict(self) | {"folder": str(self.folder)}


def crawl(
    url: str,
    output: str | Path,
    settings: CrawlSettings = CrawlSettings(),
    *,
    overwrite: bool = False,
    retry_failed: bool = False,
    previous: str | Path | None = None,
    on_event: Callable[[dict[str, Any]], None] | None = None,
) -> CrawlResult:
    """Crawl a site into a folder, or resume a crawl.

    However a crawl ended, the same call resumes it: no saved page is fetched again, and no address is lost. A crawl that saved no page
    starts again. An interruption (Ctrl-C) stops the crawl at once and is raised.

    Args:
        url: the start page.
        output: the folder; it is made if it is missing. A folder with other files is not touched.
        settings: what may be fetched, and how fast. They may change when a crawl is resumed.
        overwrite: replace the crawl that the folder holds, as soon as the new one has saved a page.
        retry_failed: also fetch again what failed in earlier runs.
        previous: the folder of an earlier crawl. Servers are asked whether its pages have changed; those that have not are saved from it.
        on_event: called with ``{"event": ..., "url": ...}``; events are ``page``, ``failed``, ``skipped``, ``again``, ``robots``,
            ``sitemap``, ``feed``.

    Raises:
        UsageError: the address is not one of the web, the folder holds something else, or another process is crawling into it.
        SourceError: the folder's files are damaged, or ``previous`` holds no crawl.
        FetchError: the crawl in the folder was to be replaced, but no page could be fetched; it is kept.
        CrawlError: the folder cannot be written any more.
        MissingExtraError: the ``crawl`` extra is not installed.
    """
    need_crawl_extra()
    from tamis.crawl.same_layer import SameLayerCrawl

    url = checked(url)
    folder = Path(output)
    if previous is not None and Path(previous).resolve() == folder.resolve():
        raise UsageError("previous is the folder of an earlier crawl, not of this one")
    earlier = EarlierCrawl(previous) if previous is not None else None
    _prepare(folder)
    kind = Crawl if settings.same_layer is None else SameLayerCrawl

    def crawl_into(folder: Path, settings: CrawlSettings) -> CrawlResult:
        work = kind(url, settings, folder, on_event or (lambda event: None), retry_failed=retry_failed, earlier=earlier)
        try:
            run(work)
        except (OSError, sqlite3.Error, SourceError) as error:
            said = f"cannot write {CRAWL_STATE}: {error}" if isinstance(error, sqlite3.Error) else str(error)
            if isinstance(error, OSError):
                said = f"cannot write {error.filename or 'its output'}: {error.strerror or error}"
            raise CrawlError(f"the crawl ended: {said}; repeat the command to continue") from error
        finally:
            work.close()
        return summary(folder)

    if overwrite and (folder / CRAWL_STATE).exists():
        Frontier(folder).close()  # raises if another process is writing to it
        with TemporaryDirectory(dir=folder, prefix=".") as begun:
            result = crawl_into(Path(begun), replace(settings, pages=1))
            if not result.pages:
                raise FetchError(f"no page was saved: {result.obstacle}; the crawl in {folder} is kept")
            for path in _files_of_crawl(folder):
                path.unlink()
            for path in _files_of_crawl(Path(begun)):
                path.replace(folder / path.name)
    return crawl_into(folder, settings)


def summary(folder: str | Path) -> CrawlResult:
    """Return the counts of a crawl. Raises SourceError if the folder holds none, UsageError if another process is writing to it."""
    folder = Path(folder)
    if not (folder / CRAWL_STATE).is_file():
        raise SourceError(f"{folder} holds no crawl")
    with closing(Frontier(folder)) as frontier:
        settings = frontier.fact("settings", {})
        waiting = frontier.count(State.WAITING, "page", settings.get("depth"))
        pages, missing = frontier.count(State.DONE, "page"), frontier.missing()
        failed = frontier.count(State.FAILED) - missing
        enough = frontier.fact("mode") != "site" or (settings.get("pages") is not None and pages >= settings["pages"])
        ending: Ending = "finished" if not waiting else "page limit" if enough else "interrupted"
        return CrawlResult(folder, ending, pages, failed, missing, waiting, frontier.size(), *frontier.tallies())


def crawled_pages(folder: str | Path) -> Iterator[Source]:
    """Yield the pages that a crawl saved, in the order they were fetched. Raises SourceError if there are none."""
    from tamis.io.sources import open_sources

    archives = sorted(Path(folder).glob("pages-*.warc.gz"))
    if not archives:
        raise SourceError(f"{folder} holds no pages of a crawl")
    return open_sources(archives)


def siblings(url: str, k: int = 3, settings: CrawlSettings = CrawlSettings()) -> Layer:
    """Return the same-layer pages of a page of the web: fetch it, rank its links, and fetch these until ``k`` are of other articles.

    Args:
        url: address of the page.
        k: how many are wanted; there may be fewer.
        settings: of the crawl.

    Raises:
        FetchError: the page cannot be fetched.
        UsageError: the address is not one of the web, or ``k`` is below 1.
        MissingExtraError: the ``crawl`` extra is not installed.
    """
    need_crawl_extra()
    from tamis.crawl.same_layer import in_memory

    passed: dict[str, str] = {}

    def note(event: dict[str, Any]) -> None:
        if event["event"] in ("skipped", "failed"):
            passed[event["url"]] = event["reason"]

    with TemporaryDirectory(prefix="tamis-") as folder:
        result = crawl(url, Path(folder), replace(settings, same_layer=k), on_event=note)
        if not result.pages:
            raise FetchError(f"{url}: {', '.join(passed.values()) or 'nothing was fetched'}")
        page, *others = map(in_memory, crawled_pages(folder))
    return Layer(page, tuple(others), tuple(passed.items()))


def need_crawl_extra() -> None:
    """Raise where the ``crawl`` extra is not installed."""
    if any(find_spec(name) is None for name in _NEEDS):
        raise MissingExtraError("crawling", "crawl")


def checked(url: str) -> str:
    """Return an address of the web, or an error that says what it should be."""
    from tamis.io.addresses import normalize_url

    try:
        tidied = normalize_url(url)
    except ValueError as error:
        raise UsageError(f"{url} is not a valid address: {error}") from error
    if not is_web(tidied) or not tidied.split("/")[2]:
        known = "" if "://" in url else f"; with its scheme it would be https://{url}"
        raise UsageError(f"{url} is not a web address{known}")
    return tidied


def _prepare(folder: Path) -> None:
    """Make the folder of a crawl. Raises UsageError if it holds something else."""
    if folder.exists() and not folder.is_dir():
        raise UsageError(f"{folder} is a file; name a folder")
    folder.mkdir(parents=True, exist_ok=True)
    if not (folder / CRAWL_STATE).exists() and any(folder.iterdir()):
        raise UsageError(f"{folder} holds other files and no crawl; name another folder")


def _files_of_crawl(folder: Path) -> list[Path]:
    patterns = (CRAWL_PAGES, CRAWL_FAILURES, "pages-*.warc.gz", CRAWL_STATE + "*")
    return [path for pattern in patterns for path in folder.glob(pattern)]


def run(crawl: Crawl) -> None:
    """Make the requests that are due, each in a thread of its own, until the crawl is over."""
    answers: SimpleQueue[tuple[FrontierItem, Answer | FetchError]] = SimpleQueue()
    most, under_way = MOST_HOSTS * crawl.settings.connections, 0
    with closing(Connections()) as connections:
        while not crawl.is_over:
            now = time.time()
            for item in islice(crawl.due(now), most - under_way):
                args = item, crawl.conditions(item), crawl.settings, connections, answers
                Thread(target=_ask, args=args, name="tamis-crawl", daemon=True).start()
                under_way += 1
            wait = crawl.wait(now) if under_way < most else None
            try:
                item, answer = answers.get(timeout=wait if under_way else wait or 0.0)
            except Empty:
                continue
            under_way -= 1
            if isinstance(answer, Answer):
                crawl.answered(item, answer, time.time())
            else:
                private = f"{urlsplit(item.url).hostname} has a private address: not fetched (--allow-private)"
                reason = private if isinstance(answer, PrivateAddressError) else str(answer)
                crawl.failed(item, reason, isinstance(answer, TransientFetchError), time.time())


def _ask(
    item: FrontierItem,
    conditions: dict[str, str],
    settings: CrawlSettings,
    connections: Connections,
    answers: SimpleQueue[tuple[FrontierItem, Answer | FetchError]],
) -> None:
    """Make one request. If a page is wanted, bodies of other types are not read."""
    seconds = settings.timeout  # of the whole request, so the limit between two bytes is a greater one
    whole = item.kind != "robots"
    most = {"robots": ROBOTS_BYTES, "page": settings.max_bytes}.get(item.kind, max(settings.max_bytes, LARGEST))
    limits = Limits(seconds, seconds + 1, seconds, most, allow_private=settings.allow_private)
    try:
        wanted = may_be_page if item.kind == "page" else lambda answer: True
        said = ask(item.url, limits, agent=settings.agent, wanted=wanted, connections=connections, whole=whole, conditions=conditions)
        answers.put((item, said))
    except FetchError as error:
        answers.put((item, error))
    except Exception as error:  # the crawl would wait for ever
        answers.put((item, FetchError(f"an error within tamis: {type(error).__name__}: {error}")))
