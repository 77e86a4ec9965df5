"""One method and one number of documents: ``python -m benchmarks.dedup_scale_child METHOD DOCUMENTS SECONDS MEGABYTES``.

Started by :mod:`benchmarks.dedup_scale`. It ends itself when it takes more processor time or memory than it may. Prints JSON.
"""

from __future__ import annotations

import json
import sys
import tempfile
import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import suppress
from importlib import import_module
from itertools import islice
from math import ceil
from pathlib import Path
from statistics import median
from typing import Any

from benchmarks.dedup_measures import score_clusters, score_pairs
from benchmarks.dedup_methods import BRUTE, CLUSTERS, FOREST, brute_force, warm_up
from benchmarks.dedup_peers import datasketch, rensa, simhash
from benchmarks.dedup_scale import SCALED
from benchmarks.worker import memory
from benchmarks.zipf_texts import ZipfTexts, group_of
from tamis.duplicates.clusters import Clusters
from tamis.duplicates.documents import TextDocument
from tamis.duplicates.feature_code import feature_code
from tamis.duplicates.finding import find_duplicates
from tamis.duplicates.forest import FeatureCodeForest
from tamis.duplicates.index import DuplicateIndex

_PORTION = 256  #: Documents that are made together.
QUESTIONS = 200  #: Documents that are asked for when all are in the index.


class Stream:
    """Documents as they are made; knows which there were, and how long making them took."""

    def __init__(self, count: int, most: int) -> None:
        self._most = most
        self._made = ZipfTexts()
        self._count = count
        self.ids: list[str] = []
        self.seconds = 0.0

    def __iter__(self) -> Iterator[TextDocument]:
        waiting = self._made.documents(self._count)
        while True:
            start = time.process_time()
            portion = list(islice(waiting, _PORTION))
            self.seconds += time.process_time() - start
            self.check()
            if not portion:
                return
            self.ids += [document.id for document in portion]
            yield from portion

    def check(self, *_: object) -> None:
        """End the process where it takes too much memory."""
        if (memory("VmRSS") or 0) > self._most:
            raise MemoryError(f"more than {self._most >> 20} MB of memory")

    def more(self, count: int) -> list[TextDocument]:
        """The documents after these."""
        return list(self._made.documents(count))


def _clusters(stream: Stream) -> dict[str, Any]:
    return _of_clusters(stream, lambda: find_duplicates(stream, progress=stream.check))


def _on_disk(stream: Stream) -> dict[str, Any]:
    with tempfile.TemporaryDirectory() as folder, DuplicateIndex(Path(folder) / "index") as index:
        answer = _of_clusters(stream, lambda: index.update(stream, progress=stream.check))
        index.matches("nothing")
        questions, asked = stream.more(QUESTIONS), []
        start = time.process_time()
        for document in questions:
            begun = time.perf_counter()
            index.matches(TextDocument(f"asked {document.id}", document.text))
            asked.append(time.perf_counter() - begun)
        one_more = (time.process_time() - start) / QUESTIONS
        size = sum(path.stat().st_blocks * 512 for path in Path(folder).rglob("*") if path.is_file())
        return {**answer, "one_more": one_more, "one_more_wall": median(asked), "disk": size}


def _of_clusters(stream: Stream, find: Callable[[], Clusters]) -> dict[str, Any]:
    start = time.process_time()
    found = find()
    seconds = time.process_time() - start - stream.seconds
    return {"seconds": seconds, **_measured(stream, [cluster.ids for cluster in found.clusters])}


def _forest(stream: Stream) -> dict[str, Any]:
    forest = FeatureCodeForest()
    start = time.process_time()
    for document in stream:
        forest.add(document.id, feature_code(document.text))
    found = forest.clusters()
    seconds = time.process_time() - start - stream.seconds
    return {"seconds": seconds, **_measured(stream, found)}


def _measured(stream: Stream, clusters: Iterable[tuple[str, ...]]) -> dict[str, Any]:
    number = {id: place for place, id in enumerate(stream.ids)}
    score = score_clusters([[number[id] for id in cluster] for cluster in clusters], [group_of(id) for id in stream.ids])
    return {"precision": score.pairs.precision, "recall": score.pairs.recall, "lost": score.lost}


def _pairs(method: Callable[[list[str]], Iterator[Any]]) -> Callable[[Stream], dict[str, Any]]:
    """A method that takes a list of texts and gives pairs; its memory includes the texts."""

    def measured(stream: Stream) -> dict[str, Any]:
        texts = [document.text for document in stream]
        (found,) = method(texts)
        score = score_pairs(found.pairs, [group_of(id) for id in stream.ids])
        return {"seconds": found.seconds, "precision": score.precision, "recall": score.recall}

    return measured


METHODS: dict[str, Callable[[Stream], dict[str, Any]]] = {
    CLUSTERS: _clusters,
    "tamis, index on disk": _on_disk,
    BRUTE: _pairs(brute_force),
    FOREST: _forest,
    "datasketch": _pairs(lambda texts: datasketch(texts, (0.5,))),
    "rensa": _pairs(lambda texts: rensa(texts, ((128, 32, None),))),
    "simhash": _pairs(lambda texts: simhash(texts, (3,))),
}


def _limited(seconds: float) -> None:
    with suppress(ImportError, ValueError, OSError):
        import resource

        resource.setrlimit(resource.RLIMIT_CPU, (ceil(seconds), ceil(seconds) + 5))


def main(name: str, count: str, seconds: str, megabytes: str) -> None:
    """Measure and print."""
    stream = Stream(int(count), int(megabytes) << 20)
    warm_up()
    if (module := SCALED[name][0]) is not None:
        import_module(module)  # what it takes to be loaded is not its cost
    _limited(float(seconds))
    before, start = memory("VmRSS"), time.perf_counter()
    answer = METHODS[name](stream)
    print(json.dumps({**answer, "wall": time.perf_counter() - start, "before": before, "peak": memory("VmHWM")}))


if __name__ == "__main__":
    main(*sys.argv[1:])
