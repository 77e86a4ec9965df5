"""The work of a crawl without the network: which address is next, and what its answer leads to."""

from __future__ import annotations

import json
import math
import sqlite3
from collections.abc import Callable, Iterator
from dataclasses import asdict, dataclass, replace
from datetime import UTC, datetime
from itertools import count
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from tamis.crawl.earlier import NOT_MODIFIED, EarlierCrawl, conditions, updated
from tamis.crawl.frontier import Found, Frontier, FrontierItem, Kind, State
from tamis.crawl.hosts import FIRST_WAIT, ROBOTS_BYTES, Host, Robots, read_robots, retry_after
from tamis.crawl.output import Output, saved_pages
from tamis.crawl.scope import Bounds, Finder, origin_of
from tamis.crawl.settings import CrawlSettings
from tamis.crawl.sitemaps import LARGEST, read_feed, read_sitemap
from tamis.document.metadata import read_metadata
from tamis.errors import SourceError, UsageError
from tamis.io.addresses import canonical, joined, normalize_url
from tamis.io.answers import Answer, reason_phrase
from tamis.io.files import CRAWL_FAILURES, is_web
from tamis.io.warc import HTML_TYPES, read_answer
from tamis.page.content import ContentError, TooLargeError
from tamis.page.decode import Encoding, is_binary
from tamis.page.hyperlinks import hyperlinks, robots_meta
from tamis.page.parsing import parse_decoded
from tamis.page.tree import PageTree

Tell = Callable[[dict[str, Any]], None]
_TRANSIENT = frozenset({429, 500, 502, 503, 504})
_BUSY = frozenset({429, 503})  #: the whole host wants a pause
_BOUNDS = ("scope", "include", "exclude", "per_pattern", "robots", "nofollow", "feeds")  #: settings that say which addresses are wanted
_ROBOTS_HOPS = 5
_OF_THE_PAGE = (SourceError, sqlite3.DataError, sqlite3.InterfaceError, sqlite3.ProgrammingError, sqlite3.IntegrityError)
"""Errors that come from the content of a page and not from the disk: values that no database can hold."""


@dataclass(frozen=True, slots=True)
class Read:
    """A page that was fetched."""

    tree: PageTree
    encoding: Encoding | None
    answer: Answer


