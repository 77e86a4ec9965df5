"""Learned names: what they are found by, and what stands where."""

from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tamis import parse
from tamis.content.evidence import gather
from tamis.content.evidence.vocabulary import Vocabulary
from tamis.errors import ModelError
from tamis.page.element_names import element_name
from tests.content.pages import article, named_page
from tests.content.plain_evidence import plain_gather
from training.names import key_of, name_keys

NAMES = st.text(alphabet="abcdeginostvDNAP0１5-_.é İ", max_size=40)


def vocabulary(**weights):
    """A vocabulary of names, each with its weight beside a text and farther up."""
    known = sorted((key_of(name), near, above) for name, (near, above) in weights.items())
    key, near, above = zip(*known, strict=True)
    return Vocabulary(np.array(key, np.uint32), np.array(near, np.int16), np.array(above, np.int16))


def test_case_and_numbers_do_not_matter_and_words_count_by_themselves():
    assert name_keys("p\t.Post-17") == name_keys("div\t.post-5")
    assert key_of("-post") in name_keys("p\t.blogPost")
    assert key_of("blogpost") in name_keys("p\t.blogPost")
    assert key_of("-to") not in name_keys("p\t.goto-to")


def test_html_and_body_have_no_names():
    assert name_keys("body\t.single-post") == name_keys("p") == []


def test_the_nearest_three_elements_and_those_above_have_weights_of_their_own():
    page = "<div class=far><div class=far><section class=near><div><p class=near>text</p></div></section></div></div>"
    known = vocabulary(near=(7, 1000), far=(500, -3))
    evidence = gather(parse(page), known)
    assert evidence.column("names near").tolist() == [14]
    assert evidence.column("names above").tolist() == [-6]


def test_a_name_counts_as_often_as_it_stands_there():
    known = Vocabulary(*(np.array(values, kind) for values, kind in (([key_of("-main")], np.uint32), ([5], np.int16), ([0], np.int16))))
    assert gather(parse("<p class='main-text main'>text"), known).column("names near").tolist() == [10]


def test_without_a_vocabulary_nothing_is_known_of_names():
    tree = parse(article())
    assert np.isnan(gather(tree).column("names near")).all()
    assert not gather(tree, Vocabulary.empty()).column("names near").any()


def test_a_vocabulary_is_in_order():
    with pytest.raises(ModelError):
        Vocabulary(np.array([2, 1], np.uint32), np.zeros(2, np.int16), np.zeros(2, np.int16))
    with pytest.raises(ModelError):
        Vocabulary(np.array([1, 2], np.uint32), np.zeros(2, np.int16), np.zeros(1, np.int16))


@settings(deadline=None)
@given(st.lists(NAMES, max_size=6), st.integers(0, 9))
def test_both_forms_weigh_names_alike(names, seed):
    names = [*pairwise(names), ("navBar", "x"), ("a", ""), ("", "")]
    every = sorted({key for classes, ident in names for key in name_keys(element_name("div", classes, ident))})
    dice = np.random.default_rng(seed)
    taken = [key for key in every if dice.random() < 0.7]
    near, above = dice.integers(-9, 9, (2, len(taken)))
    known = Vocabulary(np.array(taken, np.uint32), near.astype(np.int16), above.astype(np.int16))
    tree = named_page(names)
    one, other = gather(tree, known), plain_gather(tree, known)
    assert np.array_equal(one.values, other.values, equal_nan=True)


def test_both_forms_agree_on_a_page():
    page = "".join(
        f"<div class='outer a{n}'><section><div id=Side-{n}><p class=text>{text}</p></div></section></div>" for n, text in enumerate("abc")
    )
    tree, known = parse(page), vocabulary(outer=(3, 5), text=(-4, 90), a0=(1, 2))
    one, other = gather(tree, known), plain_gather(tree, known)
    for name, expected in (("names near", -4), ("names above", 7)):
        assert one.column(name).tolist() == other.column(name).tolist() == [expected] * 3
