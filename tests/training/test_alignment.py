"""Gold text aligned with the blocks of a page."""

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from training.alignment import align


def aligned(blocks, gold):
    """The words of each block that are matched."""
    numbers = {}
    words = [[numbers.setdefault(word, len(numbers)) for word in block.split()] for block in blocks]
    wanted = [numbers.setdefault(word, len(numbers)) for word in gold.split()]
    block = np.repeat(np.arange(len(words)), [len(one) for one in words])
    place = align(np.array([number for one in words for number in one], dtype=np.int64), block, np.array(wanted, dtype=np.int64))
    return np.bincount(block, weights=place >= 0, minlength=len(words)).astype(int).tolist()


def test_paragraphs_are_found_and_menus_are_not():
    blocks = ["home news sport", "the ship leaves at six in the morning", "home", "it comes back at noon with the mail"]
    assert aligned(blocks, "the ship leaves at six in the morning it comes back at noon with the mail") == [0, 8, 0, 8]


def test_of_two_copies_the_one_beside_other_matches_is_taken():
    teaser, text = "the ship leaves at", "the ship leaves at six every day but not on sundays"
    assert aligned([teaser, "menu", text], text) == [0, 0, 11]


def test_a_short_block_counts_where_it_continues_what_is_matched():
    first, second = "a b c d e f g", "h i j k l m n"
    assert aligned(["tea", first, "tea", second], f"{first} tea {second}") == [0, 7, 1, 7]


def test_the_order_of_the_gold_text_may_differ():
    first, second = "a b c d e f g", "h i j k l m n"
    assert aligned([first, second], f"{second} {first}") == [7, 7]


def test_nothing_to_align():
    assert aligned(["a b c"], "") == [0]
    assert aligned([], "a b c") == []


@settings(deadline=None)
@given(st.lists(st.integers(0, 5), max_size=30), st.lists(st.integers(0, 5), max_size=30))
def test_every_match_is_of_the_same_token_and_each_gold_token_is_matched_once(page, gold):
    place = align(np.array(page, dtype=np.int64), np.zeros(len(page), dtype=np.int64), np.array(gold, dtype=np.int64))
    matched = place[place >= 0]
    assert len(set(matched.tolist())) == len(matched)
    assert all(gold[at] == page[k] for k, at in enumerate(place.tolist()) if at >= 0)


@settings(deadline=None)
@given(st.lists(st.integers(0, 3), min_size=1, max_size=40))
def test_a_page_that_is_its_gold_text_is_matched_nearly_whole(page):
    words = np.array(page, dtype=np.int64)
    assert (align(words, np.zeros(len(page), dtype=np.int64), words) >= 0).mean() >= (0.5 if len(page) > 3 else 0)