class Crawl:
    """One crawl: frontier, output, and the hosts of this run."""

    def __init__(
        self,
        start: str,
        settings: CrawlSettings,
        folder: Path,
        tell: Tell,
        *,
        retry_failed: bool = False,
        earlier: EarlierCrawl | None = None,
    ) -> None:
        """Begin a crawl, or resume the one in the folder.

        Raises:
            UsageError: the folder holds the crawl of another start page, or another process is writing to it.
            SourceError: the folder's files are damaged.
        """
        start = normalize_url(start)
        self.settings = settings
        self.frontier = Frontier(folder)
        try:
            self._begin(start, retry_failed)
            self.output = Output(folder, self.frontier, settings.archive_bytes, {"http-header-user-agent": settings.agent, "seed": start})
            self.finder = Finder(self.frontier, Bounds(start, settings, frozenset(self.frontier.fact("hosts", ()))))
            self._note_settings(folder)
        except BaseException:
            self.frontier.close()
            raise
        self._tell = tell
        self._active: dict[int, FrontierItem] = {}
        self._earlier = earlier
        self._held: dict[int, Answer] = {}  #: earlier answers of the pages that are being asked for, by the identity of the item
        self._hosts: dict[str, Host] = {}
        self._robots: dict[str, Robots | None] = {}  #: by origin; None: it is being fetched
        self._robots_at: dict[str, tuple[FrontierItem, float]] = {}  #: the robots.txt to fetch, and when
        self._unsaved = count(-1, -1)  #: identities of addresses that are not in the frontier
        self.saved = self.frontier.count(State.DONE, "page")
        self.bytes = self.frontier.size()

    def _begin(self, start: str, retry_failed: bool) -> None:
        if not self.frontier.count(State.DONE, "page"):  # what failed at the start may work now
            with self.frontier.settled():
                self.frontier.forget_addresses()
                self.frontier.set_length(CRAWL_FAILURES, 0)
        known = self.frontier.fact("start")
        mode = "same layer" if self.settings.same_layer else "site"
        if known is not None and (known, self.frontier.fact("mode")) != (start, mode):
            raise UsageError(f"the folder holds a crawl of {known} ({self.frontier.fact('mode')}); name another folder, or --overwrite")
        with self.frontier.settled():
            if known is None:
                self.frontier.add([Found(canonical(start) or start, start, origin_of(start), 0, rank=-1.0)], self.settings.per_pattern)
                self.frontier.note("start", start)
                self.frontier.note("mode", mode)
            if retry_failed:
                self.frontier.revive_failed()
                self.frontier.set_length(CRAWL_FAILURES, 0)

    def _note_settings(self, folder: Path) -> None:
        """Note the settings of this run. If other addresses belong to the site now, look for them again in the saved pages."""
        before, settings = self.frontier.fact("settings"), json.loads(json.dumps(asdict(self.settings)))
        with self.frontier.settled():
            self.frontier.note("settings", settings)
            if before is None or self.settings.same_layer or all(before.get(name) == settings[name] for name in _BOUNDS):
                return
            self.frontier.forget_waiting()
            for entry in saved_pages(folder):
                answer = read_answer(folder / Path(entry["file"]).name, entry["offset"])
                body = answer.body(self.settings.max_bytes, whole=False)
                self._add_links(entry["depth"], Read(*parse_decoded(body, content_type=answer.content_type), answer))

    def close(self) -> None:
        """Close the files."""
        self.output.close()
        self.frontier.close()

    # -- what is next --

    @property
    def room(self) -> int:
        """Return how many more pages may be requested now."""
        if self.settings.pages is None:
            return 1 << 60
        return self.settings.pages - self.saved - sum(item.kind == "page" for item in self._active.values())

    def _kinds(self) -> tuple[Kind, ...]:
        """Return the kinds to fetch now. Sitemaps wait while there are enough pages without them."""
        room = self.room
        if room <= 0:
            return ()
        return ("page",) if self.frontier.count(State.WAITING, "page", self.settings.depth, room) == room else ("page", "sitemap", "feed")

    def due(self, now: float) -> Iterator[FrontierItem]:
        """Yield the addresses that may be requested now; each counts as requested. ``now``: seconds."""
        kinds = self._kinds()
        for origin in self.frontier.hosts() if kinds else ():
            host = self._host(origin)
            while host.active < self.settings.connections and now >= host.ready and (kinds := self._kinds()):
                if origin not in self._robots and not (self.settings.robots or self.settings.sitemaps):
                    self._robots[origin] = Robots()
                item = self._next(origin, now, kinds) if origin in self._robots else self._next_robots(origin, now)
                if item is None:
                    break
                self._active[item.id] = item
                host.start(now, self.settings)
                yield item

    def wait(self, now: float) -> float | None:
        """Return seconds until more may be due; None if that takes an answer first, or nothing is left."""
        kinds = self._kinds()
        times = [when for _, when in self._robots_at.values()]
        for origin in self.frontier.hosts() if kinds else ():
            host = self._host(origin)
            when = self.frontier.next_time(origin, self._active, self.settings.depth, kinds)
            is_free = host.active < self.settings.connections and self._robots.get(origin, True) is not None
            if when is not None and is_free and host.ready < math.inf:
                times.append(max(when, host.ready))
        return max(min(times) - now, 0.0) if times else None

    @property
    def is_over(self) -> bool:
        """Nothing is in progress and nothing is left to fetch."""
        return not self._active and self.wait(0.0) is None

    def _host(self, origin: str) -> Host:
        return self._hosts.setdefault(urlsplit(origin).hostname or "", Host())

    def _next_robots(self, origin: str, now: float) -> FrontierItem | None:
        new = FrontierItem(next(self._unsaved), f"{origin}/robots.txt", origin, "robots", 0, 0, 0, 0.0, None, None)
        item, when = self._robots_at.pop(origin, (new, 0.0))
        if when > now:
            self._robots_at[origin] = item, when
            return None
        self._robots[origin] = None
        return item

    def _next(self, origin: str, now: float, kinds: tuple[Kind, ...]) -> FrontierItem | None:
        robots = self._robots[origin]
        while robots is not None and (item := self.frontier.next(origin, now, self._active, self.settings.depth, kinds)) is not None:
            allowed = not self.settings.robots or robots.allows(item.url)
            refusal = self.finder.files.refusal(item.url) if item.kind == "page" and item.depth else None
            if allowed and refusal is None:
                return item
            if robots.trouble is None:
                self._drop(item, "robots.txt" if refusal is None else refusal)
            else:
                self._fail(item, None, robots.trouble or "")
        return None

    def allows(self, url: str) -> bool:
        """Return whether robots.txt allows an address; True if that of its host was not read."""
        robots = self._robots.get(origin_of(url))
        return robots is None or not self.settings.robots or robots.allows(url)

    def conditions(self, item: FrontierItem) -> dict[str, str]:
        """Return headers of the request for an address, which ask whether the page has changed since the earlier crawl."""
        found = self._earlier.get(item.url) if self._earlier is not None and item.kind == "page" else None
        if found is None:
            return {}
        self._held[item.id] = found
        return conditions(found)

    # -- answers --

    def answered(self, item: FrontierItem, answer: Answer, now: float) -> None:
        """Process an answer."""
        earlier = self._held.get(item.id)
        host = self._left(item)
        host.learn(answer.latency, answer.status == 200)
        if answer.status not in _BUSY:
            host.refusals = 0
        if answer.status in _TRANSIENT:
            asked = retry_after(answer.header("Retry-After"), datetime.fromtimestamp(now, UTC))
            self._again(item, f"status {answer.status} {reason_phrase(answer.status)}", now, asked, answer.status)
        elif answer.status == NOT_MODIFIED and earlier is not None:
            self._read(item, updated(earlier, answer))
        else:
            self._read(item, answer)

    def _read(self, item: FrontierItem, answer: Answer) -> None:
        """Process an answer. An error of tamis fails this address; an error of the disk ends the crawl."""
        try:
            if item.kind == "robots":
                self._read_robots(item, answer)
            elif answer.location is not None:
                self._redirect(item, answer)
            elif item.kind == "page":
                self._read_page(item, answer)
            else:
                self._read_list(item, answer)
        except Exception as error:
            if isinstance(error, (OSError, sqlite3.Error)) and not isinstance(error, _OF_THE_PAGE):
                raise
            self.output.forget()
            self._fail(item, answer.status, f"an error within tamis: {type(error).__name__}: {error}")

    def failed(self, item: FrontierItem, reason: str, passing: bool, now: float) -> None:
        """Record that there was no answer. ``passing``: whether another try may succeed."""
        self._left(item)
        if passing:
            self._again(item, reason, now)
        else:
            self._fail(item, None, reason)

    def _left(self, item: FrontierItem) -> Host:
        del self._active[item.id]
        self._held.pop(item.id, None)
        host = self._host(item.host)
        host.active -= 1
        return host

    def _again(self, item: FrontierItem, reason: str, now: float, asked: float | None = None, status: int | None = None) -> None:
        """Try again later, unless there were enough tries or the server asks for too long a wait."""
        wait = max(asked or 0.0, FIRST_WAIT * 2.0 ** min(item.tries, 20))
        host = self._host(item.host)
        if wait > self.settings.longest_wait:
            if status in _BUSY:
                host.refuse()
            return self._fail(item, status, f"{reason}, and asks to come back in {wait:,.0f} seconds")
        if item.tries >= self.settings.retries:
            return self._fail(item, status, reason)
        if status in _BUSY:
            host.ready = max(host.ready, now + wait)
        if item.kind == "robots":
            self._ask_robots(replace(item, tries=item.tries + 1), now + wait)
        else:
            with self.frontier.settled():
                self.frontier.postpone(item, now + wait)
        return self._tell({"event": "again", "url": item.url, "reason": reason, "seconds": wait})

    # -- robots.txt --

    def _ask_robots(self, item: FrontierItem, when: float) -> None:
        self._robots_at[item.host] = item, when
        del self._robots[item.host]

    def _read_robots(self, item: FrontierItem, answer: Answer) -> None:
        if answer.location is not None and item.hops < _ROBOTS_HOPS:
            target = joined(answer.url, answer.location)
            if target is not None and is_web(target):
                return self._ask_robots(replace(item, url=target, hops=item.hops + 1), 0.0)
        body = answer.body(ROBOTS_BYTES + 1, whole=False)
        return self._settle_robots(item, read_robots(answer.status, body, answer.url))

    def _settle_robots(self, item: FrontierItem, robots: Robots) -> None:
        self._robots[item.host] = robots
        host = self._host(item.host)
        host.asked = max(host.asked, robots.delay)
        if robots.trouble is not None:
            self._tell({"event": "robots", "url": item.url, "reason": robots.trouble})
        if not self.settings.sitemaps or self.settings.same_layer or not self.finder.bounds.is_home(item.host):
            return
        named = robots.sitemaps or ((f"{item.host}/sitemap.xml",) if robots.trouble is None else ())
        with self.frontier.settled():
            self.finder.add_sitemaps(named)

    # -- pages --

    def _redirect(self, item: FrontierItem, answer: Answer) -> None:
        found = self.finder.found(joined(answer.url, answer.location or "") or "", item.depth, item.kind)
        if found is None:
            return self._fail(item, answer.status, "redirects to what is not a web address")
        if found.key == canonical(item.url):
            return self._fail(item, answer.status, "redirects to itself")
        if item.via is not None and found.key == canonical(item.via):
            return self._fail(item, answer.status, "redirects in a circle")
        if item.hops >= self.settings.redirects:
            return self._fail(item, answer.status, f"redirects more than {self.settings.redirects} times")
        if item.depth == 0 and item.kind == "page" and not self.finder.bounds.is_home(found.url):
            with self.frontier.settled():
                self.finder.adopt(found.url)
        refusal = self.finder.bounds.refusal(found.url) if item.kind == "page" and item.depth else None
        if refusal is not None:
            return self._drop(item, f"redirect: {refusal}", answer.status)
        target = replace(found, rank=item.rank, hops=item.hops + 1, referrer=item.referrer, via=item.via or item.url)
        with self.frontier.settled():
            self.frontier.add([target], self.settings.per_pattern)
            self.frontier.settle(item, State.SKIPPED, answer.status, "redirect")
        self._tell({"event": "skipped", "url": item.url, "reason": "redirect"})
        return None

    def _read_list(self, item: FrontierItem, answer: Answer) -> None:
        if answer.status != 200:
            return self._drop(item, f"no {item.kind}", answer.status)
        try:
            body = answer.body(max(self.settings.max_bytes, LARGEST))
        except ContentError as error:
            return self._fail(item, answer.status, str(error))
        entries = (read_sitemap if item.kind == "sitemap" else read_feed)(body, answer.url)
        with self.frontier.settled():
            self.finder.add_sitemaps(url for url, is_sitemap in entries if is_sitemap)
            self.frontier.add(self.finder.listed(entries, answer.url), self.settings.per_pattern)
            self.frontier.settle(item, State.DONE, answer.status)
        self._tell({"event": item.kind, "url": item.url, "entries": len(entries)})
        return None

    def _read_page(self, item: FrontierItem, answer: Answer) -> None:
        if not 200 <= answer.status < 300:
            return self._fail(item, answer.status, f"status {answer.status} {reason_phrase(answer.status)}".rstrip())
        is_page = may_be_page(answer)
        self.finder.files.note(item.url, is_page=is_page and bool(answer.kind))
        if not is_page:
            return self._drop(item, f"type {answer.kind[:60]}", answer.status)
        try:
            body = answer.body(self.settings.max_bytes)
        except ContentError as error:
            return self._fail(item, answer.status, f"{error}, unpacked (--max-bytes)" if isinstance(error, TooLargeError) else str(error))
        if is_binary(body):
            return self._drop(item, "binary data", answer.status)
        tree, encoding = parse_decoded(body, content_type=answer.content_type)
        self._take(item, Read(tree, encoding, answer))
        return None

    def _take(self, item: FrontierItem, page: Read) -> None:
        with self.frontier.settled():
            self._add_links(item.depth, page)
            self._save(item, page)
        self._told_page(item)

    def _add_links(self, depth: int, page: Read) -> None:
        """Add what a page links to, within a transaction."""
        answer, settings = page.answer, self.settings
        header = {word.strip() for name, value in answer.headers if name.lower() == "x-robots-tag" for word in value.lower().split(",")}
        asks_nofollow = bool({"nofollow", "none"} & (header | robots_meta(page.tree)))
        if not (settings.nofollow and asks_nofollow):
            links = hyperlinks(page.tree, answer.url, page.encoding.name if page.encoding is not None else "utf-8")
            self.frontier.add(self.finder.wanted(links, depth + 1, answer.url), settings.per_pattern)

    def _save(self, item: FrontierItem, page: Read, **more: Any) -> None:
        """Write a page to the output and settle it, within a transaction; comes last in it, since files cannot be rolled back."""
        answer = page.answer
        time, charset = answer.started.isoformat(timespec="milliseconds"), page.encoding.name if page.encoding is not None else None
        about = {"url": item.url, "status": answer.status, "time": time, "type": answer.content_type, "charset": charset}
        about |= {"digest": None}  # known when the page is written
        about |= {"title": read_metadata(page.tree, answer.url, ("title",)).title, "depth": item.depth, "referrer": item.referrer}
        about |= {"redirected_from": item.via, "unchanged": answer.confirmed}
        self.output.page(answer, about | more)
        status, sent = (NOT_MODIFIED, 0) if answer.confirmed else (answer.status, len(answer.raw))
        self.frontier.settle(item, State.DONE, status, None, sent)
        self.saved += 1
        self.bytes += sent

    def _told_page(self, item: FrontierItem) -> None:
        self._tell({"event": "page", "url": item.url, "pages": self.saved, "bytes": self.bytes})

    # -- ends --

    def _drop(self, item: FrontierItem, reason: str, status: int | None = None) -> None:
        """Settle an address that is not kept without being a failure."""
        with self.frontier.settled():
            self.frontier.settle(item, State.SKIPPED, status, reason)
        self._tell({"event": "skipped", "url": item.url, "reason": reason})

    def _fail(self, item: FrontierItem, status: int | None, reason: str) -> None:
        """Settle an address that failed. Without robots.txt, nothing may be fetched."""
        if item.kind == "robots":
            trouble = reason if status is None else f"robots.txt could not be read ({reason}), so nothing may be fetched"
            return self._settle_robots(item, Robots(trouble=trouble))
        entry = {"url": item.url, "status": status, "reason": reason, "tries": item.tries + 1, "kind": item.kind}
        entry |= {"depth": item.depth, "referrer": item.referrer, "time": datetime.now(UTC).isoformat(timespec="milliseconds")}
        with self.frontier.settled():
            self.frontier.settle(item, State.FAILED, status, reason)
            self.output.failure(entry)
        return self._tell({"event": "failed", "url": item.url, "reason": reason})


def may_be_page(answer: Answer) -> bool:
    """Return whether an answer states HTML, or no type."""
    return not answer.kind or answer.kind in HTML_TYPES
