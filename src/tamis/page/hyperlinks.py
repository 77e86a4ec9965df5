"""The links of a page: where they lead, and what the page says of that."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from urllib.parse import quote, urldefrag, urljoin, urlsplit

import numpy as np

from tamis.page import tags
from tamis.page.tree import PageTree

LONGEST = 2_000  #: Characters of an address; longer ones are left out.
_CARRIERS = tags.lookup(tags.codes("frame link meta"))  #: Elements that lead to a page, beside hyperlinks.
_ADDRESSED = tags.lookup(tags.codes("a area frame iframe img link meta source") | tags.MEDIA)  #: Elements with addresses in results.
_LINK, _BASE, _META, _FRAME = (tags.CODE[name] for name in ("link", "base", "meta", "frame"))
_FOLLOWED = frozenset({"next", "prev", "canonical", "alternate"})  #: Relations of ``link`` elements that lead to pages.
_REFRESH = re.compile(r"""\s*[\d.]+\s*[;,\s]\s*(?:url\s*=\s*)?(?:'([^']*)|"([^"]*)|(.+))""", re.I | re.S)
_NOT_ASCII = re.compile(r"[^\x00-\x7f]+")


@dataclass(frozen=True, slots=True)
class Hyperlink:
    """A link to another page."""

    url: str  #: Absolute, without fragment.
    rel: frozenset[str]  #: Relations that the page states, in lower case: ``nofollow``, ``next``, ``prev``, ...
    declared: bool = False  #: Declared in a ``link`` element, which readers do not see.
    kind: str = ""  #: The type that it says the other page is of: ``application/rss+xml``.

    @property
    def is_feed(self) -> bool:
        """It leads to an RSS or Atom feed."""
        return "alternate" in self.rel and self.kind in ("application/rss+xml", "application/atom+xml")


def base_of(tree: PageTree, url: str | None) -> str | None:
    """Return the base of a page's links: its first ``base`` element, joined with its address; None if :func:`affordable` rejects it."""
    for node in np.flatnonzero(tree.tag == _BASE).tolist():
        href = tree.attribute(node, "href")
        if href is not None:
            return affordable(tree, _absolute(url or "", href) or url)
    return affordable(tree, url)


def affordable(tree: PageTree, base: str | None) -> str | None:
    """Return a base, or None if links made absolute with it would be out of proportion to the page: they stay relative."""
    return base if base is None or tree.budget().take(len(base), int(tree.of_tags(_ADDRESSED).sum())) else None


def hyperlinks(tree: PageTree, url: str | None = None, encoding: str = "utf-8") -> list[Hyperlink]:
    """Return the links of a page to pages of the web, in order; a link that comes again says the same as before once. Frames and the page
    that a ``meta`` element moves on to count as links.

    Args:
        tree: the page.
        url: its address. Without it only absolute links are found.
        encoding: codec of the page, which the queries of its links are written in, as browsers do.

    >>> from tamis import parse
    >>> page = parse("<link rel=next href=tides_2.html><a href='/'>Home</a> <a rel=nofollow href='/in#form'>Log in</a>")
    >>> [(link.url, sorted(link.rel)) for link in hyperlinks(page, "https://example.org/news/tides.html")]
    [('https://example.org/news/tides_2.html', ['next']), ('https://example.org/', []), ('https://example.org/in', ['nofollow'])]
    """
    base = base_of(tree, url) or ""
    found: dict[Hyperlink, None] = {}
    for node in np.flatnonzero(tree.of_tags(_CARRIERS) | tree.link).tolist():
        attributes = tree.attributes[node]
        tag = int(tree.tag[node])
        href = _moves_to(attributes) if tag == _META else attributes.get("src" if tag == _FRAME else "href")
        declared = tag == _LINK
        rel = frozenset((attributes.get("rel") or "").lower().split())
        if href is None or (declared and (not rel & _FOLLOWED or "stylesheet" in rel)):
            continue
        target = _absolute(base, _in_encoding(href, encoding))
        if target is not None:
            kind = (attributes.get("type") or "").strip().lower() if declared else ""
            found[Hyperlink(target, rel, declared, kind)] = None
    return list(found)


def moves_on(tree: PageTree) -> bool:
    """Return whether a ``meta`` element of the page sends its readers on to another page."""
    return any(_moves_to(tree.attributes[node]) for node in np.flatnonzero(tree.tag == _META).tolist())


def robots_meta(tree: PageTree) -> frozenset[str]:
    """Return the page's requests to robots in ``meta`` elements, in lower case: ``nofollow``, ``noindex``, ``none``, ..."""
    asked: set[str] = set()
    for node in np.flatnonzero(tree.tag == _META).tolist():
        attributes = tree.attributes[node]
        if (attributes.get("name") or "").strip().lower() == "robots":
            asked.update(word.strip() for word in (attributes.get("content") or "").lower().split(","))
    return frozenset(asked - {""})


def _moves_to(attributes: Mapping[str, str]) -> str | None:
    """Return the address to which a ``meta`` element redirects the reader."""
    if (attributes.get("http-equiv") or "").strip().lower() != "refresh":
        return None
    found = _REFRESH.match(attributes.get("content") or "")
    return next(filter(None, found.groups()), None) if found else None


def _in_encoding(href: str, encoding: str) -> str:
    """Return a link whose query is quoted in the encoding of the page. UTF-16 pages ask in UTF-8."""
    if href.isascii() or "?" not in href or encoding.startswith("utf"):
        return href
    path, _, query = href.partition("?")
    query, hash_sign, fragment = query.partition("#")
    quoted = _NOT_ASCII.sub(lambda found: quote(found[0].encode(encoding, "xmlcharrefreplace"), safe=""), query)
    return f"{path}?{quoted}{hash_sign}{fragment}"


def _absolute(base: str, href: str) -> str | None:
    href = "".join(href.split("\n")).strip().replace("\t", "").replace("\r", "")
    if len(href) > LONGEST:
        return None
    try:
        target = urldefrag(urljoin(base, href)).url
        parts = urlsplit(target)
        return target if parts.scheme in ("http", "https") and parts.hostname and len(target) <= LONGEST else None
    except ValueError:
        return None
