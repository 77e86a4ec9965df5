"""A whole training: weights for the library, from pages with gold."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from tamis.content.evidence import COLUMNS
from tamis.content.evidence.page import PAGE
from tamis.content.forest import Forest
from tamis.content.weights import Weights
from tamis.training.examples import PLAIN, SITE, Example
from tamis.training.fitting import Training, fit, fit_types, rows_of, site_rows

TYPE_TREES, TYPE_DEPTH = 60, 4
"""The forest of page types is small: there are as many examples as pages."""
SITE_TREES, SITE_DEPTH = 60, 4
"""So is that of sites, of which there are few."""


def train(examples: Sequence[Example], settings: Training = Training()) -> Weights:
    """Train on all examples.

    Raises:
        MissingExtraError: CatBoost is not installed.
    """
    blocks = fit(rows_of(examples, settings), settings)
    typed = [example for example in examples if example.typed]
    sites = [example for example in examples if SITE in example.disguises and len(example.label)]
    return Weights(blocks, *fit_sites(typed, sites, settings), *_fit_types(typed, settings))


def fit_sites(typed: Sequence[Example], sites: Sequence[Example], settings: Training) -> tuple[Forest | None, Forest | None]:
    """The forest for known sites, and under it one that has seen no site: its log-odds are what they would be on another site."""
    if not sites or not typed:
        return None, None
    small = replace(settings, trees=max(1, settings.trees // 4), rows=settings.rows / 3)
    base = fit(rows_of(typed, small), small)
    return base, fit(site_rows(sites, base, settings), replace(settings, trees=SITE_TREES, depth=SITE_DEPTH))


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
