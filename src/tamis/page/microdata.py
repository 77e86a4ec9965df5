"""Microdata: which elements of a page are items of a type (https://schema.org), and which hold a property of them."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from tamis.page.tree import PageTree

Kinds = frozenset[str]
COMMENTS: Kinds = frozenset({"comment", "usercomments"})
ANSWERS: Kinds = frozenset({"answer"})
TEXTS: Kinds = frozenset({"text", "commenttext", "articlebody"})  #: Properties that hold what somebody says.


def kind_of(itemtype: str) -> str:
    """Return the type that an ``itemtype`` names, lower case, without the vocabulary's address.

    >>> kind_of("https://schema.org/UserComments/")
    'usercomments'
    """
    return itemtype.rstrip("/").rsplit("/", 1)[-1].lower()


def items_of(tree: PageTree, kinds: Kinds) -> NDArray[np.intp]:
    """Return the elements that are items of some types (lower case), rising, intp ``(k,)``.

    >>> from tamis import parse
    >>> tree = parse('<p>Reeds.<p itemscope itemtype="https://schema.org/Comment">I like them.')
    >>> [tree.text(node) for node in items_of(tree, COMMENTS)]
    ['I like them.']
    """
    return tree.values("itemtype").nodes(lambda name: kind_of(name) in kinds, kinds)


def holders_of(tree: PageTree, properties: Kinds) -> NDArray[np.intp]:
    """Return the elements that hold one of some properties (lower case), rising, intp ``(k,)``."""
    return tree.values("itemprop").nodes(lambda name: not properties.isdisjoint(name.lower().split()), properties)
