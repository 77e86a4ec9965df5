"""Crawling: the pages of a site, or the same-layer pages of one page, into an output folder. Needs the ``crawl`` extra."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tamis.errors import MissingExtraError

if TYPE_CHECKING:
    from tamis.siblings import SameLayer


def siblings(url: str, k: int = 3) -> SameLayer:
    """The same-layer pages of a page of the web: fetch it, rank its links, fetch until ``k`` are found that are not of the same article.

    Args:
        url: address of the page.
        k: how many are wanted; fewer are found where the page's links lead to no more.

    Raises:
        FetchError: the page cannot be fetched.
        MissingExtraError: the ``crawl`` extra is not installed.
    """
    raise MissingExtraError("crawling", "crawl")
