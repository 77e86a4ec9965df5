"""When texts are the same."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tamis import TextDocument, find_duplicates
from tamis.duplicates.rule import DuplicateRule, compare_signatures, explain
from tamis.duplicates.signature import SignatureSettings, signature
from tamis.errors import UsageError
from tests.duplicates.texts import EDITS, chinese, excerpt, framed, moved, text


@pytest.mark.parametrize("edit", EDITS)
@pytest.mark.parametrize("seed", range(5))
def test_an_edit_is_the_same(edit, seed):
    assert explain(EDITS[edit](text(seed, 300)), text(seed, 300)).same


@pytest.mark.parametrize("seed", range(5))
def test_another_text_of_the_same_words_is_not(seed):
    assert not explain(text(seed, 300), text(seed + 100, 300)).same


def test_chinese_texts_are_told_apart_and_found():
    assert explain(chinese(1), chinese(1)[:150]).relation == "contains"
    assert not explain(chinese(1), chinese(2)).same


def test_containment_is_told_from_equality():
    whole = text(1, 300)
    assert explain(excerpt(whole), whole).relation == "part of"
    assert explain(whole, excerpt(whole)).relation == "contains"
    assert explain(whole, framed(whole)).relation == "near"
    assert explain(whole, whole.upper()).relation == "identical"


def test_a_part_with_much_of_its_own_is_none():
    whole, own = text(1, 600), text(2, 60)
    assert not explain(f"{excerpt(whole, 0.4)}\n{own}", whole).same
    assert explain(f"{excerpt(whole, 0.4)}\n{own}", whole, DuplicateRule(part=0.8)).relation == "part of"


def test_parts_can_be_told_to_be_different():
    whole = text(1, 300)
    assert not explain(excerpt(whole), whole, DuplicateRule(parts=False)).same
    assert explain(moved(whole), whole, DuplicateRule(parts=False)).same


def test_a_long_quotation_does_not_make_texts_the_same():
    quotation = text(7, 150)
    evidence = explain(f"{text(1, 150)}\n{quotation}", f"{text(2, 150)}\n{quotation}")
    assert not evidence.same
    assert "passages" in evidence.reason


def test_other_numbers_make_another_text():
    form = "\n".join(f"{line} {{}} metres" for line in text(3, 300).split("\n"))
    count = form.count("{}")
    assert not explain(form.format(*range(100, 100 + count)), form.format(*range(500, 500 + count))).same
    assert explain(form.format(*range(100, 100 + count)), form.format(*range(500, 500 + count)), DuplicateRule(numbers=0)).same


def test_another_name_throughout_makes_another_text():
    form = "\n".join(f"{line} {{0}} is at home there" for line in text(3, 200).split("\n"))
    assert not explain(form.format("Esknarrow"), form.format("Belgarden")).same
    assert explain(form.format("Esknarrow"), form.format("Belgarden"), DuplicateRule(subjects=False)).same
    assert explain(form.format("Esknarrow"), text(3, 200)).same  # more of it is no other text


def test_too_little_text_is_the_same_as_nothing():
    assert explain("Page not found", "Page is found").relation == "too little text"
    assert explain("", "").relation == "too little text"


def test_a_word_over_and_over_is_too_little():
    assert explain("spam " * 5000, "spam " * 4000).relation == "too little text"


def test_swapping_changes_nothing_but_the_direction():
    texts = [edit(text(4, 200)) for edit in EDITS.values()] + [text(5, 200), ""]
    for a in texts:
        for b in texts:
            assert explain(a, b).swapped() == explain(b, a)


@settings(deadline=None)
@given(st.lists(st.sampled_from(["a", "b", "c", "d"]), max_size=30), st.lists(st.sampled_from(["a", "b", "c", "d"]), max_size=30))
def test_swapping_texts_of_like_length_changes_nothing_either(a, b):
    rule = DuplicateRule(SignatureSettings(words=1, one_in=1), least=1, window=3, coverage=0.5)
    assert explain(" ".join(a), " ".join(b), rule).swapped() == explain(" ".join(b), " ".join(a), rule)


def test_each_step_can_be_left_out():
    half = f"{text(1, 200)}\n{text(8, 120)}", f"{text(1, 200)}\n{text(9, 120)}"
    assert explain(*half, DuplicateRule(coverage=0.5)).passages >= 0.5
    assert not explain(*half).same
    assert explain(*half, DuplicateRule(coverage=0.5, verify=False)).same


def test_signatures_of_other_settings_are_refused():
    made = signature(text(1), SignatureSettings(one_in=2))
    with pytest.raises(UsageError, match="settings"):
        compare_signatures(made, made, DuplicateRule())


@pytest.mark.parametrize("wrong", [{"coverage": 0}, {"coverage": 1.1}, {"window": 0}, {"least": 0}, {"numbers": -0.1}])
def test_settings_that_make_no_sense_are_refused(wrong):
    with pytest.raises(UsageError):
        replace(DuplicateRule(), **wrong)


def test_evidence_can_be_written():
    values = explain(text(1), framed(text(1))).to_dict()
    assert values["relation"] == "near"
    assert values["containment"] == 1


BLURB = " ".join(f"Word{n} of the description that all variants share, number {n}." for n in range(30))


@pytest.mark.parametrize(
    ("one", "other", "same"),
    [
        ("Trail shoe men size 42", "Trail shoe men size 43", False),
        ("Lampe Nordlicht grün", "Lampe Nordlicht blau", False),
        ("Paperstone Metro, Gray", "Paperstone Metro, Brown", False),
        ("折叠自行车 红色", "折叠自行车 蓝色", False),
        ("Trail shoe men", "Trail shoe men", True),
        ("TRAIL SHOE, MEN", "Trail shoe men", True),
        ("Trail shoe men", "Trail shoe men new", True),
        ("The tide turns at noon", "Mayor opens the new quay", True),
        ("Word1 of the harbour", "Word2 of the harbour", True),
        ("Trail shoe 42 " + "and more " * 20, "Trail shoe 43 " + "and more " * 20, True),
    ],
    ids=["number", "colour", "comma", "Chinese", "the same", "capitals", "one has more", "other titles", "words of the text", "long lines"],
)
def test_titles_that_differ_in_a_word_name_variants(one, other, same):
    texts = [f"{title}\n{BLURB} {number}" for number, title in enumerate((one, other))]
    assert explain(*texts).same is same
    assert explain(*texts[::-1]).same is same
    assert explain(*texts, DuplicateRule(subjects=False)).same
    assert len(find_duplicates(TextDocument(str(number), text) for number, text in enumerate(texts)).clusters) == same


def test_a_text_of_one_line_has_no_title():
    assert explain(f"Lamp in green {BLURB}", f"Lamp in blue {BLURB}").same
    assert signature("Lamp in green\n" + BLURB).title == 3
    assert signature("Lamp in green").title == signature(f"\n{BLURB}").title == signature("Lamp in green\nand").title == 0
