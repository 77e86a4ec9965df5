"""Which pages of a site to learn from, when there are more than needed."""

from __future__ import annotations

import heapq
from collections.abc import Iterable
from itertools import chain, zip_longest

from tamis.io.pages import Source
from tamis.site.digest import PageDigest
from tamis.structure.hashing import text_hash
from tamis.structure.layouts import group, sketch

CANDIDATES = 4
"""Pages looked at for each page that is learned from."""


def choose_sources(sources: Iterable[Source], pages: int) -> list[Source]:
    """Some of many sources, chosen by a hash of their names: the same whatever the order they come in. Memory stays flat.

    Args:
        sources: any number.
        pages: pages wanted in the end; :data:`CANDIDATES` times as many are chosen, for :func:`spread_over_layouts` to choose from.
    """
    return heapq.nsmallest(CANDIDATES * pages, sources, key=lambda source: (text_hash(source.name), source.name))


def spread_over_layouts(digests: Iterable[PageDigest], pages: int, alike: float = 0.5) -> list[PageDigest]:
    """At most so many pages, a fair share of every layout: one of each layout in turn, by page key.

    Args:
        digests: pages to choose from.
        pages: how many to choose.
        alike: likeness within a layout (:func:`tamis.structure.layouts.group`).
    """
    distinct = [page for _, page in sorted({page.key: page for page in digests}.items())]
    if len(distinct) <= pages:
        return distinct
    layouts = group([sketch(page.names) for page in distinct], alike)
    turns = chain.from_iterable(zip_longest(*(layout.members for layout in layouts)))
    return [distinct[index] for index in turns if index is not None][:pages]
