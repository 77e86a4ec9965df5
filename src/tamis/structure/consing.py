"""Hash-consing: equal subtrees get one number."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from tamis.native import consing as compiled
from tamis.page.tree import IntColumn


@dataclass(frozen=True, eq=False)
class Consed:
    """The ``k`` distinct subtrees of some nodes, children before parents."""

    number: IntColumn
    """The subtree of each node, int32 ``(n,)``."""
    label: IntColumn
    """Label of the root of each distinct subtree, int32 ``(k,)``."""
    start: IntColumn
    """Where its children begin in :attr:`child`, int32 ``(k + 1,)``."""
    child: IntColumn
    """Numbers of all children, one subtree after the other, int32: in order, or where that does not count, rising."""
    size: NDArray[np.int64]
    """Nodes in each, int64 ``(k,)``."""
    height: IntColumn
    """Longest way from its root down, int32 ``(k,)``."""


def cons(label: IntColumn, parent: IntColumn, ordered: bool) -> Consed:
    """Number the subtrees of nodes in document order; two have the same number exactly when they are equal.

    Args:
        label: of each node, int32 ``(n,)``.
        parent: position of its parent among the nodes, int32 ``(n,)``; -1 for a root.
        ordered: whether the order of children counts.

    >>> found = cons(np.array([1, 2, 2], dtype=np.int32), np.array([-1, 0, 0], dtype=np.int32), True)
    >>> found.number.tolist(), found.child.tolist(), found.size.tolist(), found.height.tolist()
    ([1, 0, 0], [0, 0], [1, 3], [0, 1])
    """
    columns = compiled.cons(np.ascontiguousarray(label, dtype=np.int32), np.ascontiguousarray(parent, dtype=np.int32), ordered)
    number, distinct, start, child, height = (np.frombuffer(column, np.int32) for column in (*columns[:4], columns[5]))
    return Consed(number, distinct, start, child, np.frombuffer(columns[4], np.int64), height)
