"""Candidate pairs: which texts and rows pass the first step of the rule, decided from postings without comparing texts.

A posting is one number: the feature in the upper 32 bits, the row in the others. Sorted arrays of them, *segments*, hold rising ranges of
rows; neighbours of like size are merged. The search (prefix filtering, ``docs/methods/feature-code.md``) is compiled:
``native/candidates.c``.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tamis.duplicates.rule import DuplicateRule
from tamis.duplicates.signature import DEMANDED, DEMANDING, SMALLEST_PASSAGE, Hashes, Signature
from tamis.native import candidates as compiled

Packed = NDArray[np.uint64]

LARGEST_SEGMENT = 1 << 24  #: Postings (8 bytes each) beyond which segments are not merged any more: it bounds the memory of a merge.

_UPPER = np.uint64(32)
_MOST_PAIRS = 1 << 20  #: Pairs beyond which no further text is taken up before they are looked at.
MOST_LETTERS = (1 << 32) - 1
_WITHOUT = np.array([1, 1, 0, 1, 1, 1])  #: Takes the passages out of a row of :attr:`Batch.texts`.


def packed(features: Hashes, rows: NDArray[np.int64]) -> Packed:
    """Return postings of features and their rows, sorted, uint64 ``(p,)``."""
    postings = (features.astype(np.uint64) << _UPPER) | rows.astype(np.uint64)
    postings.sort()
    return postings


def merge_plan(sizes: Sequence[int], largest: int = LARGEST_SEGMENT) -> int:
    """Return how many of the last segments to merge into one, 0 for none: each should be more than twice as large as the next.

    >>> merge_plan([1000, 100, 40, 30]), merge_plan([1000, 100, 40])
    (3, 0)
    """
    count, total = 1, sizes[-1] if sizes else 0
    for size in reversed(sizes[:-1]):
        if size > 2 * total or size + total > largest:
            break
        total += size
        count += 1
    return count if count > 1 else 0


def merged(segments: Sequence[NDArray[Any]]) -> NDArray[Any]:
    """Return one segment of several: postings, sorted; or what is known of the rows, one after the other."""
    together = np.concatenate(segments)
    if together.dtype == np.uint64:
        together.sort(kind="stable")  # which merges runs that are sorted, instead of sorting anew
    return together


@dataclass(frozen=True, slots=True, eq=False)
class Postings:
    """The two sets of postings, each as segments, and what is known of each row, in parts that follow each other."""

    every: Sequence[Packed]  #: All features of every row.
    rarest: Sequence[Packed] | None
    """The features in the rarest passages of every row; None if no text that is asked about is longer than a row."""
    size: Sequence[Hashes]  #: Letters of the rows (as many as fit), uint32 parts.
    demand: Sequence[Hashes] = ()
    """Number of a row's features that a longer text must have (:attr:`Batch.demand`), uint32 parts; not needed if rarest is None."""

    def sizes(self, rows: NDArray[np.int64]) -> NDArray[np.int64]:
        """Return the number of letters of some rows, int64 ``(len(rows),)``."""
        return known(self.size, rows).astype(np.int64)


@dataclass(frozen=True, slots=True, eq=False)
class Batch:
    """The features of several texts in one row."""

    feature: Hashes  #: uint32 ``(f,)``.
    order: NDArray[np.intp]  #: That sorts them, intp ``(f,)``.
    texts: NDArray[np.int64]
    """For each text: its first feature; features in a passage (the last one has the rest, too); passages; features that have to be found
    in each; passages that have to be found; letters. int64 ``(t, 6)``."""

    def __len__(self) -> int:
        return len(self.texts)

    @property
    def enough(self) -> NDArray[np.bool_]:
        """Texts that have enough for the rule, bool ``(t,)``."""
        return np.asarray(self.texts[:, 2] > 0)

    @property
    def size(self) -> Hashes:
        """Letters of each text, as many as fit, uint32 ``(t,)``."""
        return np.asarray(self.texts[:, 5].astype(np.uint32))

    @property
    def demand(self) -> Hashes:
        """Least number of features of each text that a longer one must have, uint32 ``(t,)``."""
        return np.asarray(np.minimum(self.texts[:, 3] * self.texts[:, 4], MOST_LETTERS).astype(np.uint32))

    @property
    def text_of(self) -> NDArray[np.intp]:
        """The text of each feature, intp ``(f,)``."""
        return np.repeat(np.arange(len(self)), np.diff(self.texts[:, 0], append=len(self.feature)))

    def only(self, chosen: NDArray[np.bool_]) -> Batch:
        """Return the same with the features of some of the texts; the others are there without any."""
        return self._with(chosen[self.text_of], np.where(chosen[:, None], self.texts, self.texts * _WITHOUT))

    def sharing(self, stays: NDArray[np.bool_]) -> Batch:
        """Return the same with some of the features, for rows of any length that have one of them: the strength is their number."""
        some = np.bincount(self.text_of[stays], minlength=len(self)) > 0
        return self._with(stays, np.stack([self.texts[:, 0], np.full(len(self), len(stays) + 1), some, some, some, 0 * some], axis=1))

    def _with(self, stays: NDArray[np.bool_], texts: NDArray[np.int64]) -> Batch:
        before = np.concatenate([[0], np.cumsum(stays)])
        texts = np.ascontiguousarray(texts, dtype=np.int64)
        texts[:, 0] = before[self.texts[:, 0]]
        return Batch(self.feature[stays], before[self.order[stays[self.order]]], texts)


