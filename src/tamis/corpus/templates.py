"""The templates of sites: digests of the pages to learn from (second stage), and the templates learned from them (third stage).

The sample of a site is its pages with the smallest hashes of their addresses, whatever the shards are. A shard reads the hashes
of some other shards to rule out pages that cannot be in the sample. It digests the smallest of the rest; the third stage takes the smallest
of all."""

from __future__ import annotations

from bisect import bisect_left
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from itertools import chain
from pathlib import Path
from typing import Any, TypeVar

from tamis.corpus.config import LEARNING
from tamis.corpus.models import SiteModels, is_changed, is_known, learned_row, row_by_method
from tamis.corpus.spool import spooled_pages
from tamis.corpus.tables import DIGESTS, MODELS, REUSED, UNSEEN, Writer, arrow, read_columns, rows
from tamis.corpus.tasks import Manifest, Work
from tamis.duplicates.intake import portions
from tamis.page.parsing import parse
from tamis.page.stopwatch import timed
from tamis.page.tree import PageTree
from tamis.site.digest import digest, from_bytes, judged_digest, to_bytes
from tamis.site.sites import host_of, several_hosts, several_templates
from tamis.structure.compression import compress, decompress
from tamis.structure.hashing import text_hash

_Page = TypeVar("_Page")  #: Input of learning: digests, or whole pages.
HELD = 4096  #: digests that are in memory together, some 7 kB each
_GROUP = 256


class Smallest:
    """The ``most`` smallest of some numbers, each once."""

    def __init__(self, most: int) -> None:
        self._most = most
        self.held: list[int] = []  #: sorted

    def add(self, value: int) -> bool:
        """Return whether a number is among the smallest yet; it is then remembered."""
        place = bisect_left(self.held, value)
        if value not in self.held[place : place + 1]:
            self.held.insert(place, value)
            del self.held[self._most :]
        return place < self._most


class Digests:
    """``digests.parquet``: digests of each site's sample, a row group for a partition. The task needs ``partitions``."""

    def __init__(self, work: Work) -> None:
        self._sample, self._partitions = work.config.sample, int(work.task.needs["partitions"])
        self._whole = work.config.method in LEARNING
        self._writer = Writer(work.path("digests.parquet"), DIGESTS, batch=1 << 30)
        self._smallest: dict[str, Smallest] = {}
        self._waiting: dict[int, list[dict[str, Any]]] = {}
        self.count = 0  #: pages digested
        self.hosts: dict[str, dict[str, int]] = {}  #: by site the hosts that pages without an address declare, with how many do

    def wants(self, site: str, drawn: int) -> bool:
        """Return whether a page with this hash of its address is among the smallest of its site yet."""
        return self._smallest.setdefault(site, Smallest(self._sample)).add(drawn)

    def add(self, site: str, drawn: int, tree: PageTree | None, url: str | None = None) -> None:
        """Keep the digest of a page; None for one of the sample that has not changed: the template has nothing to learn from it."""
        partition = partition_of(site, self._partitions)
        rows = self._waiting.setdefault(partition, [])
        row: dict[str, Any] = {"site": site, "partition": partition, "hash": drawn}
        if tree is not None:
            self.count += 1
            page = digest(tree).digest if self._whole else judged_digest(tree)
            row |= {"key": page.key, "digest": compress(tree) if self._whole else to_bytes(page)}
            if url is None and (host := host_of(tree)):
                hosts = self.hosts.setdefault(site, {})
                hosts[host] = hosts.get(host, 0) + 1
        rows.append(row)
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
    """Run the task: write ``digests.parquet``; not of sites with a stored template, whose pages were digested when they were cleaned."""
    needs = work.task.needs
    known = SiteModels(work.root / file for file in needs["known"])
    table = read_columns(work.root / needs["pages"], ["position", "site", "hash"])
    others = needs["others"] if len(table) else ()  # with stored templates, often no page is left
    limit = limits((work.root / file for file in others), work.config.sample)
    with Digests(work) as digests:
        drawn = {
            position: (site, value)
            for position, site, value in zip(*(column.to_pylist() for column in table.columns), strict=True)
            if site not in known and position not in work.lost and value <= limit.get(site, value) and digests.wants(site, value)
        }
        for position, source, _ in spooled_pages(work, drawn):
            try:
                with timed("read"):
                    served = source.read()
                with timed("parse"):
                    tree = parse(served.html, content_type=served.content_type)
                with timed("digest"):
                    digests.add(*drawn[position], tree, served.url)
            except Exception:  # one page must not end the run; it fails later, when it is cleaned
                continue
        return {"digested": digests.count, "hosts": digests.hosts, "lost": dict(work.lost)}


