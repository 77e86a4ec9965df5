"""``python -m benchmarks sites``."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Literal

import typer

from benchmarks.commands.reporting import Json, PeerPython, Plot, deliver, errors_shown, names, numbers, progress


def sites(
    folder: Annotated[Path, typer.Argument(help="A folder of sites with gold, or one site.")],
    *,
    ks: Annotated[str, typer.Option("--k", help="Numbers of pages to learn from, with commas between.")] = "2,3,5,10,30,100",
    sites: Annotated[str | None, typer.Option(help="Names of sites, with commas between; all where not given.")] = None,
    methods: Annotated[str | None, typer.Option(help="Names of methods and tools, with commas between; all where not given.")] = None,
    score: Annotated[int, typer.Option(help="At most so many pages of each site are scored, and at most half.", min=1)] = 25,
    seeds: Annotated[int, typer.Option(help="How many times pages to learn from are drawn.", min=1)] = 1,
    learn: Annotated[Literal["all", "content"], typer.Option(help="Pages to learn from: all, or content pages only.")] = "all",
    peer_python: PeerPython = None,
    timeout: Annotated[float, typer.Option(help="Seconds after which a page or a draw counts as failed.", min=0.1)] = 60.0,
    json_file: Json = None,
    plot: Plot = None,
) -> None:
    """Site templates: F1, noise removed and cost after learning from k pages of a site, against other ways."""
    with errors_shown():
        from benchmarks import sites as bench
        from benchmarks.sites_report import plot_sites, sites_report

        with progress("draws") as told:
            result = bench.run(
                folder,
                ks=numbers(ks),
                sites=names(sites),
                methods=names(methods),
                score=score,
                seeds=seeds,
                learn_from=learn,
                peer_pythons=peer_python or (),
                timeout=timeout,
                progress=told,
            )
        deliver(sites_report(result), result.to_dict(), json_file)
        if plot is not None:
            plot_sites(result, plot)
