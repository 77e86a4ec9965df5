"""XPath on a PageTree, wherever the tree came from.

Plain steps, as :meth:`tamis.page.tree.PageTree.xpath` and browsers write them (``/html[1]/body[1]/ul[2]/li``), are followed on the
tree itself. Everything else is asked of lxml, on a copy of the tree.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from tamis.errors import MissingExtraError, UsageError
from tamis.page import tags
from tamis.page.tree import PageTree

if TYPE_CHECKING:
    from lxml.etree import _Element

_STEP = re.compile(r"/([a-z][a-z0-9-]*)(?:\[(\d+)\])?", re.IGNORECASE)
_NAME = re.compile(r"[A-Za-z_][\w.-]*")
_ILLEGAL = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")


def select_xpath(tree: PageTree, path: str) -> list[int]:
    """The elements that an XPath selects, rising.

    Raises:
        UsageError: it is no XPath, or selects something other than elements.
        MissingExtraError: it is more than plain steps, and lxml is not installed.

    >>> from tamis import parse
    >>> tree = parse("<body><p>one<p>two")
    >>> [tree.text(node) for node in select_xpath(tree, "/html/body/p[2]")]
    ['two']
    """
    steps = list(_STEP.finditer(path))
    if "".join(step[0] for step in steps) == path:
        return _follow(tree, [(step[1].lower(), int(step[2] or 0)) for step in steps])
    try:
        from lxml import etree
    except ImportError as error:
        raise MissingExtraError(f"the XPath {path!r}", "lxml") from error
    if not len(tree):
        return []
    elements = _as_lxml(tree)
    index: dict[object, int] = {element: node for node, element in elements.items()}
    try:
        found = next(iter(elements.values())).getroottree().xpath(path)
    except etree.XPathError as error:
        raise UsageError(f"{path!r} is not an XPath: {error}") from error
    chosen = [index.get(each) for each in found] if isinstance(found, list) else [None]
    if None in chosen:
        raise UsageError(f"{path!r} selects no elements: leave out what comes after the element, such as /text() or /@href")
    return sorted(node for node in chosen if node is not None)


def _follow(tree: PageTree, steps: list[tuple[str, int]]) -> list[int]:
    """Child steps with or without a number; none where a step leads nowhere."""
    here: NDArray[np.intp] = np.array([-1])
    for name, number in steps:
        code = next((code for code, known in enumerate(tree.names) if known == name), -1)
        inside = np.isin(tree.parent, here) & (tree.tag == code)
        here = np.flatnonzero(inside & (tree.ordinal == number) if number else inside)
    return [int(node) for node in here]


def _as_lxml(tree: PageTree) -> dict[int, _Element]:
    """The elements of the tree as lxml's, by node, the root first. What XML cannot hold is left out."""
    from lxml import etree

    made: dict[int, _Element] = {}
    texts = dict(zip(tree.text_nodes.tolist(), tree.texts, strict=True))
    for node in range(len(tree)):
        above = made.get(int(tree.parent[node]))
        if tree.tag[node] == tags.TEXT:
            if above is not None:
                _append_text(above, _ILLEGAL.sub("", texts[node]))
            continue
        name = tree.name(node)
        element = etree.Element(name if _NAME.fullmatch(name) else "unknown")
        for attribute, value in tree.attributes[node].items():
            if _NAME.fullmatch(attribute):
                element.set(attribute, _ILLEGAL.sub("", value))
        made[node] = element
        if above is not None:
            above.append(element)
    return made


def _append_text(above: _Element, text: str) -> None:
    if len(above):
        above[-1].tail = (above[-1].tail or "") + text
    else:
        above.text = (above.text or "") + text
