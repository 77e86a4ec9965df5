"""``python -m benchmarks same-layer``."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from benchmarks.commands.reporting import Json, Plot, deliver, errors_shown, names, numbers, progress


def same_layer(
    folder: Annotated[Path, typer.Argument(help="A folder of sites with gold, or one site.")],
    *,
    typed: Annotated[Path | None, typer.Option(help="A folder of pages with hand-marked, typed blocks.")] = None,
    sites: Annotated[str | None, typer.Option(help="Names of sites, with commas between; all where not given.")] = None,
    pages: Annotated[int, typer.Option(help="Content pages of each site that are judged, at most.", min=1)] = 10,
    ks: Annotated[str, typer.Option("--k", help="Numbers of same-layer pages, with commas between.")] = "1,2,3,5",
    grid: Annotated[bool, typer.Option("--grid/--no-grid", help="Try other (alpha, beta).")] = True,
    timed: Annotated[int, typer.Option(help="Pages of each site that the fast path is timed on; 0: none.", min=0)] = 2,
    texts: Annotated[bool, typer.Option("--texts/--no-texts", help="Measure texts, alone and together with the site's template.")] = True,
    json_file: Json = None,
    plot: Plot = None,
) -> None:
    """Same-layer noise: block recall and precision by thresholds and k, likeness of same-layer pages, fast against plain matcher."""
    with errors_shown():
        from benchmarks import same_layer as bench
        from benchmarks.same_layer_report import plot_same_layer, same_layer_report

        with progress("sites") as told:
            result = bench.run(
                folder,
                typed=typed,
                sites=names(sites),
                pages=pages,
                ks=numbers(ks),
                grid=grid,
                timed=timed,
                with_texts=texts,
                progress=told,
            )
        deliver(same_layer_report(result), result.to_dict(), json_file)
        if plot is not None:
            plot_same_layer(result, plot)
