"""Options that several commands share: one spelling, one help, one default each. None leaves the default to the library."""

from __future__ import annotations

import os
import re
from collections.abc import Collection, Mapping, Sequence
from dataclasses import asdict, dataclass, fields
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal, TypeVar

from typer import BadParameter, Option

import tamis
from tamis.cli.lazy import OptionGroup
from tamis.document.document import ENDINGS, FORMATS, Format
from tamis.errors import UsageError
from tamis.io.files import is_web
from tamis.io.writing import check_outputs

if TYPE_CHECKING:
    from tamis.content.attenuation import Site
    from tamis.site.extraction import Method

RUNNING = "How it runs"
FETCHING = "Fetching"
WHICH = "Which pages"
ROWS = "JSON lines and Parquet"
_Form = TypeVar("_Form", bound=str)
_UNITS = {"": 1, "k": 1_000, "m": 1_000_000, "g": 1_000_000_000}


def size(text: str) -> int:
    """Return bytes, with or without a unit.

    >>> size("500"), size("1.5 MB"), size("64k")
    (500, 1500000, 64000)
    """
    match = re.fullmatch(r"(\d+(?:\.\d+)?)\s*([kmg]?)b?", text.strip().lower())
    if match is None:
        raise BadParameter(f"{text!r} is not a size; write bytes, or 500k, 20M, 1G")
    return int(float(match[1]) * _UNITS[match[2]])


def file(name: str) -> Path | None:
    """Return a file to write; None, which is standard output, for ``-``."""
    if name.endswith(("/", os.sep)) or Path(name).is_dir():
        raise BadParameter(f"{name} is a folder; name a file")
    return None if name == "-" else Path(name)


Output = Annotated[
    Path | None, Option("--output", "-o", metavar="FILE", parser=file, help="Write to this file. [default: standard output]")
]
BY_ENDING = {ending: form for form, ending in ENDINGS.items()}  #: Formats by how the names of their files end.
_FORMATS = ", ".join(FORMATS[:-1]) + f" or {FORMATS[-1]}"
_FORMAT = f"{_FORMATS}. [default: by the name of FILE; else text]"
PageFormat = Annotated[Format | None, Option("--format", "-f", metavar="FORMAT", help=_FORMAT)]
_SEVERAL = f"{_FORMATS}. May be repeated. [default: text]"
if TYPE_CHECKING:
    _Choice = str
else:
    _Choice = StrEnum("_Choice", {form: form for form in FORMATS})  # Typer takes no list of a Literal
Formats = Annotated[list[_Choice] | None, Option("--format", "-f", metavar="FORMAT", help=_SEVERAL)]
Overwrite = Annotated[bool, Option("--overwrite", help="Overwrite existing output files.")]
Json = Annotated[bool, Option("--json", help="Print the result as JSON; where it goes to files, a summary: counts, seconds, files.")]
_LIMIT = "Maximum number of pages; 0: all. [default: all]"
Limit = Annotated[int | None, Option("--limit", "-n", metavar="N", min=0, rich_help_panel=RUNNING, help=_LIMIT)]
_WORKERS = "Maximum number of worker processes. [default: one for each processor]"
Workers = Annotated[int | None, Option("--workers", "-j", metavar="N", min=1, rich_help_panel=RUNNING, help=_WORKERS)]
_ERRORS = "End with code 4 if a greater share of the input fails."
MaxErrorRatio = Annotated[float, Option(metavar="SHARE", min=0, max=1, rich_help_panel=RUNNING, help=_ERRORS)]


def _address(value: str | None) -> str | None:
    if value is not None and not is_web(value):
        raise BadParameter(f"{value} is not an address: it begins with http:// or https://")
    return value


