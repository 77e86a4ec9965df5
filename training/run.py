"""A whole training: weights for the library, from pages with gold."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np

from tamis.content.evidence.vocabulary import Vocabulary
from tamis.content.weights import Weights
from training.examples import PLAIN, Example, weigh
from training.folds import FOLDS, fold_of
from training.names import fit_vocabulary
from training.network import Training, fit_networks

Progress = Callable[[int, int], None]


def train(examples: Sequence[Example], settings: Training = Training()) -> Weights:
    """Train on all examples.

    Raises:
        MissingExtraError: scikit-learn is not installed.
    """
    return _fit_all(examples, fit_names(examples, settings), fit_part_names(examples, settings), settings)


def fit_parts(examples: Sequence[Example], settings: Training, progress: Progress | None = None) -> list[Weights]:
    """For each part of the domains and sites (:func:`training.folds.fold_of`) weights fitted to all others.

    Args:
        examples: pages with gold.
        settings: of the training.
        progress: told how many parts are done, of how many.
    """
    vocabularies = fit_part_names(examples, settings)
    fitted = []
    for fold, vocabulary in enumerate(vocabularies):
        others = [example for example in examples if fold_of(example.group) != fold]
        fitted.append(_fit_all(others, vocabulary, vocabularies, settings))
        if progress is not None:
            progress(fold + 1, FOLDS)
    return fitted


def _fit_all(examples: Sequence[Example], vocabulary: Vocabulary, vocabularies: Sequence[Vocabulary], settings: Training) -> Weights:
    """Weights with a vocabulary. ``vocabularies``: for each part one that was not fitted to it, which its pages meet in training."""
    return Weights(vocabulary, *fit_networks(examples, [vocabularies[fold_of(example.group)] for example in examples], settings))


def fit_part_names(examples: Sequence[Example], settings: Training) -> list[Vocabulary]:
    """For each part of the domains and sites a vocabulary of all others."""
    return [fit_names([example for example in examples if fold_of(example.group) != fold], settings) for fold in range(FOLDS)]


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
