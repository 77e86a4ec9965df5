"""Pairs and clusters: complete, and the same for any order."""

from __future__ import annotations

import random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from benchmarks.all_pairs import find_pairs
from tamis.duplicates import candidates, intake
from tamis.duplicates.clusters import SURVIVORS, Deduplication
from tamis.duplicates.documents import TextDocument
from tamis.duplicates.finding import find_duplicates
from tamis.duplicates.index import DuplicateIndex
from tamis.duplicates.intake import portions
from tamis.duplicates.rule import DuplicateRule
from tamis.duplicates.signature import SignatureSettings
from tamis.errors import UsageError
from tests.duplicates import plain
from tests.duplicates.texts import EDITS, excerpt, framed, text, without_words

DENSE = DuplicateRule(SignatureSettings(words=1, one_in=1), least=4, window=8)
RULES = [
    DENSE,
    DuplicateRule(SignatureSettings(words=1, one_in=2), least=3, coverage=0.5, verify=False),
    DuplicateRule(SignatureSettings(words=2, one_in=1, passage=8, fewest_passages=1), least=5, coverage=0.7, parts=False),
]
sentences = st.sampled_from([text(seed, words) for seed, words in enumerate([8, 9, 11, 13, 15, 17, 20, 24, 30, 36])])
"""Few, so that many documents share parts."""
several = st.lists(st.lists(sentences, max_size=7).map(" ".join), max_size=14)
addresses = st.sampled_from([None, "http://a.org/1", "http://A.org/1#x", "https://b.org/?b=2&a=1", "https://b.org/?a=1&b=2"])
times = st.sampled_from([None, "2020-01-01", "2021-05-05T10:00:00+02:00", "long ago"])


@pytest.fixture(autouse=True)
def _small_numbers(monkeypatch):
    """Batches and bounds so small that a few documents meet all of them."""
    monkeypatch.setattr(intake, "BATCH", 4)
    monkeypatch.setattr(candidates, "_MOST_PAIRS", 3)


@settings(max_examples=60, deadline=None)
@given(several, st.sampled_from(RULES))
def test_pairs_are_those_of_comparing_all(texts, rule):
    documents = [TextDocument(f"{number:02d}", each) for number, each in enumerate(texts)]
    found = list(find_pairs(documents, rule))
    assert len({(pair.a, pair.b) for pair in found}) == len(found)
    assert {(pair.a, pair.b): pair.evidence for pair in found} == plain.pairs(documents, rule)


@settings(max_examples=60, deadline=None)
@given(
    st.lists(st.tuples(st.lists(sentences, max_size=6).map(" ".join), addresses, times), max_size=14),
    st.sampled_from(SURVIVORS),
    st.booleans(),
    st.sampled_from(RULES),
    st.randoms(use_true_random=False),
)
def test_clusters_are_those_of_taking_one_after_the_other_in_any_order(values, survivor, by_address, rule, dice):
    documents = [TextDocument(f"{number:02d}", *value) for number, value in enumerate(values)]
    chosen = Deduplication(rule, survivor, by_address, most_compared=None)
    found = find_duplicates(documents, chosen)
    assert found.kept_for() == plain.kept_for(documents, chosen)
    dice.shuffle(documents)
    assert find_duplicates(documents, chosen, workers=2) == found


def planted(count: int = 12) -> list[TextDocument]:
    return [TextDocument(f"{seed}/{name}", edit(text(seed, 200))) for seed in range(count) for name, edit in EDITS.items()]


def test_planted_edits_end_up_with_their_original_and_with_nothing_else():
    found = find_duplicates(planted())
    assert all(copy.split("/")[0] == kept.split("/")[0] for copy, kept in found.kept_for().items())
    assert found.copies >= 0.95 * 12 * (len(EDITS) - 1)


