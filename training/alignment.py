"""Gold text to blocks: which tokens of a page its gold text is made of.

A page says many things twice, and a gold text is a text only, without places. Long common runs of tokens say where it comes from; they
are taken first, the longest first, then shorter ones near to them, then short blocks that continue what is matched.
"""

from __future__ import annotations

from collections import defaultdict

import numpy as np
from numpy.typing import NDArray

Numbers = NDArray[np.int64]
_SEEDS = ((12, None), (6, None), (4, None), (3, 60), (2, 15))
"""Least tokens of a run, and how far in the gold text it may be from what is matched around it."""
_SHORT = 4
"""Tokens of a block that may be matched as a whole by its place alone."""
_MANY = 20
"""Places in the gold text at which one run is tried."""


def align(page: Numbers, block: Numbers, gold: Numbers) -> Numbers:
    """Where in the gold text each token of the page stands, int64 ``(t,)``; -1 for a token that is not part of it.

    Args:
        page: the page's tokens as numbers, int64 ``(t,)``.
        block: the block that each stands in, rising.
        gold: the gold text's tokens as numbers, int64 ``(g,)``.
    """
    place = np.full(len(page), -1, dtype=np.int64)
    taken = np.zeros(len(gold), dtype=np.bool_)
    for least, reach in _SEEDS:
        for start, at, length in _runs(page, gold, place, taken, least, reach):
            free = np.flatnonzero((place[start : start + length] < 0) & ~taken[at : at + length])
            for piece in np.split(free, np.flatnonzero(np.diff(free) > 1) + 1):
                if len(piece) >= least:
                    place[start + piece] = at + piece
                    taken[at + piece] = True
    _match_short(page, block, gold, place, taken)
    return place


def _runs(
    page: Numbers, gold: Numbers, place: Numbers, taken: NDArray[np.bool_], least: int, reach: int | None
) -> list[tuple[int, int, int]]:
    """Common runs of free tokens (start in the page, start in the gold text, tokens), longest first, then nearest to what is matched."""
    wanted, offered = gold.tolist(), page.tolist()
    starts: dict[tuple[int, ...], list[int]] = defaultdict(list)
    for at in _free_starts(~taken, least):
        starts[tuple(wanted[at : at + least])].append(at)
    free, open_gold = (place < 0).tolist(), (~taken).tolist()
    anchors = np.flatnonzero(place >= 0)
    until: dict[int, int] = {}
    found = []
    for start in _free_starts(place < 0, least):
        for at in starts.get(tuple(offered[start : start + least]), ())[:_MANY]:
            if until.get(start - at, -1) > start:
                continue  # part of a run that is known
            length = least
            while (
                start + length < len(offered)
                and at + length < len(wanted)
                and free[start + length]
                and open_gold[at + length]
                and offered[start + length] == wanted[at + length]
            ):
                length += 1
            until[start - at] = start + length - least + 1
            distance = _distance(start, at, anchors, place, len(page), len(gold))
            if reach is None or distance <= reach:
                found.append((-length, distance, start, at))
    return [(start, at, -negative) for negative, _, start, at in sorted(found)]


def _free_starts(free: NDArray[np.bool_], least: int) -> list[int]:
    """Where ``least`` free tokens stand in a row."""
    if len(free) < least:
        return []
    count = np.append(0, np.cumsum(free))
    return [int(start) for start in np.flatnonzero(count[least:] - count[:-least] == least)]


def _distance(start: int, at: int, anchors: NDArray[np.intp], place: Numbers, page: int, gold: int) -> float:
    """Tokens of the gold text between a run and the matches before and after it on the page."""
    if not len(anchors):
        return abs(start / page - at / gold) * gold
    after = int(np.searchsorted(anchors, start))
    return min(abs(int(place[anchors[k]]) - at) for k in (after - 1, after) if 0 <= k < len(anchors))


def _match_short(page: Numbers, block: Numbers, gold: Numbers, place: Numbers, taken: NDArray[np.bool_]) -> None:
    """Match short blocks as a whole where they continue the gold text after, or before, the block matched last."""
    if not len(page):
        return
    starts = np.flatnonzero(np.append(True, np.diff(block) != 0))
    ranges = list(zip(starts.tolist(), [*starts[1:].tolist(), len(page)], strict=True))
    for forwards in (True, False):
        here: int | None = None
        for a, b in ranges if forwards else reversed(ranges):
            matched = place[a:b][place[a:b] >= 0]
            if len(matched):
                here = int(matched.max()) + 1 if forwards else int(matched.min())
            elif here is not None and b - a <= _SHORT:
                for gap in range(5):
                    at = here + gap if forwards else here - (b - a) - gap
                    if at >= 0 and np.array_equal(page[a:b], gold[at : at + b - a]) and not taken[at : at + b - a].any():
                        place[a:b] = np.arange(at, at + b - a)
                        taken[at : at + b - a] = True
                        here = at + b - a if forwards else at
                        break
