"""Between the passes: the template of every site, learned from the sample of its pages that all shards found together."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Iterator, Mapping, Sequence
from itertools import groupby
from operator import itemgetter
from pathlib import Path
from typing import Any

import numpy as np

from tamis.corpus.survey import COLUMNS
from tamis.corpus.tables import DIGESTS, MODELS, Writer, arrow
from tamis.corpus.tasks import Work
from tamis.errors import MissingExtraError
from tamis.site.digest import PageDigest
from tamis.site.model import SiteModel, learn_digests
from tamis.site.sites import is_site
from tamis.site.store import pack, unpack

SHELF = 64
"""Templates that a process holds unpacked."""
_SPILL = "1GB"
_TYPES = {name: kind[5:-1] for name, kind in DIGESTS.items() if kind.startswith("list<") and name != "names"}


def learn_templates(work: Work) -> Mapping[str, Any]:
    """The task: ``models.parquet`` with the templates of a partition's sites, for those whose pages share one."""
    sites = learned = 0
    with Writer(work.path("models.parquet"), MODELS, batch=1) as writer:
        for site, rows in groupby(_sample(work), itemgetter("site")):
            sites += 1
            model = learn_digests(_digest(row) for row in rows)
            if is_site(model):
                learned += 1
                writer.add({"site": site, "pages": model.template.pages, "model": pack(model), "template": ""})
    return {"sites": sites, "learned": learned}


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
        while rows := found.fetchmany(64):
            names = [column[0] for column in found.description]
            yield from (dict(zip(names, row, strict=True)) for row in rows)
    finally:
        connection.close()


def _digest(row: Mapping[str, Any]) -> PageDigest:
    columns: dict[str, Any] = {name: np.array(row[name], dtype=_TYPES[name]) for name in COLUMNS if name != "names"}
    return PageDigest(names=tuple(row["names"]), **columns)


class Shelf:
    """The templates of all sites, on disk; some unpacked, those asked for last."""

    def __init__(self, files: Sequence[Path]) -> None:
        self._files = [arrow().parquet.ParquetFile(file) for file in files]
        self._place: dict[str, tuple[int, int]] = {}
        self._held: OrderedDict[str, SiteModel] = OrderedDict()
        for number, file in enumerate(self._files):
            for group, site in enumerate(file.read(["site"]).column(0).to_pylist()):  # one template a row group
                self._place[site] = (number, group)

    def get(self, site: str) -> SiteModel | None:
        """The template of a site; None where its pages share none."""
        place = self._place.get(site)
        if place is None:
            return None
        if site not in self._held:
            number, group = place
            self._held[site] = SiteModel(**vars(unpack(self._files[number].read_row_group(group, ["model"]).column(0)[0].as_py())))
            if len(self._held) > SHELF:
                self._held.popitem(last=False)
        self._held.move_to_end(site)
        return self._held[site]


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
