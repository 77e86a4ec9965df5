"""Names of elements: tag, class names and id in one string; names with their numbers generalised."""

from __future__ import annotations

import re

import numpy as np
from numpy.typing import NDArray

from tamis.native import columns as compiled
from tamis.page.tree import IntColumn, PageTree

_DIGITS = re.compile(r"\d+")
MAX_TOKENS = 12  #: Class names of one element that count.
MAX_TOKEN = 80  #: Characters of a class name or id that count.


def general(name: str) -> str:
    """Return a name with every number 0, so that ``post-17`` and ``post-18`` are one.

    >>> general("#post-17")
    '#post-0'
    """
    return _DIGITS.sub("0", name)


def element_names(tree: PageTree, elements: NDArray[np.int64]) -> tuple[IntColumn, list[str]]:
    """Return the name of each of some elements, rising, as an index, int32 ``(e,)``, and the distinct names in the order they are met."""
    classes, ident = tree.values("class"), tree.values("id")
    codes = (tree.tag[elements], classes.codes[elements], ident.codes[elements])
    name, names = compiled.element_names(*codes, tree.names, classes.distinct, ident.distinct, element_name)
    return np.frombuffer(name, np.int32), names


def element_name(tag: str, classes: str | None, ident: str | None) -> str:
    """Tag, class names and id of an element in one string.

    >>> element_name("div", "post wide", "p1").split("\\t")
    ['div', '.post', '.wide', '#p1']
    """
    tokens = [f".{token[:MAX_TOKEN]}" for token in (classes or "").split()[:MAX_TOKENS]]
    if ident and not ident.isspace():
        tokens.append(f"#{ident.strip()[:MAX_TOKEN]}")
    return "\t".join((tag, *tokens))
