"""URLs of links and images: resolved against the page's base, and left out where they could run code or hold data."""

from __future__ import annotations

import re
from collections.abc import Iterable
from functools import lru_cache
from urllib.parse import quote, urljoin

import numpy as np

from tamis.page import tags
from tamis.page.parsing import LATE
from tamis.page.tree import Attributes, BoolColumn, PageTree

_SCHEME = re.compile(r"[a-z][a-z0-9+.-]*+(?=:)", re.I)
FOLLOWED = frozenset("http https mailto tel ftp ftps sftp sms geo magnet irc ircs xmpp matrix nntp news doi urn".split())
"""Schemes of addresses that are kept. Those of any other scheme could run code or hold data, and are dropped."""
_CONTROLS = re.compile(r"[\x00-\x1f\x7f-\x9f]+")
_HOST = re.compile(r"https?://[\w.-]+(?::\d+)?(?=/|$)")
_PLAIN = r"[^\s\"<>\\^`{|}\x00-\x20\x7f-\x9f;#"
_REST = rf"(?>(?:/(?!\.){_PLAIN}/?]*+)*)(?:\?{_PLAIN}]++)?(?:#{_PLAIN}]++)?"
_WHOLE, _ROOTED = re.compile(rf"https?://[\w.-]++(?::\d+)?{_REST}"), re.compile(rf"(?=/(?!/)){_REST}")
_BELOW, _FRAGMENT = re.compile(rf"(?!\.){_PLAIN}/?:]++{_REST}"), re.compile(rf"#{_PLAIN}]++")
"""Addresses that need no resolving, or only a part of the base before them: most do, and the test is many times as fast."""
_UP = re.compile(r"(?>(?:\.\./)+)")
_UNSAFE = re.compile(r"[\s\"<>\\^`{|}]")

_SOURCES = (*LATE, "data-actualsrc", "data-hi-res-src", "data-url", "src")
"""Attributes with an image's address, first those for scripts that load images late."""
_MEDIA = tags.lookup(tags.MEDIA)
_PLAYER = re.compile(r"youtube|vimeo|video|audio|player")  #: Names of a site's own elements that play something.
_PLAYED = ("src", "videoid", "data-videoid", "video-id", "data-video-id")  #: Their attributes that say what.
_LAZY_SETS = ("srcset", "data-srcset", "data-lazy-srcset")
_LATE = re.compile(r"(?!.*(?:title|caption|desc|meta|alt)).*(?:src|url|lazy|orig|image|file)", re.I)
IMAGE_ENDING = r"\.(?:jpe?g|png|gif|webp|avif|svg)"  #: Endings of addresses of images, a regular expression.
_IMAGE_FILE = re.compile(rf"\s*(?:(?:https?:)?//|[^\s{{\[]\S*?{IMAGE_ENDING}\b)", re.I)
"""Names of other attributes that may hold an image's address, and what they hold then."""
_SIZE = re.compile(r"\s*+(\d++(?>(?:\.\d++)?))[wxh]")
_MAX_CANDIDATES = 50
_LONGEST_SET = 20_000  #: Characters of a ``srcset`` that are read.


