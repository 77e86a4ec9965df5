"""Shingles: the compiled and the plain form agree, on any text."""

from __future__ import annotations

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from tamis.duplicates.signature import COUNT, SignatureSettings, among, overlaps, signature
from tests.duplicates import plain, plain_shingling
from tests.duplicates.texts import chinese, text

anything = st.text(st.characters(exclude_categories=()), max_size=60)
mixed = st.lists(
    st.sampled_from(["the ", "Fähre ", "é", "漢", "汉字", "ภาษา", "3.5 ", "2024", "\u200b", "\n", "，", "ﬁ", "😀", "\ud800", "가"]),
    max_size=40,
)


@settings(deadline=None)
@given(st.one_of(anything, mixed.map("".join)), st.booleans(), st.sampled_from([1, 2, 3]))
def test_both_forms_make_the_same_shingles(value, simplified, words):
    made_as = SignatureSettings(words=words, simplified=simplified)
    one, two = signature(value, made_as), plain_shingling.signature(value, made_as)
    for column in ("shingles", "numbers", "words"):
        assert getattr(one, column).tolist() == getattr(two, column).tolist()
    assert (one.letters, one.digest) == (two.letters, two.digest)


hashes = st.lists(st.integers(0, 30), max_size=40, unique=True).map(lambda values: np.array(values, dtype=np.uint32))


@settings(deadline=None)
@given(hashes, hashes, st.integers(1, 31), st.integers(4, 8), st.integers(1, 2), st.integers(1, 9), st.sampled_from([0.0, 0.2, 0.5, 1.0]))
def test_overlap_is_what_it_says(shingles, others, bound, passage, demanded, window, share):
    passages = max(int((shingles < bound).sum()) // passage, 1)
    values = (bound, passage, passages, demanded, window, share)
    expected = plain.overlap(shingles.tolist(), others.tolist(), *values)
    assert overlaps(shingles, [others, others], *values) == [expected, expected]
    assert plain_shingling.overlap(shingles, others, *values) == expected
    assert among(shingles, others).tolist() == [value in set(others.tolist()) for value in shingles.tolist()]


def test_case_width_marks_and_soft_hyphens_do_not_matter():
    assert signature("Die Fäh\u00adre fährt, ＡＢＣ!").digest == signature("die fa\u0308hre FÄHRT abc").digest


def test_traditional_and_simplified_are_the_same_unless_asked_otherwise():
    for simplified in (True, False):
        made_as = SignatureSettings(words=1, simplified=simplified)
        one, other = signature("臺灣繁體字", made_as), signature("台湾繁体字", made_as)
        assert (one.shingles.tolist() == other.shingles.tolist()) is simplified


def test_a_shingle_is_three_words_or_six_characters():
    assert len(signature("one two three four")) == 2
    assert len(signature("一二三四五六七")) == 2


def test_shingles_are_distinct_and_in_order():
    once = signature(text(1))
    again = signature(text(1) + "\n" + text(1))
    assert len(set(again.shingles.tolist())) == len(again)
    assert again.shingles[: len(once)].tolist() == once.shingles.tolist()


def test_one_shingle_in_four_is_a_feature():
    made = signature(chinese(1, 8000))
    assert 0.2 < len(made.features) / len(made) < 0.3


def test_numbers_are_tokens_of_digits():
    assert len(signature("In 2024 and 2025, 2024 again, B2 not").numbers) == 2


def test_crowds_of_combining_marks_are_bounded():
    assert signature("a" + "\u0301\u0327" * 200_000).letters < 40


def test_words_say_how_often_they_are_there():
    made = signature("one two two three three three " + "four " * 40)
    assert [int(word) & COUNT for word in made.words] == [1, 2, 3, 15]
