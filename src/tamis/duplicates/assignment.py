"""A batch of documents against those that are kept: who is a copy of whom.

The batch comes in the order of keeping; its documents are numbered after the rows of the store. A feature that at least :data:`MANY` kept
documents have is *commonplace*: the template of their site, and no evidence that two documents are copies.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence, Set
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import cast

import numpy as np
from numpy.typing import NDArray

from tamis.duplicates.candidates import Batch, Packed, Pairs, Postings, all_postings, batch, counts, rarest_postings, search
from tamis.duplicates.clusters import Deduplication, Likeness
from tamis.duplicates.rule import DuplicateEvidence, matches
from tamis.duplicates.signature import Hashes, Signature, among
from tamis.duplicates.store import Row, Store

MANY = 6  #: Kept documents from which on a feature is commonplace.
OWN_FOUND = 0.85  #: Share of a document's own features that must be in the other, of the share of its commonplace ones that are.
FEWEST_OWN = 3  #: Documents with fewer features of their own have nothing by which a reader could tell them apart.
PASSAGE, PASSAGE_SHARE = 12, 0.04
"""Shingles in a row, and share of all shingles in such rows, that make two documents of a template differ."""
Flags = NDArray[np.bool_]


@dataclass(frozen=True, slots=True)
class Decision:
    """Fate of a document."""

    copy_of: str | None = None  #: Id of the document that is kept for it; None: it is kept.
    likeness: Likeness | None = None
    evidence: DuplicateEvidence | None = None
    left_alone: bool = False  #: It says too little to be compared.
    crowded: bool = False  #: It can be the same as more documents than it may be compared with, and is the same as none of the likeliest.
    url: str | None = None  #: Address of the document that is kept for it.
    number: int | None = None  #: Number of that document, where texts were compared.


def assign(
    waiting: Sequence[tuple[Row, Signature]], store: Store, settings: Deduplication, hidden: Set[int] = frozenset()
) -> list[Decision]:
    """Return the fate of each document of a batch. The store is not changed, and its hidden rows are not seen."""
    return _Batch(waiting, store, settings, hidden).decisions()


class _Batch:
    def __init__(self, waiting: Sequence[tuple[Row, Signature]], store: Store, settings: Deduplication, hidden: Set[int]) -> None:
        self._rows = [row for row, _ in waiting]
        self._signatures = [signature for _, signature in waiting]
        self._letters = np.array([signature.letters for signature in self._signatures], dtype=np.int64)
        self._store, self._settings, self._hidden = store, settings, hidden
        self._postings = store.postings()
        self._first = store.rows  #: Number of the first document of the batch.
        self._is_kept = np.zeros(len(waiting), dtype=np.bool_)
        self._digests: dict[bytes, int] = {}
        self._addresses: dict[str, int] = {}  #: Kept documents of the batch, by digest and by address.
        self._every: Packed = np.zeros(0, dtype=np.uint64)  #: Postings of the batch.
        self._doubtful: dict[int, Flags] = {}  #: Copies a good part of whose features is commonplace, and which are.
        self._kept: Packed = self._every  #: Texts kept before doubtful copies are decided on again.
        self._commonplace: dict[int, Flags] = {}  #: Features of a document that are commonplace among those, by its number.
        self._sharing: dict[int, NDArray[np.int64]] = {}
        """Documents, not yet compared, with a feature of a doubtful copy that is not commonplace; others share only a template with it."""

    def shingles(self, number: int) -> Hashes | None:
        """Return the shingles of a text."""
        return self._store.shingles(number) if number < self._first else self._signatures[number - self._first].shingles

    def signature(self, number: int) -> Signature | None:
        """Return the signature of a text."""
        return self._store.signature(number) if number < self._first else self._signatures[number - self._first]

    def _letters_of(self, numbers: NDArray[np.int64]) -> NDArray[np.int64]:
        """Return the number of letters of some texts; their numbers rise."""
        rows = int(np.searchsorted(numbers, self._first))
        letters = self._letters[numbers[rows:] - self._first]
        return np.concatenate([self._postings.sizes(numbers[:rows]), letters]) if rows else letters

    def decisions(self) -> list[Decision]:
        """Return the fate of each."""
        asked = batch(self._signatures, self._settings.rule)
        known = [self._known(place, enough) for place, enough in enumerate(asked.enough.tolist())]
        asked = asked.only(np.array([decision is None for decision in known], dtype=np.bool_))
        self._every = all_postings(asked, np.arange(len(asked)))
        self._gather(asked)
        decided = [self._decide(place, decision) for place, decision in enumerate(known)]
        if self._settings.rule.verify:
            for place in self._on_template_only(asked, decided):
                decided[place] = self._decide(place, None)
        return decided

    def _known(self, place: int, enough: bool) -> Decision | None:
        if not self._signatures[place].letters:
            return Decision(left_alone=True)
        row = self._store.row_of("digests", self._signatures[place].digest)
        if row is not None and row not in self._hidden:
            return self._copy(row, "identical")
        if not enough:
            return Decision(left_alone=True)
        address = self._rows[place].address
        row = self._store.row_of("addresses", address) if address is not None else None
        return self._copy(row, "same address") if row is not None and row not in self._hidden else None

    def _gather(self, asked: Batch) -> None:
        """Look up what each document can be the same as: numbers, rising, and how much they share."""
        self._cut: set[int] = set()
        parts = [
            Pairs(*(np.zeros(0, dtype=np.int64),) * 3),
            *map(self._strongest, self._search(asked, either_longer=not self._store.rows_are_longer)),
        ]
        text, number, strength = (np.concatenate([getattr(part, name) for part in parts]) for name in ("text", "row", "strength"))
        order = np.lexsort((number, text))
        self._numbers, self._strengths = number[order], strength[order]
        self._spans = [slice(*edges) for edges in pairwise(np.searchsorted(text[order], np.arange(len(self._rows) + 1)).tolist())]

    def _search(self, asked: Batch, *, either_longer: bool) -> Iterator[Pairs]:
        """Pairs of a document and one that it can be the same as, of the store and of those before it in the batch."""
        for postings in self._store.searched():
            for pairs in search(asked, postings if either_longer else replace(postings, rarest=None)):
                yield pairs.only(~np.isin(pairs.row, list(self._hidden)))
        rarest = [rarest_postings(asked, np.arange(len(asked)), [self._every])] if either_longer else None
        for pairs in search(asked, Postings([self._every], rarest, [asked.size], [asked.demand])):
            before = pairs.only(pairs.row < pairs.text)
            yield Pairs(before.text, before.row + self._first, before.strength)

    def _strongest(self, pairs: Pairs) -> Pairs:
        """Of each text as many pairs as it may be compared with."""
        most = self._settings.most_compared
        count = np.bincount(pairs.text, minlength=len(self._rows))
        if most is None or count.max(initial=0) <= most:
            return pairs
        if pairs.row[0] < self._first:  # of those in the batch, only documents that are kept count
            self._cut.update(np.flatnonzero(count > most).tolist())
        order = np.lexsort((pairs.row, -pairs.strength, pairs.text))
        rank = np.arange(len(order)) - (np.cumsum(count) - count)[pairs.text[order]]
        return pairs.only(np.sort(order[rank < most]))

    def _decide(self, place: int, decision: Decision | None) -> Decision:
        row, signature = self._rows[place], self._signatures[place]
        if decision is not None and (decision.likeness == "identical" or not signature.letters):
            return decision
        if (same := self._digests.get(signature.digest)) is not None:
            return self._copy(self._first + same, "identical")
        if decision is not None:
            if decision.left_alone:
                self._digests[signature.digest] = place
            return decision
        if (same := self._addresses.get(row.address or "")) is not None:
            return self._copy(self._first + same, "same address")
        decision = self._alike(place)
        if decision.copy_of is None:
            self._is_kept[place] = True
            self._digests[signature.digest] = place
            if row.address is not None:
                self._addresses[row.address] = place
        return decision

    def _alike(self, place: int) -> Decision:
        """Decide on a document: it is a copy of the first that it is the same as; if there is none, it is kept."""
        numbers, most = self._numbers[self._spans[place]], self._settings.most_compared
        if not len(numbers):
            return Decision()
        kept = self._are_kept(numbers)
        numbers, crowded = numbers[kept], place in self._cut
        if most is not None and len(numbers) > most:
            crowded = True
            numbers = numbers[np.sort(np.argsort(-self._strengths[self._spans[place]][kept], kind="stable")[:most])]
        if place in self._sharing:
            numbers = np.intersect1d(numbers, self._sharing[place], assume_unique=True)

        def other(number: int) -> Signature | None:  # what shares only a template need not be compared
            return None if place in self._doubtful and self._only_template(place, number) else self.signature(number)

        letters = self._letters_of(numbers)
        for number, evidence in matches(self._signatures[place], numbers, letters, self.shingles, other, self._settings.rule):
            return self._copy(number, cast("Likeness", evidence.relation), evidence)
        return Decision(crowded=crowded)

    def _are_kept(self, numbers: NDArray[np.int64]) -> NDArray[np.bool_]:
        return np.asarray((numbers < self._first) | self._is_kept[np.maximum(numbers - self._first, 0)])

    def _copy(self, number: int, likeness: Likeness, evidence: DuplicateEvidence | None = None) -> Decision:
        kept = self._store.row(number) if number < self._first else self._rows[number - self._first]
        return Decision(kept.id, likeness, evidence, url=kept.url, number=number if evidence is not None else None)

    def _on_template_only(self, asked: Batch, decided: Sequence[Decision]) -> list[int]:
        """Return the copies that share only a template with the document that is kept for them."""
        compared = {place: decision.number for place, decision in enumerate(decided) if decision.number is not None}
        earlier = self._counts(asked)
        everywhere = _by_text(asked, earlier + counts([self._every], asked) >= MANY)
        self._doubtful = {
            place: everywhere[place] for place in compared if 3 * np.count_nonzero(everywhere[place]) > len(everywhere[place])
        }
        if not self._doubtful:
            return []
        self._kept = self._every[self._is_kept[(self._every & np.uint64(0xFFFFFFFF)).astype(np.intp)]]
        flags = _by_text(asked, earlier + counts([self._kept], asked) >= MANY)
        self._commonplace = dict(enumerate(flags, self._first))
        again = [place for place in self._doubtful if self._only_template(place, compared[place])]
        stays = np.zeros(len(asked.feature), dtype=np.bool_)
        for place in again:
            start = asked.texts[place, 0]
            stays[start : start + len(flags[place])] = ~flags[place]
        pairs = list(self._search(asked.sharing(stays), either_longer=False))
        text, number = (np.concatenate([getattr(part, name) for part in pairs]) for name in ("text", "row"))
        for place in again:
            if np.count_nonzero(~flags[place]) >= FEWEST_OWN:
                near = number[text == place]
                is_known = self._are_kept(near) & (near <= compared[place])  # and not the same
                self._sharing[place] = near[~is_known]
        return again

    def _only_template(self, place: int, number: int) -> bool:
        """Return whether the text that a doubtful document shares with another is a template."""
        text, other = self._signatures[place], self.signature(number)
        if other is None:
            return False
        if number not in self._commonplace:
            alone = batch([other], self._settings.rule)
            self._commonplace[number] = self._counts(alone) + counts([self._kept], alone) >= MANY
        return only_template(text, other, self._doubtful[place], self._commonplace[self._first + place], self._commonplace[number])

    def _counts(self, texts: Batch) -> NDArray[np.int64]:
        """Return how many rows of the store have each feature of some texts, int64 ``(f,)``."""
        return sum((counts(postings.every, texts) for postings in self._store.searched()), np.zeros(len(texts.feature), dtype=np.int64))


def _by_text(texts: Batch, flags: Flags) -> list[Flags]:
    """Flags of the features of several texts, those of each text."""
    return [flags[start:end] for start, end in pairwise([*texts.texts[:, 0].tolist(), len(flags)])]


def only_template(a: Signature, b: Signature, everywhere: Flags, of_a: Flags, of_b: Flags) -> bool:
    """Return whether the text that two documents share (the shorter first) is mostly commonplace, and their own texts differ.

    Either a passage of the shorter one is not in the longer (edits leave short gaps all over a text; two pages of a template differ in a
    whole passage), or its own features are found there much less often than its commonplace ones. Flags say which features are commonplace:
    ``everywhere`` those of ``a`` among all documents, copies too; ``of_a`` and ``of_b`` among those that are kept.
    """
    found = among(a.shingles, b.shingles)
    features = found[a.is_feature]
    common = np.count_nonzero(features)
    if 2 * np.count_nonzero(features & everywhere) > common:
        gaps = np.diff(np.concatenate([[-1], np.flatnonzero(found), [len(found)]])) - 1
        if int(gaps[gaps >= PASSAGE].sum()) >= max(PASSAGE, PASSAGE_SHARE * len(a)):
            return True
    shared = np.count_nonzero(features & of_a)
    if 2 * shared <= common:
        return False
    own, others = np.count_nonzero(~of_a), np.count_nonzero(~of_b)
    if own < FEWEST_OWN:
        return bool(others >= FEWEST_OWN + own)
    return bool(np.count_nonzero(features & ~of_a) < OWN_FOUND * own * shared / np.count_nonzero(of_a))
