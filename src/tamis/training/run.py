"""A whole training: weights for the library, from pages with gold."""

from __future__ import annotations

import zlib
from collections.abc import Callable, Sequence
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from tamis.content.evidence import COLUMNS
from tamis.content.evidence.page import PAGE
from tamis.content.evidence.vocabulary import Vocabulary
from tamis.content.forest import Forest
from tamis.content.weights import Weights
from tamis.training.examples import PLAIN, Example
from tamis.training.fitting import First, Training, fit, fit_types, joint_rows_of, rows_of, weigh
from tamis.training.names import fit_vocabulary

Progress = Callable[[int, int], None]
TYPE_TREES, TYPE_DEPTH = 60, 4
"""The forest of page types is small: there are as many examples as pages."""
FOLDS = 5
"""Parts that domains and sites are dealt to, for cross-validation."""
NAME_FOLDS = 5
"""Vocabularies that are fitted for training: a page meets the one that it was not fitted to."""


def train(examples: Sequence[Example], settings: Training = Training()) -> Weights:
    """Train on all examples.

    The second forest is fitted to what first forests make of pages that they were not fitted to.

    Raises:
        MissingExtraError: CatBoost or scikit-learn is not installed.
    """
    first = fit_first(examples, settings)
    return assemble(first, fit_joint(examples, fit_firsts(examples, settings), settings), examples, settings)


def assemble(first: First, joint: Forest, examples: Sequence[Example], settings: Training) -> Weights:
    """Weights of both forests, and of page types fitted to the examples that have one."""
    return Weights(first.vocabulary, first.blocks, joint, *_fit_types([example for example in examples if example.typed], settings))


def fit_first(examples: Sequence[Example], settings: Training) -> First:
    """Fit a vocabulary and the first forest."""
    vocabulary, of_examples = fit_names(examples, settings)
    return First(vocabulary, fit(rows_of(examples, of_examples, settings), settings))


def fit_firsts(examples: Sequence[Example], settings: Training, progress: Progress | None = None) -> list[First]:
    """For each part of the domains and sites (:func:`fold_of`) a first forest fitted to all others."""
    firsts = []
    for fold in range(FOLDS):
        firsts.append(fit_first([example for example in examples if fold_of(example.group) != fold], settings))
        if progress is not None:
            progress(fold + 1, FOLDS)
    return firsts


def fit_joint(examples: Sequence[Example], firsts: Sequence[First], settings: Training) -> Forest:
    """Fit the second forest. ``firsts``: as :func:`fit_firsts` gives them."""
    of_examples = [firsts[fold_of(example.group)] for example in examples]
    return fit(joint_rows_of(examples, of_examples, settings), replace(settings, trees=settings.joint_trees))


def fold_of(group: str) -> int:
    """The part of a domain or site: the same in every run and on every machine."""
    return zlib.crc32(group.encode()) % FOLDS


def fit_names(examples: Sequence[Example], settings: Training) -> tuple[Vocabulary, list[Vocabulary]]:
    """A vocabulary of all single pages, and for each example one of pages of other domains.

    Sites teach no names: of each there are many pages, with the same names on all of them.
    """
    if "vocabulary" in settings.drop:
        return Vocabulary.empty(), [Vocabulary.empty()] * len(examples)
    folds = [zlib.crc32(f"names {example.group}".encode()) % NAME_FOLDS if example.single else NAME_FOLDS for example in examples]
    fitted = []
    for fold in (*range(NAME_FOLDS), NAME_FOLDS):
        taught = [example for example, own in zip(examples, folds, strict=True) if own not in (fold, NAME_FOLDS) and len(example.label)]
        fitted.append(
            fit_vocabulary(
                [example.names[PLAIN] for example in taught],
                [np.clip(example.label, 0, 1) for example in taught],
                [weigh(example) for example in taught],
                [example.group for example in taught],
                settings.seed,
            )
        )
    return fitted[NAME_FOLDS], [fitted[fold] for fold in folds]


def _fit_types(examples: Sequence[Example], settings: Training) -> tuple[Forest, tuple[str, ...]]:
    examples = [example for example in examples if len(example.label)]
    kinds = tuple(sorted({example.page_type for example in examples}))
    if len(kinds) < 2:
        return Forest.constant(len(kinds)), kinds
    label = np.array([kinds.index(example.page_type) for example in examples])
    return fit_types(page_rows(examples), label, replace(settings, trees=TYPE_TREES, depth=TYPE_DEPTH)), kinds


def page_rows(examples: Sequence[Example]) -> NDArray[np.float32]:
    """The evidence of each page as a whole, all else not known, float32 ``(pages, c)``."""
    rows = np.full((len(examples), len(COLUMNS)), np.nan, dtype=np.float32)
    of_page = [COLUMNS.index(name) for name in PAGE]
    for row, example in zip(rows, examples, strict=True):
        row[of_page] = example.disguises[PLAIN][0, of_page]
    return rows
