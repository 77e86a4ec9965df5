"""``python -m benchmarks dedup``."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from typer import Argument, Option

from benchmarks.commands.reporting import Json, Plot, numbers, shown
from benchmarks.report import Panel, Report, Table

if TYPE_CHECKING:
    from benchmarks.dedup import Outcome, Result
    from benchmarks.dedup_scale import ScaleRun


def dedup(
    folders: Annotated[list[Path] | None, Argument()] = None,
    *,
    sources: Annotated[int, Option(min=1)] = 250,
    edits: Annotated[int, Option(min=1)] = 3,
    misses: Annotated[int, Option(min=0)] = 40,
    methods: str | None = None,
    brute_force: Annotated[int, Option(min=0)] = 1000,
    sizes: str = "500,1000,2000,5000",
    scaled: str | None = None,
    timeout: Annotated[float, Option(min=1)] = 300.0,
    memory: Annotated[int, Option(min=1)] = 4096,
    seed: int = 0,
    json_file: Json = None,
    plot: Plot = None,
) -> None:
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
    given = {**locals(), "folders": folders or []}
    shown("dedup", "runs", report, given, methods=_methods, sizes=numbers, scaled=_methods)


def _methods(listed: str) -> list[str]:
    """Names with semicolons between, since some contain commas."""
    return [name.strip() for name in listed.split(";") if name.strip()]


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
