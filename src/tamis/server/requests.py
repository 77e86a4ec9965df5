"""The request models, with examples: the source of the OpenAPI description."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Annotated, Any, ClassVar, Literal, Self, TypeVar

from pydantic import BaseModel, ConfigDict, Field, model_validator

from tamis.corpus import config
from tamis.document.document import FORMATS, Format
from tamis.io.addresses import Patterns

PAGE = "<body><nav><a href=/>Home</a></nav><article><h1>Reeds</h1><p>Reeds grow where the water is calm.</p></article></body>"
MethodName = Literal["model", "attenuation", "template", "same-layer", "style-tree", "papers"]
Selector = Annotated[str, Field(min_length=1, max_length=2_000)]
SiteName = Annotated[str, Field(pattern="^[a-z0-9][a-z0-9._-]{0,63}$", description="Lower-case letters, digits, '.', '_', '-'.")]
PageId = Annotated[str, Field(pattern="^[0-9a-f]{16}$")]
Address = Annotated[str, Field(max_length=8_000)]
Formats = Annotated[list[Format], Field(min_length=1, max_length=len(FORMATS))]


def _example(**values: Any) -> ConfigDict:
    return ConfigDict(json_schema_extra={"examples": [values]})


class _Strict(BaseModel):
    """An object without unknown fields, which are one mistake however many they are."""

    model_config = ConfigDict(extra="forbid")
    _either: ClassVar[tuple[str, ...]] = ()  #: Fields; one of them is given.

    @model_validator(mode="before")
    @classmethod
    def _known(cls, given: Any) -> Any:
        for name in given if isinstance(given, dict) else ():
            if name not in cls.model_fields:
                raise ValueError(f"there is no field {name[:100]!r}; the fields are {', '.join(cls.model_fields)}")
        return given

    @model_validator(mode="after")
    def _one(self) -> Self:
        if self._either and sum(getattr(self, name) is not None for name in self._either) != 1:
            raise ValueError(f"give {' or '.join(self._either)}")
        return self


class PageRequest(_Strict):
    """A page: its HTML, an address to fetch, or a page of a site."""

    model_config = _example(html=PAGE)
    html: str | None = None
    url: Address | None = Field(default=None, description="Fetched where html is missing; else what relative links are resolved against.")
    site: SiteName | None = Field(default=None, description="The site whose template and rules apply.")
    page: PageId | None = Field(default=None, description="A page of that site, in place of html.")

    @model_validator(mode="after")
    def _one_page(self) -> PageRequest:
        if self.page is not None and (self.site is None or self.html is not None):
            raise ValueError("page needs site, and replaces html")
        if self.page is None and self.html is None and self.url is None:
            raise ValueError("give html, url, or site and page")
        return self


AnyPage = TypeVar("AnyPage", bound=PageRequest)


class _Shown(_Strict):
    """Options for cleaning a page, and for its output."""

    formats: Formats = ["text"]
    method: MethodName = "model"
    comments: bool = Field(default=False, description="Keep visitors' comments; give them, and the posts of a thread, one by one.")
    browser: bool = Field(default=False, description="Render the page in Chromium first. The service must be started with --browser.")
    chunks: int = Field(default=0, ge=0, le=100_000, description="Split the text into chunks of at most this many words; 0: no chunks.")
    links: bool = True
    images: bool = True
    tables: bool = True
    title: bool = Field(default=False, description="Put the page's title first.")
    front_matter: bool = Field(default=False, description="Begin Markdown with YAML: title, author, date, address, site and language.")


class ExtractRequest(_Shown, PageRequest):
    """Main text of a page."""

    model_config = _example(html=PAGE, formats=["text", "markdown"], blocks=True)
    blocks: bool = Field(default=False, description="Give every line of the page, kept or dropped, with the reason.")
    view: bool = Field(default=False, description="Give the page as sanitised HTML whose texts name their blocks, for a sandboxed frame.")


class BatchRequest(_Shown):
    """Pages to extract the main text of, all in the same way."""

    model_config = _example(pages=[{"html": PAGE}, {"url": "https://example.org/"}], formats=["markdown"])
    pages: list[PageRequest] = Field(min_length=1, max_length=1_000)

    def each(self) -> Iterator[ExtractRequest]:
        """Yield a request for each page."""
        shown = self.model_dump(exclude={"pages"})
        return (ExtractRequest(**page.model_dump(), **shown) for page in self.pages)


class SegmentRequest(PageRequest):
    """Visual blocks of a page."""

    model_config = _example(html=PAGE, pdoc=5)
    pdoc: int = Field(default=5, ge=1, le=10, description="Permitted degree of coherence.")


class RecordsRequest(PageRequest):
    """Lists of a page."""

    model_config = _example(html="<ul><li><b>Oysters</b> <i>3.20</i><li><b>Mussels</b> <i>2.10</i><li><b>Clams</b></ul>", like="li")
    like: str | None = Field(default=None, max_length=20_000, description="A sample record: a CSS selector, an XPath, or HTML.")
    csv: bool = Field(default=False, description="Give each list as CSV, too.")


class PapersRequest(PageRequest):
    """A page to which the five papers' methods are applied, with other pages of its site."""

    model_config = _example(html=PAGE)
    like: str | None = Field(default=None, max_length=20_000, description="A sample record: a CSS selector, an XPath, or HTML.")


