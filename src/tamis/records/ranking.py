r"""How likely a group of nodes is the list that a page is about.

The main list of a page holds much of its text, in records that are many, made alike and of several parts each. Each of these is a
number:

======================  ==========================================================================================
characters :math:`c`    of all records together
records :math:`n`       up to 25
likeness :math:`a`      share of a record's leaf paths that another record has too: :math:`\sum_p f_p^2 / \sum_p f_p`, with
                        :math:`f_p` the share of records that have path *p*
parts :math:`k`         leaf paths that at least half of the records have, up to 6
======================  ==========================================================================================

and the score is their product, each to a power that says how much it counts:

.. math:: s = c^{1/2} \cdot n \cdot (a + 0.05)^3 \cdot (k + 0.3)^{3/2} \cdot e^{l/2 - d + 0.3 m - 0.3 t}

*l* is the share of records with a link; *d* says whether the records stand beside the content (in ``nav``, ``aside``, ``footer``; in an
element called menu, sidebar, ...), *m* is the share that stands in ``main`` or in an element named after results, and *t* the share of
their text that is links. The powers were chosen by hand on half of the sites
with gold.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from tamis.errors import UsageError
from tamis.records.candidates import Candidate
from tamis.records.parts import COMMON, parts_of
from tamis.records.places import Places

SAMPLED_RECORDS = 60
"""Records of a candidate that are compared: spread evenly where there are more."""


@dataclass(frozen=True, slots=True)
class Ranking:
    """How much each trait counts.

    Raises:
        UsageError: a power is below 0, or a bound below 1.
    """

    text: float = 0.5
    """Power of the characters."""
    number: float = 1.0
    """Power of the number of records."""
    most: int = 25
    """Number of records from which on more do not count."""
    likeness: float = 3.0
    """Power of the likeness."""
    parts: float = 1.5
    """Power of the number of common parts."""
    most_parts: int = 6
    """Number of common parts from which on more do not count."""
    links: float = 0.5
    """What it counts that records have links."""
    aside: float = 1.0
    """What it counts against records that they stand beside the content."""
    main: float = 0.3
    """What it counts that records stand within ``main``, or within an element called results, products and the like."""
    link_text: float = 0.3
    """What it counts against records that their text is links."""

    def __post_init__(self) -> None:
        for name in ("text", "number", "likeness", "parts", "links", "aside", "main", "link_text"):
            if getattr(self, name) < 0:
                raise UsageError(f"{name} is 0 or more, not {getattr(self, name)}")
        if self.most < 1 or self.most_parts < 1:
            raise UsageError("most and most_parts are numbers from 1")


@dataclass(frozen=True, slots=True)
class Evidence:
    """What a candidate is ranked by."""

    records: int
    characters: int
    likeness: float
    """0..1."""
    parts: int
    linked: float
    """Share of records that have a link."""
    link_text: float
    """Share of the characters that are links."""
    aside: float
    """0: in the content, to 2: surely beside it."""
    main: float = 0.0
    """Share of the records that stand within ``main`` or an element called after a list of results."""

    def score(self, ranking: Ranking = Ranking()) -> float:
        """The logarithm of the score; minus infinity for records without text."""
        if not self.characters:
            return -np.inf
        return float(
            ranking.text * np.log1p(self.characters)
            + ranking.number * np.log(min(self.records, ranking.most))
            + ranking.likeness * np.log(self.likeness + 0.05)
            + ranking.parts * np.log(min(self.parts, ranking.most_parts) + 0.3)
            + ranking.links * self.linked
            - ranking.aside * self.aside
            + ranking.main * self.main
            - ranking.link_text * self.link_text
        )


def weigh(page: Places, candidate: Candidate) -> Evidence:
    """The evidence for one candidate."""
    first, after = candidate.spans[:, 0], candidate.spans[:, 1]
    characters = int((page.characters[after] - page.characters[first]).sum())
    likeness, parts = _likeness(page, candidate)
    above = page.tree.parent[first]  # a record's own names say nothing about where it stands
    return Evidence(
        records=len(first),
        characters=characters,
        likeness=likeness,
        parts=parts,
        linked=float(np.mean(page.links[after] > page.links[first])),
        link_text=float((page.linked[after] - page.linked[first]).sum() / max(characters, 1)),
        aside=float(page.aside[above].mean()),
        main=float(page.main[above].mean()),
    )


def _likeness(page: Places, candidate: Candidate) -> tuple[float, int]:
    """Likeness of the records, and the number of their common parts."""
    chosen = np.unique(np.linspace(0, len(candidate.spans) - 1, min(len(candidate.spans), SAMPLED_RECORDS)).astype(np.intp))
    spans = candidate.spans[chosen]
    _, part = parts_of(page, spans, page.tree.parent[spans[:, 0]])
    if not len(part):
        return 0.0, 0
    share = np.unique(part, return_counts=True)[1] / len(chosen)
    return float((share * share).sum() / share.sum()), int(np.count_nonzero(share >= COMMON))


def ranked(
    page: Places, found: list[Candidate], ranking: Ranking = Ranking(), least: float = -np.inf, enough: int = 60
) -> list[tuple[float, Evidence, Candidate]]:
    """Candidates with their scores, the best first, those below ``least`` left out.

    What a candidate can score at most is known without comparing its records; those that cannot be among the ``enough`` best by that,
    nor be the best of all, are not compared.
    """
    bounds = [(_bound(page, candidate, ranking), k) for k, candidate in enumerate(found)]
    bounds.sort(key=lambda each: (-each[0], each[1]))
    scored: list[tuple[float, Evidence, Candidate]] = []
    best = -np.inf
    for number, (bound, k) in enumerate(bounds):
        if bound < least or (number >= enough and bound <= best):
            break
        evidence = weigh(page, found[k])
        score = evidence.score(ranking)
        best = max(best, score)
        if score >= least:
            scored.append((score, evidence, found[k]))
    scored.sort(key=lambda each: (-each[0], int(each[2].heads[0]), each[2].run))
    return scored


def _bound(page: Places, candidate: Candidate, ranking: Ranking) -> float:
    """What a candidate would score if its records were all alike and rich."""
    first, after = candidate.spans[:, 0], candidate.spans[:, 1]
    characters = int((page.characters[after] - page.characters[first]).sum())
    link_text = float((page.linked[after] - page.linked[first]).sum() / max(characters, 1))
    above = page.tree.parent[first]
    place = float(page.aside[above].mean()), float(page.main[above].mean())
    return Evidence(len(first), characters, 1.0, ranking.most_parts, 1.0, link_text, *place).score(ranking)
