"""``python -m benchmarks mining``."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from typer import Argument, Option

from benchmarks.commands.reporting import Json, PeerPythons, Sites, names, shown
from benchmarks.report import Report, Table

if TYPE_CHECKING:
    from benchmarks.mining import Result


def mining(
    folder: Annotated[Path, Argument(help="A folder of sites with gold.")],
    topics: Annotated[Path, Option("--topics")],
    *,
    sites: Sites = None,
    methods: str | None = None,
    topic_count: Annotated[int, Option(min=2)] = 5,
    sites_per_round: Annotated[int, Option(min=2)] = 5,
    per_cell: Annotated[int, Option(min=2)] = 8,
    words: Annotated[int, Option(min=1)] = 200,
    seeds: Annotated[int, Option(min=1)] = 10,
    peer_pythons: PeerPythons = None,
    json_file: Json = None,
) -> None:
    """The style tree paper's experiment: classification and clustering of pages whose topics cross sites, cleaned by each method.

    Options:
        topics: A folder of single pages with gold; texts of known topics are chosen from it by keywords.
        methods: Names of methods and tools, with commas between.
        topic_count: Number of topics.
        sites_per_round: Sites drawn for each round, at least as many as topics.
        per_cell: Texts of each topic on each site.
        words: Most words of each text.
        seeds: Number of rounds.
    """
    shown("mining", "rounds", report, locals(), sites=names, methods=names)


def report(result: Result) -> Report:
    """Each measure by method, with its deviation."""
    from benchmarks.mining import LEGEND, MEASURES

    pages = len(result.topics) * result.sites_per_round * result.per_cell
    table = Table(
        f"classification and clustering by topic: {pages} pages of {len(result.topics)} topics on {result.sites_per_round} sites, "
        f"mean of {result.seeds} rounds (± deviation), percent",
        "; ".join(["pages cleaned by", *(heading.replace(": ", ":\n") for heading in MEASURES.values())]),
        [(m, *(f"{100 * result.mean(m, name):.1f} ±{100 * result.spread(m, name):.1f}" for name in MEASURES)) for m in result.methods],
    )
    remarks = [
        LEGEND,
        f"Topics: {', '.join(f'{t} ({result.texts[t]} texts)' for t in result.topics)}. Texts of at most {result.words} words.",
        f"Sites are drawn from: {', '.join(result.sites)}.",
        *(f"Not run: {name}: {reason}" for name, reason in result.not_run.items()),
    ]
    return Report([table], remarks)
