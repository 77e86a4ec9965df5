"""The corpus pipeline once, in its own process: ``python -m benchmarks.corpus_child OUT WORKERS CONTESTANT FILE...``.

Started by :mod:`benchmarks.corpus`; prints one line of JSON: seconds by stage, pages, documents, processor
seconds by part of the work on pages.
"""

from __future__ import annotations

import json
import sys
import time
from pathlib import Path

from tamis.corpus.config import CorpusConfig
from tamis.corpus.pipeline import run
from tamis.corpus.report import parts
from tamis.corpus.tasks import TaskStore

STORING = ("tamis-models", "tamis-again", "tamis-unchanged")
"""Contestants that use a store of templates; the first one is the earlier run of the others."""


def main(output: str, workers: int, contestant: str, files: list[str]) -> None:
    """Run and answer."""
    started: dict[str, float] = {}
    ended: dict[str, float] = {}

    def note(stage: str, done: int, total: int) -> None:
        now = time.perf_counter()
        started.setdefault(stage, now)
        ended[stage] = now

    ray = contestant == "tamis-ray"
    more = contestant != "tamis-text"
    beside = Path(output).parent
    store = str(beside / f"store-{workers}") if contestant in STORING else None
    previous = str(beside / f"{STORING[0]}-{workers}") if contestant == "tamis-unchanged" else None
    runner, memory = ("ray", 0) if ray else ("local", 4096)
    options = {"workers": workers, "runner": runner, "memory_mb": memory, "metadata": more, "dropped": more}
    summary = run(CorpusConfig(tuple(files), output, models=store, previous=previous, **options), note)  # type: ignore[arg-type]
    answer = {stage: ended[stage] - started[stage] for stage in started} | {"pages": summary.pages, "documents": summary.documents}
    tasks = TaskStore(Path(output) / "work")
    on_pages = [found for stage in ("read", "survey", "clean") for found in tasks.of_stage(stage)]
    sys.stdout.write(json.dumps({**answer, "parts": {name: seconds for name, seconds, *_ in parts(on_pages)}}) + "\n")


if __name__ == "__main__":
    main(sys.argv[1], int(sys.argv[2]), sys.argv[3], sys.argv[4:])
