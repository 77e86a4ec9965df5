"""Metadata of a page, from JSON-LD, ``meta`` tags and the visible page; :data:`tamis.document.metadata.candidates.ORDER` has the order."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass, field
from dataclasses import fields as fields_of
from functools import cached_property
from itertools import takewhile
from typing import Any

from tamis.document.goods import read_product
from tamis.document.metadata.candidates import Candidates
from tamis.document.metadata.product import Product as Product
from tamis.page.tree import PageTree


def _nothing() -> None:
    """No product."""


@dataclass(frozen=True)
class Metadata:
    """Metadata that a page states; None if it states nothing."""

    title: str | None = None  #: Title, without the name of the site where that can be told.
    author: str | None = None  #: Names of the authors, joined by ``"; "``; without editors.
    date: str | None = None
    """Time of publication, ISO 8601: a date, a date and time (with its offset where the page gives one), or only a year and month. If a
    line at the heading lacks the year, it is that of the change, never that of the clock."""
    modified: str | None = None  #: Time of the last change, in the same form.
    site_name: str | None = None  #: As the page declares it, else the end of its ``title``, after the title of the page.
    language: str | None = None  #: BCP 47, such as ``zh-CN``.
    canonical_url: str | None = None
    description: str | None = None  #: None if it is only the title or the name of the site.
    image: str | None = None  #: Address of the main image.
    categories: str | None = None  #: The page's section or categories, joined by ``"; "``.
    tags: str | None = None  #: Its tags or keywords, joined by ``"; "``.
    license: str | None = None  #: Address or name of the licence of its text.
    base: str | None = None  #: Base of relative addresses on the page: ``<base href>`` joined with the URL, else the URL.
    sources: Mapping[str, str] = field(default_factory=dict, hash=False)
    """The source of each value, by field: ``json-ld:headline``, ``meta:og:title``, ``page:h1``, ``url``, ..."""
    _read_product: Callable[[], Product | None] = field(default=_nothing, repr=False, compare=False)

    @cached_property
    def product(self) -> Product | None:
        """The product that the page sells, if it states or shows one. Read when first asked for."""
        return self._read_product()

    def __getstate__(self) -> dict[str, Any]:
        """Pickled with the product and without the page."""
        return {**self.__dict__, "product": self.product, "_read_product": _nothing}

    def to_dict(self) -> dict[str, Any]:
        """Return the metadata as plain values, ``sources`` as a dictionary."""
        values = {each.name: getattr(self, each.name) for each in fields_of(self) if each.name != "_read_product"}
        values["sources"] = dict(self.sources)
        return values | {"product": self.product.to_dict()} if self.product else values


FIELDS = tuple(takewhile("base".__ne__, (each.name for each in fields_of(Metadata))))
"""Fields that are chosen among candidates: those before ``base``."""


def read_metadata(tree: PageTree, url: str | None = None, fields: Collection[str] = FIELDS) -> Metadata:
    """Read what a page says of itself. Never raises because of the page.

    Args:
        tree: the page.
        url: its address: resolves relative addresses; its host and path are candidates for the site and the date.
        fields: which of :data:`FIELDS` to read; the others are None.

    >>> from tamis import parse
    >>> found = read_metadata(parse('<meta property="og:title" content="Ripe tomatoes"><p>By Ann Lee'))
    >>> found.title, found.sources["title"]
    ('Ripe tomatoes', 'meta:og:title')
    """
    return metadata_of(Candidates(tree, url), fields)


def address_of(tree: PageTree, url: str | None = None) -> str | None:
    """Return the address that a page was read from, or else the one that it declares as canonical."""
    return url or read_metadata(tree, None, ("canonical_url",)).canonical_url


def metadata_of(candidates: Candidates, fields: Collection[str] = FIELDS) -> Metadata:
    """Return :func:`read_metadata` of the candidates of a page."""
    found = {name: candidates.find(name) for name in FIELDS if name in fields}
    values = {name: each[0] for name, each in found.items() if each}
    sources = {name: each[1] for name, each in found.items() if each}
    return Metadata(**values, base=candidates.base, sources=sources, _read_product=lambda: read_product(candidates))
