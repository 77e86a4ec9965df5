"""How likely a group of nodes is the list that a page is about: a score, and the settling of where its records begin.

The formula of the score, and the reasons, are in ``docs/methods/records.md``. *Parts* are the paths of tags from a record to each text and
image that it shows: two records of one list share most of them, a pager or a promotion between them does not.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tamis.records.candidates import Candidate, Spans
from tamis.records.places import PATH_BASE, Places
from tamis.structure.hashing import Hashes, group, mix

SAMPLED_LEAVES = 400  #: Texts and images of a record that are compared.
COMMON = 0.5  #: Share of the records that have a common part.

_INVERSE = np.uint64(pow(int(PATH_BASE), -1, 1 << 64))


def parts_of(page: Places, spans: Spans, roots: NDArray[np.integer]) -> tuple[NDArray[np.intp], Hashes]:
    """The parts of records, each once: pairs of a record's position and a part, intp and uint64 ``(pairs,)``.

    Args:
        page: the page.
        spans: the records, as ranges of nodes; of each the first :data:`SAMPLED_LEAVES` texts and images count.
        roots: for each record the element around it that paths begin below.
    """
    starts = page.shown[spans[:, 0]]
    counts = np.minimum(page.shown[spans[:, 1]] - starts, SAMPLED_LEAVES)
    record = np.repeat(np.arange(len(spans)), counts)
    leaf = page.leaves[np.arange(len(record)) - np.repeat(np.cumsum(counts) - counts, counts) + np.repeat(starts, counts)]
    depth = page.tree.depth[roots]
    # Equal paths differ by a power of the base where they begin at different depths.
    scale = _INVERSE ** depth.astype(np.uint64)
    path = (page.below[leaf] - page.below[roots][record]) * scale[record]
    pair = group(mix(path) + record.astype(np.uint64) * PATH_BASE)[1]
    return record[pair], path[pair]


SAMPLED_RECORDS = 60  #: Records of a candidate that are compared: spread evenly where there are more.
LEAST_SCORE = 3.3  #: Groups with a lower score are not lists.
_TEXT, _NUMBER, _LIKENESS, _PARTS = 0.5, 1.0, 3.0, 1.5
"""Powers of the characters, the number of records, their likeness, the number of common parts."""
_LINKED, _ASIDE, _MAIN = 0.5, 1.0, 0.3
"""What counts for records with links, against records beside the content, for records in ``main`` or in an element called results."""
_MOST_RECORDS, _MOST_PARTS = 25, 6  #: Numbers from which on more do not count.


@dataclass(frozen=True, slots=True)
class Evidence:
    """What a candidate is ranked by."""

    records: int
    characters: int
    likeness: float  #: 0..1.
    parts: int
    linked: float  #: Share of records that have a link.
    aside: float  #: 0: in the content, to 2: surely beside it.
    main: float  #: Share of the records that stand within ``main`` or an element called after a list of results.

    @property
    def score(self) -> float:
        """The logarithm of the score; minus infinity for records without text."""
        every = (self.records, self.characters, self.likeness, self.parts, self.linked, self.aside, self.main)
        return float(_score(*(np.asarray(one) for one in every)))


def _score(records: Any, characters: Any, likeness: Any, parts: Any, linked: Any, aside: Any, main: Any) -> NDArray[np.float64]:
    """:attr:`Evidence.score` of many candidates. Arguments as its fields, as arrays."""
    score = (
        _TEXT * np.log1p(characters)
        + _NUMBER * np.log(np.minimum(records, _MOST_RECORDS))
        + _LIKENESS * np.log(likeness + 0.05)
        + _PARTS * np.log(np.minimum(parts, _MOST_PARTS) + 0.3)
        + _LINKED * linked
        - _ASIDE * aside
        + _MAIN * main
    )
    return np.where(characters == 0, -np.inf, score)


Scored = tuple[float, Evidence, Candidate]  #: A candidate with its score and the evidence for it.


def weigh(page: Places, candidate: Candidate) -> Evidence:
    """The evidence for one candidate."""
    first, after = candidate.spans[:, 0], candidate.spans[:, 1]
    likeness, parts = _likeness(page, candidate)
    above = page.tree.parent[first]  # a record's own names say nothing about where it stands
    return Evidence(
        records=len(first),
        characters=int((page.characters[after] - page.characters[first]).sum()),
        likeness=likeness,
        parts=parts,
        linked=float(np.mean(page.links[after] > page.links[first])),
        aside=float(page.aside[above].mean()),
        main=float(page.main[above].mean()),
    )


def _likeness(page: Places, candidate: Candidate) -> tuple[float, int]:
    """Likeness of the records, and the number of their common parts."""
    spans = candidate.spans
    if len(spans) > SAMPLED_RECORDS:
        spans = spans[np.linspace(0, len(spans) - 1, SAMPLED_RECORDS).astype(np.intp)]
    _, part = parts_of(page, spans, page.tree.parent[spans[:, 0]])
    if not len(part):
        return 0.0, 0
    share = np.unique(part, return_counts=True)[1] / len(spans)
    return float((share * share).sum() / share.sum()), int(np.count_nonzero(share >= COMMON))


def ranked(page: Places, found: list[Candidate], enough: int = 60) -> list[Scored]:
    """Candidates with their scores, the best first, without those below :data:`LEAST_SCORE`.

    Records are compared only of the ``enough`` candidates that can score highest, and of those that can be the best of all.
    """
    bounds = _bounds(page, found)
    scored: list[Scored] = []
    best = -np.inf
    for number, k in enumerate(np.argsort(-bounds, kind="stable").tolist()):
        bound = bounds[k]
        if bound < LEAST_SCORE or (number >= enough and bound <= best):
            break
        evidence = weigh(page, found[k])
        score = evidence.score
        best = max(best, score)
        if score >= LEAST_SCORE:
            scored.append((score, evidence, found[k]))
    scored.sort(key=lambda each: (-each[0], int(each[2].heads[0]), each[2].run))
    return scored


def _bounds(page: Places, found: list[Candidate]) -> NDArray[np.float64]:
    """The score of each candidate if its records were all alike, rich and linked, float64 ``(len(found),)``."""
    records = np.array([len(candidate.spans) for candidate in found], dtype=np.int64)
    if not len(found):
        return np.zeros(0)
    first, after = np.concatenate([candidate.spans for candidate in found]).T
    starts = np.cumsum(records) - records
    above = page.tree.parent[first]
    columns = (page.characters[after] - page.characters[first], page.aside[above], page.main[above].astype(np.int64))
    characters, aside, main = (np.add.reduceat(column, starts) for column in columns)
    return _score(records, characters, 1.0, _MOST_PARTS, 1.0, aside / records, main / records)


MARGIN = 0.3  #: How much less, in logarithms, another candidate may score.
GAIN = 1.5  #: How many times as many records the candidate that holds the others may have: those in which the part is missing.
MAX_WRAPPERS = 50  #: Levels that a record is followed up at most.


def settled(page: Places, found: list[Scored], best: Scored) -> Scored:
    """Of the ranked candidates of a page the one that has the whole records of one of them: up from the records as long as every one has
    a parent of its own and these are a candidate, too. Runs between records of which some have a class name more are these records, if
    they are a candidate."""
    depth, tag = page.tree.depth, page.tree.tag
    likely = [each for each in found if each[0] >= best[0] - MARGIN and not each[2].run]

    def holding(nodes: NDArray[np.integer], least: int, most: float) -> Scored | None:
        """The best of the candidates that consist of some nodes, and of others of their level, so many in all."""
        fitting = (
            each
            for each in likely
            if least <= len(each[2].heads) <= most
            and (depth[each[2].heads[0]], tag[each[2].heads[0]]) == (depth[nodes[0]], tag[nodes[0]])
            and np.all(np.isin(nodes, each[2].heads))
        )
        return max(fitting, key=lambda each: each[0], default=None)

    heads = best[2].heads
    if best[2].run:
        return holding(heads, len(heads) + 1, np.inf) or best
    for _ in range(MAX_WRAPPERS):
        above = page.tree.parent[best[2].heads]
        around = holding(above, len(above), GAIN * len(above)) if above[0] >= 0 and len(np.unique(above)) == len(above) else None
        if around is None:
            break
        best = around
    return best
