"""The fast path: same verdicts as the plain matcher, most of them for all blocks of a page at once and without a walk.

- *Copies.* Subtrees are hashed, tags, words and depths together; a block whose hash the other page has is a match of 1 and 1.
- *Texts.* A text can be like another only if enough of its words stand in the other page, and in one text there of about its length. A
  block that cannot reach beta with all its texts that can be like others matches nowhere.
- *Starts.* What is left is looked for where a walk can begin: at nodes with the tag of the block's first.
- *Nodes.* By the verification a matched node has the same tag and the same depth below the first, and stands in one subtree. So the block
  cannot have more nodes matched from a start than its nodes of each tag and depth and those of that subtree have in common.

Where these bounds do not exclude a match, the walks of the plain matcher are made, in its order, each until its bound is out of reach.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from tamis.layer.matcher import Match, walk
from tamis.layer.parts import Part
from tamis.layer.settings import Matching
from tamis.layer.strings import NodeString
from tamis.page.tree import BoolColumn
from tamis.structure.hashing import Hashes

_DEPTHS = 1 << 20
"""More than the deepest page has, so that tag and depth make one key."""
_BAGS = 64
"""Bags that words are put into by their hashes, to see quickly how many two texts can have in common."""
_SHORT = 4
"""Texts of fewer words are not compared with others to find out whether they can be like any: they are many, and often are."""
_PAIRS = 1 << 14
"""Pairs of texts whose bags are compared at once, so that memory stays small."""
_KEYS = 1 << 18
"""Keys of tag and depth that are looked up at once, so that memory stays small on deeply nested pages."""
_STEPS = 1 << 19
"""Nodes that all walks of one page through another may visit; of real pages half need fewer than 100. Blocks beyond it match nowhere."""
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

        None exactly where :func:`tamis.layer.matcher.find` gives None, within the bound of :data:`_STEPS`.
        """
        found: list[Match | None] = [None] * len(blocks)
        if not blocks or not len(self.page):
            return found
        copies = self._copies(blocks, page)
        for k in np.flatnonzero(copies >= 0).tolist():
            found[k] = Match(int(copies[k]), 1.0, 1.0)
        left = np.flatnonzero(copies < 0)
        for narrow in (self._has_words, self._has_text):
            if len(left):
                left = left[_reachable([blocks[k] for k in left.tolist()], page, narrow, settings)]
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

    def _has_words(self, page: NodeString, texts: NDArray[np.intp], tolerance: float) -> BoolColumn:
        """Whether enough words of each of some texts of another page stand anywhere in this one, bool ``(len(texts),)``."""
        known = np.append(0, np.cumsum(_within(page.word, self._words)))
        common = known[page.first_word[texts + 1]] - known[page.first_word[texts]]
        return np.asarray(common > tolerance * page.length[texts] - _ROUNDING)

    def _has_text(self, page: NodeString, texts: NDArray[np.intp], tolerance: float) -> BoolColumn:
        """Whether each of some texts of another page can be like any text of this one, bool ``(len(texts),)``."""
        _, one, which = np.unique(page.text[texts], return_index=True, return_inverse=True)
        distinct = texts[one]
        result = (page.length[distinct] < _SHORT) | _within(page.text[distinct], self._distinct[0])
        asked = np.flatnonzero(~result)
        result[asked[self._alike(page, distinct[asked], tolerance)[0]]] = True
        return np.asarray(result[which])

    def _alike(self, page: NodeString, texts: NDArray[np.intp], tolerance: float) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
        """Pairs of some texts of another page and the distinct texts of this one that they can be like: of about the same length, and with
        enough words in equal bags. Index into ``texts`` and into the distinct texts, each intp."""
        _, at, bags, _ = self._distinct
        row, column = self._sharing(page, texts, tolerance)
        length, other = page.length[texts][row], self.page.length[at[column]]
        need = tolerance * np.maximum(length, other) - _ROUNDING
        near = np.flatnonzero(np.minimum(length, other) >= need)
        row, column, need = row[near], column[near], need[near]
        own = _in_bags(page, texts)
        kept = np.zeros(len(row), dtype=np.bool_)
        for first in range(0, len(row), _PAIRS):
            some = slice(first, first + _PAIRS)
            kept[some] = np.minimum(own[row[some]], bags[column[some]]).sum(axis=1) >= need[some]
        return row[kept], column[kept]

    def _sharing(self, page: NodeString, texts: NDArray[np.intp], tolerance: float) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
        """Pairs of texts that share one of the words of the first that are rarest in this page: so many that one of them must be shared
        where a share of ``tolerance`` of all words is. Index into ``texts`` and into the distinct texts, each intp."""
        word, holder = self._holders
        row = np.repeat(np.arange(len(texts)), page.length[texts])
        own = page.word[_ranges(page.first_word[texts], page.length[texts])]
        low = np.searchsorted(word, own)
        count = np.searchsorted(word, own, side="right") - low
        order = np.lexsort((count, row))
        enough = page.length[texts] - np.ceil(tolerance * page.length[texts] - _ROUNDING).astype(np.intp) + 1
        rank = np.arange(len(row)) - np.repeat(np.cumsum(page.length[texts]) - page.length[texts], page.length[texts])
        rare = order[rank < enough[row]]
        row, low, count = row[rare], low[rare], count[rare]
        pairs = np.unique(np.repeat(row, count) * len(self._distinct[0]) + holder[_ranges(low, count)])
        return pairs // len(self._distinct[0]), pairs % len(self._distinct[0])

    def _search(self, block: Part, page: NodeString, settings: Matching, most: int) -> tuple[Match | None, int]:
        """The first match by walks from the starts that may lead to one, and the number of walks: at most ``most``."""
        need = _least(settings.tag_similarity, block.size)
        starts = self._candidates(block, page, settings)
        starts = starts[self._ends(block, starts) - starts >= need]
        if len(starts) > 1:
            starts = starts[self._common(block, page, starts) >= need]
        if len(starts) > _FEW:
            starts = starts[self._words_near(block, page, starts, settings) >= settings.text_similarity * block.words - _ROUNDING]
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

    def _common(self, block: Part, page: NodeString, starts: NDArray[np.intp]) -> NDArray[np.int64]:
        """Bound on the nodes matched from each start: sum over tags and depths of the lesser count, int64 ``(len(starts),)``."""
        inside = slice(block.first, block.last)
        keys, counts = np.unique(_key(page.tag[inside], page.depth[inside] - page.depth[block.first]), return_counts=True)
        bound = np.zeros(len(starts), dtype=np.int64)
        ends, size = self._ends(block, starts), max(_KEYS // len(keys), 1)
        for first in range(0, len(starts), size):
            some = slice(first, first + size)
            bound[some] = self._in_common(keys, counts, starts[some], ends[some])
        return bound

    def _in_common(
        self, keys: NDArray[np.int64], counts: NDArray[np.intp], starts: NDArray[np.intp], ends: NDArray[np.intp]
    ) -> NDArray[np.int64]:
        """:meth:`_common` for some starts, in arrays of starts by keys."""
        wanted = keys[None, :] + self.page.depth[starts].astype(np.int64)[:, None]
        known_keys, positions = self._keys
        rank = np.searchsorted(known_keys, wanted)
        known = known_keys[np.minimum(rank, len(known_keys) - 1)] == wanted
        base = rank * (len(self.page) + 1)
        there = np.searchsorted(positions, base + ends[:, None]) - np.searchsorted(positions, base + starts[:, None])
        return np.asarray(np.minimum(np.where(known, there, 0), counts[None, :]).sum(axis=1))

    def _words_near(self, block: Part, page: NodeString, starts: NDArray[np.intp], settings: Matching) -> NDArray[np.int64]:
        """Bound on the words matched from each start: the block's longest texts count where a text they can be like stands near, the
        others everywhere, int64 ``(len(starts),)``."""
        length = page.length[block.first : block.last]
        longest = np.argsort(-length, kind="stable")[:_TEXTS]
        longest = longest[length[longest] > 0] + block.first
        row, alike = self._alike(page, longest, settings.text_tolerance)
        hashes, _, _, which = self._distinct
        bound = np.full(len(starts), block.words)
        ends = self._ends(block, starts)
        for k, text in enumerate(longest.tolist()):
            wanted = np.zeros(len(hashes), dtype=np.bool_)
            wanted[alike[row == k]] = True
            near = np.flatnonzero(wanted[which])
            bound -= np.where(np.searchsorted(near, ends) > np.searchsorted(near, starts), 0, page.length[text])
        return bound

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
    def _distinct(self) -> tuple[Hashes, NDArray[np.intp], NDArray[np.int32], NDArray[np.intp]]:
        """The distinct texts: hashes, rising; a position and the bags of each; and for each node which one it has (the empty one, too)."""
        hashes, at, which = np.unique(self.page.text, return_index=True, return_inverse=True)
        return hashes, at, _in_bags(self.page, at), which

    @cached_property
    def _holders(self) -> tuple[Hashes, NDArray[np.intp]]:
        """The words of the distinct texts, rising, and which text each stands in."""
        _, at, _, _ = self._distinct
        length = self.page.length[at]
        word = self.page.word[_ranges(self.page.first_word[at], length)]
        order = np.argsort(word)
        return word[order], np.repeat(np.arange(len(at)), length)[order]

    @cached_property
    def _starts(self) -> dict[int, NDArray[np.intp]]:
        """Positions of the nodes of each tag, rising."""
        tag, position = np.divmod(np.sort(self.page.tag * len(self.page) + np.arange(len(self.page))), len(self.page))
        first = np.flatnonzero(np.append(True, np.diff(tag) > 0))
        return dict(zip(tag[first].tolist(), np.split(position, first[1:]), strict=True))

    @cached_property
    def _keys(self) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """The keys of tag and depth, sorted; and for each node the rank of its key and its position as one number, sorted, so that to
        count a key in a range takes two searches."""
        keys, rank = np.unique(_key(self.page.tag, self.page.depth), return_inverse=True)
        return keys, np.sort(rank * (len(self.page) + 1) + np.arange(len(self.page)))


def _reachable(
    blocks: Sequence[Part], page: NodeString, possible: Callable[[NodeString, NDArray[np.intp], float], BoolColumn], settings: Matching
) -> BoolColumn:
    """Whether each block can have enough words matched, if only texts that are possible can be, bool ``(len(blocks),)``."""
    first, last, words = np.array([(block.first, block.last, block.words) for block in blocks]).T
    edges = np.bincount(first, minlength=len(page) + 1) - np.bincount(last, minlength=len(page) + 1)
    texts = np.flatnonzero((np.cumsum(edges[:-1]) > 0) & (page.length > 0))
    count = np.zeros(len(page) + 1, dtype=np.int64)
    count[texts + 1] = np.where(possible(page, texts, settings.text_tolerance), page.length[texts], 0)
    np.cumsum(count, out=count)
    return np.asarray(count[last] - count[first] >= settings.text_similarity * words - _ROUNDING)


def _in_bags(page: NodeString, texts: NDArray[np.intp]) -> NDArray[np.int32]:
    """How many of the words of each text are in each of :data:`_BAGS` bags, int32 ``(len(texts), _BAGS)``."""
    length = page.length[texts]
    word = page.word[_ranges(page.first_word[texts], length)]
    place = np.repeat(np.arange(len(texts)), length) * _BAGS + (word % np.uint64(_BAGS)).astype(np.intp)
    return np.bincount(place, minlength=len(texts) * _BAGS).reshape(len(texts), _BAGS).astype(np.int32)


def _ranges(first: NDArray[np.intp], length: NDArray[np.intp]) -> NDArray[np.intp]:
    """The numbers of several ranges, one after the other, intp ``(sum of length,)``."""
    offset = np.arange(int(length.sum())) - np.repeat(np.cumsum(length) - length, length)
    return np.repeat(first, length) + offset


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
