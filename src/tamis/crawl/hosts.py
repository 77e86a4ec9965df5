"""The hosts of a crawl: what their robots.txt allows (RFC 9309), and how fast they are asked."""

from __future__ import annotations

import math
import re
from dataclasses import dataclass
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from typing import Any

from tamis.crawl.settings import CrawlSettings
from tamis.io.addresses import joined

TOKEN = "tamis"  #: the name by which a host can address the crawler
ROBOTS_BYTES = 512_000  #: bytes of robots.txt that are read, the rest is ignored; the RFC asks for at least 500 kibibytes
LEAST_DELAY = 0.25  #: fewest seconds between requests if the delay is as long as the host takes to answer
MOST_REFUSALS = 3  #: answers in a row that ask for too long a pause, until the host is left alone
FIRST_WAIT = 1.0  #: seconds before a second try; each further one waits twice as long
_VERSION = re.compile(r"(?im)^([ \t]*user-agent[ \t]*:[ \t]*[a-z_-]+)/[^\r\n]*")
"""A version behind the name of a crawler: the name alone counts (RFC 9309, section 2.2.1)."""


@dataclass(frozen=True)
class Robots:
    """Rules of one host's robots.txt."""

    rules: Any = None  #: the parsed rules; None: everything is allowed, or nothing
    sitemaps: tuple[str, ...] = ()
    delay: float = 0.0  #: seconds between requests that the host asks for
    trouble: str | None = None  #: why nothing may be fetched, if robots.txt could not be read

    def allows(self, url: str) -> bool:
        """Return whether a page may be fetched."""
        if self.trouble is not None or self.rules is None:
            return self.trouble is None
        try:
            return bool(self.rules.can_fetch(url, TOKEN))
        except ValueError:  # an address that cannot be compared with the rules
            return False


def read_robots(status: int, body: bytes, url: str) -> Robots:
    """Return the rules of a host from the answer to its robots.txt at ``url`` (RFC 9309). If it is missing (4xx), everything is allowed; if
    it cannot be fetched (429, 5xx), nothing is."""
    from protego import Protego

    if status >= 500 or status == 429:
        return Robots(trouble="robots.txt could not be read, so nothing may be fetched")
    if not 200 <= status < 300:
        return Robots()
    if len(body) > ROBOTS_BYTES:
        body = body[:ROBOTS_BYTES].rpartition(b"\n")[0]  # half a line may forbid more than the whole line
    rules = Protego.parse(_VERSION.sub(r"\1", body.decode("utf-8-sig", "replace")))
    rate = rules.request_rate(TOKEN)
    asked = (rules.crawl_delay(TOKEN) or 0.0, rate.seconds / rate.requests if rate and rate.requests else 0.0)
    delay = max(seconds if seconds > 0 else 0.0 for seconds in asked)  # not a number counts as none
    return Robots(rules, tuple(filter(None, (joined(url, sitemap) for sitemap in rules.sitemaps))), float(delay))


@dataclass(slots=True)
class Host:
    """State of one host in this run."""

    asked: float = 0.0  #: seconds between requests that robots.txt asks for
    active: int = 0  #: requests on their way
    ready: float = 0.0  #: when the next request may start, in seconds
    refusals: int = 0  #: answers in a row that ask for a longer pause than the crawl allows
    latency: float = LEAST_DELAY  #: seconds the host takes to answer, smoothed as Scrapy's AutoThrottle does it

    def delay(self, settings: CrawlSettings) -> float:
        """Return seconds between the starts of two requests."""
        own = settings.delay if settings.delay is not None else max(LEAST_DELAY, self.latency / settings.connections)
        return max(own, min(self.asked, settings.longest_delay) if settings.robots else 0.0)

    def start(self, now: float, settings: CrawlSettings) -> None:
        """Note that a request starts."""
        self.active += 1
        self.ready = max(self.ready, now + self.delay(settings))

    def refuse(self) -> None:
        """Note that the host asks for a longer pause than the crawl allows. If it keeps asking, it is left alone in this run."""
        self.refusals += 1
        if self.refusals >= MOST_REFUSALS:
            self.ready = math.inf

    def learn(self, latency: float, success: bool) -> None:
        """Note the time that an answer took. Errors are quick, and not a reason to ask faster."""
        smoothed = max(latency, (self.latency + latency) / 2)
        if success or smoothed > self.latency:
            self.latency = smoothed


def retry_after(header: str | None, now: datetime) -> float | None:
    """Return seconds that a ``Retry-After`` header asks for, as a number or a date; None if it says nothing that can be read.

    >>> retry_after("120", datetime.now(UTC))
    120.0
    >>> retry_after("Fri, 31 Dec 1999 23:59:59 GMT", datetime(1999, 12, 31, 23, 59, 29, tzinfo=UTC))
    30.0
    """
    header = (header or "").strip()
    if header.isdecimal():
        return float(header)
    try:
        when = parsedate_to_datetime(header)
        return max((when if when.tzinfo else when.replace(tzinfo=UTC)).timestamp() - now.timestamp(), 0.0)
    except (ValueError, TypeError, OverflowError):
        return None
