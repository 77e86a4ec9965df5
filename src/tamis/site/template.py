"""The places of a site, for people: where the main text is, and which parts the site repeats, by what a sample of its pages says.

A place is a path of element names from the root (:data:`tamis.site.places.KINDS`). The sums below it tell how much of its text is on other
pages, how much is link text, and how much the page model takes for main text. They decide nothing: that is up to the trees
(:mod:`tamis.site.trees`).
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from tamis.site.digest import PageDigest
from tamis.site.places import CONTAINER, LINKED, MOST_PROBABLE, Sample, stable_name

CONTENT, OUTSIDE, STATIC, LINKS = VERDICTS = ("content place", "outside the content place", "template text", "template links")
TEMPLATE = 0.8  #: A place is template text if this share of its words is frequent on the site; template links if frequent or linked.
MAIN = 0.5  #: A place is not template if this share of its words is likely main text,
OWN = 0.3  #: or if it holds this share of what is likely main text on its pages.
DESCENT = 0.85  #: The content place is the deepest one that holds this share of the likely main text, step by step.
_CONTAINERS = frozenset(
    "html body div section article main table tbody thead tfoot tr td th form center dl dd fieldset header aside footer details figure "
    "noscript frameset".split()
)
"""Elements that may be a content place; a paragraph, a list or a heading is part of one."""
SEVERAL = 2  #: Pages that have a part of the template, at the least.


@dataclass(slots=True, eq=False)
class SitePlace:
    """A place of a site, with what its sample pages have there."""

    path: str  #: Names from the root, such as ``html > body > div#main``.
    pages: int  #: Sample pages that have it.
    words: float  #: On each of them.
    main: float  #: Of them, likely main text: the sum of their probabilities.
    repeated: float  #: Share of the words in text that is frequent on the site.
    links: float  #: Share of the words in links.
    verdict: str = OUTSIDE  #: One of :data:`VERDICTS`.
    below: list[SitePlace] = field(default_factory=list, repr=False)  #: The places in it.


def read_places(sample: Sample, pages: Iterable[PageDigest]) -> list[SitePlace]:
    """Return the places of a sample, each before those below it. ``pages``: those it was learned from, which name the places."""
    found: dict[int, SitePlace] = {}
    for page in pages:
        rows = sample.containers_of(page).tolist()
        for row, name, above in zip(rows, page.name.tolist(), page.parent.tolist(), strict=True):
            if row >= 0 and row not in found:
                step, holder = stable_name(page.names[name], sample.names), found.get(rows[above]) if above >= 0 else None
                found[row] = _place(sample.container_sums[row], step if holder is None else f"{holder.path} > {step}")
                if holder is not None:
                    holder.below.append(found[row])
    places = list(found.values())
    if places:
        _judge(places)
    return places


def _place(sums: NDArray[np.float64], path: str) -> SitePlace:
    of = dict(zip(CONTAINER, sums.tolist(), strict=True))
    pages, words = of["pages"], max(of["words"], 1.0)
    main = of["p words"] / MOST_PROBABLE / pages
    return SitePlace(path, int(pages), of["words"] / pages, main, of["frequent words"] / words, of["linked words"] / LINKED / words)


def _judge(places: list[SitePlace]) -> None:
    """Fill in the verdicts: of the content place, of the highest parts of the template, and of all that is below either."""
    content = places[0]
    while best := max(content.below, key=_all_main, default=None):
        tag = re.split(r"[.#]", best.path.rpartition(" > ")[2])[0]
        if tag not in _CONTAINERS or _all_main(best) < DESCENT * _all_main(content):
            break
        content = best
    content.verdict = CONTENT
    for place in places:
        is_part = place.pages >= SEVERAL and place.words and place.main < min(MAIN * place.words, OWN * places[0].main)
        if is_part and place.verdict in (CONTENT, OUTSIDE) and place.repeated + place.links >= TEMPLATE:
            place.verdict = STATIC if place.repeated >= TEMPLATE else LINKS
        if place.verdict != OUTSIDE:
            for below in place.below:
                below.verdict = place.verdict


def _all_main(place: SitePlace) -> float:
    return place.main * place.pages
