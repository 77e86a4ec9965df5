"""From Chromium's ``DOMSnapshot.captureSnapshot`` to a PageTree and its Appearance.

The tree is the one that :func:`tamis.parse` makes of the same markup. Consecutive text nodes are one text (Chromium cuts texts
at 65,536 characters). The content of a shadow root comes before the other children of its host. Frames are not part of the page.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tamis.io.browser.paint import STYLES, appearance_of
from tamis.page import tags
from tamis.page.appearance import Appearance
from tamis.page.tree import NO_ATTRIBUTES, Attributes, PageTree
from tamis.page.walk_plain import TreeBuilder

COMMAND = "DOMSnapshot.captureSnapshot"
PARAMETERS: Mapping[str, Any] = {"computedStyles": list(STYLES), "includePaintOrder": False, "includeDOMRects": False}

_ELEMENT, _TEXT, _FRAGMENT = 1, 3, 11


def convert(answer: Mapping[str, Any], *, notes: tuple[str, ...] = ()) -> tuple[PageTree, Appearance, str]:
    """Return the tree, the appearance and the title of the page in an answer to :data:`COMMAND` with :data:`PARAMETERS`."""
    document, strings = answer["documents"][0], answer["strings"]
    tree, place = _tree(document["nodes"], strings, notes)
    return tree, appearance_of(tree, place, document, strings), _string_at(strings, document["title"])


def _string_at(strings: Sequence[str], index: int) -> str:
    return strings[index] if index >= 0 else ""


def _tree(nodes: Mapping[str, Any], strings: Sequence[str], notes: tuple[str, ...]) -> tuple[PageTree, NDArray[np.intp]]:
    """Return the tree, and the index in it of each of Chromium's nodes, -1 for nodes that are left out."""
    kinds, parents, names, values = nodes["nodeType"], nodes["parentIndex"], nodes["nodeName"], nodes["nodeValue"]
    pseudo = frozenset(nodes.get("pseudoType", {}).get("index", ()))

    def attributes_of(node: int) -> Attributes:
        found = [_string_at(strings, index) for index in nodes["attributes"][node]]
        return dict(zip(found[::2], found[1::2], strict=True)) if found else NO_ATTRIBUTES

    builder = TreeBuilder(attributes_of)
    place = np.full(len(kinds), -1, dtype=np.intp)
    codes: dict[int, int] = {}
    above: list[int] = []  # Chromium's indices of the open elements
    after = 0
    while (node := after) < len(kinds):
        after += 1
        kind, parent = kinds[node], parents[node]
        if node in pseudo or parent in pseudo or kind not in (_ELEMENT, _TEXT):
            continue
        host = parents[parent] if kinds[parent] == _FRAGMENT else parent
        while above and above[-1] != host:
            above.pop()
            builder.leave()
        if kind == _ELEMENT:
            if (code := codes.get(names[node])) is None:
                name = strings[names[node]]  # in capitals in HTML; names in SVG have both
                code = codes[names[node]] = builder.code(name.lower() if name.isupper() or name.lower() in tags.CODE else name)
            place[node] = len(builder.tag)
            builder.enter(code, node)
            above.append(node)
            continue
        while after < len(kinds) and kinds[after] == _TEXT and parents[after] == parent:
            after += 1
        texts = len(builder.texts)
        builder.text("".join(_string_at(strings, value) for value in values[node:after]))
        if len(builder.texts) > texts:
            place[node:after] = len(builder.tag) - 1
    return builder.tree(notes), place
