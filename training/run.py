"""A whole training: weights for the library, from pages with gold."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from random import Random

import numpy as np
from numpy.typing import NDArray

from tamis.content.evidence import read_words
from tamis.content.evidence.vocabulary import Vocabulary
from tamis.content.evidence.words import LearnedWords, PageWords
from tamis.content.node_model import ASIDE_WORDS
from tamis.content.weights import Weights
from tamis.page.blocks import text_blocks
from tamis.page.parsing import parse
from training.boxes import PHRASE_PAGES, PHRASES, PHRASES_OF_PAGE, phrase_pages
from training.examples import OPEN, PLAIN, Example, language_of_page, weigh
from training.folds import FOLDS, fold_of
from training.names import fit_vocabulary
from training.network import Learned, Training, fit_networks
from training.words import Taught, Weighed, fit_words, joined

Progress = Callable[[int, int], None]
SHORT = 5
"""Words from which on all blocks teach the same of words."""
PAGES_OF_SITE = 12
"""Pages of each site that teach words."""
DOMAINS, STRENGTH = 4, 5e-5
"""Domains on which a word is met at the least, and the strength of the regularisation."""
OF_PHRASES, PHRASE_DOMAINS = 0.5, 50
"""What pages of phrases (:func:`training.boxes.phrase_pages`) weigh by all other pages, and the domains that they count for."""
ASIDE_DOMAINS, ASIDE_STRENGTH = 15, 2e-6
"""The first two for words of asides."""
INSERTED, NOISE, ENOUGH = 0.5, 0.008, 6
"""What a block of an inserted box, and any other noise, weigh by a short block of main text; domains of a language from which on its
phrases weigh as much, too: with fewer, the words of the language itself would be taken for those of asides."""


Phrases = Sequence[tuple[PageWords, float]]
"""Words of pages of phrases, and what each page weighs: 1 in a language of which enough is known, 0 in one of which nothing is."""


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
    """Words of the pages, and of phrases that boxes say."""
    if "words" in settings.drop:
        return LearnedWords.empty()
    phrases = read_phrases(examples, settings.seed)
    return joined(_fit_main(examples, phrases), _fit_asides(examples, phrases))


def read_phrases(examples: Sequence[Example], seed: int) -> Phrases:
    """Pages of phrases (:func:`training.boxes.phrase_pages`), with titles of the examples; none if these are of few domains."""
    groups: dict[str, set[str]] = {}
    for example in examples:
        groups.setdefault(language_of_page(example.page), set()).add(example.group)
    if sum(map(len, groups.values())) < PHRASE_DOMAINS:  # phrases would be all that is known
        return []
    titles = sorted({example.title for example in examples if example.title})
    trees = ((parse(html), language) for html, language in phrase_pages(titles, Random(seed)))
    return [(read_words(tree, text_blocks(tree)), min(len(groups.get(language, ())) / ENOUGH, 1.0)) for tree, language in trees]


def _fit_main(examples: Sequence[Example], phrases: Phrases) -> Weighed:
    """What words say of main text: from the single pages, some pages of each site, and phrases."""
    taken, of_site = [], Counter[str]()
    for example in examples:
        if not len(example.label) or (example.made and not example.inserted.any()):
            continue
        if not (example.single or example.made):
            of_site[example.group] += 1
            if of_site[example.group] > PAGES_OF_SITE:
                continue
        taken.append(example)
    pages: list[Taught] = [
        (example.said.of_evidence(), np.clip(example.label, 0, 1), _word_weight(example), example.group) for example in taken
    ]
    phrases = [(said.of_evidence(), weight) for said, weight in phrases]
    return _fit(pages, phrases, OF_PHRASES * len(taken) / PHRASE_PAGES, DOMAINS, STRENGTH)


def _fit_asides(examples: Sequence[Example], phrases: Phrases) -> Weighed:
    """What words say of short blocks that are asides: from all pages, the boxes that were inserted, and phrases."""
    pages: list[Taught] = []
    for example in examples:
        if example.made and not example.inserted.any():
            continue
        length = example.length
        weight = np.where(example.label >= 0.5, 1, NOISE) * np.minimum(length / SHORT, 1)
        weight = np.where(example.made, INSERTED * example.inserted, weight) * ((length <= ASIDE_WORDS[1]) & (example.excused < 0.5))
        pages.append((example.said, np.clip(example.label, 0, 1), np.asarray(weight), example.group))
    return _fit(pages, phrases, PHRASES_OF_PAGE, ASIDE_DOMAINS, ASIDE_STRENGTH)


def _fit(pages: list[Taught], phrases: Phrases, of_page: float, domains: int, strength: float) -> Weighed:
    """Fit words to pages and to phrases. ``of_page``: what a page of phrases weighs."""
    for number, (said, weight) in enumerate(phrases):
        noise = np.zeros(len(said.count))
        group = f"phrases {number // len(PHRASES) % PHRASE_DOMAINS}"  # each with all languages
        pages.append((said, noise, noise + weight * of_page / len(noise), group))
    return fit_words(pages, domains=domains, strength=strength)


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
