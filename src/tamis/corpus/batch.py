"""Clean many pages: one record for each, whatever happens to single pages.

Worker processes (:mod:`tamis.corpus.workers`) clean the pages, each within a time limit. A page that fails, takes too long or crashes its
process becomes a record with a reason. A few pages are cleaned in this process, which is faster.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Generator, Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from functools import partial
from itertools import chain, islice
from pathlib import Path, PurePosixPath
from typing import Any, Literal, cast

from tamis.content.attenuation import Site
from tamis.corpus.page_steps import FailedPageError, PageStep, characters, check_wanted, document_of, unwanted
from tamis.corpus.workers import in_workers, processors
from tamis.document.chunks import Chunking, rows_of_chunks
from tamis.document.detection import DETECTED, as_columns
from tamis.document.document import FORMATS, Document, Format
from tamis.document.render import Rendering
from tamis.errors import UsageError
from tamis.io.fetch import Limits
from tamis.io.pages import Fields, Source, WebPage
from tamis.io.sources import is_stream, open_sources
from tamis.page.decode import given_encoding
from tamis.site.extraction import DEFAULT, Method, check_model
from tamis.site.sites import site_of

Status = Literal["ok", "empty", "failed"]
Stage = Literal["read", "fetch", "parse", "extract", "filter", "render", "time limit", "crash"]

WORK_SECONDS = 30.0  #: default time limit for one page in a worker process, seconds, on top of what fetching may take
FEW = 32  #: fewer pages, none of them to be fetched, are cleaned in this process: starting workers costs more than they save


@dataclass(frozen=True, slots=True)
class Failure:
    """Stage at which a page failed, and the reason."""

    stage: Stage
    reason: str


@dataclass(frozen=True, slots=True)
class Cleaning:
    """Settings for every page.

    Raises:
        UsageError: there is no such format, encoding or rule, or no format is asked for.
    """

    formats: tuple[Format, ...] = ("text",)
    """Formats of a record; a single name is the same as a tuple of one."""
    rendering: Rendering = Rendering()
    method: Method = DEFAULT
    """Method that finds the main text."""
    limits: Limits = Limits()
    """Bounds on fetching; the size bounds every page, wherever it comes from."""
    model: Site | None = None
    """The template of the site that all pages are of."""
    models: Mapping[str, Site] = field(default_factory=dict)
    """Templates by site (:func:`tamis.site.sites.site_of`), for pages of several."""
    languages: tuple[str, ...] = ()
    """Keep only texts in these languages (ISO 639-1); empty: keep all. Other pages are ``empty``, and their problems say why."""
    detect_language: bool = False
    """Detect the language of the text, and how sure that is, for the rows (extra ``language``); also on where ``languages`` are given."""
    quality: tuple[str, ...] = ()
    """Keep only texts that pass these rules (:data:`tamis.document.quality.RULES`, or ``gopher`` and ``fineweb`` for all of theirs)."""
    filters: tuple[str, ...] = ()
    """Keep only documents that these functions keep, by name: ``my_filters:long_enough`` (:data:`tamis.corpus.page_steps.Filter`)."""
    comments: bool = False
    """Keep visitors' comments in the text; records also list them, and the posts of forum threads."""
    chunks: int | Chunking | None = None
    """Split the text into chunks (:class:`tamis.Chunking`, or a number: at most this many words each); None or 0: no chunks."""
    encoding: str | None = None
    """The encoding of all pages that come as bytes; None: detected."""

    def __post_init__(self) -> None:
        formats: Any = self.formats
        object.__setattr__(self, "formats", (formats,) if isinstance(formats, str) else tuple(formats))
        if not self.formats or set(self.formats) - set(FORMATS):
            raise UsageError(f"formats are some of {', '.join(FORMATS)}, not {', '.join(self.formats) or 'none'}")
        check_model(self.model)
        check_wanted(self.languages, self.quality, self.filters, detected=self.detect_language)
        given_encoding(self.encoding)
        chunking = (Chunking(self.chunks) if self.chunks else None) if isinstance(self.chunks, int) else self.chunks
        if chunking is not None:
            chunking.counter()  # a missing extra is known at once
        object.__setattr__(self, "chunks", chunking)

    @property
    def parts(self) -> tuple[str, ...]:
        """The lists that a record holds besides the formats."""
        return ("chunks",) * (self.chunks is not None) + ("comments", "posts") * self.comments

    @property
    def detected(self) -> tuple[str, ...]:
        """The names of what a record says of its language."""
        return DETECTED * (self.detect_language or bool(self.languages))


