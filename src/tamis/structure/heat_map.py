"""A matrix of similarities as a picture."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import numpy as np

from tamis.errors import MissingExtraError, SourceError
from tamis.structure.clusters import Clusters
from tamis.structure.similarity import Similarities

MOST_NAMES = 60
"""Pages up to which each row has its name."""


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
    try:
        from matplotlib.figure import Figure
        from matplotlib.patches import Rectangle
    except ImportError as error:
        raise MissingExtraError("drawing a heat map", "plot") from error
    order = np.argsort(clusters, kind="stable")
    named = len(order) <= MOST_NAMES
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
