"""``python -m benchmarks mining``."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from benchmarks.commands.reporting import Json, PeerPython, Plot, deliver, errors_shown, names, progress
from benchmarks.report import Line, Panel, Report, Table

if TYPE_CHECKING:
    from benchmarks.mining import Result


def mining(
    folder: Annotated[Path, typer.Argument(help="A folder of sites with gold.")],
    topics: Annotated[Path, typer.Option(help="A folder of single pages with gold: texts of known topics are chosen from it by keywords.")],
    *,
    sites: Annotated[str | None, typer.Option(help="Names of sites, with commas between; all where not given.")] = None,
    methods: Annotated[str | None, typer.Option(help="Names of methods and tools, with commas between.")] = None,
    topic_count: Annotated[int, typer.Option(help="Number of topics.", min=2)] = 5,
    sites_per_round: Annotated[int, typer.Option(help="Sites drawn for each round, at least as many as topics.", min=2)] = 5,
    per_cell: Annotated[int, typer.Option(help="Texts of each topic on each site.", min=2)] = 8,
    words: Annotated[int, typer.Option(help="Words of each text at most.", min=1)] = 200,
    seeds: Annotated[int, typer.Option(help="Number of rounds.", min=1)] = 10,
    peer_python: PeerPython = None,
    json_file: Json = None,
    plot: Plot = None,
) -> None:
    """The style tree paper's experiment: classification and clustering of pages whose topics cross sites, cleaned by each method."""
    with errors_shown():
        from benchmarks import mining as bench

        with progress("rounds") as told:
            result = bench.run(
                folder,
                topics,
                sites=names(sites),
                methods=names(methods) or bench.METHODS,
                topic_count=topic_count,
                sites_per_round=sites_per_round,
                per_cell=per_cell,
                words=words,
                seeds=seeds,
                peer_pythons=peer_python or (),
                progress=told,
            )
        deliver(report(result), result.to_dict(), json_file, plot)


def report(result: Result) -> Report:
    """Each measure by method, with its deviation; three of them as plots."""
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
    plotted = {"crossed_nb": "naive Bayes, crossed", "crossed_svm": "SVM, crossed", "cluster_f": "k-means"}
    places = {float(k): name for k, name in enumerate(result.methods)}
    panels = []
    for measure, title in plotted.items():
        means, spreads = ([100 * of(m, measure) for m in result.methods] for of in (result.mean, result.spread))
        lines = [Line(MEASURES[measure], means, list(places), "o", spread=spreads)]
        panels.append(Panel(title, "percent", "", lines, y_ticks=places, settings={"xlim": (0, 105)}))
    return Report([table], remarks, panels)
