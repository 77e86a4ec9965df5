"""Which of several copies is the page itself: that whose address most of them name as canonical."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import TypeVar

from tamis.document.metadata.tidy import host
from tamis.duplicates.clusters import Cluster, Clusters
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


def prefer_canonical(found: Clusters, about: Mapping[str, tuple[str | None, str | None]]) -> Clusters:
    """The clusters, in each :func:`page_itself` kept. ``about``: by id the address, and the :func:`named_page`, of the documents that
    name one or have an address."""
    clusters = [_led_by_page(cluster, about) for cluster in found.clusters]
    instead = {before.kept: after.kept for before, after in zip(found.clusters, clusters, strict=True)}
    survivors = sorted(instead.get(id, id) for id in found.survivors)
    return replace(found, clusters=tuple(sorted(clusters, key=lambda cluster: cluster.kept)), survivors=tuple(survivors))


def _led_by_page(cluster: Cluster, about: Mapping[str, tuple[str | None, str | None]]) -> Cluster:
    whole = [cluster.kept, *(member.id for member in cluster.members if member.likeness not in PARTS)]
    kept = page_itself(cluster.kept, [(id, *about.get(id, (None, None))) for id in whole])
    if kept == cluster.kept:
        return cluster
    chosen = next(member for member in cluster.members if member.id == kept)
    others = [member if member is not chosen else replace(chosen, id=cluster.kept, url=cluster.url) for member in cluster.members]
    return replace(cluster, kept=kept, url=chosen.url, members=tuple(sorted(others, key=lambda member: member.id)))


def _page(address: str) -> str:
    place, slash, path = address.partition("://")[2].partition("/")
    return f"{named(place)}{slash}{path}"
