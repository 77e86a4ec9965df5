from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from benchmarks.metric import NOTHING, Score, compare, content_lost, mean, mean_score, noise_removed, unit_of

WORDS = st.lists(st.sampled_from("ant bee cat dog".split()), max_size=8).map(" ".join)


def test_tokens_are_lower_cased_words_as_multisets():
    score = compare("The end, the END.", "the end the", unit="word")
    assert score == Score(pytest.approx(6 / 7), 0.75, 1.0)


def test_chinese_is_compared_by_characters_without_punctuation():
    assert compare("正文很好", "正文。", unit="character") == Score(pytest.approx(2 / 3), 0.5, 1.0)
    assert compare("正文很好", "正文", unit="word") == NOTHING


def test_an_empty_gold_or_output_scores_zero():
    assert compare("text", "") == compare("", "text") == compare("", "") == NOTHING


def test_ignored_tokens_are_taken_off_the_surplus_only():
    assert compare("title one two", "one two", ignored="title").precision == 1.0
    assert compare("one two", "one two", ignored="one two") == Score(1.0, 1.0, 1.0)
    assert compare("title title one two", "one two", ignored="title").precision == pytest.approx(2 / 3)


def test_ignored_text_that_is_not_output_costs_nothing():
    assert compare("one two", "one two", ignored="title byline") == Score(1.0, 1.0, 1.0)


@given(WORDS, WORDS, WORDS)
def test_scores_are_shares_and_ignoring_never_lowers_them(output: str, gold: str, ignored: str):
    plain, lenient = compare(output, gold), compare(output, gold, ignored=ignored)
    assert 0 <= plain.f1 <= 1
    assert lenient.recall == plain.recall
    assert lenient.precision >= plain.precision


@given(WORDS, WORDS)
def test_keeping_all_loses_nothing_and_keeping_nothing_removes_all_noise(main: str, noise: str):
    assert content_lost(f"{main} {noise}", main) in (None, 0.0)
    assert noise_removed("", main, noise) in (None, 1.0)
    assert noise_removed(f"{main} {noise}", main, noise) in (None, 0.0)


def test_shares_weigh_tokens_by_their_characters():
    assert content_lost("a", "a bbb") == 0.75
    assert noise_removed("main bbb", "main", "a bbb") == 0.25


def test_kept_text_is_charged_to_main_and_ignored_text_before_noise():
    assert noise_removed("home", "home", "home") == 1.0
    assert noise_removed("home", "", "home", ignored="home") == 1.0
    assert noise_removed("home home", "home", "home") == 0.0


@pytest.mark.parametrize(
    ("language", "text", "unit"),
    [
        ("zh-TW", "abc", "character"),
        ("ja", "かな", "character"),
        ("ko", "한국어 글", "word"),
        ("en", "正文", "word"),
        ("en+zh", "阿帕奇 Flink 发布", "character"),
        ("en+zh", "Apache Flink released", "word"),
        (None, "", "word"),
    ],
)
def test_the_unit_follows_the_language_or_else_the_script(language: str | None, text: str, unit: str):
    assert unit_of(language, text) == unit


def test_means_leave_out_what_is_not_there():
    assert mean([None, 1.0, 0.0]) == 0.5
    assert mean([None]) is None
    assert mean_score([]) == NOTHING