@dataclass(frozen=True, slots=True)
class Record:
    """The result of cleaning one page."""

    source: str  #: path, address, or file and line
    url: str | None  #: the page's address after redirects, if it is known
    status: Status  #: ``ok``; ``empty``: nothing was selected; ``failed``: see :attr:`failure`
    content: dict[str, str | None] = field(default_factory=dict)  #: the main text by format; None if the page failed
    metadata: dict[str, Any] | None = None  #: all that the page states (:class:`tamis.document.metadata.Metadata`), by name
    problems: tuple[str, ...] = ()
    encoding: dict[str, str] | None = None  #: name of the encoding and what decided; None if the page came as text
    failure: Failure | None = None
    parts: dict[str, list[dict[str, Any]]] = field(default_factory=dict)  #: ``chunks``, ``comments`` and ``posts``, if they are asked for
    detected: dict[str, str | float | None] = field(default_factory=dict)
    """``detected_language`` and ``language_confidence``, if they are asked for."""
    fields: dict[str, Any] | None = None  #: what was kept of the JSON line or row (:attr:`tamis.io.pages.Fields.keep`)
    kept: int = 0  #: characters of the selected text, without white space around text nodes
    seen: int = 0  #: characters of text on the page
    place: PurePosixPath = PurePosixPath()  #: a relative path for files made of the page (:attr:`tamis.io.pages.Source.place`)

    @property
    def text(self) -> str | None:
        """The main text as plain text, if it was asked for."""
        return self.content.get("text")

    @property
    def markdown(self) -> str | None:
        """The main text as Markdown, if it was asked for."""
        return self.content.get("markdown")

    @property
    def html(self) -> str | None:
        """The main text as HTML, if it was asked for."""
        return self.content.get("html")

    @property
    def title(self) -> str | None:
        """The title that the page states."""
        return (self.metadata or {}).get("title")

    @property
    def author(self) -> str | None:
        """The author that the page states; several are joined by ``"; "``."""
        return (self.metadata or {}).get("author")

    @property
    def date(self) -> str | None:
        """The date of publication that the page states, ISO 8601."""
        return (self.metadata or {}).get("date")

    def to_dict(self) -> dict[str, Any]:
        """Return a record as it is written: source, url, status, formats, parts and language on request, metadata, problems, encoding."""
        about: dict[str, Any] = {"source": self.source, "url": self.url, "status": self.status}
        about |= {} if self.fields is None else {"fields": self.fields}
        ends = {"metadata": self.metadata, "problems": list(self.problems), "encoding": self.encoding}
        return {**about, **self.content, **self.parts, **self.detected, **ends}


class ChunkRows:
    """Make a row for each chunk of a record (:func:`chunk_rows`), with an id that no other chunk of the run has."""

    def __init__(self) -> None:
        self._seen: Counter[str] = Counter()

    def __call__(self, record: Record) -> Iterator[dict[str, Any]]:
        """The rows of a record."""
        found = record.parts.get("chunks", ())
        more = {**record.detected, **({} if record.fields is None else {"fields": record.fields})}
        place = record.url or record.source
        self._seen[place] += bool(found)
        again = f"~{self._seen[place]}" if self._seen[place] > 1 else ""
        return ({**row, **more} for row in rows_of_chunks(record.source, record.url, record.metadata or {}, found, again))


