"""``tamis corpus plan``: what a run will need."""

from __future__ import annotations

import json
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from tamis.cli import options, terminal

if TYPE_CHECKING:
    from tamis.corpus.estimate import Estimate


def plan_command(
    sources: Annotated[list[str] | None, typer.Argument(metavar="SOURCE...", help="As of tamis corpus run.")] = None,
    *,
    config: Annotated[
        Path | None, typer.Option("--config", "-c", metavar="TOML", help="Settings from a file; what is said here wins.")
    ] = None,
    pages: Annotated[int | None, typer.Option(min=1, help="Pages of the corpus.", show_default="those of the sources")] = None,
    sites: Annotated[int | None, typer.Option(min=1, help="Sites of the corpus.", show_default="estimated from the sample")] = None,
    workers: options.Workers = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON.")] = False,
    verbose: options.Verbose = False,
    quiet: options.Quiet = False,
) -> None:
    """Estimate time, memory, storage and requests of a run: a sample of the sources is run in a temporary folder and measured.

    Examples:

    - `tamis corpus plan crawl/ -j 8`
    - `tamis corpus plan crawl/part-0.warc.gz --pages 1000000 --sites 20000 -j 96`
    """
    from tamis.cli.corpus import bars, settings
    from tamis.corpus.estimate import estimate

    given = {"sources": tuple(sources) if sources else None, "workers": workers, "output": "." if config is None else None}
    with bars() as progress:
        found = estimate(settings(config, {name: value for name, value in given.items() if value is not None}), pages, sites, progress)
    terminal.to_stdout(json.dumps(asdict(found), indent=1) + "\n" if as_json else _table(found))


def _table(found: Estimate) -> str:
    total = sum(found.seconds.values())
    rows = [
        ("pages, sites", f"{found.pages:,}, {found.sites:,} (measured: {found.measured_pages:,}, {found.measured_sites:,})"),
        ("processor time", f"{total:,.0f} s, {1000 * total / max(found.pages, 1):.2f} ms a page"),
        ("time", f"{found.hours:.2f} h with {terminal.counted(found.workers, 'worker')}, each with a processor of its own"),
        ("memory", f"{found.memory / 1e6:,.0f} MB at the most"),
        ("output folder", f"{found.output / 1e6:,.0f} MB, and while it runs {found.spool / 1e6:,.0f} MB of pages"),
        ("read", f"{found.read / 1e6:,.0f} MB, from storage by address in {found.requests:,} requests"),
        *((f"  {stage}", f"{seconds:,.1f} s") for stage, seconds in found.seconds.items()),
    ]
    return "".join(f"{name:<16}{said}\n" for name, said in rows)
