"""A whole training: weights for the library, from pages with gold."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from tamis.content.evidence import COLUMNS
from tamis.content.evidence.page import PAGE
from tamis.content.weights import Weights
from tamis.training.examples import PLAIN, Example
from tamis.training.fitting import Training, fit, fit_types, rows_of

TYPE_TREES, TYPE_DEPTH = 60, 4
"""The forest of page types is small: there are as many examples as pages."""


def train(examples: Sequence[Example], settings: Training = Training()) -> Weights:
    """Train on all examples.

    Raises:
        MissingExtraError: CatBoost is not installed.
    """
    blocks = fit(rows_of(examples, settings), settings)
    typed = [example for example in examples if example.typed and len(example.label)]
    kinds = tuple(sorted({example.page_type for example in typed}))
    label = np.array([kinds.index(example.page_type) for example in typed])
    pages = fit_types(page_rows(typed), label, replace(settings, trees=TYPE_TREES, depth=TYPE_DEPTH))
    return Weights(blocks, pages, kinds)


def page_rows(examples: Sequence[Example]) -> NDArray[np.float32]:
    """The evidence of each page as a whole, all else not known, float32 ``(pages, c)``."""
    rows = np.full((len(examples), len(COLUMNS)), np.nan, dtype=np.float32)
    of_page = [COLUMNS.index(name) for name in PAGE]
    for row, example in zip(rows, examples, strict=True):
        row[of_page] = example.disguises[PLAIN][0, of_page]
    return rows
