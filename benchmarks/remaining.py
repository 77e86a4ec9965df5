"""What is left of a page: a smaller tree, for methods that look at whole pages."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from tamis.page.tree import PageTree


def remaining(tree: PageTree, kept: NDArray[np.intp]) -> tuple[PageTree, NDArray[np.intp]]:
    """A page without some of its nodes.

    Args:
        tree: the page.
        kept: nodes to keep, intp, rising; their ancestors are kept, too.

    Returns:
        The smaller tree, and for each of its ``m`` nodes the index in the page, intp ``(m,)``.

    >>> from tamis import parse
    >>> page = parse("<body><p>one<p>two<div><p>three</div>")
    >>> remaining(page, page.text_nodes[[0, 2]])[0].text()
    'one three'
    """
    wanted = np.zeros(len(tree), dtype=np.int64)
    wanted[kept] = 1
    stays = tree.subtree_sum(wanted) > 0
    node = np.flatnonzero(stays)
    position = np.append(0, np.cumsum(stays))
    text_stays = stays[tree.text_nodes]
    parent = tree.parent[node]
    smaller = replace(
        tree,
        tag=tree.tag[node],
        parent=np.where(parent < 0, -1, position[np.maximum(parent, 0)]).astype(np.int32),
        end=position[tree.end[node]].astype(np.int32),
        text_nodes=position[tree.text_nodes[text_stays]].astype(np.int32),
        texts=[tree.texts[k] for k in np.flatnonzero(text_stays).tolist()],
        link=tree.link[node],
        attributes=[tree.attributes[k] for k in node.tolist()],
    )
    return smaller, node
