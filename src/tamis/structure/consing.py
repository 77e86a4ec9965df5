"""Hash-consing: equal subtrees get one number."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import accumulate, chain

import numpy as np
from numpy.typing import NDArray

from tamis.page.tree import IntColumn


@dataclass(frozen=True, eq=False)
class Consed:
    """The ``k`` distinct subtrees of some nodes, children before parents."""

    number: IntColumn  #: The subtree of each node, int32 ``(n,)``.
    label: IntColumn  #: Label of the root of each distinct subtree, int32 ``(k,)``.
    start: IntColumn  #: Where its children begin in :attr:`child`, int32 ``(k + 1,)``.
    child: IntColumn  #: Numbers of all children, one subtree after the other, int32: in order, or where that does not count, rising.
    size: NDArray[np.int64]  #: Nodes in each, int64 ``(k,)``.
    height: IntColumn  #: Longest way from its root down, int32 ``(k,)``.


def cons(label: IntColumn, parent: IntColumn, ordered: bool) -> Consed:
    """Number the subtrees of nodes in document order; two have the same number exactly when they are equal.

    ``parent``: position of each node's parent, -1 for a root; ``ordered``: whether the order of children counts.

    >>> found = cons(np.array([1, 2, 2], dtype=np.int32), np.array([-1, 0, 0], dtype=np.int32), True)
    >>> found.number.tolist(), found.child.tolist(), found.size.tolist(), found.height.tolist()
    ([1, 0, 0], [0, 0], [1, 3], [0, 1])
    """
    labels, parents = label.tolist(), parent.tolist()
    numbers: dict[tuple[int, ...], int] = {}
    size: list[int] = []
    height: list[int] = []
    below: dict[int, list[int]] = {}
    found = [0] * len(labels)
    for node in range(len(labels) - 1, -1, -1):  # children come before parents
        children = below.pop(node, [])
        key = (labels[node], *(children[::-1] if ordered else sorted(children)))
        number = numbers.get(key)
        if number is None:
            number = numbers[key] = len(numbers)
            size.append(1 + sum(map(size.__getitem__, children)))
            height.append(1 + max(map(height.__getitem__, children)) if children else 0)
        found[node] = number
        below.setdefault(parents[node], []).append(number)
    return Consed(
        number=np.array(found, dtype=np.int32),
        label=np.array([key[0] for key in numbers], dtype=np.int32),
        start=np.array(list(accumulate((len(key) - 1 for key in numbers), initial=0)), dtype=np.int32),
        child=np.array(list(chain.from_iterable(key[1:] for key in numbers)), dtype=np.int32),
        size=np.array(size, dtype=np.int64),
        height=np.array(height, dtype=np.int32),
    )
