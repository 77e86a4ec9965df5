"""Tell which of several copies is the page itself: the one whose address most of them name as canonical."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import TypeVar

from tamis.document.metadata.clean_text import host
from tamis.io.addresses import canonical
from tamis.io.naming import named

Id = TypeVar("Id", int, str)
PARTS = ("part of", "contains")  #: Relations of copies that have no say: a part of a page is another page.


def page_itself(kept: Id, members: Sequence[tuple[Id, str | None, str | None]]) -> Id:
    """Return the member of a cluster whose address most members name as canonical, else the one that is kept.

    ``members``: id, address, and the address that it states as canonical, of each, the kept one too. What is stated of another site has no
    say. ``http`` and ``https``, with and without ``www.``, are one.

    >>> page_itself(1, [(1, "http://a.test/print/1", "http://a.test/1"), (2, "https://a.test/1", None)])
    2
    """
    votes = Counter(_page_key(stated) for _, url, stated in members if url and stated and named(host(url)) == named(host(stated)))
    del votes[""]  # of copies without an address
    if not votes:
        return kept
    chosen = [(-count, id != kept, id) for id, url, _ in members if url and (count := votes[_page_key(url)])]
    return min(chosen, default=(0, False, kept))[2]


def _page_key(url: str) -> str:
    place, slash, path = (canonical(url) or "").partition("://")[2].partition("/")
    return f"{named(place)}{slash}{path}"
