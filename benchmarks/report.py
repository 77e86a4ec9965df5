"""What the reports of all benches are made with: JSON files, shares as text, plots."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from tamis.errors import MissingExtraError, SourceError

OURS, THEIRS, FLOOR = "#c0392b", "#2c5f8a", "#888888"
"""Colours of tamis, its peers, and yardsticks."""
LABEL: dict[str, Any] = {"textcoords": "offset points", "fontsize": 8}
"""How names stand beside points."""


def write_json(values: dict[str, Any], path: Path) -> None:
    """Write a result's plain values.

    Raises:
        SourceError: the file cannot be written.
    """
    try:
        path.write_text(json.dumps(values, ensure_ascii=False, indent=1) + "\n", "utf-8")
    except OSError as error:
        raise SourceError(f"cannot write {path}: {error.strerror or error}") from error


def percent(share: float | None) -> str:
    """A share as text, ``-`` for none."""
    return "-" if share is None else f"{share:.1%}"


def figure(panels: int, width: float, height: float) -> tuple[Any, list[Any]]:
    """A drawing with some panels side by side, each of a size in inches.

    Raises:
        MissingExtraError: matplotlib is not installed.
    """
    try:
        from matplotlib.figure import Figure
    except ImportError as error:
        raise MissingExtraError("drawing a plot", "bench") from error
    drawing = Figure(figsize=(width * max(panels, 1), height), layout="constrained")
    return drawing, list(drawing.subplots(1, max(panels, 1), squeeze=False)[0])


def save(drawing: Any, path: Path) -> None:
    """Write a drawing in the format that the file's name says.

    Raises:
        SourceError: the file cannot be written.
    """
    try:
        drawing.savefig(path, dpi=130)
    except (OSError, ValueError) as error:
        raise SourceError(f"cannot write the plot {path}: {error}") from error


def label_points(axis: Any, points: Sequence[tuple[float, float, str, str]]) -> None:
    """Points with their names, each name on the side where it has most room."""
    heights = sorted(y for _, y, _, _ in points)
    span = max(heights[-1] - heights[0], 0.01) if heights else 1.0
    for k, (x, y, name, colour) in enumerate(points):
        axis.plot(x, y, "o", color=colour, markersize=6)
        near = [other for j, other in enumerate(points) if j != k and abs(other[1] - y) < 0.035 * span and 0.3 < other[0] / x < 3.4]
        right = not near or x >= max(other[0] for other in near)
        offset = (7 if right else -7, -3)
        axis.annotate(name, (x, y), xytext=offset, ha="left" if right else "right", color=colour, **LABEL)
