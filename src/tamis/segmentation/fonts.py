"""Fonts of items: of their first and last text, and whether there is but one."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from tamis.page.appearance import Appearance
from tamis.page.tree import BoolColumn, PageTree


class Fonts:
    """Fonts of ``m`` items, each a slice of the page's nodes; all arrays ``(m,)``, 0 where an item has no text that is seen."""

    characters: NDArray[np.int64]
    """Characters that are seen."""
    uniform: BoolColumn
    """At most one font size and weight."""
    first_size: NDArray[np.float64]
    """Font size of the first text in pixels."""
    last_size: NDArray[np.float64]
    first_weight: NDArray[np.int64]
    """Font weight of the first text."""
    last_weight: NDArray[np.int64]

    def __init__(self, tree: PageTree, appearance: Appearance, seen: BoolColumn, first: NDArray[np.int64], end: NDArray[np.int64]) -> None:
        texts = np.flatnonzero(seen)
        low, high = np.searchsorted(texts, first), np.searchsorted(texts, end)
        some = high > low
        self.characters = _below(tree.text_length[texts], high) - _below(tree.text_length[texts], low)
        size = np.append(appearance.font_size[texts], 0).astype(np.float64)
        weight = np.append(appearance.font_weight[texts], 0).astype(np.int64)
        top, bottom = np.where(some, low, -1), np.where(some, high - 1, -1)
        self.first_size, self.last_size = size[top], size[bottom]
        self.first_weight, self.last_weight = weight[top], weight[bottom]
        changes = np.append(0, np.cumsum((size[1:-1] != size[:-2]) | (weight[1:-1] != weight[:-2])))
        self.uniform = ~some | (changes[bottom] == changes[top])


def _below(values: NDArray[np.int32], position: NDArray[np.intp]) -> NDArray[np.int64]:
    """Sum of the values before each position, int64."""
    return np.append(0, np.cumsum(values, dtype=np.int64))[position]
