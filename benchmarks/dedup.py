"""Near-duplicates: pairs and clusters found among documents with gold, by tamis, its steps, and its peers; the cost of more and more.

- *Quality*: every collection (:mod:`benchmarks.dedup_sets`), every method (:mod:`benchmarks.dedup_methods`), in one process, in processor
  time.
- *Scale*: the paper's table, time for 500 to 5,000 pages, continued with synthetic documents; every run in its own process, with
  its memory (:mod:`benchmarks.dedup_scale`).

Source of the table: Chen and Niu (2006), section 5.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Annotated, Any

from typer import Argument, Option

from benchmarks.command import Numbers, bench
from benchmarks.dedup_measures import ClusterScore, Found, Pair, PairScore, joined, score_clusters, score_pairs
from benchmarks.dedup_methods import BRUTE, CODES, FOREST, OF_SQUARE_COST, PAIRS, choose, warm_up
from benchmarks.dedup_scale import ScaleRun, measure_scale
from benchmarks.dedup_sets import NEAR_MISSES, Collection, near_misses, read_collections
from benchmarks.report import Panel, Report, Table
from benchmarks.timing import Progress, unseen
from tamis.duplicates.feature_code import feature_code
from tamis.duplicates.forest import FeatureCodeForest

MOST_WRONG = 20  #: Wrong pairs of a method and a collection that are written down.


@dataclass(frozen=True, slots=True)
class Outcome:
    """One method on one collection."""

    collection: str
    method: str
    seconds: float
    pairs: PairScore | None  #: None: the method gives clusters only.
    clusters: ClusterScore  #: Of pairs: joined by transitive closure.
    by_edit: dict[str, float]
    """Share of the pairs of an original and an edit of it that were found (in one cluster, where the method gives clusters only)."""
    by_family: dict[str, float]  #: Share of the pairs within a family of near misses that were taken for the same: errors.
    wrong: tuple[tuple[str, str], ...] = field(default=(), repr=False)
    """Some of the wrong pairs (or copies and what is kept for them), each document by what it is and its beginning."""


@dataclass(frozen=True, slots=True)
class Agreement:
    """What ought to be equal, or explains what is not, on one collection."""

    collection: str
    index_is_brute_force: bool | None  #: None: brute force did not run.
    code_pairs: int | None  #: Pairs that the paper's comparison accepts.
    missed_by_forest: int | None  #: Those of them that are in no one node of the forest.
    in_other_trees: int | None = None
    """Those of these whose codes belong into different trees, by their aggregation factors; the others sort apart in one tree."""


@dataclass(frozen=True, slots=True)
class Result:
    """A whole run."""

    collections: dict[str, int]  #: Documents of each.
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
            "collections": self.collections,
            "outcomes": [asdict(one) for one in self.outcomes],
            "agreements": [asdict(one) for one in self.agreements],
            "scale": [asdict(one) for one in self.scale],
            "not run": self.not_run,
        }


def _methods(listed: str) -> list[str]:
    """Names with semicolons between, since some contain commas."""
    return [name.strip() for name in listed.split(";") if name.strip()]


def run(
    folders: Annotated[list[Path] | None, Argument()] = None,
    *,
    sources: Annotated[int, Option(min=1)] = 250,
    edits: Annotated[int, Option(min=1)] = 3,
    misses: Annotated[int, Option(min=0)] = 40,
    methods: Annotated[Sequence[str] | None, _methods] = None,
    brute_force: Annotated[int, Option(min=0)] = 1000,
    sizes: Numbers = (500, 1000, 2000, 5000),
    scaled: Annotated[Sequence[str] | None, _methods] = None,
    timeout: Annotated[float, Option(min=1)] = 300.0,
    memory: Annotated[int, Option(min=1)] = 4096,
    seed: int = 0,
    progress: Progress = unseen,
) -> Result:
    """Near-duplicates against MinHash, simhash, brute force and the paper's forest: pairs, clusters, near misses, time, memory.

    Examples:

    - `python -m benchmarks dedup DATA/wcxb DATA/near-duplicates/webpages --json dedup.json`
    - `python -m benchmarks dedup --misses 0 --sizes 10000,100000,1000000 --scaled "tamis; tamis, index on disk" --timeout 7200`

    Options:
        folders: Folders with texts or near-duplicates: single pages (gold.jsonl.gz), sites (the Chinese and Japanese ones),
            pages with a gold.json that names their clusters, articles (.train and .truth). None: near misses and sizes only.
        sources: Most texts of each folder of which edits are planted.
        edits: Edits of each of these texts.
        misses: Texts of each family of near misses; 0: none.
        methods: Methods, with semicolons between; a wrong one lists all. [default: all]
        brute_force: Most documents that are compared pair by pair.
        sizes: Numbers of synthetic documents, with commas between.
        scaled: Methods that are measured at these sizes, with semicolons between; a wrong one lists all. [default: all]
        timeout: Seconds of processor time that one size may take.
        memory: Megabytes that one size may take.
        seed: Seed of the planted edits and near misses.
    """
    chosen, not_run = choose(methods)
    collections = [one for folder in folders or () for one in read_collections(folder, sources=sources, edits=edits, seed=seed)]
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


_TREES = FeatureCodeForest()  #: Stays empty: it tells which tree a code belongs into.


# -- report -----------------------------------------------------------------------------------------------------------------


def report(result: Result) -> Report:
    """Pairs, clusters and errors of each method on each collection; time and memory on more and more documents, also as plots."""
    tables = []
    for collection, documents in result.collections.items():
        outcomes = result.of(collection)
        ours = next((one.seconds for one in outcomes if one.method == "tamis"), None)
        rows: list[tuple[object, ...]] = []
        for one in outcomes:
            pairs = (one.pairs.precision, one.pairs.recall) if one.pairs else ("", "")
            found = one.clusters
            rows.append(
                (
                    *(one.method, *pairs, found.clusters, found.pairs.precision, found.pairs.recall, found.precision, found.recall),
                    *(found.over_merged, found.lost, found.largest, one.seconds, one.seconds / ours if ours else None),
                )
            )
        columns = (
            "method; pairs P|.3f; pairs R|.3f; clusters; P|.3f; R|.3f; B³ P|.3f; B³ R|.3f; merged|.1%; lost|.1%; largest; s|.2f; times|.1f"
        )
        tables.append(Table(f"{collection}: {documents:,} documents", columns, rows))
        for title, get in _SHARES.items():
            if kinds := list(get(outcomes[0])):
                shares = [(one.method, *(100 * get(one).get(kind, 0.0) for kind in kinds)) for one in outcomes]
                tables.append(Table(f"{title}, %", "; ".join(["method", *(f"{kind}|.1f" for kind in kinds)]), shares))
    if tables:
        tables.append(_agreements(result))
    if result.scale:
        tables.append(_scale(result.scale))
    remarks = [_LEGEND] if result.collections else []
    remarks += [f"{name} did not run: {why}" for name, why in result.not_run.items()]
    remarks += [f"{one.method} failed at {one.documents:,} documents: {one.error}" for one in result.scale if one.error is not None]
    return Report(tables, remarks, _growth(result.scale))


_LEGEND = (
    "pairs: the pairs that the method returns. clusters: connected pairs, or the clusters of the method; P, R: over all pairs of "
    "documents in a cluster; B³: BCubed. merged: clusters that mix documents of several groups. lost: removed documents whose kept "
    "copy belongs to another group. s: processor time from texts to result; times: relative to tamis."
)
_SHARES: dict[str, Callable[[Outcome], dict[str, float]]] = {
    "pairs of an original and its edit that were found": lambda one: one.by_edit,
    "pairs of near misses that were merged (errors)": lambda one: one.by_family,
}


def _agreements(result: Result) -> Table:
    rows: list[tuple[object, ...]] = []
    for one in result.agreements:
        equal = None if one.index_is_brute_force is None else "yes" if one.index_is_brute_force else "NO"
        missed = None if not one.code_pairs or one.missed_by_forest is None else one.missed_by_forest / one.code_pairs
        trees = None if not one.missed_by_forest or one.in_other_trees is None else one.in_other_trees / one.missed_by_forest
        rows.append((one.collection, equal, one.code_pairs, missed, trees))
    columns = "collection; index = brute force; pairs of codes|,; not in forest|.1%; in other trees|.1%"
    return Table("index against brute force, and pairs that the forest misses", columns, rows)


def _scale(runs: Sequence[ScaleRun]) -> Table:
    rows = [
        (
            *(one.method, one.documents, one.seconds, one.seconds and 1e3 * one.seconds / one.documents),
            *(one.precision, one.recall, one.lost),
            *(None if size is None else size / 1e6 for size in (one.peak, one.before, one.disk)),
            *(None if seconds is None else 1e3 * seconds for seconds in (one.one_more, one.one_more_wall)),
        )
        for one in sorted(runs, key=lambda run: run.method)
    ]
    columns = (
        "method; documents|,; s|,.2f; ms each|.3f; P|.3f; R|.3f; lost|.1%; MB|,.0f; MB before|,.0f; MB on disk|,.0f; one more, ms|.2f; "
        "wall clock, ms|.2f"
    )
    return Table("time and memory by number of synthetic documents", columns, rows)


def _growth(scale: Sequence[ScaleRun]) -> list[Panel]:
    runs = {one.method: [run for run in scale if run.method == one.method and run.seconds] for one in scale}
    times = {method: [(one.documents, one.seconds) for one in found] for method, found in runs.items()}
    memories = {method: [(one.documents, ((one.peak or 0) - (one.before or 0)) / 1e6) for one in found] for method, found in runs.items()}
    return [
        Panel("time", "documents", "seconds of processor time", times, "xy"),
        Panel("memory, beyond what the process had before", "documents", "MB", memories, "xy"),
    ]


command = bench(run, report, "runs", plots=True)
