"""A batch of documents against those that are kept: who is a copy of whom.

The batch comes in the order of keeping. What each document can be the same as, in the store and in the batch, is looked up for all at once;
then it is decided on one after the other.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence, Set
from dataclasses import dataclass, field, replace

import numpy as np
from numpy.typing import NDArray

from tamis.duplicates.candidates import Batch, Pairs, Postings, all_postings, batch, rarest_postings, search_batch
from tamis.duplicates.clusters import Deduplication, Likeness
from tamis.duplicates.commonplace import AROUND, Flags, common_passage, commonplace, differs_in_passage, few_share, only_template
from tamis.duplicates.matching import matches
from tamis.duplicates.postings import Packed
from tamis.duplicates.rule import Evidence, differs_in_details
from tamis.duplicates.shingling import Hashes
from tamis.duplicates.signature import Signature
from tamis.duplicates.store import Row, Store


@dataclass(frozen=True, slots=True)
class Decision:
    """What became of a document."""

    copy_of: str | None = None
    """Id of the document that is kept for it; None: it is kept."""
    likeness: Likeness | None = None
    evidence: Evidence | None = None
    left_alone: bool = False
    """It says too little to be compared."""
    crowded: bool = False
    """It can be the same as more documents than it may be compared with, and is the same as none of the likeliest."""
    url: str | None = None
    """Address of the document that is kept for it."""
    kept_row: int | None = None
    """Row of the document that is kept for it, where texts were compared."""
    kept_in_batch: int | None = None
    """Its number in the batch, where texts were compared."""


def decide(
    waiting: Sequence[tuple[Row, Signature]], store: Store, settings: Deduplication, hidden: Set[int] = frozenset()
) -> list[Decision]:
    """What becomes of each document of a batch. The store is not changed, and its hidden rows are not seen."""
    return _Batch(waiting, store, settings, hidden).decisions()


@dataclass(slots=True)
class _Leaders:
    """Documents of the batch that are kept, by number."""

    numbers: set[int] = field(default_factory=set)
    digests: dict[bytes, int] = field(default_factory=dict)
    addresses: dict[str, int] = field(default_factory=dict)


@dataclass(frozen=True, slots=True, eq=False)
class _Candidates:
    """Rows that the texts of a batch can be the same as."""

    start: NDArray[np.intp]
    """Where those of each text begin, and where all end, intp ``(texts + 1,)``."""
    row: NDArray[np.int64]
    """Rising for each text, int64 ``(c,)``."""
    strength: NDArray[np.int64]
    """int64 ``(c,)``."""
    cut: Set[int]
    """Texts that had more than they may have."""

    def of(self, number: int) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """Rows and strengths of a text."""
        part = slice(self.start[number], self.start[number + 1])
        return self.row[part], self.strength[part]


@dataclass(frozen=True, slots=True)
class _Batched:
    """The texts of a batch, by number."""

    texts: Sequence[Signature]

    def shingles(self, row: int) -> Hashes:
        """The shingles of a text."""
        return self.texts[row].shingles

    def signature(self, row: int) -> Signature:
        """The signature of a text."""
        return self.texts[row]


class _Batch:
    def __init__(self, waiting: Sequence[tuple[Row, Signature]], store: Store, settings: Deduplication, hidden: Set[int]) -> None:
        self._rows = [row for row, _ in waiting]
        self._signatures = [signature for _, signature in waiting]
        self._letters = np.array([signature.letters for signature in self._signatures], dtype=np.int64)
        self._store = store
        self._postings = store.postings()
        self._settings = settings
        self._hidden = hidden
        self._leaders = _Leaders()
        self._every: Packed = np.zeros(0, dtype=np.uint64)
        """Postings of the batch."""
        self._doubtful: dict[int, Flags] = {}
        """Copies a good part of whose features is commonplace, and which are."""
        self._kept: list[Packed] = []
        """Postings of what was kept before doubtful copies are decided on again."""
        self._flags_in_batch: dict[int, Flags] = {}

    def decisions(self) -> list[Decision]:
        """What becomes of each."""
        rule = self._settings.rule
        asked = batch(self._signatures, rule)
        enough = asked.enough.tolist()
        known = [self._known(number, enough[number]) for number in range(len(self._rows))]
        asked = asked.only(np.array([decision is None for decision in known], dtype=np.bool_))
        numbers = np.arange(len(asked))
        self._every = all_postings(asked, numbers)
        rows = self._gathered(search_batch(asked, self._postings), frozenset(self._hidden))
        before = self._gathered(self._in_batch(asked, numbers), frozenset())
        decided = [self._decide(number, decision, rows, before) for number, decision in enumerate(known)]
        if not rule.verify:
            return decided
        if self._settings.templates:
            for number in self._on_template_only(asked, decided):
                decided[number] = self._decide(number, None, rows, before)
        return self._join_excerpts(asked, decided) if self._settings.excerpts and rule.parts else decided

    def _known(self, number: int, enough: bool) -> Decision | None:
        """What is known of a document without comparing it with others."""
        if not self._signatures[number].letters:
            return Decision(left_alone=True)
        row = self._store.with_digest(self._signatures[number].digest)
        if row is not None and row not in self._hidden:
            return self._copy(self._store.row(row), "identical")
        if not enough:
            return Decision(left_alone=True)
        address = self._rows[number].address
        row = self._store.with_address(address) if address is not None else None
        return self._copy(self._store.row(row), "same address") if row is not None and row not in self._hidden else None

    def _in_batch(self, asked: Batch, numbers: NDArray[np.intp]) -> Iterable[Pairs]:
        """Documents of the batch and those before them that they can be the same as."""
        every = [self._every]
        rarest = None if self._store.rows_are_longer else [rarest_postings(asked, numbers, every)]
        for pairs in search_batch(asked, Postings(every, rarest, [asked.size], [asked.demand])):
            is_before = pairs.row < pairs.text
            yield Pairs(pairs.text[is_before], pairs.row[is_before], pairs.strength[is_before])

    def _gathered(self, found: Iterable[Pairs], hidden: Set[int]) -> _Candidates:
        """Candidates by text, of each the strongest."""
        cut: set[int] = set()
        parts = [Pairs(*(np.zeros(0, dtype=np.int64),) * 3)]
        for pairs in found:
            seen = ~np.isin(pairs.row, list(hidden))
            parts.append(self._strongest(Pairs(pairs.text[seen], pairs.row[seen], pairs.strength[seen]), cut))
        text, row, strength = (np.concatenate([getattr(part, name) for part in parts]) for name in ("text", "row", "strength"))
        order = np.lexsort((row, text))
        start = np.searchsorted(text[order], np.arange(len(self._rows) + 1))
        return _Candidates(start, row[order], strength[order], cut)

    def _strongest(self, pairs: Pairs, cut: set[int]) -> Pairs:
        """Of each text as many pairs as it may be compared with."""
        most = self._settings.most_compared
        count = np.bincount(pairs.text, minlength=len(self._rows))
        if most is None or count.max(initial=0) <= most:
            return pairs
        order = np.lexsort((pairs.row, -pairs.strength, pairs.text))
        rank = np.arange(len(order)) - (np.cumsum(count) - count)[pairs.text[order]]
        cut.update(np.flatnonzero(count > most).tolist())
        chosen = np.sort(order[rank < most])
        return Pairs(pairs.text[chosen], pairs.row[chosen], pairs.strength[chosen])

    def _decide(self, number: int, decision: Decision | None, rows: _Candidates, before: _Candidates) -> Decision:
        row, signature, leaders = self._rows[number], self._signatures[number], self._leaders
        if decision is not None and (decision.likeness == "identical" or not signature.letters):
            return decision
        same_text, same_address = leaders.digests.get(signature.digest), leaders.addresses.get(row.address or "")
        if same_text is not None:
            return self._copy(self._rows[same_text], "identical")
        if decision is not None:
            if decision.left_alone:
                leaders.digests[signature.digest] = number
            return decision
        if same_address is not None:
            return self._copy(self._rows[same_address], "same address")
        alike, crowded = self._alike(number, rows, before)
        if alike is not None:
            return alike
        leaders.numbers.add(number)
        leaders.digests[signature.digest] = number
        if row.address is not None:
            leaders.addresses[row.address] = number
        return Decision(crowded=crowded)

    def _alike(self, number: int, rows: _Candidates, before: _Candidates) -> tuple[Decision | None, bool]:
        """The first that a document is the same as; and whether there were more to compare with than may be."""
        text, rule, most = self._signatures[number], self._settings.rule, self._settings.most_compared
        (row, strength), (other, its_strength) = rows.of(number), before.of(number)
        if not len(row) + len(other):
            return None, False
        is_kept = np.array([place in self._leaders.numbers for place in other.tolist()], dtype=np.bool_)
        other = other[is_kept]
        crowded = number in rows.cut
        if most is not None and len(row) + len(other) > most:
            crowded = True
            strongest = np.lexsort((np.arange(len(row) + len(other)), -np.concatenate([strength, its_strength[is_kept]])))[:most]
            row, other = row[np.sort(strongest[strongest < len(row)])], other[np.sort(strongest[strongest >= len(row)]) - len(row)]
        if len(row):
            for place, evidence in matches(text, row, self._postings.sizes(row), self._store, rule):
                if number in self._doubtful and self._only_template(number, self._store.signature(place)):
                    continue
                return replace(self._copy(self._store.row(place), _likeness(evidence), evidence), kept_row=place), crowded
        if len(other):
            for place, evidence in matches(text, other, self._letters[other], _Batched(self._signatures), rule):
                if number in self._doubtful and self._only_template(number, self._signatures[place], place):
                    continue
                return replace(self._copy(self._rows[place], _likeness(evidence), evidence), kept_in_batch=place), crowded
        return None, crowded

    def _kept_postings(self) -> list[Packed]:
        """Postings of the rows, and of the documents of the batch that are kept."""
        kept = np.zeros(len(self._rows), dtype=np.bool_)
        kept[list(self._leaders.numbers)] = True
        return [*self._postings.every, self._every[kept[(self._every & np.uint64(0xFFFFFFFF)).astype(np.intp)]]]

    def _on_template_only(self, asked: Batch, decided: Sequence[Decision]) -> list[int]:
        """The copies that share only a template with the document that is kept for them."""
        chosen = np.array([decision.evidence is not None for decision in decided], dtype=np.bool_)
        if not chosen.any():
            return []
        everywhere = self._flags(asked.only(chosen), [*self._postings.every, self._every])
        self._doubtful = {number: flags for number, flags in everywhere.items() if 3 * flags.sum() > len(flags)}
        if not self._doubtful:
            return []
        self._kept = self._kept_postings()
        self._flags_in_batch = self._flags(asked, self._kept)
        return [number for number in self._doubtful if self._only_template(number, *self._partner(decided[number]))]

    def _partner(self, decision: Decision) -> tuple[Signature | None, int | None]:
        """The document that is kept for a copy, and its number in the batch, if it is there."""
        number = decision.kept_in_batch
        if number is not None:
            return self._signatures[number], number
        return self._store.signature(decision.kept_row) if decision.kept_row is not None else None, None

    @staticmethod
    def _flags(texts: Batch, segments: Sequence[Packed]) -> dict[int, Flags]:
        """Which features of each text are commonplace; texts without features are left out."""
        flags, first = commonplace(texts, segments), texts.texts[:, 0].tolist()
        ends = [*first[1:], len(flags)]
        return {number: flags[start:end] for number, (start, end) in enumerate(zip(first, ends, strict=True)) if end > start}

    def _only_template(self, number: int, other: Signature | None, place: int | None = None) -> bool:
        """Whether what a doubtful document shares with another is a template."""
        if other is None:
            return False
        of_other = self._flags_in_batch.get(place) if place is not None else None
        if of_other is None:
            of_other = self._flags(batch([other], self._settings.rule), self._kept).get(0, np.zeros(0, dtype=np.bool_))
        text = self._signatures[number]
        if differs_in_passage(text, other, self._doubtful[number]):
            return True
        return only_template(text, other, self._flags_in_batch[number], of_other)

    def _join_excerpts(self, asked: Batch, decided: list[Decision]) -> list[Decision]:
        """Documents without copies that share a long passage with one that is kept before them become its copies, where few share it."""
        is_kept = np.zeros(len(self._rows), dtype=np.bool_)
        is_kept[list(self._leaders.numbers)] = True
        later, earlier = few_share(self._every, is_kept)
        if not len(later):
            return decided
        texts = np.unique(later)
        wanted = np.zeros(len(self._rows), dtype=np.bool_)
        wanted[texts] = True
        flags = self._flags(asked.only(wanted), self._kept_postings())
        has_copies = {decision.copy_of for decision in decided}
        for number in texts.tolist():
            if self._rows[number].id in has_copies:
                continue
            for other in earlier[later == number].tolist():
                if other in self._leaders.numbers and self._share_passage(number, other, flags[number]):
                    decided[number] = self._copy(self._rows[other], "excerpt")
                    self._leaders.numbers.discard(number)
                    break
        return decided

    def _share_passage(self, number: int, other: int, flags: Flags) -> bool:
        a, b = self._signatures[number], self._signatures[other]
        around = common_passage(a, b, flags)
        return around is not None and (around < AROUND or not differs_in_details(a, b, self._settings.rule))

    @staticmethod
    def _copy(kept: Row, likeness: Likeness, evidence: Evidence | None = None) -> Decision:
        return Decision(kept.id, likeness, evidence, url=kept.url)


def _likeness(evidence: Evidence) -> Likeness:
    if evidence.relation in ("near", "part of", "contains", "identical"):
        return evidence.relation
    raise ValueError(f"{evidence.relation} is no likeness")
