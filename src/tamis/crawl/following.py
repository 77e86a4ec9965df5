"""The pages of one list: the address of the next page, and the pages one after the other."""

from __future__ import annotations

import re
import time
from collections.abc import Callable, Iterator
from itertools import chain, islice, takewhile
from urllib.parse import urldefrag, urlsplit

import numpy as np

from tamis.document.render.links import resolve
from tamis.errors import FetchError
from tamis.page.hyperlinks import LONGEST, base_of, hyperlinks
from tamis.page.tree import PageTree

ADDED = 12  #: Most characters, a number as one, that the path of a second page has more than that of the first.
DIGITS = 5  #: Most digits of the number of a page.
_NUMBER = re.compile(r"\d+")
_PAGED = re.compile(r"(?:^|[/?&;._-])(?:p|pg|paged?|pagina|start|offset|from|skip)[=/._-]?$", re.IGNORECASE)
"""The end of an address before the number of a page."""
_PAGER = re.compile(r"pager|pagin|next|older", re.IGNORECASE)  #: Class names of links to other pages of a list, and of their boxes.


def next_page(tree: PageTree, url: str) -> str | None:
    """Return the address of the page after this one: a link that says ``rel=next``, else the next number of a pager, else a link of a pager
    whose address counts one more.

    >>> from tamis import parse
    >>> page = parse("<a href='?page=1'>1</a> <b>2</b> <a href='?page=3'>3</a> <a href='?page=4'>4</a>")
    >>> next_page(page, "https://example.org/boats?page=2")
    'https://example.org/boats?page=3'
    >>> next_page(parse("<a href='/page/2/'>Older posts</a>"), "https://example.org/")
    'https://example.org/page/2/'
    """
    said = next((link.url for link in hyperlinks(tree, url) if "next" in link.rel and link.url != url and _is_of_host(link.url, url)), None)
    if said is not None or len(url) > LONGEST:
        return said
    pagers: dict[str, dict[int, str]] = {}  # the links whose text is a number, by the form of their addresses
    others = []
    for node, link in _links(tree, url):
        first, last = tree.texts_below(node)
        text = tree.text(node).strip("[]() ") if last - first <= 3 else ""
        if text.isdecimal() and len(text) <= DIGITS:
            pagers.setdefault(_bare(link), {}).setdefault(int(text), link)
        elif (step := _step(url, link)) and step[1] == 1 and _is_of_pager(tree, node, link):
            others.append(link)
    found = (_after(url, pager) for pager in sorted(pagers.values(), key=len, reverse=True))
    return next(chain(filter(None, found), others), None)


def _links(tree: PageTree, url: str) -> Iterator[tuple[int, str]]:
    """Yield the links to other pages of the host: nodes and addresses."""
    base = base_of(tree, url)
    for node in np.flatnonzero(tree.link).tolist():
        target = resolve(tree.attribute(node, "href") or "", base)
        link = urldefrag(target).url if target and len(target) <= LONGEST else url
        if link != url and _is_of_host(link, url):
            yield node, link


def _is_of_host(url: str, other: str) -> bool:
    return urlsplit(url).netloc == urlsplit(other).netloc


def _bare(url: str) -> str:
    return _NUMBER.sub("0", url).rstrip("/")


def _step(url: str, link: str) -> tuple[int, int] | None:
    """Return the number of a page in its address, and by how much it is greater than that of this page; the second page may have one more
    than the first, at the end. None for other addresses."""
    own, numbers = ([int(each) for each in _NUMBER.findall(address)] for address in (url, link))
    if _bare(link) == _bare(url):
        changed = [(number, number - before) for before, number in zip(own, numbers, strict=True) if number != before]
        return changed[0] if len(changed) == 1 and changed[0][1] > 0 else None
    return (numbers[-1], 1) if numbers[:-1] == own and len(numbers) > len(own) and numbers[-1] < 3 and _is_alike(url, link) else None


def _after(url: str, pager: dict[int, str]) -> str | None:
    """Return the address of a pager's next page. ``pager``: the addresses by the number that links show; they count pages, from 0 or 1, or
    the records before them."""
    if _bare(next(iter(pager.values()))) != _bare(url):
        own, second = _NUMBER.findall(url), pager.get(2, url)
        return second if _NUMBER.findall(second)[:-1] == own and second != url and _is_alike(url, second) else None
    steps = ((shown, link, _step(url, link)) for shown, link in pager.items())
    after = [(step[0], link) for shown, link, step in steps if step and step[0] - step[1] * (shown - 1) in (0, 1)]
    return min(after, default=("", None))[1]


def _is_of_pager(tree: PageTree, node: int, link: str) -> bool:
    """Return whether a link or the boxes around it, or the words of its address before the last number, are those of a pager."""
    numbers = list(_NUMBER.finditer(link))
    if numbers and _PAGED.search(link, 0, numbers[-1].start()):
        return True
    around = [node, *islice(tree.ancestors(node), 3)]
    return any(_PAGER.search(tree.attribute(each, name) or "") for each in around for name in ("class", "id", "aria-label"))


def _is_alike(url: str, other: str) -> bool:
    """Return whether the addresses have one path, but for numbers and a short addition."""
    path, longer = (urlsplit(_bare(each)).path for each in (url, other))
    begin = len([*takewhile(lambda pair: pair[0] == pair[1], zip(path, longer, strict=False))])
    return longer.endswith(path[begin:]) and 0 <= len(longer) - len(path) <= ADDED


def followed(
    url: str, most: int, fetch: Callable[[str], tuple[PageTree, str]], say: Callable[[str], None] = lambda message: None
) -> Iterator[tuple[PageTree, str]]:
    """Yield the pages of a list from the first on, with their addresses: at most ``most``, of its host, each once, as robots.txt allows and
    as slowly as the crawler. A page that shows the same as an earlier one ends the list. ``fetch``: gives the tree of a page and its
    address; ``say``: is told why pages are left out.

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
    shown: set[tuple[tuple[str, ...], ...]] = set()
    following: str | None = url
    while following is not None and following not in seen:
        if len(seen) == most:
            return say(f"stopped after {most:,} pages, before {following}")
        if not robots.allows(following):
            problem = FetchError(f"{following}: {robots.trouble or 'robots.txt forbids it'}")
            if not seen:
                raise problem
            return say(str(problem))
        time.sleep(max(host.ready - time.monotonic(), 0.0))
        host.start(begun := time.monotonic(), settings)
        seen.add(following)
        try:
            tree, address = fetch(following)
        except FetchError as error:
            if len(seen) == 1:
                raise
            return say(str(error))
        host.learn(time.monotonic() - begun, success=True)
        content = tuple(tree.texts), tuple(tree.values("src").distinct)
        if content in shown:
            return
        shown.add(content)
        yield tree, address
        following = next_page(tree, address)
