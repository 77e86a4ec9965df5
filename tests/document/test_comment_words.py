"""What is looked for first, for it is faster, is in all that the patterns find."""

from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tamis.document import comment, comment_places, comments, forum, residual_boilerplate
from tamis.document.metadata import authors
from tamis.page.tree import contains_any

FIRST = [
    (forum._ADDRESS, forum._OF_ADDRESSES),
    (comment.AUTHOR_NAME, comment.OF_AUTHORS),
    (comment.PROFILE_ADDRESS, comment._OF_PROFILES),
    *((pattern, comment._OF_NAMES) for pattern in (comment._DATE, comment._BODY, comment._TOOLS, comment.AUTHOR_NAME)),
    (comment._SIGNED, comment._OF_SIGNED),
    (comment._BY, comments._OF_SIGNATURES),
    (comments._AGO, comments._OF_AGO),
    (comments._CLOCK, comments._NUMBERS),
    (comment_places._HEADING, comment_places._HEADING_HINTS),
    (residual_boilerplate._FURNITURE, residual_boilerplate._OF_FURNITURE),
    (authors._LABEL, authors._OF_LABELS),
    (authors._BARE, authors._OF_BARE),
]


@pytest.mark.parametrize(("pattern", "words"), FIRST)
@given(data=st.data())
def test_a_text_that_a_pattern_finds_holds_one_of_the_words(pattern, words, data):
    text = data.draw(st.from_regex(pattern))
    assert contains_any([text], words) == [0]


SAYING = st.sampled_from(["posted", "by", "By:", "von", "said", "SAYS", "a dit", ":", "…", ".", " ", "\u3000", "-", "Ann", "x", "İ"])
SAYS = re.compile(
    r"^\W*(?:(?:posted|comment|written|submitted|von|par|por|by)\s+)*(?:by|von|par|por)?\s*[:\s]*|"
    r"\s*(?:says|said|wrote|schrieb|a dit|dice|disse)?\s*[:.…]*\s*$",
    re.I,
)


@given(st.lists(SAYING, max_size=8).map("".join))
def test_words_around_a_name_are_left_out(line):
    assert comment.without_says(line) == SAYS.sub("", line).strip()
