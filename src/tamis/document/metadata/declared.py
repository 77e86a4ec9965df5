"""Read what a page declares of itself in its head: ``meta`` tags, links, its language."""

from __future__ import annotations

from tamis.page import tags
from tamis.page.tree import PageTree

MAX_VALUES = 50  #: Values kept under one name.
MAX_TAGS = 2_000  #: Elements looked at on one page.
_META, _LINK = tags.CODE["meta"], tags.CODE["link"]
_NAMING = ("property", "name", "itemprop", "http-equiv")
_WANTED = tags.lookup(tags.codes("meta html"))
_LINKS = frozenset(("canonical", "image_src", "license"))  #: Relations of links that are read.


def read_declared(tree: PageTree) -> dict[str, list[str]]:
    """Return the declarations of a page by source, values in the order of the page.

    Sources: ``meta:NAME`` (``name``, ``property``, ``itemprop``, ``http-equiv``, lower case), ``link:REL``, ``html:lang``.

    >>> from tamis import parse
    >>> read_declared(parse("<html lang=en><meta name=Author content='Ann Lee'><link rel=next href=/3><link rel=canonical href=/2>"))
    {'html:lang': ['en'], 'meta:author': ['Ann Lee'], 'link:canonical': ['/2']}
    """
    found: dict[str, list[str]] = {}
    rels = tree.values("rel")
    links = rels.of_codes(rels.passing(lambda rel: not _LINKS.isdisjoint(rel.lower().split(None, 4)), tuple(_LINKS)))
    nodes = (tree.of_tags(_WANTED) | ((tree.tag == _LINK) & links)).nonzero()[0][:MAX_TAGS]
    for code, given in zip(tree.tag[nodes].tolist(), tree.attributes_of(nodes.tolist()), strict=True):
        if code == _META:
            if not (value := given.get("content")) or value.isspace():
                continue
            sources = [f"meta:{name.strip().lower()}" for name in map(given.get, _NAMING) if name is not None]
        elif code == _LINK:
            value = given.get("href", "")
            sources = [f"link:{rel}" for rel in given.get("rel", "").lower().split(None, 4)[:4]]
        else:
            value = given.get("lang") or given.get("xml:lang") or ""
            sources = ["html:lang"] if value else []
        for source in sources:
            if source not in found:
                found[source] = [value]
            elif len(found[source]) < MAX_VALUES:
                found[source].append(value)
    return found
