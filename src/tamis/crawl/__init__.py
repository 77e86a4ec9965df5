"""Crawling: the pages of a site, or the same-layer pages of one page, into an output folder. Needs the ``crawl`` extra."""

from __future__ import annotations

from tamis.crawl.crawling import CrawlError, CrawlResult, crawl, crawled_pages, siblings, summary
from tamis.crawl.mapping import Mapped, site_map
from tamis.crawl.settings import CrawlSettings

__all__ = ["CrawlError", "CrawlResult", "CrawlSettings", "Mapped", "crawl", "crawled_pages", "siblings", "site_map", "summary"]
