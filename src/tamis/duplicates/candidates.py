"""Which pairs can be the same at all: a prefix filter over passages, complete for any rule on coverage.

A shorter text needs *n* of its *p* passages in the longer one. So of any *p - n + 1* of them, at least one has to be there: it is enough to
look up those that are rarest, the cheapest. A first paragraph that a million pages share is looked up only by pages that have little else,
which are the same by the rule.

Who is shorter is not known beforehand, so there are two sets of postings: of all features of every row, asked with the rarest passages of
the query (the query is the shorter); and of the features in each row's own rarest passages, asked with all features of the query.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from tamis.duplicates.postings import Packed, Ranges, expand, find, packed
from tamis.duplicates.rule import DuplicateRule
from tamis.duplicates.shingling_plain import Hashes
from tamis.duplicates.signature import Signature
from tamis.duplicates.sorting import counted, order_of

_UPPER, _LOWER, _ONE = np.uint64(32), np.uint64(0xFFFFFFFF), np.uint64(1)
_CROWD = 1_000
"""In a passage found by two features, the one that most rows have is not looked up if that is more rows than this: one of the others
has to be there, too."""
_MOST_POSTINGS = 1 << 22
"""Postings that are read at a time."""
_FEWEST_ROWS = 1 << 12
"""Rows are not divided further than this."""
_CHEAP = 1_000
"""Postings of a query that are looked up beyond what is needed: the more passages are looked up, the more of them a candidate has to
have."""
_MORE, _WORTH = 2, 16
"""So many passages more are looked up if each costs no more than so many times what is spent before: to look at a candidate costs more than
to read a posting."""


@dataclass(frozen=True, slots=True, eq=False)
class Postings:
    """The two sets of postings, each as segments."""

    every: Sequence[Packed]
    """All features of every row."""
    rarest: Sequence[Packed] | None
    """The features in the rarest passages of every row, with a mark where a single one is enough to make the row a candidate; None where
    no text that is asked about is longer than a row."""
    size: Sequence[Hashes]
    """Letters of the rows, in parts that follow each other."""

    def sizes(self, rows: NDArray[np.uint64]) -> NDArray[np.int64]:
        """How many letters each of some rows has, int64 ``(len(rows),)``."""
        first = np.cumsum([0, *(len(part) for part in self.size)])
        part_of = np.searchsorted(first, rows, side="right") - 1
        found = np.zeros(len(rows), dtype=np.int64)
        for number, part in enumerate(self.size):
            here = part_of == number
            found[here] = part[rows[here] - np.uint64(first[number])]
        return found


@dataclass(frozen=True, slots=True, eq=False)
class Batch:
    """The features of several texts in one row."""

    feature: Hashes
    """uint32 ``(f,)``."""
    order: NDArray[np.intp]
    """That sorts them, intp ``(f,)``."""
    passage: NDArray[np.intp]
    """Number of each feature's passage, through all texts, intp ``(f,)``, rising."""
    text_of: NDArray[np.intp]
    """The text that each passage is of, intp ``(p,)``, rising."""
    demanded: NDArray[np.intp]
    """How many features have to be there for a passage to be found, intp ``(p,)``."""
    spare: NDArray[np.intp]
    """How many passages of each text may be missing, intp ``(texts,)``."""
    size: NDArray[np.int64]
    """Letters of each text, int64 ``(texts,)``."""


def batch(texts: Sequence[Signature], rule: DuplicateRule) -> Batch:
    """The features of several texts, each of which has some."""
    counts = np.array([text.passages for text in texts], dtype=np.intp)
    before = np.cumsum(counts) - counts
    features = np.concatenate([text.features for text in texts]) if texts else np.zeros(0, np.uint32)
    return Batch(
        features,
        order_of(features),
        np.concatenate([text.passage + first for text, first in zip(texts, before.tolist(), strict=True)]) if texts else counts,
        np.repeat(np.arange(len(texts)), counts),
        np.repeat(np.array([text.demanded for text in texts], dtype=np.intp), counts),
        np.array([count - rule.needed(count) for count in counts.tolist()], dtype=np.intp),
        np.array([text.letters for text in texts], dtype=np.int64),
    )


