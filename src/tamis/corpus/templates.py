"""The templates of sites: digests of the pages to learn from (second stage), and what is learned from them (third stage).

The sample of a site is its pages with the smallest hashes of their addresses, whatever the shards are. A shard reads the hashes
of some other shards to rule out pages that cannot be in the sample. Of the rest it digests those that are among the smallest so far; the
third stage takes the smallest of all.
"""

from __future__ import annotations

import heapq
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping
from itertools import groupby
from operator import itemgetter
from pathlib import Path
from typing import Any

from tamis.corpus.models import SiteModels, is_changed, is_known, learned_row
from tamis.corpus.spool import spooled_pages
from tamis.corpus.tables import DIGESTS, MODELS, REUSED, UNSEEN, Writer, arrow, database, rows
from tamis.corpus.tasks import Work
from tamis.io.pages import Source
from tamis.page.parsing import parse
from tamis.page.stopwatch import part
from tamis.site.digest import PageDigest, digest
from tamis.structure.hashing import text_hash

COLUMNS = ("names", "name", "parent", "end", "element", "text", "length", "link_length")
_GROUP = 64
_SPILL = "1GB"


class Smallest:
    """The ``most`` smallest of some numbers, each once."""

    def __init__(self, most: int) -> None:
        self._most = most
        self._heap: list[int] = []
        self.held: set[int] = set()

    def add(self, value: int) -> bool:
        """Whether a number is among the smallest so far; it is then remembered."""
        if value in self.held:
            return True
        if len(self._heap) < self._most:
            heapq.heappush(self._heap, -value)
        elif self._heap and value < -self._heap[0]:
            self.held.discard(-heapq.heapreplace(self._heap, -value))
        else:
            return False
        self.held.add(value)
        return True

    @property
    def limit(self) -> int | None:
        """The largest of them, once there are as many as wanted: no larger number will be among them."""
        return -self._heap[0] if self._heap and len(self._heap) == self._most else None


class Digests:
    """``digests.parquet``: digests of the sample of each site, in row groups of one partition each. The task needs ``sample`` and
    ``partitions``."""

    def __init__(self, work: Work) -> None:
        self._sample, self._partitions = int(work.task.needs["sample"]), int(work.task.needs["partitions"])
        self._writer = Writer(work.path("digests.parquet"), DIGESTS, batch=1 << 30)
        self._smallest: dict[str, Smallest] = {}
        self._waiting: dict[int, list[dict[str, Any]]] = {}

    @property
    def count(self) -> int:
        """Pages digested."""
        return self._writer.count + sum(map(len, self._waiting.values()))

    def wants(self, site: str, drawn: int) -> bool:
        """Whether a page with this hash of its address is among the smallest of its site so far."""
        return self._smallest.setdefault(site, Smallest(self._sample)).add(drawn)

    def add(self, site: str, drawn: int, page: PageDigest) -> None:
        """Keep a digest."""
        partition = partition_of(site, self._partitions)
        rows = self._waiting.setdefault(partition, [])
        rows.append(
            {"site": site, "partition": partition, "hash": drawn, "key": page.key, **{name: getattr(page, name) for name in COLUMNS}}
        )
        if len(rows) >= _GROUP:
            self._write(self._waiting.pop(partition))

    def _write(self, rows: list[dict[str, Any]]) -> None:
        for row in rows:
            self._writer.add(row)
        self._writer.flush()

    def __enter__(self) -> Digests:
        return self

    def __exit__(self, kind: type[BaseException] | None, *error: Any) -> None:
        if kind is None:
            for partition in sorted(self._waiting):
                self._write(self._waiting[partition])
        self._writer.__exit__(kind, None, None)


def survey(work: Work) -> Mapping[str, Any]:
    """The task: ``digests.parquet``; not of sites with a stored template, whose pages were digested when they were cleaned."""
    needs = work.task.needs
    known = SiteModels(work.root / file for file in needs["known"])
    limit = limits((work.root / file for file in needs["others"]), int(needs["sample"]))
    table = arrow().parquet.read_table(work.root / needs["pages"], columns=["position", "site", "hash"])
    with Digests(work) as digests:
        drawn = {
            position: (site, value)
            for position, site, value in zip(*(column.to_pylist() for column in table.columns), strict=True)
            if site not in known and position not in work.lost and value <= limit.get(site, value) and digests.wants(site, value)
        }
        for position, source, _ in spooled_pages(work, drawn):
            if (page := _digest(source)) is not None:
                digests.add(*drawn[position], page)
        return {"digested": digests.count, "lost": dict(work.lost)}


def limits(files: Iterable[Path], sample: int) -> dict[str, int]:
    """By site the largest hash that may be among the smallest of all; sites with no more known pages than ``sample`` are left out.

    ``files``: ``pages.parquet`` of any of the corpus' shards: a limit is never too small.
    """
    smallest: dict[str, Smallest] = {}
    for file in files:
        table = arrow().parquet.read_table(file, columns=["site", "hash"])
        for site, value in zip(table.column("site").to_pylist(), table.column("hash").to_pylist(), strict=True):
            smallest.setdefault(site, Smallest(sample)).add(value)
    return {site: limit for site, held in smallest.items() if (limit := held.limit) is not None}


