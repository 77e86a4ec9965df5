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
from tamis.content.evidence.vocabulary import Vocabulary
from tamis.content.forest import Forest
from tamis.errors import ModelError

FORMAT = 3
SHIPPED = Path(__file__).with_name("node_model.npz")
"""The weights that come with the library."""
_ARRAYS = ("column", "border", "value", "bias")
_NAMES = ("key", "near", "above")


@dataclass(frozen=True, slots=True, eq=False)
class Weights:
    """What the node model learned."""

    vocabulary: Vocabulary
    """What class names and ids have meant."""
    blocks: Forest
    """Log-odds of a block being main text, of the evidence of the block."""
    pages: Forest
    """Scores of the page types, of the evidence of the page."""
    page_types: tuple[str, ...]
    """The page types, in the order of the scores."""

    def log_odds(self, evidence: NDArray[np.float32]) -> NDArray[np.float64]:
        """Log-odds of each block being main text, float64 ``(b,)``.

        Args:
            evidence: float32 ``(b, c)`` (:data:`tamis.content.evidence.COLUMNS`).
        """
        return self.blocks.score(evidence)[:, 0]

    def save(self, path: Path) -> None:
        """Write the weights to a file."""
        arrays: dict[str, Any] = {"format": np.array(FORMAT), "columns": np.array(COLUMNS), "page_types": np.array(self.page_types)}
        for name in ("blocks", "pages"):
            arrays |= {f"{name}_{array}": getattr(getattr(self, name), array) for array in _ARRAYS}
        arrays |= {f"names_{array}": getattr(self.vocabulary, array) for array in _NAMES}
        with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
            for name, array in arrays.items():
                # A fixed date, so that the same weights make the same file.
                with archive.open(zipfile.ZipInfo(f"{name}.npy", (1980, 1, 1, 0, 0, 0)), "w") as stream:
                    np.lib.format.write_array(stream, array, allow_pickle=False)


def read_weights(path: Path) -> Weights:
    """Read weights from a file.

    Raises:
        ModelError: there is no such file, it is damaged, or made for other evidence than this version gathers.
    """
    try:
        with np.load(path, allow_pickle=False) as arrays:
            if int(arrays["format"]) != FORMAT or tuple(arrays["columns"].tolist()) != COLUMNS:
                raise ModelError(f"{path} holds weights for another version of tamis; train them again with 'python -m training'")
            names = Vocabulary(*(arrays[f"names_{array}"] for array in _NAMES))
            return Weights(names, _forest(arrays, "blocks"), _forest(arrays, "pages"), tuple(arrays["page_types"].tolist()))
    except (OSError, KeyError, ValueError, zipfile.BadZipFile) as error:
        raise ModelError(f"cannot read weights from {path}: {error}") from error


def _forest(arrays: Mapping[str, Any], name: str) -> Forest:
    column, border, value, bias = (arrays[f"{name}_{array}"] for array in _ARRAYS)
    return Forest(column.astype(np.int16), border.astype(np.float32), value.astype(np.float32), bias.astype(np.float64))


@cache
def shipped() -> Weights:
    """The weights that come with the library."""
    return read_weights(SHIPPED)
