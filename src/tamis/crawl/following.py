"""The pages of one list: the address of the next page, and the pages one after the other."""

from __future__ import annotations

import re
import time
from collections.abc import Callable, Iterator
from urllib.parse import urldefrag, urlsplit

import numpy as np

from tamis.document.render.links import resolve
from tamis.errors import FetchError
from tamis.page.hyperlinks import base_of, hyperlinks
from tamis.page.tree import PageTree

ADDED = 12  #: Most characters, without digits, that the address of a next page has more than that of the first.
DIGITS = 5  #: Most digits of the number of a page.
_NUMBER = re.compile(r"\d+")


def next_page(tree: PageTree, url: str) -> str | None:
    """Return the address of the page after this one: a link that says ``rel=next``, else the next number of a pager.

    >>> from tamis import parse
    >>> page = parse("<a href='?page=1'>1</a> <b>2</b> <a href='?page=3'>3</a> <a href='?page=4'>4</a>")
    >>> next_page(page, "https://example.org/boats?page=2")
    'https://example.org/boats?page=3'
    >>> next_page(parse("<a href='/page/2/'>Older posts</a>"), "https://example.org/")
    'https://example.org/page/2/'
    """
    links = [link for link in hyperlinks(tree, url) if link.url != url and urlsplit(link.url).netloc == urlsplit(url).netloc]
    said = next((link.url for link in links if "next" in link.rel), None)
    if said is not None:
        return said
    of_text = _numbered(tree, url)
    number = next(k for k in range(1, len(of_text) + 2) if of_text.get(k, url) == url)
    if number + 1 in of_text and _is_alike(url, of_text[number + 1]):
        return of_text[number + 1]
    own = [int(each) for each in _NUMBER.findall(url)]
    for link in links:
        numbers = [int(each) for each in _NUMBER.findall(link.url)]
        stepped = [after - before for before, after in zip(own, numbers, strict=False)]
        is_next = _bare(link.url) == _bare(url) and sorted(stepped) == [0] * (len(own) - 1) + [1] and len(numbers) == len(own)
        is_second = number == 1 and numbers == [*own, 2] and _is_alike(url, link.url)
        if is_next or is_second:
            return link.url
    return None


def followed(url: str, most: int, fetch: Callable[[str], tuple[PageTree, str]]) -> Iterator[tuple[PageTree, str]]:
    """Yield the pages of a list from the first on, with their addresses: at most ``most``, of its host, each once, as robots.txt allows and
    as slowly as the crawler. ``fetch``: gives the tree of a page and its address.

    Raises:
        FetchError: the first page cannot be fetched, or robots.txt forbids it.
    """
    from tamis.crawl.crawling import need_crawl_extra
    from tamis.crawl.hosts import ROBOTS_BYTES, Host, read_robots
    from tamis.crawl.settings import CrawlSettings
    from tamis.io.fetch import Limits, ask

    need_crawl_extra()
    settings, host = CrawlSettings(), Host()
    home = urlsplit(url)
    answer = ask(f"{home.scheme}://{home.netloc}/robots.txt", Limits())
    robots = read_robots(answer.status, answer.body(ROBOTS_BYTES, whole=False), answer.url)
    host.asked = robots.delay
    seen: set[str] = set()
    following: str | None = url
    while following is not None and following not in seen and len(seen) < most:
        if not robots.allows(following):
            if not seen:
                raise FetchError(f"{following}: {robots.trouble or 'robots.txt forbids it'}")
            return
        time.sleep(max(host.ready - time.monotonic(), 0.0))
        host.start(begun := time.monotonic(), settings)
        seen.add(following)
        try:
            tree, address = fetch(following)
        except FetchError:
            if len(seen) == 1:
                raise
            return
        host.learn(time.monotonic() - begun, success=True)
        yield tree, address
        following = next_page(tree, address)


def _numbered(tree: PageTree, url: str) -> dict[int, str]:
    """Return the addresses of the links whose text is a number, by this number; of equal ones the first."""
    found: dict[int, str] = {}
    base = base_of(tree, url)
    for node in np.flatnonzero(tree.link).tolist():
        first, last = tree.texts_below(node)
        text = tree.text(node) if last - first <= 3 else ""
        if text.isdecimal() and len(text) <= DIGITS:
            target = resolve(tree.attribute(node, "href") or "", base)
            if target:
                found.setdefault(int(text), urldefrag(target).url)
    return found


def _bare(url: str) -> str:
    return _NUMBER.sub("", url)


def _is_alike(url: str, other: str) -> bool:
    """Return whether two addresses differ only in numbers and short additions."""
    shorter, longer = sorted((_bare(url).rstrip("/"), _bare(other).rstrip("/")), key=len)
    return longer.startswith(shorter) and len(longer) - len(shorter) <= ADDED
