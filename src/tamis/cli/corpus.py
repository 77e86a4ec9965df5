"""``tamis corpus``: a crawl in, a clean corpus out."""

from __future__ import annotations

import json
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from tamis.cli import options, terminal
from tamis.cli.progress import bars

if TYPE_CHECKING:
    from tamis.corpus.config import CorpusConfig
    from tamis.corpus.estimate import Estimate
    from tamis.corpus.pipeline import Summary

app = typer.Typer(help="A crawl in, a clean corpus out: templates learned, pages cleaned, duplicates collapsed.", no_args_is_help=True)

RUNNING = options.RUNNING
READING = "What is read"
Folder = Annotated[Path, typer.Argument(metavar="OUT", help="The output folder of a run.")]


@app.command("run")
def run_command(
    sources: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="SOURCE...",
            help="WARC archives, Parquet, JSON lines, lists of addresses, folders with any of these or with pages, patterns; "
            "s3://bucket/crawl/*.warc.gz and the like, too.",
        ),
    ] = None,
    *,
    output: Annotated[str | None, typer.Option("--output", "-o", metavar="OUT", help="The folder for everything.")] = None,
    config: Annotated[
        Path | None, typer.Option("--config", "-c", metavar="TOML", help="Settings from a file; what is said here wins.")
    ] = None,
    formats: Annotated[
        list[str] | None, typer.Option("--format", "-f", help="parquet, jsonl, csv or markdown; may be repeated.", show_default="parquet")
    ] = None,
    sample: Annotated[int | None, typer.Option(min=1, help="Pages that a site's template is learned from.", show_default="100")] = None,
    markdown: Annotated[bool | None, typer.Option("--markdown/--no-markdown", help="The text as Markdown, too.")] = None,
    duplicates: Annotated[
        bool | None, typer.Option("--duplicates/--keep-duplicates", help="Collapse near-duplicates.", show_default="yes")
    ] = None,
    models: Annotated[
        str | None,
        typer.Option(
            metavar="STORE", help="A folder or an address (s3://bucket/models): use and update the templates of earlier runs, add new ones."
        ),
    ] = None,
    languages: options.Languages = None,
    parts: Annotated[
        bool | None, typer.Option("--parts/--no-parts", help="What is but a part of a longer document is its copy, too.", show_default="no")
    ] = None,
    dropped: Annotated[
        bool | None, typer.Option("--dropped/--no-dropped", help="Write what was dropped beside the documents.", show_default="yes")
    ] = None,
    metadata: Annotated[
        bool | None, typer.Option("--metadata/--no-metadata", help="Read title, author, date and language.", show_default="yes")
    ] = None,
    records: Annotated[
        bool | None, typer.Option("--records/--no-records", help="Lift the lists of pages into a table beside the documents.")
    ] = None,
    partition: Annotated[
        str | None, typer.Option(metavar="COLUMN", help="Parquet in folders by site or language.", show_default="a file a shard")
    ] = None,
    target: Annotated[
        str | None, typer.Option(metavar="URL", help="A folder or an address (s3://bucket/clean) to copy the results to, too.")
    ] = None,
    url_field: Annotated[str | None, typer.Option(metavar="NAME", rich_help_panel=READING, help="Column of the address.")] = None,
    html_field: Annotated[str | None, typer.Option(metavar="NAME", rich_help_panel=READING, help="Column of the page.")] = None,
    overwrite: options.Overwrite = False,
    workers: options.Workers = None,
    runner: Annotated[str | None, typer.Option(rich_help_panel=RUNNING, help="local or ray.", show_default="local")] = None,
    spool: Annotated[
        bool | None,
        typer.Option(
            "--spool/--no-spool",
            rich_help_panel=RUNNING,
            help="Keep pages in OUT until they are cleaned, so that sources are read once; takes as much room.",
            show_default="yes",
        ),
    ] = None,
    page_seconds: options.Timeout = None,
    memory_mb: Annotated[int | None, typer.Option(min=0, rich_help_panel=RUNNING, help="Memory of a process.", show_default="4096")] = None,
    print_config: Annotated[bool, typer.Option("--print-config", help="Print the settings as TOML and stop.")] = False,
) -> None:
    """Clean a corpus. If the run is interrupted, repeat the command: it resumes.

    Examples:

    - `tamis corpus run crawl/ -o corpus/`
    - `tamis corpus run 'segments/*.warc.gz' -o corpus/ --format parquet --format jsonl`
    - `tamis corpus run 's3://bucket/crawl/*.warc.gz' -o corpus/ --partition language --records`
    - `tamis corpus run new-crawl/ -o corpus-2/ --models models/`
    - `tamis corpus run --config corpus.toml`
    """
    given = {name: value for name, value in locals().items() if value is not None and name not in ("config", "overwrite", "print_config")}
    from tamis.corpus import pipeline

    settings = _settings(config, given)
    if print_config:
        terminal.to_stdout(settings.to_toml())
        return
    if overwrite:
        pipeline.remove(settings.output)
    with bars() as progress:
        summary = pipeline.run(settings, progress)
    _tell(summary)
    report_command(summary.output, output=None)


