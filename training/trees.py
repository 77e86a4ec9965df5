"""From LightGBM to :class:`tamis.site.trees.Trees`: the same decisions in flat arrays."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import chain
from typing import Any

import numpy as np

from tamis.site.trees import Trees


def export(models: Sequence[Any], columns: list[int]) -> Trees:
    """Return the trees of some LightGBM boosters, which give their mean, as flat arrays.

    Args:
        models: boosters with one output.
        columns: the column of evidence that each of their features is.
    """
    rows: list[tuple[float, int, int, bool]] = []
    roots = []
    for tree in chain.from_iterable(model.dump_model()["tree_info"] for model in models):
        roots.append(len(rows))
        _add(tree["tree_structure"], columns, rows, len(models))
    threshold, column, more, unknown = zip(*rows, strict=True)
    return Trees(
        np.array(threshold, np.float32),
        np.array(column, np.int16),
        np.array(more, np.int16),
        np.array(unknown, np.uint8),
        np.array(roots, np.int32),
    )


def _add(node: dict[str, Any], columns: list[int], rows: list[tuple[float, int, int, bool]], models: int) -> None:
    """Append a node and all below it, in preorder; a leaf adds its part of the mean of ``models``."""
    if "leaf_value" in node:
        rows.append((node["leaf_value"] / models, -1, 0, False))
        return
    if node["decision_type"] != "<=":
        raise ValueError(f"a decision of the type {node['decision_type']}")
    here = len(rows)
    rows.append((0.0, -1, 0, False))
    _add(node["left_child"], columns, rows, models)
    goes_right = not node["default_left"] if node["missing_type"] == "NaN" else node["threshold"] < 0  # else unknown is 0
    rows[here] = (_rounded_down(node["threshold"]), columns[node["split_feature"]], len(rows), goes_right)
    _add(node["right_child"], columns, rows, models)


def _rounded_down(threshold: float) -> float:
    """The largest float32 that is not above a threshold: no value of float32 lies between the two. What parts the known is huge."""
    most = float(np.finfo(np.float32).max)
    threshold = min(max(threshold, -most), most)
    near = np.float32(threshold)
    return float(near if near <= threshold else np.nextafter(near, np.float32(-np.inf)))
