"""A page as the paper's matcher sees it: a string of nodes, depth first, each with its depth (Yuan 2006, section 3.2, step 1).

A node is an element or a text. What no reader sees by its nature (``script``, ``style``, ``meta`` and the like) is no part of the string.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from tamis import tags
from tamis.structure.hashing import Hashes, mix, text_hash, text_hashes
from tamis.tree import IntColumn, PageTree

UNREAD = tags.lookup(tags.codes("script style noscript template link meta base head title"))
"""Elements that are left out, with all below them."""
_RUN = np.uint64(0x9E3779B97F4A7C15)
_LEVEL = np.uint64(0xD1342543DE82EF95)
_RUN_BACK = np.uint64(pow(int(_RUN), -1, 1 << 64))
_LEVEL_BACK = np.uint64(pow(int(_LEVEL), -1, 1 << 64))


@dataclass(frozen=True, eq=False)
class NodeString:
    """The nodes of a page that count, ``n`` of them in document order, in columns; and the same as lists, for matching node by node."""

    node: NDArray[np.intp]
    """Index of each in the page's tree, intp ``(n,)``, rising."""
    tag: NDArray[np.int64]
    """Tag of each, int64 ``(n,)``: equal on all pages for equal names; 0 for text."""
    parent: IntColumn
    """Position of the parent in the string, int32 ``(n,)``; -1 where that is not in it."""
    end: IntColumn
    """First position after the subtree of each, int32 ``(n,)``."""
    depth: IntColumn
    """Depth of each, int32 ``(n,)``."""
    texts: list[str] = field(repr=False)
    """Text of each, white space collapsed; empty for elements, ``n`` strings."""

    def __len__(self) -> int:
        return len(self.node)

    @cached_property
    def lists(self) -> tuple[list[int], list[int], list[int]]:
        """Tag, depth and end as lists, which are quicker to read one by one."""
        return self.tag.tolist(), self.depth.tolist(), self.end.tolist()

    @cached_property
    def length(self) -> NDArray[np.int64]:
        """Characters of each text, int64 ``(n,)``."""
        return np.fromiter(map(len, self.texts), np.int64, len(self))

    @cached_property
    def text_hash(self) -> Hashes:
        """Hash of each text, uint64 ``(n,)``; that of the empty text for elements."""
        hashes = np.full(len(self), text_hash(""), dtype=np.uint64)
        at = np.flatnonzero(self.tag == tags.TEXT)
        hashes[at] = text_hashes([self.texts[k] for k in at.tolist()])
        return hashes

    @cached_property
    def _sums(self) -> tuple[Hashes, Hashes]:
        """Running sum of the nodes' hashes, each weighed by position and depth; and what takes position and depth out again."""
        value = mix(self.text_hash ^ mix(self.tag.astype(np.uint64) + np.uint64(1)))
        steps = int(self.depth.max(initial=0)) + 1
        run, run_back = (np.cumprod(np.full(len(self) + 1, base)) for base in (_RUN, _RUN_BACK))
        level, level_back = (np.cumprod(np.full(steps, base)) for base in (_LEVEL, _LEVEL_BACK))
        total = np.zeros(len(self) + 1, dtype=np.uint64)
        np.cumsum(value * run[:-1] * level[self.depth], out=total[1:])
        return total, run_back[:-1] * level_back[self.depth]

    def hashes(self, start: NDArray[np.intp], count: int) -> Hashes:
        """Hash of the ``count`` nodes from each start: their tags, texts and depths against that of the first, uint64 ``(len(start),)``.

        Equal for equal runs wherever they stand; every start has so many nodes after it.
        """
        total, back = self._sums
        found: Hashes = (total[start + count] - total[start]) * back[start]
        return found


def node_string(tree: PageTree) -> NodeString:
    """Flatten a page.

    >>> from tamis import parse
    >>> string = node_string(parse("<body><ul><li>one<li>two</ul>"))
    >>> [(int(tag > 0), int(depth), text) for tag, depth, text in zip(string.tag, string.depth, string.texts)][3:]
    [(1, 3, ''), (0, 4, 'one'), (1, 3, ''), (0, 4, 'two')]
    """
    kept = ~tree.covered(np.flatnonzero(tree.of_tags(UNREAD)))
    node = np.flatnonzero(kept)
    position = np.append(0, np.cumsum(kept))
    texts = [""] * len(node)
    for at, seen, text in zip(position[tree.text_nodes].tolist(), kept[tree.text_nodes].tolist(), tree.texts, strict=True):
        if seen:
            texts[at] = " ".join(text.split())
    parent = tree.parent[node]
    return NodeString(
        node=node,
        tag=_same_everywhere(tree)[tree.tag[node]],
        parent=np.where(parent < 0, -1, position[np.maximum(parent, 0)]).astype(np.int32),
        end=position[tree.end[node]].astype(np.int32),
        depth=tree.depth[node],
        texts=texts,
    )


def _same_everywhere(tree: PageTree) -> NDArray[np.int64]:
    """For each tag code of a page a number that has the same meaning on all pages: names beyond the known ones are hashed."""
    known = len(tags.KNOWN)
    own = [known + text_hash(name) % (1 << 62) for name in tree.names[known:]]
    return np.array([*range(known), *own], dtype=np.int64)
