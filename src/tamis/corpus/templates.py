"""Third stage: the template of every site, learned from the sample of its pages that all shards found together."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from itertools import groupby
from operator import itemgetter
from typing import Any

import numpy as np

from tamis.corpus.models import UNSEEN, SiteModels, is_changed, learned_row
from tamis.corpus.survey import COLUMNS, partition_of
from tamis.corpus.tables import DIGESTS, MODELS, Writer, rows
from tamis.corpus.tasks import Work
from tamis.errors import MissingExtraError
from tamis.site.digest import PageDigest

_SPILL = "1GB"
_TYPES = {name: kind[5:-1] for name, kind in DIGESTS.items() if kind.startswith("list<") and name != "names"}


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
    sites: set[str] = set()
    with Writer(work.path("models.parquet"), MODELS, batch=1) as writer:
        for site, found in groupby(_sample(work), itemgetter("site")):
            sites.add(site)
            before = stored.row(site) if site in stored else None
            changed = is_changed(pages[site], known[site])
            digests = [_digest(row) for row in found]
            made = learned_row(site, digests, int(needs["sample"]), needs["date"], needs["source"], before, changed=changed)
            if made is not None:
                outcomes[made["outcome"]] += 1
                writer.add(made)
        for site in stored:
            if site not in sites and partition_of(site, int(needs["partitions"])) == needs["partition"]:
                writer.add({**stored.row(site), "outcome": UNSEEN})
    return {"sites": len(sites), "learned": outcomes.total(), **outcomes}


def _sample(work: Work) -> Iterator[dict[str, Any]]:
    """The pages to learn from: of each site of the partition the rows with the smallest hashes, site by site."""
    needs = work.task.needs
    files = [str(work.root / file) for file in needs["digests"]]
    connection = duckdb().connect(config={"threads": 1, "memory_limit": _SPILL, "temp_directory": str(work.folder / "spill")})
    try:
        # The pick is made on hashes alone; the wide columns are read for what was picked.
        connection.execute(
            """
            create temp table pick as
            select distinct site, hash from read_parquet($files) where partition = $partition
            qualify row_number() over (partition by site order by hash) <= $sample
            """,
            {"files": files, "partition": needs["partition"], "sample": needs["sample"]},
        )
        found = connection.execute(
            """
            select digest.* from read_parquet($files) digest semi join pick using (site, hash)
            where partition = $partition order by site, hash
            """,
            {"files": files, "partition": needs["partition"]},
        )
        while batch := found.fetchmany(64):
            names = [column[0] for column in found.description]
            yield from (dict(zip(names, row, strict=True)) for row in batch)
    finally:
        connection.close()


def _digest(row: Mapping[str, Any]) -> PageDigest:
    columns: dict[str, Any] = {name: np.array(row[name], dtype=_TYPES[name]) for name in COLUMNS if name != "names"}
    return PageDigest(names=tuple(row["names"]), **columns)


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
