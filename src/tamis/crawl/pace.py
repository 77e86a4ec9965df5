"""How fast one host is asked: connections, delay, pauses that it asks for."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime

from tamis.crawl.settings import CrawlSettings

LEAST_DELAY = 0.25
"""Seconds between requests where the delay is as long as the host takes to answer."""
FIRST_WAIT = 1.0
"""Seconds before a second try; each further one waits twice as long."""


@dataclass(slots=True)
class Host:
    """What is known of one host in this run."""

    asked: float = 0.0
    """Seconds between requests that robots.txt asks for."""
    active: int = 0
    """Requests on their way."""
    ready: float = 0.0
    """When the next request may start, in seconds."""
    latency: float = LEAST_DELAY
    """Seconds the host takes to answer, smoothed as Scrapy's AutoThrottle does it."""

    def delay(self, settings: CrawlSettings) -> float:
        """Seconds between the starts of two requests."""
        own = settings.delay if settings.delay is not None else max(LEAST_DELAY, self.latency / settings.connections)
        return max(own, min(self.asked, settings.longest_delay) if settings.robots else 0.0)

    def start(self, now: float, settings: CrawlSettings) -> None:
        """A request starts."""
        self.active += 1
        self.ready = max(self.ready, now + self.delay(settings))

    def learn(self, latency: float, success: bool) -> None:
        """How long an answer took. Errors are quick, and no reason to ask faster."""
        smoothed = max(latency, (self.latency + latency) / 2)
        if success or smoothed > self.latency:
            self.latency = smoothed

    def pause(self, until: float) -> None:
        """Leave the host alone until a time."""
        self.ready = max(self.ready, until)


def backoff(tries: int) -> float:
    """Seconds to wait after this many tries.

    >>> backoff(1), backoff(2), backoff(3)
    (1.0, 2.0, 4.0)
    """
    return FIRST_WAIT * 2.0 ** min(max(tries - 1, 0), 20)


def retry_after(header: str | None, now: datetime) -> float | None:
    """Seconds that a ``Retry-After`` header asks for, as a number or a date; None where it says nothing that can be read.

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