def mixed_sites(manifests: Sequence[Manifest]) -> dict[str, str]:
    """Return sites that mix pages of several, as words: their hosts, or the groups without a template in common."""
    hosts: dict[str, Counter[str]] = {}
    for found in manifests:
        for site, counts in found.counts.get("hosts", {}).items():
            hosts.setdefault(site, Counter()).update(counts)
    said = {site: words for found in manifests for site, words in found.counts.get("apart", {}).items()}
    said |= {site: words for site, counts in hosts.items() if (words := several_hosts(counts))}
    return dict(sorted(said.items()))


def limits(files: Iterable[Path], sample: int) -> dict[str, int]:
    """By site the largest hash that may be among the smallest of all; sites with no more known pages than ``sample`` are left out.

    ``files``: ``pages.parquet`` of any of the corpus' shards: a limit is never too small.
    """
    smallest: defaultdict[str, Smallest] = defaultdict(lambda: Smallest(sample))
    for file in files:
        table = read_columns(file, ["site", "hash"])
        for site, value in zip(table.column("site").to_pylist(), table.column("hash").to_pylist(), strict=True):
            smallest[site].add(value)
    return {site: found.held[-1] for site, found in smallest.items() if len(found.held) == sample}


def partition_of(site: str, partitions: int) -> int:
    """Return the partition that a site is of, 0 to ``partitions - 1``."""
    return text_hash(site) % partitions


def learn_templates(work: Work) -> Mapping[str, Any]:
    """Run the task: write ``models.parquet`` with the templates of a partition's sites, for those whose pages share one: learned, or from
    the store, updated with new pages. Stored templates of sites without a page in this run are included."""
    needs, config = work.task.needs, work.config
    stored = SiteModels(work.root / file for file in needs["known"])
    pages, known = Counter[str](), Counter[str]()
    for file in needs["seen"]:
        for row in rows(work.root / file):
            pages[row["site"]] += row["pages"]
            known[row["site"]] += row["known"]
    outcomes: Counter[str] = Counter()
    apart: dict[str, str] = {}
    groups, keys = _sampled_groups(work)
    sites = len(keys)
    with Writer(work.path("models.parquet"), MODELS, batch=1) as writer:

        def write(row: dict[str, Any] | None) -> None:
            if row is not None:
                outcomes[row["outcome"]] += row["outcome"] != UNSEEN
                writer.add(row)

        changed = {site for site in keys if is_changed(pages[site], known[site])}
        for site in stored:
            if site not in keys and partition_of(site, int(needs["partitions"])) == needs["partition"]:
                write({**stored.row(site), "outcome": UNSEEN})
            elif site in keys and is_known(row := stored.row(site), set(chain.from_iterable(keys[site].values()))):
                write({**row, "outcome": REUSED})
                del keys[site]
        if config.method in LEARNING:
            for site, trees in _chosen_digests(groups, keys, decompress):
                write(row_by_method(site, trees, config.method, needs["date"]))
            keys = {}
        for site, digests in _chosen_digests(groups, keys, from_bytes):
            if "/" in site and (said := several_templates(digests)):  # pages of a folder or a file, not of a host
                apart[site] = said
            before = stored.row(site) if site in stored else None
            write(learned_row(site, digests, config.sample, needs["date"], ", ".join(config.sources[:3]), before, changed=site in changed))
        return {"sites": sites, "apart": apart, "learned": outcomes.total(), **{name: count for name, count in outcomes.items() if count}}


_Keys = dict[str, dict[int, list[int]]]  # of the contents of pages, by site and by the hash of the address


def _sampled_groups(work: Work) -> tuple[list[tuple[Any, int]], _Keys]:
    """Return the groups of rows with digests of the partition, each with its file; and the pages to learn from, those of each site with the
    smallest hashes. Hashes alone decide; the wide columns are read for what was chosen (:func:`_chosen_digests`)."""
    needs = work.task.needs
    groups = []
    of_site: _Keys = {}
    for name in needs["digests"]:
        file = arrow().parquet.ParquetFile(work.root / name)
        place = file.schema_arrow.get_field_index("partition")
        for group in range(file.num_row_groups):
            if file.metadata.row_group(group).column(place).statistics.min == needs["partition"]:
                groups.append((file, group))
                for row in file.read_row_group(group, ["site", "hash", "key"]).to_pylist():
                    of_site.setdefault(row["site"], {}).setdefault(row["hash"], []).extend([] if row["key"] is None else [row["key"]])
    return groups, {site: dict(sorted(keys.items())[: work.config.sample]) for site, keys in sorted(of_site.items())}


def _chosen_digests(groups: list[tuple[Any, int]], keys: _Keys, read: Callable[[bytes], _Page]) -> Iterator[tuple[str, list[_Page]]]:
    for portion in portions(keys, HELD, lambda site: len(keys[site]), HELD):
        held: dict[str, list[_Page]] = {site: [] for site in portion}
        for file, group in groups:
            for row in file.read_row_group(group, ["site", "hash", "key", "digest"]).to_pylist():
                if (site := row["site"]) in held and row["digest"] is not None and row["hash"] in keys[site]:
                    held[site].append(page := read(row["digest"]))
                    vars(page)["key"] = row["key"]
        yield from held.items()
