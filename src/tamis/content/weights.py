"""The weights of the node model: its forest, its network and the names they go by, in one file of plain arrays."""

from __future__ import annotations

import zipfile
from collections.abc import Mapping
from dataclasses import dataclass, fields
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tamis.content.evidence import COLUMNS
from tamis.content.evidence.columns import HIDDEN
from tamis.content.evidence.vocabulary import Vocabulary
from tamis.content.forest import Forest
from tamis.content.network import Network, Table
from tamis.errors import ModelError

FORMAT = 5
SHIPPED = Path(__file__).with_name("node_model.npz")
"""The weights that come with the library."""
_NAMES = ("key", "near", "above")
_FORESTS = ("blocks", "pages")
FOREST_SHARE = 0.5
"""What the forest's log-odds count in the mean with those of the network."""
HIDDEN_LOG_ODDS = -2.0
"""What is added to the forest's log-odds of a block that the page hides: the forest does not see that."""


@dataclass(frozen=True, slots=True, eq=False)
class Weights:
    """What the node model learned."""

    vocabulary: Vocabulary
    """What class names and ids have meant."""
    blocks: Forest
    """Log-odds of a block being main text, of its own evidence (:data:`tamis.content.evidence.COLUMNS`)."""
    network: Network
    """The same, of the evidence of all blocks of the page."""
    pages: Forest
    """Scores of the page types, of the evidence of the page."""
    page_types: tuple[str, ...]
    """The page types, in the order of the scores."""

    def log_odds(self, evidence: Table) -> NDArray[np.float64]:
        """Log-odds of each block of a page to be main text, float64 ``(b,)``. ``evidence``: float32 ``(b, c)``."""
        forest = self.blocks.score(evidence)[:, 0] + HIDDEN_LOG_ODDS * evidence[:, COLUMNS.index(HIDDEN[0])]
        return np.asarray(FOREST_SHARE * forest + (1 - FOREST_SHARE) * self.network.log_odds(evidence))

    def save(self, path: Path) -> None:
        """Write the weights to a file."""
        arrays: dict[str, Any] = {"format": np.array(FORMAT), "columns": np.array(COLUMNS), "page_types": np.array(self.page_types)}
        arrays |= {f"network_{field.name}": getattr(self.network, field.name) for field in fields(Network)}
        for name in _FORESTS:
            arrays |= {f"{name}_{field.name}": getattr(getattr(self, name), field.name) for field in fields(Forest)}
        arrays |= {f"names_{array}": getattr(self.vocabulary, array) for array in _NAMES}
        with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
            for name, array in arrays.items():
                # A fixed date, so that the same weights make the same file.
                with archive.open(zipfile.ZipInfo(f"{name}.npy", (1980, 1, 1, 0, 0, 0)), "w") as stream:
                    np.lib.format.write_array(stream, array, allow_pickle=False)


def read_weights(path: Path) -> Weights:
    """Read weights from a file. Evidence that it does not know weighs nothing.

    Raises:
        ModelError: there is no such file, it is damaged, or needs evidence that this version does not gather.
    """
    try:
        with np.load(path, allow_pickle=False) as arrays:
            if int(arrays["format"]) != FORMAT:
                raise ModelError(f"{path} holds weights for another version of tamis; train them again with 'python -m training'")
            columns = arrays["columns"].tolist()
            if unknown := sorted(set(columns) - set(COLUMNS)):
                raise ModelError(f"{path} needs evidence that this version of tamis does not gather: {', '.join(unknown)}")
            place = np.array([COLUMNS.index(name) for name in columns], dtype=np.int16)
            names = Vocabulary(*(arrays[f"names_{array}"] for array in _NAMES))
            blocks, pages = (_forest(arrays, name, place) for name in _FORESTS)
            return Weights(names, blocks, _network(arrays, place), pages, tuple(arrays["page_types"].tolist()))
    except (OSError, KeyError, ValueError, IndexError, zipfile.BadZipFile) as error:
        raise ModelError(f"cannot read weights from {path}: {error}") from error


def _forest(arrays: Mapping[str, Any], name: str, place: NDArray[np.int16]) -> Forest:
    """A forest whose questions name columns of the file; ``place``: where each of these stands in the table of this version."""
    column, border, value, bias = (arrays[f"{name}_{field.name}"] for field in fields(Forest))
    return Forest(place[column], border.astype(np.float32), value.astype(np.float32), bias.astype(np.float64))


def _network(arrays: Mapping[str, Any], place: NDArray[np.int16]) -> Network:
    """A network for the table of this version; ``place``: as of :func:`_forest`."""
    given = {field.name: arrays[f"network_{field.name}"].astype(np.float32) for field in fields(Network)}
    scale, entry = np.ones(len(COLUMNS), dtype=np.float32), np.zeros((len(COLUMNS) + 1, given["entry"].shape[1]), dtype=np.float32)
    scale[place], entry[[*place, -1]] = given["scale"], given["entry"]
    return Network(**given | {"scale": scale, "entry": entry})


def probability_of(log_odds: NDArray[np.float64]) -> NDArray[np.float64]:
    """Probabilities of log-odds, float64 ``(b,)``.

    They are rounded, so that the last bits of a sum or an exponential, which differ between machines, seldom tip a choice.
    """
    return np.round(1 / (1 + np.exp(-log_odds)), 6)


@cache
def shipped() -> Weights:
    """The weights that come with the library."""
    return read_weights(SHIPPED)
