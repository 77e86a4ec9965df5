"""A page as the paper's matcher sees it: a string of nodes, elements and texts, each with its depth (Yuan 2006, section 3.2, step 1).

Text is measured and compared in words (:func:`tamis.structure.hashing.words`), so neither case nor punctuation counts.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from tamis.page import tags
from tamis.page.element_names import general
from tamis.page.tree import IntColumn, PageTree
from tamis.structure.hashing import Hashes, mix, powers, text_hash, words

UNREAD = tags.lookup(tags.codes("script style noscript template link meta base head title"))
"""Elements that are left out, with all below them."""
MAX_TEXT = 100_000  #: Characters of one text that are compared.
_RUN = np.uint64(0x9E3779B97F4A7C15)
_LEVEL = np.uint64(0xA24BAED4963EE407)
_RUN_BACK = np.uint64(pow(int(_RUN), -1, 1 << 64))
_LEVEL_BACK = np.uint64(pow(int(_LEVEL), -1, 1 << 64))


@dataclass(frozen=True, eq=False)
class NodeString:
    """The nodes of a page that count, ``n`` of them in document order, in columns."""

    node: NDArray[np.intp]  #: Index of each in the page's tree, intp ``(n,)``, rising.
    tag: NDArray[np.int64]  #: Tag of each, int64 ``(n,)``: equal on all pages for equal names; 0 for text.
    parent: IntColumn  #: Position of the parent in the string, int32 ``(n,)``; -1 where that is not in it.
    end: IntColumn  #: First position after the subtree of each, int32 ``(n,)``.
    depth: IntColumn  #: Depth of each, int32 ``(n,)``.
    word: Hashes = field(repr=False)  #: Hashes of the words of all texts in order, uint64 ``(w,)``.
    first_word: NDArray[np.intp] = field(repr=False)  #: Start of the words of each node, intp ``(n + 1,)``; elements have none.

    numbers_alike: bool = False  #: Every run of digits was read as the same one.

    def __len__(self) -> int:
        return len(self.node)

    def reading(self, texts: Sequence[str]) -> Sequence[str]:
        """Return the texts as this string reads them."""
        return _reading(texts, self.numbers_alike)

    @cached_property
    def lists(self) -> tuple[list[int], list[int], list[int]]:
        """Tag, depth and end as lists, which are quicker to read one by one."""
        return self.tag.tolist(), self.depth.tolist(), self.end.tolist()

    @cached_property
    def texts(self) -> list[list[int]]:
        """The words of each node, as a list."""
        word, first = self.word.tolist(), self.first_word.tolist()
        return [word[a:b] for a, b in pairwise(first)]

    @cached_property
    def length(self) -> NDArray[np.intp]:
        """Words of each node, intp ``(n,)``."""
        return np.diff(self.first_word)

    @cached_property
    def text(self) -> Hashes:
        """Hash of each node's words in order, uint64 ``(n,)``; 0 for none."""
        at = np.flatnonzero(self.length)
        hashes = np.zeros(len(self), dtype=np.uint64)
        if len(at):
            offset = np.arange(len(self.word)) - np.repeat(self.first_word[at], self.length[at])
            hashes[at] = mix(np.add.reduceat(mix(self.word) * powers(int(self.length.max()))[offset], self.first_word[at]))
        return hashes

    @cached_property
    def subtree(self) -> Hashes:
        """Hash of each subtree, uint64 ``(n,)``: tags, words and depths below its root. Equal for copies anywhere on the page."""
        return self.runs(np.arange(len(self)), self.end)

    def runs(self, start: NDArray[np.intp], stop: NDArray[np.intp] | IntColumn) -> Hashes:
        """Return the hash of the nodes from each start to each stop, depths taken against the first, uint64 ``(len(start),)``."""
        total, back = self._sums
        hashes: Hashes = (total[stop] - total[start]) * back[start]
        return hashes

    @cached_property
    def _sums(self) -> tuple[Hashes, Hashes]:
        """Running sum of the nodes' hashes, each weighed by position and depth; and what takes a start's position and depth out again."""
        value = mix(self.text ^ mix(self.tag.astype(np.uint64) + np.uint64(1)))
        levels = int(self.depth.max(initial=0)) + 1
        total = np.zeros(len(self) + 1, dtype=np.uint64)
        np.cumsum(value * powers(len(self), _RUN) * powers(levels, _LEVEL)[self.depth], out=total[1:])
        return total, powers(len(self), _RUN_BACK) * powers(levels, _LEVEL_BACK)[self.depth]


