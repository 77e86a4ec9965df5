"""All rows of a store that a text is the same as."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from tamis.duplicates.candidates import search
from tamis.duplicates.rule import DuplicateRule, Evidence, can_be_same, compare_signatures
from tamis.duplicates.signature import Signature
from tamis.duplicates.store import Store


def matches_of_batch(texts: Sequence[Signature], store: Store, rule: DuplicateRule) -> Iterator[tuple[int, int, Evidence]]:
    """Every text and row that the rule accepts, and no other: number of the text, row, evidence. In rising order of rows for each text.

    Texts have to have enough for the rule.
    """
    for pairs in search(texts, store.postings(), rule, store.rows):
        for text, row in zip(pairs.text.tolist(), pairs.row.tolist(), strict=True):
            other = store.signature(row)
            if other is None or not can_be_same(texts[text], other, rule):
                continue
            evidence = compare_signatures(texts[text], other, rule)
            if evidence.same:
                yield text, row, evidence
