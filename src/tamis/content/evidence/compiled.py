"""All columns of evidence in one compiled call."""

from __future__ import annotations

from functools import cache

import numpy as np
from numpy.typing import NDArray

from tamis.content.evidence.characters import kinds
from tamis.content.evidence.columns import COUNTED, TYPES
from tamis.content.evidence.markup import HOLDER_BITS, TAG_BITS, read_names
from tamis.content.evidence.vocabulary import Vocabulary
from tamis.native import evidence as compiled
from tamis.page import tags
from tamis.page.blocks import TextBlocks
from tamis.page.tree import BoolColumn, PageTree

Gathered = tuple[NDArray[np.float32], NDArray[np.int64]]
_DIALOGS = frozenset(("dialog", "alertdialog", "alert"))
"""Values of ``role``."""


@cache
def _roles() -> NDArray[np.uint8]:
    """Bits of each tag code, then its place among the tags that are counted (255: none); the last entry of each is for all others."""
    bits = tags.lookup(tags.HEADINGS).astype(np.uint8)
    bits[tags.CODE["h1"]] |= 2
    counted = np.full(len(bits), 255, dtype=np.uint8)
    counted[[tags.CODE[name] for name in COUNTED]] = np.arange(len(COUNTED))
    return np.concatenate((bits, counted))


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
        find_titles(tree, blocks).view(np.uint8),
        np.array(page_types(tree)),
        kinds(),
        TAG_BITS,
        HOLDER_BITS,
        _roles(),
        hidden[tree.text_nodes[blocks.first]].view(np.uint8),
    )
    return np.frombuffer(raw, np.float32).reshape(-1, len(blocks)), np.frombuffer(words, np.int64)


def hidden_nodes(tree: PageTree) -> BoolColumn:
    """Nodes that the page hides (:attr:`tamis.page.tree.PageTree.hidden`), or that lie in a dialog or an alert, bool ``(n,)``."""
    return tree.covered(np.flatnonzero(tree.hidden | tree.values("role").where(lambda role: role.strip().lower() in _DIALOGS)))


def find_titles(tree: PageTree, blocks: TextBlocks) -> NDArray[np.bool_]:
    """Blocks whose text makes up much of the page's title, bool ``(b,)``."""
    of_tag = np.flatnonzero(tree.tag == tags.CODE["title"])
    found = np.zeros(len(blocks), dtype=np.bool_)
    if not len(of_tag):
        return found
    source = tree.texts
    start, end = np.searchsorted(tree.text_nodes, (of_tag[0], tree.end[of_tag[0]])).tolist()
    title = " ".join("".join(source[start:end]).split())
    likely = np.flatnonzero((blocks.length > 0.4 * len(title)) & (blocks.length <= len(title)) & (blocks.length > 3))
    for block, first, last in zip(likely.tolist(), blocks.first[likely].tolist(), blocks.last[likely].tolist(), strict=True):
        # Most are no part of it, which their first letters tell.
        if source[first].lstrip()[:2].rstrip() in title:
            found[block] = " ".join("".join(source[first:last]).split()) in title
    return found


def page_types(tree: PageTree) -> list[float]:
    """For each of :data:`TYPES` 1 where the page's JSON-LD names it, else 0."""
    described = " ".join(tree.json_ld)
    return [float(bool(described) and any(f'"{name}"' in described for name in names)) for names in TYPES.values()]
