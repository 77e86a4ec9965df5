"""Titles without the name of the site, which is cut only where something else on the page shows that it is one."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Sequence
from functools import lru_cache

from tamis.document.metadata.tidy import folded, host, line

_SEPARATOR = re.compile(
    r"(\s+[-–—|·•»›:⋅~<>/←→]+\s+|\s*(?:[|｜»›]|::|--)\s*|\s*[—–]\s+|:\s+|_(?=\S)"
    r"|-(?=[^-\s]{0,12}[\u4e00-\u9fff][^-\s]{0,12}$)|(?<=\S)(?=【[^【】]{1,12}】(?:_|-|$)))"
)
LEAST_BEGINNING = 0.35  #: Share of a title's letters that the beginning has which is taken for all of it.
_PERMALINK = re.compile(r"\s*[¶#§🔗]$")
_SOFTWARE = re.compile(r"powered by\b", re.I)
_WORD = re.compile(r"\w+")
_DOMAIN_FURNITURE = frozenset("www com org net edu gov co info io de fr uk us eu blog news m en".split())


def title_line(value: str) -> str | None:
    """A title as one line, without the sign that a heading's permanent link is.

    >>> title_line("Ripe\\n tomatoes¶")
    'Ripe tomatoes'
    """
    title = line(value)
    return _PERMALINK.sub("", title) if title else None


def agreeing_heading(headings: Sequence[str], declared: Sequence[str], site_names: Collection[str]) -> str | None:
    """The first heading with at least half of the words of a declared title; the first one if no title is declared.

    A heading that is the site's name only counts if no declared title says anything else.

    >>> agreeing_heading(["The Garden", "Ripe tomatoes"], ["Ripe tomatoes - The Garden"], {"thegarden"})
    'Ripe tomatoes'
    """
    wholes = [folded(title) for title in declared if title]
    only_site = all(whole in site_names for whole in wholes)
    for heading in headings:
        name = folded(heading)
        if not name or (name in site_names and not only_site):
            continue
        if not wholes or any(name in whole for whole in wholes) or any(_shares_words(heading, title) for title in declared if title):
            return heading
    return None


def _shares_words(heading: str, title: str) -> bool:
    """Whether a title has at least half of the words of a heading."""
    words = set(_WORD.findall(heading.casefold()))
    return 2 * len(words.intersection(_WORD.findall(title.casefold()))) >= len(words)


def site_headings(headings: Sequence[str], title: str) -> set[str]:
    """Headings that are the last part of the ``title`` element, after other parts: names of the site, folded.

    >>> site_headings(["The Garden Book", "Ripe tomatoes"], "Ripe tomatoes - The Garden Book")
    {'thegardenbook'}
    """
    pieces = _SEPARATOR.split(title)
    if len(pieces) < 3:
        return set()
    last = folded(pieces[-1])
    return {name for name in map(folded, headings) if name == last and name != folded("".join(pieces[:-2]))}


def without_site(title: str, site_names: Collection[str], headings: Collection[str] = ()) -> str:
    """A title with the site's name cut off.

    Args:
        title: as in the ``title`` element or in ``og:title``.
        site_names: names of the site, folded (:func:`~tamis.document.metadata.tidy.folded`).
        headings: the main headings: if one is the beginning or end of the title, the rest is the site's.

    >>> without_site("Ripe tomatoes - Growing | The Garden", {"thegarden"})
    'Ripe tomatoes - Growing'
    >>> without_site("番茄熟了_种植_花园网", {"花园网"}, ["番茄熟了"])
    '番茄熟了'
    >>> without_site("番茄不结果 - 园艺 - Powered by Discuz!", set())
    '番茄不结果 - 园艺'
    >>> without_site("Tom - Jerry", set())
    'Tom - Jerry'
    """
    pieces = _SEPARATOR.split(title)
    if len(pieces) < 3 or len(pieces) > 41:
        return title
    for heading in headings:
        name = folded(heading)
        if name not in site_names and (found := _matching_side(pieces, name)):
            return found
    while len(pieces) >= 3 and (folded(pieces[-1]) in site_names or _SOFTWARE.match(pieces[-1])):
        pieces = pieces[:-2]
    while len(pieces) >= 3 and folded(pieces[0]) in site_names:
        pieces = pieces[2:]
    return "".join(pieces).strip() or title


def site_in(title: str, heading: str) -> str | None:
    """What the end of the ``title`` element calls the site, after a main heading and perhaps other parts.

    >>> site_in("Ripe tomatoes - Growing | The Garden", "Ripe tomatoes"), site_in("番茄熟了_花园网", "番茄熟了")
    ('The Garden', '花园网')
    >>> site_in("番茄不结果_python-花园网", "番茄不结果")
    '花园网'
    >>> site_in("番茄不结果 - 种植 - 花园网 - Powered by Discuz!", "番茄不结果")
    '花园网'
    >>> site_in("Ripe tomatoes: how to grow them", "Ripe tomatoes"), site_in("The Garden | Ripe tomatoes", "Ripe tomatoes")
    (None, None)
    """
    pieces = _SEPARATOR.split(title)
    if _SOFTWARE.match(pieces[-1]):
        pieces = pieces[:-2]
    if not 3 <= len(pieces) <= 41 or pieces[-2].strip() == ":" or not _WORD.search(pieces[-1]):
        return None
    beginnings = ("".join(pieces[:cut]) for cut in range(len(pieces) - 2, 0, -2))
    name = folded(heading)
    return pieces[-1].strip() if any(folded(beginning) == name for beginning in beginnings) and folded(pieces[-1]) != name else None


def shown_beginning(title: str, headings: Iterable[str]) -> str:
    """The longest beginning of a title that is a lower heading on the page, where it is a good part of the title; else the title.

    >>> shown_beginning("Ripe tomatoes - Growing | The Garden", ["Growing", "Ripe Tomatoes"])
    'Ripe tomatoes'
    """
    pieces = _SEPARATOR.split(title)
    if not 3 <= len(pieces) <= 41:
        return title
    shown = set(map(folded, headings))
    for cut in range(len(pieces) - 2, 0, -2):
        beginning = "".join(pieces[:cut])
        if (name := folded(beginning)) in shown and len(name) >= LEAST_BEGINNING * len(folded(title)):
            return beginning.strip()
    return title


def _matching_side(pieces: list[str], heading: str) -> str | None:
    """The pieces from the beginning or to the end of a title that are a heading, the most first."""
    if heading:
        for cut in range(len(pieces) - 2, 0, -2):
            for side in (pieces[:cut], pieces[-cut:]):
                if folded("".join(side)) == heading:
                    return "".join(side).strip()
    return None


def names_of_host(url: str | None) -> set[str]:
    """What the site may be called, to judge by its host, folded.

    >>> sorted(names_of_host("https://www.my-garden.example.co.uk/x"))
    ['example', 'examplecouk', 'mygarden', 'mygardenexamplecouk', 'wwwmygardenexamplecouk']
    """
    return set(_names_of_host(host(url)))


@lru_cache(maxsize=256)  # the pages of a site share their host
def _names_of_host(name: str) -> frozenset[str]:
    labels = name.split(".")
    names = {folded(label) for label in labels if label not in _DOMAIN_FURNITURE}
    names.update(folded("".join(labels[k:])) for k in range(len(labels) - 1))
    return frozenset(names) - {"", *(folded("".join(labels[k:])) for k in range(len(labels)) if set(labels[k:]) <= _DOMAIN_FURNITURE)}
