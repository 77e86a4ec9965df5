"""Settings of a crawl: what it may fetch, how fast, and within which bounds."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Literal, get_args

import tamis
from tamis.errors import UsageError, check_numbers
from tamis.io.addresses import Patterns

Scope = Literal["path", "host", "domain"]
"""``path``: addresses below the folder of the start page; ``host``: those of its host; ``domain``: also of hosts below that."""


@dataclass(frozen=True, slots=True)
class CrawlSettings:
    """Settings of a crawl; the defaults are polite.

    Raises:
        UsageError: a number is out of its range, or a scope, pattern or name is invalid.
    """

    scope: Scope = "host"
    include: tuple[str, ...] = ()
    """Fetch only pages whose path with query matches one of these patterns, such as ``/news/*``; one that starts with ``http`` is
    compared with the whole address. The start page is always fetched."""
    exclude: tuple[str, ...] = ()
    """Do not fetch pages that match one of these patterns."""
    depth: int | None = None
    """Most links between the start page and a page; None: any. Pages of a sitemap count as one link away."""
    pages: int | None = 1_000
    """Most pages that are saved; None: any number."""
    sitemaps: bool = True
    """Read the site's sitemaps: those that robots.txt names, else ``/sitemap.xml``."""
    feeds: bool = False
    """Read the feeds that pages declare."""
    robots: bool = True
    """Obey robots.txt: what it disallows, and its ``Crawl-delay``."""
    nofollow: bool = True
    """Do not follow links that a page marks ``nofollow``, by link, ``meta`` or header."""
    connections: int = 1
    """Requests to one host at the same time."""
    delay: float | None = None
    """Seconds between the starts of two requests to a host; None: the time that the host takes to answer, at least 0.25 seconds."""
    longest_delay: float = 60.0
    """Most seconds of delay that robots.txt may ask for."""
    timeout: float = 30.0
    """Seconds for one page as a whole, from the connection to the last byte."""
    max_bytes: int = 20_000_000
    """Most bytes of a page, compressed or not."""
    redirects: int = 10
    """Most redirects in a row."""
    retries: int = 2
    """Further tries after no connection, an early end, a timeout, or status 429, 500, 502, 503, 504."""
    longest_wait: float = 300.0
    """Most seconds to wait before a further try; if a server asks for more (``Retry-After``), the address fails."""
    per_pattern: int = 2_000
    """Most linked addresses of one pattern (those of sitemaps do not count): a bound on calendars and the like."""
    user_agent: str | None = None
    """None: ``tamis/VERSION``, with :attr:`contact`."""
    contact: str | None = None
    """An address, added to the user agent, where the owner of a site can learn who is crawling."""
    allow_private: bool = False
    """Also connect to private, loopback and link-local addresses."""
    archive_bytes: int = 1_000_000_000
    """Bytes after which another WARC file is begun."""
    same_layer: int | None = None
    """Fetch only this many same-layer pages of the start page."""

    def __post_init__(self) -> None:
        if self.scope not in get_args(Scope):
            raise UsageError(f"scope is {', '.join(get_args(Scope))}, not {self.scope}")
        check_numbers(
            self,
            positive=("connections", "timeout", "max_bytes", "per_pattern", "archive_bytes", "pages", "same_layer"),
            natural=("depth", "delay", "longest_delay", "redirects", "retries", "longest_wait"),
        )
        Patterns(self.include, self.exclude)  # which checks them
        for name in ("user_agent", "contact"):
            if (text := getattr(self, name)) is not None and not re.fullmatch(r"[\x20-\x7e]+", text):
                raise UsageError(f"{name} must be printable ASCII, not {text!r}")

    @property
    def agent(self) -> str:
        """The user agent that requests carry."""
        return self.user_agent or f"tamis/{tamis.__version__}" + (f" (+{self.contact})" if self.contact else "")
