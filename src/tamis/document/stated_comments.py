"""Comments, reviews and posts that a page states in microdata (https://schema.org/Comment), element by element."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from tamis.document.comment import MAX_COMMENTS, MAX_LEVELS, Comment, Dates, Parts, each_own, nesting, read_comment, written
from tamis.page.microdata import ANSWERS, COMMENTS, Kinds, items_of, kind_of
from tamis.page.tree import PageTree

REVIEWS: Kinds = frozenset({"review", "userreview"})
POSTS: Kinds = ANSWERS | {"question"}
OPENING: Kinds = frozenset({"discussionforumposting"})
_THREADS: Kinds = OPENING | {"qapage"}


def is_stated_thread(tree: PageTree) -> bool:
    """Whether microdata says that the page is a thread of a forum, or a question with answers of its visitors."""
    return any(kind_of(name) in _THREADS for name in tree.values("itemtype").distinct)


def read_items(tree: PageTree, wanted: NDArray[np.intp], dates: Dates) -> Iterator[Comment]:
    """What some of :func:`items_of` say, in order."""
    if not len(wanted):
        return
    every, chosen = items_of(tree, COMMENTS | REVIEWS | POSTS | OPENING), set(wanted.tolist())
    every = every[nesting(tree, every, 0, len(tree))[every] <= MAX_LEVELS][:MAX_COMMENTS]
    parts = Parts(tree, tree.covered(wanted))
    for node, own, level in each_own(tree, every.tolist(), written(tree)):
        if node in chosen and (comment := read_comment(parts, node, own, level, dates, 1.0)).text:
            yield comment
