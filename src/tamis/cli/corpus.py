"""``tamis corpus``: turn a crawl into a clean corpus."""

from __future__ import annotations

from dataclasses import asdict
from datetime import timedelta
from itertools import chain
from pathlib import Path
from typing import Annotated, Any

from typer import Argument, Option

from tamis.cli import options, terminal
from tamis.cli.lazy import Subcommands
from tamis.corpus import pipeline
from tamis.corpus.config import CorpusConfig, MethodName, load, make
from tamis.corpus.estimate import estimate
from tamis.corpus.report import write_report
from tamis.corpus.stages import Summary
from tamis.corpus.tables import NO_TEXT, UNWANTED, rows
from tamis.errors import UsageError
from tamis.io.writing import check_outputs

app = Subcommands(help="Turn a crawl into a clean corpus: learn templates, clean pages, remove duplicates.")
Folder = Annotated[Path, Argument(metavar="OUT", help="The output folder of a run.")]
Config = Annotated[Path | None, Option("--config", "-c", metavar="TOML", help="Settings from a file; options override them.")]
Memory = Annotated[
    int | None, Option(metavar="MB", min=0, rich_help_panel=options.RUNNING, help="Memory of a process, in MB. [default: 4096]")
]
SHORT_RUN = 60  #: Seconds; a shorter run needs no plan.


@app.add("run")
def run_command(
    sources: Annotated[list[str] | None, Argument(metavar="SOURCE...")] = None,
    *,
    output: Annotated[str | None, Option("--output", "-o", metavar="OUT")] = None,
    config: Config = None,
    formats: Annotated[list[str] | None, Option("--format", "-f", metavar="FORMAT")] = None,
    method: MethodName | None = None,
    sample: Annotated[int | None, Option(metavar="PAGES", min=1)] = None,
    markdown: bool | None = None,
    duplicates: Annotated[bool | None, Option("--duplicates/--keep-duplicates")] = None,
    models: Annotated[str | None, Option(metavar="STORE")] = None,
    previous: Annotated[str | None, Option(metavar="OUT")] = None,
    include: options.Include = None,
    exclude: options.Exclude = None,
    languages: options.Languages = None,
    detect_language: Annotated[bool | None, Option("--detect-language")] = None,
    quality: options.Rules = None,
    filters: options.Filters = None,
    parts: bool | None = None,
    dropped: bool | None = None,
    front_matter: Annotated[bool | None, Option("--front-matter")] = None,
    metadata: bool | None = None,
    records: bool | None = None,
    partition: Annotated[str | None, Option(metavar="COLUMN")] = None,
    target: Annotated[str | None, Option(metavar="URL")] = None,
    url_field: options.UrlField = None,
    html_field: options.HtmlField = None,
    overwrite: options.Overwrite = False,
    workers: options.Workers = None,
    runner: Annotated[str | None, Option(metavar="NAME")] = None,
    spool: bool | None = None,
    page_seconds: options.Timeout = None,
    memory_mb: Memory = None,
    keep_work: bool = False,
    print_config: bool = False,
    as_json: options.Json = False,
) -> None:
    """Clean a corpus. If the run is interrupted, repeat the command: it resumes.

    Examples:

    - `tamis corpus run crawl/ -o corpus/`
    - `tamis corpus run 'segments/*.warc.gz' -o corpus/ --format parquet --format jsonl`
    - `tamis corpus run 's3://bucket/crawl/*.warc.gz' -o corpus/ --partition language --records`
    - `tamis corpus run new-crawl/ -o corpus-2/ --models models/ --previous corpus-1/`
    - `tamis corpus run --config corpus.toml`

    Options:
        sources: WARC archives, Parquet, JSON lines, lists of addresses, folders with any of these or with pages, patterns; also
            addresses such as s3://bucket/crawl/*.warc.gz.
        output: The output folder.
        formats: parquet, jsonl, csv or markdown. May be repeated. [default: parquet]
        method: Method: the trained node model, information attenuation, sites' style trees, or the five papers together. [default: model]
        sample: Pages that a site's template is learned from. [default: 50]
        models: A folder or an address (s3://bucket/models): use and update the templates of earlier runs, add new ones.
        previous: The output of an earlier run with the same --models: pages that have not changed keep its results.
        partition: Parquet in folders by site or language. [default: one file for each shard]
        target: A folder or an address (s3://bucket/clean) to copy the results to.
        print_config: Print the settings as TOML and stop.

    What is written:
        duplicates: Remove near-duplicates. [default: yes]
        parts: Treat a document that is part of a longer one as a copy. [default: no]
        metadata: Read title, author, date, language and canonical link. [default: yes]
        markdown: Also write the text as Markdown. [default: no]
        dropped: Write the dropped text beside the documents. [default: yes]
        records: Turn the lists of pages into a table beside the documents. [default: no]
        front_matter: Begin Markdown files with YAML: title, author, date, address, site and language.
        detect_language: Add the language that is detected from the text, and its confidence. [default: only with --language]

    How it runs:
        page_seconds: Maximum time to clean one page. [default: 20]
        runner: local or ray. [default: local]
        keep_work: Keep the results of tasks in OUT/work after the run. [default: only with --models, or if failed pages can be retried]
        spool: Keep pages in OUT until they are cleaned, so that sources are read once; takes as much space. [default: yes]
    """
    given = {
        name: value
        for name, value in locals().items()
        if value is not None and name not in ("config", "overwrite", "keep_work", "print_config", "as_json")
    }
    settings = _run_settings(config, given)
    if print_config:
        terminal.to_stdout(settings.to_toml())
        return
    try:
        with terminal.bars() as progress:
            summary = pipeline.run(settings, progress, overwrite=overwrite, resumed=lambda done: terminal.say(f"{settings.output}: {done}"))
    except KeyboardInterrupt:
        terminal.stop(f"stopped; the same command continues ({settings.output})", terminal.INTERRUPTED)
    _end(summary, as_json=as_json, keep_work=keep_work)


