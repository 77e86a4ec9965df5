"""``python -m benchmarks``: quality and cost on pages with gold, the papers' tables on our pages. Every bench has a module of its own."""

from __future__ import annotations

from typing import ClassVar

import typer

from tamis.cli.lazy import LazyCommands


class Benches(LazyCommands):
    """The benches, by name, in the order of the help."""

    homes: ClassVar[dict[str, str]] = {
        "gate": "benchmarks.gate:command",
        "papers": "benchmarks.papers:command",
        "content": "benchmarks.content:command",
        "metadata": "benchmarks.metadata:command",
        "markdown": "benchmarks.markdown:command",
        "attenuation": "benchmarks.attenuation:command",
        "sites": "benchmarks.sites:command",
        "comments": "benchmarks.comments:command",
        "values": "benchmarks.values:command",
        "mining": "benchmarks.mining:command",
        "learning": "benchmarks.learning:command",
        "corpus": "benchmarks.corpus:command",
        "same-layer": "benchmarks.same_layer:command",
        "similarity": "benchmarks.similarity:command",
        "records": "benchmarks.records:command",
        "dedup": "benchmarks.dedup:command",
        "segment": "benchmarks.segment:command",
        "service": "benchmarks.service:command",
    }


app = typer.Typer(cls=Benches, help="Measure tamis and its peers on pages with gold.", no_args_is_help=True, add_completion=False)


@app.callback()
def root() -> None:
    """Measure tamis and its peers on pages with gold."""


if __name__ == "__main__":
    app()