def chunk_rows(records: Iterable[Record]) -> Iterator[dict[str, Any]]:
    """Yield a row for each chunk of records that were cleaned with ``chunks``, as vector stores read them.

    A row has the columns :data:`tamis.document.chunks.OF_CHUNKS`: ``number`` is that of the chunk on its page. Pages without a text have no
    row.

    >>> from tamis.io.pages import HeldPage
    >>> page = HeldPage("one", "<title>Tides</title><article><p>High water comes twice a day.<p>Low water, too.</article>")
    >>> [(row["id"], row["headings"], row["text"]) for row in chunk_rows(clean(page, chunks=6, workers=1))]
    [('one#0', ['Tides'], 'High water comes twice a day.'), ('one#1', ['Tides'], 'Low water, too.')]
    """
    rows = ChunkRows()
    return (row for record in records for row in rows(record))


def clean(
    sources: str | Path | Source | Iterable[str | Path | Source],
    settings: Cleaning = Cleaning(),
    *,
    workers: int | None = None,
    page_timeout: float | None = None,
    ordered: bool = True,
    fields: Fields = Fields(),
    **options: Any,
) -> Generator[Record, None, None]:
    """Clean many pages: ``tamis.clean("saved/", formats="markdown", model=model)``.

    Args:
        sources: files, folders, patterns, addresses, lists, JSON lines as on the command line (:mod:`tamis.io.sources`), or pages
            (:mod:`tamis.io.pages`), one or many. They are read as needed, so a generator may be endless.
        settings: for every page.
        workers: maximum processes; None: one for each processor. With 1, and for fewer than :data:`FEW` pages, this process does the work,
            unless pages have to be fetched or ``page_timeout`` is set.
        page_timeout: seconds for one page; None: 30 and what fetching may take (60 by default) in worker processes, no limit in this
            process. A limit with ``workers=1`` makes one worker process.
        ordered: whether records come in the order of the sources.
        fields: names in JSON lines.
        options: fields of :class:`Cleaning`, which override ``settings``.

    Returns:
        One record for each page; the same for any number of workers. Closing the generator ends the workers.

    Raises:
        SourceError: a source does not exist or has no pages (for a list of sources: at once).
        UsageError: a number is out of its range.

    >>> from tamis.io.pages import HeldPage
    >>> page = HeldPage("one", "<nav><a href=/>Home</a></nav><article><p>A page has a text.<p>This one has two paragraphs.</article>")
    >>> [(record.source, record.status, record.text) for record in clean(page, workers=1)]
    [('one', 'ok', 'A page has a text.\\nThis one has two paragraphs.')]
    """
    if workers is not None and workers < 1:
        raise UsageError(f"workers must be 1 or more, not {workers}")
    if page_timeout is not None and not page_timeout > 0:
        raise UsageError(f"page_timeout must be above 0 seconds, not {page_timeout}")
    if options:
        settings = replace(settings, **options)
    pages = _pages_of_sources(sources, fields)
    work = partial(clean_page, settings=settings)
    workers = workers if workers is not None else processors()
    if page_timeout is None:
        if workers == 1:
            return (work(page) for page in pages)
        first = list(islice(pages, FEW)) if _are_at_hand(sources) else []
        if 0 < len(first) < FEW and not any(isinstance(page, WebPage) for page in first):
            return (work(page) for page in first)
        pages = chain(first, pages)
    limit = page_timeout if page_timeout is not None else WORK_SECONDS + settings.limits.longest
    return in_workers(work, pages, partial(lost_page, settings=settings), workers=workers, time_limit=limit, ordered=ordered)


def _are_at_hand(sources: object) -> bool:
    words = sources if isinstance(sources, (list, tuple)) else [sources]
    return all(isinstance(word, Source) or (isinstance(word, (str, Path)) and not is_stream(word)) for word in words)