def partition_of(site: str, partitions: int) -> int:
    """The partition that a site is of, 0 to ``partitions - 1``."""
    return text_hash(site) % partitions


def _digest(source: Source) -> PageDigest | None:
    """The digest of a page; None for one that cannot be read: it fails later, when it is cleaned."""
    try:
        with part("read"):
            served = source.read()
        with part("parse"):
            tree = parse(served.html, content_type=served.content_type)
        with part("digest"):
            return digest(tree).digest
    except Exception:  # one page must not end the run
        return None


def learn_templates(work: Work) -> Mapping[str, Any]:
    """The task: ``models.parquet`` with the templates of a partition's sites, for those whose pages share one: learned, or from the store,
    updated with new pages. Stored templates of sites without a page in this run are included."""
    needs = work.task.needs
    stored = SiteModels(work.root / file for file in needs["known"])
    pages, known = Counter[str](), Counter[str]()
    for file in needs["seen"]:
        for row in rows(work.root / file):
            pages[row["site"]] += row["pages"]
            known[row["site"]] += row["known"]
    outcomes: Counter[str] = Counter()
    with _Sample(work) as sample, Writer(work.path("models.parquet"), MODELS, batch=1) as writer:

        def write(row: dict[str, Any] | None) -> None:
            if row is not None:
                outcomes[row["outcome"]] += row["outcome"] != UNSEEN
                writer.add(row)

        keys = sample.keys()
        changed = {site for site in keys if is_changed(pages[site], known[site])}
        for site in stored:
            if site not in keys and partition_of(site, int(needs["partitions"])) == needs["partition"]:
                write({**stored.row(site), "outcome": UNSEEN})
            elif site in keys and site not in changed and is_known(row := stored.row(site), keys[site]):
                write({**row, "outcome": REUSED})
                del keys[site]
        for site, digests in sample.digests(keys):
            before = stored.row(site) if site in stored else None
            write(learned_row(site, digests, int(needs["sample"]), needs["date"], needs["source"], before, changed=site in changed))
        return {"sites": sample.sites, "learned": outcomes.total(), **{name: count for name, count in outcomes.items() if count}}


class _Sample:
    """The pages to learn from: of each site of the partition the rows with the smallest hashes."""

    def __init__(self, work: Work) -> None:
        needs = work.task.needs
        self._files = {"files": [str(work.root / file) for file in needs["digests"]], "partition": needs["partition"]}
        self._connection = database(_SPILL, work.folder)
        # The pick is made on hashes alone; the wide columns are read for what was picked.
        self._connection.execute(
            """
            create temp table pick as
            select site, hash, any_value(key) as key from read_parquet($files) where partition = $partition group by site, hash
            qualify row_number() over (partition by site order by hash) <= $sample
            """,
            {**self._files, "sample": needs["sample"]},
        )
        self.sites = 0

    def keys(self) -> dict[str, list[int]]:
        """By site, the keys of the contents of its pages."""
        found = self._connection.execute("select site, list(key) from pick group by site order by site").fetchall()
        self.sites = len(found)
        return dict(found)

    def digests(self, sites: Collection[str]) -> Iterator[tuple[str, list[PageDigest]]]:
        """The digests of some sites' pages, site by site."""
        found = self._connection.sql(
            f"""
            select site, {", ".join(f'"{name}"' for name in COLUMNS)} from read_parquet($files) digest semi join pick using (site, hash)
            where partition = $partition and site in (select unnest($sites::varchar[])) order by site, hash
            """,
            params={**self._files, "sites": list(sites)},
        )
        batches = found.to_arrow_reader(64) if hasattr(found, "to_arrow_reader") else found.fetch_arrow_reader(64)  # its old name
        pages = (page for batch in batches for page in _digests(batch))
        for site, of_site in groupby(pages, itemgetter(0)):
            yield site, [page for _, page in of_site]

    def __enter__(self) -> _Sample:
        return self

    def __exit__(self, *error: object) -> None:
        self._connection.close()


def _digests(batch: Any) -> Iterator[tuple[str, PageDigest]]:
    """Site and digest of each row, columns as views of Arrow's memory."""
    sites, names = batch.column("site").to_pylist(), batch.column("names").to_pylist()
    columns = {}
    for name in COLUMNS[1:]:
        lists = batch.column(name)
        columns[name] = lists.values.to_numpy(), lists.offsets.to_numpy()
    for number, (site, own) in enumerate(zip(sites, names, strict=True)):
        cut = {name: values[offsets[number] : offsets[number + 1]] for name, (values, offsets) in columns.items()}
        yield site, PageDigest(names=tuple(own), **cut)
