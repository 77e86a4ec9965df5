"""Compares a text with rows of a store."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import pairwise
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from tamis.duplicates.candidates import batch, search
from tamis.duplicates.rule import DuplicateRule, Evidence, compare_signatures, promising
from tamis.duplicates.signature import Hashes, Signature
from tamis.duplicates.store import Store

_FEW, _MANY = 4, 64  #: Rows whose shingles are read together: few at first, since the first one may do.
_NOTHING = np.zeros(0, dtype=np.uint32)


class Texts(Protocol):
    """Texts by number."""

    def shingles(self, row: int) -> Hashes | None:
        """The shingles of a text; None where there is none."""
        ...

    def signature(self, row: int) -> Signature | None:
        """The signature of a text; None where there is none."""
        ...


def matches_of_batch(texts: Sequence[Signature], store: Store, rule: DuplicateRule) -> Iterator[tuple[int, int, Evidence]]:
    """Every text and row that the rule accepts, and no other: number of the text, row, evidence.

    Texts have to have enough for the rule.
    """
    postings = store.postings()
    for pairs in search(batch(texts, rule), postings):
        letters = postings.sizes(pairs.row)
        edges = np.flatnonzero(np.diff(pairs.text, prepend=-1, append=-1)).tolist()
        for start, end in pairwise(edges):
            text = int(pairs.text[start])
            found = matches(texts[text], pairs.row[start:end], letters[start:end], store, rule)
            yield from ((text, row, evidence) for row, evidence in found)


def matches(
    text: Signature, rows: NDArray[np.int64], letters: NDArray[np.int64], texts: Texts, rule: DuplicateRule
) -> Iterator[tuple[int, Evidence]]:
    """Those of some rows that a text is the same as, in order. Most are turned away by a look at their shingles.

    Args:
        text: the text.
        rows: numbers of others, int64 ``(c,)``.
        letters: how many letters each has, int64 ``(c,)``.
        texts: where they are.
        rule: by which texts are the same.
    """
    start, size = 0, _FEW
    while start < len(rows):
        part = rows[start : start + size].tolist()
        longer = [place for place, its in enumerate(letters[start : start + size].tolist()) if its >= text.letters]
        shingles = [texts.shingles(part[place]) for place in longer]
        seem = dict(zip(longer, promising(text, [_NOTHING if each is None else each for each in shingles], rule), strict=True))
        for place, row in enumerate(part):
            known = seem.get(place)
            other = texts.signature(row) if known is not None or place not in seem else None
            if other is None:
                continue
            evidence = compare_signatures(text, other, rule, known)
            if evidence.same:
                yield row, evidence
        start, size = start + size, _MANY
