"""The page as all evidence sees it: blocks, their weights, and sums of them below every node.

All sums are of whole numbers, so they are the same on every machine, in whatever order they are added.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from tamis.content.evidence.characters import Characters, count_characters
from tamis.page.blocks import TextBlocks, text_blocks
from tamis.page.tree import BoolColumn, PageTree

Counts = NDArray[np.int64]
Nodes = NDArray[np.intp]

LONG = 60
"""Weight outside links from which a block can be a paragraph (:attr:`PageView.prose`)."""


@dataclass(frozen=True, eq=False)
class PageView:
    """A page of ``n`` nodes and ``b`` text blocks, with what several kinds of evidence need."""

    tree: PageTree
    blocks: TextBlocks
    characters: Characters

    @classmethod
    def of(cls, tree: PageTree) -> PageView:
        """Look at a page."""
        blocks = text_blocks(tree)
        return cls(tree, blocks, count_characters(tree, blocks))

    @cached_property
    def node(self) -> Nodes:
        """The first text node of each block, intp ``(b,)``."""
        return self.tree.text_nodes[self.blocks.first].astype(np.intp)

    @cached_property
    def element(self) -> Nodes:
        """The block-level element that holds each block, intp ``(b,)``."""
        return self.blocks.element.astype(np.intp)

    @cached_property
    def weight(self) -> Counts:
        """How much each block says: its characters, Han, kana and Hangul two and a half times, int64 ``(b,)``."""
        return np.asarray(self.blocks.length + 3 * self.characters.wide // 2)

    @cached_property
    def plain(self) -> Counts:
        """The part of :attr:`weight` that is not in links, int64 ``(b,)``."""
        length = np.maximum(self.blocks.length, 1)
        return np.asarray(self.weight * (length - self.blocks.link_length) // length, dtype=np.int64)

    @cached_property
    def prose(self) -> BoolColumn:
        """Blocks that read like a paragraph: long, punctuated, mostly outside links, bool ``(b,)``."""
        punctuated = (self.characters.stops > 0) | (self.characters.commas > 1)
        return np.asarray((self.plain > LONG) & (5 * self.blocks.link_length < 2 * self.blocks.length) & punctuated)

    @cached_property
    def total(self) -> int:
        """All weight outside links, at least 1."""
        return max(int(self.plain.sum()), 1)

    @cached_property
    def total_prose(self) -> int:
        """All weight of paragraphs outside links, at least 1."""
        return max(int(self.plain[self.prose].sum()), 1)

    def below(self, of_blocks: NDArray[np.int64] | BoolColumn) -> Counts:
        """A whole number of each block, summed over the blocks below each node, int64 ``(n,)``."""
        prefix = np.append(0, np.cumsum(of_blocks, dtype=np.int64))
        first, last = self.range_below
        return np.asarray(prefix[last] - prefix[first])

    @cached_property
    def range_below(self) -> tuple[Nodes, Nodes]:
        """The blocks below each node, as a range of their numbers."""
        n = len(self.tree)
        before = np.append(0, np.cumsum(np.bincount(self.node, minlength=n)[:n]))
        return before[:-1], before[self.tree.end]

    @cached_property
    def weight_below(self) -> Counts:
        """:attr:`weight` below each node, int64 ``(n,)``."""
        return self.below(self.weight)

    @cached_property
    def plain_below(self) -> Counts:
        """:attr:`plain` below each node, int64 ``(n,)``."""
        return self.below(self.plain)

    @cached_property
    def prose_below(self) -> Counts:
        """:attr:`plain` of the paragraphs below each node, int64 ``(n,)``."""
        return self.below(np.where(self.prose, self.plain, 0))

    @cached_property
    def blocks_below(self) -> Counts:
        """Blocks below each node, int64 ``(n,)``."""
        first, last = self.range_below
        return np.asarray(last - first)

    @cached_property
    def stops_below(self) -> Counts:
        """Punctuation marks below each node, int64 ``(n,)``."""
        return self.below(self.characters.stops + self.characters.commas)

    @cached_property
    def wider(self) -> Nodes:
        """For each node the nearest ancestor that holds more blocks; -1 above the widest, intp ``(n,)``."""
        parent = self.tree.parent.astype(np.intp)
        held, up = self.blocks_below, np.maximum(parent, 0)
        top = np.where((parent >= 0) & (held[up] == held), up, np.arange(len(parent)))
        while not np.array_equal(further := top[top], top):
            top = further
        return np.asarray(parent[top])
