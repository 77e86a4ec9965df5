"""Copies: text that a page has twice, such as a part for narrow screens, a slide that a carousel repeats, or a teaser of its own text."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from tamis.document.forum import is_forum
from tamis.document.selection import Cause, Reason, Selection
from tamis.document.units import COPIES, REPEATING, subtree_stats
from tamis.page import tags
from tamis.page.blocks import text_blocks
from tamis.page.tree import BoolColumn, PageTree

SHORTEST = 20  #: Characters of a block that may be a copy.
LONG = 100  #: Characters of a copy that needs no other copy beside it, and of an item of a list that may be one.
_UP = 40  #: Most levels between a copy and its card.
COPY = Reason("left out: repeats earlier text on the page", Cause.UNIT)

_REPEATING = tags.lookup(REPEATING)
_ITEMS = tags.lookup(tags.codes("li dd dt"))  #: Items of lists: what two products or sections have in common is said of both.


def without_copies(tree: PageTree, selection: Selection, url: str | None = None) -> Selection:
    """Return a selection without kept blocks that repeat kept blocks before them.

    A copy is in another element, or right behind the original with another class (a lead), and repeats the block before or after it, too,
    or is long and has the same heading. Other repetition within one element, such as a refrain, is kept, as are code, tables, quotes, short
    items of lists, texts that a reference repeats for each subject or cards of a list share, and posts of a forum, which quote each other.

    >>> from tamis import parse
    >>> part = "<h2>Reeds grow in the water</h2><p>They bend in every wind."
    >>> tree = parse(f"<div>{part}</div><div>{part}</div>")
    >>> keep = np.ones(len(tree), dtype=np.bool_)
    >>> selection = Selection("made up", keep, np.zeros(len(tree), dtype=np.uint8), (Reason("kept", Cause.CONTENT),))
    >>> int(without_copies(tree, selection).keep[tree.text_nodes].sum())
    2
    """
    if not subtree_stats(tree, selection)[2] & COPIES:
        return selection
    blocks = text_blocks(tree)
    nodes = tree.text_nodes[blocks.first]
    here = (selection.keep[nodes] & (blocks.length >= SHORTEST) & ~tree.subtree_mask(tree.of_tags(_REPEATING))[nodes]).nonzero()[0]
    original = _originals(tree, here)
    copied = (original >= 0).nonzero()[0]
    if not len(copied):
        return selection
    holder, classes = tree.parent[blocks.element[here]], tree.values("class").codes[blocks.element[here]]
    beside = np.zeros(len(here), dtype=np.bool_)
    for step in (-1, 1):
        near = copied[(copied + step >= 0) & (copied + step < len(here))]
        beside[near] |= (original[near + step] >= 0) & (original[near + step] == original[near] + step)
    in_list = tree.subtree_mask(tree.of_tags(_ITEMS))[nodes[here]]
    long = blocks.length[here] >= LONG
    heading = tree.headings.searchsorted(nodes[here])
    taken = (beside & (long | ~in_list))[copied] | (long[copied] & (heading[copied] == heading[original[copied]]))
    apart = holder[copied] != holder[original[copied]]
    apart |= long[copied] & (original[copied] == copied - 1) & (classes[copied] != classes[original[copied]])
    copied = copied[taken & apart]
    if not len(copied) or is_forum(tree, url):
        return selection
    copied = copied[~_in_common(tree, nodes[here[original[copied]]], nodes[here[copied]])]
    chosen = np.zeros(len(blocks), dtype=np.bool_)
    chosen[here[copied]] = True
    return selection.without(blocks.nodes(tree, chosen), COPY)


def _in_common(tree: PageTree, originals: NDArray[np.integer], copies: NDArray[np.integer]) -> BoolColumn:
    """Return which copies two items of one kind, such as cards, share: the later item has text of its own, too.

    Args:
        tree: the page.
        originals: the first text of each original, nodes ``(k,)``.
        copies: the first text of each copy, nodes ``(k,)``.
    """
    one, two, parent, end = originals, copies, tree.parent, tree.end
    for _ in range(_UP):  # to the children of the element around both
        one, two = np.where(end[parent[one]] <= copies, parent[one], one), np.where(parent[two] > originals, parent[two], two)
    alike = np.logical_and.reduce([column[one] == column[two] for column in (parent, tree.tag, tree.values("class").codes)])
    new = np.zeros(len(tree), dtype=np.bool_)
    new[list(dict(zip(reversed(tree.texts), reversed(tree.text_nodes.tolist()), strict=True)).values())] = True
    return np.asarray(alike & (tree.subtree_sum(tree.text_length * new, two) > 0))


def _originals(tree: PageTree, here: NDArray[np.intp]) -> NDArray[np.intp]:
    """Return the first block that each block repeats: index into ``here``, intp ``(k,)``; -1 for none."""
    blocks, source = text_blocks(tree), tree.texts
    original = np.full(len(here), -1, dtype=np.intp)
    starts = blocks.first[here].tolist()
    keys = list(zip(map(source.__getitem__, starts), blocks.length[here].tolist(), strict=True))
    if len(set(keys)) == len(keys):
        return original
    spans = list(zip(starts, blocks.last[here].tolist(), strict=True))
    met: dict[tuple[str, int], int] = {}
    for k, (key, span) in enumerate(zip(keys, spans, strict=True)):
        other = met.setdefault(key, k)
        if other != k and source[slice(*span)] == source[slice(*spans[other])]:
            original[k] = other
    return original
