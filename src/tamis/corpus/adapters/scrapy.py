"""Scrapy: an item pipeline (extra ``scrapy``)."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from tamis.corpus.adapters import clean_one
from tamis.site.model import SiteModel


class TamisPipeline:
    """Add the main text and metadata to items (dicts, or items whose fields can be set) that hold a page.

    In the settings of a Scrapy project: ``ITEM_PIPELINES = {"tamis.corpus.adapters.scrapy.TamisPipeline": 300}``, and optionally
    ``TAMIS_HTML_FIELD`` (``"html"``), ``TAMIS_URL_FIELD`` (``"url"``) and ``TAMIS_MODEL`` (folder of a site's model).
    """

    def __init__(self, html_field: str = "html", url_field: str = "url", model: str | Path | None = None) -> None:
        self._html = html_field
        self._url = url_field
        self._model = SiteModel.load(model) if model else None

    @classmethod
    def from_crawler(cls, crawler: Any) -> TamisPipeline:
        """Make the pipeline as Scrapy does."""
        settings = crawler.settings
        return cls(settings.get("TAMIS_HTML_FIELD", "html"), settings.get("TAMIS_URL_FIELD", "url"), settings.get("TAMIS_MODEL"))

    def process_item(self, item: Any, spider: Any = None) -> Any:
        """Return the item with :data:`tamis.corpus.adapters.FIELDS`; one without a page as it is."""
        page = item.get(self._html)
        if page is not None:
            for name, value in clean_one(page, item.get(self._url), self._model).items():
                item[name] = value
        return item
