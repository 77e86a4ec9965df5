"""``python -m benchmarks content``."""

from __future__ import annotations

from typing import Annotated

import typer

from benchmarks.commands.reporting import Folders, Json, Limit, Plot, deliver, errors_shown, progress


def content(
    folders: Folders,
    *,
    limit: Limit = None,
    peers: Annotated[str | None, typer.Option(help="Names of tools, with commas between; all where not given.")] = None,
    passes: Annotated[int, typer.Option(help="How often each page is timed; the best time counts.", min=1)] = 3,
    give_bytes: Annotated[
        bool, typer.Option("--bytes/--no-bytes", help="Also time tools on the page as served, where they take it.")
    ] = True,
    peer_python: Annotated[
        str | None,
        typer.Option(envvar="TAMIS_PEER_PYTHON", help="Another Python, with peers that have no wheel for this one installed."),
    ] = None,
    timeout: Annotated[float, typer.Option(help="Seconds after which a page counts as failed.", min=0.1)] = 60.0,
    json_file: Json = None,
    plot: Plot = None,
) -> None:
    """Main text: tamis and its peers by F1, milliseconds per page, memory and failures."""
    with errors_shown():
        from benchmarks import content as bench
        from benchmarks.content_report import content_report, plot_content

        with progress("pages") as told:
            result = bench.run(
                folders,
                limit=limit,
                peers=[name.strip() for name in peers.split(",") if name.strip()] if peers else None,
                passes=passes,
                give_bytes=give_bytes,
                peer_python=peer_python,
                timeout=timeout,
                progress=told,
            )
        deliver(content_report(result), result.to_dict(), json_file)
        if plot is not None:
            plot_content(result, plot)
