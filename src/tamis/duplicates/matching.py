"""Compares a text with rows of a store."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import numpy as np
from numpy.typing import NDArray

from tamis.duplicates.rule import DuplicateRule, Evidence, compare_signatures, promising
from tamis.duplicates.signature import Hashes, Signature

_FEW, _MANY = 4, 64  #: Rows whose shingles are read together: few at first, since the first one may do.
_NOTHING = np.zeros(0, dtype=np.uint32)


def matches(
    text: Signature,
    rows: NDArray[np.int64],
    letters: NDArray[np.int64],
    shingles_of: Callable[[int], Hashes | None],
    signature_of: Callable[[int], Signature | None],
    rule: DuplicateRule,
) -> Iterator[tuple[int, Evidence]]:
    """Those of some rows, int64 ``(c,)``, that a text is the same as, in order. Most are turned away by a look at their shingles.

    ``letters``: how many each row has, int64 ``(c,)``. The functions give the shingles and the signature of a row, or None.
    """
    start, size = 0, _FEW
    while start < len(rows):
        part = rows[start : start + size].tolist()
        longer = [place for place, its in enumerate(letters[start : start + size].tolist()) if its >= text.letters]
        shingles = [shingles_of(part[place]) for place in longer]
        seem = dict(zip(longer, promising(text, [_NOTHING if each is None else each for each in shingles], rule), strict=True))
        for place, row in enumerate(part):
            known = seem.get(place)
            other = signature_of(row) if known is not None or place not in seem else None
            if other is None:
                continue
            evidence = compare_signatures(text, other, rule, known)
            if evidence.same:
                yield row, evidence
        start, size = start + size, _MANY
