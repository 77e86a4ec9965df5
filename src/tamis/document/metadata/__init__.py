"""Metadata of a page: what it says of itself, in JSON-LD, in ``meta`` tags and to its readers.

Each field is the first usable value of a list of candidates, the most trusted first; which order is best was measured
(``benchmarks.metadata``) and is written down where the candidates are: :mod:`tamis.document.metadata.candidates`.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass, field
from dataclasses import fields as fields_of
from typing import Any

from tamis.document.metadata.candidates import Candidates, Found
from tamis.document.metadata.product import Product as Product
from tamis.page.tree import PageTree


@dataclass(frozen=True, slots=True)
class Metadata:
    """What a page says of itself; None where it says nothing."""

    title: str | None = None
    """Title, without the name of the site where that can be told."""
    author: str | None = None
    """Names of the authors, joined by ``"; "``."""
    date: str | None = None
    """When it was published, ISO 8601: a date, a date and time (with its offset where the page gives one), or only a year and month."""
    modified: str | None = None
    """When it was changed last, likewise."""
    site_name: str | None = None
    language: str | None = None
    """BCP 47, such as ``zh-CN``."""
    canonical_url: str | None = None
    description: str | None = None
    image: str | None = None
    """Address of the main image."""
    base: str | None = None
    """What relative addresses on the page resolve against: ``<base href>`` joined with the URL, else the URL."""
    product: Product | None = None
    """What the page sells, where it states that."""
    sources: Mapping[str, str] = field(default_factory=dict, hash=False)
    """Where each value comes from, by field: ``json-ld:headline``, ``meta:og:title``, ``page:h1``, ``url``, ..."""

    def to_dict(self) -> dict[str, Any]:
        """The metadata as plain values, ``sources`` as a dictionary."""
        values = {each.name: getattr(self, each.name) for each in fields_of(self) if each.name != "product"}
        values["sources"] = dict(self.sources)
        return values | {"product": self.product.to_dict()} if self.product else values


FIELDS = ("title", "author", "date", "modified", "site_name", "language", "canonical_url", "description", "image")
"""Fields that are chosen among candidates."""
PRODUCT = "product"
"""The field that holds what a page sells."""


def read_metadata(tree: PageTree, url: str | None = None, fields: Collection[str] = (*FIELDS, PRODUCT)) -> Metadata:
    """Read what a page says of itself. Never raises on what a page holds.

    Args:
        tree: the page.
        url: where it comes from; resolves relative addresses, and its host and path are candidates for the site and the date.
        fields: which of :data:`FIELDS` and :data:`PRODUCT` are wanted: the others are None, and their work is not done.

    >>> from tamis import parse
    >>> found = read_metadata(parse('<meta property="og:title" content="Ripe tomatoes"><p>By Ann Lee'))
    >>> found.title, found.sources["title"]
    ('Ripe tomatoes', 'meta:og:title')
    """
    candidates = Candidates(tree, url)
    values: dict[str, str] = {}
    sources: dict[str, str] = {}
    for name in FIELDS:
        found: Found | None = getattr(candidates, name) if name in fields else None
        if found is not None:
            values[name], sources[name] = found
    if candidates.base is not None:
        values["base"] = candidates.base
    return Metadata(**values, product=candidates.product if PRODUCT in fields else None, sources=sources)
