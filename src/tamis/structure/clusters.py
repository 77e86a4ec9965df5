"""Pages grouped by how alike their structure is: a matrix of similarities, and clusters made of it.

Agglomerative clustering with average linkage: at first every page is a cluster of its own; then the two clusters whose pages are most alike
on average become one, as long as that average is at least :data:`ALIKE`. This looks at all pairs of pages; for many pages of a site
:mod:`tamis.structure.layouts` groups by sketches in linear time.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np
from numpy.typing import NDArray

from tamis.errors import UsageError
from tamis.page.tree import PageTree
from tamis.structure.shapes import Shaping, shapes
from tamis.structure.similarity import Method, Similarities, shaping_for, similarities

ALIKE = 0.8
"""Least average similarity of two clusters that become one."""
MAX_PAGES = 3_000
"""Pages that are clustered at the most: the work grows with the cube of their number."""
_PAIRS_AT_ONCE = 4_000
"""Pairs of pages that are compared together: they share what they have in common, and take memory."""

Clusters = NDArray[np.int64]


def similarity_matrix(
    pages: Sequence[PageTree],
    method: Method = "free",
    shaping: Shaping = Shaping(),
    progress: Callable[[int, int], None] | None = None,
) -> Similarities:
    """The similarity of every page to every other, float64 ``(n, n)``, symmetric, 1 on the diagonal.

    Args:
        pages: ``n`` trees.
        method: ``free`` or ``ordered``.
        shaping: what subtrees are compared by.
        progress: told how many pairs are done, of how many.
    """
    found = shapes(pages, shaping_for(method, shaping))
    root = np.array([found.of(0, tree) for tree in range(len(pages))], dtype=np.int64)
    rows, columns = np.triu_indices(len(pages), 1)
    matrix = np.eye(len(pages))
    for start in range(0, len(rows), _PAIRS_AT_ONCE):
        a, b = rows[start : start + _PAIRS_AT_ONCE], columns[start : start + _PAIRS_AT_ONCE]
        matrix[a, b] = matrix[b, a] = similarities(found, root[a], root[b])
        if progress is not None:
            progress(min(start + _PAIRS_AT_ONCE, len(rows)), len(rows))
    return matrix


def cluster(matrix: Similarities, alike: float = ALIKE) -> Clusters:
    """The cluster of each page, int64 ``(n,)``: 0 is the largest, then by size; clusters of one size in the order of their first pages.

    Args:
        matrix: similarities, float64 ``(n, n)``, symmetric.
        alike: least average similarity of clusters that become one.

    Raises:
        UsageError: there are more than :data:`MAX_PAGES` pages, or ``alike`` is no share.

    >>> cluster(np.array([[1.0, 0.2, 0.9], [0.2, 1.0, 0.1], [0.9, 0.1, 1.0]])).tolist()
    [0, 1, 0]
    """
    if not 0 <= alike <= 1:
        raise UsageError(f"alike is a similarity from 0 to 1, not {alike}")
    if len(matrix) > MAX_PAGES:
        raise UsageError(f"{len(matrix)} pages are more than the {MAX_PAGES} that are clustered at once: give fewer")
    label = np.arange(len(matrix))
    average = matrix.astype(np.float64)
    np.fill_diagonal(average, -1.0)
    pages = np.ones(len(matrix))
    for _ in range(len(matrix) - 1):
        a, b = sorted(map(int, np.unravel_index(int(average.argmax()), average.shape)))
        if average[a, b] < alike:
            break
        average[a] = average[:, a] = (pages[a] * average[a] + pages[b] * average[b]) / (pages[a] + pages[b])
        average[a, a] = -1.0
        average[b] = average[:, b] = -1.0
        pages[a] += pages[b]
        label[label == label[b]] = label[a]
    return _by_size(label)


def _by_size(label: Clusters) -> Clusters:
    """Clusters numbered from the largest."""
    distinct, first, which, count = np.unique(label, return_index=True, return_inverse=True, return_counts=True)
    rank = np.empty(len(distinct), dtype=np.int64)
    rank[np.lexsort((first, -count))] = np.arange(len(distinct))
    return rank[which]
