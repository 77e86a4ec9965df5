"""The addresses of a site, found without fetching its pages: sitemaps, feeds, and the links of the pages near the start page."""

from __future__ import annotations

from dataclasses import asdict, dataclass, replace
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from tamis.crawl.crawling import checked, need_crawl_extra, run
from tamis.crawl.settings import CrawlSettings
from tamis.crawl.work import Crawl
from tamis.errors import FetchError


@dataclass(frozen=True, slots=True)
class Mapped:
    """An address of a site."""

    url: str
    depth: int  #: Links between the start page and this one; 1 for addresses of sitemaps and feeds.
    found_on: str | None  #: The page, sitemap or feed that names it first; None for the start page.

    def to_dict(self) -> dict[str, Any]:
        """Return the address as plain values."""
        return asdict(self)


def site_map(url: str, depth: int = 0, settings: CrawlSettings = CrawlSettings()) -> tuple[Mapped, ...]:
    """List the addresses of a site: those of its sitemaps and feeds, and the links of pages at most ``depth`` links from the start page.

    No page is fetched twice, and with ``depth`` 0 only the start page is. Addresses come in the order in which they were found.

    Args:
        url: the start page.
        depth: how far pages are fetched for their links; 0: the start page alone.
        settings: which addresses are wanted (``scope``, ``include``, ``exclude``, ``robots``), and how fast hosts are asked.

    Raises:
        FetchError: nothing could be fetched.
        UsageError: the address is not one of the web.
        MissingExtraError: the ``crawl`` extra is not installed.
    """
    need_crawl_extra()
    failures: list[str] = []

    def note(event: dict[str, Any]) -> None:
        if event["event"] == "failed":
            failures.append(event["reason"])

    with TemporaryDirectory(prefix="tamis-") as folder:
        work = Crawl(checked(url), replace(settings, depth=depth, pages=None, feeds=True), Path(folder), note)
        try:
            run(work)
            found = tuple(Mapped(*row) for row in work.frontier.pages() if work.allows(row[0]))
        finally:
            work.close()
    if not found:
        raise FetchError(f"{url}: {failures[0] if failures else 'nothing was fetched'}")
    return found
