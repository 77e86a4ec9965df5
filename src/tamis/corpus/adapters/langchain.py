"""LangChain: a document loader (extra ``langchain``)."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from tamis.corpus.adapters import Sources, loaded
from tamis.errors import needs_extra

with needs_extra("the loader for LangChain", "langchain"):
    from langchain_core.document_loaders import BaseLoader
    from langchain_core.documents import Document


class TamisLoader(BaseLoader):  # type: ignore[misc,unused-ignore]
    """Load pages as LangChain documents: the main text as Markdown, with source, address, title, author, date and language.

    ``TamisLoader("saved-pages/").load()``; ``TamisLoader("https://example.org/", chunks=300).lazy_load()``.

    Args:
        sources: what :func:`tamis.clean` takes: files, folders, patterns, addresses, lists, archives.
        options: of :func:`tamis.clean`. With ``chunks`` (a number of words, or a :class:`tamis.Chunking`) each chunk is a document, with
            its ``headings`` and ``number``.
    """

    def __init__(self, sources: Sources, **options: Any) -> None:
        self.sources = sources
        self.options = options

    def lazy_load(self) -> Iterator[Document]:
        """Yield the documents as pages are cleaned, in parallel; pages without a text are left out."""
        for name, text, about in loaded(self.sources, self.options):
            yield Document(id=name, page_content=text, metadata=about)
