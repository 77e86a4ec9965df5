"""Same-layer mode: of a page's links, the k best pages at the same node of the site that are not of the same article.

Step 1 of same-layer noise removal. The page's links are ranked (:func:`tamis.layer.siblings.rank_siblings`) and fetched one by one until
``k`` siblings are found. If no link has the pattern of the page, the links of the linked pages and of the folders above are candidates,
too. Only the page and its siblings are kept.
"""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any
from urllib.parse import urljoin, urlsplit

from tamis.crawl.frontier import Found, FrontierItem, State
from tamis.crawl.settings import CrawlSettings
from tamis.crawl.work import Crawl, Read, Tell
from tamis.io.pages import ArchivedSource, HeldPage, Source
from tamis.io.sources import open_sources
from tamis.layer.siblings import SAME_PATTERN, TRIES, SeenPage, Sibling, objection, rank_siblings, see
from tamis.page.hyperlinks import Hyperlink

_ALIKE, _FOLDER, _OTHER = 0.0, 1_000_000.0, 2_000_000.0  #: ranks: pages of the same pattern, the folders above the page, other pages


class SameLayerCrawl(Crawl):
    """A crawl that ends when it has k same-layer pages of its start page."""

    def __init__(self, start: str, settings: CrawlSettings, folder: Path, tell: Tell, **how: Any) -> None:
        # One request at a time: what the last page was decides which is next. Nofollow is about ranking in search engines, not siblings.
        settings = replace(settings, connections=1, sitemaps=False, feeds=False, depth=None, pages=1 + (settings.same_layer or 1))
        super().__init__(start, settings, folder, tell, **how)
        self._page: SeenPage | None = None
        self._siblings: list[SeenPage] = []
        for source in open_sources(sorted(folder.glob("pages-*.warc.gz"))):
            if isinstance(source, ArchivedSource):
                self._remember(in_memory(source))

    def _remember(self, page: SeenPage) -> None:
        if self._page is None:
            self._page = page
        else:
            self._siblings.append(page)

    @property
    def room(self) -> int:
        """Return how many more pages may be requested now: 0 after enough tries."""
        tried = self.frontier.count(State.SKIPPED, "page") + self.frontier.count(State.FAILED, "page")
        return 0 if tried >= TRIES else super().room

    def _take(self, item: FrontierItem, page: Read) -> None:
        seen = SeenPage(page.tree, page.answer.url)
        if self._page is None:
            with self.frontier.settled():
                self._rank(seen, seen, item.depth + 1)
                self._save(item, page, role="page")
            self._remember(seen)
            return self._told_page(item)
        with self.frontier.settled():
            new = self._rank(self._page, seen, item.depth + 1)
            reason = self._objection(item, seen, new)
            if reason is None:
                self._save(item, page, role="sibling")
            else:
                self.frontier.settle(item, State.SKIPPED, page.answer.status, reason)
        if reason is not None:
            return self._tell({"event": "skipped", "url": item.url, "reason": reason})
        self._remember(seen)
        return self._told_page(item)

    def _objection(self, item: FrontierItem, seen: SeenPage, new: int) -> str | None:
        assert self._page is not None
        is_taken = item.rank < _FOLDER or (item.rank >= _OTHER and not new)
        return objection(self._page, self._siblings, seen) or (None if is_taken else "of another pattern; asked for its links")

    def _rank(self, page: SeenPage, at: SeenPage, depth: int) -> int:
        """Add the links of a page as candidates: how many of the pattern that is wanted were new."""
        url = page.url or ""
        found = {}
        for link in at.links:
            entry = self._candidate(link, depth, at.url)
            if entry is not None:
                found[entry.url] = entry
        new = 0
        for position, sibling in enumerate(rank_siblings(url, found)):
            entry = replace(found[sibling.url], rank=_rank_of(sibling, position))
            new += self.frontier.add([entry], self.settings.per_pattern) * (entry.rank < _FOLDER)
        if at is page:
            above = (self._candidate(Hyperlink(folder, frozenset()), depth, None) for folder in _folders(url))
            folders = [replace(entry, rank=_FOLDER + k) for k, entry in enumerate(above) if entry is not None]
            self.frontier.add(folders, self.settings.per_pattern)
        return new

    def _candidate(self, link: Hyperlink, depth: int, referrer: str | None) -> Found | None:
        if link.declared:
            return None
        found = self.finder.found(link.url, depth, "page", referrer)
        return found if found is not None and self.finder.is_wanted(found) else None


def _rank_of(sibling: Sibling, position: int) -> float:
    """Rank pages of the pattern first; within them, those of the same folder, then by likeness, coarsely: ranks of several pages meet."""
    base = _ALIKE if sibling.likeness >= SAME_PATTERN else _OTHER
    return base + 1000.0 * (not sibling.same_directory) + 100.0 * (1 - sibling.likeness) + min(position, 999) / 1000


def _folders(url: str) -> list[str]:
    """Return the addresses of the folders above a page, the nearest first.

    >>> _folders("https://example.org/news/2019/tides.html")
    ['https://example.org/news/2019/', 'https://example.org/news/', 'https://example.org/']
    """
    segments = [segment for segment in urlsplit(url).path.split("/") if segment][:-1]
    return [urljoin(url, "/" + "".join(f"{segment}/" for segment in segments[:k])) for k in range(len(segments), -1, -1)]


def in_memory(source: Source) -> SeenPage:
    """Return a crawled page in memory, so that it outlives its folder."""
    served = source.read()
    return replace(see(HeldPage(served.url or source.name, served.html, served.url, served.content_type)), url=served.url)
