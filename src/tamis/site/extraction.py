"""The main text of one page, alone or with what was learned of its site."""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeAlias

from tamis.content import attenuation
from tamis.content.attenuation import Attenuation
from tamis.document.document import Document
from tamis.document.selection import Selection
from tamis.errors import UsageError
from tamis.page.parsing import Page, parse_decoded
from tamis.page.tree import PageTree

if TYPE_CHECKING:
    from tamis.content.node_model import NodeModel
    from tamis.io.fetch import Limits
    from tamis.site.model import SiteModel

Method: TypeAlias = "Attenuation | NodeModel | str"
"""A main-text method: its settings, or its name."""
METHODS = ("attenuation", "model")
"""Names of the methods."""
DEFAULT = "model"
"""The method where none is named."""


def extract(
    page: Page,
    *,
    url: str | None = None,
    content_type: str | None = None,
    method: Method = DEFAULT,
    model: SiteModel | None = None,
) -> Document:
    """Extract the main text of one page.

    Args:
        page: HTML as text, bytes as served, a file (``Path``), or a tree that the caller already has (see :data:`tamis.page.parsing.Page`).
        url: where it came from; relative links are resolved against it.
        content_type: the HTTP ``Content-Type`` header, which may name the encoding.
        method: the main-text method: its settings, or its name (:data:`METHODS`).
        model: what was learned of the page's site (:func:`tamis.learn`): with the node model both judge the page (:mod:`tamis.site.fused`);
            with attenuation the site's template judges by itself (:meth:`tamis.site.model.SiteModel.clean`).

    Returns:
        The document. Bad HTML never raises: what cannot be read gives an empty document that says why (:attr:`Document.problems`).

    Raises:
        SourceError: the file cannot be read.
        UsageError: ``page`` is of no known kind, or a string that is a path or an address; or there is no such method.

    >>> page = "<nav><a href=/>Home</a></nav><article><p>A page has a text.<p>This one has two paragraphs.</article>"
    >>> extract(page).text
    'A page has a text.\\nThis one has two paragraphs.'
    """
    tree, encoding = parse_decoded(page, content_type=content_type)
    return Document(tree=tree, selection=select(tree, method, model), url=url, encoding=encoding)


def extract_url(url: str, *, limits: Limits | None = None, method: Method = DEFAULT, model: SiteModel | None = None) -> Document:
    """Fetch a page and extract its main text. ``limits``: bounds on fetching; the others as of :func:`extract`.

    Raises:
        FetchError: the page cannot be fetched.
    """
    from tamis.io.fetch import fetch

    response = fetch(url) if limits is None else fetch(url, limits)
    return extract(response.body, url=response.url, content_type=response.content_type, method=method, model=model)


def select(tree: PageTree, method: Method = DEFAULT, model: SiteModel | None = None) -> Selection:
    """Select the main text of a page by one of the methods. Arguments as of :func:`extract`.

    Raises:
        UsageError: there is no such method.
    """
    if isinstance(method, Attenuation) or method == "attenuation":
        if model is not None:
            return model.select(tree)
        return attenuation.select(tree, method if isinstance(method, Attenuation) else Attenuation())
    from tamis.content import node_model

    if method == "model":
        method = node_model.NodeModel()
    if not isinstance(method, node_model.NodeModel):
        raise UsageError(f"method is Attenuation(), NodeModel(), or one of the names {', '.join(METHODS)}, not {method!r}")
    if model is None:
        return node_model.select(tree, method)
    from tamis.site import fused

    return fused.select(model, tree, method)
