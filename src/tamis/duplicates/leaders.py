"""A batch of documents against those that are kept: who is a copy of whom.

The batch comes in the order of keeping. First all of it is compared with the rows of the store, then what is left with itself, in order, so
that the result is that of taking one document after the other.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence, Set
from dataclasses import dataclass, field

import numpy as np

from tamis.duplicates.candidates import Postings, all_postings, batch, rarest_postings, search
from tamis.duplicates.clusters import Deduplication, Likeness
from tamis.duplicates.rule import Evidence, can_be_same, compare_signatures
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
    """It was compared with as many as it may be."""
    url: str | None = None
    """Address of the document that is kept for it."""


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


class _Batch:
    def __init__(self, waiting: Sequence[tuple[Row, Signature]], store: Store, settings: Deduplication, hidden: Set[int]) -> None:
        self._rows = [row for row, _ in waiting]
        self._signatures = [signature for _, signature in waiting]
        self._store = store
        self._settings = settings
        self._hidden = hidden
        self._compared = [0] * len(waiting)
        self._enough = [settings.rule.has_enough(signature) for signature in self._signatures]
        self._leaders = _Leaders()

    def decisions(self) -> list[Decision]:
        """What becomes of each."""
        known = [self._known(number) for number in range(len(self._rows))]
        near = self._near_rows([number for number, decision in enumerate(known) if decision is None])
        left = [number for number, decision in enumerate(known) if decision is None and number not in near]
        among = self._near_each_other(left)
        return [self._decide(number, known[number] or near.get(number), among[number]) for number in range(len(self._rows))]

    def _known(self, number: int) -> Decision | None:
        """What is known of a document without looking at texts of others that are like it."""
        if not self._enough[number]:
            return Decision(left_alone=True)
        row = self._store.with_digest(self._signatures[number].digest)
        if row is not None and row not in self._hidden:
            return self._copy(self._store.row(row), "identical")
        address = self._rows[number].address
        row = self._store.with_address(address) if address is not None else None
        return self._copy(self._store.row(row), "same address") if row is not None and row not in self._hidden else None

    def _near_rows(self, numbers: list[int]) -> dict[int, Decision]:
        """The first row of the store that each of some documents is the same as, where there is one."""
        found: dict[int, Decision] = {}
        texts = [self._signatures[number] for number in numbers]
        settled = np.zeros(len(texts), dtype=np.bool_)
        for pairs in search(texts, self._store.postings(), self._settings.rule, self._store.rows, settled):
            for text, row in zip(pairs.text.tolist(), pairs.row.tolist(), strict=True):
                other = None if settled[text] or row in self._hidden else self._store.signature(row)
                if other is None:
                    continue
                number = numbers[text]
                evidence = self._compare(number, other)
                if evidence is not None:
                    found[number] = self._copy(self._store.row(row), _likeness(evidence), evidence)
                settled[text] = evidence is not None or self._has_enough_of_it(number)
        return found

    def _near_each_other(self, numbers: list[int]) -> dict[int, list[int]]:
        """For some documents of the batch, those before that they can be the same as."""
        found: dict[int, list[int]] = defaultdict(list)
        texts = [self._signatures[number] for number in numbers]
        asked = batch(texts, self._settings.rule)
        rows = np.arange(len(texts))
        rarest = None if self._store.rows_are_longer else [rarest_postings(asked, rows, [])]
        for pairs in search(
            texts, Postings([all_postings(asked, rows)], rarest, [asked.size.astype(np.uint32)]), self._settings.rule, len(texts)
        ):
            before = pairs.row < pairs.text
            for text, row in zip(pairs.text[before].tolist(), pairs.row[before].tolist(), strict=True):
                found[numbers[text]].append(numbers[row])
        return found

    def _decide(self, number: int, decision: Decision | None, others: list[int]) -> Decision:
        row, signature, leaders = self._rows[number], self._signatures[number], self._leaders
        if decision is not None and (decision.left_alone or decision.likeness == "identical"):
            return decision
        same_text, same_address = leaders.digests.get(signature.digest), leaders.addresses.get(row.address or "")
        if same_text is not None:
            return self._copy(self._rows[same_text], "identical")
        if decision is not None and decision.likeness == "same address":
            return decision
        if same_address is not None:
            return self._copy(self._rows[same_address], "same address")
        if decision is not None:
            return decision
        for other in others:
            if self._has_enough_of_it(number):
                break
            if other in leaders.numbers:
                evidence = self._compare(number, self._signatures[other])
                if evidence is not None:
                    return self._copy(self._rows[other], _likeness(evidence), evidence)
        leaders.numbers.add(number)
        leaders.digests[signature.digest] = number
        if row.address is not None:
            leaders.addresses[row.address] = number
        return Decision(crowded=self._has_enough_of_it(number))

    def _compare(self, number: int, other: Signature) -> Evidence | None:
        """What makes a document the same as another; None where it is not."""
        self._compared[number] += 1
        if not can_be_same(self._signatures[number], other, self._settings.rule):
            return None
        evidence = compare_signatures(self._signatures[number], other, self._settings.rule)
        return evidence if evidence.same else None

    def _has_enough_of_it(self, number: int) -> bool:
        most = self._settings.most_compared
        return most is not None and self._compared[number] >= most

    @staticmethod
    def _copy(kept: Row, likeness: Likeness, evidence: Evidence | None = None) -> Decision:
        return Decision(kept.id, likeness, evidence, url=kept.url)


def _likeness(evidence: Evidence) -> Likeness:
    if evidence.relation in ("near", "part of", "contains", "identical"):
        return evidence.relation
    raise ValueError(f"{evidence.relation} is no likeness")
