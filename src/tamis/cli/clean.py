"""``tamis clean``: the main text of many pages."""

from __future__ import annotations

import sys
import time
from collections import Counter
from collections.abc import Generator, Iterable, Iterator
from contextlib import AbstractContextManager, closing
from dataclasses import dataclass, field, replace
from itertools import chain, islice
from pathlib import Path
from typing import Annotated

from typer import Argument, Option

import tamis
from tamis.cli import options, terminal
from tamis.cli.output import Add, failures_path, open_output
from tamis.cli.output import failures as listed_failures
from tamis.document.selection import CLEANED_ALONE
from tamis.errors import UsageError
from tamis.io.addresses import Patterns
from tamis.io.arguments import source_around
from tamis.io.pages import Fields, Source
from tamis.io.sources import is_stream, open_sources


def clean(
    sources: Annotated[list[str], Argument(metavar="SOURCE")],
    *,
    output: Annotated[str, Option("--output", "-o", metavar="OUT")],
    form: options.Formats = None,
    overwrite: options.Overwrite = False,
    shown: options.ShownOptions,
    selection: options.SelectionOptions,
    include: options.Include = None,
    exclude: options.Exclude = None,
    models: Annotated[str | None, Option(metavar="STORE")] = None,
    language: options.Languages = None,
    detect_language: options.DetectLanguage = False,
    quality: options.Rules = None,
    filters: options.Filters = None,
    comments: bool = False,
    chunking: options.Chunks,
    chunk_rows: bool = False,
    encoding: options.Encoding = None,
    alone: bool = False,
    workers: options.Workers = None,
    limit: options.Limit = None,
    max_error_ratio: options.MaxErrorRatio = 0.5,
    fetching: options.Fetching,
    url_field: options.UrlField = None,
    html_field: options.HtmlField = None,
    keep_field: Annotated[list[str] | None, Option(metavar="NAME")] = None,
    as_json: options.Json = False,
) -> None:
    """Clean many pages, in parallel; a page that fails does not stop the run.

    OUT.jsonl has a row for each page, with the status ok, empty or failed. OUT.failures.jsonl lists the failed pages with the reason.
    Until the run is complete, and after Ctrl-C, the output is named OUT.partial.

    Saved pages are read twice: tamis learns the template of each site from a sample of its pages, then cleans every page with it. Pages are
    grouped by host (from the URL, or a folder such as crawl/example.org/). Without a host, each SOURCE is one site. --timeout limits
    fetching a page, and also cleaning it. Fewer than 32 saved pages are cleaned in this process; it has no time limit unless --timeout is
    given.

    Examples:

    - `tamis clean saved/ -o texts.jsonl`
    - `tamis clean site/ --model site.model -o texts.jsonl`
    - `tamis clean 'saved/**/*.html' -o texts/ --format markdown`
    - `tamis clean addresses.txt -o pages.jsonl.gz -j 8 --retries 2`
    - `tamis clean site/ -o chunks.jsonl --chunks 300 --chunk-rows`
    - `tamis clean crawl.jsonl.gz --html-field page -o - | head`

    Options:
        sources: Files, folders, 'patterns/**/*.html', addresses, lists of addresses or paths (.txt, .urls), JSON lines (.jsonl,
            .ndjson; gzip too), Parquet, WARC archives, or - for standard input.
        output: A file .jsonl (also .gz, .zst) or .parquet (a row for each page), a folder (a file for each page), or - for standard output.
        chunk_rows: With --chunks, write a row for each chunk, as tamis extract does, instead of a row for each page with a list of them.

    What is selected:
        models: A folder or an address (s3://bucket/models): use the templates of earlier runs, update them, add those of new sites.
        comments: Keep visitors' comments in the text; rows also list them, and the posts of threads, by author, date and text.
        alone: Clean each page by itself, without a template.

    JSON lines and Parquet:
        keep_field: Another field or column that the output keeps, such as your own ids. May be repeated.
    """
    forms = tuple(dict.fromkeys(map(str, form or ["text"])))
    chunks = chunking.settings()
    if chunk_rows and chunks is None:
        raise UsageError("--chunk-rows needs the size of the chunks: --chunks N")
    if chunk_rows and (others := [name for name, given in (("--format", form), ("--comments", comments)) if given]):
        raise UsageError(f"--chunk-rows writes a row for each chunk, not for each page: leave out {' and '.join(others)}")
    if selection.model is not None and alone:
        raise UsageError("--model applies a template and --alone forbids it: choose one")
    if models is not None and selection.method in ("papers", "style-tree"):
        raise UsageError(f"--models is a store of templates, which the method {selection.method} does not use")
    if models is not None and (selection.model is not None or alone):
        raise UsageError("--models learns and applies the templates of all sites: leave out --model and --alone")
    settings = tamis.Cleaning(
        formats=tuple(each for each in forms if each != "json") or ("text",),
        rendering=shown.rendering(forms),
        method=selection.settings(),
        limits=fetching.limits(),
        languages=tuple(language or ()),
        detect_language=detect_language,
        quality=tuple(quality or ()),
        filters=tuple(filters or ()),
        comments=comments,
        chunks=chunks,
        encoding=encoding,
    )
    fields = Fields(url_field or "url", html_field, tuple(keep_field or ()))
    wanted = _Wanted(sources, fields, Patterns(tuple(include or ()), tuple(exclude or ())), limit)
    if "html" in forms and output != "-" and (source := source_around(output, sources)) is not None:
        raise UsageError(f"{output} is in {source}, and pages written there would be cleaned, too; name a folder elsewhere")
    target, partial = open_output(
        output, forms, overwrite, (*settings.parts, *settings.detected), keeps=bool(keep_field), chunked=chunk_rows
    )  # before any work: a mistake in the command is known at once
    pages: Iterable[Source] = wanted.some()
    streams = any(map(is_stream, sources))
    if selection.model is not None:
        settings = replace(settings, model=selection.site_model())
    elif not (alone or streams):
        settings = _with_templates(settings, wanted, models)
    seconds = fetching.timeout and fetching.timeout + settings.limits.longest
    if not streams:  # which may be slow: their pages are cleaned as they come
        from tamis.corpus.batch import FEW

        pages = first if len(first := list(islice(pages, FEW))) < FEW else chain(first, pages)
    records = tamis.clean(pages, settings, workers=workers, page_timeout=seconds)
    count, listed = _Count(failures_shown=output == "-" or terminal.VOICE.verbose), failures_path(output)
    try:
        _write(records, target, listed, count, min(filter(None, (wanted.count, limit)), default=None))
    except BaseException:
        if partial is not None and count.status.total():
            terminal.complain(f"stopped after {terminal.counted(count.status.total(), 'page')}; they are in {partial}")
        raise
    count.end(output, listed, max_error_ratio, wanted.skipped, as_json=as_json)


