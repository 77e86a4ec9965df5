r"""Importance of the element nodes of a style tree, level by level (Yi, Liu and Li, 2003, section 3.3).

For an element *E* on *m* pages with *l* styles; style *i* is on the share :math:`p_i` of the pages:

.. math::
    NodeImp(E) = -\sum_i p_i \log_m p_i \quad (m > 1), \qquad 1 \quad (m = 1)

    CompImp(E) = (1 - \gamma^l) NodeImp(E) + \gamma^l \sum_i p_i CompImp(S_i)

with :math:`CompImp(S)` the mean over the elements of the style. The content of a leaf with the features :math:`a_1 ... a_l`:

.. math::
    CompImp(E) = 1 - \frac{1}{l} \sum_i H(a_i), \qquad H(a) = -\sum_j p_j \log_m p_j

where :math:`p_j` is the share of the feature's occurrences in *E* that fall on page *j*; 1 if *m* = 1.

"1 if *m* = 1" says that one page is not evidence of noise. Few pages are weak evidence: here it reads "1 if *m* < ``min_pages``", with the
paper's 2 by default.

The threshold between noise and content is found in the tree itself. Leaves are either the same on nearly all pages or different on nearly
all: their importances, weighed by characters, have one heap at 0, one at 1 and little between. Otsu's criterion puts the threshold where
the heaps are furthest apart.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from tamis.errors import UsageError
from tamis.page.grouping import ranges
from tamis.page.tree import IntColumn
from tamis.site.style_tree.rows import LEAF
from tamis.site.style_tree.table import Counts, StyleTree
from tamis.structure.hashing import Hashes, mix

GAMMA = 0.9  #: The paper's weight of content below an element against its own styles.

Floats = NDArray[np.float64]


@dataclass(frozen=True, slots=True, eq=False)
class Importance:
    """Importances of the element nodes, one value for each row of :class:`~tamis.site.style_tree.Elements`, float64."""

    node: Floats  #: NodeImp, 0..1: how much the styles below the element vary.
    composite: Floats  #: CompImp, 0..1.
    content: Floats  #: Importance of the element's content where it is a leaf, 0..1; NaN where it never is one.
    peak: Floats  #: Highest CompImp (and importance of content) in the subtree: the element is noisy for thresholds from here on.
    floor: Floats  #: Lowest peak in the subtree: the element is meaningful for thresholds below.


def importance(tree: StyleTree, gamma: float = GAMMA, min_pages: int = 2) -> Importance:
    """NodeImp and CompImp of every element node, bottom up.

    Args:
        tree: the style tree of a site.
        gamma: the paper's 0.9.
        min_pages: an element on fewer pages has the importance 1 (paper: 2).

    An element that is a leaf on some pages and not on others has its content as a style of one element. A leaf without any features
    (an empty ``div``, a ``br``) that is on several pages has the importance 0: it is the same on all.

    Raises:
        UsageError: gamma is not within 0..1, or ``min_pages`` is less than 2.
    """
    if min_pages < 2:
        raise UsageError(f"min_pages is at least 2, not {min_pages}: one page says nothing about repetition")
    if not 0 <= gamma <= 1:
        raise UsageError(f"gamma is a share from 0 to 1, not {gamma}")
    elements, styles = tree.elements, tree.styles
    if not len(tree):
        none = np.zeros(0)
        return Importance(none, none, none, none, none)
    start = np.searchsorted(styles.place, elements.place)
    number = np.diff(np.append(start, len(styles.place)))
    pages = np.add.reduceat(styles.pages, start)
    node = np.where(pages < min_pages, 1.0, node_importance(styles.pages, start))
    of_leaf = np.flatnonzero(styles.style == LEAF)
    content = np.full(len(tree), np.nan)
    content[np.searchsorted(elements.place, styles.place[of_leaf])] = content_importance(
        tree, styles.place[of_leaf], styles.pages[of_leaf], min_pages
    )

    # an element on too few pages has the importance 1, and so has all below it: only the others are walked
    composite, peak, floor = np.ones((3, len(tree)))
    inside = _style_of(tree)
    total, size = _style_totals(tree, inside, content, of_leaf, min_pages)
    owner = np.repeat(np.arange(len(tree)), number)
    highest = np.where(np.isnan(content), 0.0, content)
    highest[owner[(styles.pages < min_pages) & (styles.style != LEAF)]] = 1.0
    lowest = np.where(np.isnan(content), 1.0, content)
    above = np.searchsorted(elements.place, elements.above)
    for level in _level_by_level(elements.depth, np.flatnonzero(pages >= min_pages)):
        rows = ranges(start[level], start[level] + number[level])[1]
        local = np.cumsum(number[level]) - number[level]
        composite[level] = composite_importance(node[level], styles.pages[rows], total[rows] / size[rows], local, gamma)
        plain = level[(number[level] == 1) & (styles.style[start[level]] == LEAF)]
        composite[plain] = content[plain]
        peak[level] = np.maximum(highest[level], composite[level])
        floor[level] = np.minimum(lowest[level], peak[level])
        if level[0] > 0:  # row 0, the virtual root, is in no style
            np.add.at(total, inside[level], composite[level])
            np.maximum.at(highest, above[level], peak[level])
            np.minimum.at(lowest, above[level], floor[level])
    return Importance(node, composite, content, peak, floor)


def node_importance(pages: Counts, start: NDArray[np.intp]) -> Floats:
    """NodeImp of several elements, float64 ``(len(start),)``: the entropy of their styles, in units of its maximum.

    Args:
        pages: pages of each style, the styles of one element together.
        start: where each element's styles start in ``pages``, rising.

    >>> node_importance(np.array([35, 25, 25, 15, 3, 1]), np.array([0, 4])).round(5).tolist()
    [0.2921, 0.40564]
    """
    elements_pages = np.add.reduceat(pages, start)
    share = pages / np.repeat(elements_pages, np.diff(np.append(start, len(pages))))
    entropy = np.add.reduceat(-share * np.log(share), start)
    return np.where(elements_pages > 1, np.abs(entropy) / np.log(np.maximum(elements_pages, 2)), 1.0)


def composite_importance(node: Floats, pages: Counts, mean: Floats, start: NDArray[np.intp], gamma: float = GAMMA) -> Floats:
    """CompImp of several inner elements, float64 ``(len(start),)``.

    Args:
        node: NodeImp of each element.
        pages: pages of each style, the styles of one element together.
        mean: CompImp of each style: the mean over its elements.
        start: where each element's styles start, rising.
        gamma: the paper's 0.9.

    >>> styles = np.array([3, 1])
    >>> composite_importance(node_importance(styles, np.array([0])), styles, np.array([0.2, 1.0]), np.array([0])).round(5).tolist()
    [0.40107]
    """
    number = np.diff(np.append(start, len(pages)))
    below = np.add.reduceat(pages * mean, start) / np.add.reduceat(pages, start)
    weight = gamma**number
    return np.asarray((1 - weight) * node + weight * below)


def content_importance(tree: StyleTree, places: Hashes, pages: Counts, min_pages: int = 2) -> Floats:
    """Importance of the content of leaves, float64 ``(len(places),)``: 1 less the mean entropy of the features.

    Args:
        tree: the style tree, whose features are looked at.
        places: the leaves' places, rising, without repeats.
        pages: m, the pages on which each of them is a leaf.
        min_pages: 1 where m is less.
    """
    found = tree.features
    leaf = np.searchsorted(places, found.place)
    used = np.flatnonzero(pages[leaf] >= min_pages)
    content = np.where(pages < min_pages, 1.0, 0.0)
    if not len(used):
        return content
    leaf, count, on = leaf[used], found.count[used], found.pages[used]
    new = np.ones(len(used), dtype=np.bool_)
    new[1:] = (leaf[1:] != leaf[:-1]) | (np.diff(found.feature[used]) != 0)
    first = np.flatnonzero(new)
    occurrences = np.add.reduceat(count * on, first)
    share = count / np.repeat(occurrences, np.diff(np.append(first, len(used))))
    entropy = np.abs(np.add.reduceat(-on * share * np.log(share), first)) / np.log(pages[leaf[first]])
    features = np.bincount(leaf[first], minlength=len(places))
    mean = np.bincount(leaf[first], weights=entropy, minlength=len(places)) / np.maximum(features, 1)
    return np.where(features > 0, np.maximum(1 - mean, 0.0), content)


def _style_of(tree: StyleTree) -> NDArray[np.intp]:
    """Return the row of each element's style, intp ``(e,)``; meaningless for the virtual root."""
    # A place and a style mix to one number by which rows can be looked up.
    key = mix(tree.styles.place) + tree.styles.style
    order = np.argsort(key)
    wanted = mix(tree.elements.above) + tree.elements.beside
    return np.asarray(order[np.minimum(np.searchsorted(key[order], wanted), len(order) - 1)])


