"""The time, memory, storage and requests of a run, estimated from a run over a sample of its sources."""

from __future__ import annotations

import math
import tempfile
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from tamis.corpus.config import CorpusConfig
from tamis.corpus.pipeline import run_shards
from tamis.corpus.shards import Cut, Shard, plan
from tamis.corpus.stages import Progress
from tamis.corpus.tables import read_columns
from tamis.corpus.tasks import TaskStore
from tamis.corpus.workers import processors
from tamis.io.files import size_of
from tamis.io.parquet import parquet_file

SMALL = Cut(2_000_000, 500, 200)  #: shards of the sample: small, so that they can lie all over the data
SHARDS = 6  #: shards of the sample
HELD = 1_000  #: bytes that deduplication holds of each document
BLOCK = 5 * 2**20  #: bytes that storage is asked for at a time, as fsspec does unless told otherwise


@dataclass(frozen=True, slots=True)
class Estimate:
    """Resources that a run needs."""

    pages: int
    sites: int
    workers: int
    measured_pages: int  #: pages of the sample that was run
    measured_sites: int
    seconds: Mapping[str, float] = field(default_factory=dict)  #: processor seconds by stage
    hours: float = 0.0  #: by the clock, if each worker has a processor
    memory: int = 0  #: bytes of all processes, each at its peak
    output: int = 0  #: bytes of the output folder after the run
    spool: int = 0  #: bytes in the output folder until pages are cleaned
    read: int = 0  #: bytes read from the sources
    requests: int = 0  #: requests for these bytes where the sources lie in storage by address


def estimate(
    config: CorpusConfig,
    pages: int | None = None,
    sites: int | None = None,
    progress: Progress = lambda stage, done, total: None,
) -> Estimate:
    """Run a sample of the sources, and estimate the needs of all of them, or of a given number of pages and sites.

    Args:
        config: settings of the run; its output is not touched.
        pages: of the corpus; None: estimated from the size of the sources.
        sites: of the corpus; None: estimated from the numbers of sites in one and in two shards of the sample (Chao 1984).
        progress: called as tasks of the sample are done.

    Raises:
        SourceError: a source does not exist or has no pages.
        CorpusError: nothing is kept of the sample.
    """
    every = plan(config.sources, SMALL, config.page_fields)
    chosen = [every[number * len(every) // SHARDS] for number in range(SHARDS)] if len(every) > SHARDS else every
    with tempfile.TemporaryDirectory(prefix="tamis-plan-") as folder:
        sampled = replace(config, output=folder, workers=1, target=None, models=None, previous=None, runner="local")
        run_shards(sampled, chosen, progress)
        return _scaled(sampled, TaskStore(Path(folder) / "work"), chosen, every, pages, sites, config.workers or processors())


def _scaled(
    config: CorpusConfig,
    store: TaskStore,
    chosen: Sequence[Shard],
    every: Sequence[Shard],
    pages: int | None,
    sites: int | None,
    workers: int,
) -> Estimate:
    read = store.of_stage("read")
    measured = max(sum(found.counts["pages"] for found in read), 1)
    tables = [read_columns(store.file(found, "pages"), ["site", "size"]) for found in read]
    by_site: Counter[str] = Counter(site for table in tables for site in table.column("site").to_pylist())
    share = sum(map(_bytes, chosen)) / max(sum(map(_bytes, every)), 1)
    total = pages if pages is not None else round(measured / max(share, 1e-9))
    growth = total / measured
    if sites is None:
        sites = len(by_site) if total <= measured else min(round(_chao(tables)), total)
    # The sample of each site: what the measured sites would have of pages, were the corpus as large as asked for.
    per_site = growth * len(by_site) / max(sites, 1)
    digested = sum(min(config.sample, count * per_site) for count in by_site.values()) / max(len(by_site), 1) * sites
    was_digested = max(sum(found.counts["digested"] for found in store.of_stage("survey")), 1)
    factors = {"survey": digested / was_digested, "templates": digested / was_digested}
    seconds: dict[str, float] = {}
    memory = 0
    for folder in sorted(path.name for path in store.root.iterdir() if path.is_dir()):
        stage = folder.partition(".")[0]
        tasks = store.of_stage(folder)
        first, *others = (found.costs["seconds"] for found in tasks)
        start = max(first - sum(others) / len(others), 0.0) if others else 0.0  # the first task of a process loads what all need
        scaled = (first + sum(others) - start) * factors.get(stage, growth) + start * workers
        seconds[stage] = seconds.get(stage, 0.0) + scaled
        memory = max(memory, *(found.costs["memory"] for found in tasks))
    alone = seconds.get("deduplicate", 0.0)
    files = {path.stat().st_ino: path.stat().st_size for path in store.root.parent.rglob("*") if path.is_file()}
    signatures = sum(path.stat().st_size for path in store.root.rglob("clean/*/signatures.bin")) / measured
    full = config.shard_mb * 1_000_000 / max(sum(map(_bytes, chosen)) / measured, 1)  # pages of a shard of the run
    stored = round(sum(map(_bytes, chosen)) * growth)
    return Estimate(
        pages=total,
        sites=sites,
        workers=workers,
        measured_pages=measured,
        measured_sites=len(by_site),
        seconds={stage: round(value, 1) for stage, value in seconds.items()},
        hours=((sum(seconds.values()) - alone) / workers + alone) / 3600,
        memory=workers * round(memory + 2 * signatures * min(full, total)) + HELD * total,
        output=round(sum(files.values()) * growth),
        spool=round(sum(sum(table.column("size").to_pylist()) for table in tables) * growth) if config.spool else 0,
        read=stored * (1 if config.spool else 3),
        requests=math.ceil(stored / BLOCK + 2 * max(stored / (config.shard_mb * 1_000_000), 1)) * (1 if config.spool else 3),
    )


def _bytes(shard: Shard) -> int:
    if shard.kind in ("archive", "lines"):
        return shard.stop - shard.start
    if shard.kind == "parquet":
        with parquet_file(shard.path) as file:
            return sum(file.metadata.row_group(group).total_byte_size for group in range(shard.start, shard.stop))
    return sum(map(_size, shard.paths))


def _size(name: str) -> int:
    try:
        return size_of(name)
    except OSError:  # an address
        return 1


def _chao(tables: Sequence[Any]) -> float:
    """Estimate the number of sites, seen or not, from the number of shards in which each site was seen."""
    seen = Counter(site for table in tables for site in set(table.column("site").to_pylist()))
    once, twice = (sum(count == times for count in seen.values()) for times in (1, 2))
    return len(seen) + once * (once - 1) / (2 * (twice + 1)) if len(tables) > 1 else len(seen)
