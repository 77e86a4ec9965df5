"""Similarity of subtrees by their structure: free matching, ordered matching, simple tree matching.

With n(T) the number of nodes of a tree T, and A_i, B_j the children of the roots of A and B,

- *free matching* is 0 where the roots' labels differ, ``2 / (n(A) + n(B))`` where one of the trees is a single node, and else
  ``(2 + sum_i n(A_i) max_j Sim(A_i, B_j) + sum_j n(B_j) max_i Sim(A_i, B_j)) / (n(A) + n(B))``:
  each child picks its best partner on the other side, and one partner may serve many;
- *ordered matching* is the same with a one-to-one match of the children that keeps their order, the best there is:
  ``(2 + max over matches M of sum of (n(A_i) + n(B_j)) Sim(A_i, B_j) over (i, j) in M) / (n(A) + n(B))``;
- *simple tree matching* (STM) counts the pairs of nodes in the best such match, so ordered matching is ``2 STM / (n(A) + n(B))``.

Source: Song and Zhang (2011), definitions 2.1 and 2.2; Yang (1991) for simple tree matching.
"""

from __future__ import annotations

from typing import Literal

import numpy as np
from numpy.typing import NDArray

from tamis.parsing import Page
from tamis.structure.shapes import Shapes, Shaping
from tamis.tree import PageTree

Method = Literal["free", "ordered"]
Similarities = NDArray[np.float64]


def similarity(a: Page, b: Page, method: Method = "free", shaping: Shaping = Shaping()) -> float:
    """How alike two pages are in their structure, 0..1; 1 on a page itself.

    Args:
        a: a page: HTML, bytes, a file (``Path``), a tree.
        b: another.
        method: ``free`` or ``ordered``.
        shaping: what subtrees are compared by; ``ordered`` in it is set as the method needs it.
    """
    raise NotImplementedError


def similarities(shapes: Shapes, a: NDArray[np.integer], b: NDArray[np.integer]) -> Similarities:
    """The similarity of pairs of shapes ``a[i]``, ``b[i]`` (they broadcast), float64; ordered where the shapes are, else free.

    Every distinct pair of shapes that is met on the way down is compared once, for all pairs asked for together. So one sample
    against many nodes is ``similarities(found, found.of(node), found.nodes[0][nodes])``, and all pairs of some subtrees are
    ``similarities(found, s[:, None], s[None, :])``. :data:`~tamis.structure.shapes.NO_SHAPE` is like nothing: 0.
    """
    raise NotImplementedError


def node_similarities(
    tree: PageTree, key: PageTree, key_node: int, nodes: NDArray[np.integer], shaping: Shaping = Shaping()
) -> Similarities:
    """A subtree of one tree (or the same) against many nodes of a page, float64 ``(len(nodes),)``."""
    raise NotImplementedError
