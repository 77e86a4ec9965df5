"""``python -m benchmarks dedup``."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from benchmarks.commands.reporting import Json, Plot, deliver, errors_shown, numbers, progress

Folders = Annotated[
    list[Path] | None,
    typer.Argument(
        help="Folders with texts or near-duplicates: single pages (gold.jsonl.gz), sites (the Chinese and Japanese ones), "
        "pages with a gold.json that names their clusters, articles (.train and .truth). None: near misses and sizes only."
    ),
]


def dedup(
    folders: Folders = None,
    *,
    sources: Annotated[int, typer.Option(help="Texts of each folder that edits are planted of, at most.", min=1)] = 250,
    edits: Annotated[int, typer.Option(help="Edits of each of these texts.", min=1)] = 3,
    misses: Annotated[int, typer.Option(help="Texts of each family of near misses; 0: none.", min=0)] = 40,
    methods: Annotated[str | None, typer.Option(help="Methods, with semicolons between; a wrong one shows all. Default: all.")] = None,
    brute_force: Annotated[int, typer.Option(help="Most documents of which every two are compared.", min=0)] = 1000,
    sizes: Annotated[str, typer.Option(help="Synthetic documents, with commas between; 1000000 can be asked for.")] = "500,1000,2000,5000",
    scaled: Annotated[
        str | None, typer.Option(help="Methods that meet these sizes, with semicolons between; a wrong one shows all. Default: all.")
    ] = None,
    timeout: Annotated[float, typer.Option(help="Seconds of processor time that one size may take.", min=1)] = 300.0,
    memory: Annotated[int, typer.Option(help="Megabytes that one size may take.", min=1)] = 4096,
    seed: Annotated[int, typer.Option(help="Seed of the planted edits and near misses.")] = 0,
    json_file: Json = None,
    plot: Plot = None,
) -> None:
    """Near-duplicates against MinHash, simhash, brute force and the paper's forest: pairs, clusters, near misses, time, memory.

    \b
    python -m benchmarks dedup DATA/wcxb DATA/near-duplicates/webpages --json dedup.json
    python -m benchmarks dedup --misses 0 --sizes 10000,100000,1000000 --scaled "tamis; tamis, index on disk" --timeout 7200
    """
    with errors_shown():
        from benchmarks import dedup as bench
        from benchmarks.dedup_report import dedup_report, plot_dedup

        with progress("runs") as told:
            result = bench.run(
                folders or [],
                sources=sources,
                edits=edits,
                misses=misses,
                methods=_methods(methods),
                brute_force=brute_force,
                sizes=numbers(sizes),
                scaled=_methods(scaled),
                timeout=timeout,
                memory=memory,
                seed=seed,
                progress=told,
            )
        deliver(dedup_report(result), result.to_dict(), json_file)
        if plot is not None:
            plot_dedup(result, plot)


def _methods(listed: str | None) -> list[str] | None:
    """Names with semicolons between, since some have commas."""
    return None if listed is None else [name.strip() for name in listed.split(";") if name.strip()]
