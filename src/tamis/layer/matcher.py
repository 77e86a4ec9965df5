"""The paper's fuzzy subtree match, node by node (Yuan 2006, section 3.2), and a fast path to the same verdicts, mostly without a walk.

``docs/methods/same-layer.md`` describes the walk where the paper's pseudo-code leaves it open. The fast path finds copies by the hashes of
subtrees. A block matches nowhere if the other page has too few of its words. The rest is searched where a walk can begin: at nodes with the
tag of the block's first one, in a subtree of enough nodes."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import count

import numpy as np
from numpy.typing import NDArray
from rapidfuzz.distance import LCSseq

from tamis.layer.settings import Matching
from tamis.layer.strings import NodeString, Part
from tamis.page.tree import BoolColumn
from tamis.structure.hashing import Hashes

NORMAL, S_MOVE, T_MOVE = range(3)
_STEPS = 1 << 19
"""Nodes that all walks of one page through another may visit; of real pages half need fewer than 100. Blocks beyond it match nowhere."""
_ROUNDING = 1e-9  #: Bounds give way by so much, that no rounding makes them tighter than what they bound.


@dataclass(frozen=True, slots=True)
class BlockMatch:
    """The place of a block in another page, and the likeness."""

    start: int  #: Position of its first node in the other page's string.
    tag_similarity: float  #: Share of the block's nodes that were matched.
    text_similarity: float  #: Share of its words that were matched; 1 for a block without text.


def walk(block: Part, page: NodeString, other: NodeString, start: int, settings: Matching, need: int = 0) -> BlockMatch | None:
    """Walk along a block A and another page B from one start; the match, or None.

    ``need``: give up as soon as fewer nodes than this can be matched; 0: walk on to the end, as the paper does.
    """
    tag_a, _, end_a = page.lists
    tag_b, _, end_b = other.lists
    skips, limit = settings.skips, len(tag_b)
    i, j, last, spare = start, block.first, block.last, block.size - need
    state, steps, mark = NORMAL, 0, start
    pairs: list[tuple[int, int]] = []
    while j < last:
        if i < limit and tag_a[j] == tag_b[i]:
            pairs.append((j, i))
            i, j, state = i + 1, j + 1, NORMAL
            continue
        if state == NORMAL:
            state, steps, mark = S_MOVE, 0, i
        if state == S_MOVE:
            if steps < skips and i < limit:
                i, steps = end_b[i], steps + 1
                continue
            state, steps, i = T_MOVE, 0, mark
        spare -= end_a[j] - j
        if steps == skips or spare < 0:
            return None
        j, steps = end_a[j], steps + 1
    return _verified_match(block, page, other, pairs, settings)


def _verified_match(
    block: Part, page: NodeString, other: NodeString, pairs: list[tuple[int, int]], settings: Matching
) -> BlockMatch | None:
    share = len(pairs) / block.size
    if share < settings.tag_similarity or not _verified(page, other, pairs):
        return None
    matched = sum(matched_words(page.texts[j], other.texts[i], settings.text_tolerance) for j, i in pairs if page.texts[j])
    likeness = matched / block.words if block.words else 1.0
    return BlockMatch(pairs[0][1], share, likeness) if likeness >= settings.text_similarity else None


def _verified(page: NodeString, other: NodeString, pairs: list[tuple[int, int]]) -> bool:
    """Take the paper's second look: a depth-first string may be that of another tree, or of a forest.

    Equal depths say both: a walk leaves the subtree of its first node, or of the parent of several, only to a node that is higher up.
    """
    first_a, first_b = pairs[0]
    depth_a, depth_b = page.lists[1], other.lists[1]
    down = depth_b[first_b] - depth_a[first_a]
    return all(depth_b[i] - depth_a[j] == down for j, i in pairs)


def _ends(block: Part, other: NodeString, starts: NDArray[np.intp]) -> NDArray[np.intp]:
    """Return the position after the last node of B that may be matched for each start of the first one."""
    if len(block.roots) == 1:
        return other.end[starts].astype(np.intp)
    parent = other.parent[starts]
    return np.where(parent >= 0, other.end[parent], len(other)).astype(np.intp)


def matched_words(a: Sequence[int], b: Sequence[int], tolerance: float) -> int:
    """Return words of a text that another one has in the same order, with room for small edits; 0 where they have too little in common.

    Args:
        a: the words of the block's text, as numbers.
        b: those of the other page's text.
        tolerance: least share of the longer text that the longest common subsequence must be. (Any two texts of a language share some
            words in order.)

    >>> written, by, ann, bob, comments = range(5)
    >>> matched_words([written, by, ann, 10, comments], [written, by, bob, 12, comments], 0.5)
    3
    >>> matched_words([written, by, ann], [comments, by, bob, 12], 0.5)
    0
    """
    if a == b:
        return len(a)
    longer, shorter = max(len(a), len(b)), min(len(a), len(b))
    if not shorter or shorter / longer < tolerance:
        return 0
    common = LCSseq.similarity(a, b)
    return common if common / longer >= tolerance else 0


class PageIndex:
    """A page, made ready to have the blocks of others looked for in it."""

    def __init__(self, page: NodeString) -> None:
        self.page = page

    def find(self, blocks: Sequence[Part], page: NodeString, settings: Matching = Matching()) -> list[BlockMatch | None]:
        """Look for blocks of another page in this one: for each a place where it matches, a copy first, or None.

        None exactly where :func:`walk` from every start gives None, within the bound of :data:`_STEPS`.
        """
        found: list[BlockMatch | None] = [None] * len(blocks)
        if not blocks or not len(self.page):
            return found
        copies = self._copies(blocks, page)
        for k in np.flatnonzero(copies >= 0).tolist():
            found[k] = BlockMatch(int(copies[k]), 1.0, 1.0)
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
        """Return the first of the starts from which the next nodes are those of a run of siblings; -1 for none."""
        starts = starts[_ends(block, self.page, starts) - starts >= block.size]
        wanted = page.runs(np.array([block.first]), np.array([block.last]))
        equal = np.flatnonzero(self.page.runs(starts, starts + block.size) == wanted)
        return int(starts[equal[0]]) if len(equal) else -1

    def _can_reach(self, blocks: Sequence[Part], page: NodeString, settings: Matching) -> BoolColumn:
        """Return whether each block can have enough words matched, bool ``(len(blocks),)``: only texts with words of this page can be."""
        first, last, words = np.array([(block.first, block.last, block.words) for block in blocks]).T
        known = np.append(0, np.cumsum(self._has(page.word)))
        here = known[page.first_word[1:]] - known[page.first_word[:-1]]
        count = np.append(0, np.cumsum(np.where(here > settings.text_tolerance * page.length - _ROUNDING, page.length, 0)))
        return np.asarray(count[last] - count[first] >= settings.text_similarity * words - _ROUNDING)

    def _has(self, words: Hashes) -> BoolColumn:
        """Return which words occur in this page, bool ``(len(words),)``."""
        known = self._words
        if not len(known):
            return np.zeros(len(words), dtype=np.bool_)
        return np.asarray(known[np.minimum(np.searchsorted(known, words), len(known) - 1)] == words)

    def _search(self, block: Part, page: NodeString, settings: Matching, most: int) -> tuple[BlockMatch | None, int]:
        """Return the first match by walks from the starts that may lead to one, and the number of walks: at most ``most``."""
        need = _least(settings.tag_similarity, block.size)
        starts = self._candidates(block, page, settings)
        starts = starts[_ends(block, self.page, starts) - starts >= need]
        for walked, start in enumerate(starts[:most].tolist(), 1):
            match = walk(block, page, self.page, start, settings, need)
            if match is not None:
                return match, walked
        return None, min(len(starts), most)

    def _candidates(self, block: Part, page: NodeString, settings: Matching) -> NDArray[np.intp]:
        """Return possible places of the first matched node: on the tag of the block's first root, or of one after left-out roots."""
        wanted = {int(page.tag[root]) for root in block.roots[: settings.skips + 1]}
        found = [self._starts[tag] for tag in wanted if tag in self._starts]
        return np.sort(np.concatenate(found)) if len(found) > 1 else found[0] if found else np.zeros(0, dtype=np.intp)

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
        tag, position = np.divmod(np.sort(self.page.tag * len(self.page) + np.arange(len(self.page))), len(self.page))
        first = np.flatnonzero(np.append(True, np.diff(tag) > 0))
        return dict(zip(tag[first].tolist(), np.split(position, first[1:]), strict=True))


def _least(share: float, of: int) -> int:
    """Return the least whole number that is at least so great a share of another."""
    return next(least for least in count(int(share * of)) if least / of >= share)
