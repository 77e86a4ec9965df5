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

MOST = 50_000
"""Words that are kept: those that say most."""
STEPS = 40
"""Steps of the regression."""
Taught = tuple[PageWords, NDArray[np.float64], NDArray[np.float64], str]
"""Words of a page, the share of each block that is main text, what each block weighs, float64 ``(b,)`` both, and the domain or site."""
Weighed = tuple[NDArray[np.uint32], NDArray[np.int8]]
"""Words, rising, uint32 ``(v,)``, and the log-odds of each, in 1/:data:`tamis.content.evidence.words.UNIT`, int8 ``(v,)``."""
_NOTHING: Weighed = (np.zeros(0, dtype=np.uint32), np.zeros(0, dtype=np.int8))


def joined(main: Weighed, aside: Weighed) -> LearnedWords:
    """Return words with what they say of main text, and of asides: 0 where one of both does not have them."""
    key = np.union1d(main[0], aside[0])
    weights = np.zeros((2, len(key)), dtype=np.int8)
    for weight, (own, values) in zip(weights, (main, aside), strict=True):
        weight[np.searchsorted(key, own)] = values
    return LearnedWords(key, *weights)


def fit_words(pages: Sequence[Taught], *, domains: int, strength: float) -> Weighed:
    """Fit words.

    Args:
        pages: with gold.
        domains: on which a word is met at the least.
        strength: of the regularisation.

    Raises:
        MissingExtraError: scikit-learn is not installed.
    """
    try:
        from scipy import sparse
        from sklearn.exceptions import ConvergenceWarning
        from sklearn.linear_model import LogisticRegression
    except ImportError as error:
        raise MissingExtraError("training", "train") from error
    known = _common(pages, domains)
    share, weight = (np.concatenate([*(page[part] for page in pages), np.zeros(0)]) for part in (1, 2))
    is_main = share >= 0.5
    weight = weight * np.abs(2 * share - 1)
    if not len(known) or len(set(is_main[weight > 0].tolist())) < 2:
        return _NOTHING
    counts, found = [np.zeros(1, dtype=np.int64)], []
    for page, *_ in pages:
        at = np.minimum(np.searchsorted(known, page.key), len(known) - 1)
        met = known[at] == page.key
        end = np.cumsum(page.count.sum(axis=1))
        counts.append(np.diff(np.append(0, np.append(0, np.cumsum(met))[end])))
        found.append(at[met].astype(np.int32))
    column = np.concatenate(found)
    table = sparse.csr_matrix(
        (np.ones(len(column), dtype=np.float32), column, np.cumsum(np.concatenate(counts))), shape=(len(share), len(known))
    )
    model = LogisticRegression(C=1 / (strength * len(share)), max_iter=STEPS, tol=1e-6)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)  # it is stopped on purpose
        model.fit(table, is_main, sample_weight=(weight / weight.mean()).astype(np.float32))
    rounded = np.clip(np.round(model.coef_[0] * UNIT), -127, 127).astype(np.int8)
    size = np.abs(rounded.astype(np.int16))
    least = np.partition(size, -MOST)[-MOST] if len(size) > MOST else 1
    kept = size >= max(int(least), 1)
    if kept.sum() > MOST:
        kept &= size > least
    return known[kept], rounded[kept]


def _common(pages: Sequence[Taught], domains: int) -> NDArray[np.uint32]:
    """The words that enough domains have, rising."""
    of_group: dict[str, list[NDArray[np.uint32]]] = {}
    for page, _, _, group in pages:
        of_group.setdefault(group, []).append(np.unique(page.key))
    every = [np.unique(np.concatenate(keys)) for keys in of_group.values()]
    keys, count = np.unique(np.concatenate([*every, np.zeros(0, dtype=np.uint32)]), return_counts=True)
    return np.asarray(keys[count >= domains])
