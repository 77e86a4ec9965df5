"""Before the survey: which addresses each shard has, as far as they may be among those that sites are learned from.

Of every site those pages are learned from whose address has one of the smallest hashes. What a shard has of them is little, and found
without looking into a page. A shard that knows the census of others, too, can tell which of its own pages cannot be among the smallest, and
parses only the rest: with many shards that is a small part of what it would parse by itself.
"""

from __future__ import annotations

import heapq
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from tamis.corpus.pages import open_shard
from tamis.corpus.tables import CENSUS, Writer, arrow
from tamis.corpus.tasks import Work
from tamis.io.pages import Source
from tamis.site.sites import site_of
from tamis.structure.hashing import text_hash

KNOWN = 32
"""Shards whose census one shard looks at, its own included: with a few the most is gained, and with all the work would be quadratic."""


class Smallest:
    """The smallest of some numbers, each once.

    Args:
        most: how many of them.
    """

    def __init__(self, most: int) -> None:
        self._most = most
        self._heap: list[int] = []
        self._held: set[int] = set()

    def add(self, value: int) -> bool:
        """Whether a number is among the smallest so far; it is then remembered."""
        if value in self._held:
            return True
        if len(self._heap) < self._most:
            heapq.heappush(self._heap, -value)
        elif self._heap and value < -self._heap[0]:
            self._held.discard(-heapq.heapreplace(self._heap, -value))
        else:
            return False
        self._held.add(value)
        return True

    def sorted(self) -> list[int]:
        """The numbers, rising."""
        return sorted(self._held)

    @property
    def limit(self) -> int | None:
        """The largest of them, once there are as many as wanted: no larger number will be among them."""
        return -self._heap[0] if self._heap and len(self._heap) == self._most else None


def census(work: Work) -> Mapping[str, Any]:
    """The task: ``census.parquet``, for each site of the shard the smallest hashes of addresses."""
    sample = int(work.task.needs["sample"])
    smallest: dict[str, Smallest] = {}
    pages = 0
    for _, source in open_shard(work):
        pages += 1
        smallest.setdefault(site_of(source), Smallest(sample)).add(address_hash(source))
    with Writer(work.path("census.parquet"), CENSUS, batch=10_000) as writer:
        for site in sorted(smallest):
            for value in smallest[site].sorted():
                writer.add({"site": site, "hash": value})
    return {"pages": pages, "sites": len(smallest)}


def address_hash(source: Source) -> int:
    """The number that a page is drawn by."""
    return text_hash(source.url or source.name)


def known_to(number: int, shards: int) -> list[int]:
    """The shards whose census a shard looks at, its own first."""
    return [(number + step) % shards for step in range(min(shards, KNOWN))]


def limits(files: Iterable[Path], sample: int) -> dict[str, int]:
    """By site the largest hash that may be among the smallest of all; not of sites of which no more than the sample is known.

    Args:
        files: censuses; of any of the corpus' shards, so that a limit is never too small.
        sample: pages that a site is learned from.
    """
    smallest: dict[str, Smallest] = {}
    for file in files:
        table = arrow().parquet.read_table(file, columns=["site", "hash"])
        for site, value in zip(table.column("site").to_pylist(), table.column("hash").to_pylist(), strict=True):
            smallest.setdefault(site, Smallest(sample)).add(value)
    return {site: limit for site, held in smallest.items() if (limit := held.limit) is not None}
