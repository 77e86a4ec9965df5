"""``python -m benchmarks similarity``."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from benchmarks.commands.reporting import Json, Plot, deliver, errors_shown, names, numbers, progress


def similarity(
    folders: Annotated[
        list[Path], typer.Argument(help="Folders of sites (*/site.json), or of pages whose gold.json names the cluster or site of each.")
    ],
    *,
    sites: Annotated[
        str | None,
        typer.Option(
            help="Names of sites whose three largest pages are compared, with commas between; the first is grown. "
            "Where not given, the three with the largest pages."
        ),
    ] = None,
    sizes: Annotated[str, typer.Option(help="Nodes of grown pages, with commas between.")] = "1000,2000,3500,6000,12000",
    peer_sizes: Annotated[str, typer.Option(help="Nodes of the pages that peers compare, with commas between.")] = "100,200,400,800",
    timeout: Annotated[float, typer.Option(help="Seconds that one comparison may take.", min=0.1)] = 30.0,
    json_file: Json = None,
    plot: Plot = None,
) -> None:
    """The similarity paper's figures 3 and 4 in form: free against ordered matching, similarity and time; peers, clusters, compression."""
    with errors_shown():
        from benchmarks import similarity as bench
        from benchmarks.similarity_report import plot_similarity, similarity_report

        with progress("comparisons") as told:
            result = bench.run(
                folders, sites=names(sites), sizes=numbers(sizes), peer_sizes=numbers(peer_sizes), timeout=timeout, progress=told
            )
        deliver(similarity_report(result), result.to_dict(), json_file)
        if plot is not None:
            plot_similarity(result, plot)
