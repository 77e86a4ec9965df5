"""The tools that are compared: for each a small function from HTML to text, as its documentation shows it for main text.

This file is loaded by :mod:`benchmarks.worker` in its own process, perhaps by a Python that has no tamis: at the top it
imports the standard library only, and a tool is imported by its own loader.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from importlib import import_module
from typing import Any

Extract = Callable[[Any], str]  #: A page, as str or bytes, to its main text.

DUMMY_URL = "http://example.org/page"  #: For tools that require a URL; no tool gets the real one.


@dataclass(frozen=True, slots=True)
class Peer:
    """A tool and how it is run."""

    name: str
    distribution: str  #: Name of its distribution on PyPI, whose version is recorded.
    setup: str  #: What is called, in words.
    load: Callable[[], Extract]  #: Imports the tool and gives the function that is measured.
    takes_bytes: bool = False  #: Whether pages as served can be given to it.
    floor: bool = False  #: Whether this is a yardstick and not an extractor.
    remark: str = ""  #: What to know where it cannot be run.


def _attenuation(**settings: Any) -> Extract:
    extract = import_module("tamis").extract
    method = import_module("tamis").Attenuation(**settings)
    return lambda page: str(extract(page, method=method).text)


def _papers() -> Extract:
    extract = import_module("tamis").extract
    return lambda page: str(extract(page, method="papers").text)


def _tamis() -> Extract:
    extract = import_module("tamis").extract
    return lambda page: str(extract(page, method="model").text)


def _tamis_forms() -> Extract:
    extract = import_module("tamis").extract

    def forms(page: Any) -> str:
        document = extract(page)
        return "".join((document.text, document.markdown, document.html, document.metadata.title or ""))

    return forms


def _trafilatura(**settings: Any) -> Extract:
    extract = import_module("trafilatura").extract
    return lambda page: extract(page, include_comments=False, include_tables=True, **settings) or ""


def _resiliparse() -> Extract:
    extract = import_module("resiliparse.extract.html2text").extract_plain_text
    return lambda page: str(extract(page, main_content=True))


def _readability(*, markdown: bool = False) -> Extract:
    document, read = import_module("readability").Document, _markdown_of_html if markdown else _text_of_html
    return lambda page: read(document(page).summary(html_partial=True))


def _justext() -> Extract:
    justext = import_module("justext")
    known = justext.get_stoplists()

    def extract(page: Any) -> str:
        language = _STOPLISTS.get(_declared_language(page), "English")
        if language in known:
            paragraphs = justext.justext(page, justext.get_stoplist(language))
        else:
            paragraphs = justext.justext(page, frozenset(), stopwords_low=0, stopwords_high=0)
        return "\n".join(paragraph.text for paragraph in paragraphs if not paragraph.is_boilerplate)

    return extract


def _turbohtml() -> Extract:
    parse = import_module("turbohtml").parse
    return lambda page: str(parse(page).main_text())


def _rs_trafilatura() -> Extract:
    tool = import_module("rs_trafilatura")
    return lambda page: (tool.extract(page) if isinstance(page, str) else tool.extract_bytes(page)).main_content or ""


def _magic_html(*, markdown: bool = False) -> Extract:
    extractor, read = import_module("magic_html").GeneralExtractor(), _markdown_of_html if markdown else _text_of_html
    return lambda page: read(extractor.extract(page, base_url=DUMMY_URL)["html"])


def _tamis_markdown() -> Extract:
    extract = import_module("tamis").extract
    return lambda page: str(extract(page).markdown)


def _trafilatura_markdown() -> Extract:
    extract = import_module("trafilatura").extract
    settings = {"include_comments": False, "include_tables": True, "include_links": True, "include_formatting": True}
    return lambda page: extract(page, output_format="markdown", **settings) or ""


def _newspaper() -> Extract:
    article = import_module("newspaper").Article

    def extract(page: Any) -> str:
        reader = article(DUMMY_URL, fetch_images=False)
        reader.download(input_html=page)
        reader.parse()
        return str(reader.text)

    return extract


def _boilerpy3() -> Extract:
    extractor = import_module("boilerpy3.extractors").ArticleExtractor()
    return lambda page: str(extractor.get_content(page))


def _goose3() -> Extract:
    goose = import_module("goose3").Goose({"enable_image_fetching": False})
    return lambda page: str(goose.extract(raw_html=page).cleaned_text)


def _deboiler() -> Extract:
    """Deboiler learns from the pages of a site. What it is given: ``learn`` or ``clean``, then URLs and pages in turn, NULs between."""
    import_module("logging").disable(50)
    deboiler = import_module("deboiler").Deboiler
    dataset = import_module("deboiler.dataset").ListDataset
    model = deboiler(verbose=False)

    def extract(message: str) -> str:
        nonlocal model
        order, *parts = message.split("\0")
        records = [
            {"url": url, "content": page, "status": 200, "content_type": "text/html"}
            for url, page in zip(parts[::2], parts[1::2], strict=True)
        ]
        pages = dataset(records, verbose=False)
        if order == "learn":
            model = deboiler(verbose=False)
            model.fit(pages)
            return ""
        return "\n".join(str(page.cleaned_text) for page in model.transform(pages))

    return extract


def _autoscraper() -> Extract:
    """AutoScraper learns from values of a page. It is given JSON, ``html`` and ``wanted``; it gives the similar values as JSON."""
    from importlib.metadata import version

    scraper = import_module("autoscraper").AutoScraper
    if not scraper().build(html="<ul><li><b>a</b></li><li><b>b</b></li></ul>", wanted_list=["a"]):
        raise ImportError(f"finds nothing with beautifulsoup4 {version('beautifulsoup4')}; beautifulsoup4<4.13 is needed")

    def extract(message: str) -> str:
        asked = json.loads(message)
        tool = scraper()
        tool.build(html=asked["html"], wanted_list=asked["wanted"])
        return json.dumps(tool.get_result_similar(html=asked["html"], unique=False, keep_order=True))

    return extract


def _all_text() -> Extract:
    parser = import_module("selectolax.lexbor").LexborHTMLParser

    def extract(page: Any) -> str:
        tree = parser(page)
        tree.strip_tags(["script", "style", "noscript", "template", "iframe", "svg"])
        return tree.body.text(separator=" ") if tree.body is not None else ""

    return extract


def _bare_parse() -> Extract:
    parser = import_module("selectolax.lexbor").LexborHTMLParser

    def extract(page: Any) -> str:
        parser(page)
        return ""

    return extract


_OWN_PYTHON = "has no wheel for every Python: give a Python that has it with --peer-python"

PARSE = "lexbor-parse"  #: Name of the yardstick that all times are compared with.

PEERS: tuple[Peer, ...] = (
    Peer(
        "tamis",
        "tamis",
        "extract(page).text; its weights were trained on WCXB's development pages and on the sites, so it has an advantage there",
        _tamis,
        takes_bytes=True,
    ),
    Peer("tamis-attenuation", "tamis", "extract(page, method=Attenuation()).text", _attenuation, takes_bytes=True),
    Peer("tamis-papers", "tamis", 'extract(page, method="papers").text: attenuation, and on navigation pages records', _papers),
    Peer(
        "tamis-every",
        "tamis",
        "extract(page, method=Attenuation(trim='every')).text, the paper's literal trimming",
        partial(_attenuation, trim="every"),
        takes_bytes=True,
    ),
    Peer("tamis-forms", "tamis", "text, Markdown, HTML and metadata of one page", _tamis_forms),
    Peer("trafilatura", "trafilatura", "extract(page, include_comments=False, include_tables=True)", _trafilatura, takes_bytes=True),
    Peer("trafilatura-fast", "trafilatura", "the same with fast=True", partial(_trafilatura, fast=True), takes_bytes=True),
    Peer("resiliparse", "resiliparse", "extract_plain_text(page, main_content=True)", _resiliparse),
    Peer(
        "readability-lxml",
        "readability-lxml",
        "Document(page).summary(html_partial=True), text by lxml with lines at blocks",
        _readability,
    ),
    Peer(
        "justext",
        "jusText",
        "justext(page, stoplist of the declared language, else English; language-independent mode where there is no stoplist)",
        _justext,
        takes_bytes=True,
    ),
    Peer("turbohtml", "turbohtml", "parse(page).main_text()", _turbohtml, takes_bytes=True),
    Peer("rs-trafilatura", "rs-trafilatura", "extract(page).main_content", _rs_trafilatura, takes_bytes=True, remark=_OWN_PYTHON),
    Peer(
        "magic-html",
        "magic-html",
        "GeneralExtractor().extract(page)['html'], text by lxml with lines at blocks",
        _magic_html,
        remark=_OWN_PYTHON,
    ),
    Peer("newspaper4k", "newspaper4k", "Article(url, fetch_images=False), download(input_html=page), parse(), text", _newspaper),
    Peer("boilerpy3", "boilerpy3", "ArticleExtractor().get_content(page)", _boilerpy3),
    Peer("goose3", "goose3", "Goose(no images).extract(raw_html=page).cleaned_text", _goose3),
    Peer("all-text", "selectolax", "all text of the body: the least that selecting must beat", _all_text, takes_bytes=True, floor=True),
    Peer(PARSE, "selectolax", "LexborHTMLParser(page) and nothing else", _bare_parse, takes_bytes=True, floor=True),
)

BY_NAME: dict[str, Peer] = {peer.name: peer for peer in PEERS}

SITE_PEERS: tuple[Peer, ...] = (
    Peer(
        "deboiler",
        "deboiler",
        "Deboiler().fit(the pages with their URLs), transform(page).cleaned_text",
        _deboiler,
        remark="needs old releases of packages that others use: install it in its own environment, and give that with --peer-python",
    ),
)
"""Tools that learn from the pages of a site before they clean one (:mod:`benchmarks.sites`)."""

AUTOSCRAPER = Peer("autoscraper", "autoscraper", "build(html, wanted_list), get_result_similar(html)", _autoscraper, remark=_OWN_PYTHON)
"""The tool that finds values of records (:mod:`benchmarks.records`)."""

MARKDOWN_PEERS: tuple[Peer, ...] = (
    Peer("tamis-markdown", "tamis", "extract(page).markdown", _tamis_markdown),
    Peer(
        "trafilatura-markdown",
        "trafilatura",
        "extract(page, output_format='markdown', include_comments=False, include_tables=True, include_links=True, include_formatting=True)",
        _trafilatura_markdown,
    ),
    Peer(
        "magic-html-markdown",
        "magic-html",
        "GeneralExtractor().extract(page)['html'], Markdown by markdownify",
        partial(_magic_html, markdown=True),
        remark="is not on PyPI: install it in its own environment, with markdownify, and give that with --peer-python",
    ),
    Peer(
        "readability-markdown",
        "readability-lxml",
        "Document(page).summary(), Markdown by markdownify",
        partial(_readability, markdown=True),
    ),
    Peer("resiliparse", "resiliparse", "extract_plain_text(page, main_content=True); it writes no Markdown", _resiliparse),
)
"""Tools whose Markdown is compared (:mod:`benchmarks.markdown`)."""

RUNNABLE: dict[str, Peer] = {**{peer.name: peer for peer in (*MARKDOWN_PEERS, *SITE_PEERS, AUTOSCRAPER)}, **BY_NAME}
"""All tools that a worker can load."""


# -- what some adapters need to give text ---------------------------------------------------------------------------

_DECLARED = re.compile(r"<html\b[^>]*?\blang\s*=\s*[\"']?([A-Za-z]{2,3})", re.I)
_STOPLISTS = dict(
    pair.split(":")
    for pair in (
        "ar:Arabic bg:Bulgarian ca:Catalan cs:Czech da:Danish de:German el:Greek es:Spanish et:Estonian fa:Persian fi:Finnish "
        "fr:French he:Hebrew hi:Hindi hr:Croatian hu:Hungarian id:Indonesian it:Italian ja:none ko:Korean lt:Lithuanian lv:Latvian "
        "nl:Dutch nb:Norwegian_Bokmal nn:Norwegian_Nynorsk no:Norwegian_Bokmal pl:Polish pt:Portuguese ro:Romanian ru:Russian "
        "sk:Slovak sl:Slovenian sr:Serbian sv:Swedish th:none tr:Turkish uk:Ukrainian vi:Vietnamese zh:none"
    ).split()
)
"""jusText's stoplists by language; ``none`` where it has none."""
_BLOCKS = frozenset(
    "address article aside blockquote br dd details div dl dt figcaption figure footer form h1 h2 h3 h4 h5 h6 header hr li main nav ol "
    "p pre section summary table tbody td tfoot th thead tr ul".split()
)


def _declared_language(page: Any) -> str:
    head = page[:4096] if isinstance(page, str) else page[:4096].decode("latin-1")
    match = _DECLARED.search(head)
    return match.group(1).lower() if match else "en"


def _text_of_html(html: str) -> str:
    """Text of a fragment with a line break at each block, so that words of neighbouring blocks stay apart."""
    if not html or not html.strip():
        return ""
    root = import_module("lxml.html").fragment_fromstring(html, create_parent="div")
    for element in root.iter(*_BLOCKS):
        element.text = "\n" + (element.text or "")
        element.tail = "\n" + (element.tail or "")
    return str(root.text_content())


def _markdown_of_html(html: str) -> str:
    return str(import_module("markdownify").markdownify(html, heading_style="ATX", bullets="-"))
