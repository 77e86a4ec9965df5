"""robots.txt: what a host allows (protego), and how it is read where it is missing or broken (RFC 9309)."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from tamis.io.addresses import joined

TOKEN = "tamis"
"""The name by which a host can address the crawler."""
LARGEST = 500_000
"""Bytes that are read, as the RFC asks for at least."""


@dataclass(frozen=True)
class Robots:
    """What one host allows."""

    rules: Any = None
    """The parsed rules; None: everything is allowed, or nothing."""
    reachable: bool = True
    """Whether the host answered; one whose robots.txt fails is not to be crawled."""
    sitemaps: tuple[str, ...] = ()
    delay: float = field(default=0.0)
    """Seconds between requests that the host asks for."""
    trouble: str | None = None
    """Why nothing may be fetched, where robots.txt could not be had."""

    def allows(self, url: str) -> bool:
        """Whether a page may be fetched."""
        if not self.reachable:
            return False
        try:
            return True if self.rules is None else bool(self.rules.can_fetch(url, TOKEN))
        except ValueError:  # an address that the rules cannot be held against
            return False


def read_robots(status: int | None, body: bytes, url: str) -> Robots:
    """The rules of a host from the answer to its robots.txt.

    Args:
        status: of the answer; None: there was none.
        body: of the answer.
        url: of robots.txt.

    As RFC 9309 says: found, the rules hold; missing (4xx), everything is allowed; not to be had (5xx, no answer), nothing is.
    """
    from protego import Protego

    if status is None or status >= 500 or status == 429:
        return Robots(reachable=False, trouble="robots.txt could not be read, so nothing may be fetched")
    if not 200 <= status < 300:
        return Robots()
    rules = Protego.parse(body[:LARGEST].decode("utf-8", "replace"))
    rate = rules.request_rate(TOKEN)
    asked = (rules.crawl_delay(TOKEN) or 0.0, rate.seconds / rate.requests if rate and rate.requests else 0.0)
    delay = max(seconds if seconds > 0 else 0.0 for seconds in asked)  # not a number counts as none
    return Robots(rules, True, tuple(filter(None, (joined(url, sitemap) for sitemap in rules.sitemaps))), float(delay))
