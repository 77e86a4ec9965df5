"""siblings: the same-layer pages of a page of the web."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from tamis.crawl.crawling import crawl, crawled_pages
from tamis.crawl.settings import CrawlSettings
from tamis.errors import FetchError
from tamis.io.pages import HeldPage, Source
from tamis.layer.siblings import Layer, SeenPage, see


def siblings(url: str, k: int = 3, settings: CrawlSettings = CrawlSettings()) -> Layer:
    """The same-layer pages of a page of the web: fetch it, rank its links, fetch until ``k`` are found that are not of the same article.

    Args:
        url: address of the page.
        k: how many are wanted; fewer are found where the links lead to no more.
        settings: manners and limits of fetching.

    Raises:
        FetchError: the page cannot be fetched.
        UsageError: the address is none of the web, or ``k`` is below 1.
        MissingExtraError: the ``crawl`` extra is not installed.
    """
    passed: dict[str, str] = {}

    def note(event: dict[str, Any]) -> None:
        if event["event"] in ("skipped", "failed"):
            passed[event["url"]] = event["reason"]

    with TemporaryDirectory(prefix="tamis-") as folder:
        result = crawl(url, Path(folder), replace(settings, same_layer=k), on_event=note)
        if not result.pages:
            raise FetchError(f"{url}: {', '.join(passed.values()) or 'nothing was fetched'}")
        page, *others = [_held(source) for source in crawled_pages(folder)]
    return Layer(page, tuple(others), tuple(passed.items()))


def _held(source: Source) -> SeenPage:
    """A page that outlives the folder."""
    served = source.read()
    return replace(see(HeldPage(served.url or source.name, served.html, served.url, served.content_type)), url=served.url)
