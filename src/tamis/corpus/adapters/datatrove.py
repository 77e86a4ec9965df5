"""datatrove: an extractor step (extra ``datatrove``)."""

from __future__ import annotations

from pathlib import Path

from tamis.corpus.adapters import clean_one
from tamis.errors import needs_extra
from tamis.site.model import SiteModel

with needs_extra("the extractor for datatrove", "datatrove"):
    from datatrove.pipeline.extractors.base import BaseExtractor


class TamisExtractor(BaseExtractor):  # type: ignore[misc,unused-ignore]
    """Extract the main text of each page: ``pipeline=[WarcReader(...), TamisExtractor(), ...]``.

    ``model``: folder of the model of the site that all pages are of; ``timeout``: seconds for one page.
    """

    name = "tamis"
    _requires_dependencies = ()

    def __init__(self, model: str | Path | None = None, timeout: float = 10.0) -> None:
        super().__init__(timeout=timeout)
        self._model = SiteModel.load(model) if model else None

    def extract(self, text: str) -> str:
        """Return the main text of a page."""
        return clean_one(text, None, self._model)["text"] or ""
