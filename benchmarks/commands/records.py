"""``python -m benchmarks records``."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from benchmarks.commands.reporting import Json, Plot, deliver, errors_shown, names, progress


def records(
    folders: Annotated[
        list[Path],
        typer.Argument(
            help="Folders with a gold.json of records, a folder of such folders, or single pages with page types (gold.jsonl.gz)."
        ),
    ],
    *,
    limit: Annotated[int | None, typer.Option(help="At most so many pages of each site, and of each page type.", min=1)] = None,
    ways: Annotated[
        str | None,
        typer.Option(
            help="How tamis is asked, with commas between: no sample, first record, random record, paper, wrapper. [default: all]"
        ),
    ] = None,
    by_site: Annotated[bool, typer.Option("--by-site", help="Also a row for each site.")] = False,
    seed: Annotated[int, typer.Option(help="For the random record.")] = 1,
    peer_python: Annotated[
        str | None, typer.Option(envvar="TAMIS_PEER_PYTHON", help="Another Python that has autoscraper (with beautifulsoup4<4.13).")
    ] = None,
    json_file: Json = None,
    plot: Plot = None,
) -> None:
    """Records found, missed and invented, and their cells, with and without a sample; the paper's success rate."""
    with errors_shown():
        from benchmarks import records as bench
        from benchmarks.records_report import plot_records, records_report

        with progress("pages") as told:
            result = bench.run(folders, limit=limit, ways=names(ways), seed=seed, peer_python=peer_python, progress=told)
        deliver(records_report(result, sites=by_site), result.to_dict(), json_file)
        if plot is not None:
            plot_records(result, plot)
