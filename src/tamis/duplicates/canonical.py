"""Which of several copies is the page itself: that whose address most of them name as canonical."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import TypeVar

from tamis.document.metadata.tidy import host
from tamis.io.addresses import canonical
from tamis.io.naming import named

Id = TypeVar("Id", int, str)
PARTS = ("part of", "contains")  #: Relations of copies that have no say: a part of a page is another page.


def named_page(url: str | None, stated: str | None) -> str | None:
    """The address that the page at ``url`` names as canonical, in its canonical form, if it is of the same site."""
    return canonical(stated) if url and stated and named(host(url)) == named(host(stated)) else None


def page_itself(kept: Id, members: Sequence[tuple[Id, str | None, str | None]]) -> Id:
    """The member of a cluster whose address most members name as canonical, else the one that is kept. ``members``: id, address in its
    canonical form, and :func:`named_page` of each, the kept one too. ``http`` and ``https``, with and without ``www.``, are one.

    >>> page_itself(1, [(1, "http://a.test/print/1", "http://a.test/1"), (2, "https://a.test/1", None)])
    2
    """
    votes = Counter(_page(stated) for _, _, stated in members if stated is not None)
    chosen = [(-count, id != kept, id) for id, address, _ in members if address is not None and (count := votes[_page(address)])]
    return min(chosen, default=(0, False, kept))[2]


def _page(address: str) -> str:
    place, slash, path = address.partition("://")[2].partition("/")
    return f"{named(place)}{slash}{path}"