@app.add("plan")
def plan_command(
    sources: Annotated[list[str] | None, Argument(metavar="SOURCE...")] = None,
    *,
    config: Config = None,
    pages: Annotated[int | None, Option("--for-pages", min=1)] = None,
    sites: Annotated[int | None, Option("--for-sites", min=1)] = None,
    include: options.Include = None,
    exclude: options.Exclude = None,
    workers: options.Workers = None,
    as_json: options.Json = False,
) -> None:
    """Estimate time, memory, storage and requests of a run, from a sample of the sources that is run in a temporary folder.

    Examples:

    - `tamis corpus plan crawl/ -j 8`
    - `tamis corpus plan crawl/part-0.warc.gz --for-pages 1000000 --for-sites 20000 -j 96`

    Options:
        sources: As for tamis corpus run.
        pages: Number of pages of the corpus. [default: those of the sources]
        sites: Number of sites of the corpus. [default: estimated from the sample]
    """
    given = options.values_of(sources=sources or None, include=include, exclude=exclude, workers=workers)
    given |= {"output": "."} if config is None else {}
    with terminal.bars() as progress:
        found = estimate(_run_settings(config, given), pages, sites, progress)
    if as_json:
        terminal.deliver_json(asdict(found))
        return
    total, took = sum(found.seconds.values()), timedelta(seconds=round(3600 * found.hours))
    rows = [
        ("pages, sites", f"{found.pages:,}, {found.sites:,} (measured: {found.measured_pages:,}, {found.measured_sites:,})"),
        ("processor time", f"{total:,.0f} s, {1000 * total / max(found.pages, 1):.2f} ms a page"),
        *((f"  {stage}", f"{seconds:,.1f} s") for stage, seconds in sorted(found.seconds.items(), key=lambda each: -each[1])),
        ("time", f"{took} with {terminal.counted(found.workers, 'worker')}, each with a processor of its own"),
        ("memory", f"at most {found.memory / 1e6:,.0f} MB"),
        ("output folder", f"{found.output / 1e6:,.1f} MB, and during the run {found.spool / 1e6:,.1f} MB of pages"),
        ("read", f"{found.read / 1e6:,.1f} MB; from remote storage in {found.requests:,} requests"),
    ]
    terminal.to_stdout("".join(f"{name:<16}{said}\n" for name, said in rows))
    if 3600 * found.hours < SHORT_RUN:
        terminal.say("this is a small corpus: run it")