def _style_totals(
    tree: StyleTree, inside: NDArray[np.intp], content: Floats, of_leaf: NDArray[np.intp], min_pages: int
) -> tuple[Floats, Floats]:
    """For each style the sum of its elements' importances as far as it is known at the start, and the number of its elements.

    The only element of a leaf's style is its content; all elements of a style of too few pages have the importance 1.
    """
    styles = tree.styles
    size = np.bincount(inside[1:], minlength=len(styles.place)).astype(np.float64)
    total = np.where(styles.pages < min_pages, size, 0.0)
    size[of_leaf] = 1
    total[of_leaf] = content[np.searchsorted(tree.elements.place, styles.place[of_leaf])]
    return total, size


def _level_by_level(depth: IntColumn, rows: NDArray[np.intp]) -> Iterator[NDArray[np.intp]]:
    """Some rows, level by level, the deepest level first."""
    rows = rows[np.argsort(-depth[rows], kind="stable")]
    yield from np.split(rows, np.flatnonzero(np.diff(depth[rows])) + 1) if len(rows) else ()


LOWEST, HIGHEST = 0.05, 0.7
"""Bounds of a chosen threshold: on a site without noise (or without content) the criterion would part one heap in two."""
UNDECIDED = 0.5  #: The threshold where all leaves have one importance.


