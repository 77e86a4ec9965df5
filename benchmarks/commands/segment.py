"""``python -m benchmarks segment``."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from benchmarks.commands.reporting import Json, Plot, deliver, errors_shown, progress


def segment(
    folder: Annotated[Path, typer.Argument(help="A folder of pages with hand-marked blocks: gold.json, pages/, assets/.")],
    *,
    limit: Annotated[int | None, typer.Option(help="At most so many pages.", min=1)] = None,
    passes: Annotated[int, typer.Option(help="How often VIPS is timed on each page; the best time counts.", min=1)] = 3,
    json_file: Json = None,
    plot: Plot = None,
) -> None:
    """Visual blocks: VIPS as rendered, as estimated, and simple ways to cut a page, against blocks marked by hand."""
    with errors_shown():
        from benchmarks import segment as bench
        from benchmarks.segment_report import plot_segment, segment_report

        with progress("pages") as told:
            result = bench.run(folder, limit=limit, passes=passes, progress=told)
        deliver(segment_report(result), result.to_dict(), json_file)
        if plot is not None:
            plot_segment(result, plot)
