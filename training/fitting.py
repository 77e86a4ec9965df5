"""Fitting: settings of the training, and forests of symmetric trees by CatBoost, from examples to weights."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tamis.content.evidence import GROUPS
from tamis.content.evidence.columns import HIDDEN
from tamis.content.evidence.vocabulary import Vocabulary
from tamis.content.forest import Forest
from tamis.errors import MissingExtraError, UsageError
from training.examples import NAMELESS, PLAIN, SHUFFLED, Example, weigh, without
from training.network import NetworkTraining

_MANY = 5000
"""Examples from which each tree is fitted to some of them."""


@dataclass(frozen=True, slots=True)
class Training:
    """Settings of training.

    Raises:
        UsageError: a value is out of its range.
    """

    trees: int = 200
    """Trees of the forest."""
    depth: int = 6
    rate: float = 0.1
    """Learning rate."""
    smoothing: float = 10.0
    """L2 regularisation of the values."""
    rows: float = 0.3
    """Share of the blocks that weigh little which are trained on (they are many)."""
    disguised: float = 0.1
    """Weight of a page in disguise, by that of the page as it is."""
    network: NetworkTraining = NetworkTraining()
    seed: int = 1
    drop: tuple[str, ...] = ()
    """Groups of evidence to do without (:data:`tamis.content.evidence.GROUPS`)."""

    def __post_init__(self) -> None:
        if unknown := set(self.drop) - set(GROUPS):
            raise UsageError(f"there is no group of evidence {', '.join(sorted(unknown))}; groups are {', '.join(GROUPS)}")
        if self.trees < 1 or not 1 <= self.depth <= 8:
            raise UsageError(f"trees is a number from 1, depth one from 1 to 8, not {self.trees} and {self.depth}")


@dataclass(frozen=True, slots=True, eq=False)
class Rows:
    """What is trained on: ``r`` blocks."""

    values: NDArray[np.float32]
    label: NDArray[np.float64]
    weight: NDArray[np.float64]


def rows_of(examples: Sequence[Example], vocabularies: Sequence[Vocabulary], settings: Training) -> Rows:
    """The blocks to train a forest on, as they are and in disguise; of blocks that weigh little, some by chance, which then weigh more.

    Args:
        examples: pages with gold.
        vocabularies: for each page one that was not fitted to it.
        settings: of the training.
    """
    dice = np.random.default_rng(settings.seed)
    weights = [weigh(example) for example in examples]
    every = np.concatenate(weights)
    usual, much = float(every.mean()), float(np.quantile(every, 0.8))
    values, labels, kept = [], [], []
    for example, vocabulary, weight in zip(examples, vocabularies, weights, strict=True):
        for disguise, share, often in ((PLAIN, 1.0, 1.0), (NAMELESS, settings.disguised, 0.6), (SHUFFLED, settings.disguised, 0.6)):
            chance = np.clip(weight / much, 0.2, 1) * settings.rows * often
            taken = dice.random(len(weight)) < chance
            if taken.any():
                values.append(without(example.evidence(disguise, vocabulary), settings.drop)[taken])
                labels.append(np.clip(example.label[taken], 0, 1))
                kept.append((share * weight / chance / usual)[taken])
    return Rows(np.concatenate(values), np.concatenate(labels), np.concatenate(kept))


def fit(rows: Rows, settings: Training) -> Forest:
    """Fit a forest that gives the log-odds of each block being main text.

    Raises:
        MissingExtraError: CatBoost is not installed.
    """
    return _fit(rows, "CrossEntropy", settings)


def fit_types(values: NDArray[np.float32], label: NDArray[np.intp], settings: Training) -> Forest:
    """Fit a forest that gives a score for each page type.

    Args:
        values: the evidence of each page, float32 ``(pages, c)``.
        label: the type of each page, intp ``(pages,)``.
        settings: of the training.

    Raises:
        MissingExtraError: CatBoost is not installed.
    """
    return _fit(Rows(values, label.astype(np.float64), np.ones(len(label))), "MultiClass", settings)


def _fit(rows: Rows, loss: str, settings: Training) -> Forest:
    try:
        from catboost import CatBoost, Pool
    except ImportError as error:
        raise MissingExtraError("training", "train") from error
    parameters = {
        "loss_function": loss,
        "iterations": settings.trees,
        "depth": settings.depth,
        "learning_rate": settings.rate,
        "l2_leaf_reg": settings.smoothing,
        "random_seed": settings.seed,
        "border_count": 48,
        "rsm": 0.35,
        **({"bootstrap_type": "Bernoulli", "subsample": 0.6} if len(rows.label) >= _MANY else {"bootstrap_type": "No"}),
        "boosting_type": "Plain",
        "leaf_estimation_iterations": 1,
        "thread_count": 2,
        "allow_writing_files": False,
        "verbose": False,
    }
    model = CatBoost(parameters)
    model.fit(Pool(rows.values[:, : -len(HIDDEN)], label=rows.label, weight=rows.weight))
    with TemporaryDirectory() as folder:
        path = Path(folder) / "model.json"
        model.save_model(str(path), format="json")
        return from_json(json.loads(path.read_text("utf-8")), settings.depth)


def from_json(saved: dict[str, Any], depth: int) -> Forest:
    """A forest of the trees that CatBoost saves as JSON; a tree of fewer levels gets levels whose answer is always "no"."""
    trees = saved["oblivious_trees"]
    scale, bias = saved["scale_and_bias"]
    column = np.zeros((len(trees), depth), dtype=np.int16)
    border = np.full((len(trees), depth), np.inf, dtype=np.float32)
    value = np.zeros((len(trees), 1 << depth, len(bias)), dtype=np.float32)
    for number, tree in enumerate(trees):
        for level, split in enumerate(tree["splits"] or ()):
            column[number, level] = split["float_feature_index"]
            border[number, level] = split["border"]
        leaves = scale * np.array(tree["leaf_values"]).reshape(-1, len(bias))
        value[number, : len(leaves)] = leaves
    return Forest(column, border, value, np.array(bias, dtype=np.float64))
