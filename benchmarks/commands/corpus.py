"""``python -m benchmarks corpus``."""

from __future__ import annotations

from typing import Annotated

import typer

from benchmarks.commands.reporting import Folders, Json, Plot, deliver, errors_shown, names, numbers, progress


def corpus(
    folders: Folders,
    *,
    pages: Annotated[str, typer.Option(help="Sizes of the corpora, with commas between.")] = "2000",
    workers: Annotated[str, typer.Option(help="Numbers of processes, with commas between.")] = "1,2",
    contestants: Annotated[
        str, typer.Option(help="Some of tamis, tamis-text, tamis-ray, trafilatura, datatrove, datatrove-ray, with commas between.")
    ] = "tamis,trafilatura",
    form: Annotated[str, typer.Option("--form", help="How pages are packed: warc or parquet.")] = "warc",
    sites: Annotated[str | None, typer.Option(help="Names of sites, with commas between; all where not given.")] = None,
    timeout: Annotated[float, typer.Option(help="Seconds that one measurement may take.", min=1)] = 3600.0,
    json_file: Json = None,
    plot: Plot = None,
) -> None:
    """The corpus pipeline whole: pages a second, memory of all processes, F1; against a pool of processes with trafilatura and MinHash."""
    with errors_shown():
        from benchmarks import corpus as bench
        from benchmarks.corpus_report import corpus_report, plot_corpus

        with progress("measurements") as told:
            result = bench.run(
                folders,
                pages=numbers(pages),
                workers=numbers(workers),
                contestants=names(contestants) or (),
                form=form,
                sites=names(sites),
                timeout=timeout,
                progress=told,
            )
        deliver(corpus_report(result), result.to_dict(), json_file)
        if plot is not None:
            plot_corpus(result, plot)
