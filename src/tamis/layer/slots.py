"""Slots: elements that every page of a layer fills with links of its own, such as contents, related pages, previous and next.

Their text differs from page to page, so the paper's match misses them. But they stand at one place of the layout, and what is in them is
links, and labels that repeat.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from tamis.layer.parts import Part
from tamis.layer.places import Places
from tamis.layer.strings import NodeString
from tamis.page import tags
from tamis.page.tree import BoolColumn
from tamis.structure.hashing import Hashes
from tamis.structure.words import words

_TITLES = tags.lookup(tags.codes("title h1"))


@dataclass(frozen=True, slots=True)
class SlotText:
    """What stands at one place of a page."""

    listed: int
    """Words in links, and, beside links, words of the page's title."""
    plain: Hashes
    """The other words, uint64, sorted."""
    all: Hashes
    """All words, uint64, sorted."""

    @property
    def list_share(self) -> float:
        """Share of the words that are in links, or in the page's title beside links, 0..1."""
        return self.listed / len(self.all) if len(self.all) else 0.0


class Slots:
    """The slots of a page."""

    def __init__(self, page: NodeString, places: Places) -> None:
        self.page = page
        self.places = places
        self._linked = places.tree.in_link[page.node]
        self._texts: dict[int, SlotText | None] = {}

    @cached_property
    def _listed(self) -> BoolColumn:
        """Which words of the page are in links or are words of its title, bool ``(w,)``: breadcrumbs end with the title."""
        tree = self.places.tree
        holders = tree.covered(np.flatnonzero(tree.of_tags(_TITLES)))[tree.text_nodes]
        title = words(self.page.reading([text for text, is_title in zip(tree.texts, holders.tolist(), strict=True) if is_title])).hash
        return np.repeat(self._linked, self.page.length) | np.isin(self.page.word, title)

    def of(self, block: Part) -> int | None:
        """The place of the slot that a block is or stands in, or None."""
        tree, node = self.places.tree, int(self.page.node[block.first])
        if len(block.roots) > 1:  # a run of siblings is no element: the slot must hold them all
            node = int(tree.parent[node])
        slot = int(self.places.slot[node]) if node >= 0 else -1
        return int(self.places.across[slot]) if slot >= 0 else None

    def link_share(self, block: Part) -> float:
        """Share of a block's words that are in links, 0..1."""
        inside = slice(block.first, block.last)
        return float(self.page.length[inside][self._linked[inside]].sum()) / block.words if block.words else 0.0

    def list_share(self, block: Part) -> float:
        """Share of a block's words that are in links, or in the page's title beside links, 0..1."""
        if not self.link_share(block):
            return 0.0
        return float(self._listed[self.page.first_word[block.first] : self.page.first_word[block.last]].mean())

    def text(self, place: int) -> SlotText | None:
        """All that stands at a place; None where the page has no such place."""
        if place not in self._texts:
            self._texts[place] = self.read(place, np.zeros(len(self.page), dtype=np.bool_))
        return self._texts[place]

    def read(self, place: int, without: BoolColumn) -> SlotText | None:
        """What stands at a place, but for some positions of the string, bool ``(len(page),)``; None where the page has no such place."""
        nodes = np.flatnonzero(self.places.across == np.uint64(place))
        if not len(nodes):
            return None
        wanted = self.places.tree.covered(nodes)[self.page.node] & ~without
        in_slot = np.repeat(wanted, self.page.length)
        linked = in_slot & np.repeat(self._linked, self.page.length)
        listed = in_slot & self._listed if linked.any() else linked
        word = self.page.word
        return SlotText(int(listed.sum()), np.sort(word[in_slot & ~listed]), np.sort(word[in_slot]))


def slot_share(here: SlotText, there: SlotText) -> float:
    """The share of a slot's words that are links, or stand in the same slot of another page, 0..1; 0 for a slot without words."""
    if not len(here.all):
        return 0.0
    word, count = np.unique(here.plain, return_counts=True)
    others = np.searchsorted(there.all, word, side="right") - np.searchsorted(there.all, word)
    return (here.listed + int(np.minimum(count, others).sum())) / len(here.all)
