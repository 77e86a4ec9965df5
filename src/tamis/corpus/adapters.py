"""tamis in other tools: Scrapy, datatrove, LangChain, LlamaIndex, pandas, Spark, Daft.

They clean each page by itself, unless a site's model is given; :func:`tamis.corpus.pipeline.run` learns templates. Each raises
MissingExtraError if the other tool is not installed.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

from tamis.corpus.batch import Cleaning, Record, clean, clean_page
from tamis.errors import needs_extra
from tamis.io.pages import HeldPage, Source
from tamis.site.model import SiteModel

FIELDS = ("text", "title", "author", "date", "language", "problem")  #: what comes out for each page; each a text or None


def clean_batch(
    pages: Iterable[str | bytes | None], addresses: Iterable[str | None] | None = None, model: SiteModel | None = None
) -> list[dict[str, str | None]]:
    """Clean pages; a dict of :data:`FIELDS` for each, in order. Never raises for a page: its problem is in the dict.

    ``pages``: HTML, None for none; ``addresses``: theirs; ``model``: the template of the site that all pages are of.

    >>> clean_batch(["<article><p>The ferry runs again from Monday on.<p>Tickets are sold at the quay.</article>"])[0]["text"]
    'The ferry runs again from Monday on.\\nTickets are sold at the quay.'
    """
    listed = list(pages)
    named = [None] * len(listed) if addresses is None else list(addresses)
    return [_clean(page, address, model) for page, address in zip(listed, named, strict=True)]


def _clean(page: object, address: str | None, model: SiteModel | None) -> dict[str, str | None]:
    empty: dict[str, str | None] = dict.fromkeys(FIELDS)
    if not isinstance(page, (str, bytes)):  # pandas has NaN where there is nothing
        return empty | {"problem": "no page"}
    record = clean_page(HeldPage("the page", page, address), Cleaning(model=model))
    return empty | _about(record) | {"text": record.text, "problem": "; ".join(record.problems) or None}


def _about(record: Record) -> dict[str, str | None]:
    return {name: (record.metadata or {}).get(name) for name in ("title", "author", "date", "language")}


class ScrapyPipeline:
    """An item pipeline: adds the main text and metadata to items (dicts, or items whose fields can be set) that hold a page.

    In the settings of a Scrapy project: ``ITEM_PIPELINES = {"tamis.corpus.adapters.ScrapyPipeline": 300}``, and optionally
    ``TAMIS_HTML_FIELD`` (``"html"``), ``TAMIS_URL_FIELD`` (``"url"``) and ``TAMIS_MODEL`` (folder of a site's model).
    """

    def __init__(self, html_field: str = "html", url_field: str = "url", model: str | Path | None = None) -> None:
        self._html = html_field
        self._url = url_field
        self._model = SiteModel.load(model) if model else None

    @classmethod
    def from_crawler(cls, crawler: Any) -> ScrapyPipeline:
        """As Scrapy makes it."""
        settings = crawler.settings
        return cls(settings.get("TAMIS_HTML_FIELD", "html"), settings.get("TAMIS_URL_FIELD", "url"), settings.get("TAMIS_MODEL"))

    def process_item(self, item: Any, spider: Any = None) -> Any:
        """The item with ``text`` and the rest of :data:`FIELDS`; one without a page as it is."""
        page = item.get(self._html)
        if page is not None:
            for name, value in _clean(page, item.get(self._url), self._model).items():
                item[name] = value
        return item


def datatrove_extractor(model: str | Path | None = None, timeout: float = 10.0) -> Any:
    """An extractor step for datatrove: ``pipeline=[WarcReader(...), datatrove_extractor(), ...]``.

    ``model``: folder of the model of the site that all pages are of; ``timeout``: seconds for one page.
    """
    with needs_extra("the extractor for datatrove", "integrations"):
        from datatrove.pipeline.extractors.base import BaseExtractor
    loaded = SiteModel.load(model) if model else None

    class TamisExtractor(BaseExtractor):  # type: ignore[misc,unused-ignore]
        """The main text of each page, by tamis."""

        name = "tamis"
        _requires_dependencies = ()

        def __init__(self) -> None:
            super().__init__(timeout=timeout)

        def extract(self, text: str) -> str:
            """The main text."""
            return _clean(text, None, loaded)["text"] or ""

    return TamisExtractor()


def clean_frames(frames: Iterable[Any], html: str = "html", url: str | None = None) -> Iterator[Any]:
    """For Spark: ``pages.mapInPandas(clean_frames, schema)``; pandas frames with the columns of :data:`FIELDS` instead of the page.

    ``html``, ``url``: columns of the page and, if there is one, of the address.
    """
    for frame in frames:
        cleaned = clean_batch(frame[html], frame[url] if url else None)
        yield frame.drop(columns=[html]).assign(**{name: [row[name] for row in cleaned] for name in FIELDS})


def daft_function() -> Any:
    """For Daft: ``frame.with_column("clean", daft_function()(frame["html"]))``, a struct of :data:`FIELDS`."""
    with needs_extra("the function for Daft", "integrations"):
        import daft
    text = daft.DataType.string()

    @daft.func.batch(return_dtype=daft.DataType.struct(dict.fromkeys(FIELDS, text)))  # type: ignore[untyped-decorator,unused-ignore]
    def clean_pages(pages: Any) -> Any:
        return clean_batch(pages.to_pylist())

    return clean_pages


def langchain_documents(sources: str | Path | Source | Iterable[str | Path | Source], **options: Any) -> Iterator[Any]:
    """Clean pages to LangChain documents, for ``Chroma.from_documents(langchain_documents("site/"), ...)`` and the like.

    Arguments as of :func:`tamis.clean`; the text is Markdown unless ``formats`` says otherwise.
    """
    with needs_extra("documents for LangChain", "integrations"):
        from langchain_core.documents import Document
    return (Document(page_content=text, metadata=about) for text, about in _texts(sources, options))


def llama_index_documents(sources: str | Path | Source | Iterable[str | Path | Source], **options: Any) -> Iterator[Any]:
    """Clean pages to LlamaIndex documents, as :func:`langchain_documents` does, for ``VectorStoreIndex.from_documents(list(...))``."""
    with needs_extra("documents for LlamaIndex", "integrations"):
        from llama_index.core import Document
    return (Document(text=text, metadata=about, id_=about["source"]) for text, about in _texts(sources, options))


def _texts(sources: Any, options: dict[str, Any]) -> Iterator[tuple[str, dict[str, str]]]:
    """Text and metadata of each page that has a text; only what is known is in the metadata."""
    for record in clean(sources, **{"formats": ("markdown",), **options}):
        if record.status == "ok":
            about = {"source": record.source, "url": record.url, **_about(record)}
            yield next(iter(record.content.values())) or "", {name: value for name, value in about.items() if isinstance(value, str)}