@dataclass(frozen=True, slots=True, eq=False)
class Prefix:
    """What is looked up of a batch."""

    chosen: NDArray[np.intp]
    """Places in :attr:`Batch.feature`, intp ``(k,)``."""
    demanded: NDArray[np.intp]
    """Features to be found in each passage, of those that are looked up; 0: the passage is not. intp ``(p,)``."""
    passages: NDArray[np.intp]
    """Passages to be found in each text, of those that are looked up, intp ``(texts,)``."""


def prefix(texts: Batch, count: NDArray[np.intp], cheap: int) -> Prefix:
    """Choose what to look up, by how many rows have each feature.

    Args:
        texts: the batch.
        count: rows that have each feature, intp ``(f,)``.
        cheap: passages beyond the necessary ones are looked up, too, while a text's postings are no more than this; and two more, if
            each costs no more than :data:`_WORTH` times what is spent before. 0: none.
    """
    passages = len(texts.text_of)
    skipped = _skipped(texts, count)
    cost = np.bincount(texts.passage, np.where(skipped, 0, count), minlength=passages).astype(np.intp)
    order = np.lexsort((cost, texts.text_of))
    first = np.searchsorted(texts.text_of, np.arange(len(texts.spare)))  # of each text, among the passages in this order
    rank = np.arange(passages) - first[texts.text_of[order]]
    running = np.cumsum(cost[order])
    spent = running - (running - cost[order])[first][texts.text_of[order]]
    beyond = rank - texts.spare[texts.text_of[order]]
    worth = (spent <= cheap) | ((beyond <= _MORE) & (cost[order] <= _WORTH * (spent - cost[order]) + cheap))
    taken = np.zeros(passages, dtype=np.bool_)
    taken[order] = (beyond <= 0) | (worth & (cheap > 0))
    demanded = np.where(taken, texts.demanded - np.bincount(texts.passage, skipped, minlength=passages).astype(np.intp), 0)
    looked_up = np.bincount(texts.text_of, taken, minlength=len(texts.spare)).astype(np.intp)
    return Prefix(np.flatnonzero(taken[texts.passage] & ~skipped), demanded, looked_up - texts.spare)


def _skipped(texts: Batch, count: NDArray[np.intp]) -> NDArray[np.bool_]:
    """The most frequent feature of each passage that can do without it, bool ``(f,)``."""
    skipped = np.zeros(len(count), dtype=np.bool_)
    if not (count > _CROWD).any():
        return skipped
    order = np.lexsort((count, texts.passage))
    last = order[np.flatnonzero(np.diff(texts.passage[order], append=-1))]
    skipped[last] = (count[last] > _CROWD) & (texts.demanded[texts.passage[last]] > 1)
    return skipped


@dataclass(frozen=True, slots=True, eq=False)
class Pairs:
    """Texts and rows that can be the same."""

    text: NDArray[np.intp]
    """Number of the text, intp ``(c,)``, rising."""
    row: NDArray[np.int64]
    """The row, int64 ``(c,)``, rising within a text."""


def search(
    texts: Sequence[Signature], postings: Postings, rule: DuplicateRule, rows: int, settled: NDArray[np.bool_] | None = None
) -> Iterator[Pairs]:
    """Every pair of a text and a row that can be the same, a bounded number of postings at a time.

    Args:
        texts: with enough text for the rule.
        postings: of the rows.
        rule: by which they are the same.
        rows: how many rows there are.
        settled: texts for which nothing more is to be found, bool ``(texts,)``; may be changed on the way.

    Returns:
        Pairs, each once; for each text, in the order of the rows.
    """
    done = np.zeros(len(texts), dtype=np.bool_) if settled is None else settled
    parts = [(0, len(texts), 0, rows)] if texts and rows else []
    while parts:
        first, last, low, high = parts.pop()
        here = [number for number in range(first, last) if not done[number]]
        if not here:
            continue
        asked = batch([texts[number] for number in here], rule)
        found = _look_up(asked, postings, (low, high))
        if found.cost <= _MOST_POSTINGS or (last - first == 1 and high - low <= _FEWEST_ROWS):
            pairs = _pairs(asked, postings, found)
            yield Pairs(np.array(here, dtype=np.intp)[pairs.text], pairs.row)
        elif last - first > 1:
            middle = (first + last) // 2
            parts += [(middle, last, low, high), (first, middle, low, high)]
        else:
            halfway = (low + high) // 2
            parts += [(first, last, halfway, high), (first, last, low, halfway)]


