"""Words fitted to pages with gold: what each word at the end of a block or in its links says of the block.

A logistic regression on the hashes of words (:mod:`tamis.content.evidence.words`). Weighted by their length, paragraphs would hide what
short blocks say. A word counts where several domains have it: what only one has says nothing about another.
"""

from __future__ import annotations

import warnings
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from tamis.content.evidence.words import UNIT, LearnedWords, PageWords
from tamis.errors import MissingExtraError

DOMAINS = 4
"""Domains on which a word is met at the least."""
MOST = 50_000
"""Words that are kept: those that say most."""
STRENGTH, STEPS = 5e-5, 40
"""Regularisation and steps of the regression."""


def fit_words(
    pages: Sequence[PageWords], labels: Sequence[NDArray[np.float64]], weights: Sequence[NDArray[np.float64]], groups: Sequence[str]
) -> LearnedWords:
    """Fit words.

    Args:
        pages: the words of each page.
        labels: share of each block that is main text, float64 ``(b,)`` for each page.
        weights: what each block weighs, float64 ``(b,)`` for each page.
        groups: the domain or site of each page.

    Raises:
        MissingExtraError: scikit-learn is not installed.
    """
    try:
        from scipy import sparse
        from sklearn.exceptions import ConvergenceWarning
        from sklearn.linear_model import LogisticRegression
    except ImportError as error:
        raise MissingExtraError("training", "train") from error
    known = _common(pages, groups)
    share, weight = np.concatenate([*labels, np.zeros(0)]), np.concatenate([*weights, np.zeros(0)])
    is_main = share >= 0.5
    weight = weight * np.abs(2 * share - 1)
    if not len(known) or len(set(is_main[weight > 0].tolist())) < 2:
        return LearnedWords.empty()
    counts, found = [np.zeros(1, dtype=np.int64)], []
    for page in pages:
        at = np.minimum(np.searchsorted(known, page.key), len(known) - 1)
        met = known[at] == page.key
        end = np.cumsum(page.count.sum(axis=1))
        counts.append(np.diff(np.append(0, np.append(0, np.cumsum(met))[end])))
        found.append(at[met].astype(np.int32))
    column = np.concatenate(found)
    table = sparse.csr_matrix(
        (np.ones(len(column), dtype=np.float32), column, np.cumsum(np.concatenate(counts))), shape=(len(share), len(known))
    )
    strength = 1 / (STRENGTH * len(share))
    model = LogisticRegression(C=strength, max_iter=STEPS, tol=1e-6)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)  # it is stopped on purpose
        model.fit(table, is_main, sample_weight=(weight / weight.mean()).astype(np.float32))
    rounded = np.clip(np.round(model.coef_[0] * UNIT), -127, 127).astype(np.int8)
    size = np.abs(rounded.astype(np.int16))
    least = np.partition(size, -MOST)[-MOST] if len(size) > MOST else 1
    kept = size >= max(int(least), 1)
    if kept.sum() > MOST:
        kept &= size > least
    return LearnedWords(known[kept], rounded[kept])


def _common(pages: Sequence[PageWords], groups: Sequence[str]) -> NDArray[np.uint32]:
    """The words that enough domains have, rising."""
    of_group: dict[str, list[NDArray[np.uint32]]] = {}
    for page, group in zip(pages, groups, strict=True):
        of_group.setdefault(group, []).append(np.unique(page.key))
    every = [np.unique(np.concatenate(keys)) for keys in of_group.values()]
    keys, count = np.unique(np.concatenate([*every, np.zeros(0, dtype=np.uint32)]), return_counts=True)
    return np.asarray(keys[count >= DOMAINS])
