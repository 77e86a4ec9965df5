"""``python -m benchmarks learning``."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from benchmarks.commands.reporting import Json, Plot, deliver, errors_shown, names, numbers, progress


def learning(
    folder: Annotated[Path, typer.Argument(help="A site with gold.")],
    *,
    pages: Annotated[str, typer.Option(help="Numbers of pages, with commas between.")] = "100,300,1000,3000,10000",
    methods: Annotated[str | None, typer.Option(help="Names of methods, with commas between.")] = None,
    timeout: Annotated[float, typer.Option(help="Seconds that one measurement may take.", min=1)] = 600.0,
    json_file: Json = None,
    plot: Plot = None,
) -> None:
    """Learning a site from more and more pages: time and memory."""
    with errors_shown():
        from benchmarks import learning as bench
        from benchmarks.learning_report import learning_report, plot_learning

        with progress("measurements") as told:
            result = bench.run(folder, pages=numbers(pages), methods=names(methods) or bench.METHODS, timeout=timeout, progress=told)
        deliver(learning_report(result), result.to_dict(), json_file)
        if plot is not None:
            plot_learning(result, plot)
