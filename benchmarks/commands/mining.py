"""``python -m benchmarks mining``."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from benchmarks.commands.reporting import Json, PeerPython, Plot, deliver, errors_shown, names, progress


def mining(
    folder: Annotated[Path, typer.Argument(help="A folder of sites with gold.")],
    topics: Annotated[Path, typer.Option(help="A folder of single pages with gold: texts of known topics are chosen from it by keywords.")],
    *,
    sites: Annotated[str | None, typer.Option(help="Names of sites, with commas between; all where not given.")] = None,
    methods: Annotated[str | None, typer.Option(help="Names of methods and tools, with commas between.")] = None,
    topic_count: Annotated[int, typer.Option(help="Number of topics.", min=2)] = 5,
    sites_per_round: Annotated[int, typer.Option(help="Sites drawn for each round, at least as many as topics.", min=2)] = 5,
    per_cell: Annotated[int, typer.Option(help="Texts of each topic on each site.", min=2)] = 8,
    words: Annotated[int, typer.Option(help="Words of each text at most.", min=1)] = 200,
    seeds: Annotated[int, typer.Option(help="Number of rounds.", min=1)] = 10,
    peer_python: PeerPython = None,
    json_file: Json = None,
    plot: Plot = None,
) -> None:
    """The style tree paper's experiment: classification and clustering of pages whose topics cross sites, cleaned by each method."""
    with errors_shown():
        from benchmarks import mining as bench
        from benchmarks.mining_report import mining_report, plot_mining

        with progress("rounds") as told:
            result = bench.run(
                folder,
                topics,
                sites=names(sites),
                methods=names(methods) or bench.METHODS,
                topic_count=topic_count,
                sites_per_round=sites_per_round,
                per_cell=per_cell,
                words=words,
                seeds=seeds,
                peer_pythons=peer_python or (),
                progress=told,
            )
        deliver(mining_report(result), result.to_dict(), json_file)
        if plot is not None:
            plot_mining(result, plot)
