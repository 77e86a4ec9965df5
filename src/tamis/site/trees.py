"""Boosted trees in flat arrays: from the evidence of a site to the log-odds of each block of a page being main text.

They begin with what the page alone says, as far as :data:`SURE`: where the site says nothing, that stays. They are trained with LightGBM
(``python -m training site``), which is not needed to use them.
"""

from __future__ import annotations

import zipfile
from dataclasses import dataclass, fields
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tamis.content.weights import write_arrays
from tamis.errors import ModelError
from tamis.native import places as compiled
from tamis.site.places import COLUMNS

FORMAT = 2
SURE = 2.0  #: Log-odds of a page alone beyond which it counts as no surer: a site may know better.
SHIPPED = Path(__file__).with_name("site_model.npz")  #: The trees that come with the library.
_KINDS = {"threshold": np.float32, "column": np.int16, "more": np.int16, "unknown": np.uint8, "root": np.int32}


@dataclass(frozen=True, slots=True, eq=False)
class Trees:
    """Trees of ``n`` nodes in all, each tree in preorder: a node is followed by the one for values up to its threshold.

    Raises:
        ModelError: the arrays do not fit each other.
    """

    threshold: NDArray[np.float32]  #: Of each node, float32 ``(n,)``; of a leaf: what it adds.
    column: NDArray[np.int16]  #: Index into :data:`~tamis.site.places.COLUMNS`; -1 for a leaf, int16 ``(n,)``.
    more: NDArray[np.int16]  #: The node for values above the threshold, int16 ``(n,)``.
    unknown: NDArray[np.uint8]  #: An unknown value (NaN) goes there, too, uint8 ``(n,)``.
    root: NDArray[np.int32]  #: First node of each tree, int32 ``(t,)``.

    def __post_init__(self) -> None:
        nodes = np.arange(len(self.column))
        inner = self.column >= 0
        if (
            any(getattr(self, name).dtype != kind for name, kind in _KINDS.items())
            or len({len(self.threshold), len(self.column), len(self.more), len(self.unknown)}) != 1
            or not np.isfinite(self.threshold).all()
            or (self.column >= len(COLUMNS)).any()
            or ((self.more <= nodes + 1) | (self.more >= len(nodes)))[inner].any()
            or ((self.root < 0) | (self.root >= len(nodes))).any()
        ):
            raise ModelError("the arrays of trees do not fit each other")

    def log_odds(self, evidence: NDArray[np.float32]) -> NDArray[np.float64]:
        """Return the log-odds of each block to be main text, float64 ``(b,)``. ``evidence``: float32 ``(b, COLUMNS)``."""
        found = compiled.weigh(
            np.ascontiguousarray(evidence, np.float32), len(COLUMNS), self.threshold, self.column, self.more, self.unknown, self.root
        )
        return start(evidence) + np.frombuffer(found)

    def save(self, path: Path) -> None:
        """Write the trees to a file; the same trees make the same file."""
        arrays: dict[str, Any] = {"format": np.array(FORMAT), "columns": np.array(COLUMNS)}
        arrays |= {each.name: getattr(self, each.name) for each in fields(self)}
        write_arrays(path, arrays)


def start(evidence: NDArray[np.float32]) -> NDArray[np.float64]:
    """Return the log-odds that the trees begin with, float64 ``(b,)``. ``evidence``: float32 ``(b, COLUMNS)``."""
    return np.clip(evidence[:, COLUMNS.index("log-odds")].astype(np.float64), -SURE, SURE)


def read_trees(path: Path) -> Trees:
    """Read trees from a file.

    Raises:
        ModelError: there is no such file, it is damaged, or its columns are not those of this version.
    """
    try:
        with np.load(path, allow_pickle=False) as arrays:
            if int(arrays["format"]) != FORMAT or tuple(arrays["columns"].tolist()) != COLUMNS:
                raise ModelError(f"{path} holds trees for another version of tamis; train them again with 'python -m training site'")
            return Trees(*(arrays[each.name] for each in fields(Trees)))
    except (OSError, KeyError, ValueError, IndexError, zipfile.BadZipFile) as error:
        raise ModelError(f"cannot read trees from {path}: {error}") from error


@cache
def shipped() -> Trees:
    """Return the trees that come with the library."""
    return read_trees(SHIPPED)
