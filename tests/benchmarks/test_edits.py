"""Planted edits, near misses, and synthetic documents."""

from __future__ import annotations

from importlib.util import find_spec
from itertools import islice
from random import Random

import pytest

from benchmarks.edits import EDITS, Edit
from benchmarks.near_misses import FAMILIES, family
from benchmarks.zipf_texts import ZipfTexts, group_of

TEXT = "\n".join(f"Paragraph {k} speaks of herons, and of the river that they fish in. It ends here." for k in range(30))
CHINESE = "\n".join(f"第{k}段说的是渔船和海港，还有软件里的头发。到此为止。" for k in range(30))
BY_NAME = {edit.name: edit for edit in EDITS}


def made(name: str, text: str, seed: int = 1) -> str:
    return BY_NAME[name].make(text, Random(seed))


def needs_zhconv() -> None:
    if find_spec("zhconv") is None:
        pytest.skip("needs zhconv")


@pytest.mark.parametrize("edit", EDITS, ids=lambda edit: edit.name)
def test_an_edit_is_the_same_for_the_same_dice_and_changes_the_text(edit: Edit):
    if edit.chinese_only:
        needs_zhconv()
    text = CHINESE if edit.chinese_only else TEXT
    assert edit.make(text, Random(3)) == edit.make(text, Random(3))
    assert (edit.make(text, Random(3)) == text) == (edit.name == "copy")


@pytest.mark.parametrize(("name", "share"), [("5 % of words dropped", 0.05), ("15 % of words dropped", 0.15)])
def test_the_share_of_words_is_dropped(name, share):
    words = len((TEXT * 10).split())
    assert len(made(name, TEXT * 10).split()) == pytest.approx((1 - share) * words, rel=0.02)
    assert len(made(name, CHINESE * 10)) == pytest.approx((1 - share) * len(CHINESE * 10), rel=0.02)


def test_moved_paragraphs_are_all_there():
    assert sorted(made("paragraphs moved", TEXT).split("\n")) == sorted(TEXT.split("\n"))


def test_a_frame_stands_around_the_whole_text_and_is_in_its_language():
    before, _, after = made("frame added", TEXT).partition(TEXT)
    assert min(len(before), len(after)) > 0.1 * len(TEXT)
    before, _, after = made("frame added", CHINESE).partition(CHINESE)
    assert before
    assert not any("a" <= letter <= "z" for letter in before + after)


def test_an_excerpt_is_a_run_of_the_text():
    for seed in range(20):
        part = made("excerpt of 60 %", TEXT, seed)
        assert part in TEXT
        assert len(part) == int(0.6 * len(TEXT))


def test_scanning_misreads_the_share_of_characters():
    same = sum(a == b for a, b in zip("o" * 20000, made("scanned, 4 % misread", "o" * 20000), strict=False))
    assert 1 - same / 20000 == pytest.approx(0.04, abs=0.01)


def test_the_other_script_is_for_chinese_alone():
    needs_zhconv()
    edit = BY_NAME["other Chinese script"]
    assert [edit.fits(text) for text in (CHINESE, TEXT, "これは日本語の文章です" * 9)] == [True, False, False]
    assert "軟體" in edit.make("软件", Random(1))
    assert "软件" in edit.make("軟體", Random(1))


@pytest.mark.parametrize("name", FAMILIES)
def test_texts_of_a_family_are_all_different_and_a_larger_one_begins_with_a_smaller(name):
    texts = family(name, 20)
    assert len(set(texts)) == 20
    assert texts[:5] == family(name, 5)
    assert texts != family(name, 20, seed=1)


def test_a_longer_stream_of_documents_begins_with_a_shorter_one():
    documents = list(ZipfTexts().documents(60))
    assert documents[:20] == list(islice(ZipfTexts().documents(1000), 20))
    assert len({document.id for document in documents}) == 60


def test_planted_documents_are_made_of_the_original_that_their_id_names():
    documents = {document.id: document.text for document in ZipfTexts(3).documents(300)}
    copies = [id for id in documents if "/" in id]
    assert 60 < len(copies) < 120
    for id in copies:
        original, kind = documents[group_of(id)], id.split("/")[1].split()[0]
        words = documents[id].split()
        if kind == "copy":
            assert documents[id] == original
        elif kind == "excerpt":
            assert documents[id] in original
        elif kind == "framed":
            assert original in documents[id]
        elif kind == "moved":
            assert sorted(words) == sorted(original.split())
        else:
            left = iter(original.split())
            assert all(word in left for word in words)
