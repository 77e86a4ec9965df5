"""Every pair of documents that the rule of tamis accepts."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from contextlib import closing
from dataclasses import dataclass
from itertools import pairwise

import numpy as np

from tamis.duplicates.candidates import batch, search
from tamis.duplicates.documents import TextDocument
from tamis.duplicates.intake import BATCH, signed
from tamis.duplicates.rule import DuplicateEvidence, DuplicateRule, matches
from tamis.duplicates.signature import Signature
from tamis.duplicates.store import Row, Store


@dataclass(frozen=True, slots=True)
class Pair:
    """Two documents that are the same."""

    a: str  #: Id of the first, in the order of ids.
    b: str
    evidence: DuplicateEvidence


def find_pairs(documents: Iterable[TextDocument], rule: DuplicateRule = DuplicateRule(), *, workers: int = 1) -> Iterator[Pair]:
    """Every pair of documents that the rule accepts, and no other, without comparing all of them.

    Args:
        documents: any number, in any order, each id once.
        rule: what counts as the same.
        workers: threads that make signatures.

    Returns:
        Pairs as they are found. Of documents that are all the same there are as many as of all documents.
    """
    with closing(Store(rule.signature, rows_are_longer=True)) as store:
        for portion in signed(documents, rule.signature, workers):
            store.add([(Row(document.id, document.url, None), made) for document, made in portion], rule)
        for first in range(0, store.rows, BATCH):
            yield from _pairs_of(range(first, min(first + BATCH, store.rows)), store, rule)


def _pairs_of(rows: range, store: Store, rule: DuplicateRule) -> Iterator[Pair]:
    """The pairs in which one of some rows is the shorter text. Of two texts of equal length each finds the other: the later one counts."""
    texts = [(row, made) for row in rows if (made := store.signature(row)) is not None and rule.has_enough(made)]
    for text, other, evidence in _matches([made for _, made in texts], store, rule):
        row, made = texts[text]
        longer = store.signature(other)
        if other < row or (other > row and longer is not None and made.letters < longer.letters):
            one, two = store.row(row).id, store.row(other).id
            yield Pair(one, two, evidence) if one < two else Pair(two, one, evidence.swapped())


def _matches(texts: Sequence[Signature], store: Store, rule: DuplicateRule) -> Iterator[tuple[int, int, DuplicateEvidence]]:
    """Every text and row that the rule accepts: number of the text, row, evidence. The texts have enough for the rule."""
    postings = store.postings()
    for pairs in search(batch(texts, rule), postings):
        letters = postings.sizes(pairs.row)
        for start, end in pairwise(np.flatnonzero(np.diff(pairs.text, prepend=-1, append=-1)).tolist()):
            text = int(pairs.text[start])
            found = matches(texts[text], pairs.row[start:end], letters[start:end], store.shingles, store.signature, rule)
            yield from ((text, row, evidence) for row, evidence in found)
