"""Crawling: the pages of a site, or the same-layer pages of one page, into an output folder. Needs the ``crawl`` extra."""

from __future__ import annotations

from tamis.crawl.crawling import CrawlError, CrawlResult, crawl, crawled_pages, siblings, summary
from tamis.crawl.settings import CrawlSettings

__all__ = ["CrawlError", "CrawlResult", "CrawlSettings", "crawl", "crawled_pages", "siblings", "summary"]
