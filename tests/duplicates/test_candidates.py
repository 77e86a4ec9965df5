"""Candidates from postings: complete, exact where the text is the shorter one, and the same compiled and plain."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from tamis.duplicates.candidates import Postings, all_postings, batch, rarest_postings, search
from tamis.duplicates.rule import DuplicateRule, promising
from tamis.duplicates.signature import Signature, SignatureSettings
from tamis.native import candidates as native
from tests.duplicates import plain_candidates

RULES = [
    DuplicateRule(SignatureSettings(one_in=1), least=1),
    DuplicateRule(SignatureSettings(one_in=1, passage=8, fewest_passages=1), least=4, coverage=0.6),
    DuplicateRule(SignatureSettings(one_in=2, passage=5, fewest_passages=2), least=2, coverage=1.0),
]
EMPTY = np.zeros(0, dtype=np.uint32)
drawn = st.lists(st.lists(st.one_of(st.integers(0, 12), st.integers(0, 80)), max_size=60, unique=True), max_size=10)
"""Texts of few shingles, of which some are in most texts."""


def signatures(texts, rule):
    """Signatures of made-up shingles, spread over all hashes; letters are the number of shingles, so that some are of equal length."""
    spread = [np.array(text, dtype=np.uint32) * np.uint32(50_331_653) for text in texts]
    return [Signature(text, EMPTY, EMPTY, len(text) // 3, number.to_bytes(16, "big"), rule.signature) for number, text in enumerate(spread)]


def can_be_same(a, b, rule):
    """Whether the first step of the rule, the code, lets two texts pass."""
    small, large = sorted((a, b), key=lambda text: text.letters)
    return a.letters == b.letters or promising(small, [large.shingles], replace(rule, verify=False)) != [None]


def posted(texts, rule, size):
    """Postings of texts that came in so many at a time, each a segment."""
    every, rarest, sizes, demands = [], [], [], []
    for first in range(0, len(texts), size):
        part = batch(texts[first : first + size], rule)
        rows = np.arange(first, first + len(part))
        every.append(all_postings(part, rows))
        rarest.append(rarest_postings(part, rows, every))
        sizes.append(part.size)
        demands.append(part.demand)
    return Postings(every, rarest, sizes, demands)


def found(pairs):
    return [triple for part in pairs for triple in zip(part.text.tolist(), part.row.tolist(), part.strength.tolist(), strict=True)]


@settings(max_examples=150, deadline=None)
@given(drawn, drawn, st.sampled_from(RULES), st.integers(1, 4))
def test_no_pair_that_the_code_lets_pass_is_missed(stored, questions, rule, size):
    rows, texts = signatures(stored, rule), signatures(questions, rule)
    pairs = {(text, row) for text, row, _ in found(search(batch(texts, rule), posted(rows, rule, size)))}
    both = [(t, r) for t, text in enumerate(texts) for r, row in enumerate(rows) if rule.has_enough(text) and rule.has_enough(row)]
    alike = {(t, r) for t, r in both if can_be_same(texts[t], rows[r], rule)}
    shorter = {(t, r) for t, r in both if texts[t].letters < rows[r].letters}
    equal = {(t, r) for t, r in both if texts[t].letters == rows[r].letters}
    assert alike - equal <= pairs
    assert pairs & shorter == alike & shorter


@settings(max_examples=150, deadline=None)
@given(drawn, drawn, st.sampled_from(RULES), st.integers(1, 4), st.sampled_from([1, 3, 1 << 20]))
def test_both_forms_find_the_same(stored, questions, rule, size, most):
    postings, asked = posted(signatures(stored, rule), rule, size), batch(signatures(questions, rule), rule)
    for rarest in (None, list(postings.rarest)):
        start = 0
        while start < len(asked):
            values = (postings.every, rarest, postings.size, postings.demand, asked.feature, asked.order, asked.texts, start, most)
            done, compiled = native.candidates(*values)
            also_done, *plain = plain_candidates.candidates(*values)
            assert done == also_done > start
            assert np.frombuffer(compiled, np.uint32).reshape(-1, 3).T.tolist() == [column.tolist() for column in plain]
            start = done
    counted = np.frombuffer(native.counts(postings.every, asked.feature, asked.order), np.int64)
    assert counted.tolist() == plain_candidates.counts(postings.every, asked.feature, asked.order).tolist()


def test_what_all_rows_share_makes_candidates_of_texts_that_have_little_else():
    """However many they are."""
    rule = RULES[0]
    shared = list(range(20))
    rows = signatures([shared + list(range(100 + 30 * n, 130 + 30 * n)) for n in range(3000)], rule)
    texts = signatures([*(shared + list(range(100 + 30 * n, 129 + 30 * n)) for n in (7, 2000)), shared], rule)
    pairs = [(text, row) for text, row, _ in found(search(batch(texts, rule), posted(rows, rule, 1024)))]
    assert pairs == [(0, 7), (1, 2000), *((2, row) for row in range(3000))]


def test_a_text_that_says_too_little_has_no_candidates():
    rule = DuplicateRule(SignatureSettings(one_in=1), least=10)
    texts = signatures([list(range(30)), list(range(9)), list(range(30))], rule)
    postings = posted(texts[:1], rule, 1)
    assert {text for text, *_ in found(search(batch(texts, rule), postings))} == {0, 2}
    assert found(search(batch(texts, rule), posted([], rule, 1))) == []


def test_some_texts_of_a_batch_are_as_if_they_were_alone():
    rule = RULES[0]
    texts = signatures([list(range(n, n + 20)) for n in range(5)], rule)
    chosen = np.array([True, False, True, False, True])
    part, alone = batch(texts, rule).only(chosen), batch([texts[0], texts[2], texts[4]], rule)
    assert part.feature.tolist() == alone.feature.tolist()
    assert part.order.tolist() == alone.order.tolist()
    assert part.texts[chosen].tolist() == alone.texts.tolist()
    assert part.enough.tolist() == chosen.tolist()