@app.add("retry")
def retry_command(
    folder: Folder,
    *,
    workers: options.Workers = None,
    timeout: options.Timeout = None,
    memory_mb: Memory = None,
    as_json: options.Json = False,
) -> None:
    """Clean the failed pages of a run again, one at a time, perhaps with more time or memory.

    Example: `tamis corpus retry corpus/ --timeout 120`

    Options:
        timeout: Maximum time to clean one page. [default: that of the run]
    """
    with terminal.bars() as progress:
        summary = pipeline.retry(folder, options.values_of(workers=workers, page_seconds=timeout, memory_mb=memory_mb), progress)
    _end(summary, as_json=as_json)


@app.add("report")
def report_command(
    folder: Folder,
    *,
    output: Annotated[Path | None, Option("--output", "-o", metavar="FILE")] = None,
    overwrite: options.Overwrite = False,
    as_json: options.Json = False,
) -> None:
    """Write a page that shows a finished run: counts, sites, languages, reasons for dropped text, samples before and after.

    Options:
        output: Write to this file. [default: OUT/report.html]
    """
    check_outputs(output, overwrite=overwrite)
    report = write_report(folder, output)
    terminal.say(f"report: {report}")
    if as_json:
        terminal.say_summary({"report": report})


def _run_settings(config: Path | None, given: dict[str, Any]) -> CorpusConfig:
    if config is not None:
        return load(config, **given)
    for name, words in (("sources", "name what to read: tamis corpus run SOURCE... -o OUT"), ("output", "name an output folder: -o OUT")):
        if name not in given:
            raise UsageError(words)
    return make(given, "tamis corpus run")


def _reasons(folder: Path) -> terminal.Reasons:
    """Count the failed pages of a run, without those that have no text or are not wanted."""
    reasons = terminal.Reasons()
    for row in chain.from_iterable(rows(path, ["stage", "reason"]) for path in sorted(folder.rglob("*.parquet"))):
        if row["stage"] not in (NO_TEXT, *UNWANTED):
            reasons.add(row["stage"], row["reason"])
    return reasons


_FORMS = ("documents", "jsonl", "csv", "markdown")  #: Folders of a run; the first that exists is named.


def _end(summary: Summary, *, as_json: bool, keep_work: bool = False) -> None:
    """Write the report of a run, print its summary, and remove its folder ``work``."""
    report = summary.output / "report.html"
    if (summary.output / "work").is_dir():
        write_report(summary.output)
        if not keep_work:
            pipeline.clear(summary)
    if as_json:
        terminal.say_summary(asdict(summary))
        return
    counted, folder = terminal.counted, summary.output
    kept = summary.kept_characters / max(summary.seen_characters, 1)
    failures = f"see {folder / 'failures'}" if summary.failed else ""
    if summary.to_retry:
        failures += f"; {summary.to_retry:,} for time, memory or fetching: to clean them again one at a time: tamis corpus retry {folder}"
    rows = [
        ("pages", summary.pages, f"of {counted(summary.sites, 'site')}; {kept:.0%} of {summary.seen_characters:,} characters kept"),
        ("by template", summary.by_template, f"by {counted(summary.templates, 'template')}"),
        ("documents", summary.documents, str(next(filter(Path.exists, (folder / name for name in _FORMS)), folder))),
        ("duplicates", summary.duplicates, "removed"),
        ("empty", summary.empty, "pages without a main text"),
        ("failed", summary.failed, failures),
        *_reasons(folder / "failures").rows(),
    ]
    if set(summary.outcomes) - {"new"}:
        rows.append(("templates", summary.templates, ", ".join(f"{count:,} {name}" for name, count in summary.outcomes.items())))
    if summary.unchanged or summary.unused:
        why = summary.unused and f"the results of the earlier run are not used: {summary.unused}"
        rows.append(("unchanged", summary.unchanged, why or "pages keep the results of the earlier run"))
    others = [
        ("left out", summary.left_out, "pages whose address is not wanted (--include, --exclude)"),
        ("languages", summary.other_languages, "pages in other languages, omitted"),
        ("quality", summary.low_quality, "pages whose text breaks a rule of quality, omitted"),
        ("filtered", summary.filtered, "pages that a filter leaves out"),
        ("records", summary.records, f"from lists: {folder / 'records'}"),
    ]
    terminal.table([*rows, *(row for row in others if row[1])])
    if summary.skipped:
        terminal.say(terminal.skipped_files(list(summary.skipped)))
    terminal.say_mixed(summary.mixed)
    terminal.say(f"report: {report}")
