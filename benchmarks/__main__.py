"""``python -m benchmarks``: quality and cost on pages with gold, the papers' tables on our pages. Every bench has a module of its own."""

from __future__ import annotations

from typing import ClassVar

import typer

from tamis.cli.lazy import LazyCommands


class Benches(LazyCommands):
    """The benches, by name, in the order of the help."""

    homes: ClassVar[dict[str, str]] = {
        "content": "benchmarks.commands.content:content",
        "metadata": "benchmarks.commands.metadata:metadata",
        "markdown": "benchmarks.commands.markdown:markdown",
        "attenuation": "benchmarks.commands.attenuation:attenuation",
        "sites": "benchmarks.commands.sites:sites",
        "comments": "benchmarks.commands.comments:comments",
        "values": "benchmarks.commands.values:values",
        "mining": "benchmarks.commands.mining:mining",
        "learning": "benchmarks.commands.learning:learning",
        "corpus": "benchmarks.commands.corpus:corpus",
        "same-layer": "benchmarks.commands.same_layer:same_layer",
        "similarity": "benchmarks.commands.similarity:similarity",
        "records": "benchmarks.commands.records:records",
        "dedup": "benchmarks.commands.dedup:dedup",
        "segment": "benchmarks.commands.segment:segment",
    }


app = typer.Typer(cls=Benches, help="Measure tamis and its peers on pages with gold.", no_args_is_help=True, add_completion=False)


@app.callback()
def root() -> None:
    """Measure tamis and its peers on pages with gold."""


if __name__ == "__main__":
    app()
