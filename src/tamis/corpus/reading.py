"""First stage: every page of a shard is read once.

Pages of a site with a stored template (:mod:`tamis.corpus.models`) are cleaned at once. All others are spooled for the stages that learn
templates and clean with them, with the hash of their address: a site's template is learned from the pages with the smallest hashes. A shard
that knows the hashes of other shards, too, can tell which of its own pages cannot be among the smallest, and later parses only the rest.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from contextlib import ExitStack
from typing import Any

from tamis.corpus.cleaning import Cleaner
from tamis.corpus.models import models_in
from tamis.corpus.spool import Spool, open_shard
from tamis.corpus.survey import Digests
from tamis.corpus.tables import SITES, Writer
from tamis.corpus.tasks import Work
from tamis.site.sites import site_of
from tamis.structure.hashing import text_hash


def read_shard(work: Work) -> Mapping[str, Any]:
    """The task: ``pages.parquet`` and ``spool.bin`` (:mod:`tamis.corpus.spool`); where templates are stored, also what
    :func:`tamis.corpus.cleaning.clean` writes, ``digests.parquet``, and ``sites.parquet`` with the pages of sites with a template."""
    needs = work.task.needs
    models = models_in(tuple(work.root / file for file in needs["known"]))
    every: set[str] = set()
    seen: Counter[str] = Counter()
    known: Counter[str] = Counter()
    pages = 0
    with ExitStack() as stack:
        spool = stack.enter_context(Spool(work, keep=needs["keep"]))
        cleaner = Cleaner(work, stack) if needs["known"] else None
        digests = stack.enter_context(Digests(work)) if needs["known"] else None
        for position, source in open_shard(work):
            pages += 1
            site, drawn = site_of(source), text_hash(source.url or source.name)
            every.add(site)
            model = models.get(site) if position not in work.lost else None
            if model is not None and cleaner is not None and digests is not None:
                seen[site] += 1
                if cleaner.clean_known(position, source, site, model, digests, drawn):
                    known[site] += 1
                    continue
            spool.add(position, source, site, drawn)
        if needs["known"]:
            with Writer(work.path("sites.parquet"), SITES) as writer:
                for site in sorted(seen):
                    writer.add({"site": site, "pages": seen[site], "known": known[site]})
        found = cleaner.finish() if cleaner is not None else {}
    return {**found, "pages": pages, "sites": len(every), "spooled bytes": spool.size}
