"""Lists, code and tables that a kept line announces: it ends with a colon."""

from __future__ import annotations

import numpy as np

from tamis.document.selection import Cause, Reason, Selection
from tamis.document.units import LIST_LINKS, section_of
from tamis.page import tags
from tamis.page.tree import PageTree

LEAST_PROBABLE = 0.15  #: Mean probability from which what is announced is kept, whatever follows.
LEAST_SAID = 40  #: Characters of a line that announces links; shorter ones name a list of links beside the text ("Related:").
ANNOUNCED = Reason("kept: a kept line announces it", Cause.UNIT)
_KINDS = tags.lookup(tags.LISTS | (tags.PREFORMATTED & tags.BLOCKS) | tags.codes("dl table"))
_RICH = tags.lookup(tags.HEADINGS | tags.codes("article section"))


def with_announced(tree: PageTree, selection: Selection) -> Selection:
    """A selection with what kept lines announce: it is probable, or kept text of its section follows. Much linked text must be both."""
    probability, nodes = selection.scores.get("probability"), tree.text_nodes
    if probability is None:
        return selection
    found = tree.tagged(_KINDS)
    found = found[(tree.length_below[found] > 0) & (tree.count_below(found, (~selection.keep).nonzero()[0]) > 0)]
    at = nodes.searchsorted(found) - 1  # the texts before
    may = (selection.keep[nodes[at]] & (nodes[at] < found)).nonzero()[0]
    may = may[[tree.texts[k][-2:].rstrip().endswith((":", "：")) for k in at[may].tolist()]]
    if not len(may):
        return selection
    found, at = found[may], at[may]
    section = section_of(tree, found)
    said = (nodes[at] > section) & ~tree.aside[found]
    if not said.any():
        return selection
    found, at, section = found[said], at[said], section[said]
    end, before, kept = tree.end[found], tree.before, nodes[selection.keep[nodes]]
    length, linked = (column[end] - column[found] for column in (before, tree.linked_before))
    probable = tree.subtree_sum(probability * tree.text_length, found) >= LEAST_PROBABLE * length
    followed = kept.searchsorted(end) < kept.searchsorted(tree.end[section])
    line = nodes[tree.line.searchsorted(tree.line[at])]  # its first text
    links = probable & (before[found] - before[line] >= LEAST_SAID)
    wanted = np.where(linked <= LIST_LINKS * length, probable | followed, links)
    wanted &= tree.count_below(found, tree.tagged(_RICH)) == 0
    return selection.adding(tree.covered(found[wanted]), ANNOUNCED, Cause.MODEL)
