"""All columns of evidence in one compiled call."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from tamis.content.evidence.characters import kinds
from tamis.content.evidence.markup import HOLDER_BITS, TAG_BITS, read_names
from tamis.content.evidence.vocabulary import Vocabulary
from tamis.native import evidence as compiled
from tamis.page.blocks import TextBlocks
from tamis.page.tree import BoolColumn, PageTree

Gathered = tuple[NDArray[np.float32], NDArray[np.int64]]
_DIALOGS = frozenset(("dialog", "alertdialog", "alert"))
"""Values of ``role``."""


def gather_compiled(tree: PageTree, blocks: TextBlocks, vocabulary: Vocabulary) -> Gathered:
    """All evidence, float32 ``(columns, b)``, and the words of each block, int64 ``(b,)``."""
    hidden = hidden_nodes(tree)  # first: names and texts read attributes again that this reads
    named = read_names(tree, tree.text_nodes[blocks.first], vocabulary)
    raw, words = compiled.gather(
        tree.tag,
        tree.parent,
        tree.end,
        tree.text_nodes,
        list(tree.texts),
        blocks.element,
        blocks.first,
        blocks.last,
        blocks.length,
        blocks.link_length,
        named.hint,
        named.number,
        named.near,
        named.above,
        kinds(),
        TAG_BITS,
        HOLDER_BITS,
        hidden[tree.text_nodes[blocks.first]].view(np.uint8),
    )
    return np.frombuffer(raw, np.float32).reshape(-1, len(blocks)), np.frombuffer(words, np.int64)


def hidden_nodes(tree: PageTree) -> BoolColumn:
    """Nodes that the page hides (:attr:`tamis.page.tree.PageTree.hidden`), or that lie in a dialog or an alert, bool ``(n,)``."""
    return tree.covered(np.flatnonzero(tree.hidden | tree.values("role").where(lambda role: role.strip().lower() in _DIALOGS)))
