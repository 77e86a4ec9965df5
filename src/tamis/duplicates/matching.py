"""A text and a row of a store: the same or not. All rows that some texts are the same as."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from tamis.duplicates.candidates import search
from tamis.duplicates.rule import DuplicateRule, Evidence, can_be_same, compare_signatures, seems_same
from tamis.duplicates.signature import Signature
from tamis.duplicates.store import Store


def matches_of_batch(texts: Sequence[Signature], store: Store, rule: DuplicateRule) -> Iterator[tuple[int, int, Evidence]]:
    """Every text and row that the rule accepts, and no other: number of the text, row, evidence.

    Texts have to have enough for the rule.
    """
    postings = store.postings()
    for pairs in search(texts, postings, rule, store.rows):
        for text, row, letters in zip(pairs.text.tolist(), pairs.row.tolist(), postings.sizes(pairs.row).tolist(), strict=True):
            evidence = compare_with_row(texts[text], row, letters, store, rule)
            if evidence is not None:
                yield text, row, evidence


def compare_with_row(text: Signature, row: int, letters: int, store: Store, rule: DuplicateRule) -> Evidence | None:
    """What makes a text the same as a row with so many letters; None where it is not, or where the row was replaced.

    Most candidates are turned away by a look at their shingles.
    """
    if text.letters <= letters:
        shingles = store.shingles(row)
        if shingles is None or not seems_same(text, shingles, rule):
            return None
    other = store.signature(row)
    return None if other is None else compare(text, other, rule)


def compare(text: Signature, other: Signature, rule: DuplicateRule) -> Evidence | None:
    """What makes two texts the same; None where they are not."""
    if not can_be_same(text, other, rule):
        return None
    evidence = compare_signatures(text, other, rule)
    return evidence if evidence.same else None
