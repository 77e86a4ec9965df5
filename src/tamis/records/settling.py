"""Where records begin, settled after the list is known.

Repetition says which list is the main one, but a part of each record repeats as well as the whole. Among candidates that score nearly
as high as the best, the one counts

- whose records hold the others one to one: ``li`` rather than the ``div`` with the description in each;
- which begins first, for runs of siblings: all rotations of a period repeat alike, and a list begins with a whole record.
"""

from __future__ import annotations

import numpy as np

from tamis.records.candidates import Candidate
from tamis.records.places import Places
from tamis.records.ranking import Evidence

Scored = tuple[float, Evidence, Candidate]

MARGIN = 0.3
"""How much less, in logarithms, another candidate may score."""
GAIN = 1.5
"""How many times as many records the candidate that holds the others may have: those in which the part is missing."""


MAX_WRAPPERS = 50
"""Levels that a record is followed up at most."""

OUTER_MARGIN = 2.0
"""How much less, in logarithms, a list may score of whose records the best candidate is a part."""
OUTER_PARTS, OUTER_LIKENESS, OUTER_TEXT = 4, 0.6, 1.5
"""Common parts, likeness and text, as a multiple of that of the best candidate, that such a list has at least."""


class Settling:
    """The candidates of a page, ready to be settled.

    Args:
        page: the page.
        ranked: its candidates with their scores, the best first.
    """

    def __init__(self, page: Places, ranked: list[Scored]) -> None:
        self._page = page
        self._alike: dict[tuple[int, int], list[Scored]] = {}
        """Subtrees by depth and tag."""
        self._runs: dict[int, list[Scored]] = {}
        """Runs of siblings by parent."""
        tree = page.tree
        for each in ranked:
            head = int(each[2].heads[0])
            if each[2].run:
                self._runs.setdefault(int(tree.parent[head]), []).append(each)
            else:
                self._alike.setdefault((int(tree.depth[head]), int(tree.tag[head])), []).append(each)

    def settle(self, best: Scored) -> Scored:
        """The candidate that has the whole records of one of them."""
        return self._first_rotation(best) if best[2].run else self._whole_records(best)

    def _whole_records(self, best: Scored) -> Scored:
        """Up from the records as long as every one has a parent of its own and these are a candidate, too."""
        tree, least = self._page.tree, best[0] - MARGIN
        for _ in range(MAX_WRAPPERS):
            above = tree.parent[best[2].heads]
            if len(np.unique(above)) < len(above) or above[0] < 0:
                break
            holding = [
                each
                for each in self._alike.get((int(tree.depth[above[0]]), int(tree.tag[above[0]])), ())
                if each[0] >= least and len(above) <= len(each[2].heads) <= GAIN * len(above) and np.all(np.isin(above, each[2].heads))
            ]
            if not holding:
                break
            best = max(holding, key=lambda each: each[0])
        return best

    def _first_rotation(self, best: Scored) -> Scored:
        """Of the runs with the same parent and about as many records the one that begins first."""
        heads = best[2].heads
        slack = max(1, len(heads) // 20)
        rotated = [
            each
            for each in self._runs.get(int(self._page.tree.parent[heads[0]]), ())
            if each[0] >= best[0] - MARGIN and each[2].heads[0] < heads[0] and abs(len(each[2].heads) - len(heads)) <= slack
        ]
        return min(rotated, key=lambda each: int(each[2].heads[0]), default=best)


def outer_first(page: Places, ranked: list[Scored]) -> list[Scored]:
    """The candidates in order, but before the best one the list in some of whose records it stands, where there is one.

    Code boxes in the posts of a thread repeat better than the posts do. A list around the best candidate counts instead of it if it has
    more text, records that are alike and of several parts, and a score not far below.
    """
    if not ranked:
        return ranked
    score, _, best = ranked[0]
    spans, characters = best.spans, page.characters
    inside = int((characters[spans[:, 1]] - characters[spans[:, 0]]).sum())
    for each in ranked[1:]:
        other, evidence, candidate = each
        if other < score - OUTER_MARGIN:
            break
        outer = candidate.spans
        if (
            candidate.run
            or evidence.records < 3
            or evidence.parts < OUTER_PARTS
            or evidence.likeness < OUTER_LIKENESS
            or evidence.characters < OUTER_TEXT * inside
        ):
            continue
        place = np.searchsorted(outer[:, 0], spans[:, 0], side="right") - 1
        if place.min() >= 0 and np.all(spans[:, 1] <= outer[place, 1]) and 1 < len(np.unique(place)) < len(outer):
            return [each, *(one for one in ranked if one is not each)]
    return ranked