def test_every_copy_is_the_same_as_what_is_kept_for_it():
    """No chains: a is like b, b is like c, and a is not like c."""
    a, b, c = text(1, 160), text(2, 160), text(3, 160)
    documents = [TextDocument("ab", f"{a}\n{b}"), TextDocument("b", b), TextDocument("bc", f"{b}\n{c}"), TextDocument("c", c)]
    found = find_duplicates(documents)
    for copy, kept in found.kept_for().items():
        assert copy in kept
    assert found.survivors == ("ab", "bc")


def test_a_passage_that_many_share_makes_no_two_the_same(monkeypatch):
    monkeypatch.setattr(intake, "BATCH", 100)
    notice = text(1, 80)
    assert find_duplicates([TextDocument(str(k), f"{text(10 + k, 60)}\n{notice}") for k in range(12)]).copies == 0


def test_a_template_is_no_evidence(monkeypatch):
    monkeypatch.setattr(intake, "BATCH", 100)
    template = text(1, 300)
    pages = [TextDocument(str(k), f"{template}\n{text(10 + k, 40)}") for k in range(20)]
    pages.append(TextDocument("again", pages[3].text + " Read on."))
    found = find_duplicates(pages)
    assert found.kept_for() == {"3": "again"}


@given(st.sampled_from(["yes", "Not found", "1999", "好", "Page not found. Go back."]))
def test_texts_of_any_length_are_found_when_equal_to_the_letter(short):
    documents = [TextDocument("a", short), TextDocument("b", short.upper()), TextDocument("c", short + " more")]
    found = find_duplicates(documents)
    assert found.kept_for() == {"b": "a"}
    assert {"a", "c"} <= set(found.survivors)
    with DuplicateIndex() as index:
        index.update(documents[:1])
        assert index.update(documents[1:]).kept_for() == {"b": "a"}


def test_texts_without_a_word_are_left_alone():
    assert find_duplicates([TextDocument("a", ""), TextDocument("b", " ... "), TextDocument("c", "")]).left_alone == ("a", "b", "c")


def test_survivor_is_chosen_by_the_setting():
    documents = [
        TextDocument("long", framed(text(1, 200)), "http://a.org/b/c?d=1", "2022-01-01"),
        TextDocument("early", text(1, 200), "http://a.org/b/c/d", "2020-01-01"),
        TextDocument("secure", text(1, 200) + " The end.", "https://a.org/b", "2021-01-01"),
    ]
    kept = {
        survivor: find_duplicates(documents, Deduplication(survivor=survivor)).survivors
        for survivor in ("longest", "earliest", "best address")
    }
    assert kept == {"longest": ("long",), "earliest": ("early",), "best address": ("secure",)}


def test_of_the_longest_the_page_that_most_copies_name_as_canonical_is_kept():
    page = "https://www.a.org/tides"
    documents = [
        TextDocument("print", framed(text(1, 200)), "http://a.org/print?id=1", "2020", "http://a.org/tides"),
        TextDocument("page", text(1, 200), page, "2022", page),
        TextDocument("part", excerpt(text(1, 200)), "http://a.org/part", "2021", "http://a.org/part"),
        TextDocument("other", text(2, 200), "http://a.org/other", "2021", page),
    ]
    found = find_duplicates(documents)
    assert (found.survivors, [(cluster.kept, cluster.url) for cluster in found.clusters]) == (("other", "page"), [("page", page)])
    assert {member.id: (member.likeness, member.url) for member in found.clusters[0].members} == {
        "part": ("part of", "http://a.org/part"),
        "print": ("near", "http://a.org/print?id=1"),
    }
    assert find_duplicates(documents, Deduplication(survivor="earliest")).survivors == ("other", "print")
    damaged = [TextDocument("a", text(1, 200), "no address", None, "none"), TextDocument("b", framed(text(1, 200)), "http://[", None, "x")]
    assert find_duplicates(damaged).survivors == ("b",)


