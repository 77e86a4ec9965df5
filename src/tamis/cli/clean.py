"""``tamis clean``: the main text of many pages."""

from __future__ import annotations

import sys
import time
from collections import Counter, deque
from collections.abc import Iterator
from contextlib import closing
from itertools import chain, islice
from pathlib import Path, PurePosixPath
from typing import TYPE_CHECKING, Annotated, cast

import typer

from tamis.cli import options, terminal
from tamis.cli.page import Form
from tamis.errors import UsageError

if TYPE_CHECKING:
    from contextlib import AbstractContextManager

    from tamis.cli.output import Add
    from tamis.corpus.batch import Cleaning, Record
    from tamis.document.document import Format
    from tamis.io.pages import Fields, Source

RUNNING = options.RUNNING
LINES = "JSON lines"


def clean(
    sources: Annotated[
        list[str],
        typer.Argument(
            metavar="SOURCE",
            help="Files, folders, 'patterns/**/*.html', addresses, lists of addresses or paths (.txt, .urls), JSON lines (.jsonl, "
            ".ndjson; gzip too), Parquet, WARC archives, or - for standard input.",
        ),
    ],
    *,
    output: Annotated[
        str,
        typer.Option(
            "--output",
            "-o",
            metavar="OUT",
            help="A file .jsonl, .jsonl.gz or .parquet (a row for each page), a folder (a file for each page), or - for standard output.",
        ),
    ],
    form: Annotated[list[Form] | None, typer.Option("--format", "-f", help="What is written; may be repeated. [default: text]")] = None,
    overwrite: options.Overwrite = False,
    links: options.Links = True,
    images: options.Images = True,
    tables: options.Tables = True,
    method: options.Method = None,
    threshold: options.Threshold = None,
    link_density: options.LinkDensity = None,
    precision: options.Precision = False,
    recall: options.Recall = False,
    model: options.Model = None,
    models: Annotated[
        str | None,
        typer.Option(
            metavar="STORE",
            rich_help_panel=options.SELECTION,
            help="A folder or an address (s3://bucket/models): use the templates of earlier runs, update them, add those of new sites.",
        ),
    ] = None,
    language: options.Languages = None,
    alone: Annotated[
        bool, typer.Option("--alone", rich_help_panel=options.SELECTION, help="Clean every page by itself; learn no template first.")
    ] = False,
    workers: options.Workers = None,
    limit: options.Limit = None,
    max_error_ratio: options.MaxErrorRatio = 0.5,
    timeout: options.Timeout = None,
    max_bytes: options.MaxBytes = None,
    retries: options.Retries = None,
    url_field: Annotated[str, typer.Option(metavar="NAME", rich_help_panel=LINES, help="Field with the page's address.")] = "url",
    html_field: Annotated[
        str | None,
        typer.Option(
            metavar="NAME",
            rich_help_panel=LINES,
            help="Field with the page. [default: html, content, body, raw_html, or bytes in html_base64]",
        ),
    ] = None,
) -> None:
    """Clean many pages, in parallel; no page can stop the run.

    The output takes its name when the run is over; until then, and after Ctrl-C, it is called OUT.partial. Every page has a line in
    OUT.jsonl, with status ok, empty or failed; pages that failed are also listed in OUT.failures.jsonl, with the reason.

    Saved pages are read twice: tamis learns each site's template from a sample of its pages, then cleans every page with it. A site is a
    folder, or the pages of one host. --timeout bounds fetching a page, and cleaning it again. Fewer than 32 saved pages are cleaned
    without worker processes, and so without a time limit unless --timeout is given.

    Examples:

    - `tamis clean saved/ -o texts.jsonl`
    - `tamis clean site/ --model site.model -o texts.jsonl`
    - `tamis clean 'saved/**/*.html' -o texts/ --format markdown`
    - `tamis clean addresses.txt -o pages.jsonl.gz -j 8 --retries 2`
    - `tamis clean crawl.jsonl.gz --html-field page -o - | head`
    """
    from tamis.cli.output import open_output
    from tamis.corpus.batch import Cleaning
    from tamis.document.render import Rendering
    from tamis.io.pages import Fields
    from tamis.io.sources import count_pages, open_sources

    forms = tuple(dict.fromkeys(each.value for each in form or [Form.TEXT]))
    settings = Cleaning(
        formats=cast("tuple[Format, ...]", tuple(each for each in forms if each != "json")) or ("text",),
        rendering=Rendering(links=links, images=images, tables=tables),
        method=options.method_of(method, threshold, link_density, precision, recall),
        limits=options.limits(timeout, max_bytes, retries),
        languages=tuple(language or ()),
    )
    fields = Fields(url_field, html_field)
    if model is not None and alone:
        raise UsageError("--model applies a template and --alone forbids it: choose one")
    if models is not None and (model is not None or alone):
        raise UsageError("--models learns and applies the templates of all sites: leave out --model and --alone")
    skipped: list[str] = []
    pages = islice(open_sources(sources, fields, skipped), limit or None)
    _refuse_to_feed_on_itself(sources, output, forms)
    target, partial = open_output(output, forms, overwrite)  # before any work: a mistake in the command is known at once
    run = _Run(pages, _with_templates(settings, sources, fields, model, models, alone), output)
    total = count_pages(sources) if sys.stderr.isatty() else None  # for the bar
    total = min(total, limit or total) if total else limit
    run.work(target, partial, workers, timeout and timeout + settings.limits.longest, total, waits="-" in sources)
    if not terminal.VOICE.quiet:
        run.report()
        terminal.say_skipped(skipped)
    raise SystemExit(run.exit_code(max_error_ratio))


