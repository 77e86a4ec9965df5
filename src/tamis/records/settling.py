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


def settle(page: Places, best: Scored, ranked: list[Scored]) -> Scored:
    """The candidate that has the whole records of the best one."""
    near = [each for each in ranked if each[0] >= best[0] - MARGIN and each[2].run == best[2].run]
    return _first_rotation(page, best, near) if best[2].run else _whole_records(page, best, near)


def _whole_records(page: Places, best: Scored, near: list[Scored]) -> Scored:
    """Up from the records as long as every one has a parent of its own and these are a candidate, too."""
    while True:
        above = page.tree.parent[best[2].heads]
        if len(np.unique(above)) < len(above) or above[0] < 0:
            return best
        holding = [each for each in near if len(above) <= len(each[2].heads) <= GAIN * len(above) and np.all(np.isin(above, each[2].heads))]
        if not holding:
            return best
        best = max(holding, key=lambda each: each[0])


def _first_rotation(page: Places, best: Scored, near: list[Scored]) -> Scored:
    """Of the runs with the same parent and about as many records the one that begins first."""
    heads, parents = best[2].heads, page.tree.parent
    slack = max(1, len(heads) // 20)
    rotated = [
        each
        for each in near
        if parents[each[2].heads[0]] == parents[heads[0]] and each[2].heads[0] < heads[0] and abs(len(each[2].heads) - len(heads)) <= slack
    ]
    return min(rotated, key=lambda each: int(each[2].heads[0]), default=best)
