"""The main text of one page, alone or with what was learned of its site."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, TypeAlias

from tamis.document.document import Document
from tamis.document.selection import Selection
from tamis.errors import UsageError
from tamis.page.parsing import Page, parse_decoded
from tamis.page.tree import PageTree

if TYPE_CHECKING:
    from tamis.content.attenuation import Attenuation
    from tamis.content.node_model import NodeModel
    from tamis.io.fetch import Limits
    from tamis.site.model import SiteModel

Method: TypeAlias = "Attenuation | NodeModel | str"  #: A main-text method: its settings, or its name.
METHODS = {"attenuation": "tamis.content.attenuation:Attenuation", "model": "tamis.content.node_model:NodeModel"}
"""The methods: the settings of each, which select the main text of a page, alone or with the model of its site."""
DEFAULT = "model"  #: The method where none is named.


def extract(
    page: Page,
    *,
    url: str | None = None,
    content_type: str | None = None,
    encoding: str | None = None,
    method: Method = DEFAULT,
    model: SiteModel | None = None,
    comments: bool = False,
) -> Document:
    """Extract the main text of one page.

    Args:
        page: HTML as text, bytes as served, a file (``Path``), or a tree that the caller already has (see :data:`tamis.page.parsing.Page`).
        url: where it came from; relative links are resolved against it.
        content_type: the HTTP ``Content-Type`` header, which may name the encoding.
        encoding: the encoding of bytes, if the caller knows it; None: detected (:func:`tamis.page.decode.find_encoding`).
        method: the main-text method: its settings, or its name (:data:`METHODS`).
        model: what was learned of the page's site (:func:`tamis.learn`). The node model judges the page with the evidence of the site's
            template (:meth:`tamis.site.model.SiteModel.select`); with attenuation the template judges by itself.
        comments: keep visitors' comments in the text, with authors and dates. By default they are left out, except in forum threads;
            :attr:`Document.comments` has them either way, and also those that only JSON-LD states.

    Returns:
        The document. Bad HTML never raises: what cannot be read gives an empty document that says why (:attr:`Document.problems`).

    Raises:
        SourceError: the file cannot be read.
        UsageError: ``page`` is of no known kind, or a string that is a path or an address; or there is no such method or encoding.

    >>> page = "<nav><a href=/>Home</a></nav><article><p>A page has a text.<p>This one has two paragraphs.</article>"
    >>> extract(page).text
    'A page has a text.\\nThis one has two paragraphs.'
    """
    tree, found = parse_decoded(page, content_type=content_type, encoding=encoding)
    return Document.of(tree, select(tree, method, model), url=url, encoding=found, comments=comments)


def extract_url(url: str, *, limits: Limits | None = None, method: Method = DEFAULT, model: SiteModel | None = None) -> Document:
    """Fetch a page and extract its main text. ``limits``: bounds on fetching; the others as of :func:`extract`.

    Raises:
        FetchError: the page cannot be fetched.
    """
    from tamis.io.fetch import fetch

    response = fetch(url) if limits is None else fetch(url, limits)
    return extract(response.body, url=response.url, content_type=response.content_type, method=method, model=model)


def check_model(model: object) -> None:
    """Refuse what is no model of a site, such as the path of one (UsageError)."""
    if model is not None and not hasattr(model, "evidence_of"):
        raise UsageError(f"model is a SiteModel, such as SiteModel.load(path) gives, not {type(model).__name__}")


def select(tree: PageTree, method: Method = DEFAULT, model: SiteModel | None = None) -> Selection:
    """Select the main text of a page by one of the methods. Arguments as of :func:`extract`.

    Raises:
        UsageError: there is no such method, or ``model`` is no :class:`~tamis.site.model.SiteModel`.
    """
    if isinstance(method, str):
        home = METHODS.get(method)
        if home is None:
            raise UsageError(f"unknown method {method!r}; the methods are {', '.join(METHODS)}")
        module, _, name = home.partition(":")
        settings = getattr(import_module(module), name)()
    else:
        settings = method
    if not hasattr(settings, "select"):
        raise UsageError(f"method is a name ({', '.join(METHODS)}) or the settings of a method, not {type(method).__name__}")
    check_model(model)
    selection: Selection = settings.select(tree, model)
    return selection
