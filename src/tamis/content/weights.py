"""The weights of the node model: its forests and the names they go by, in one file of plain arrays."""

from __future__ import annotations

import zipfile
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tamis.content.evidence import COLUMNS
from tamis.content.forest import Forest
from tamis.errors import ModelError

FORMAT = 2
SHIPPED = Path(__file__).with_name("node_model.npz")
"""The weights that come with the library."""
_ARRAYS = ("column", "border", "value", "bias")


@dataclass(frozen=True, slots=True, eq=False)
class Weights:
    """What the node model learned."""

    blocks: Forest
    """Log-odds of a block being main text, of the evidence of the block. It asks nothing about the site."""
    base: Forest | None
    """The same, smaller, and trained on single pages only: what :attr:`sites` starts from. None: what a site says counts for nothing."""
    sites: Forest | None
    """The same where the site is known, of the evidence of the block and, last, the log-odds that :attr:`base` gives."""
    pages: Forest
    """Scores of the page types, of the evidence of the page."""
    page_types: tuple[str, ...]
    """The page types, in the order of the scores."""

    def log_odds(self, evidence: NDArray[np.float32]) -> NDArray[np.float64]:
        """Log-odds of each block being main text, float64 ``(b,)``.

        Args:
            evidence: float32 ``(b, c)`` (:data:`tamis.content.evidence.COLUMNS`); where it tells of the site, the site counts.
        """
        if self.base is None or self.sites is None or not len(evidence) or np.isnan(evidence[0, -1]):
            return self.blocks.score(evidence)[:, 0]
        return self.sites.score(with_log_odds(evidence, self.base.score(evidence)[:, 0]))[:, 0]

    def save(self, path: Path) -> None:
        """Write the weights to a file."""
        arrays: dict[str, Any] = {"format": np.array(FORMAT), "columns": np.array(COLUMNS), "page_types": np.array(self.page_types)}
        for name in ("blocks", "base", "sites", "pages"):
            forest = getattr(self, name)
            if forest is not None:
                arrays |= {f"{name}_{array}": getattr(forest, array) for array in _ARRAYS}
        with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
            for name, array in arrays.items():
                # A fixed date, so that the same weights make the same file.
                with archive.open(zipfile.ZipInfo(f"{name}.npy", (1980, 1, 1, 0, 0, 0)), "w") as stream:
                    np.lib.format.write_array(stream, array, allow_pickle=False)


def with_log_odds(evidence: NDArray[np.float32], log_odds: NDArray[np.float64]) -> NDArray[np.float32]:
    """What :attr:`Weights.sites` is asked about, float32 ``(b, c + 1)``."""
    return np.column_stack((evidence, log_odds.astype(np.float32)))


def read_weights(path: Path) -> Weights:
    """Read weights from a file.

    Raises:
        ModelError: there is no such file, it is damaged, or made for other evidence than this version gathers.
    """
    try:
        with np.load(path, allow_pickle=False) as arrays:
            if int(arrays["format"]) != FORMAT or tuple(arrays["columns"].tolist()) != COLUMNS:
                raise ModelError(f"{path} holds weights for another version of tamis; train them again with 'tamis train'")
            base, sites = (_forest(arrays, name) if f"{name}_column" in arrays else None for name in ("base", "sites"))
            return Weights(_forest(arrays, "blocks"), base, sites, _forest(arrays, "pages"), tuple(arrays["page_types"].tolist()))
    except (OSError, KeyError, ValueError, zipfile.BadZipFile) as error:
        raise ModelError(f"cannot read weights from {path}: {error}") from error


def _forest(arrays: Mapping[str, Any], name: str) -> Forest:
    column, border, value, bias = (arrays[f"{name}_{array}"] for array in _ARRAYS)
    return Forest(column.astype(np.int16), border.astype(np.float32), value.astype(np.float32), bias.astype(np.float64))


@cache
def shipped() -> Weights:
    """The weights that come with the library."""
    return read_weights(SHIPPED)
