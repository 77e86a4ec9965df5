from __future__ import annotations

from pathlib import Path

import pytest

from benchmarks.topics import TOPICS, read_topics, topic_of
from tamis.errors import SourceError


def test_a_text_between_two_topics_has_none():
    assert topic_of("the garden soil and the bank tax " * 30) is None
    assert topic_of("the garden soil and the garden wood then the bank once or more " * 30) == "home"


def test_a_short_text_has_no_topic():
    assert topic_of("garden " * 10) is None


def test_texts_are_read_by_topic_and_cut(topic_pages: Path):
    found = read_topics(topic_pages, words=7)
    assert list(found)[:2] == ["home", "health"]
    assert set(found) == set(TOPICS)
    text = found["home"][0]
    assert (text.topic, sum(len(paragraph.split()) for paragraph in text.paragraphs)) == ("home", 7)


def test_a_folder_without_texts_is_refused(tmp_path: Path):
    with pytest.raises(SourceError, match=r"gold\.jsonl\.gz"):
        read_topics(tmp_path, 10)
