"""Teasers: items of one kind, or boxes, with links to other articles, videos or comments, which are not main text."""

from __future__ import annotations

import numpy as np

from tamis.document.forum import is_forum
from tamis.document.selection import Cause, Reason, Selection
from tamis.native import columns as compiled
from tamis.page import tags
from tamis.page.tree import PageTree

TEASER = Reason("left out: one of several teasers", Cause.UNIT)
BOX = Reason("left out: a box of links beside the main text", Cause.UNIT)

_BOXES = tags.flags(tags.codes("div aside figure blockquote nav center"))  #: No lists and sections: authors write them.


def without_teasers(tree: PageTree, selection: Selection, url: str | None = None) -> Selection:
    """Drop teasers and boxes of links. The main text is in the smallest element with half of the text that is sure.

    Before and within that element, the model must have left out most of the items' text. Forums keep items: they may be posts.
    """
    probability = selection.scores.get("probability")
    if probability is None:
        return selection
    columns = (tree.tag, tree.parent, tree.end, tree.values("class").codes, tree.text_length, tree.lines_before, tree.before)
    probability = np.ascontiguousarray(probability, dtype=np.float64)
    found = compiled.teasers(_BOXES, *columns, selection.keep, probability, tree.in_link, tree.link)
    boxes, teasers = (np.frombuffer(nodes, np.int32) for nodes in found)
    if len(boxes):
        selection = selection.without(tree.subtree_mask(boxes), BOX)
    if not len(teasers) or is_forum(tree, url):
        return selection
    return selection.without(tree.subtree_mask(teasers), TEASER)
