"""Texts as bad as they can be: bounded, and right."""

from __future__ import annotations

import pytest

from benchmarks.all_pairs import find_pairs
from tamis.duplicates import rule as rules
from tamis.duplicates.documents import TextDocument
from tamis.duplicates.feature_code import feature_code
from tamis.duplicates.finding import find_duplicates
from tamis.duplicates.rule import explain
from tests.duplicates.texts import chinese, text

STRANGE = {
    "empty": "",
    "white space": " \n\t\u3000" * 100,
    "one word of a million letters": "a" * 1_000_000,
    "only marks": "!?.,;" * 1000,
    "null characters": "a\0b" * 1000,
    "lone surrogates": "\ud800\udfff word " * 500,
    "replacement characters": b"\xff\xfe broken \x80 utf-8 ".decode("utf-8", "replace") * 300,
    "combining marks": "e" + "\u0301\u0327" * 100_000,
    "zero width": "\u200b" * 100_000,
    "emoji": "😀👍🏽 " * 2000,
    "the same word": "word " * 100_000,
}


@pytest.mark.parametrize("name", STRANGE)
def test_strange_texts_are_taken(name):
    value = STRANGE[name]
    feature_code(value)
    found = find_duplicates([TextDocument("a", value), TextDocument("b", value + "\n" + text(1, 200)), TextDocument("c", text(1, 200))])
    assert "b" in found.survivors
    assert not explain(value, text(2, 200)).same


def test_broken_bytes_do_not_hide_a_copy():
    broken = text(1, 300).encode()
    broken = b"\xff".join(broken[start : start + 400] for start in range(0, len(broken), 400)).decode("utf-8", "replace")
    assert explain(broken, text(1, 300)).same
    assert explain(text(1, 300).replace(" the ", " \ud83d "), text(1, 300)).same


def test_one_paragraph_of_ten_megabytes():
    long = " ".join(f"{seed}x{place:06d}" for seed in range(10) for place in range(120_000))[:10_000_000]
    assert len(long) == 10_000_000
    part = long[3_000_000:3_020_000]
    found = find_duplicates([TextDocument("long", long), TextDocument("part", part), TextDocument("other", text(1, 200))])
    assert found.kept_for() == {"part": "long"}
    assert len(feature_code(long)) == 1


def test_a_first_paragraph_that_all_share_generates_no_candidates(monkeypatch):
    """The number of looks at candidates stays linear: nearly all are avoided, where all pairs share a paragraph."""
    looks = []
    look = rules.promising
    monkeypatch.setattr(rules, "promising", lambda text, others, rule: looks.extend(others) or look(text, others, rule))
    shared = chinese(0, 260)
    documents = [TextDocument(f"{number:04d}", f"{shared}\n{chinese(number + 1, 260)}") for number in range(600)]
    documents += [TextDocument(f"{number:04d}x", document.text[:-60]) for number, document in enumerate(documents[:20])]
    found = find_duplicates(documents)
    assert found.kept_for() == {f"{number:04d}x": f"{number:04d}" for number in range(20)}
    assert 20 <= len(looks) < 3 * len(documents)


def test_many_copies_of_one_page_are_compared_with_one():
    documents = [TextDocument(f"{number:04d}", f"{text(1, 300)}\nRead {number} times") for number in range(300)]
    assert find_duplicates(documents).copies == 299
    assert sum(1 for _ in find_pairs(documents[:40])) == 40 * 39 // 2