def batch(texts: Sequence[Signature], rule: DuplicateRule) -> Batch:
    """Return the features of several texts. Texts with too little for the rule have none."""
    lengths = np.array([len(text) for text in texts], dtype=np.intp)
    shingles = np.concatenate([text.shingles for text in texts]) if texts else np.zeros(0, dtype=np.uint32)
    first = np.cumsum(lengths) - lengths
    is_feature = (shingles < rule.signature.bound) & np.repeat(lengths >= rule.least, lengths)
    before = np.concatenate([[0], np.cumsum(is_feature)])
    counts = before[first + lengths] - before[first]
    length = np.clip(counts // rule.signature.fewest_passages, SMALLEST_PASSAGE, rule.signature.passage)
    passages = np.where(counts > 0, np.maximum(counts // length, 1), 0)
    columns = (
        before[first],
        length,
        passages,
        np.where(length >= DEMANDING, DEMANDED, 1),
        np.array([rule.needed(count) for count in passages.tolist()], dtype=np.int64),
        np.array([min(text.letters, MOST_LETTERS) for text in texts], dtype=np.int64),
    )
    feature = shingles[is_feature]
    order = (packed(feature, np.arange(len(feature))) & np.uint64(MOST_LETTERS)).astype(np.intp)
    return Batch(feature, order, np.ascontiguousarray(np.stack(columns, axis=1), dtype=np.int64))


@dataclass(frozen=True, slots=True, eq=False)
class Pairs:
    """Texts and rows that can be the same."""

    text: NDArray[np.intp]  #: Number of the text, intp ``(c,)``, rising.
    row: NDArray[np.int64]  #: The row, int64 ``(c,)``, rising within a text.
    strength: NDArray[np.int64]
    """Number of shared features (of passages that were found, where the text is the shorter one), int64 ``(c,)``."""

    def only(self, chosen: NDArray[Any]) -> Pairs:
        """Return some of the pairs, by a mask or by their places."""
        return Pairs(self.text[chosen], self.row[chosen], self.strength[chosen])


def known(parts: Sequence[Hashes], wanted: NDArray[Any]) -> Hashes:
    """Return the values of some rows, uint32 ``(len(wanted),)``."""
    first = np.cumsum([0, *(len(part) for part in parts)])
    numbers = wanted.astype(np.intp)
    part_of = np.searchsorted(first, numbers, side="right") - 1
    found = np.zeros(len(numbers), dtype=np.uint32)
    for number, part in enumerate(parts):
        here = part_of == number
        found[here] = part[numbers[here] - first[number]]
    return found


def search(texts: Batch, postings: Postings) -> Iterator[Pairs]:
    """Yield every pair of a text and a row that the code lets pass, each once, some texts at a time.

    First come all pairs in which the text is the shorter one or as long as the row, then all in which it is longer, and some too many.
    """
    every, size, demand = list(postings.every), list(postings.size), list(postings.demand)
    for rarest in (None,) if postings.rarest is None else (None, list(postings.rarest)):
        done = 0
        while done < len(texts):
            done, found = compiled.candidates(every, rarest, size, demand, texts.feature, texts.order, texts.texts, done, _MOST_PAIRS)
            yield Pairs(*np.ascontiguousarray(np.frombuffer(found, np.uint32).reshape(-1, 3).T, dtype=np.int64))


def counts(segments: Sequence[Packed], texts: Batch) -> NDArray[np.int64]:
    """Return the number of rows with each feature, int64 ``(f,)``."""
    return np.frombuffer(compiled.counts(list(segments), texts.feature, texts.order), dtype=np.int64)


def all_postings(texts: Batch, rows: NDArray[np.int64]) -> Packed:
    """Return the postings of all features of texts that become rows; the row of each text is int64 ``(t,)``, rising."""
    order = texts.order
    return (texts.feature[order].astype(np.uint64) << _UPPER) | rows[texts.text_of[order]].astype(np.uint64)


def rarest_postings(texts: Batch, rows: NDArray[np.int64], segments: Sequence[Packed]) -> Packed:
    """Return the postings of features in the rarest passages of texts that become rows; ``segments``, of all features, tell which."""
    chosen = _rarest(texts, counts(segments, texts))
    return packed(texts.feature[chosen], rows[texts.text_of[chosen]])


def _rarest(texts: Batch, count: NDArray[np.int64]) -> NDArray[np.intp]:
    """Return features as places, intp ``(k,)``; a longer text must have at least one of them.

    These are the features of the rarest passages, one passage more than may be missing. Of each passage the most frequent features are left
    out, one fewer than must be found.
    """
    text_of = texts.text_of
    first, length, passages, demanded, needed, _ = texts.texts.T
    within = np.minimum((np.arange(len(text_of)) - first[text_of]) // length[text_of], passages[text_of] - 1)
    passage = (np.cumsum(passages) - passages)[text_of] + within  # numbered through all texts
    order = np.lexsort((-count, passage))
    start = np.flatnonzero(np.diff(passage[order], prepend=-1))
    place = np.arange(len(order)) - np.repeat(start, np.diff(start, append=len(order)))
    dispensable = np.zeros(len(order), dtype=np.bool_)
    dispensable[order] = place < demanded[text_of[order]] - 1
    owner = np.repeat(np.arange(len(passages)), passages)
    cost = np.bincount(passage, np.where(dispensable, 0, count), minlength=len(owner))
    by_cost = np.lexsort((cost, owner))
    rank = np.empty(len(owner), dtype=np.intp)
    rank[by_cost] = np.arange(len(owner)) - np.repeat(np.cumsum(passages) - passages, passages)
    is_rare = rank <= (passages - needed)[owner]
    return np.flatnonzero(~dispensable & is_rare[passage])
