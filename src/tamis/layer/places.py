"""Pages of a layer, and places of a layout: nodes by tags, class names and ids, so that a place is found again on other pages.

*Slots* are elements that every page of a layer fills with links of its own, such as contents, related pages, previous and next.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from tamis.layer.matcher import PageIndex
from tamis.layer.settings import SameLayer
from tamis.layer.strings import NodeString, Part, node_string
from tamis.page import tags
from tamis.page.element_names import general
from tamis.page.grouping import group, keys_of
from tamis.page.tree import BoolColumn, IntColumn, PageTree
from tamis.structure.hashing import Hashes, mix, path_hashes, text_hash, words

_TITLES = tags.lookup(tags.codes("title h1"))
_SLOTS = tags.lookup(tags.BLOCKS - tags.HEADINGS - tags.codes("html body"))


@dataclass(frozen=True, slots=True)
class SlotText:
    """Text at one place of a page."""

    listed: int  #: Words in links, and, beside links, words of the page's title.
    plain: Hashes  #: The other words, uint64, sorted.
    all: Hashes  #: All words, uint64, sorted.

    @property
    def list_share(self) -> float:
        """Share of the words that are in links, or in the page's title beside links, 0..1."""
        return self.listed / len(self.all) if len(self.all) else 0.0


class LayerPage:
    """A page of a layer: its nodes as the matcher sees them, their places as hashes, each uint64 ``(n,)``, and the text in its slots.

    Each is made when first needed; one page serves as the page and as a same-layer page of others.
    """

    def __init__(self, tree: PageTree, settings: SameLayer = SameLayer()) -> None:
        self.tree = tree
        self._numbers_alike = settings.numbers_alike
        self._texts: dict[int, SlotText | None] = {}

    @cached_property
    def string(self) -> NodeString:
        """Its nodes as the matcher sees them."""
        return node_string(self.tree, numbers_alike=self._numbers_alike)

    @cached_property
    def index(self) -> PageIndex:
        """Ready for blocks to be looked for."""
        return PageIndex(self.string)

    @cached_property
    def name(self) -> Hashes:
        """Class names and id of each node, in any order, runs of digits made one; 0 where it has none."""
        classes, ids = self.tree.values("class"), self.tree.values("id")
        number, first = group(keys_of(classes.codes, ids.codes))
        names = [_name(classes.of(node), ids.of(node)) for node in first.tolist()]
        return np.array(names, dtype=np.uint64)[number]

    @cached_property
    def within(self) -> Hashes:
        """The place within this page: tags and names on the way from the root. Other pages may have other names on the way."""
        return path_hashes(self.tree.tag.astype(np.uint64) ^ mix(self.name), self.tree.depth, self.tree.end)

    @cached_property
    def across(self) -> Hashes:
        """The place among pages of a layout: tags on the way from the root, and the name of the slot."""
        tag = np.minimum(self.tree.tag, len(tags.KNOWN)).astype(np.uint64)
        name = np.where(self.slot >= 0, self.name[np.maximum(self.slot, 0)], np.uint64(0))
        return mix(path_hashes(tag, self.tree.depth, self.tree.end) ^ mix(name))

    @cached_property
    def slot(self) -> IntColumn:
        """The innermost block-level element with a name that each node is or lies in, below the body, int32 ``(n,)``; -1 for none."""
        return self.tree.nearest_ancestor((self.name > 0) & self.tree.of_tags(_SLOTS))

    @cached_property
    def _linked(self) -> BoolColumn:
        return self.tree.in_link[self.string.node]

    @cached_property
    def _listed(self) -> BoolColumn:
        """Words of the page in links or in its title, bool ``(w,)``: breadcrumbs end with the title."""
        tree = self.tree
        holders = tree.subtree_mask(tree.of_tags(_TITLES))[tree.text_nodes]
        title = words(self.string.reading([text for text, is_title in zip(tree.texts, holders.tolist(), strict=True) if is_title])).hash
        return np.repeat(self._linked, self.string.length) | np.isin(self.string.word, title)

    def slot_of(self, block: Part) -> int | None:
        """Return the place of the slot that a block is or is in, or None."""
        tree, node = self.tree, int(self.string.node[block.first])
        if len(block.roots) > 1:  # a run of siblings is not an element: the slot must hold them all
            node = int(tree.parent[node])
        slot = int(self.slot[node]) if node >= 0 else -1
        return int(self.across[slot]) if slot >= 0 else None

    def link_share(self, block: Part) -> float:
        """Share of a block's words that are in links, 0..1."""
        inside = slice(block.first, block.last)
        return float(self.string.length[inside][self._linked[inside]].sum()) / block.words if block.words else 0.0

    def list_share(self, block: Part) -> float:
        """Share of a block's words that are in links, or in the page's title beside links, 0..1."""
        if not self.link_share(block):
            return 0.0
        return float(self._listed[self.string.first_word[block.first] : self.string.first_word[block.last]].mean())

    def slot_text(self, place: int) -> SlotText | None:
        """Return all text at a place; None if the page lacks the place."""
        if place not in self._texts:
            self._texts[place] = self.read_slot(place, np.zeros(len(self.string), dtype=np.bool_))
        return self._texts[place]

    def read_slot(self, place: int, without: BoolColumn) -> SlotText | None:
        """Read the text at a place without some positions of the string, bool ``(len(page),)``; None if the page lacks the place."""
        nodes = np.flatnonzero(self.across == np.uint64(place))
        if not len(nodes):
            return None
        wanted = self.tree.subtree_mask(nodes)[self.string.node] & ~without
        in_slot = np.repeat(wanted, self.string.length)
        linked = in_slot & np.repeat(self._linked, self.string.length)
        listed = in_slot & self._listed if linked.any() else linked
        word = self.string.word
        return SlotText(int(listed.sum()), np.sort(word[in_slot & ~listed]), np.sort(word[in_slot]))


def _name(classes: str | None, identity: str | None) -> int:
    tokens = {general(token) for token in (classes or "").split()}
    if identity and identity.strip():
        tokens.add("#" + general(identity.strip()))
    return text_hash("\t".join(sorted(tokens))) if tokens else 0


def slot_share(here: SlotText, there: SlotText) -> float:
    """Return the share of a slot's words that are links, or that the same slot of another page has, 0..1; 0 for a slot without words."""
    if not len(here.all):
        return 0.0
    word, count = np.unique(here.plain, return_counts=True)
    others = np.searchsorted(there.all, word, side="right") - np.searchsorted(there.all, word)
    return (here.listed + int(np.minimum(count, others).sum())) / len(here.all)
