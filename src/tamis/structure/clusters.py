"""Pages grouped by how alike their structure is: a matrix of similarities, and clusters made of it by average linkage.

This looks at all pairs of pages; for many pages of a site :mod:`tamis.structure.layouts` groups by sketches in linear time.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from tamis.errors import SourceError, UsageError, needs_extra
from tamis.page.tree import PageTree
from tamis.structure.shapes import Shaping, shapes
from tamis.structure.similarity import Method, Similarities, shaping_for, similarities

LEAST_SIMILARITY = 0.8  #: Least average similarity of two clusters that become one.
MAX_PAGES = 3_000  #: Pages that are clustered at the most: the work grows with the cube of their number.
_PAIRS_AT_ONCE = 4_000  #: Pairs of pages that are compared together: they share what they have in common, and take memory.
_MOST_NAMES = 60  #: Pages of a heat map up to which each row has its name.

Clusters = NDArray[np.int64]


def similarity_matrix(
    pages: Sequence[PageTree],
    method: Method = "free",
    shaping: Shaping = Shaping(),
) -> Similarities:
    """Return the similarity of every page to every other, float64 ``(n, n)``, symmetric, 1 on the diagonal.

    Args:
        pages: ``n`` trees.
        method: ``free`` or ``ordered``.
        shaping: what subtrees are compared by.
    """
    found = shapes(pages, shaping_for(method, shaping))
    root = np.array([found.of(0, tree) for tree in range(len(pages))], dtype=np.int64)
    rows, columns = np.triu_indices(len(pages), 1)
    matrix = np.eye(len(pages))
    for start in range(0, len(rows), _PAIRS_AT_ONCE):
        a, b = rows[start : start + _PAIRS_AT_ONCE], columns[start : start + _PAIRS_AT_ONCE]
        matrix[a, b] = matrix[b, a] = similarities(found, root[a], root[b])
    return matrix


def cluster(matrix: Similarities, alike: float = LEAST_SIMILARITY) -> Clusters:
    """Return the cluster of each page, int64 ``(n,)``: 0 is the largest, then by size; equal ones in the order of their first pages.

    Args:
        matrix: similarities, float64 ``(n, n)``, symmetric.
        alike: least average similarity of clusters that become one.

    Raises:
        UsageError: there are more than :data:`MAX_PAGES` pages, or ``alike`` is not within 0..1.

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
    distinct, first, which, count = np.unique(label, return_index=True, return_inverse=True, return_counts=True)
    rank = np.empty(len(distinct), dtype=np.int64)
    rank[np.lexsort((first, -count))] = np.arange(len(distinct))
    return rank[which]


def draw_heat_map(matrix: Similarities, names: Sequence[str], clusters: Clusters, path: Path) -> None:
    """Draw the similarity of every page to every other, pages of a cluster side by side with a line around them.

    Args:
        matrix: float64 ``(n, n)``.
        names: of the ``n`` pages.
        clusters: cluster of each page, int64 ``(n,)``.
        path: the file; its name says the format (png, svg, pdf).

    Raises:
        MissingExtraError: matplotlib is not installed.
        SourceError: the file cannot be written.
    """
    with needs_extra("drawing a heat map", "plot"):
        from matplotlib.figure import Figure
        from matplotlib.patches import Rectangle
    order = np.argsort(clusters, kind="stable")
    named = len(order) <= _MOST_NAMES
    side = max(5.0, 0.16 * len(order) + 2.0) if named else 9.0
    drawing = Figure(figsize=(side * 1.18, side), layout="constrained")
    axis = drawing.subplots()
    picture = axis.imshow(matrix[np.ix_(order, order)], vmin=0, vmax=1, cmap="viridis", interpolation="nearest")
    starts = np.flatnonzero(np.append(True, np.diff(clusters[order]) != 0)).tolist()
    for start, stop in zip(starts, [*starts[1:], len(order)], strict=True):
        axis.add_patch(Rectangle((start - 0.5, start - 0.5), stop - start, stop - start, fill=False, edgecolor="white", linewidth=1.2))
    axis.set_xticks([])
    axis.set_yticks(range(len(order)) if named else [], [names[k] for k in order] if named else [], fontsize=6)
    axis.set_title(f"similarity of {len(order)} pages, {len(starts)} clusters", fontsize=10)
    drawing.colorbar(picture, ax=axis, shrink=0.8)
    try:
        drawing.savefig(path, dpi=130)
    except (OSError, ValueError) as error:
        raise SourceError(f"cannot write the heat map {path}: {error}") from error
