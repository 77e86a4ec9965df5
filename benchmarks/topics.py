"""Texts of known topics, chosen by words of the topics from pages with gold.

A text is of a topic if at least :data:`LEAST_SHARE` of its words are words of the topic, and at least twice as many as of any other. That
makes topics that word statistics can tell apart, so what cleaning changes shows; it says nothing about hard topics.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from pathlib import Path

from benchmarks.gold import read_records
from tamis.errors import SourceError

TOPICS: dict[str, frozenset[str]] = {
    topic: frozenset(words.split())
    for topic, words in {
        "software": "software code data server api developers python install programming file user database",
        "education": "students school university teachers learning education student course courses college",
        "home": "garden plants plant kitchen room paint furniture house wood soil",
        "finance": "market stock investment investors bank financial tax fund money price revenue",
        "health": "patients patient health medical doctor disease treatment symptoms hospital clinical cancer medicine",
        "travel": "travel hotel trip flight beach tour tourist island airport city visit",
        "food": "recipe recipes cup butter sugar oven flour cook food garlic salt sauce",
        "cars": "car vehicle engine cars driving tires battery fuel",
    }.items()
}
"""Words of each topic, in English."""
LEAST_SHARE = 0.01
LEAST_WORDS = 150  #: Words of a text that is used.
_WORD = re.compile(r"[a-z]+")


@dataclass(frozen=True, slots=True)
class TopicText:
    """A text of a known topic."""

    id: str
    topic: str
    paragraphs: tuple[str, ...] = field(repr=False)


def topic_of(text: str) -> str | None:
    """The topic of a text; None where it has none.

    >>> topic_of("The garden needs soil. " * 40), topic_of("A heron stands in the reeds. " * 40)
    ('home', None)
    """
    found = _WORD.findall(text.lower())
    if len(found) < LEAST_WORDS:
        return None
    counts = sorted(((sum(word in words for word in found), topic) for topic, words in TOPICS.items()), reverse=True)
    (most, topic), (next_most, _) = counts[0], counts[1]
    return topic if most >= LEAST_SHARE * len(found) and most >= 2 * next_most else None


def read_topics(folder: Path, words: int) -> dict[str, list[TopicText]]:
    """The texts of each topic in a folder of single pages with gold, topics with most texts first.

    Args:
        folder: ``gold.jsonl.gz`` in it has ``id`` and ``main_content``.
        words: of each text, only so many words from its beginning are used (whole text decides its topic).

    Raises:
        SourceError: the folder holds no such gold.
    """
    try:
        records = read_records(folder)
    except OSError as error:
        raise SourceError(f"no texts in {folder}: it needs a gold.jsonl.gz") from error
    found: dict[str, list[TopicText]] = {topic: [] for topic in TOPICS}
    for record in records:
        text = record.get("main_content") or ""
        if (topic := topic_of(text)) is not None:
            found[topic].append(TopicText(record["id"], topic, tuple(beginning(text, words))))
    return dict(sorted(found.items(), key=lambda pair: -len(pair[1])))


def beginning(text: str, words: int) -> list[str]:
    """The paragraphs (lines) of a text up to a number of words.

    >>> beginning("One two.\\n\\nThree four five.\\nSix.", 4)
    ['One two.', 'Three four']
    """
    paragraphs: list[str] = []
    left = words
    for line in text.split("\n"):
        taken = line.split()[: max(left, 0)]
        if taken:
            paragraphs.append(" ".join(taken))
            left -= len(taken)
    return paragraphs
