"""Sitemaps and feeds: lists of a site's pages, read within bounds."""

from __future__ import annotations

import re
from collections.abc import Iterator
from io import BytesIO
from itertools import islice
from typing import Any

from tamis.io.addresses import joined
from tamis.io.files import is_web
from tamis.page.content import GZIP, unpack_gzip

MOST_ENTRIES = 50_000  #: entries of one sitemap, as the protocol allows
LARGEST = 50_000_000  #: bytes of one sitemap, unpacked, as the protocol allows
MOST_SITEMAPS = 200  #: sitemaps of one site that are read


_BARE_AMPERSAND = re.compile(rb"<!\[CDATA\[[^\]]*|&(?![\w#]+;)")
"""An ampersand in an address that is not an entity (a parser would drop it and the rest); before it, CDATA, where it is literal."""

_UTF_16 = {b"\xff\xfe": "utf-16", b"\xfe\xff": "utf-16", b"<\0": "utf-16-le", b"\0<": "utf-16-be"}
"""Beginnings of UTF-16 text, and their encodings."""
_DECLARATION = re.compile(r"^\s*<\?xml[^>]*>")  #: It names the encoding.

Entry = tuple[str, bool]  #: an address, and whether it is another sitemap


def read_sitemap(body: bytes, url: str) -> list[Entry]:
    """Return the entries of a sitemap or sitemap index at ``url``: XML, XML in gzip, or lines of addresses; none of unreadable data."""
    body = _without_gzip(body)
    if not body.lstrip(b"\xef\xbb\xbf \t\r\n").startswith(b"<"):
        lines = (line.strip() for line in body.decode("utf-8-sig", "replace").splitlines())
        return [(line, False) for line in islice(filter(is_web, lines), MOST_ENTRIES)]
    found = ((joined(url, (element.text or "").strip()), inside == "sitemap") for element, inside in _listed(body, "loc", "url", "sitemap"))
    return [(target, is_sitemap) for target, is_sitemap in islice(found, MOST_ENTRIES) if target]


def read_feed(body: bytes, url: str) -> list[Entry]:
    """Return the pages that an RSS or Atom feed names; none of unreadable data."""
    links = (
        joined(url, element.get("href") or (element.text or "").strip())
        for element, _ in _listed(_without_gzip(body), "link", "item", "entry")
        if element.get("rel", "alternate") == "alternate"
    )
    return [(link, False) for link in islice(links, MOST_ENTRIES) if link]


def _listed(body: bytes, name: str, *parents: str) -> Iterator[tuple[Any, str]]:
    """Yield the elements of a name whose parent is one of some names, each with its parent's name, as far as the XML can be read."""
    from lxml import etree

    try:
        body = _BARE_AMPERSAND.sub(lambda found: found[0] if found[0].startswith(b"<") else b"&amp;", body.lstrip())
        for _, element in etree.iterparse(BytesIO(body), recover=True, resolve_entities=False, no_network=True):
            parent = element.getparent()
            if parent is None or not isinstance(element.tag, str) or etree.QName(element).localname != name:
                continue
            if (inside := etree.QName(parent).localname) in parents:
                yield element, inside
    except (etree.LxmlError, ValueError):
        return


def _without_gzip(body: bytes) -> bytes:
    """Return the bytes, gzip undone as far as the bound goes, and as it can be read; UTF-16 as UTF-8."""
    body = unpack_gzip(body, LARGEST)[0] if body[:2] == GZIP else body[:LARGEST]
    coding = _UTF_16.get(body[:2])
    return body if coding is None else _DECLARATION.sub("", body.decode(coding, "replace"), 1).encode("utf-8", "replace")
