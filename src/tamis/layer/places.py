"""Places of a layout: where nodes stand, by tags, class names and ids, so that a place is found again on the page and on others."""

from __future__ import annotations

import re
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from tamis.page import tags
from tamis.page.tree import PageTree
from tamis.structure.hashing import Hashes, mix, path_hashes, text_hash

_DIGITS = re.compile(r"\d+")
_SLOTS = tags.lookup(tags.BLOCKS - tags.HEADINGS - tags.codes("html body"))


class Places:
    """The places of a page's nodes, as hashes, each uint64 ``(n,)``."""

    def __init__(self, tree: PageTree) -> None:
        self.tree = tree

    @cached_property
    def name(self) -> Hashes:
        """Class names and id of each node, in any order, runs of digits made one; 0 where it has none."""
        found = np.zeros(len(self.tree), dtype=np.uint64)
        known: dict[tuple[str | None, str | None], int] = {}
        for node, attributes in enumerate(self.tree.attributes):
            if attributes and ("class" in attributes or "id" in attributes):
                key = attributes.get("class"), attributes.get("id")
                if key not in known:
                    known[key] = _name(*key)
                found[node] = known[key]
        return found

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
    def slot(self) -> NDArray[np.intp]:
        """The innermost block-level element with a name that each node is or lies in, below the body, intp ``(n,)``; -1 for none."""
        return self.tree.nearest((self.name > 0) & self.tree.of_tags(_SLOTS))


def _name(classes: str | None, identity: str | None) -> int:
    tokens = {_DIGITS.sub("0", token) for token in (classes or "").split()}
    if identity and identity.strip():
        tokens.add("#" + _DIGITS.sub("0", identity.strip()))
    return text_hash("\t".join(sorted(tokens))) if tokens else 0
