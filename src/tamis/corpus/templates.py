"""Third stage: the template of every site, learned from the sample of its pages that all shards found together."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterator, Mapping
from itertools import groupby
from operator import itemgetter
from typing import Any

from tamis.corpus.models import SiteModels, is_changed, is_known, learned_row
from tamis.corpus.survey import COLUMNS, partition_of
from tamis.corpus.tables import MODELS, REUSED, UNSEEN, Writer, rows
from tamis.corpus.tasks import Work
from tamis.errors import MissingExtraError
from tamis.site.digest import PageDigest

_SPILL = "1GB"


def learn_templates(work: Work) -> Mapping[str, Any]:
    """The task: ``models.parquet`` with the templates of a partition's sites, for those whose pages share one: learned, or from the store,
    updated where there is something new. Stored templates of sites that this run has no page of are in it, too."""
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
        self._connection = duckdb().connect(config={"threads": 1, "memory_limit": _SPILL, "temp_directory": str(work.folder / "spill")})
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


def duckdb() -> Any:
    """The module duckdb.

    Raises:
        MissingExtraError: it is not installed.
    """
    try:
        import duckdb as module
    except ImportError as error:
        raise MissingExtraError("the corpus pipeline", "corpus") from error
    return module
