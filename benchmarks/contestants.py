"""Methods of the library, other tools, and tools that learn a site, all driven alike: learn from pages, then clean page by page."""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass

from selectolax.lexbor import LexborHTMLParser

from benchmarks.cleaners import CLEANER_BY_NAME, CLEANERS, Cleaner, Model
from benchmarks.peers import BY_NAME, SITE_PEERS, Peer
from benchmarks.tool_process import ToolProcess
from tamis import __version__
from tamis.document.render.text import to_text
from tamis.errors import UsageError
from tamis.page.parsing import parse

Given = tuple[str, str]  #: A page as all get it: its URL and its decoded HTML.
SINGLE_PAGE_PEERS = ("trafilatura", "resiliparse", "readability-lxml", "rs-trafilatura")
NAMES: tuple[str, ...] = (*(c.name for c in CLEANERS), *(p.name for p in SITE_PEERS), *SINGLE_PAGE_PEERS)
"""All that the bench of sites compares."""


@dataclass(frozen=True, slots=True)
class Learned:
    """The result of learning."""

    seconds: float  #: Time from HTML text to the model.
    layouts: tuple[int, ...] = ()  #: Pages of each layout found.
    error: str | None = None


@dataclass(frozen=True, slots=True)
class Cleaned:
    """The result of cleaning one page."""

    text: str
    seconds: float  #: Time from HTML text to clean text.
    error: str | None = None
    note: str | None = None  #: What the method says of how it came about.


class Contestant:
    """One that is compared."""

    learns = False  #: Whether it learns from pages; others are asked once for every page.

    def __init__(self, name: str, setup: str, version: str | None, reason: str | None = None) -> None:
        self.name, self.setup, self.version = name, setup, version
        self.reason = reason  #: Why it cannot run; None where it can.

    def learn(self, pages: Sequence[Given]) -> Learned:
        """Forget what was learned and learn from these pages."""
        return Learned(0.0)

    def clean(self, page: Given) -> Cleaned:
        """Clean a page."""
        raise NotImplementedError

    def close(self) -> None:
        """End what it keeps running."""


class OwnMethod(Contestant):
    """A method of the library, in this process."""

    def __init__(self, cleaner: Cleaner) -> None:
        super().__init__(cleaner.name, cleaner.setup, __version__)
        self.learns = cleaner.learns
        self._cleaner = cleaner
        self._model: Model = cleaner.learn([])

    def learn(self, pages: Sequence[Given]) -> Learned:
        """Parse the pages and learn from them."""
        start = time.perf_counter()
        self._model = self._cleaner.learn([parse(html) for _, html in pages])
        return Learned(time.perf_counter() - start, self._model.layouts)

    def clean(self, page: Given) -> Cleaned:
        """Parse a page, select, render to text."""
        start = time.perf_counter()
        tree = parse(page[1])
        selection = self._model.select(tree)
        text = to_text(tree, selection.keep)
        return Cleaned(text, time.perf_counter() - start, note="; ".join(selection.notes) or None)


class SinglePagePeer(Contestant):
    """Another tool, in its own process; it knows one page at a time."""

    def __init__(self, peer: Peer, pythons: Sequence[str], timeout: float) -> None:
        self._process = ToolProcess(peer, pythons=pythons, timeout=timeout)
        super().__init__(peer.name, peer.setup, self._process.standing.version, self._process.standing.reason)

    def clean(self, page: Given) -> Cleaned:
        """Give the tool the page."""
        answer = self._process.ask(_message("clean", [page]) if self.learns else page[1])
        return Cleaned(answer.text, answer.seconds, answer.error)

    def close(self) -> None:
        """End its process."""
        self._process.close()


class SitePeer(SinglePagePeer):
    """Another tool that learns a site, in its own process; it also gets the pages' URLs."""

    learns = True

    def learn(self, pages: Sequence[Given]) -> Learned:
        """Give the tool all pages at once."""
        answer = self._process.ask(_message("learn", pages), want_text=False)
        return Learned(answer.seconds, error=answer.error)


def _message(order: str, pages: Sequence[Given]) -> str:
    return "\0".join([order, *(part.replace("\0", "") for page in pages for part in page)])


def bare_parse(html: str) -> float:
    """Seconds of a bare parse of a page."""
    start = time.perf_counter()
    LexborHTMLParser(html)
    return time.perf_counter() - start


def contestants(names: Sequence[str] | None, pythons: Sequence[str], timeout: float = 60.0) -> list[Contestant]:
    """Start the contestants of these names; all for None.

    Raises:
        UsageError: there is no such contestant.
    """
    wanted = list(dict.fromkeys(NAMES if names is None else names))
    unknown = [name for name in wanted if name not in NAMES and name not in BY_NAME]
    if unknown:
        raise UsageError(f"there is no method {', '.join(map(repr, unknown))}; methods are {', '.join(NAMES)}")
    site_peers = {peer.name: peer for peer in SITE_PEERS}
    found: list[Contestant] = []
    for name in wanted:
        if name in CLEANER_BY_NAME:
            found.append(OwnMethod(CLEANER_BY_NAME[name]))
        elif name in site_peers:
            found.append(SitePeer(site_peers[name], pythons, timeout))
        else:
            found.append(SinglePagePeer(BY_NAME[name], pythons, timeout))
    return found