class SimilarityRequest(_Strict):
    """Two pages to compare."""

    model_config = _example(a={"html": "<ul><li>1<li>2</ul>"}, b={"html": "<ul><li>1<li>2<li>3</ul>"}, method="ordered")
    a: PageRequest
    b: PageRequest
    method: Literal["free", "ordered"] = "free"


class TextRequest(_Strict):
    """A text with a name."""

    id: str = Field(min_length=1, max_length=2_000)
    text: str
    url: Address | None = None
    time: str | None = Field(default=None, max_length=100)


class DuplicatesRequest(_Strict):
    """Texts to compare, or the main texts of a site's pages."""

    model_config = _example(documents=[{"id": "a", "text": "The ferry runs again."}, {"id": "b", "text": "The ferry runs again!"}])
    documents: list[TextRequest] | None = Field(default=None, max_length=20_000)
    site: SiteName | None = None
    _either = ("documents", "site")


class SitePage(_Strict):
    """A page of a site: HTML, or an address to fetch."""

    name: str | None = Field(
        default=None, max_length=2_000, description="Identifies the page within the site; its address where none is given."
    )
    html: str | None = None
    url: Address | None = None

    @model_validator(mode="after")
    def _named(self) -> SitePage:
        if not (self.name or self.url) or (self.html is None and self.url is None):
            raise ValueError("a page has html or url, and a name or url")
        return self


class PagesRequest(_Strict):
    """Pages to add to a site; those of known names are replaced."""

    model_config = _example(pages=[{"name": "reeds.html", "html": PAGE}])
    pages: list[SitePage] = Field(default=[], max_length=2_000)
    css: str | None = Field(default=None, max_length=1_000_000, description="Style sheets of the pages, for the inspector.")


class RulesRequest(_Strict):
    """Manual rules of a site. A missing list stays unchanged; a given list replaces the old one."""

    model_config = _example(drop=[".related", "aside.banner"])
    keep: list[Selector] | None = Field(default=None, max_length=200)
    drop: list[Selector] | None = Field(default=None, max_length=200)


class CleanRequest(_Shown):
    """Pages of a site to clean."""

    model_config = _example(formats=["markdown"])
    pages: list[PageId] | None = Field(default=None, max_length=2_000, description="Ids; all pages where this is missing.")


class _Chosen(_Strict):
    """Patterns of the addresses of wanted pages."""

    include: list[Selector] = Field(default=[], max_length=50, description="Only pages whose path with query matches one: /news/*")
    exclude: list[Selector] = Field(default=[], max_length=50)

    @model_validator(mode="after")
    def _patterns(self) -> Self:
        Patterns(tuple(self.include), tuple(self.exclude))  # which checks them
        return self


class CrawlLimits(_Chosen):
    """Settings of a crawl."""

    pages: int = Field(default=100, ge=1, le=10_000)
    scope: Literal["path", "host", "domain"] = "host"
    depth: int | None = Field(default=None, ge=0, le=100)
    delay: float | None = Field(default=None, ge=0, le=60)
    sitemaps: bool = True
    feeds: bool = False
    contact: str | None = Field(default=None, max_length=200)


class CorpusSettings(_Chosen):
    """Settings of a corpus run: those of the command line that say what is kept and written."""

    formats: list[config.OutputFormat] = Field(default=["parquet"], min_length=1, max_length=4)
    method: config.MethodName = "model"
    partition: config.PartitionName | None = None
    markdown: bool = False
    front_matter: bool = False
    languages: list[Selector] = Field(default=[], max_length=50, description="Only texts in these languages: de, en")
    detect_language: bool = False
    quality: list[Selector] = Field(default=[], max_length=50, description="Only texts that pass these rules: gopher, fineweb")
    duplicates: bool = True
    parts: bool = False
    metadata: bool = True
    dropped: bool = True
    records: bool = False
    sample: int = Field(default=50, ge=1, le=10_000)
    workers: int = Field(default=1, ge=1, le=64)


class CrawlJob(_Strict):
    """Crawl a site."""

    model_config = _example(kind="crawl", url="https://example.org/", settings={"pages": 20})
    kind: Literal["crawl"]
    url: Address
    settings: CrawlLimits = CrawlLimits()


class CorpusJob(_Strict):
    """Run the corpus pipeline over what a crawl saved, or over the pages of a site."""

    model_config = _example(kind="corpus", site="lantern-bay")
    kind: Literal["corpus"]
    crawl: str | None = Field(default=None, max_length=64, description="Id of a crawl.")
    site: SiteName | None = None
    settings: CorpusSettings = CorpusSettings()
    _either = ("crawl", "site")
