"""``tamis clean``: the main text of many pages."""

from __future__ import annotations

import time
from collections import Counter, deque
from collections.abc import Iterator
from contextlib import closing, nullcontext
from dataclasses import dataclass, field
from itertools import chain, islice
from pathlib import Path, PurePosixPath
from typing import TYPE_CHECKING, Annotated, Any, cast

import typer

from tamis.cli import options, terminal
from tamis.cli.page import Form
from tamis.errors import UsageError

if TYPE_CHECKING:
    from contextlib import AbstractContextManager

    from rich.progress import Progress

    from tamis.cli.output import Output
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
    form: Annotated[
        list[Form] | None, typer.Option("--format", "-f", help="What is written; may be repeated. [default: text]", show_default=False)
    ] = None,
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
        bool,
        typer.Option("--alone", rich_help_panel=options.SELECTION, help="Clean every page by itself; learn no template first."),
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
            show_default=False,
        ),
    ] = None,
    verbose: options.Verbose = False,
    quiet: options.Quiet = False,
) -> None:
    """Clean many pages, in parallel; no page can stop the run.

    The output takes its name when the run is over; until then, and after Ctrl-C, it is called OUT.partial. Every page has a line in
    OUT.jsonl, with status ok, empty or failed; pages that failed are also listed in OUT.failures.jsonl, with the reason.

    Saved pages are read twice: tamis learns each site's template from a sample of its pages, then cleans every page with it. A site is a
    folder, or the pages of one host. --timeout bounds fetching a page, and cleaning it again.

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
    from tamis.io.sources import open_sources

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
    target = open_output(output, forms, overwrite)  # before any work: a mistake in the command is known at once
    run = _Run(pages, _with_templates(settings, sources, fields, model, models, alone), target, output, waits="-" in sources)
    with run.progress(sources, limit):
        run.work(workers, timeout and timeout + settings.limits.longest)
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


@dataclass
class _Tally:
    """What became of the pages."""

    status: Counter[str] = field(default_factory=Counter)
    stages: Counter[str] = field(default_factory=Counter)
    examples: dict[str, str] = field(default_factory=dict)
    kept: int = 0
    seen: int = 0

    @property
    def pages(self) -> int:
        return self.status.total()

    def count(self, record: Record) -> None:
        self.status[record.status] += 1
        self.kept += record.kept
        self.seen += record.seen
        if record.failure is not None:
            self.stages[record.failure.stage] += 1
            self.examples.setdefault(record.failure.stage, record.failure.reason)


class _Run:
    """One run of the command: pages to records to output."""

    def __init__(self, pages: Iterator[Source], settings: Cleaning, output: Output, path: str, *, waits: bool) -> None:
        from tamis.cli.output import Failures

        self._places: deque[PurePosixPath] = deque()
        self._pages = pages
        self._waits = waits
        """Whether pages may come slowly, from standard input."""
        self._settings = settings
        self._output = output
        self._path = path
        self._failures = Failures(path)
        self._tally = _Tally()
        self._start = time.monotonic()
        self._bar: Progress | None = None

    def progress(self, sources: list[str], limit: int | None) -> AbstractContextManager[Any]:
        """A bar with rate and time left, on a terminal."""
        from rich.console import Console

        console = Console(stderr=True)
        if terminal.VOICE.quiet or not console.is_terminal:
            return nullcontext()
        from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn, TimeRemainingColumn

        from tamis.io.sources import count_pages

        rate = TextColumn("{task.fields[rate]}")
        columns = (TextColumn("pages"), BarColumn(), MofNCompleteColumn(), rate, TimeElapsedColumn(), TimeRemainingColumn())
        total = count_pages(sources)
        self._bar = Progress(*columns, console=console, transient=True)
        self._bar.add_task("pages", total=min(total, limit or total) if total is not None else limit, rate="")
        return self._bar

    def work(self, workers: int | None, page_timeout: float | None) -> None:
        """Clean every page and write what comes of it; what was written stays where something goes wrong."""
        from tamis.corpus.batch import FEW, are_few, clean

        if page_timeout is None and not self._waits:
            first = list(islice(self._pages, FEW))
            workers = 1 if are_few(first) else workers
            self._pages = chain(first, self._pages)
        try:
            self._output.start()
            with closing(clean(self._noting_places(), self._settings, workers=workers, page_timeout=page_timeout)) as records:
                for record in records:
                    self._output.add(record, self._places.popleft())
                    self._failures.add(record)
                    self._tally.count(record)
                    self._tell(record)
            self._output.finish()
            self._failures.finish()
        except BaseException:
            self._output.close()
            self._failures.close()
            if self._output.partial is not None and self._tally.pages:
                terminal.complain(f"stopped after {self._tally.pages:,} pages; they are in {self._output.partial}")
            raise

    def _noting_places(self) -> Iterator[Source]:
        """The pages; where the file of each belongs is noted on the way, since records come back in the same order."""
        for page in self._pages:
            self._places.append(page.place)
            yield page

    def _tell(self, record: Record) -> None:
        if self._bar is not None:
            pages = self._tally.pages
            self._bar.update(self._bar.task_ids[0], advance=1, rate=f"{pages / (time.monotonic() - self._start):,.0f}/s")
        if record.failure is not None and (terminal.VOICE.verbose or self._path == "-"):
            terminal.say(f"failed: {record.source}: {record.failure.stage}: {record.failure.reason}")

    def report(self) -> None:
        """A table of what became of the pages, on standard error."""
        from rich.console import Console
        from rich.table import Table

        tally = self._tally
        seconds = time.monotonic() - self._start
        table = Table(box=None, show_header=False, pad_edge=False)
        table.add_column(no_wrap=True)
        table.add_column(justify="right", no_wrap=True)
        table.add_column(overflow="fold")
        table.add_row("pages", f"{tally.pages:,}", f"{tally.pages / max(seconds, 0.001):,.0f} a second, {seconds:.1f} seconds")
        table.add_row("ok", f"{tally.status['ok']:,}")
        table.add_row("empty", f"{tally.status['empty']:,}")
        table.add_row("failed", f"{tally.status['failed']:,}", f"see {self._failures.path}" if self._failures.written else "")
        for stage, count in tally.stages.most_common():
            table.add_row(f"  {stage}", f"{count:,}", f"such as: {terminal.harmless(tally.examples[stage])}")
        table.add_row("characters kept", f"{tally.kept:,}", f"of {tally.seen:,} ({tally.kept / max(tally.seen, 1):.0%})")
        Console(stderr=True, highlight=False, markup=False).print(table)

    def exit_code(self, max_error_ratio: float) -> int:
        """Whether the run is a success."""
        tally = self._tally
        if tally.status["failed"] > max_error_ratio * tally.pages:
            terminal.complain(
                f"{tally.status['failed']:,} of {terminal.counted(tally.pages, 'page')} failed, more than --max-error-ratio allows"
            )
            return terminal.TOO_MANY_FAILED
        if not tally.status["ok"]:
            terminal.complain("nothing was selected from any page" if tally.pages else "there were no pages")
            return terminal.NOTHING
        return 0
