"""The corpus pipeline once, in a process of its own: ``python -m benchmarks.corpus_child OUT WORKERS tamis|tamis-text|tamis-ray FILE...``.

Started by :mod:`benchmarks.corpus`; prints one line of JSON: seconds by stage, pages, documents.
"""

from __future__ import annotations

import json
import sys
import time

from tamis.corpus.config import CorpusConfig
from tamis.corpus.pipeline import run


def main(output: str, workers: int, contestant: str, files: list[str]) -> None:
    """Run and answer."""
    started: dict[str, float] = {}
    ended: dict[str, float] = {}

    def told(stage: str, done: int, total: int) -> None:
        now = time.perf_counter()
        started.setdefault(stage, now)
        ended[stage] = now

    ray = contestant == "tamis-ray"
    more = contestant != "tamis-text"
    runner, memory = ("ray", 0) if ray else ("local", 4096)
    config = CorpusConfig(tuple(files), output, workers=workers, runner=runner, memory_mb=memory, metadata=more, dropped=more)  # type: ignore[arg-type]
    summary = run(config, told)
    answer = {stage: ended[stage] - started[stage] for stage in started} | {"pages": summary.pages, "documents": summary.documents}
    sys.stdout.write(json.dumps(answer) + "\n")


if __name__ == "__main__":
    main(sys.argv[1], int(sys.argv[2]), sys.argv[3], sys.argv[4:])
