"""A corpus cleaned by datatrove: its WARC reader, its extractor (trafilatura) and its MinHash, on its own executors.

``python -m benchmarks.corpus_datatrove OUT WORKERS local|ray FILE...`` writes ``OUT`` as JSON lines (url, text, kept) and prints one line
of JSON: seconds of the steps, documents and pages. Settings are datatrove's own but for the time of a page, of which one second is little
on a busy machine, and what makes trafilatura drop paragraphs (``favour_precision``, ``deduplicate``): the peer is to be at its best.
"""

from __future__ import annotations

import json
import logging
import shutil
import sys
import time
from pathlib import Path
from typing import Any

TASKS = 8
SECONDS = 20.0  #: For one page.


def main(output: str, workers: int, runner: str, files: list[str]) -> None:
    """Clean, collapse, write."""
    folder = Path(f"{output}.work")
    steps = _Steps(folder, workers, runner)
    start = time.perf_counter()
    steps.clean(Path(files[0]).parent)
    cleaned = time.perf_counter()
    steps.collapse()
    kept = {url for url, _ in _rows(folder / "kept")}
    documents = pages = 0
    with Path(output).open("w", encoding="utf-8", errors="replace") as stream:
        for url, text in _rows(folder / "texts"):
            pages += 1
            documents += url in kept
            stream.write(json.dumps({"url": url, "text": text, "kept": url in kept}) + "\n")
    done = time.perf_counter()
    shutil.rmtree(folder)
    answer = {"clean": cleaned - start, "duplicates": done - cleaned, "documents": documents, "pages": pages}
    sys.stdout.write(json.dumps(answer) + "\n")


class _Steps:
    """The steps as datatrove's documentation puts them together."""

    def __init__(self, folder: Path, workers: int, runner: str) -> None:
        self._folder = folder
        self._workers = workers
        if runner == "ray":
            import ray
            from datatrove.executor.ray import RayPipelineExecutor

            ray.init(num_cpus=workers, include_dashboard=False, log_to_driver=False, logging_level=logging.ERROR)
            self._executor = RayPipelineExecutor
        else:
            from datatrove.executor.local import LocalPipelineExecutor

            self._executor = LocalPipelineExecutor

    def clean(self, crawl: Path) -> None:
        """Main text of all pages."""
        from datatrove.pipeline.extractors import Trafilatura
        from datatrove.pipeline.readers import WarcReader
        from datatrove.pipeline.writers.jsonl import JsonlWriter

        extractor = Trafilatura(favour_precision=False, deduplicate=False, timeout=SECONDS)
        self._run("clean", TASKS, WarcReader(str(crawl), glob_pattern="*.warc.gz"), extractor, JsonlWriter(str(self._folder / "texts")))

    def collapse(self) -> None:
        """Near-duplicates, in the four steps of its MinHash."""
        from datatrove.pipeline.dedup import MinhashDedupBuckets, MinhashDedupCluster, MinhashDedupFilter, MinhashDedupSignature
        from datatrove.pipeline.dedup.minhash import MinhashConfig
        from datatrove.pipeline.readers import JsonlReader
        from datatrove.pipeline.writers.jsonl import JsonlWriter

        config = MinhashConfig()
        texts, signatures, buckets, removed, kept = (str(self._folder / name) for name in ("texts", "sigs", "buckets", "removed", "kept"))
        self._run("sign", TASKS, JsonlReader(texts), MinhashDedupSignature(signatures, config=config))
        self._run("buckets", config.num_buckets, MinhashDedupBuckets(signatures, buckets, config=config))
        self._run("cluster", 1, MinhashDedupCluster(buckets, removed, config=config))
        self._run("filter", TASKS, JsonlReader(texts), MinhashDedupFilter(removed), JsonlWriter(kept))

    def _run(self, name: str, tasks: int, *pipeline: Any) -> None:
        logs = str(self._folder / "logs" / name)
        self._executor(pipeline=list(pipeline), tasks=tasks, workers=min(self._workers, tasks), logging_dir=logs).run()


def _rows(folder: Path) -> list[tuple[str, str]]:
    """Address and text of the documents that datatrove wrote."""
    import gzip

    found = []
    for file in sorted(folder.glob("*.jsonl.gz")):
        with gzip.open(file, "rt", encoding="utf-8") as stream:
            found += [(row["metadata"]["url"], row["text"]) for row in map(json.loads, stream)]
    return found


if __name__ == "__main__":
    main(sys.argv[1], int(sys.argv[2]), sys.argv[3], sys.argv[4:])