def _write(
    records: Generator[tamis.Record, None, None], target: AbstractContextManager[Add], listed: Path | None, count: _Count, total: int | None
) -> None:
    with target as add, listed_failures(listed) as fail, terminal.bars() as update, closing(records):
        for record in records:
            add(record)
            if (failure := record.failure) is not None:
                fail({"source": record.source, "url": record.url, "stage": failure.stage, "reason": failure.reason})
            count.add(record)
            update("pages", count.status.total(), total)


@dataclass
class _Wanted:
    """The pages that the command line names and whose addresses or paths are wanted."""

    sources: list[str]
    fields: Fields
    patterns: Patterns
    limit: int | None
    skipped: list[str] = field(default_factory=list)  #: Files of folders that are not pages, once the pages were taken.
    refused: str = ""  #: An address that is not wanted, if there is one.
    count: int = 0  #: Number of pages, once all were seen.

    def pages(self, skipped: list[str] | None = None) -> Iterator[Source]:
        """Yield all pages; ``skipped`` gets the names of other files."""
        from tamis.site.sites import refused

        count = 0
        for page in open_sources(self.sources, self.fields, skipped):
            if (address := refused(page, self.patterns)) is None:
                count += 1
                yield page
            else:
                self.refused = address
        self.count = count

    def some(self) -> Iterator[Source]:
        """Yield the pages up to the limit; ends the command if there is none."""
        pages = self.pages(self.skipped)
        if (first := next(pages, None)) is None:
            if self.skipped:
                terminal.say(terminal.skipped_files(self.skipped))
            terminal.stop(Patterns.want_nothing(self.refused) if self.refused else "there were no pages")
        return islice(chain([first], pages), min(self.limit or sys.maxsize, sys.maxsize))


