"""Words around the name of who wrote a comment."""

from __future__ import annotations

import re

from hypothesis import given
from hypothesis import strategies as st

from tamis.document import comment

SAYING = st.sampled_from(["posted", "by", "By:", "von", "said", "SAYS", "a dit", ":", "…", ".", " ", "\u3000", "-", "Ann", "x", "İ"])
SAYS = re.compile(
    r"^\W*(?:(?:posted|comment|written|submitted|von\b|par\b|por\b|by\b)\s+)*(?:by\b|von\b|par\b|por\b)?\s*[:\s]*|"
    r"\s*(?:says|said|wrote|schrieb|a dit|dice|disse)?\s*[:.…]*\s*$",
    re.I,
)


@given(st.lists(SAYING, max_size=8).map("".join))
def test_words_around_a_name_are_left_out(line):
    assert comment.without_says(line) == SAYS.sub("", line).strip()


def test_names_that_begin_like_a_word_for_by_stay_whole():
    assert list(map(comment.without_says, ("Byron", "Posted by Parker", "Von Ava", "by: Davide"))) == ["Byron", "Parker", "Ava", "Davide"]
