"""Near-duplicates: pairs and clusters found among documents with gold, by tamis, its steps, and its peers; the cost of more and more.

- *Quality*: every collection (:mod:`benchmarks.dedup_sets`), every method (:mod:`benchmarks.dedup_methods`), in one process, in processor
  time.
- *Scale*: the paper's table, time for 500 to 5,000 pages, continued with synthetic documents; every run in its own process, with
  its memory (:mod:`benchmarks.dedup_scale`).

Source of the table: Chen and Niu (2006), section 5.
"""

from __future__ import annotations

import sys
from collections import Counter
from collections.abc import Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

from benchmarks.dedup_measures import ClusterScore, Pair, PairScore, joined, score_clusters, score_pairs
from benchmarks.dedup_methods import BRUTE, CODES, FOREST, OF_SQUARE_COST, PAIRS, Found, choose, warm_up
from benchmarks.dedup_scale import ScaleRun, measure_scale
from benchmarks.dedup_sets import NEAR_MISSES, Collection, near_misses, read_collections
from benchmarks.timing import Progress, unseen
from tamis.duplicates.feature_code import feature_code
from tamis.duplicates.forest import FeatureCodeForest
from tamis.errors import UsageError

SIZES = (500, 1000, 1500, 2000, 3000, 4000, 5000)
"""Pages in the paper's table."""
MOST_WRONG = 20
"""Wrong pairs of a method and a collection that are written down."""


@dataclass(frozen=True, slots=True)
class Outcome:
    """One method on one collection."""

    collection: str
    method: str
    seconds: float
    pairs: PairScore | None
    """None: the method gives clusters only."""
    clusters: ClusterScore
    """Of pairs: joined by transitive closure."""
    by_edit: dict[str, float]
    """Share of the pairs of an original and an edit of it that were found (in one cluster, where the method gives clusters only)."""
    by_family: dict[str, float]
    """Share of the pairs within a family of near misses that were taken for the same: errors."""
    wrong: tuple[tuple[str, str], ...] = field(default=(), repr=False)
    """Some of the wrong pairs (or copies and what is kept for them), each document by what it is and its beginning."""


@dataclass(frozen=True, slots=True)
class Agreement:
    """What ought to be equal, or explains what is not, on one collection."""

    collection: str
    index_is_brute_force: bool | None
    """None: brute force did not run."""
    code_pairs: int | None
    """Pairs that the paper's comparison accepts."""
    missed_by_forest: int | None
    """Those of them that are in no one node of the forest."""
    in_other_trees: int | None = None
    """Those of these whose codes belong into different trees, by their aggregation factors; the others sort apart in one tree."""


@dataclass(frozen=True, slots=True)
class Result:
    """A whole run."""

    collections: dict[str, int]
    """Documents of each."""
    outcomes: tuple[Outcome, ...]
    agreements: tuple[Agreement, ...]
    scale: tuple[ScaleRun, ...]
    not_run: dict[str, str]

    def of(self, collection: str) -> list[Outcome]:
        """The outcomes on a collection."""
        return [one for one in self.outcomes if one.collection == collection]

    def to_dict(self) -> dict[str, Any]:
        """Plain values."""
        return {
            "bench": "dedup",
            "machine": {"python": sys.version.split()[0], "platform": sys.platform},
            "collections": self.collections,
            "outcomes": [asdict(one) for one in self.outcomes],
            "agreements": [asdict(one) for one in self.agreements],
            "scale": [asdict(one) for one in self.scale],
            "not run": self.not_run,
        }


