"""The fast path: the verdicts of the plain matcher, most of them without a walk.

Copies are found by the hashes of subtrees. A block matches nowhere if too few of its words stand in the other page. What is left is looked
for where a walk can begin: at nodes with the tag of the block's first one, in a subtree of enough nodes.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from tamis.layer.matcher import Match, walk
from tamis.layer.settings import Matching
from tamis.layer.strings import NodeString, Part
from tamis.page.tree import BoolColumn
from tamis.structure.hashing import Hashes

_STEPS = 1 << 19
"""Nodes that all walks of one page through another may visit; of real pages half need fewer than 100. Blocks beyond it match nowhere."""
_ROUNDING = 1e-9  #: Bounds give way by so much, that no rounding makes them tighter than what they bound.


class PageIndex:
    """A page, made ready to have the blocks of others looked for in it."""

    def __init__(self, page: NodeString) -> None:
        self.page = page

    def find(self, blocks: Sequence[Part], page: NodeString, settings: Matching = Matching()) -> list[Match | None]:
        """Look for blocks of another page in this one: for each a place where it matches, a copy first, or None.

        None exactly where :func:`tamis.layer.matcher.find` gives None, within the bound of :data:`_STEPS`.
        """
        found: list[Match | None] = [None] * len(blocks)
        if not blocks or not len(self.page):
            return found
        copies = self._copies(blocks, page)
        for k in np.flatnonzero(copies >= 0).tolist():
            found[k] = Match(int(copies[k]), 1.0, 1.0)
        left = np.flatnonzero(copies < 0)
        left = left[self._can_reach([blocks[k] for k in left.tolist()], page, settings)] if len(left) else left
        steps = _STEPS
        for k in left.tolist():
            found[k], walked = self._search(blocks[k], page, settings, steps // max(blocks[k].size, 1))
            steps -= walked * blocks[k].size
        return found

    def _copies(self, blocks: Sequence[Part], page: NodeString) -> NDArray[np.intp]:
        """Position of a copy of each block, intp ``(len(blocks),)``; -1 for none."""
        first = np.fromiter((block.first for block in blocks), np.intp, len(blocks))
        hashes, order = self._subtrees
        wanted = page.subtree[first]
        low = np.searchsorted(hashes, wanted)
        there = hashes[np.minimum(low, len(hashes) - 1)] == wanted
        copies = np.where(there, order[np.minimum(low, len(hashes) - 1)], -1)
        for k in np.flatnonzero(there).tolist():
            if len(blocks[k].roots) > 1:
                high = np.searchsorted(hashes, wanted[k], side="right")
                copies[k] = self._copy_of_run(blocks[k], page, order[low[k] : high])
        return copies

    def _copy_of_run(self, block: Part, page: NodeString, starts: NDArray[np.intp]) -> int:
        """The first of the starts from which the next nodes are those of a run of siblings; -1 for none."""
        starts = starts[self._ends(block, starts) - starts >= block.size]
        wanted = page.runs(np.array([block.first]), np.array([block.last]))
        equal = np.flatnonzero(self.page.runs(starts, starts + block.size) == wanted)
        return int(starts[equal[0]]) if len(equal) else -1

    def _can_reach(self, blocks: Sequence[Part], page: NodeString, settings: Matching) -> BoolColumn:
        """Whether each block can have enough words matched, bool ``(len(blocks),)``: only texts whose words stand here can be."""
        first, last, words = np.array([(block.first, block.last, block.words) for block in blocks]).T
        known = np.append(0, np.cumsum(self._has(page.word)))
        here = known[page.first_word[1:]] - known[page.first_word[:-1]]
        count = np.append(0, np.cumsum(np.where(here > settings.text_tolerance * page.length - _ROUNDING, page.length, 0)))
        return np.asarray(count[last] - count[first] >= settings.text_similarity * words - _ROUNDING)

    def _has(self, words: Hashes) -> BoolColumn:
        """Which words stand in this page, bool ``(len(words),)``."""
        known = self._words
        if not len(known):
            return np.zeros(len(words), dtype=np.bool_)
        return np.asarray(known[np.minimum(np.searchsorted(known, words), len(known) - 1)] == words)

    def _search(self, block: Part, page: NodeString, settings: Matching, most: int) -> tuple[Match | None, int]:
        """The first match by walks from the starts that may lead to one, and the number of walks: at most ``most``."""
        need = _least(settings.tag_similarity, block.size)
        starts = self._candidates(block, page, settings)
        starts = starts[self._ends(block, starts) - starts >= need]
        for walked, start in enumerate(starts[:most].tolist(), 1):
            match = walk(block, page, self.page, start, settings, need)
            if match is not None:
                return match, walked
        return None, min(len(starts), most)

    def _candidates(self, block: Part, page: NodeString, settings: Matching) -> NDArray[np.intp]:
        """Where the first matched node may stand: on the tag of the block's first root, or of one that is reached by leaving out others."""
        wanted = {int(page.tag[root]) for root in block.roots[: settings.skips + 1]}
        found = [self._starts[tag] for tag in wanted if tag in self._starts]
        return np.sort(np.concatenate(found)) if len(found) > 1 else found[0] if found else np.zeros(0, dtype=np.intp)

    def _ends(self, block: Part, starts: NDArray[np.intp]) -> NDArray[np.intp]:
        """Position after the last node that may be matched from each start."""
        if len(block.roots) == 1:
            return self.page.end[starts].astype(np.intp)
        parent = self.page.parent[starts]
        return np.where(parent >= 0, self.page.end[parent], len(self.page)).astype(np.intp)

    # -- made when first asked for -----------------------------------------------------------------------------------

    @cached_property
    def _subtrees(self) -> tuple[Hashes, NDArray[np.intp]]:
        """Hashes of all subtrees, sorted, and the position of each."""
        order = np.argsort(self.page.subtree)
        return self.page.subtree[order], order

    @cached_property
    def _words(self) -> Hashes:
        return np.sort(self.page.word)

    @cached_property
    def _starts(self) -> dict[int, NDArray[np.intp]]:
        """Positions of the nodes of each tag, rising."""
        tag, position = np.divmod(np.sort(self.page.tag * len(self.page) + np.arange(len(self.page))), len(self.page))
        first = np.flatnonzero(np.append(True, np.diff(tag) > 0))
        return dict(zip(tag[first].tolist(), np.split(position, first[1:]), strict=True))


def _least(share: float, of: int) -> int:
    """The least whole number that is at least so great a share of another."""
    least = int(share * of)
    while least / of < share:
        least += 1
    return least
