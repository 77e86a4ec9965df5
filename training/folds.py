"""Fold weights: what the model learns without some of the domains and sites, so that whole documents are judged out of fold.

A folder of fold weights holds ``fold-0.npz`` to ``fold-4.npz``, each from all pages but those of its fold (:func:`fold_of`). With the sets
left out, it also holds ``without-SET.npz`` for each set; after ``python -m training site``, ``site-0.npz`` to ``site-4.npz``, the trees of
a site's stage. A manifest says what they were trained on.
"""

from __future__ import annotations

import io
import json
import zipfile
import zlib
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from tamis.content.weights import Weights, read_weights
from tamis.errors import ModelError
from tamis.site.trees import Trees, read_trees

if TYPE_CHECKING:
    from training.examples import Example
    from training.network import Training

FOLDS = 5
"""Parts that domains and sites are dealt to."""
MANIFEST = "folds.json"
KIN: Mapping[str, str] = {
    "atdp": "berkeley.edu",
    "cciresearch": "yezhaoliang",
    "dostips-www": "dostips-forum",
    "dutakoi": "transito-ar",
    "jinputi": "elnorteno-shop",
    "mybbblog": "mybb.com",
    "paragonforum": "paragon",
    "rbfitness": "elnorteno-shop",
    "rustbook": "rust-lang.org",
    "sqlite": "sqlite.org",
    "tokiwatch": "diguage",
    "ymkjp": "randominsights",
}
"""Sites that are in the fold of another site or domain: they have the same host, owner or theme."""
_WIDE = "scale"
"""Arrays that half precision is too narrow for end with this."""
Progress = Callable[[int, int], None]


def fold_of(group: str) -> int:
    """Return the fold of a domain or site, 0 to 4: the same in every run and on every machine."""
    return zlib.crc32(KIN.get(group, group).encode()) % FOLDS


@dataclass(frozen=True, slots=True, eq=False)
class FoldWeights:
    """Weights by fold, and by the set that was left out."""

    folds: tuple[Weights, ...]
    """For each fold the weights that its domains and sites taught nothing."""
    sets: Mapping[str, Weights]
    """For each set (``wcxb``, ``sites``, ...) the weights that it taught nothing; empty if no sets were left out."""
    trees: tuple[Trees, ...] = ()
    """For each fold the trees of a site's stage that its sites taught nothing; empty if there are none."""

    def of_group(self, group: str) -> Weights:
        """Return the weights that have seen no page of a domain or site."""
        return self.folds[fold_of(group)]

    def trees_of(self, site: str) -> Trees | None:
        """Return the trees that have seen no page of a site; None: those that come with the library."""
        return self.trees[fold_of(site)] if self.trees else None


def train_folds(
    examples: Sequence[Example], settings: Training, folder: Path, *, sets: bool = True, progress: Progress | None = None
) -> None:
    """Train and write fold weights.

    Args:
        examples: pages with gold.
        settings: of the training.
        folder: where the files go.
        sets: also leave out each set as a whole.
        progress: told how many trainings are done, of how many.
    """
    from training.run import fit_parts, train

    folder.mkdir(parents=True, exist_ok=True)
    write_manifest(examples, settings, folder)
    collections = dict.fromkeys(example.collection for example in examples) if sets else {}
    total = FOLDS + len(collections)
    told = progress or (lambda done, of: None)
    for fold, weights in enumerate(fit_parts(examples, settings, lambda done, _: told(done, total))):
        save_compact(weights, folder / f"fold-{fold}.npz")
    for done, left_out in enumerate(collections):
        kept = [example for example in examples if example.collection != left_out]
        save_compact(train(kept, settings), folder / f"without-{left_out}.npz")
        told(FOLDS + done + 1, total)


def write_manifest(examples: Sequence[Example], settings: Training, folder: Path) -> None:
    """Write what the weights were trained on, and with which settings."""
    count = Counter(example.collection for example in examples)
    content = {"settings": repr(settings), "pages": count, "fold": "CRC-32 of the domain or site, modulo 5 (training.folds.fold_of)"}
    (folder / MANIFEST).write_text(json.dumps(content, indent=1) + "\n", "utf-8")


def read_folds(folder: Path) -> FoldWeights:
    """Read a folder of fold weights.

    Raises:
        ModelError: a file is missing, damaged, or from another version of tamis.
    """
    sets = {path.stem.removeprefix("without-"): read_weights(path) for path in sorted(folder.glob("without-*.npz"))}
    trees = [folder / f"site-{fold}.npz" for fold in range(FOLDS)]
    return FoldWeights(
        tuple(read_weights(folder / f"fold-{fold}.npz") for fold in range(FOLDS)),
        sets,
        tuple(map(read_trees, trees)) if trees[0].is_file() else (),
    )


def save_compact(weights: Weights, path: Path) -> None:
    """Write weights in half precision.

    Raises:
        ModelError: a weight is too large for half precision.
    """
    written = io.BytesIO()
    weights.save(written)
    written.seek(0)
    with np.load(written, allow_pickle=False) as arrays, zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED, compresslevel=9) as archive:
        for name, array in arrays.items():
            with np.errstate(over="ignore"):
                narrow = array.astype(np.float16) if array.dtype == np.float32 and not name.endswith(_WIDE) else array
            if narrow.dtype == np.float16 and not np.isfinite(narrow).all():
                raise ModelError(f"a weight of {name} is too large for half precision")
            with archive.open(zipfile.ZipInfo(f"{name}.npy", (1980, 1, 1, 0, 0, 0)), "w") as stream:
                np.lib.format.write_array(stream, narrow, allow_pickle=False)
