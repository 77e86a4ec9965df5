"""``tamis bench``: quality and cost on pages with gold, the papers' tables on our pages. Every bench has a module of its own."""

from __future__ import annotations

from typing import ClassVar

import typer

from tamis.cli.lazy import LazyCommands


class Benches(LazyCommands):
    """The benches, by name, in the order of the help."""

    homes: ClassVar[dict[str, str]] = {
        "content": "tamis.cli.bench.content:content",
        "attenuation": "tamis.cli.bench.attenuation:attenuation",
        "sites": "tamis.cli.bench.sites:sites",
        "mining": "tamis.cli.bench.mining:mining",
        "learning": "tamis.cli.bench.learning:learning",
        "corpus": "tamis.cli.bench.corpus:corpus",
        "same-layer": "tamis.cli.bench.same_layer:same_layer",
        "similarity": "tamis.cli.bench.similarity:similarity",
        "records": "tamis.cli.bench.records:records",
        "dedup": "tamis.cli.bench.dedup:dedup",
        "segment": "tamis.cli.bench.segment:segment",
    }


app = typer.Typer(cls=Benches, help="Measure tamis and its peers on pages with gold.", no_args_is_help=True, add_completion=False)


@app.callback()
def root() -> None:
    """Measure tamis and its peers on pages with gold."""
