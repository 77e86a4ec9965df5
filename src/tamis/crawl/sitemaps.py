"""Sitemaps and feeds: lists of a site's pages, read within bounds."""

from __future__ import annotations

import zlib
from collections.abc import Iterator
from dataclasses import dataclass
from io import BytesIO
from itertools import islice

from tamis.io.addresses import joined

MOST_ENTRIES = 50_000
"""Entries of one sitemap, as the protocol allows."""
LARGEST = 50_000_000
"""Bytes of one sitemap, unpacked, as the protocol allows."""
MOST_SITEMAPS = 200
"""Sitemaps of one site that are read."""


@dataclass(frozen=True, slots=True)
class Entry:
    """What a sitemap or feed names."""

    url: str
    is_sitemap: bool = False
    """Whether that is another sitemap."""


def read_sitemap(body: bytes, url: str) -> list[Entry]:
    """The entries of a sitemap or an index of sitemaps: XML, XML in gzip, or addresses line by line. What cannot be read has none.

    Args:
        body: as served.
        url: where it came from.
    """
    from lxml.etree import LxmlError
    from scrapy.utils.sitemap import Sitemap

    body = _unpacked(body)
    if not body.lstrip(b"\xef\xbb\xbf \t\r\n").startswith(b"<"):
        lines = (line.strip() for line in body.decode("utf-8-sig", "replace").splitlines())
        return [Entry(line) for line in islice((line for line in lines if line.startswith(("http://", "https://"))), MOST_ENTRIES)]
    found: list[Entry] = []
    try:
        sitemap = Sitemap(body.lstrip())
        for entry in islice(iter(sitemap), MOST_ENTRIES):
            if target := joined(url, entry.get("loc") or ""):
                found.append(Entry(target, sitemap.type == "sitemapindex"))  # noqa: PERF401  # kept where reading fails
    except (LxmlError, StopIteration, ValueError):
        pass
    return found


def read_feed(body: bytes, url: str) -> list[Entry]:
    """The pages that an RSS or Atom feed names. What cannot be read has none."""
    links = (joined(url, href) for href in islice(_feed_links(_unpacked(body)), MOST_ENTRIES))
    return [Entry(link) for link in links if link]


def _feed_links(body: bytes) -> Iterator[str]:
    from lxml import etree

    try:
        for _, element in etree.iterparse(BytesIO(body), recover=True, resolve_entities=False, no_network=True):
            parent = element.getparent()
            if not isinstance(element.tag, str) or parent is None:
                continue
            inside = etree.QName(parent).localname
            if etree.QName(element).localname != "link" or inside not in ("item", "entry"):
                continue
            if element.get("rel", "alternate") == "alternate" and (href := element.get("href") or (element.text or "").strip()):
                yield href
    except (etree.LxmlError, ValueError):
        return


def _unpacked(body: bytes) -> bytes:
    """The bytes, gzip undone as far as the bound goes."""
    if body[:2] != b"\x1f\x8b":
        return body[:LARGEST]
    try:
        return zlib.decompressobj(wbits=31).decompress(body, LARGEST)
    except zlib.error:
        return b""