@dataclass(frozen=True, slots=True, eq=False)
class _Found:
    every: Ranges
    rarest: Ranges | None
    prefix: Prefix

    @property
    def cost(self) -> int:
        """Postings to be read."""
        rarest = 0 if self.rarest is None else int(self.rarest.count.sum())
        return int(self.every.count[self.prefix.chosen].sum()) + rarest


def _look_up(texts: Batch, postings: Postings, rows: tuple[int, int]) -> _Found:
    every = find(postings.every, texts.feature, texts.order, rows)
    rarest = None if postings.rarest is None else find(postings.rarest, texts.feature, texts.order, rows)
    return _Found(every, rarest, prefix(texts, every.count, _CHEAP))


def _pairs(texts: Batch, postings: Postings, found: _Found) -> Pairs:
    pairs = _as_shorter(texts, postings.every, found.every, found.prefix)
    pairs = pairs[texts.size[(pairs >> _UPPER).astype(np.intp)] <= postings.sizes(pairs & _LOWER)]
    if postings.rarest is not None and found.rarest is not None:
        others = _as_longer(texts, postings.rarest, found.rarest)
        others = others[texts.size[(others >> _UPPER).astype(np.intp)] >= postings.sizes(others & _LOWER)]
        pairs = counted(np.concatenate([pairs, others]))[0]
    return Pairs((pairs >> _UPPER).astype(np.intp), (pairs & _LOWER).astype(np.int64))


def _as_shorter(texts: Batch, segments: Sequence[Packed], ranges: Ranges, chosen: Prefix) -> NDArray[np.uint64]:
    """Pairs in which enough passages of the text are in the row, as text and row in one number."""
    which, rows = expand(segments, ranges, chosen.chosen)
    passage = texts.passage[chosen.chosen[which]]
    hit, hits = counted(_together(passage, rows >> _ONE))
    passage = (hit >> _UPPER).astype(np.intp)
    found = hits >= chosen.demanded[passage]
    pair, passages = counted(_together(texts.text_of[passage[found]], hit[found] & _LOWER))
    return np.asarray(pair[passages >= chosen.passages[(pair >> _UPPER).astype(np.intp)]])


def _as_longer(texts: Batch, segments: Sequence[Packed], ranges: Ranges) -> NDArray[np.uint64]:
    """Pairs in which a rare passage of the row may be in the text, as text and row in one number."""
    present = np.flatnonzero(ranges.count)
    which, rows = expand(segments, ranges, present)
    pair, hits = counted(_together(texts.text_of[texts.passage[present[which]]], rows))
    enough = ((pair & _ONE) > 0) | (hits > 1)
    return np.asarray((pair[enough] & ~_LOWER) | ((pair[enough] & _LOWER) >> _ONE))


def _together(upper: NDArray[np.intp], lower: NDArray[np.uint64]) -> NDArray[np.uint64]:
    return (upper.astype(np.uint64) << _UPPER) | lower


def all_postings(texts: Batch, rows: NDArray[np.int64]) -> Packed:
    """The postings of all features of texts that become rows; the row of each text is int64 ``(texts,)``."""
    return packed(texts.feature, rows[texts.text_of[texts.passage]])


def rarest_postings(texts: Batch, rows: NDArray[np.int64], segments: Sequence[Packed]) -> Packed:
    """The postings of the features in the rarest passages of texts that become rows.

    Args:
        texts: the batch.
        rows: the row of each text, int64 ``(texts,)``.
        segments: of all features so far, by which it is decided what is rare.
    """
    chosen = prefix(texts, find(segments, texts.feature, texts.order).count, cheap=0)
    passage = texts.passage[chosen.chosen]
    text = texts.text_of[passage]
    weakest = np.full(len(texts.spare), 2, dtype=np.intp)
    np.minimum.at(weakest, text, chosen.demanded[passage])
    return packed(texts.feature[chosen.chosen], rows[text], weakest[text] < 2)
