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

from tamis.content.context import JOINT, joint_table
from tamis.content.evidence import Evidence
from tamis.content.evidence.vocabulary import Vocabulary
from tamis.content.forest import Forest
from tamis.errors import ModelError

FORMAT = 4
SHIPPED = Path(__file__).with_name("node_model.npz")
"""The weights that come with the library."""
_ARRAYS = ("column", "border", "value", "bias")
_NAMES = ("key", "near", "above")
_FORESTS = ("blocks", "joint", "pages")


@dataclass(frozen=True, slots=True, eq=False)
class Weights:
    """What the node model learned."""

    vocabulary: Vocabulary
    """What class names and ids have meant."""
    blocks: Forest
    """Log-odds of a block being main text, of the evidence of the block."""
    joint: Forest
    """The same, of the evidence and its context (:data:`tamis.content.context.JOINT`)."""
    pages: Forest
    """Scores of the page types, of the evidence of the page."""
    page_types: tuple[str, ...]
    """The page types, in the order of the scores."""

    def log_odds(self, evidence: Evidence) -> NDArray[np.float64]:
        """Log-odds of each block of a page to be main text, float64 ``(b,)``."""
        first = probability_of(self.blocks.score(evidence.values)[:, 0])
        return self.joint.score(joint_table(evidence.values, first, evidence.words, evidence.relations))[:, 0]

    def save(self, path: Path) -> None:
        """Write the weights to a file."""
        arrays: dict[str, Any] = {"format": np.array(FORMAT), "columns": np.array(JOINT), "page_types": np.array(self.page_types)}
        for name in _FORESTS:
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
        ModelError: there is no such file, it is damaged, or needs evidence that this version does not gather.
    """
    try:
        with np.load(path, allow_pickle=False) as arrays:
            if int(arrays["format"]) != FORMAT:
                raise ModelError(f"{path} holds weights for another version of tamis; train them again with 'python -m training'")
            columns = arrays["columns"].tolist()
            if unknown := sorted(set(columns) - set(JOINT)):
                raise ModelError(f"{path} needs evidence that this version of tamis does not gather: {', '.join(unknown)}")
            place = np.array([JOINT.index(name) for name in columns], dtype=np.int16)
            names = Vocabulary(*(arrays[f"names_{array}"] for array in _NAMES))
            blocks, joint, pages = (_forest(arrays, name, place) for name in _FORESTS)
            return Weights(names, blocks, joint, pages, tuple(arrays["page_types"].tolist()))
    except (OSError, KeyError, ValueError, IndexError, zipfile.BadZipFile) as error:
        raise ModelError(f"cannot read weights from {path}: {error}") from error


def _forest(arrays: Mapping[str, Any], name: str, place: NDArray[np.int16]) -> Forest:
    """A forest whose questions name columns of the file; ``place``: where each of these stands in the table of this version."""
    column, border, value, bias = (arrays[f"{name}_{array}"] for array in _ARRAYS)
    return Forest(place[column], border.astype(np.float32), value.astype(np.float32), bias.astype(np.float64))


def probability_of(log_odds: NDArray[np.float64]) -> NDArray[np.float64]:
    """Probabilities of log-odds, float64 ``(b,)``.

    They are rounded, so that the last bit of an exponential, which differs between machines, cannot tip a choice.
    """
    return np.round(1 / (1 + np.exp(-log_odds)), 9)


@cache
def shipped() -> Weights:
    """The weights that come with the library."""
    return read_weights(SHIPPED)
