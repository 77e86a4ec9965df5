"""Teasers: items of one kind with links, such as other articles or latest comments, after the element that holds the main text."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from tamis.document.forum import is_forum
from tamis.document.selection import Cause, Reason, Selection
from tamis.page import tags
from tamis.page.grouping import group, keys_of
from tamis.page.tree import PageTree

SURE, LEAST_SURE = 0.9, 200
"""Probability of text that tells where the main text is, and its characters, at the least."""
LEAST_LINES = 3  #: Lines of the element of the main text.
LEAST_ITEMS, LINKED = 3, 0.8  #: Items of one kind, and the share of them that hold a link.
UNSURE = 0.7  #: Mean probability of teasers, at the most.
BESIDE = 0.2  #: Kept text beside the items in their parent, by their own, at the most.
MOST = 2  #: Kept text of all teasers, by that of the main text, at the most; on pages with more, the items may be the content.
TEASER = Reason("left out: one of several teasers after the main text", Cause.UNIT)


def without_teasers(tree: PageTree, selection: Selection, url: str | None = None) -> Selection:
    """A selection without teasers. The main text is in the smallest element that holds half of the text that is sure.

    Forums keep theirs: they may be posts.

    >>> from tamis import parse
    >>> items = "".join(f"<li><a href=/{name}>{name}</a> bend in every wind." for name in ("rushes", "sedges", "irises"))
    >>> tree = parse("<main>" + "<p>Reeds grow in the water." * 30 + f"</main><ul>{items}</ul>")
    >>> keep = np.isin(np.arange(len(tree)), tree.text_nodes)
    >>> scores = {"probability": np.where(np.arange(len(tree)) < 64, 0.9, 0.6)}
    >>> reasons = Reason("short", Cause.MODEL), Reason("long", Cause.CONTENT)
    >>> selection = Selection("made up", keep, keep.astype(np.uint8), reasons, scores=scores)
    >>> int(without_teasers(tree, selection).keep[tree.text_nodes].sum())
    30
    """
    probability = selection.scores.get("probability")
    if probability is None:
        return selection
    kept = tree.text_length * selection.keep
    sure = tree.subtree_sum(kept * (probability >= SURE))
    if (total := int(sure.max(initial=0))) < LEAST_SURE:
        return selection
    holders = (2 * sure >= total).nonzero()[0]
    holders = holders[tree.lines_below(holders) >= LEAST_LINES]
    if not len(holders) or not kept[(after := tree.end[main := holders[-1]]) :].any():
        return selection
    held = tree.subtree_sum(kept)
    teasers = tree.outermost(_items(tree, np.arange(after, len(tree)), held, tree.subtree_sum(kept * probability)))
    if not len(teasers) or held[teasers].sum() > MOST * held[main] or is_forum(tree, url):
        return selection
    return selection.without(tree.covered(teasers), TEASER)


def _items(tree: PageTree, nodes: NDArray[np.intp], held: NDArray[np.int64], probable: NDArray[np.float64]) -> NDArray[np.intp]:
    """Those of some nodes that are unsure, with others of their tag and class in the same parent, intp ``(k,)``.

    Args:
        tree: the page.
        nodes: that may be items, rising.
        held: kept characters of each subtree, int64 ``(n,)``.
        probable: the same, each by its probability, float64 ``(n,)``.
    """
    nodes = nodes[(tree.length_below[nodes] > 0) & (tree.tag[nodes] != tags.TEXT) & (held[tree.parent[nodes]] > 0)]
    if not len(nodes):
        return nodes
    number, first = group(keys_of(*(column[nodes] for column in (tree.parent, tree.tag, tree.values("class").codes))))
    count = np.bincount(number)
    linking = tree.count_below(nodes, tree.link.nonzero()[0]) > 0
    total, likely, linked = (np.bincount(number, each) for each in (held[nodes], probable[nodes], linking))
    teasers = (count >= LEAST_ITEMS) & (linked >= LINKED * count) & (likely < UNSURE * total)
    teasers &= held[tree.parent[nodes[first]]] - total <= BESIDE * total
    return nodes[teasers[number]]
