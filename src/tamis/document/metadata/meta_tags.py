"""What a page declares in ``meta``, ``link``, ``base`` and ``html`` elements: Open Graph, Dublin Core, citation tags and the rest."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field

from tamis.page import tags
from tamis.page.tree import PageTree

MAX_TAGS = 2_000
"""Elements looked at on one page."""
MAX_VALUES = 50
"""Values kept under one name."""

_META, _LINK, _BASE, _HTML = (tags.CODE[name] for name in "meta link base html".split())
_NAMING = ("property", "name", "itemprop", "http-equiv")
_WANTED = tags.lookup(tags.codes("meta link base html"))


@dataclass(frozen=True, slots=True)
class MetaTags:
    """Values of the elements that declare something, in the order of the page."""

    values: dict[str, list[str]] = field(default_factory=dict)
    """By name (``name``, ``property``, ``itemprop`` or ``http-equiv``), lower case."""
    links: dict[str, list[str]] = field(default_factory=dict)
    """``href`` by ``rel``, lower case."""
    base: str | None = None
    """``href`` of the first ``base`` that has one."""
    lang: str | None = None
    """``lang`` of the page."""

    def named(self, *names: str) -> Iterator[tuple[str, str]]:
        """Values under any of the names, with where they come from, the first name first.

        >>> list(MetaTags({"og:title": ["A", "B"]}).named("twitter:title", "og:title"))
        [('A', 'meta:og:title'), ('B', 'meta:og:title')]
        """
        for name in filter(self.values.__contains__, names):
            for value in self.values[name]:
                yield value, f"meta:{name}"


def read_meta_tags(tree: PageTree) -> MetaTags:
    """Read the declaring elements of a page."""
    values: dict[str, list[str]] = {}
    links: dict[str, list[str]] = {}
    base = lang = None
    nodes = tree.of_tags(_WANTED).nonzero()[0][:MAX_TAGS]
    for code, given in zip(tree.tag[nodes].tolist(), tree.attributes_of(nodes.tolist()), strict=True):
        if code == _META:
            content = given.get("content", "")
            if content and not content.isspace():
                for name in _NAMING:
                    if name in given:
                        _add(values, given[name], content)
        elif code == _LINK:
            for rel in given.get("rel", "").split(None, 4)[:4]:
                _add(links, rel, given.get("href", ""))
        elif code == _BASE:
            base = base or given.get("href")
        elif lang is None:
            lang = given.get("lang") or given.get("xml:lang")
    return MetaTags(values, links, base, lang)


def _add(to: dict[str, list[str]], name: str, value: str) -> None:
    known = to.setdefault(name.strip().lower(), [])
    if len(known) < MAX_VALUES:
        known.append(value)
