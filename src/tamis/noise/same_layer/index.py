"""The fast path: same verdicts as the plain matcher, most of them for all blocks of a page at once and without a walk.

- *Copies.* Subtrees are hashed, tags, words and depths together; a block whose hash the other page has is a match of 1 and 1.
- *Texts.* A text that is no copy can be like another only if enough of its words stand in the other page. A block that cannot reach beta
  with all texts that can be like others matches nowhere.
- *Starts.* What is left is looked for where a walk can begin: at nodes with the tag of the block's first.
- *Nodes.* By the verification a matched node has the same tag and the same depth below the first, and stands in one subtree. So the block
  cannot have more nodes matched from a start than its nodes of each tag and depth and those of that subtree have in common.

Where these bounds do not exclude a match, the walks of the plain matcher are made, in its order, each until its bound is out of reach.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from tamis.noise.same_layer.matcher import Match, walk
from tamis.noise.same_layer.parts import Part
from tamis.noise.same_layer.settings import Matching
from tamis.noise.same_layer.strings import NodeString
from tamis.structure.hashing import Hashes
from tamis.tree import BoolColumn

_DEPTHS = 1 << 20
"""More than the deepest page has, so that tag and depth make one key."""
_BAGS = 128
"""Bags that words are put into by their hashes, to see quickly how many two texts can have in common."""
_TEXTS = 4
"""Texts of a block that are looked for near each start."""
_FEW = 8
"""Starts that are walked without that look."""
_ROUNDING = 1e-9
"""Bounds give way by so much, that no rounding makes them tighter than what they bound."""


class PageIndex:
    """A page, made ready to have the blocks of others looked for in it."""

    def __init__(self, page: NodeString) -> None:
        self.page = page

    def find(self, blocks: Sequence[Part], page: NodeString, settings: Matching = Matching()) -> list[Match | None]:
        """Look for blocks of another page in this one: for each a place where it matches, a copy first, or None.

        None exactly where :func:`tamis.noise.same_layer.matcher.find` gives None.
        """
        found: list[Match | None] = [None] * len(blocks)
        if not blocks or not len(self.page):
            return found
        copies = self._copies(blocks, page)
        text_like = self._text_like(page, settings)
        for k in np.flatnonzero((copies >= 0) | _reachable(blocks, page, text_like, settings)).tolist():
            copy = int(copies[k])
            found[k] = Match(copy, 1.0, 1.0) if copy >= 0 else self._search(blocks[k], page, settings)
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

    def _text_like(self, page: NodeString, settings: Matching) -> BoolColumn:
        """Whether each node of another page has a text that may be like one of this page, bool ``(len(page),)``."""
        known = np.append(0, np.cumsum(_within(page.word, self._words)))
        common = known[page.first_word[1:]] - known[page.first_word[:-1]]
        return np.asarray(_within(page.text, self._texts) | (common > settings.text_tolerance * page.length - _ROUNDING))

    def _search(self, block: Part, page: NodeString, settings: Matching) -> Match | None:
        """The first match by walks from all starts that may lead to one."""
        need = _least(settings.tag_similarity, block.size)
        starts = self._candidates(block, page, settings)
        starts = starts[self._ends(block, starts) - starts >= need]
        if len(starts):
            starts = starts[self._common(block, page, starts) >= need]
        if len(starts) > _FEW:
            starts = starts[self._words_near(block, page, starts, settings) >= settings.text_similarity * block.words - _ROUNDING]
        for start in starts.tolist():
            match = walk(block, page, self.page, start, settings, need)
            if match is not None:
                return match
        return None

    def _candidates(self, block: Part, page: NodeString, settings: Matching) -> NDArray[np.intp]:
        """Where the first matched node may stand: on the tag of the block's first root, or of one that is reached by leaving out others."""
        wanted = {int(page.tag[root]) for root in block.roots[: settings.skips + 1]}
        found = [self._starts[tag] for tag in wanted if tag in self._starts]
        return np.sort(np.concatenate(found)) if len(found) > 1 else found[0] if found else np.zeros(0, dtype=np.intp)

    def _common(self, block: Part, page: NodeString, starts: NDArray[np.intp]) -> NDArray[np.int64]:
        """Bound on the nodes matched from each start: sum over tags and depths of the lesser count, int64 ``(len(starts),)``."""
        inside = slice(block.first, block.last)
        keys, counts = np.unique(_key(page.tag[inside], page.depth[inside] - page.depth[block.first]), return_counts=True)
        wanted = keys[None, :] + self.page.depth[starts].astype(np.int64)[:, None]
        known_keys, positions = self._keys
        rank = np.searchsorted(known_keys, wanted)
        known = known_keys[np.minimum(rank, len(known_keys) - 1)] == wanted
        base = rank * (len(self.page) + 1)
        there = np.searchsorted(positions, base + self._ends(block, starts)[:, None]) - np.searchsorted(positions, base + starts[:, None])
        bound: NDArray[np.int64] = np.minimum(np.where(known, there, 0), counts[None, :]).sum(axis=1)
        return bound

    def _words_near(self, block: Part, page: NodeString, starts: NDArray[np.intp], settings: Matching) -> NDArray[np.int64]:
        """Bound on the words matched from each start: the block's longest texts count where a text they can be like stands near, the
        others everywhere, int64 ``(len(starts),)``."""
        length = page.length[block.first : block.last]
        longest = np.argsort(-length, kind="stable")[:_TEXTS]
        longest = longest[length[longest] > 0] + block.first
        bound = np.full(len(starts), block.words)
        ends = self._ends(block, starts)
        for text in longest.tolist():
            alike = self._alike(page, text, settings.text_tolerance)
            bound -= np.where(np.searchsorted(alike, ends) > np.searchsorted(alike, starts), 0, page.length[text])
        return bound

    def _alike(self, page: NodeString, text: int, tolerance: float) -> NDArray[np.intp]:
        """Positions of the texts that a text of another page can be like: enough of their words are of equal bags, intp, rising."""
        at, bags = self._bags
        own = np.bincount(
            (page.word[page.first_word[text] : page.first_word[text + 1]] % np.uint64(_BAGS)).astype(np.intp), minlength=_BAGS
        )
        length = self.page.length[at]
        words = int(page.length[text])
        near = np.flatnonzero(np.minimum(length, words) >= tolerance * np.maximum(length, words) - _ROUNDING)
        common = np.minimum(bags[near], own).sum(axis=1)
        alike: NDArray[np.intp] = at[near[common >= tolerance * np.maximum(length[near], words) - _ROUNDING]]
        return alike

    def _ends(self, block: Part, starts: NDArray[np.intp]) -> NDArray[np.intp]:
        """Position after the last node that may be matched from each start."""
        if len(block.roots) == 1:
            return self.page.end[starts].astype(np.intp)
        parent = self.page.parent[starts]
        return np.where(parent >= 0, self.page.end[parent], len(self.page)).astype(np.intp)

    # -- made when first asked for -----------------------------------------------------------------------------------

    @cached_property
    def _subtrees(self) -> tuple[Hashes, NDArray[np.intp]]:
        """Hashes of all subtrees, sorted, and the position of each; equal ones by position."""
        order = np.argsort(self.page.subtree, kind="stable")
        return self.page.subtree[order], order

    @cached_property
    def _words(self) -> Hashes:
        return np.unique(self.page.word)

    @cached_property
    def _texts(self) -> Hashes:
        return np.unique(self.page.text)

    @cached_property
    def _bags(self) -> tuple[NDArray[np.intp], NDArray[np.int32]]:
        """Positions of the texts with words, and how many of the words of each are in each of :data:`_BAGS` bags, int32."""
        at = np.flatnonzero(self.page.length)
        text = np.repeat(np.arange(len(at)), self.page.length[at])
        bags = np.bincount(text * _BAGS + (self.page.word % np.uint64(_BAGS)).astype(np.intp), minlength=len(at) * _BAGS)
        return at, bags.reshape(len(at), _BAGS).astype(np.int32)

    @cached_property
    def _starts(self) -> dict[int, NDArray[np.intp]]:
        """Positions of the nodes of each tag, rising."""
        order = np.argsort(self.page.tag, kind="stable")
        tag, first = np.unique(self.page.tag[order], return_index=True)
        return dict(zip(tag.tolist(), np.split(order, first[1:]), strict=True))

    @cached_property
    def _keys(self) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """The keys of tag and depth, sorted; and for each node the rank of its key and its position as one number, sorted, so that to
        count a key in a range takes two searches."""
        keys, rank = np.unique(_key(self.page.tag, self.page.depth), return_inverse=True)
        return keys, np.sort(rank * (len(self.page) + 1) + np.arange(len(self.page)))


def _reachable(blocks: Sequence[Part], page: NodeString, text_like: BoolColumn, settings: Matching) -> BoolColumn:
    """Whether each block can have enough words matched, bool ``(len(blocks),)``."""
    possible = np.append(0, np.cumsum(np.where(text_like, page.length, 0)))
    first, last, words = np.array([(block.first, block.last, block.words) for block in blocks]).T
    return np.asarray(possible[last] - possible[first] >= settings.text_similarity * words - _ROUNDING)


def _within(values: Hashes, known: Hashes) -> BoolColumn:
    """Which values are among known ones, which are sorted, bool ``(len(values),)``."""
    if not len(known):
        return np.zeros(len(values), dtype=np.bool_)
    return np.asarray(known[np.minimum(np.searchsorted(known, values), len(known) - 1)] == values)


def _key(tag: NDArray[np.int64], depth: NDArray[np.int32]) -> NDArray[np.int64]:
    return tag * _DEPTHS + depth


def _least(share: float, of: int) -> int:
    """The least whole number that is at least so great a share of another."""
    least = int(share * of)
    while least / of < share:
        least += 1
    return least