def node_string(tree: PageTree, *, numbers_alike: bool = False) -> NodeString:
    """Flatten a page.

    Args:
        tree: the page.
        numbers_alike: take every run of digits for the same one.

    >>> from tamis import parse
    >>> string = node_string(parse("<body><ul><li>One, two<li>three</ul>"))
    >>> list(zip((string.tag > 0).tolist(), string.depth.tolist(), string.length.tolist()))[3:]
    [(True, 3, 0), (False, 4, 2), (True, 3, 0), (False, 4, 1)]
    """
    kept = ~tree.subtree_mask(tree.of_tags(UNREAD))
    node = np.flatnonzero(kept)
    position = np.append(0, np.cumsum(kept))
    found = words(_reading(tree.texts, numbers_alike))
    holder = tree.text_nodes[found.text]
    seen = kept[holder]
    parent = tree.parent[node]
    return NodeString(
        node=node,
        tag=_same_everywhere(tree)[tree.tag[node]],
        parent=np.where(parent < 0, -1, position[np.maximum(parent, 0)]).astype(np.int32),
        end=position[tree.end[node]].astype(np.int32),
        depth=tree.depth[node],
        word=found.hash[seen],
        first_word=np.append(0, np.cumsum(np.bincount(position[holder[seen]], minlength=len(node)))),
        numbers_alike=numbers_alike,
    )


def _reading(texts: Sequence[str], numbers_alike: bool) -> Sequence[str]:
    return [general(text[:MAX_TEXT]) if numbers_alike else text[:MAX_TEXT] for text in texts]


def _same_everywhere(tree: PageTree) -> NDArray[np.int64]:
    """For each tag code of a page a number that has the same meaning on all pages: names beyond the known ones are hashed."""
    known = len(tags.KNOWN)
    own = [known + text_hash(name) % (1 << 40) for name in tree.names[known:]]
    return np.array([*range(known), *own], dtype=np.int64)


@dataclass(frozen=True, slots=True)
class Part:
    """A block as a part of a page's node string: a subtree, or a run of sibling subtrees."""

    first: int  #: Position of its first node.
    last: int  #: Position after its last node.
    roots: tuple[int, ...]  #: Positions of the roots of its subtrees, the first of them ``first``.
    words: int  #: Words of its text.

    @property
    def size(self) -> int:
        """Number of its nodes."""
        return self.last - self.first


def parts(page: NodeString, roots: Sequence[int]) -> list[Part]:
    """Return the runs of siblings that make up a block; roots that are apart make parts of their own.

    Args:
        page: the page's node string.
        roots: roots of disjoint subtrees in document order, as indices of the page's tree.

    >>> from tamis import parse
    >>> page = node_string(parse("<body><h1>A</h1><p>b</p><hr><div>c</div>"))
    >>> [(part.last, part.roots) for part in parts(page, [3, 5, 8])]
    [(6, (2, 4)), (9, (7,))]
    """
    runs: list[list[int]] = []
    ends, parents = page.end, page.parent
    for position in _positions_in_string(page, roots):
        if runs and int(ends[runs[-1][-1]]) == position and parents[runs[-1][-1]] == parents[position]:
            runs[-1].append(position)
        else:
            runs.append([position])
    return [_part_of_run(page, run) for run in runs]


def _positions_in_string(page: NodeString, roots: Iterable[int]) -> list[int]:
    wanted = np.fromiter(roots, np.intp)
    at = np.searchsorted(page.node, wanted)
    there = at < len(page)
    there[there] = page.node[at[there]] == wanted[there]
    positions: list[int] = at[there].tolist()
    return positions


def _part_of_run(page: NodeString, run: list[int]) -> Part:
    first, last = run[0], int(page.end[run[-1]])
    return Part(first, last, tuple(run), int(page.first_word[last] - page.first_word[first]))