@app.command("plan")
def plan_command(
    sources: Annotated[list[str] | None, typer.Argument(metavar="SOURCE...", help="As of tamis corpus run.")] = None,
    *,
    config: Annotated[
        Path | None, typer.Option("--config", "-c", metavar="TOML", help="Settings from a file; what is said here wins.")
    ] = None,
    pages: Annotated[
        int | None, typer.Option("--for-pages", min=1, help="Pages of the corpus.", show_default="those of the sources")
    ] = None,
    sites: Annotated[
        int | None, typer.Option("--for-sites", min=1, help="Sites of the corpus.", show_default="estimated from the sample")
    ] = None,
    workers: options.Workers = None,
    as_json: options.Json = False,
) -> None:
    """Estimate time, memory, storage and requests of a run: a sample of the sources is run in a temporary folder and measured.

    Examples:

    - `tamis corpus plan crawl/ -j 8`
    - `tamis corpus plan crawl/part-0.warc.gz --for-pages 1000000 --for-sites 20000 -j 96`
    """
    from tamis.corpus.estimate import estimate

    given = {"sources": tuple(sources) if sources else None, "workers": workers, "output": "." if config is None else None}
    with bars() as progress:
        found = estimate(_settings(config, {name: value for name, value in given.items() if value is not None}), pages, sites, progress)
    terminal.to_stdout(json.dumps(asdict(found), indent=1) + "\n" if as_json else _plan_table(found))


@app.command("retry")
def retry_command(
    folder: Folder,
    *,
    workers: options.Workers = None,
    timeout: options.Timeout = None,
    memory_mb: Annotated[int | None, typer.Option(min=0, help="Memory of a process.")] = None,
) -> None:
    """Work on the pages of a run that failed once more, alone, perhaps with more time or memory.

    Example: `tamis corpus retry corpus/ --timeout 120`
    """
    from tamis.corpus import pipeline

    given: dict[str, Any] = {"workers": workers, "page_seconds": timeout, "memory_mb": memory_mb}
    with bars() as progress:
        summary = pipeline.retry(folder, {name: value for name, value in given.items() if value is not None}, progress)
    _tell(summary)
    report_command(summary.output, output=None)


@app.command("report")
def report_command(
    folder: Folder,
    *,
    output: Annotated[
        Path | None, typer.Option("--output", "-o", metavar="FILE", help="Write to this file.", show_default="OUT/report.html")
    ] = None,
    overwrite: options.Overwrite = False,
) -> None:
    """Write a page that shows a finished run: counts, sites, languages, what was dropped and why, samples before and after."""
    from tamis.corpus.report import write_report
    from tamis.io.writing import refuse_existing

    refuse_existing(output, overwrite=overwrite)
    terminal.say(f"report: {write_report(folder, output)}")


def _settings(config: Path | None, given: dict[str, Any]) -> CorpusConfig:
    """Settings from a file and from the command line."""
    from tamis.corpus.config import load, make
    from tamis.errors import UsageError

    if config is not None:
        return load(config, **given)
    for name, words in (("sources", "name what to read: tamis corpus run SOURCE... -o OUT"), ("output", "name an output folder: -o OUT")):
        if name not in given:
            raise UsageError(words)
    return make(given, "tamis corpus run")


def _plan_table(found: Estimate) -> str:
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


def _tell(summary: Summary) -> None:
    """The closing summary."""
    counted = terminal.counted
    kept = summary.kept_characters / max(summary.seen_characters, 1)
    rows = [
        ("pages", summary.pages, f"of {counted(summary.sites, 'site')}; {kept:.0%} of {summary.seen_characters:,} characters kept"),
        ("by template", summary.by_template, f"by {counted(summary.templates, 'template')}"),
        ("documents", summary.documents, str(summary.output / "documents")),
        ("duplicates", summary.duplicates, "collapsed"),
        ("empty", summary.empty, "pages without a main text"),
        ("failed", summary.failed, ""),
    ]
    if set(summary.outcomes) - {"new"}:
        rows.append(("templates", summary.templates, ", ".join(f"{count:,} {name}" for name, count in summary.outcomes.items())))
    if summary.other_languages:
        rows.append(("languages", summary.other_languages, "pages in other languages, left out"))
    if summary.records:
        rows.append(("records", summary.records, f"of lists: {summary.output / 'records'}"))
    if summary.failed:
        rows[5] = ("failed", summary.failed, f"see {summary.output / 'failures'}; again, alone: tamis corpus retry {summary.output}")
    if not terminal.VOICE.quiet:
        terminal.table(rows)
