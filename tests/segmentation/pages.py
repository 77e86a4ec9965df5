"""Pages whose boxes, fonts and colours are given by hand, in attributes of their elements.

``b="left top width height"``, ``size``, ``weight``, ``bg="rrggbb"``; an element without ``b`` has no box of its own, one with ``hidden``
is not visible. Texts have the box, font size and weight of their parent. What tags say of ``display`` holds, and an attribute ``display``.
"""

from __future__ import annotations

import numpy as np

from tamis.page import tags
from tamis.page.appearance import Appearance
from tamis.page.parsing import parse
from tamis.page.tree import PageTree
from tamis.segmentation.items import Items, make_items
from tamis.segmentation.rules import Facts

WIDTH, HEIGHT = 1000.0, 1000.0


def page(html: str) -> tuple[PageTree, Appearance]:
    """A tree and its appearance on a page of 1000 x 1000 pixels."""
    tree = parse(html)
    n = len(tree)
    box, visible = np.zeros((n, 4), dtype=np.float32), np.zeros(n, dtype=np.bool_)
    size, weight = np.full(n, 16, dtype=np.float32), np.full(n, 400, dtype=np.int16)
    background = np.zeros(n, dtype=np.uint32)
    inline = ~np.isin(tree.tag, list(tags.BLOCKS))
    for node in range(n):
        parent = int(tree.parent[node])
        if parent >= 0:
            size[node], weight[node] = size[parent], weight[parent]
        if tree.tag[node] == tags.TEXT:
            box[node], visible[node] = box[parent], visible[parent]
            continue
        own = tree.attributes[node]
        if "b" in own:
            box[node], visible[node] = [float(side) for side in own["b"].split()], "hidden" not in own
        size[node], weight[node] = own.get("size", size[node]), own.get("weight", weight[node])
        background[node] = int(own["bg"], 16) << 8 | 0xFF if "bg" in own else 0
        inline[node] = own["display"] == "inline" if "display" in own else inline[node]
    color = np.full(n, 0xFF, dtype=np.uint32)
    return tree, Appearance(box, visible, inline, size, weight, color, background, WIDTH, HEIGHT)


def facts(html: str) -> tuple[PageTree, Items, Facts]:
    """What the rules look at."""
    tree, appearance = page(html)
    items = make_items(tree, appearance)
    return tree, items, Facts(tree, items, WIDTH * HEIGHT)


def named(tree: PageTree, name: str) -> int:
    """The node with an id."""
    return next(node for node in range(len(tree)) if tree.attributes[node].get("id") == name)
