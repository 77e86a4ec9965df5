"""A whole training: weights for the library, from pages with gold."""

from __future__ import annotations

import zlib
from collections.abc import Callable, Sequence
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from tamis.content.evidence import COLUMNS
from tamis.content.evidence.columns import PAGE
from tamis.content.evidence.vocabulary import Vocabulary
from tamis.content.forest import Forest
from tamis.content.weights import Weights
from training.examples import PLAIN, Example
from training.fitting import Fitted, Training, fit, fit_types, joint_rows_of, rows_of, weigh
from training.names import fit_vocabulary

Progress = Callable[[int, int], None]
TYPE_TREES, TYPE_DEPTH = 60, 4
"""The forest of page types is small: there are as many examples as pages."""
FOLDS = 5
"""Parts that domains and sites are dealt to, for cross-validation."""


def train(examples: Sequence[Example], settings: Training = Training()) -> Weights:
    """Train on all examples.

    The second forest is fitted to what first forests make of pages that they were not fitted to.

    Raises:
        MissingExtraError: CatBoost or scikit-learn is not installed.
    """
    firsts = fit_firsts(examples, settings)
    first = _fit_first(examples, fit_names(examples, settings), [part.vocabulary for part in firsts], settings)
    return assemble(replace(first, joint=fit_joint(examples, firsts, settings)), examples, settings)


def assemble(fitted: Fitted, examples: Sequence[Example], settings: Training) -> Weights:
    """Weights of both forests, and of page types fitted to the examples that have one."""
    types = _fit_types([example for example in examples if example.typed], settings)
    return Weights(fitted.vocabulary, fitted.blocks, fitted.joint, *types)


def fit_parts(examples: Sequence[Example], settings: Training, progress: Progress | None = None) -> list[Fitted]:
    """For each part of the domains and sites (:func:`fold_of`) the first two forests fitted to all others.

    Args:
        examples: pages with gold.
        settings: of the training.
        progress: told how many forests there are, of how many.
    """
    firsts = fit_firsts(examples, settings, progress)
    fitted = []
    for fold, first in enumerate(firsts):
        others = [example for example in examples if fold_of(example.group) != fold]
        fitted.append(replace(first, joint=fit_joint(others, firsts, settings)))
        if progress is not None:
            progress(FOLDS + fold + 1, 2 * FOLDS)
    return fitted


def fit_firsts(examples: Sequence[Example], settings: Training, progress: Progress | None = None) -> list[Fitted]:
    """For each part of the domains and sites (:func:`fold_of`) a vocabulary and a first forest fitted to all others.

    In training, too, a page meets the vocabulary that was not fitted to its part.
    """
    parts = [[example for example in examples if fold_of(example.group) != fold] for fold in range(FOLDS)]
    vocabularies = [fit_names(part, settings) for part in parts]
    firsts = []
    for part, vocabulary in zip(parts, vocabularies, strict=True):
        firsts.append(_fit_first(part, vocabulary, vocabularies, settings))
        if progress is not None:
            progress(len(firsts), 2 * FOLDS)
    return firsts


def _fit_first(examples: Sequence[Example], vocabulary: Vocabulary, vocabularies: Sequence[Vocabulary], settings: Training) -> Fitted:
    if not any(len(example.label) for example in examples):
        return Fitted(vocabulary, Forest.constant(1))
    of_examples = [vocabularies[fold_of(example.group)] for example in examples]
    return Fitted(vocabulary, fit(rows_of(examples, of_examples, settings), settings))


def fit_joint(examples: Sequence[Example], firsts: Sequence[Fitted], settings: Training) -> Forest:
    """Fit the second forest. ``firsts``: as :func:`fit_firsts` gives them."""
    of_examples = [firsts[fold_of(example.group)] for example in examples]
    if not any(len(example.label) for example in examples):
        return Forest.constant(1)
    return fit(joint_rows_of(examples, of_examples, settings), replace(settings, trees=settings.joint_trees))


def fold_of(group: str) -> int:
    """The part of a domain or site: the same in every run and on every machine."""
    return zlib.crc32(group.encode()) % FOLDS


def fit_names(examples: Sequence[Example], settings: Training) -> Vocabulary:
    """A vocabulary of the single pages. Sites teach no names: of each there are many pages, with the same names on all of them."""
    taught = [example for example in examples if example.single and len(example.label)]
    if "vocabulary" in settings.drop or not taught:
        return Vocabulary.empty()
    return fit_vocabulary(
        [example.names[PLAIN] for example in taught],
        [np.clip(example.label, 0, 1) for example in taught],
        [weigh(example) for example in taught],
        [example.group for example in taught],
        settings.seed,
    )


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
