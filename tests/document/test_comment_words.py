"""What is looked for first, for it is faster, is in all that the patterns find."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tamis.document import comment, comments, forum
from tamis.native import columns as compiled

FIRST = [
    (forum._ADDRESS, forum._OF_ADDRESSES),
    (comment.AUTHOR_NAME, comment.OF_AUTHORS),
    (comment.PROFILE_ADDRESS, comment._OF_PROFILES),
    *((pattern, comment._OF_NAMES) for pattern in (comment._DATE, comment._BODY, comment._TOOLS, comment.AUTHOR_NAME)),
    (comment._BY, comments._OF_SIGNATURES),
    (comments._AGO, comments._OF_AGO),
    (comments._CLOCK, comments._NUMBERS),
]


@pytest.mark.parametrize(("pattern", "words"), FIRST)
@given(data=st.data())
def test_a_text_that_a_pattern_finds_holds_one_of_the_words(pattern, words, data):
    text = data.draw(st.from_regex(pattern))
    assert compiled.holding([text], words) == [0]


SAYING = st.sampled_from(["posted", "by", "By:", "von", "said", "says", "a dit", ":", "…", ".", " ", "\t", "-", "Ann", "x"])


@given(st.lists(SAYING, max_size=8).map("".join))
def test_a_line_of_nothing_but_such_words_is_told_at_once(line):
    assert (comment._ONLY_SAYS.fullmatch(line) is not None) == (comment._SAYS.sub("", line) == "")
