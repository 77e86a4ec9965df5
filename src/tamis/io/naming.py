"""Names of files that are made from pages: readable, of characters that every system can hold, each once."""

from __future__ import annotations

import re
import unicodedata
from hashlib import blake2b
from pathlib import PurePosixPath
from urllib.parse import unquote, urlsplit

LONGEST_NAME = 120  #: bytes of the name of a file or a folder
LONGEST_PLACE = 640  #: bytes of a whole place: systems allow some 1,000 for a path, with the folder that it is in
_FORBIDDEN = str.maketrans(
    dict.fromkeys([*map(chr, range(32)), *'<>:"|?*\\\x7f#[]'], "_")
)  # in addresses of storage, # begins a fragment and [ a pattern
_RESERVED = re.compile(r"(con|prn|aux|nul|com\d|lpt\d)(?![^.])", re.I)  # Windows has devices of such names, with any suffix
_PAGES = (".gz", ".html", ".htm", ".xhtml", ".mhtml", ".mht")
_WRITTEN = (".md", ".txt", ".html", ".json", ".xml")  # a folder with this suffix would take the place of a file


def named(host: str) -> str:
    """Return the name of the site of a host: ``www.example.org`` and ``example.org`` are one.

    >>> named("www.example.org"), named("www.test")
    ('example.org', 'www.test')
    """
    bare = host.removeprefix("www.")
    return bare if "." in bare else host


def place_of(url: str) -> PurePosixPath:
    """Host, port, path and query of an address as a relative path.

    >>> str(place_of("https://www.example.org/caf%C3%A9/?page=2&amp;to=/a")), str(place_of("https://example.org"))
    ('example.org/café/index_page=2&to=_a', 'example.org/index')
    """
    try:
        parts = urlsplit(url.replace("&amp;", "&"))
        port = f"+{parts.port}" if parts.port not in (None, 80, 443) else ""
    except ValueError:
        return PurePosixPath("page")
    path = parts.path + "index" if parts.path.endswith("/") else parts.path or "index"
    query = f"_{unquote(parts.query)}".replace("/", "_") if parts.query else ""
    return PurePosixPath(named(parts.hostname or "page") + port, unquote(path).lstrip("/") + query)


def safe_place(place: PurePosixPath) -> PurePosixPath:
    """Return a relative path without the page's suffix, of names that every system can hold.

    >>> str(safe_place(PurePosixPath("a/../b?c/page.html.gz"))), str(safe_place(PurePosixPath("/x/" + "y" * 300)))[:10]
    ('a/b_c/page', 'x/yyyyyyyy')
    """
    parts = [part for part in place.parts if part not in ("/", "..", ".")] or ["page"]
    for suffix in _PAGES:
        if parts[-1].lower().endswith(suffix) and len(parts[-1]) > len(suffix):
            parts[-1] = parts[-1][: -len(suffix)]
    *folders, name = map(_safe_name, parts)
    folders = [folder + "_" * folder.lower().endswith(_WRITTEN) for folder in folders]
    safe = PurePosixPath(*folders, name)
    return safe if len(str(safe).encode()) <= LONGEST_PLACE else PurePosixPath(*folders[:1], _with_hash(name, str(place)))


def _safe_name(name: str) -> str:
    safe = name.encode("utf-8", "replace").decode("utf-8").translate(_FORBIDDEN).rstrip(". ") or "_"
    safe = _RESERVED.sub(r"\1_", safe, 1) if _RESERVED.match(safe) else safe
    return safe if len(safe.encode()) <= LONGEST_NAME else _with_hash(safe, name)


def _with_hash(name: str, whole: str) -> str:
    """Return a name, cut, with a hash of the whole name."""
    mark = blake2b(whole.encode("utf-8", "replace"), digest_size=6).hexdigest()
    return name.encode()[: LONGEST_NAME - 13].decode("utf-8", "ignore") + "~" + mark


class Names:
    """Places that are taken. Upper and lower case count as the same, and so do the ways to write an accent."""

    def __init__(self) -> None:
        self._taken: dict[bytes, int] = {}  # with the last number that was given to a place of this name

    def free(self, place: PurePosixPath) -> PurePosixPath:
        """Return the place, or the next of the same name that is free; it is then taken."""
        first, found = _folded_place(place), place
        while _folded_place(found) in self._taken:
            self._taken[first] += 1
            found = place.with_name(f"{place.name}~{self._taken[first]}")
        self._taken[_folded_place(found)] = 1
        return found


def _folded_place(place: PurePosixPath) -> bytes:
    return blake2b(unicodedata.normalize("NFC", str(place).casefold()).encode("utf-8", "replace"), digest_size=12).digest()
