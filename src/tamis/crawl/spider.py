"""The spider: takes jobs from :class:`~tamis.crawl.work.Crawl`, lets Scrapy fetch them, and brings back what came of it.

Of Scrapy its downloader is used (Twisted's HTTP and TLS, limits of size and time, stopping after the headers). What decides which page is
next is not in memory but in the frontier, so the scheduler here is only the short way from the one to the other.
"""

from __future__ import annotations

import contextlib
import re
import sqlite3
import time
from collections import deque
from collections.abc import AsyncIterator
from typing import Any
from urllib.parse import urlsplit

import scrapy
from scrapy import signals
from scrapy.core.scheduler import BaseScheduler
from scrapy.exceptions import (
    CannotResolveHostError,
    DownloadCancelledError,
    DownloadConnectionRefusedError,
    DownloadTimeoutError,
    ResponseDataLossError,
    StopDownload,
)
from twisted.internet.error import SSLError
from twisted.python.failure import Failure

from tamis.crawl.answer import from_scrapy
from tamis.crawl.frontier import NAME
from tamis.crawl.guard import PublicResolver
from tamis.crawl.work import Crawl, Job
from tamis.errors import TamisError
from tamis.io.fetch import is_public
from tamis.io.warc import HTML_TYPES

_LONGEST_SAID = 5_000
"""Characters of an error of Twisted that are read: servers may have a say in it."""
_ACCEPT = "text/html,application/xhtml+xml;q=0.9,*/*;q=0.1"


class PassingScheduler(BaseScheduler):
    """Holds the requests between the frontier, which chose them, and the downloader, which takes them at once."""

    def __init__(self, crawler: Any) -> None:
        self._crawler = crawler
        self._waiting: deque[scrapy.Request] = deque()

    @classmethod
    def from_crawler(cls, crawler: Any) -> PassingScheduler:
        """Made by Scrapy."""
        return cls(crawler)

    def has_pending_requests(self) -> bool:
        """Whether the crawl goes on."""
        return bool(self._waiting) or not self._crawler.spider.is_over

    def enqueue_request(self, request: scrapy.Request) -> bool:
        """Take a request."""
        self._waiting.append(request)
        return True

    def next_request(self) -> scrapy.Request | None:
        """Give it on."""
        return self._waiting.popleft() if self._waiting else None