def run(
    folders: Sequence[Path],
    *,
    sources: int = 250,
    edits: int = 3,
    misses: int = 40,
    methods: Sequence[str] | None = None,
    brute_force: int = 1000,
    sizes: Sequence[int] = SIZES,
    scaled: Sequence[str] | None = None,
    timeout: float = 300.0,
    memory: int = 4096,
    seed: int = 0,
    progress: Progress = unseen,
) -> Result:
    """Measure.

    Args:
        folders: see :func:`benchmarks.dedup_sets.read_collections`.
        sources: texts of a collection that edits are planted of.
        edits: edits of each.
        misses: texts of each family of near misses; 0: none.
        methods: names (:data:`benchmarks.dedup_methods.METHODS`); None: all.
        brute_force: most documents of a collection of which every two are compared.
        sizes: synthetic documents.
        scaled: names (:data:`benchmarks.dedup_scale.SCALED`); None: all.
        timeout: seconds that one run of a size may take; larger sizes of a method that took longer are left out.
        memory: megabytes that it may have.
        seed: of all dice.
        progress: called with how many steps are done, of how many.

    Raises:
        SourceError: a folder holds nothing that is known.
        UsageError: a name is unknown, or a number makes no sense.
    """
    if sources < 1 or edits < 1 or misses < 0:
        raise UsageError("sources and edits must be 1 or more, misses 0 or more")
    chosen, not_run = choose(methods)
    collections = [one for folder in folders for one in read_collections(folder, sources=sources, edits=edits, seed=seed)]
    collections += [near_misses(misses, seed)] if misses else []
    outcomes, agreements, done, total = [], [], 0, len(collections) * len(chosen)
    warm_up()
    for collection in collections:
        answers: list[Found] = []
        for name, method in chosen.items():
            if len(collection) <= brute_force or name not in OF_SQUARE_COST:
                answers += method(collection.texts)
            done += 1
            progress(done, total)
        outcomes += [judge(collection, answer) for answer in answers]
        agreements.append(agreement(collection, answers))
    scale, missing = measure_scale(sizes, scaled, timeout=timeout, memory=memory, progress=progress)
    return Result({one.name: len(one) for one in collections}, tuple(outcomes), tuple(agreements), scale, not_run | missing)


def judge(collection: Collection, found: Found) -> Outcome:
    """Measure what a method found in a collection."""
    groups = collection.groups
    clusters = found.clusters if found.clusters is not None else joined(found.pairs or (), [len(text) for text in collection.texts])
    together = _together(found)
    return Outcome(
        collection=collection.name,
        method=found.method,
        seconds=round(found.seconds, 4),
        pairs=score_pairs(found.pairs, groups) if found.pairs is not None else None,
        clusters=score_clusters(clusters, groups),
        by_edit={name: sum(pair in together for pair in pairs) / len(pairs) for name, pairs in collection.edited_pairs.items()},
        by_family=_by_family(collection, together),
        wrong=tuple(_shown(collection, pair) for pair in sorted(together) if groups[pair[0]] != groups[pair[1]])[:MOST_WRONG],
    )


def _together(found: Found) -> set[Pair]:
    """Pairs that a method found, or that are in one of its clusters."""
    if found.pairs is not None:
        return set(found.pairs)
    return {
        (min(a, b), max(a, b)) for cluster in found.clusters or () for place, a in enumerate(cluster) for b in cluster[:place]
    }  # fmt: skip


def _by_family(collection: Collection, together: set[Pair]) -> dict[str, float]:
    if collection.name != NEAR_MISSES:
        return {}
    size = Counter(collection.labels)
    errors = Counter(collection.labels[a] for a, b in together if collection.labels[a] == collection.labels[b])
    return {name: errors[name] / max(count * (count - 1) // 2, 1) for name, count in size.items()}


def _shown(collection: Collection, pair: Pair) -> tuple[str, str]:
    one, other = (f"{collection.groups[n]} ({collection.labels[n]}): {' '.join(collection.texts[n].split())[:100]}" for n in pair)
    return one, other


def agreement(collection: Collection, answers: Sequence[Found]) -> Agreement:
    """Compare the index with brute force, and the forest with all pairs that the paper's comparison accepts."""
    by_name = {answer.method: answer for answer in answers}
    index, brute, codes, forest = (by_name.get(name) for name in (PAIRS, BRUTE, CODES, FOREST))
    equal = _together(index) == _together(brute) if index is not None and brute is not None else None
    accepted = _together(codes) if codes is not None else None
    if accepted is None or forest is None:
        return Agreement(collection.name, equal, None if accepted is None else len(accepted), None)
    missed = accepted - _together(forest)
    trees = {number: _TREES.tree_of(feature_code(collection.texts[number])) for number in {number for pair in missed for number in pair}}
    return Agreement(collection.name, equal, len(accepted), len(missed), sum(trees[a] != trees[b] for a, b in missed))


_TREES = FeatureCodeForest()
"""Stays empty: it tells which tree a code belongs into."""
