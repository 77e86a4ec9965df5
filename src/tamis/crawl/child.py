"""The process that crawls: reads what to do from standard input, tells what happens on standard output, as lines of JSON.

It ends when the crawl does, when it is asked to (SIGINT, SIGTERM), and when standard input closes: then the process that started it is
gone. It may also be killed: every page is settled as a whole or not at all.
"""

from __future__ import annotations

import json
import os
import signal
import sys
import threading
from pathlib import Path
from typing import Any

from tamis.crawl.output import LOG
from tamis.crawl.settings import CrawlSettings
from tamis.crawl.work import Crawl
from tamis.errors import TamisError

GRACE = 2.0
"""Seconds that requests on their way have to end when the crawl is stopped."""


def main() -> int:
    """Crawl."""
    order = json.loads(sys.stdin.readline())
    settings = CrawlSettings.from_dict(order["settings"])
    folder = Path(order["folder"])
    try:
        crawl = _crawl(order["url"], settings, folder, order.get("retry_failed", False))
    except TamisError as error:
        tell({"event": "error", "kind": type(error).__name__, "message": str(error)})
        return 1
    try:
        stopped = None if crawl.is_over else _run(crawl, settings, folder)
    finally:
        crawl.close()
    log = folder / LOG
    if log.exists() and not log.stat().st_size:
        log.unlink()
    tell({"event": "end", "stopped": stopped})
    return 0


def tell(event: dict[str, Any]) -> None:
    """Say what happened."""
    try:
        sys.stdout.write(json.dumps(event) + "\n")
        sys.stdout.flush()
    except BrokenPipeError:  # nobody listens; standard input will close, too
        sys.stdout = open(os.devnull, "w", encoding="utf-8")  # noqa: PTH123, SIM115


def _crawl(url: str, settings: CrawlSettings, folder: Path, retry_failed: bool) -> Crawl:
    if settings.same_layer is not None:
        from tamis.crawl.same_layer import SameLayerCrawl

        return SameLayerCrawl(url, settings, folder, tell, retry_failed)
    return Crawl(url, settings, folder, tell, retry_failed)


def _run(crawl: Crawl, settings: CrawlSettings, folder: Path) -> str | None:
    """Let Scrapy work until the crawl is over: why it ended early, if it did."""
    from scrapy.crawler import CrawlerProcess

    from tamis.crawl.spider import SiteSpider

    process = CrawlerProcess(_scrapy_settings(settings, folder))
    crawler = process.create_crawler(SiteSpider)
    process.crawl(crawler, crawl=crawl)
    _stop_when_asked(crawler)
    process.start(install_signal_handlers=False)
    spider: Any = crawler.spider
    return "the crawl could not start" if spider is None else spider.stopped


def _stop_when_asked(crawler: Any) -> None:
    """End the crawl at a signal, or when standard input closes."""
    from twisted.internet import reactor

    loop: Any = reactor

    def stop() -> None:
        if crawler.spider is not None:
            crawler.spider.stop("interrupted")
        if crawler.engine is not None and crawler.engine.running:
            crawler.stop_async() if hasattr(crawler, "stop_async") else crawler.stop()
        loop.callLater(GRACE, lambda: loop.running and loop.stop())

    def watch() -> None:
        while sys.stdin.readline():
            pass
        loop.callFromThread(stop)

    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, lambda *_: loop.callFromThread(stop))
    threading.Thread(target=watch, daemon=True).start()


def _scrapy_settings(settings: CrawlSettings, folder: Path) -> dict[str, Any]:
    return {
        # Nothing that Scrapy does by itself: no redirects, retries, cookies, proxies, caches; all of that is decided in tamis.crawl.work.
        "DOWNLOADER_MIDDLEWARES_BASE": {},
        "SPIDER_MIDDLEWARES_BASE": {},
        "EXTENSIONS_BASE": {},
        "SCHEDULER": "tamis.crawl.spider.PassingScheduler",
        "TWISTED_DNS_RESOLVER": "scrapy.resolver.CachingHostnameResolver" if settings.allow_private else "tamis.crawl.guard.PublicResolver",
        "DOWNLOAD_VERIFY_CERTIFICATES": True,
        "DOWNLOAD_MAXSIZE": settings.max_bytes,
        "DOWNLOAD_WARNSIZE": 0,
        "DOWNLOAD_TIMEOUT": settings.timeout,
        "DOWNLOAD_DELAY": 0,
        "CONCURRENT_REQUESTS": 32 * settings.connections,
        "CONCURRENT_REQUESTS_PER_DOMAIN": settings.connections,
        "TELNETCONSOLE_ENABLED": False,
        "LOG_FILE": str(folder / LOG),
        "LOG_LEVEL": "WARNING",
    }


if __name__ == "__main__":
    sys.exit(main())