class SiteSpider(scrapy.Spider):
    """Fetches what the crawl asks for."""

    name = "tamis"

    def __init__(self, crawl: Crawl, **more: Any) -> None:
        super().__init__(**more)
        self._crawl = crawl
        self._timer: Any = None
        self.stopped: str | None = None
        """Why the crawl ended early: ``interrupted``, or the error that ended it."""

    @classmethod
    def from_crawler(cls, crawler: Any, *args: Any, **more: Any) -> SiteSpider:
        """Made by Scrapy."""
        spider = super().from_crawler(crawler, *args, **more)
        crawler.signals.connect(spider.look_at_headers, signal=signals.headers_received)
        return spider

    @property
    def is_over(self) -> bool:
        """Whether nothing is left to do."""
        return self.stopped is not None or self._crawl.is_over

    async def start(self) -> AsyncIterator[Any]:
        """Begin; there are no requests but those that :meth:`step` makes."""
        self.step()
        none: tuple[Any, ...] = ()
        for request in none:
            yield request

    def step(self) -> None:
        """Make the requests that are due, and come back when more will be."""
        from twisted.internet import reactor

        loop: Any = reactor
        if self._timer is not None:
            if self._timer.active():
                self._timer.cancel()
            self._timer = None
        if self.stopped is not None:
            return
        now = time.time()
        for job in self._crawl.due(now):
            if (refusal := self._refusal(job.url)) is not None:
                self._crawl.failed(job, refusal, passing=False, now=now)
                continue
            try:
                request = self._request(job)
            except ValueError as error:  # an address that Scrapy refuses
                self._crawl.failed(job, f"no valid address ({error})", passing=False, now=now)
                continue
            self.crawler.engine.crawl(request)
        wait = self._crawl.wait(now)
        if wait is not None:
            self._timer = loop.callLater(wait, self.step)

    def stop(self, why: str) -> None:
        """End the crawl; what is on its way is let go of."""
        self.stopped = self.stopped or why

    def _refusal(self, url: str) -> str | None:
        """Why an address that is a number is not connected to. Names are looked at when they are resolved."""
        if self._crawl.settings.allow_private:
            return None
        with contextlib.suppress(ValueError):
            if not is_public(urlsplit(url).hostname or ""):
                return "a private address: not fetched (--allow-private)"
        return None

    def _request(self, job: Job) -> scrapy.Request:
        settings = self._crawl.settings
        return scrapy.Request(
            job.url,
            callback=self.on_answer,
            errback=self.on_failure,
            dont_filter=True,
            headers={"User-Agent": settings.agent, "Accept": _ACCEPT, "Accept-Encoding": "gzip, deflate"},
            meta={"job": job, "started": time.time(), "download_timeout": settings.timeout},
        )

    def look_at_headers(self, headers: Any, request: Any, **_: Any) -> None:
        """Leave the body of what is no page unread."""
        job = request.meta["job"]
        kind = (headers.get("Content-Type") or b"").decode("latin-1").partition(";")[0].strip().lower()
        if job.item is not None and job.item.kind == "page" and kind and kind not in HTML_TYPES:
            raise StopDownload(fail=False)

    def on_answer(self, response: Any) -> None:
        """An answer has come."""
        job = response.request.meta["job"]
        self._settle(lambda: self._crawl.answered(job, from_scrapy(response, response.request.meta["started"]), time.time()))

    def on_failure(self, failure: Failure) -> None:
        """No answer has come."""
        job = failure.request.meta["job"]  # type: ignore[attr-defined]
        reason, passing = explain(failure.value, job, self._crawl)
        self._settle(lambda: self._crawl.failed(job, reason, passing, time.time()))

    def _settle(self, what: Any) -> None:
        """Do it and go on. An error here is one of the disk or of tamis; then no page would be settled, so the crawl ends."""
        if self.stopped is not None:
            return
        try:
            what()
            self.step()
        except Exception as error:
            self.logger.exception("the crawl ends")
            self.stop(in_words(error))


def explain(error: BaseException | None, job: Job, crawl: Crawl) -> tuple[str, bool]:
    """Why there was no answer, in words, and whether another try may go better."""
    settings = crawl.settings
    host = urlsplit(job.url).hostname or ""
    said = _plain(str(error)) or type(error).__name__
    if isinstance(error, CannotResolveHostError):
        if host in PublicResolver.refused:
            return f"{host} has a private address: not fetched (--allow-private)", False
        return f"no host {host} was found", True
    if isinstance(error, DownloadTimeoutError):
        return f"took longer than the limit of {settings.timeout:g} seconds", True
    if isinstance(error, DownloadConnectionRefusedError):
        return f"no connection to {host} (connection refused)", True
    if isinstance(error, DownloadCancelledError):
        return f"larger than the limit of {settings.max_bytes:,} bytes", False
    if isinstance(error, ResponseDataLossError):
        return "the connection ended before the page was complete", True
    if _is_certificate(said) or isinstance(error, SSLError):
        return f"no secure connection to {host} ({said[:200]})", False
    return f"no answer ({said[:200]})", True


def in_words(error: Exception) -> str:
    """Why a crawl ends, in words: mostly the disk."""
    if isinstance(error, TamisError):
        return str(error)
    if isinstance(error, OSError):
        return f"cannot write {error.filename or 'its output'}: {error.strerror or error}"
    if isinstance(error, sqlite3.Error):
        return f"cannot write {NAME}: {error}"
    return f"an error within tamis: {type(error).__name__}: {error}"


def _plain(said: str) -> str:
    """What Twisted says, without the names of its classes.

    >>> _plain("[<twisted.python.failure.Failure twisted.internet.error.ConnectionLost: Connection was lost.>]")
    'Connection was lost'
    """
    inner = re.findall(r"<twisted\.python\.failure\.Failure [\w.]+: (.*?)>(?=[,\]]|$)", said[:_LONGEST_SAID])
    return "; ".join(dict.fromkeys(inner)).rstrip(".") if inner else said


def _is_certificate(said: str) -> bool:
    return "certificate" in said.lower() or "SSL" in said
