"""A whole training: weights for the library, from pages with gold."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from random import Random

import numpy as np
from numpy.typing import NDArray

from tamis.content.evidence import read_words
from tamis.content.evidence.vocabulary import Vocabulary
from tamis.content.evidence.words import LearnedWords
from tamis.content.weights import Weights
from tamis.page.blocks import text_blocks
from tamis.page.parsing import parse
from training.boxes import PHRASE_PAGES, phrase_pages
from training.examples import OPEN, PLAIN, Example, weigh
from training.folds import FOLDS, fold_of
from training.names import fit_vocabulary
from training.network import Learned, Training, fit_networks
from training.words import fit_words

Progress = Callable[[int, int], None]
SHORT = 5
"""Words from which on all blocks teach the same of words."""
PAGES_OF_SITE = 12
"""Pages of each site that teach words."""
OF_PHRASES, PHRASE_DOMAINS = 0.5, 50
"""What pages of phrases (:func:`training.boxes.phrase_pages`) weigh by all other pages, and the domains that they count for."""


def train(examples: Sequence[Example], settings: Training = Training()) -> Weights:
    """Train on all examples.

    Raises:
        MissingExtraError: scikit-learn is not installed.
    """
    return _fit_all(examples, fit_learned(examples, settings), fit_part_names(examples, settings), settings)


def fit_parts(examples: Sequence[Example], settings: Training, progress: Progress | None = None) -> list[Weights]:
    """For each part of the domains and sites (:func:`training.folds.fold_of`) weights fitted to all others.

    Args:
        examples: pages with gold.
        settings: of the training.
        progress: told how many parts are done, of how many.
    """
    learned = fit_part_names(examples, settings)
    fitted = []
    for fold, known in enumerate(learned):
        others = [example for example in examples if fold_of(example.group) != fold]
        fitted.append(_fit_all(others, known, learned, settings))
        if progress is not None:
            progress(fold + 1, FOLDS)
    return fitted


def _fit_all(examples: Sequence[Example], known: Learned, learned: Sequence[Learned], settings: Training) -> Weights:
    """Weights with names and words. ``learned``: for each part those that were not fitted to it, which its pages meet in training."""
    networks, types, page_types = fit_networks(examples, [learned[fold_of(example.group)] for example in examples], settings)
    return Weights(known[0], networks, types, page_types, known[1])


def fit_part_names(examples: Sequence[Example], settings: Training) -> list[Learned]:
    """For each part of the domains and sites names and words of all others."""
    return [fit_learned([example for example in examples if fold_of(example.group) != fold], settings) for fold in range(FOLDS)]


def fit_learned(examples: Sequence[Example], settings: Training) -> Learned:
    """Names and words of some pages."""
    return fit_names(examples, settings), fit_page_words(examples, settings)


def fit_page_words(examples: Sequence[Example], settings: Training) -> LearnedWords:
    """Words of the single pages, of some pages of each site, and of phrases that boxes say."""
    if "words" in settings.drop:
        return LearnedWords.empty()
    taken, of_site = [], Counter[str]()
    for example in examples:
        if not len(example.label) or (example.made and not example.inserted.any()):
            continue
        if not (example.single or example.made):
            of_site[example.group] += 1
            if of_site[example.group] > PAGES_OF_SITE:
                continue
        taken.append(example)
    pages = [(example.said, np.clip(example.label, 0, 1), _word_weight(example), example.group) for example in taken]
    titles = sorted({example.title for example in taken if example.title})
    few = len({example.group for example in taken}) < PHRASE_DOMAINS  # phrases would be all that is known
    for number, html in enumerate(() if few else phrase_pages(titles, Random(settings.seed))):
        tree = parse(html)
        said = read_words(tree, text_blocks(tree))
        noise = np.zeros(len(said.count))
        pages.append((said, noise, noise + OF_PHRASES * len(taken) / PHRASE_PAGES / len(noise), f"phrases {number % PHRASE_DOMAINS}"))
    return fit_words([page[0] for page in pages], [page[1] for page in pages], [page[2] for page in pages], [page[3] for page in pages])


def _word_weight(example: Example) -> NDArray[np.float64]:
    """What the words of each block weigh: a short one as much as a paragraph, each page the same; of a page with boxes, the boxes alone."""
    weight = np.minimum(example.length + 0.3, SHORT) * np.clip(1 - example.excused, OPEN, 1)
    return np.asarray(weight / max(weight.sum(), 1e-9) * (example.inserted if example.made else 1))


def fit_names(examples: Sequence[Example], settings: Training) -> Vocabulary:
    """A vocabulary of the single pages. Sites teach no names: of each there are many pages, with the same names on all of them."""
    taught = [example for example in examples if example.single and not example.made and len(example.label)]
    if "vocabulary" in settings.drop or not taught:
        return Vocabulary.empty()
    return fit_vocabulary(
        [example.names[PLAIN] for example in taught],
        [np.clip(example.label, 0, 1) for example in taught],
        [weigh(example) for example in taught],
        [example.group for example in taught],
        settings.seed,
    )
