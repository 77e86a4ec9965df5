"""Shingles of texts: the compiled form (``_shingles.c``) where it was built, else the plain one, with the same result.

The environment variable ``TAMIS_PLAIN=1`` forbids the compiled form, as it does for the walk over a page.
"""

from __future__ import annotations

import os
from functools import cache
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from tamis.duplicates import shingling_plain
from tamis.duplicates.characters import composed, folds_for, kinds, unfinished
from tamis.duplicates.shingling_plain import Hashes


def _choose() -> Literal["compiled", "plain"]:
    if os.environ.get("TAMIS_PLAIN", "0") not in ("", "0"):
        return "plain"
    try:
        from tamis.duplicates import _shingles  # noqa: F401
    except ImportError:
        return "plain"
    return "compiled"


SHINGLER = _choose()
"""Which of the two forms is in use."""

if SHINGLER == "compiled":
    from tamis.duplicates import _shingles

    def shingled(text: str, simplified: bool, width: int) -> tuple[Hashes, Hashes, int, int]:
        """:func:`tamis.duplicates.shingling_plain.shingled`, compiled."""
        table = folds_for(text, simplified)
        found = _shingles.shingled(text, _marked_kinds(), table, width)
        if found is None:
            found = _shingles.shingled(composed(text), kinds(), table, width)
        if found is None:  # kinds that are not marked make no exceptions
            raise RuntimeError("a composed text was not taken")
        shingles, numbers, tokens, whole = found
        return np.frombuffer(shingles, np.uint32), np.frombuffer(numbers, np.uint32), tokens, whole

    def among(shingles: Hashes, others: Hashes) -> NDArray[np.bool_]:
        """:func:`tamis.duplicates.shingling_plain.among`, compiled."""
        return np.frombuffer(_shingles.among(shingles, others), np.bool_)

    @cache
    def _marked_kinds() -> NDArray[np.uint8]:
        """The kinds of characters, with a bit at those for which the text has to be composed first."""
        marked = kinds().copy()
        marked[unfinished()] |= 0x80
        return marked
else:
    shingled = shingling_plain.shingled
    among = shingling_plain.among