def choose_threshold(tree: StyleTree, scores: Importance) -> float:
    """Return a threshold t for a site, without any page marked by hand, 0.05..0.7; ``scores``: the importances of its elements.

    Source: Otsu (1979), on the importances of the leaves weighed by the characters in them.
    """
    return min(max(otsu(*_leaves(tree, scores)), LOWEST), HIGHEST)


def histogram(tree: StyleTree, scores: Importance, bins: int = 10) -> list[tuple[float, float, int]]:
    """Return what the threshold is chosen from: the characters in leaves, by importance; each row from, to, characters."""
    content, characters = _leaves(tree, scores)
    counts, edges = np.histogram(content, bins=bins, range=(0, 1), weights=characters)
    return [(float(low), float(high), int(count)) for low, high, count in zip(edges[:-1], edges[1:], counts, strict=True)]


def _leaves(tree: StyleTree, scores: Importance) -> tuple[Floats, NDArray[np.int64]]:
    """Importance of the content of each leaf with text, and its characters."""
    leaf = np.flatnonzero((tree.styles.style == LEAF) & (tree.styles.characters > 0))
    return scores.content[np.searchsorted(tree.elements.place, tree.styles.place[leaf])], tree.styles.characters[leaf]


def otsu(values: Floats, weights: NDArray[np.int64]) -> float:
    """Return the number that parts values into two classes of the greatest variance between them; midway between the values next to it.

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