def clean_page(source: Source, settings: Cleaning = Cleaning()) -> Record:
    """Clean one page. Never raises: errors are in the record."""
    url, kept = source.url, None
    try:
        with PageStep("fetch" if isinstance(source, WebPage) else "read"):
            served = source.read(settings.limits)
        url, kept = served.url or url, None if served.fields is None else dict(served.fields)
        with PageStep("extract", "select"):
            model = settings.model or settings.models.get(site_of(source))
        document = document_of(served, model, method=settings.method, comments=settings.comments, encoding=settings.encoding)
        with PageStep("filter"):
            left_out = unwanted(document, settings.languages, settings.quality, settings.filters)
        with PageStep("render"):
            return replace(_record_of(source, document, settings, left_out), fields=kept)
    except FailedPageError as failure:
        return replace(_failed(source, url, Failure(cast("Stage", failure.stage), failure.reason), settings), fields=kept)


def lost_page(source: Source, loss: Any, settings: Cleaning = Cleaning()) -> Record:
    """Return the record of a page that was lost with its worker (:class:`tamis.corpus.workers.Loss`)."""
    return _failed(source, source.url, Failure(loss.kind, loss.reason), settings)


def _record_of(source: Source, document: Document, settings: Cleaning, left_out: tuple[str, str] | None) -> Record:
    """Return the record of a document. ``left_out``: where and why it is not wanted."""
    encoding, (kept, seen) = document.encoding, characters(document)
    kept = kept if left_out is None else 0
    return Record(
        source=source.name,
        url=document.url,
        status="ok" if kept else "empty",
        content={form: document.render(form, settings.rendering) if left_out is None else None for form in settings.formats},
        parts=_lists_of(document, settings, wanted=left_out is None),
        detected=as_columns(document.detected_language) if settings.detected else {},
        metadata=document.metadata.to_dict(),
        problems=(*document.problems, *([left_out[1]] if left_out is not None else [])),
        encoding={"name": encoding.name, "source": encoding.source} if encoding else None,
        kept=kept,
        seen=seen,
        place=source.place,
    )


def _lists_of(document: Document, settings: Cleaning, *, wanted: bool) -> dict[str, list[dict[str, Any]]]:
    """Chunks, comments and posts, as far as they are asked for; empty where the text is not wanted."""
    found: dict[str, Callable[[], Iterable[Any]]] = {
        "chunks": lambda: document.chunks(settings.chunks or Chunking(), rendering=settings.rendering),
        "comments": lambda: document.comments,
        "posts": lambda: document.posts,
    }
    return {name: [each.to_dict() for each in found[name]()] if wanted else [] for name in settings.parts}


def _failed(source: Source, url: str | None, failure: Failure, settings: Cleaning) -> Record:
    return Record(
        source=source.name,
        url=url,
        status="failed",
        content=dict.fromkeys(settings.formats, None),
        parts={name: [] for name in settings.parts},
        detected=dict.fromkeys(settings.detected),
        problems=(f"{failure.stage}: {failure.reason}",),
        failure=failure,
        place=source.place,
    )


def _pages_of_sources(sources: str | Path | Source | Iterable[str | Path | Source], fields: Fields) -> Iterator[Source]:
    """Yield every source as pages. Words in a list are checked at once; a generator is taken as it comes."""
    if isinstance(sources, (str, Path, Source)):
        sources = [sources]
    if isinstance(sources, (list, tuple)):
        opened = [_opened(source, fields) for source in sources]
        return (page for pages in opened for page in pages)
    return (page for source in sources for page in _opened(source, fields))


def _opened(source: str | Path | Source, fields: Fields) -> Iterator[Source]:
    if isinstance(source, Source):
        return iter([source])
    if isinstance(source, (str, Path)):
        return open_sources([source], fields)
    raise UsageError(f"a source is a path, an address or a page of tamis.io.pages, not {type(source).__name__}")
