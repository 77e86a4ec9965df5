"""``tamis bench``: quality and cost on pages with gold, the papers' tables on our pages."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal

import typer

from tamis.errors import TamisError, UsageError

if TYPE_CHECKING:
    from collections.abc import Callable

    from rich.console import RenderableType

app = typer.Typer(help="Measure tamis and its peers on pages with gold.", no_args_is_help=True)

Folders = Annotated[
    list[Path], typer.Argument(help="Folders with gold: single pages (gold.jsonl.gz and html/), a site (site.json), or a folder of sites.")
]
Limit = Annotated[int | None, typer.Option(help="At most so many pages of each folder, and of each site, spread evenly.", min=1)]
Json = Annotated[Path | None, typer.Option("--json", help="Write everything measured to this file.")]
Plot = Annotated[Path | None, typer.Option("--plot", help="Draw to this file (png, svg, pdf).")]


@app.command("content")
def content_command(
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
        from tamis.bench import content
        from tamis.bench.content_report import content_report, plot_content

        with progress("pages") as told:
            result = content.run(
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


@app.command("attenuation")
def attenuation_command(folders: Folders, limit: Limit = None, json_file: Json = None, plot: Plot = None) -> None:
    """The paper's figure 4 and table: accuracy by T, and by site at T = 0.34."""
    with errors_shown():
        from tamis.bench import attenuation
        from tamis.bench.attenuation_report import attenuation_report, plot_attenuation

        with progress("pages") as told:
            result = attenuation.run(folders, limit=limit, progress=told)
        deliver(attenuation_report(result), result.to_dict(), json_file)
        if plot is not None:
            plot_attenuation(result, plot)


@app.command("sites")
def sites_command(
    folder: Annotated[Path, typer.Argument(help="A folder of sites with gold, or one site.")],
    *,
    ks: Annotated[str, typer.Option("--k", help="Numbers of pages to learn from, with commas between.")] = "2,3,5,10,30,100",
    sites: Annotated[str | None, typer.Option(help="Names of sites, with commas between; all where not given.")] = None,
    methods: Annotated[str | None, typer.Option(help="Names of methods and tools, with commas between; all where not given.")] = None,
    score: Annotated[int, typer.Option(help="At most so many pages of each site are scored, and at most half.", min=1)] = 25,
    seeds: Annotated[int, typer.Option(help="How many times pages to learn from are drawn.", min=1)] = 1,
    learn: Annotated[Literal["all", "content"], typer.Option(help="Pages to learn from: all, or content pages only.")] = "all",
    peer_python: Annotated[
        list[str] | None,
        typer.Option(envvar="TAMIS_PEER_PYTHON", help="Another Python, with tools that this one cannot have; may be given again."),
    ] = None,
    timeout: Annotated[float, typer.Option(help="Seconds after which a page or a draw counts as failed.", min=0.1)] = 60.0,
    json_file: Json = None,
    plot: Plot = None,
) -> None:
    """Site templates: F1, noise removed and cost after learning from k pages of a site, against other ways."""
    with errors_shown():
        from tamis.bench import sites as bench
        from tamis.bench.sites_report import plot_sites, sites_report

        with progress("draws") as told:
            result = bench.run(
                folder,
                ks=numbers(ks),
                sites=names(sites),
                methods=names(methods),
                score=score,
                seeds=seeds,
                learn_from=learn,
                peer_pythons=peer_python or (),
                timeout=timeout,
                progress=told,
            )
        deliver(sites_report(result), result.to_dict(), json_file)
        if plot is not None:
            plot_sites(result, plot)


@app.command("mining")
def mining_command(
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
    peer_python: Annotated[
        list[str] | None,
        typer.Option(envvar="TAMIS_PEER_PYTHON", help="Another Python, with tools that this one cannot have; may be given again."),
    ] = None,
    json_file: Json = None,
    plot: Plot = None,
) -> None:
    """The style tree paper's experiment: classification and clustering of pages whose topics cross sites, cleaned by each method."""
    with errors_shown():
        from tamis.bench import mining as bench
        from tamis.bench.mining_report import mining_report, plot_mining

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
        deliver(mining_report(result), result.to_dict(), json_file)
        if plot is not None:
            plot_mining(result, plot)


@app.command("learning")
def learning_command(
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
        from tamis.bench import learning as bench
        from tamis.bench.learning_report import learning_report, plot_learning

        with progress("measurements") as told:
            result = bench.run(folder, pages=numbers(pages), methods=names(methods) or bench.METHODS, timeout=timeout, progress=told)
        deliver(learning_report(result), result.to_dict(), json_file)
        if plot is not None:
            plot_learning(result, plot)


# -- what every bench's command is made with ---------------------------------------------------------------------------


def names(listed: str | None) -> list[str] | None:
    """The names in a list with commas between; None for none."""
    return [name.strip() for name in listed.split(",") if name.strip()] if listed else None


def numbers(listed: str) -> list[int]:
    """The numbers in a list with commas between."""
    try:
        return [int(number) for number in listed.split(",") if number.strip()]
    except ValueError as error:
        raise UsageError(f"this takes whole numbers with commas between, not {listed!r}") from error


def deliver(report: RenderableType, values: dict[str, Any], json_file: Path | None) -> None:
    """Show a report, and write the values where a file is named."""
    from rich.console import Console

    from tamis.bench.report import write_json

    console = Console()
    if not console.is_terminal:  # a file or a pipe has no edge to fold tables at
        console = Console(width=220)
    console.print(report)
    if json_file is not None:
        write_json(values, json_file)


@contextmanager
def progress(what: str) -> Iterator[Callable[[int, int], None]]:
    """A progress bar on standard error, moved by calls with how many are done, of how many."""
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

    columns = (TextColumn(what), BarColumn(), MofNCompleteColumn(), TimeRemainingColumn())
    with Progress(*columns, console=Console(stderr=True), transient=True) as bar:
        task = bar.add_task(what, total=None)
        yield lambda done, total: bar.update(task, completed=done, total=total)


@contextmanager
def errors_shown() -> Iterator[None]:
    """Errors that tamis raises on purpose end the command with their message."""
    try:
        yield
    except TamisError as error:
        typer.echo(f"tamis bench: {error}", err=True)
        raise typer.Exit(2) from error
