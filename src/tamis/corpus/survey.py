"""First pass: how many pages each site has, and digests of some of them to learn from.

Of every site those pages are digested whose address has one of the smallest hashes, so all shards together know the sample of the whole
site, whatever the shards are. What cannot be among them the census of other shards tells (:mod:`tamis.corpus.census`); of the rest a shard
digests what is among the smallest so far, some too many, and the merge takes its pick.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from typing import Any

from tamis.corpus.census import Smallest, address_hash, limits
from tamis.corpus.pages import open_shard
from tamis.corpus.tables import DIGESTS, SITES, Writer
from tamis.corpus.tasks import Work
from tamis.io.pages import Source
from tamis.page.parsing import parse
from tamis.site.digest import PageDigest, digest
from tamis.site.sites import site_of
from tamis.structure.hashing import text_hash

COLUMNS = ("names", "name", "parent", "end", "element", "text", "length", "link_length")
_GROUP = 64


def survey(work: Work) -> Mapping[str, Any]:
    """The task: ``digests.parquet``, row groups of one partition each, and ``sites.parquet``."""
    count: Counter[str] = Counter()
    smallest: dict[str, Smallest] = {}
    sample, partitions = int(work.task.needs["sample"]), int(work.task.needs["partitions"])
    limit = limits((work.root / file for file in work.task.needs.get("census", ())), sample)
    waiting: dict[int, list[dict[str, Any]]] = {}
    digested = 0
    with Writer(work.path("digests.parquet"), DIGESTS, batch=1 << 30) as writer:
        for position, source in open_shard(work):
            site = site_of(source)
            count[site] += 1
            drawn = address_hash(source)
            if position in work.lost or drawn > limit.get(site, drawn) or not smallest.setdefault(site, Smallest(sample)).add(drawn):
                continue
            if (page := _digest(source)) is None:
                continue
            digested += 1
            partition = partition_of(site, partitions)
            rows = waiting.setdefault(partition, [])
            rows.append({"site": site, "partition": partition, "hash": drawn, **{name: getattr(page, name) for name in COLUMNS}})
            if len(rows) >= _GROUP:
                _write(writer, waiting.pop(partition))
        for partition in sorted(waiting):
            _write(writer, waiting[partition])
    with Writer(work.path("sites.parquet"), SITES) as sites:
        for site in sorted(count):
            sites.add({"site": site, "pages": count[site]})
    return {"pages": count.total(), "sites": len(count), "digested": digested, "lost": {k: v.reason for k, v in work.lost.items()}}


def partition_of(site: str, partitions: int) -> int:
    """The partition that a site is of, 0 to ``partitions - 1``."""
    return text_hash(site) % partitions


def _digest(source: Source) -> PageDigest | None:
    """The digest of a page; None for one that cannot be read: it fails later, when it is cleaned."""
    try:
        served = source.read()
        return digest(parse(served.html, content_type=served.content_type)).digest
    except Exception:  # one page must not end the run
        return None


def _write(writer: Writer, rows: list[dict[str, Any]]) -> None:
    for row in rows:
        writer.add(row)
    writer.flush()
