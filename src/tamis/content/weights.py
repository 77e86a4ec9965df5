"""The weights of the node model: its network, the page types and the learned names, in one file of plain arrays."""

from __future__ import annotations

import zipfile
from collections.abc import Mapping
from dataclasses import dataclass, field, fields
from functools import cache
from pathlib import Path
from typing import IO, Any

import numpy as np
from numpy.typing import NDArray

from tamis.content.evidence import COLUMNS
from tamis.content.evidence.vocabulary import Vocabulary
from tamis.content.evidence.words import LearnedWords
from tamis.content.network import ROLES, Network, Table, predict
from tamis.errors import ModelError
from tamis.native import network as compiled

FORMAT = 9
SHIPPED = Path(__file__).with_name("node_model.npz")  #: The weights that come with the library.
_NAMES, _WORDS = ("key", "near", "above"), ("key", "weight", "aside")


@dataclass(frozen=True, slots=True, eq=False)
class Weights:
    """Weights that the node model learned."""

    vocabulary: Vocabulary  #: Meanings of class names and ids.
    networks: tuple[Network, ...]  #: Log-odds of each block being main text; their mean counts, for each has learned a little by chance.
    types: Table
    """From the mean of a page's evidence to scores of page types (:func:`tamis.content.network.predict`), float32 ``(c + 1, k)``."""
    page_types: tuple[str, ...]  #: The ``k`` page types.
    words: LearnedWords = field(default_factory=LearnedWords.empty)  #: Meanings of words.

    def predict(self, evidence: Table) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """Return the log-odds that each block is main text, and has each role, float64 ``(b, 1 + r)``, and the probability of each page
        type, float64 ``(k,)``. ``evidence``: of the blocks of a page, float32 ``(b, c)``."""
        return predict(self.networks, self.types, evidence)

    def type_of(self, shares: NDArray[np.float64]) -> str | None:
        """Return the most probable page type; None if no types are known. ``shares``: the probability of each, float64 ``(k,)``."""
        return self.page_types[int(shares.argmax())] if self.page_types else None

    def save(self, path: Path | IO[bytes]) -> None:
        """Write the weights to a file."""
        arrays: dict[str, Any] = {"format": np.array(FORMAT), "columns": np.array(COLUMNS), "page_types": np.array(self.page_types)}
        arrays |= {f"network_{part.name}": np.stack([getattr(each, part.name) for each in self.networks]) for part in fields(Network)}
        arrays |= {"roles": np.array(ROLES[: self.networks[0].out.shape[1] - 1])}
        arrays |= {f"words_{array}": getattr(self.words, array) for array in _WORDS}
        arrays |= {"types": self.types} | {f"names_{array}": getattr(self.vocabulary, array) for array in _NAMES}
        write_arrays(path, arrays)


def write_arrays(path: Path | IO[bytes], arrays: Mapping[str, NDArray[Any]]) -> None:
    """Write arrays to a file ``.npz``; the same arrays make the same file."""
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, array in arrays.items():
            with archive.open(zipfile.ZipInfo(f"{name}.npy", (1980, 1, 1, 0, 0, 0)), "w") as stream:  # a fixed date
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
            place = [*(COLUMNS.index(name) for name in columns), len(COLUMNS)]
            names = Vocabulary(*(arrays[f"names_{array}"] for array in _NAMES))
            words = LearnedWords(*(arrays[f"words_{array}"] for array in _WORDS))
            if tuple(arrays["roles"].tolist()) != ROLES[: arrays["network_out"].shape[-1] - 1]:
                raise ModelError(f"{path} tells other roles than this version of tamis; train them again with 'python -m training'")
            given = [arrays[f"network_{part.name}"].astype(np.float32) for part in fields(Network)]
            networks = tuple(
                Network(_placed_rows(np.append(scale, np.float32(1)), place, 1)[:-1], _placed_rows(entry, place), *others)
                for scale, entry, *others in zip(*given, strict=True)
            )
            types, page_types = _placed_rows(arrays["types"].astype(np.float32), place), tuple(arrays["page_types"].tolist())
            return Weights(names, networks, types, page_types, words)
    except (OSError, KeyError, ValueError, IndexError, zipfile.BadZipFile) as error:
        raise ModelError(f"cannot read weights from {path}: {error}") from error


def _placed_rows(rows: Table, place: list[int], otherwise: float = 0) -> Table:
    """Return rows of a file's columns as rows of this version's columns. ``place``: the position of each of them."""
    placed = np.full((len(COLUMNS) + 1, *rows.shape[1:]), otherwise, dtype=np.float32)
    placed[place] = rows
    return placed


def probability_of(log_odds: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return probabilities of log-odds, float64, of their shape.

    They are rounded, so that the last bits of a sum or an exponential, which differ between machines, seldom tip a choice.
    """
    given = np.ascontiguousarray(log_odds.T, dtype=np.float64)
    return np.frombuffer(compiled.probabilities(given)).reshape(given.shape).T


@cache
def shipped() -> Weights:
    """Return the weights that come with the library."""
    return read_weights(SHIPPED)