_INCLUDE = "Only pages whose path matches PATTERN, for example '/news/*'. May be repeated."
Include = Annotated[list[str] | None, Option("--include", metavar="PATTERN", rich_help_panel=WHICH, help=_INCLUDE)]
_EXCLUDE = "Skip pages whose path matches PATTERN, for example '/tag/*'. May be repeated."
Exclude = Annotated[list[str] | None, Option("--exclude", metavar="PATTERN", rich_help_panel=WHICH, help=_EXCLUDE)]
_URL_FIELD = "Field or column with the page's address. [default: url]"
UrlField = Annotated[str | None, Option("--url-field", metavar="NAME", rich_help_panel=ROWS, help=_URL_FIELD)]
_HTML_FIELD = "Field or column with the page. [default: html, content, body, raw_html, or bytes in html_base64]"
HtmlField = Annotated[str | None, Option("--html-field", metavar="NAME", rich_help_panel=ROWS, help=_HTML_FIELD)]
_URL = "Address of a saved page: relative links are resolved against it."
Url = Annotated[str | None, Option("--url", metavar="URL", callback=_address, help=_URL)]
_TIMEOUT = "Maximum time to fetch, render or clean one page. [default: 30]"
Timeout = Annotated[float | None, Option("--timeout", metavar="SECONDS", min=0.1, rich_help_panel=FETCHING, help=_TIMEOUT)]
_MAX_BYTES = "Maximum size of a page, unpacked: 500k, 20M. [default: 20M]"
MaxBytes = Annotated[int | None, Option(metavar="SIZE", parser=size, rich_help_panel=FETCHING, help=_MAX_BYTES)]
_PRIVATE = "Also connect to private networks and this machine."
AllowPrivate = Annotated[bool, Option("--allow-private", rich_help_panel=FETCHING, help=_PRIVATE)]
_BOUND = "Set a limit that has no option of its own. May be repeated; NAME= lists the names."
Bounds = Annotated[list[str] | None, Option("--set", metavar="NAME=VALUE", rich_help_panel=RUNNING, help=_BOUND)]
_LANGUAGE = "Keep only texts in this language (de, en, ...). May be repeated."
Languages = Annotated[list[str] | None, Option("--language", metavar="CODE", rich_help_panel="What is selected", help=_LANGUAGE)]
_DETECT = "Add the language that is detected from the text, and its confidence, to the rows. [default: only with --language]"
DetectLanguage = Annotated[bool, Option("--detect-language", show_default=False, help=_DETECT)]
Encoding = Annotated[str | None, Option("--encoding", metavar="NAME", help="Encoding of the pages, instead of the detected one.")]
_QUALITY = "Keep only texts that pass these rules: gopher, fineweb, or a single one such as gopher-words. May be repeated."
Rules = Annotated[list[str] | None, Option("--quality", metavar="RULES", rich_help_panel="What is selected", help=_QUALITY)]
_FILTERS = "Keep only documents that this function keeps: my_filters:long_enough. It gets a tamis.Document. May be repeated."
Filters = Annotated[list[str] | None, Option("--filter", metavar="MODULE:FUNCTION", rich_help_panel="What is selected", help=_FILTERS)]


@dataclass(frozen=True, slots=True)
class Target(OptionGroup):
    """The file that a command writes, instead of standard output; it must not exist without ``--overwrite``."""

    output: Output = None
    overwrite: Overwrite = False

    def __post_init__(self) -> None:
        check_outputs(self.output, overwrite=self.overwrite)


@dataclass(frozen=True, slots=True)
class SelectionOptions(OptionGroup):
    """Options that select the text of a page.

    What is selected:
        method: Method: the trained node model, information attenuation, the site's style tree, or the five papers together.
            [default: model; attenuation if one of its settings is given]
        threshold: Attenuation: end the descent where the best child lacks more than this share of the text. [default: 0.34]
        link_density: Attenuation: drop blocks with a greater share of link text. [default: 0.65]
        precision: Node model: less noise, at the cost of some text.
        recall: Node model: less text missed, at the cost of some noise.
        model: Apply the template of this site (a folder from tamis learn).
    """

    method: Literal["attenuation", "model", "papers", "style-tree"] | None = None
    threshold: Annotated[float | None, Option(metavar="T", min=0, max=1)] = None
    link_density: Annotated[float | None, Option(metavar="DL", min=0, max=1)] = None
    precision: bool = False
    recall: bool = False
    model: Annotated[Path | None, Option(metavar="MODEL")] = None

    def settings(self) -> Method:
        """Return settings of the main-text method, if the options do not contradict each other."""
        given = values_of(threshold=self.threshold, link_density=self.link_density)
        if self.precision and self.recall:
            raise UsageError("--precision and --recall exclude each other")
        if (self.precision or self.recall) and (given or self.method not in (None, "model")):
            raise UsageError(f"--precision and --recall are options of the node model, not of {self.method or 'attenuation'}")
        if given and self.method not in (None, "attenuation"):
            raise UsageError(f"--threshold and --link-density are options of attenuation, not of the method {self.method}")
        if self.method in ("papers", "style-tree"):
            return self.method
        if given or self.method == "attenuation":
            return tamis.Attenuation(**given)
        return tamis.NodeModel.precision() if self.precision else tamis.NodeModel.recall() if self.recall else tamis.NodeModel()

    def site_model(self) -> Site | None:
        """Return the saved model of a site, without the evidence that only learning needs."""
        from tamis.papers.method import load_site

        return load_site(self.model).without_evidence() if self.model is not None else None


@dataclass(frozen=True, slots=True)
class Fetching(OptionGroup):
    """Limits on fetching.

    Fetching:
        retries: Retries after a temporary failure (no connection, 429, 502, 503, 504). [default: 0]
    """

    timeout: Timeout = None
    max_bytes: MaxBytes = None
    retries: Annotated[int | None, Option(metavar="N", min=0)] = None
    bounds: Bounds = None

    def limits(self) -> tamis.Limits:
        """Return the limits from these options."""
        seconds = self.timeout
        parts = {} if seconds is None else {"total": seconds, "read": seconds, "connect": min(tamis.Limits().connect, seconds)}
        parts |= values_of(max_bytes=self.max_bytes, retries=self.retries)
        return tamis.Limits(**parts | bounds_of(tamis.Limits, self.bounds, "total", "max_bytes", "retries"))


