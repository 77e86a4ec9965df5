"""Decide which addresses a crawl fetches: links, sitemaps and redirects within the bounds of the site, with guards against traps.

A trap is an endless part of a site: a calendar that links to its next month, relative links that go ever deeper, filters in every
combination. Traps that show in a single address are refused here; the frontier bounds the number of addresses of one pattern.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from functools import cached_property
from urllib.parse import parse_qsl, urlsplit

from tamis.crawl.frontier import Found, Frontier, Kind
from tamis.crawl.settings import CrawlSettings
from tamis.crawl.sitemaps import MOST_SITEMAPS, Entry
from tamis.io.addresses import Patterns, canonical, normalize_url, read_address
from tamis.io.files import is_web
from tamis.io.naming import named
from tamis.layer.siblings import OTHER_FILES
from tamis.page.hyperlinks import Hyperlink

LONGEST_ADDRESS = 2_000
MOST_SEGMENTS = 20  #: parts of a path; deeper ones come from relative links gone wrong
MOST_REPEATS = 3  #: how often one part may occur in a path, unless it is a number: /files/1/1/1/1/11111/
PROBES = 2  #: addresses of one kind of file that are asked for before the others are taken for files
MOST_KEYS = 8  #: names in a query; filters have more
_RANKS: dict[Kind, float] = {"sitemap": 0.0, "feed": 0.5, "page": 1.0}


@dataclass(frozen=True)
class Bounds:
    """The part of the web that a crawl stays in."""

    start: str  #: address of the start page
    settings: CrawlSettings
    hosts: frozenset[str] = field(default_factory=frozenset)
    """Hosts that belong to the site besides that of the start page: where it redirected to."""

    @cached_property
    def _hosts(self) -> frozenset[str]:
        return frozenset(map(named, self.hosts | {urlsplit(self.start).netloc}))

    @cached_property
    def _patterns(self) -> Patterns:
        return Patterns(self.settings.include, self.settings.exclude)

    def is_home(self, url: str) -> bool:
        """Return whether an address is of the site's hosts; ``www.example.org`` and ``example.org`` are one."""
        host = named(urlsplit(url).netloc)
        return host in self._hosts or (self.settings.scope == "domain" and any(host.endswith(f".{each}") for each in self._hosts))

    def refusal(self, url: str) -> str | None:
        """Return why an address (:func:`normalize_url`) is not fetched, in a few words; None if it is."""
        parts = urlsplit(url)
        if parts.scheme not in ("http", "https"):
            return "not of the web"
        if not self.is_home(url):
            return "another host"
        if self.settings.scope == "path" and not parts.path.startswith(urlsplit(self.start).path.rpartition("/")[0] + "/"):
            return "outside of the folder"
        if (unwanted := self._patterns.refusal(url)) is not None:
            return unwanted
        return trap(url)


def trap(url: str) -> str | None:
    """Return the part of an address that looks like a trap; None without one.

    >>> trap("https://example.org/a/b/a/b/a/b/a/b"), trap("https://example.org/history/1848/05/")
    ('trap: a part of the path comes again and again', None)
    """
    if len(url) > LONGEST_ADDRESS:
        return "trap: a very long address"
    parts = urlsplit(url)
    segments = [segment for segment in parts.path.split("/") if segment]
    if len(segments) > MOST_SEGMENTS:
        return "trap: a very deep path"
    if max(Counter(part for part in segments if not part.isdecimal()).values(), default=0) > MOST_REPEATS:
        return "trap: a part of the path comes again and again"
    names = [name for name, _ in parse_qsl(parts.query, keep_blank_values=True)]
    if len(names) > MOST_KEYS or max(Counter(names).values(), default=0) > MOST_REPEATS:
        return "trap: a query of many fields"
    return None


def pattern(url: str) -> str | None:
    """Return the kind that an address counts for, if there may be no end of them: addresses that differ in numbers, or queries of one path.

    >>> pattern("https://example.org/calendar/2019/05/"), pattern("https://example.org/shop?size=3&color=red")
    ('example.org/calendar/0/0', 'example.org/shop?')
    >>> pattern("https://example.org/2019/05/the-tide-turns.html")
    """
    address = read_address(url)
    if address.query:
        return "/".join((address.host, *address.segments)) + "?"
    if address.pattern and "0" in address.pattern[-1]:
        return "/".join((address.host, *address.pattern))
    return None


def file_kind(url: str) -> str | None:
    """Return the suffix of an address that is called like a file, with the pattern of its folder; None for the name of a page.

    >>> file_kind("https://example.org/media/2024/05/tide.JPG"), file_kind("https://example.org/wiki/Node.js")
    ('example.org/media/0/0/.jpg', 'example.org/wiki/.js')
    >>> file_kind("https://example.org/tides.html")
    """
    address = read_address(url)
    _, dot, suffix = address.leaf.lower().rpartition(".")
    return "/".join((address.host, *address.pattern[:-1], f".{suffix}")) if dot and suffix in OTHER_FILES else None


class Files:
    """Addresses that look like files. Some are pages (``/wiki/Node.js``), so :data:`PROBES` of a kind (:func:`file_kind`) are requested; if
    none of them is a page, the others of that kind are not fetched. For other files only the headers are read."""

    def __init__(self) -> None:
        self._others: Counter[str] = Counter()
        self._pages: set[str] = set()

    def note(self, url: str, *, is_page: bool) -> None:
        """Note what an address called like a file turned out to be."""
        kind = file_kind(url)
        if kind is not None and is_page:
            self._pages.add(kind)
        elif kind is not None:
            self._others[kind] += 1

    def refusal(self, url: str) -> str | None:
        """Return why an address is not fetched; None if it is."""
        kind = file_kind(url)
        return "not a page by its name" if kind not in self._pages and self._others[kind or ""] >= PROBES else None


class Finder:
    """Turns addresses into entries of the frontier. What is not wanted is noted there as skipped, with the reason."""

    def __init__(self, frontier: Frontier, bounds: Bounds) -> None:
        self._frontier = frontier
        self.bounds = bounds
        self.files = Files()

    def wanted(self, links: list[Hyperlink], depth: int, referrer: str) -> Iterator[Found]:
        """Yield the links that lead to pages of the site; others are noted as skipped."""
        for link in links:
            if link.is_feed:
                feed = self.found(link.url, depth - 1, "feed", referrer)  # it belongs to its page, and its entries are one link away
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
        """Return whether a page is within the bounds."""
        refusal = self.bounds.refusal(found.url) or self.files.refusal(found.url)
        if refusal is not None and not self._frontier.knows(found.key):
            self._frontier.skip(found.key, refusal)
        return refusal is None

    def found(self, url: str, depth: int, kind: Kind, referrer: str | None = None) -> Found | None:
        """Return an address as an entry; None if it is not one of the web."""
        try:
            url = normalize_url(url)
            key = canonical(url)
        except ValueError:
            return None
        if key is None or not is_web(url):
            return None
        counted = pattern(url) if kind == "page" else None
        return Found(key, url, origin_of(url), depth, kind, _RANKS[kind], 0, referrer, None, counted)

    def listed(self, entries: list[Entry], source: str) -> Iterator[Found]:
        """Yield the pages that a sitemap or feed names. They are not counted by pattern, since they cannot be a trap."""
        for url, is_sitemap in entries:
            page = None if is_sitemap else self.found(url, 1, "page", source)
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
