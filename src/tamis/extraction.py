"""extract: one page in, one Document out."""

from __future__ import annotations

from tamis.content import attenuation
from tamis.content.attenuation import Attenuation
from tamis.document import Document
from tamis.parsing import Page, parse_decoded


def extract(page: Page, *, url: str | None = None, content_type: str | None = None, method: Attenuation = Attenuation()) -> Document:
    """Clean one page.

    Args:
        page: HTML as text, bytes as served, a file (``Path``), or a tree that the caller already has (see :data:`tamis.parsing.Page`).
        url: where it came from; relative links are resolved against it.
        content_type: the HTTP ``Content-Type`` header, which may name the encoding.
        method: settings of the main-text method.

    Returns:
        The document. Bad HTML never raises: what cannot be read gives an empty document that says why (:attr:`Document.problems`).

    Raises:
        SourceError: the file cannot be read.
        UsageError: ``page`` is of no known kind.

    >>> page = "<nav><a href=/>Home</a></nav><article><p>A page has a text.<p>This one has two paragraphs.</article>"
    >>> extract(page).text
    'A page has a text.\\nThis one has two paragraphs.'
    """
    tree, encoding = parse_decoded(page, content_type=content_type)
    return Document(tree=tree, selection=attenuation.select(tree, method), url=url, encoding=encoding)
