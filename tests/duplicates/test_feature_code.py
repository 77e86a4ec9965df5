"""The paper's feature code and its comparison."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tamis.duplicates.feature_code import CodeSettings, compare, feature_code
from tamis.errors import UsageError
from tests.duplicates.texts import text


def test_primary_code_is_the_first_character_of_each_paragraph():
    assert feature_code("网页去重。\n\n特征码由主码和辅码构成。").primary == ("网", "特")


def test_primary_code_is_words_where_a_script_sets_spaces():
    assert feature_code("Die Fähre fährt.\nТам лодка.").primary == ("die", "там")


def test_auxiliary_code_is_what_stands_before_the_first_marks():
    assert feature_code("网页去重，是检索，质量，的途径。").auxiliary == (("重", "索", "量"),)


def test_the_number_of_marks_is_a_setting():
    assert feature_code("一，二，三，四。", CodeSettings(marks=1)).auxiliary == (("一",),)
    assert feature_code("一，二。", CodeSettings(marks=0)).auxiliary == ((),)


def test_marks_within_words_and_marks_in_a_row_are_no_further_code():
    assert feature_code("It isn't 3.5, he said... really!?").auxiliary == (("5", "said", "really"),)


def test_a_mark_at_the_start_of_a_paragraph_has_nothing_before_it():
    assert feature_code("One.\n“Two”, she said.").auxiliary == (("one",), ("two", "said"))


def test_width_case_and_script_of_characters_do_not_matter():
    assert feature_code("ＡＢＣ，臺灣。").auxiliary == feature_code("abc，台湾。").auxiliary


def test_traditional_characters_stay_where_that_is_asked_for():
    assert feature_code("臺灣。", CodeSettings(simplified=False)).primary == ("臺",)


def test_thai_characters_are_tokens():
    assert feature_code("ภาษาไทย").primary == ("ภ",)


def test_codes_are_hashable():
    assert len({feature_code("One, two."), feature_code("One, two.")}) == 1


def test_identical_primary_codes_are_the_same_whatever_the_rest():
    assert compare(feature_code("One, two."), feature_code("One, three.")).relation == "identical"


def test_a_part_is_the_same_if_the_auxiliary_code_agrees():
    whole = feature_code("One, two.\nThree, four.\nFive.")
    assert compare(feature_code("Three, four.\nFive."), whole).relation == "part of"
    assert compare(whole, feature_code("Three, four.\nFive.")).relation == "contains"
    assert not compare(feature_code("Three, x.\nFive, y."), whole).same


def test_an_intersection_that_is_not_large_is_different():
    a, b = feature_code("A\nB\nC\nD\nE"), feature_code("A\nB\nX\nY\nZ")
    assert not compare(a, b).same
    assert compare(a, b, CodeSettings(between="compare")).same


def test_a_large_intersection_in_another_order_is_the_same():
    assert compare(feature_code("A\nB\nC"), feature_code("C\nA\nB")).relation == "overlap"


def test_a_text_without_code_is_the_same_as_none():
    assert not compare(feature_code(""), feature_code("")).same


def test_settings_that_make_no_sense_are_refused():
    with pytest.raises(UsageError):
        CodeSettings(small=0.9)
    with pytest.raises(UsageError):
        CodeSettings(marks=-1)


@settings(deadline=None)
@given(st.text(), st.text())
def test_any_text_has_a_code_and_comparing_is_symmetric(a, b):
    one, two = feature_code(a, CodeSettings(simplified=False)), feature_code(b, CodeSettings(simplified=False))
    assert len(one.primary) == len(one.auxiliary)
    assert compare(one, two).same == compare(two, one).same


def test_aggregation_factor_is_bytes_per_token_of_primary_code():
    assert feature_code("One.\nTwo.").aggregation_factor == 4.5
    assert feature_code("").aggregation_factor == 0


def test_the_code_of_a_page_is_short():
    long = text(1, 3000)
    assert len(feature_code(long)) == long.count("\n") + 1
