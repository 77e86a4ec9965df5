"""What a page declares in ``meta``, ``link``, ``base`` and ``html`` elements: Open Graph, Dublin Core, citation tags and the rest."""

from __future__ import annotations

from tamis.page import tags
from tamis.page.tree import PageTree

MAX_TAGS = 2_000
"""Elements looked at on one page."""
MAX_VALUES = 50
"""Values kept under one name."""

_META, _LINK, _BASE, _HTML = (tags.CODE[name] for name in "meta link base html".split())
_NAMING = ("property", "name", "itemprop", "http-equiv")
_WANTED = tags.lookup(tags.codes("meta link base html"))


def read_declared(tree: PageTree) -> dict[str, list[str]]:
    """What a page declares, by source, values in the order of the page.

    Sources: ``meta:NAME`` (``name``, ``property``, ``itemprop``, ``http-equiv``, lower case), ``link:REL``, ``base:href``, ``html:lang``.

    >>> from tamis import parse
    >>> read_declared(parse("<html lang=en><meta name=Author content='Ann Lee'><link rel=next href=/2>"))
    {'html:lang': ['en'], 'meta:author': ['Ann Lee'], 'link:next': ['/2']}
    """
    found: dict[str, list[str]] = {}
    nodes = tree.of_tags(_WANTED).nonzero()[0][:MAX_TAGS]
    for code, given in zip(tree.tag[nodes].tolist(), tree.attributes_of(nodes.tolist()), strict=True):
        if code == _META:
            value = given.get("content", "")
            sources = [f"meta:{given[name].strip().lower()}" for name in _NAMING if name in given] if value and not value.isspace() else []
        elif code == _LINK:
            value = given.get("href", "")
            sources = [f"link:{rel.lower()}" for rel in given.get("rel", "").split(None, 4)[:4]]
        else:
            value = given.get("href", "") if code == _BASE else given.get("lang") or given.get("xml:lang") or ""
            sources = ["base:href" if code == _BASE else "html:lang"] if value else []
        for source in sources:
            values = found.setdefault(source, [])
            if len(values) < MAX_VALUES:
                values.append(value)
    return found
