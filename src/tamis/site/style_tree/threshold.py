"""The threshold between noise and content, found in the style tree itself.

Leaves are either the same on nearly all pages or different on nearly all: their importances, weighed by characters, have one
heap at 0, one at 1 and little between. Otsu's criterion puts the threshold where the heaps are furthest apart.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from tamis.site.style_tree.importance import Floats, Importance, importance
from tamis.site.style_tree.rows import LEAF
from tamis.site.style_tree.settings import Cleaning
from tamis.site.style_tree.table import StyleTree

LOWEST, HIGHEST = 0.05, 0.7
"""Bounds of a chosen threshold: on a site without noise (or without content) the criterion would part one heap in two."""
UNDECIDED = 0.5
"""The threshold where all leaves have one importance."""


def choose_threshold(tree: StyleTree, settings: Cleaning = Cleaning()) -> float:
    """A threshold t for a site, without any page marked by hand, 0.05..0.7.

    Source: Otsu (1979), on the importances of the leaves weighed by the characters in them.
    """
    return threshold_of(tree, importance(tree, settings.gamma, settings.min_pages))


def threshold_of(tree: StyleTree, scores: Importance) -> float:
    """As :func:`choose_threshold`, for importances that are known."""
    leaf = np.flatnonzero((tree.styles.style == LEAF) & (tree.styles.characters > 0))
    content = scores.content[np.searchsorted(tree.elements.place, tree.styles.place[leaf])]
    return min(max(otsu(content, tree.styles.characters[leaf]), LOWEST), HIGHEST)


def otsu(values: Floats, weights: NDArray[np.int64]) -> float:
    """The number that parts values into two classes of the greatest variance between them; midway between the values next to it.

    >>> otsu(np.array([0.0, 0.1, 0.9, 1.0]), np.array([5, 5, 20, 20]))
    0.5
    """
    value, which = np.unique(np.round(values, 9), return_inverse=True)
    if len(value) < 2:
        return UNDECIDED
    weight = np.bincount(which, weights=weights)
    below, sum_below = np.cumsum(weight)[:-1], np.cumsum(weight * value)[:-1]
    above, sum_above = weight.sum() - below, (weight * value).sum() - sum_below
    between = below * above * (sum_below / below - sum_above / above) ** 2
    best = int(np.argmax(between))
    return float((value[best] + value[best + 1]) / 2)