def _with_templates(settings: Cleaning, sources: list[str], fields: Fields, model: Path | None, store: str | None, alone: bool) -> Cleaning:
    """The settings with the template that was given, or those learned from the pages at hand."""
    from dataclasses import replace

    if model is not None:
        return replace(settings, model=options.site_model(model))
    if alone or "-" in sources:
        return settings
    from tamis.io.sources import open_sources
    from tamis.site.sites import learn_sites

    if store is not None:
        from tamis.corpus.models import models_of

        found, outcomes = models_of(open_sources(sources, fields), store, ", ".join(sources[:3]), limits=settings.limits)
        for outcome, count in Counter(outcomes.values()).items():
            terminal.say(f"{terminal.counted(count, 'template')} {outcome}")
        return replace(settings, models=found)
    models = learn_sites(open_sources(sources, fields), limits=settings.limits)
    for site, learned in models.items():
        counts = f"{terminal.counted(learned.template.pages, 'page')} in {terminal.counted(len(learned.layouts), 'layout')}"
        terminal.say(f"learned the template of {site} from {counts}")
    return replace(settings, models=models)


def _refuse_to_feed_on_itself(sources: list[str], output: str, forms: tuple[str, ...]) -> None:
    """A folder of HTML within a folder that is being read would be read in turn."""
    if "html" not in forms or output == "-":
        return
    for source in sources:
        if Path(source).is_dir() and Path(output).resolve().is_relative_to(Path(source).resolve()):
            raise UsageError(f"{output} lies in {source}, and pages written there would be cleaned in turn; name a folder elsewhere")


class _Run:
    """One run of the command: pages to records to output, and what became of them."""

    def __init__(self, pages: Iterator[Source], settings: Cleaning, path: str) -> None:
        from tamis.cli.output import Failures

        self._places: deque[PurePosixPath] = deque()
        self._pages = pages
        self._settings = settings
        self._failures = Failures(path)
        self._names_failures = path == "-" or terminal.VOICE.verbose
        self._start = time.monotonic()
        self._status: Counter[str] = Counter()
        self._stages: Counter[str] = Counter()
        self._examples: dict[str, str] = {}
        self._kept = self._seen = 0

    def work(
        self,
        output: AbstractContextManager[Add],
        partial: Path | None,
        workers: int | None,
        page_timeout: float | None,
        total: int | None,
        *,
        waits: bool,
    ) -> None:
        """Clean every page and write what comes of it; what was written stays where something goes wrong.

        ``partial``: what an interrupted run leaves. ``total``: pages, where that is known. ``waits``: whether they may come slowly, from
        standard input.
        """
        from tamis.cli.progress import bars
        from tamis.corpus.batch import FEW, are_few, clean

        if page_timeout is None and not waits:
            first = list(islice(self._pages, FEW))
            workers = 1 if are_few(first) else workers
            self._pages = chain(first, self._pages)
        records = clean(self._noting_places(), self._settings, workers=workers, page_timeout=page_timeout)
        try:
            with output as add, self._failures, bars() as update, closing(records):
                for record in records:
                    add(record, self._places.popleft())
                    self._failures.add(record)
                    self._count(record)
                    update("pages", self._status.total(), total)
        except BaseException:
            if partial is not None and self._status.total():
                terminal.complain(f"stopped after {terminal.counted(self._status.total(), 'page')}; they are in {partial}")
            raise

    def _noting_places(self) -> Iterator[Source]:
        """The pages; where the file of each belongs is noted on the way, since records come back in the same order."""
        for page in self._pages:
            self._places.append(page.place)
            yield page

    def _count(self, record: Record) -> None:
        self._status[record.status] += 1
        self._kept += record.kept
        self._seen += record.seen
        if record.failure is not None:
            self._stages[record.failure.stage] += 1
            self._examples.setdefault(record.failure.stage, record.failure.reason)
            if self._names_failures:
                terminal.say(f"failed: {record.source}: {record.failure.stage}: {record.failure.reason}")

    def report(self) -> None:
        """A table of what became of the pages, on standard error."""
        pages, seconds = self._status.total(), time.monotonic() - self._start
        terminal.table(
            [
                ("pages", pages, f"{pages / max(seconds, 0.001):,.0f} a second, {seconds:.1f} seconds"),
                ("ok", self._status["ok"], ""),
                ("empty", self._status["empty"], ""),
                ("failed", self._status["failed"], f"see {self._failures.path}" if self._failures.written else ""),
                *((f"  {stage}", count, f"such as: {self._examples[stage]}") for stage, count in self._stages.most_common()),
                ("characters kept", self._kept, f"of {self._seen:,} ({self._kept / max(self._seen, 1):.0%})"),
            ]
        )

    def exit_code(self, max_error_ratio: float) -> int:
        """Whether the run is a success."""
        pages = self._status.total()
        if terminal.too_many_failed(self._status["failed"], pages, "page", max_error_ratio):
            return terminal.TOO_MANY_FAILED
        if not self._status["ok"]:
            terminal.complain("nothing was selected from any page" if pages else "there were no pages")
            return terminal.NOTHING
        return 0