def _with_templates(settings: tamis.Cleaning, wanted: _Wanted, store: str | None) -> tamis.Cleaning:
    """Return the settings with the templates of the sites, learned from the pages or taken from a store."""
    if store is not None:
        from tamis.corpus.models import models_of

        found, outcomes = models_of(wanted.pages(), store, ", ".join(wanted.sources[:3]), limits=settings.limits)
        for outcome, count in Counter(outcomes.values()).items():
            terminal.say(f"{terminal.counted(count, 'template')} {outcome}")
        return replace(settings, models=found)
    from tamis.site.extraction import settings_of
    from tamis.site.sites import learn_sites, learn_sites_by

    if hasattr(method := settings_of(settings.method), "learn"):
        of_sites = learn_sites_by(method, wanted.pages(), limits=settings.limits)
        terminal.say(f"learned {terminal.counted(len(of_sites), 'site')} by the method {settings.method}")
        return replace(settings, models=of_sites)
    models, mixed = learn_sites(wanted.pages(), limits=settings.limits)
    for site, learned in models.items():
        terminal.say(f"learned the template of {terminal.from_here(site)} from {terminal.extent(learned)}")
    terminal.say_mixed(mixed, ", or use --alone")
    return replace(settings, models=models)


@dataclass
class _Count:
    """Counts of the pages of one run."""

    failures_shown: bool
    start: float = field(default_factory=time.monotonic)
    status: Counter[str] = field(default_factory=Counter)
    failures: terminal.Reasons = field(default_factory=terminal.Reasons)
    kept: int = 0
    seen: int = 0
    without_template: int = 0  #: Pages that the template of their site does not know.

    def add(self, record: tamis.Record) -> None:
        """Count one record."""
        self.status[record.status] += 1
        self.kept += record.kept
        self.seen += record.seen
        self.without_template += any(problem.endswith(CLEANED_ALONE) for problem in record.problems)
        if record.failure is not None:
            self.failures.add(record.failure.stage, record.failure.reason)
            if self.failures_shown:
                terminal.say(f"failed: {record.source}: {record.failure.stage}: {record.failure.reason}")

    def end(self, output: str, listed: Path | None, max_error_ratio: float, skipped: list[str], *, as_json: bool) -> None:
        """Print the table of the run, or its summary as JSON, and end the command."""
        failures = f"see {listed}" if listed else ""
        pages, seconds = self.status.total(), time.monotonic() - self.start
        rows: list[tuple[str, int | str, str]] = [
            ("pages", pages, f"{pages / max(seconds, 0.001):,.0f} a second, {seconds:.1f} seconds"),
            ("ok", self.status["ok"], ""),
            ("empty", self.status["empty"], ""),
            *([("no template", self.without_template, "cleaned on their own")] if self.without_template else []),
            ("failed", self.status["failed"], failures if self.status["failed"] else ""),
            *self.failures.rows(),
            ("characters kept", self.kept, f"of {self.seen:,} ({self.kept / max(self.seen, 1):.0%})"),
        ]
        nothing = None if self.status["ok"] else "nothing was selected from any page"
        after = terminal.skipped_files(skipped)
        summary = {
            **{"pages": pages, "ok": self.status["ok"], "empty": self.status["empty"], "failed": self.status["failed"]},
            **{"without_template": self.without_template, "failures": dict(self.failures), "skipped_files": len(skipped)},
            **{"characters_kept": self.kept, "characters_seen": self.seen},
            **{"output": output, "failures_file": str(listed) if listed and self.status["failed"] else None},
        }
        terminal.end(
            rows,
            total=pages,
            failed=self.status["failed"],
            noun="page",
            most=max_error_ratio,
            nothing=nothing,
            after=after,
            summary=summary if as_json else None,
            to_stderr=output == "-",
        )
