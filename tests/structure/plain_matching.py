"""Equal subtrees numbered with a dictionary: the oracle for ``native/consing.c``."""

from __future__ import annotations

from itertools import accumulate, chain

import numpy as np

from tamis.page.tree import IntColumn
from tamis.structure.consing import Consed


def plain_cons(label: IntColumn, parent: IntColumn, ordered: bool) -> Consed:
    """:func:`cons`, not compiled: from the last node to the first, so children come before parents."""
    labels, parents = label.tolist(), parent.tolist()
    numbers: dict[tuple[int, tuple[int, ...]], int] = {}
    size: list[int] = []
    height: list[int] = []
    below: dict[int, list[int]] = {}
    found = [0] * len(labels)
    for node in range(len(labels) - 1, -1, -1):
        children = below.pop(node, [])
        key = (labels[node], tuple(children[::-1] if ordered else sorted(children)))
        number = numbers.get(key)
        if number is None:
            number = numbers[key] = len(numbers)
            size.append(1 + sum(map(size.__getitem__, children)))
            height.append(1 + max(map(height.__getitem__, children)) if children else 0)
        found[node] = number
        below.setdefault(parents[node], []).append(number)
    return Consed(
        number=np.array(found, dtype=np.int32),
        label=np.array([of for of, _ in numbers], dtype=np.int32),
        start=np.array(list(accumulate((len(children) for _, children in numbers), initial=0)), dtype=np.int32),
        child=np.array(list(chain.from_iterable(children for _, children in numbers)), dtype=np.int32),
        size=np.array(size, dtype=np.int64),
        height=np.array(height, dtype=np.int32),
    )
