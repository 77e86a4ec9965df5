from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from benchmarks.exactness import holds_all, is_right
from benchmarks.metric import bag

GOLD = "A first sentence that is long enough to count. " * 4


@pytest.mark.parametrize(
    ("output", "right"),
    [
        (GOLD, True),
        (GOLD.upper().replace(". ", " –\n"), True),
        ("One line before\n" + GOLD, True),
        (GOLD + "\nAfter.", True),
        ("Before.\n" + GOLD + "\nAfter.", True),
        ("Two. Lines.\n" + GOLD, False),
        (GOLD + "\nOne\nTwo", False),
        (GOLD + "One sentence that has more than a tenth of the length of the text", False),
        (GOLD[:-20], False),
        (GOLD[:47] + "Between. " + GOLD[47:], False),
        ("", False),
    ],
)
def test_right_is_all_of_the_gold_and_at_most_a_sentence_around_it(output: str, right: bool):
    assert is_right(output, GOLD) is right


def test_chinese_sentences_end_without_a_space():
    gold = "这是正文的内容" * 10
    assert is_right("作者。" + gold, gold)
    assert not is_right("作者。日期。" + gold, gold)


def test_ignored_lines_are_taken_out_first_but_not_where_the_gold_has_them():
    assert is_right("The title\nBy A.\n" + GOLD, GOLD, ignored="The title\nby a")
    assert is_right("Intro\n" + GOLD, "Intro\n" + GOLD, ignored="Intro")


def test_nothing_is_right_for_an_empty_gold():
    assert not is_right("", "")
    assert not is_right("text", "")
    assert not holds_all("text", bag(""), "word")


@given(st.text(min_size=1))
def test_the_gold_itself_is_right_wherever_it_has_a_word_character(text: str):
    assert is_right(text, text) is any(bag(text, "character"))
