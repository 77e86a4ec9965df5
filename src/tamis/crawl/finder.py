"""Where the addresses of a crawl come from: links, sitemaps, redirects; and which of them it wants."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from urllib.parse import urlsplit

from tamis.crawl.frontier import Found, Frontier, Kind
from tamis.crawl.scope import Bounds, pattern
from tamis.crawl.sitemaps import MOST_SITEMAPS, Entry
from tamis.io.addresses import canonical, tidy
from tamis.page.hyperlinks import Hyperlink

_RANKS: dict[Kind, float] = {"sitemap": 0.0, "feed": 0.5, "page": 1.0}


class Finder:
    """Turns addresses into entries of the frontier. What is not wanted is noted there as skipped, with the reason."""

    def __init__(self, frontier: Frontier, bounds: Bounds) -> None:
        self._frontier = frontier
        self.bounds = bounds

    def wanted(self, links: list[Hyperlink], depth: int, referrer: str) -> Iterator[Found]:
        """The links that lead to pages of the site; others are noted as skipped."""
        for link in links:
            if link.is_feed:
                feed = self.found(link.url, depth, "feed", referrer)
                if self.bounds.settings.feeds and feed is not None and self.bounds.is_home(feed.url):
                    yield feed
                continue
            if link.declared and link.kind not in ("", "text/html"):
                continue
            found = self.found(link.url, depth, "page", referrer)
            if found is None:
                continue
            if self.bounds.settings.nofollow and "nofollow" in link.rel:
                self._frontier.skip(found.key, "nofollow")
            elif self.is_wanted(found):
                yield found

    def is_wanted(self, found: Found) -> bool:
        """Whether a page is within the bounds."""
        refusal = self.bounds.refusal(found.url)
        if refusal is not None and not self._frontier.knows(found.key):
            self._frontier.skip(found.key, refusal)
        return refusal is None

    def found(self, url: str, depth: int, kind: Kind, referrer: str | None = None) -> Found | None:
        """An address as an entry; None where it is none of the web."""
        try:
            url = tidy(url)
            key = canonical(url)
        except ValueError:
            return None
        if key is None or not url.startswith(("http://", "https://")):
            return None
        counted = pattern(url) if kind == "page" else None
        return Found(key, url, origin_of(url), depth, kind, _RANKS[kind], 0, referrer, None, counted)

    def listed(self, entries: list[Entry], source: str) -> Iterator[Found]:
        """The pages that a sitemap or feed names. They are no trap, so they are not counted by pattern."""
        for entry in entries:
            page = None if entry.is_sitemap else self.found(entry.url, 1, "page", source)
            if page is not None and self.is_wanted(page):
                yield replace(page, pattern=None)

    def add_sitemaps(self, urls: Iterator[str] | tuple[str, ...]) -> None:
        """Add sitemaps, as many as are read of one site."""
        for url in urls:
            if self._frontier.count(kind="sitemap") >= MOST_SITEMAPS:
                return
            if (found := self.found(url, 0, "sitemap")) is not None:
                self._frontier.add([found], self.bounds.settings.per_pattern)

    def adopt(self, url: str) -> None:
        """Let the host of an address belong to the site."""
        self.bounds = replace(self.bounds, hosts=self.bounds.hosts | {urlsplit(url).netloc})
        self._frontier.note("hosts", sorted(self.bounds.hosts))


def origin_of(url: str) -> str:
    """Scheme and host of an address."""
    parts = urlsplit(url)
    return f"{parts.scheme}://{parts.netloc}"