def test_identical_texts_and_addresses_come_before_likeness():
    whole = text(1, 200)
    documents = [
        TextDocument("a", whole, "http://a.org/?x=1&y=2"),
        TextDocument("b", whole.upper()),
        TextDocument("c", text(2, 150), "http://a.org/?y=2&x=1"),
    ]
    found = find_duplicates(documents)
    assert [(member.id, member.likeness) for member in found.clusters[0].members] == [("b", "identical"), ("c", "same address")]
    assert find_duplicates(documents, Deduplication(addresses=False)).copies == 1


def test_texts_that_say_too_little_are_left_alone_and_named():
    found = find_duplicates([TextDocument("a", "Not found"), TextDocument("b", "Not there"), TextDocument("c", "")])
    assert found.left_alone == found.survivors == ("a", "b", "c")
    assert found.copies == 0


def test_evidence_says_why():
    found = find_duplicates([TextDocument("whole", text(1, 300)), TextDocument("half", excerpt(text(1, 300)))])
    member = found.clusters[0].members[0]
    assert (member.id, member.likeness) == ("half", "part of")
    assert "of the shorter text is in the longer" in member.evidence.reason
    assert found.to_dict()["clusters"][0]["copies"][0]["evidence"]["windows"] == 1


def test_two_texts_by_one_id_are_refused_and_one_twice_is_one():
    assert find_duplicates([TextDocument("a", text(1)), TextDocument("a", text(1))]).survivors == ("a",)
    with pytest.raises(UsageError, match="'a'"):
        find_duplicates([TextDocument("a", text(1)), TextDocument("a", text(2))])


def test_other_things_than_documents_are_refused():
    with pytest.raises(UsageError, match="TextDocument"):
        find_duplicates(["a text"])
    with pytest.raises(UsageError, match="decode"):
        TextDocument("a", None)
    with pytest.raises(UsageError, match="id"):
        TextDocument("", "a text")


def test_a_document_that_was_compared_with_too_many_is_kept_and_named():
    """Alike by the code, different by the text: each candidate is looked at in vain, and the bound ends it."""
    form = "\n".join(f"{line} {{}} metres" for line in text(3, 200).split("\n"))
    count = form.count("{}")
    documents = [TextDocument(f"{n:02d}", form.format(*range(n * count + 100, n * count + count + 100))) for n in range(20)]
    bounded = find_duplicates(documents, Deduplication(most_compared=5))
    assert bounded.copies == 0
    assert len(bounded.crowded) >= 10
    assert find_duplicates(documents, Deduplication(most_compared=None)).crowded == ()


def test_progress_is_told():
    told = []
    find_duplicates(planted(2), progress=told.append)
    assert told[-1] == 2 * len(EDITS)
    assert told == sorted(told)


def test_a_copy_of_a_copy_with_losses_is_compared_with_what_is_kept():
    worse = without_words(text(1, 300), 0.15, seed=5)
    found = find_duplicates([TextDocument("a", text(1, 300)), TextDocument("b", worse), TextDocument("c", excerpt(worse))])
    assert found.kept_for() == {"b": "a", "c": "a"}


def test_pairs_are_shuffled_into_the_same_set():
    documents = planted(4)
    once = {(pair.a, pair.b): pair.evidence for pair in find_pairs(documents)}
    random.Random(1).shuffle(documents)
    assert {(pair.a, pair.b): pair.evidence for pair in find_pairs(documents, workers=2)} == once


def test_batches_are_of_so_many_documents_or_of_so_many_letters(monkeypatch):
    monkeypatch.setattr(intake, "MOST_LETTERS", 10)
    assert list(portions([1, 2, 3, 9, 9, 1, 1, 1, 1, 1], 4, int)) == [[1, 2, 3, 9], [9, 1], [1, 1, 1, 1]]
    documents = planted(2)
    found = find_duplicates(documents)
    monkeypatch.setattr(intake, "MOST_LETTERS", 1 << 25)
    assert find_duplicates(documents) == found
