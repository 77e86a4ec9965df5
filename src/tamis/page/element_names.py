"""What names an element: its tag, class names and id, in one string, for all elements of a page at once."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from tamis.page.tree import IntColumn, LazyAttributes, PageTree

MAX_TOKENS = 12
"""Class names of one element that count."""
MAX_TOKEN = 80
"""Characters of a class name or id that count."""


def element_names(tree: PageTree, elements: NDArray[np.int64]) -> tuple[IntColumn, list[str]]:
    """The name of each element as an index, int32 ``(e,)``, and the distinct names in the order they are met.

    Args:
        tree: the page.
        elements: indices of elements, int64 ``(e,)``, rising.
    """
    if isinstance(tree.attributes, LazyAttributes) and tree.attributes.names is not None:
        name, names = tree.attributes.names(elements, element_name)
        return np.frombuffer(name, np.int32), names
    return plain_element_names(tree, elements)


def plain_element_names(tree: PageTree, elements: NDArray[np.int64]) -> tuple[IntColumn, list[str]]:
    """:func:`element_names`, not compiled."""
    tag_names = tree.names
    attributes = tree.attributes.all() if isinstance(tree.attributes, LazyAttributes) else tree.attributes
    indices: dict[str, int] = {}
    seen: dict[tuple[int, str | None, str | None], int] = {}
    name = []
    for node, tag in zip(elements.tolist(), tree.tag[elements].tolist(), strict=True):
        own = attributes[node]
        key = (tag, own.get("class"), own.get("id"))
        index = seen.get(key)
        if index is None:
            index = seen[key] = indices.setdefault(element_name(tag_names[tag], key[1], key[2]), len(indices))
        name.append(index)
    return np.array(name, dtype=np.int32), list(indices)


def element_name(tag: str, classes: str | None, ident: str | None) -> str:
    """Tag, class names and id of an element in one string.

    >>> element_name("div", "post wide", "p1").split("\\t")
    ['div', '.post', '.wide', '#p1']
    """
    tokens = [f".{token[:MAX_TOKEN]}" for token in (classes or "").split()[:MAX_TOKENS]]
    if ident and not ident.isspace():
        tokens.append(f"#{ident.strip()[:MAX_TOKEN]}")
    return "\t".join((tag, *tokens))