def resolve(url: str, base: str | None = None) -> str | None:
    """Return the URL as a browser would follow it, percent-encoded; None if it is empty, invalid, or its scheme is not followed.

    >>> resolve("a b.html#c", "https://example.org/dir/")
    'https://example.org/dir/a%20b.html#c'
    >>> resolve(" java\\nscript:alert(1)") is None
    True
    """
    if _WHOLE.fullmatch(url):
        return url
    if base:
        host, folder, page = _parts_of_base(base)
        for start, form in ((host, _ROOTED), (folder, _BELOW), (page, _FRAGMENT)):
            if start and form.fullmatch(url) and "//" not in url:
                return start + url
        if folder and (up := _UP.match(url)) and _BELOW.fullmatch(url, up.end()) and "//" not in url:
            start = folder.rsplit("/", up.end() // 3 + 1)[0]
            if len(start) >= len(host):
                return f"{start}/{url[up.end() :]}"
    url = _CONTROLS.sub("", url).strip()
    if not url or _is_dropped(url):
        return None
    if base:
        try:
            url = urljoin(base, url)
        except ValueError:  # e.g. "http://[": no browser follows it either
            return None
        if _is_dropped(url):
            return None
    return _UNSAFE.sub(lambda match: quote(match[0], safe=""), url)


@lru_cache(maxsize=8)
def _parts_of_base(base: str) -> tuple[str, str, str]:
    """Of a base: its host, its folder and its page without fragment; empty where it takes more to resolve against them."""
    host = _HOST.match(base)
    if host is None or not _WHOLE.fullmatch(base) or "//" in base[host.end() :]:
        return (host[0] if host else "", "", "")
    page = base.partition("#")[0]
    path = page.partition("?")[0]
    return host[0], path[: path.rindex("/") + 1] if len(path) > host.end() else f"{path}/", page


def _is_dropped(url: str) -> bool:
    scheme = _SCHEME.match(url)
    return scheme is not None and scheme[0].lower() not in FOLLOWED


def are_media(tree: PageTree) -> BoolColumn:
    """Return which nodes play something: videos, sounds, frames, and elements of a site's own, bool ``(n,)``."""
    found = tree.of_tags(_MEDIA)
    if players := [code for code, name in enumerate(tree.names) if code >= len(tags.KNOWN) and _PLAYER.search(name)]:
        nodes = np.isin(tree.tag, players).nonzero()[0].tolist()
        found[[node for node in nodes if played(tree.attributes[node])]] = True
    return found


def played(attributes: Attributes) -> str | None:
    """Return what an element of a site's own plays: an address, or the number of a video; None if it names none.

    >>> played({"videoid": "dQw4"}), played({"src": "/talk.mp4"}), played({"class": "player"})
    ('dQw4', '/talk.mp4', None)
    """
    return next(filter(None, map(attributes.get, _PLAYED)), None)


def image_source(attributes: Attributes, base: str | None = None) -> str | None:
    """Return the URL of an ``img``: what late-loading scripts read, since ``src`` is then a placeholder; else ``src``, else ``srcset``.

    >>> image_source({"src": "data:image/gif;base64,R0", "data-src": "/a.png"}, "https://example.org/")
    'https://example.org/a.png'
    >>> image_source({"srcset": "s.jpg 320w, l.jpg 1024w"})
    'l.jpg'
    >>> image_source({"src": "data:,", "late-src": "a.png"})
    'a.png'
    """
    return next(filter(None, (resolve(url, base) for url in _candidates(attributes) if not url.startswith("#"))), None)


def _candidates(attributes: Attributes) -> Iterable[str]:
    for name in _SOURCES:
        if (url := attributes.get(name)) and not url.lstrip().startswith(("{", "[")):
            yield url
    for name in _LAZY_SETS:
        if value := attributes.get(name):
            yield _largest(value)
    for name, value in attributes.items():
        if _LATE.match(name[:40]) and _IMAGE_FILE.match(value[:500]):
            yield _largest(value)


def _largest(srcset: str) -> str:
    """Return the candidate of a ``srcset`` with the largest width or density, read as the HTML standard does."""
    best, largest = "", -1.0
    rest = srcset[:_LONGEST_SET]
    for _ in range(_MAX_CANDIDATES):
        url, *after = rest.lstrip(" \t\n\r\f,").split(None, 1) or [""]
        if not url:
            break
        described = not url.endswith(",")
        descriptor, _, rest = after[0].partition(",") if after and described else ("", "", after[0] if after else "")
        found = _SIZE.match(descriptor)
        size = float(found[1]) if found else 1.0
        if size > largest:
            best, largest = url.rstrip(","), size
    return best
