"""The main text of one page, alone or with what was learned of its site."""

from __future__ import annotations

from collections.abc import Iterable
from functools import cache
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeAlias, overload

from tamis.document.document import Document
from tamis.document.selection import Selection
from tamis.errors import UsageError
from tamis.page.parsing import Page, parse_decoded
from tamis.page.tree import PageTree

if TYPE_CHECKING:
    from tamis.content.attenuation import Attenuation, Site
    from tamis.content.node_model import NodeModel
    from tamis.io.fetch import Limits
    from tamis.papers.method import Papers
    from tamis.site.learned import Rules, SiteSettings
    from tamis.site.model import SiteModel
    from tamis.site.style_tree import StyleTreeMethod

Method: TypeAlias = "Attenuation | NodeModel | Papers | StyleTreeMethod | str"  #: A main-text method: its settings, or its name.
METHODS = {
    "attenuation": "tamis.content.attenuation:Attenuation",
    "model": "tamis.content.node_model:NodeModel",
    "papers": "tamis.papers.method:Papers",
    "style-tree": "tamis.site.style_tree:StyleTreeMethod",
}
"""The methods: the settings of each, which select the main text of a page, alone or with the model of its site."""
DEFAULT = "model"  #: The method where none is named.


def extract(
    page: Page,
    *,
    url: str | None = None,
    content_type: str | None = None,
    encoding: str | None = None,
    method: Method = DEFAULT,
    model: Site | None = None,
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
            template (:meth:`tamis.site.model.SiteModel.select`); with attenuation the template judges by itself. The methods
            ``style-tree`` and ``papers`` take what :func:`tamis.learn` learns by them.
        comments: keep visitors' comments in the text, with authors and dates. By default they are left out, except in forum threads;
            :attr:`Document.comments` has them either way, and also those that only JSON-LD states.

    Returns:
        The document. Bad HTML never raises: what cannot be read gives an empty document that says why (:attr:`Document.problems`).

    Raises:
        SourceError: the file cannot be read, or holds binary data.
        UsageError: ``page`` is of no known kind, or a string that is a path or an address; or there is no such method or encoding.

    >>> page = "<nav><a href=/>Home</a></nav><article><p>A page has a text.<p>This one has two paragraphs.</article>"
    >>> extract(page).text
    'A page has a text.\\nThis one has two paragraphs.'
    """
    tree, found = parse_decoded(page, content_type=content_type, encoding=encoding)
    return Document.from_selection(tree, select(tree, method, model), url=url, encoding=found, comments=comments)


def extract_url(url: str, *, limits: Limits | None = None, method: Method = DEFAULT, model: Site | None = None) -> Document:
    """Fetch a page and extract its main text. ``limits``: bounds on fetching; the others as in :func:`extract`.

    Raises:
        FetchError: the page cannot be fetched.
    """
    from tamis.io.fetch import fetch

    response = fetch(url) if limits is None else fetch(url, limits)
    return extract(response.body, url=response.url, content_type=response.content_type, method=method, model=model)


def check_model(model: object) -> None:
    """Refuse anything but a model of a site, such as its path (UsageError)."""
    if model is not None and not hasattr(model, "template_selection"):
        raise UsageError(f"model is a SiteModel, such as SiteModel.load(path) gives, not {type(model).__name__}")


def select(tree: PageTree, method: Method = DEFAULT, model: Site | None = None) -> Selection:
    """Select the main text of a page by one of the methods. Arguments as in :func:`extract`.

    Raises:
        UsageError: there is no such method, or ``model`` is not a :class:`~tamis.site.model.SiteModel`.
    """
    settings = settings_of(method)
    check_model(model)
    selection: Selection = settings.select(tree, model)
    return selection


def settings_of(method: Method) -> Any:
    """Return the settings of a method: those given, or the defaults of the one that is named.

    Raises:
        UsageError: there is no such method.
    """
    settings = _default_settings(method) if isinstance(method, str) else method
    if not hasattr(settings, "select"):
        raise UsageError(f"method is a name ({', '.join(METHODS)}) or the settings of a method, not {type(method).__name__}")
    return settings


@overload
def learn(pages: Iterable[Page] | str | Path, settings: SiteSettings = ..., rules: Rules = ...) -> SiteModel: ...
@overload
def learn(pages: Iterable[Page] | str | Path, *, method: Method) -> Site: ...
def learn(pages: Iterable[Page] | str | Path, settings: Any = None, rules: Any = None, *, method: Method | None = None) -> Any:
    """Learn from some pages of a site what a method needs to clean others: by default its template (:func:`tamis.site.model.learn`).

    Args:
        pages: pages of one site, or their folder (unreadable files are left out); some 30 are enough, 5 are already useful.
        settings: thresholds of the template.
        rules: manual rules to start with.
        method: ``style-tree`` or ``papers``, or their settings: learn the site's style tree, or the papers' model. Any other
            method works with the template.

    Raises:
        UsageError: there is no page, or no such method.
    """
    from tamis.site import model

    if method is None or not hasattr(way := settings_of(method), "learn"):
        given = {name: value for name, value in (("settings", settings), ("rules", rules)) if value is not None}
        return model.learn(pages, **given)
    return way.learn(model.trees_given(pages))


@cache
def _default_settings(method: str) -> Any:
    """The settings of a method of :data:`METHODS` as they are unless changed. UsageError: there is no such method."""
    if method not in METHODS:
        raise UsageError(f"unknown method {method!r}; the methods are {', '.join(METHODS)}")
    module, _, name = METHODS[method].partition(":")
    return getattr(import_module(module), name)()
