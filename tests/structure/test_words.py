from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from tamis.structure.hashing import text_hashes, words
from tests.site.plain_style_tree import plain_words


@given(st.lists(st.text(st.sampled_from("aB1 é.二かカกΣ\u0301😀\n\0-")), max_size=6))
def test_words_are_those_of_a_loop_over_the_characters(texts: list[str]) -> None:
    found = words(texts)
    expected = [(k, word) for k, text in enumerate(texts) for word in plain_words(text)]
    assert found.text.tolist() == [k for k, _ in expected]
    number: dict[str, int] = {}
    assert [number.setdefault(word, value) for (_, word), value in zip(expected, found.hash.tolist(), strict=True)] == found.hash.tolist()
    assert len(set(number.values())) == len(number)


@given(st.lists(st.text(max_size=5)))
def test_equal_strings_and_only_they_have_equal_hashes(texts: list[str]) -> None:
    assert len(set(text_hashes(texts).tolist())) == len(set(texts))
    assert text_hashes(texts).tolist() == [text_hashes([text])[0] for text in texts]


def test_hashes_are_pinned() -> None:
    assert words(["tamis"]).hash.tolist() == [17353860740107341180]
    assert text_hashes(["tamis"]).tolist() == [3327170798427311101]


def test_words_may_be_long() -> None:
    assert len(set(words(["a" * 5000, "a" * 4999 + "b", "a" * 5000]).hash.tolist())) == 2
