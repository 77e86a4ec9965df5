"""Measures of extracted text against gold: multisets of tokens, as the WCXB benchmark compares them.

A token is a lower-cased run of word characters (``\\w+``); in Chinese and Japanese, which put no spaces between words, a single word
character.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Literal

Unit = Literal["word", "character"]
Bag = Counter[str]

_TOKEN = {"word": re.compile(r"\w+"), "character": re.compile(r"\w")}
_LETTER = re.compile(r"[^\W\d_]")
_IDEOGRAPH = re.compile(r"[\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff]")
_UNSPACED = ("zh", "ja")
SHARE_OF_IDEOGRAPHS = 0.2  #: A text with at least this share of Han or kana among its letters is compared by characters.


@dataclass(frozen=True, slots=True)
class Score:
    """How well a text fits the gold, each 0..1."""

    f1: float
    precision: float
    recall: float


NOTHING = Score(0.0, 0.0, 0.0)


def unit_of(language: str | None, text: str) -> Unit:
    """What to count in a text: characters in Chinese and Japanese, words elsewhere.

    Args:
        language: a language tag that decides; None, or a value that names several languages: the script of the text decides.
        text: the gold text.

    >>> unit_of("zh-CN", "Apache Flink"), unit_of("ko", "한국어"), unit_of(None, "正文 and more"), unit_of("en+zh", "plain English")
    ('character', 'word', 'character', 'word')
    """
    if language and re.fullmatch(r"[A-Za-z]{2,3}(-[A-Za-z0-9]+)*", language):
        return "character" if language.lower().split("-")[0] in _UNSPACED else "word"
    letters = len(_LETTER.findall(text))
    return "character" if letters and len(_IDEOGRAPH.findall(text)) >= SHARE_OF_IDEOGRAPHS * letters else "word"


def bag(text: str, unit: Unit = "word") -> Bag:
    """The multiset of a text's tokens.

    >>> sorted(bag("The end. THE end!").items())
    [('end', 2), ('the', 2)]
    """
    return Counter(tokens(text, unit))


def tokens(text: str, unit: Unit = "word") -> list[str]:
    """A text's tokens in order.

    >>> tokens("The end!")
    ['the', 'end']
    """
    return _TOKEN[unit].findall(text.lower())


def compare(output: str, gold: str, *, ignored: str = "", unit: Unit = "word") -> Score:
    """F1, precision and recall of a text over token multisets. An empty output or an empty gold scores 0.

    Args:
        output: what a tool gave.
        gold: what is right.
        ignored: text that is neither rewarded nor punished (title, byline, comments): tokens of the output beyond the gold are
            matched against it first, and what matches does not count.
        unit: what a token is.

    >>> compare("one two three four", "one two", ignored="four")
    Score(f1=0.8, precision=0.6666666666666666, recall=1.0)
    """
    found, wanted = bag(output, unit), bag(gold, unit)
    right = (found & wanted).total()
    if not right:
        return NOTHING
    wrong = (found - wanted - bag(ignored, unit)).total()
    precision, recall = right / (right + wrong), right / wanted.total()
    return Score(2 * precision * recall / (precision + recall), precision, recall)


def content_lost(kept: str, main: str, unit: Unit = "word") -> float | None:
    """Share of the main text's characters (those of its tokens) that were not kept, 0..1; None where there is no main text.

    >>> content_lost("some text", "some longer text")
    0.42857142857142855
    """
    wanted = bag(main, unit)
    return _share(wanted - bag(kept, unit), wanted)


def noise_removed(kept: str, main: str, noise: str, *, ignored: str = "", unit: Unit = "word") -> float | None:
    """Share of the noise's characters (those of its tokens) that were not kept, 0..1; None where there is no noise.

    A token that the main text has, or the ignored text, is taken to be kept for its sake first.

    >>> noise_removed("the text home", "the text", "home about the")
    0.6666666666666666
    """
    unwanted = bag(noise, unit)
    surplus = bag(kept, unit) - bag(main, unit) - bag(ignored, unit)
    return _share(unwanted - surplus, unwanted)


def mean(values: Iterable[float | None]) -> float | None:
    """Mean of the values that are there; None where none is."""
    present = [value for value in values if value is not None]
    return sum(present) / len(present) if present else None


def mean_score(scores: Iterable[Score]) -> Score:
    """Mean F1, mean precision, mean recall (so F1 is not that of the other two); 0 for no scores."""
    scores = list(scores)
    n = len(scores) or 1
    return Score(sum(s.f1 for s in scores) / n, sum(s.precision for s in scores) / n, sum(s.recall for s in scores) / n)


def _share(part: Bag, whole: Bag) -> float | None:
    characters = _characters(whole)
    return _characters(part) / characters if characters else None


def _characters(tokens: Bag) -> int:
    return sum(len(token) * count for token, count in tokens.items())
