"""CSS selectors on a PageTree, wherever the tree came from."""

from __future__ import annotations

import numpy as np
from selectolax.lexbor import LexborHTMLParser, LexborNode, SelectolaxError

from tamis.errors import UsageError
from tamis.page import tags
from tamis.page.tree import IntColumn, PageTree


def select_css(tree: PageTree, selectors: tuple[str, ...]) -> IntColumn:
    """Return the nodes that match any of the selectors, int32, rising.

    The elements and attributes of the tree are mirrored into the parser's own nodes, whose selector engine is complete and fast.

    Raises:
        UsageError: a selector is not valid CSS.

    >>> from tamis import parse
    >>> tree = parse("<body><p>one<p class=x>two")
    >>> [tree.text(node) for node in select_css(tree, ("p.x", "p:first-child"))]
    ['one', 'two']
    """
    if not selectors or not len(tree):
        return np.zeros(0, dtype=np.int32)
    root, index = _mirror(tree)
    found = {index[node.mem_id] for selector in selectors for node in _css_matches(root, selector) if node.mem_id in index}
    return np.array(sorted(found), dtype=np.int32)


def check_css(selector: str) -> str:
    """Return the selector, if it is one.

    Raises:
        UsageError: it is not valid CSS.
    """
    _css_matches(LexborHTMLParser("<p>"), selector)
    return selector


def _css_matches(within: LexborNode | LexborHTMLParser, selector: str) -> list[LexborNode]:
    try:
        return within.css(selector)
    except (SelectolaxError, ValueError) as error:
        raise UsageError(f"{selector!r} is not a CSS selector") from error


def _mirror(tree: PageTree) -> tuple[LexborNode, dict[int, int]]:
    """Return the elements of the tree as nodes of the parser below an empty node, and the index of each by identity."""
    parser = LexborHTMLParser("")
    top = parser.create_node("div")
    path = [top]  # the nodes around the one that is made next
    index: dict[int, int] = {}
    for node in np.flatnonzero(tree.tag != tags.TEXT).tolist():
        created = parser.create_node(tree.names[(tree.tag if tree.written is None else tree.written)[node]])
        for name, value in tree.attributes[node].items():
            if name.isprintable() and "\x00" not in value:
                created.attrs[name] = value
        del path[int(tree.depth[node]) + 1 :]
        path[-1].insert_child(created)
        path.append(path[-1].last_child or created)
        index[path[-1].mem_id] = node
    return top, index
