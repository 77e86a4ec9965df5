"""Teasers: items of one kind, or boxes, with links to other articles, videos or comments, that are no part of the main text."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from tamis.document.forum import is_forum
from tamis.document.selection import Cause, Reason, Selection
from tamis.page import tags
from tamis.page.grouping import group, keys_of
from tamis.page.tree import PageTree

SURE = 0.9  #: Probability of text that tells where the main text is.
LEAST_LINES = 3  #: Lines of the element of the main text.
LEAST_ITEMS, LINKED = 3, 0.8  #: Items of one kind, and the share of them that hold a link.
UNSURE = 0.7  #: Mean probability of the kept text of teasers, at the most.
BESIDE = 0.2  #: Kept text beside the items in their parent, by their own, at the most.
PARTLY = 0.5  #: Share of their text that teasers before or within the main text keep, at the most.
MOST = 2  #: Kept text of all teasers, by all text that is sure, at the most; on pages with more, the items may be the content.
LINKS, UNSURE_LINKS = 0.7, 0.8
"""Share of its kept text that a box of links has within links, at the least, and the mean probability of it all, at the most."""
TEASER = Reason("left out: one of several teasers", Cause.UNIT)
BOX = Reason("left out: a box of links beside the main text", Cause.UNIT)

_BOXES = tags.lookup(tags.codes("div aside section figure blockquote nav center"))  #: No lists: authors write them.


def without_teasers(tree: PageTree, selection: Selection, url: str | None = None) -> Selection:
    """A selection without teasers, and without boxes of links. The main text is in the smallest element with half of the text that is sure.

    Before and within that element, the model must have left out most of the items' text. Forums keep items: they may be posts.

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
    certain = kept * (probability >= SURE)
    sure, held, probable = map(tree.subtree_sum, (certain, kept, kept * probability))
    total = int(sure.max(initial=0))
    around = 2 * sure >= max(total, 1)
    holders = np.flatnonzero(around)
    if not len(holders):
        return selection
    boxes = np.flatnonzero(around[tree.parent] & ~around & tree.of_tags(_BOXES) & (probable < UNSURE_LINKS * held))
    if len(boxes):
        boxes = boxes[tree.subtree_sum(kept * tree.in_link, boxes) >= LINKS * held[boxes]]
        texts = np.flatnonzero(certain)
        boxes = boxes[texts.searchsorted(boxes) > texts.searchsorted(tree.parent[boxes])]  # sure text stands before
        if held[boxes].sum() <= total:
            selection = selection.without(tree.covered(boxes), BOX)
    holders = holders[tree.lines_below(holders) >= LEAST_LINES]
    teasers = tree.outermost(_items(tree, int(tree.end[holders[-1]]), held, probable)) if len(holders) else holders
    if not len(teasers) or held[teasers].sum() > MOST * total or is_forum(tree, url):
        return selection
    return selection.without(tree.covered(teasers), TEASER)


def _items(tree: PageTree, after: int, held: NDArray[np.int64], probable: NDArray[np.float64]) -> NDArray[np.intp]:
    """The items of which the model is not sure, with others of their tag and class in the same parent, rising, intp ``(k,)``.

    Args:
        tree: the page.
        after: the node after the main text.
        held: kept characters of each subtree, int64 ``(n,)``.
        probable: the same, each by its probability, float64 ``(n,)``.
    """
    unsure = (held > 0) & (probable < (UNSURE + BESIDE) * held)  # what holds teasers and little else
    nodes = np.flatnonzero(unsure[tree.parent] & (tree.length_below > 0) & (tree.tag != tags.TEXT))
    if not len(nodes):
        return nodes
    number, first = group(keys_of(*(column[nodes] for column in (tree.parent, tree.tag, tree.values("class").codes))))
    count = np.bincount(number)
    total, likely, length = (np.bincount(number, column[nodes]) for column in (held, probable, tree.length_below))
    linked = np.bincount(number, tree.count_below(nodes, np.flatnonzero(tree.link)) > 0)
    teasers = (count >= LEAST_ITEMS) & (linked >= LINKED * count) & (likely < UNSURE * total)
    teasers &= held[tree.parent[nodes[first]]] - total <= BESIDE * total
    teasers &= (nodes[first] >= after) | (total <= PARTLY * length)
    return nodes[teasers[number]]
