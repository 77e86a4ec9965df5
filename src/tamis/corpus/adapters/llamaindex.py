"""LlamaIndex: a reader (extra ``llamaindex``)."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from tamis.corpus.adapters import Sources, loaded
from tamis.errors import needs_extra

with needs_extra("the reader for LlamaIndex", "llamaindex"):
    from llama_index.core import Document
    from llama_index.core.readers.base import BaseReader


class TamisReader(BaseReader):  # type: ignore[misc,unused-ignore]
    """Read pages as LlamaIndex documents: the main text as Markdown, with source, address, title, author, date and language.

    ``TamisReader().load_data("saved-pages/")``; ``TamisReader(chunks=300).lazy_load_data("https://example.org/")``.

    ``options``: of :func:`tamis.clean`. With ``chunks`` (a number of words, or a :class:`tamis.Chunking`) each chunk is a document, with
    its ``headings`` and ``number``.
    """

    def __init__(self, **options: Any) -> None:
        self.options = options

    def lazy_load_data(self, sources: Sources, **options: Any) -> Iterable[Document]:
        """Yield the documents as pages are cleaned, in parallel; pages without a text are left out.

        ``sources``: what :func:`tamis.clean` takes; ``options``: override those of the reader.
        """
        for name, text, about in loaded(sources, {**self.options, **options}):
            yield Document(id_=name, text=text, metadata=about)