@dataclass(frozen=True, slots=True)
class Reach(OptionGroup):
    """Options for the addresses of a site to visit, and for politeness.

    What is crawled:
        scope: Stay below the folder of the start page, on its host, or on its host and the hosts below it.
        sitemaps: Read the site's sitemaps.

    Politeness:
        robots: Obey robots.txt.
        delay: Time between the starts of two requests. [default: the response time of the host, at least 0.25]
    """

    scope: Literal["path", "host", "domain"] = "host"
    include: Include = None
    exclude: Exclude = None
    sitemaps: bool = True
    robots: Annotated[bool, Option("--robots/--ignore-robots")] = True
    delay: Annotated[float | None, Option(metavar="SECONDS", min=0)] = None
    allow_private: AllowPrivate = False

    def settings(self) -> dict[str, Any]:
        """Return settings of a crawl."""
        return asdict(self) | {"include": tuple(self.include or ()), "exclude": tuple(self.exclude or ())}


@dataclass(frozen=True, slots=True)
class ShownOptions(tamis.Rendering, OptionGroup):
    """Options for the content of text, Markdown and HTML: those of a rendering.

    What is shown:
        links: Link targets, in Markdown and HTML.
        images: Images, in Markdown and HTML.
        tables: Tables as tables; otherwise each cell is a paragraph.
        title: Put the page's title first.
        front_matter: Begin Markdown with YAML: title, author, date, address, site and language.
    """

    def rendering(self, forms: Collection[str]) -> tamis.Rendering:
        """Return the settings of a rendering in some formats.

        Raises:
            UsageError: front matter is wanted without Markdown.
        """
        if self.front_matter and "markdown" not in forms:
            raise UsageError("--front-matter is for --format markdown")
        return tamis.Rendering(**asdict(self))


@dataclass(frozen=True, slots=True)
class Chunks(OptionGroup):
    """Chunks for retrieval.

    Chunks for retrieval:
        chunks: Split the text along headings into chunks of at most N words.
        count: Count words, characters, or the tokens of an encoding or model: tiktoken:cl100k_base. [default: words]
        overlap: Repeat at most N words (characters, tokens) of the end of a chunk in the next one. [default: 0]
        chunk_headings: Begin each chunk with its headings.
    """

    chunks: Annotated[int | None, Option("--chunks", metavar="N", min=1)] = None
    count: Annotated[str | None, Option(metavar="UNIT")] = None
    overlap: Annotated[int | None, Option(metavar="N", min=0)] = None
    chunk_headings: bool = False

    def settings(self) -> tamis.Chunking | None:
        """Return the settings for chunks; None without chunks."""
        given = values_of(count=self.count, overlap=self.overlap)
        if self.chunks is None:
            if given or self.chunk_headings:
                raise UsageError("--count, --overlap and --chunk-headings need the size of the chunks: --chunks N")
            return None
        return tamis.Chunking(self.chunks, headings=self.chunk_headings, **given)


def by_name(form: _Form | None, output: Path | None, endings: Mapping[str, _Form], *, as_json: bool = False, **short: bool) -> _Form | None:
    """Return the format of a file: the one that is asked for (also by ``--json`` or another short option), else the one
    that its name ends like.

    Raises:
        UsageError: the name ends like another format (``.txt`` may hold any), or like none, and no format is asked for.
    """
    for name in (name for name, given in {**short, "json": as_json}.items() if given):
        if form not in (None, name):
            raise UsageError(f"--{name} contradicts --format {form}")
        form = next(each for each in endings.values() if each == name)
    ending = output.suffix.lower() if output is not None else ""
    named = endings.get(ending)
    if output is not None and ending and form is named is None:
        raise UsageError(f"unknown format of {output.name}: name it {', '.join(endings)}, or use --format")
    if form is not None and named not in (None, form) and ending != ".txt":
        wanted = next(ending for ending, each in endings.items() if each == form)
        raise UsageError(f"{output} is a name for {named}, not for --format {form}: name it {wanted}, or leave out --format")
    return form or named


def values_of(**options: Any) -> dict[str, Any]:
    """Return the options that were given."""
    return {name: value for name, value in options.items() if value is not None}


def bounds_of(kind: type, given: Sequence[str] | None, *others: str) -> dict[str, Any]:
    """Return the numbers given as ``NAME=VALUE``, for a class of settings.

    Args:
        kind: the class, a dataclass.
        given: values of ``--set``.
        others: settings that options of their own set.

    Raises:
        UsageError: the settings have no number of this name, or the value is not a number.

    >>> bounds_of(tamis.Limits, ["connect=2.5", "redirects=3"])
    {'connect': 2.5, 'redirects': 3}
    """
    kinds: dict[str, Any] = {
        each.name: type(each.default) for each in fields(kind) if type(each.default) in (int, float) and each.name not in others
    }
    found = {}
    for name, _, value in (each.partition("=") for each in given or ()):
        try:
            found[name] = kinds[name](value)
        except (KeyError, ValueError) as error:
            raise UsageError(f"--set {name}={value}: write a name and a number; names: {', '.join(sorted(kinds))}") from error
    return found
