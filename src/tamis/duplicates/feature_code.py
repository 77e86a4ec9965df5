"""The feature code of Chen and Niu (2006): the first token of each paragraph, and the tokens before its punctuation marks.

Source: 陈基漓, 牛秦洲: 基于特征码的网页去重 (*Duplicated webpages deletion based on feature code*), 2006, sections 3.1 and 3.2.
A token is a character in Chinese, Japanese, Thai and their like, as in the paper, and a word elsewhere, where a letter says too little.
"""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import dataclass
from functools import cache, cached_property
from itertools import islice
from typing import Literal

import numpy as np

from tamis.duplicates.characters import (
    ALONE,
    BMP,
    DIGIT,
    IGNORED,
    LETTER,
    LINE_END,
    PUNCTUATION,
    SEPARATOR,
    class_of,
    composed,
    folded,
    kinds,
)
from tamis.errors import UsageError

Relation = Literal["identical", "part of", "contains", "overlap", "different"]


@dataclass(frozen=True, slots=True)
class CodeSettings:
    """Settings of the feature code and of its comparison; defaults are the paper's, but for ``simplified``.

    Raises:
        UsageError: a number makes no sense.
    """

    marks: int = 3  #: Punctuation marks of each paragraph that give auxiliary code (the paper's *n*).
    simplified: bool = True  #: Take traditional Chinese characters for the simplified ones.
    large: float = 0.8  #: Primary codes have a large intersection when it is more than this share of either.
    small: float = 0.2  #: A smaller intersection than this share of both is small: different pages.
    between: Literal["different", "compare"] = "different"
    """Treatment of intersections that are neither large nor small; the paper says nothing about them."""
    auxiliary: float = 0.8  #: Share of equal auxiliary code, on the common part, from which on pages are the same.

    def __post_init__(self) -> None:
        if self.marks < 0:
            raise UsageError(f"marks must be 0 or more, not {self.marks}")
        if not 0 <= self.small <= self.large <= 1 or not 0 <= self.auxiliary <= 1:
            raise UsageError(f"shares lie between 0 and 1, small below large; not {self.small}, {self.large}, {self.auxiliary}")

    @classmethod
    def paper(cls) -> CodeSettings:
        """Return the paper's numbers: n = 3, 80 % and 20 % of the primary, 80 % of the auxiliary code; characters as they are."""
        return cls(marks=3, simplified=False, large=0.8, small=0.2, between="different", auxiliary=0.8)


@dataclass(frozen=True)
class FeatureCode:
    """The code of a text. Equal codes are equal objects, whatever texts they come from."""

    primary: tuple[str, ...]  #: The first token of each paragraph that has one, in order.
    auxiliary: tuple[tuple[str, ...], ...]  #: For each of these paragraphs, the tokens before its first punctuation marks.
    size: int  #: Bytes of the text, two for each character that is not ASCII, as in the paper's encoding (*tl*).

    def __len__(self) -> int:
        return len(self.primary)

    @property
    def aggregation_factor(self) -> float:
        """Bytes of text for each token of primary code (section 4.4); 0 where there is no code."""
        return self.size / len(self.primary) if self.primary else 0.0

    @cached_property
    def counts(self) -> Counter[str]:
        """The primary code as a multiset."""
        return Counter(self.primary)


@dataclass(frozen=True, slots=True)
class CodeComparison:
    """Result of a comparison of two codes, step by step."""

    same: bool
    relation: Relation  #: Of the first primary code to the second.
    primary: float  #: Share of the smaller primary code that the other has too.
    auxiliary: float | None  #: Share of equal auxiliary code on the common part; None if it was not looked at.
    reason: str  #: In words.


def feature_code(text: str, settings: CodeSettings = CodeSettings()) -> FeatureCode:
    """Return the feature code of a text, one paragraph a line.

    A punctuation mark within a word (``don't``, ``3.5``) does not count, and several in a row are one.

    >>> code = feature_code("The ferry is back, says the mayor.\\nIt runs daily; in winter, too.")
    >>> code.primary, code.auxiliary
    (('the', 'it'), (('back', 'mayor'), ('daily', 'winter', 'too')))
    """
    size = 2 * len(text) - len(text.encode("ascii", "ignore"))
    line_end, ignored, token, before_mark = _token_patterns()
    lines = [
        "\t".join([first[0], *(found[1] for found in islice(before_mark.finditer(line), settings.marks))])
        for line in line_end.split(ignored.sub("", composed(text)))
        if (first := token.search(line)) is not None
    ]
    if not lines:
        return FeatureCode((), (), size)
    codes = [line.split("\t") for line in folded("\n".join(lines), settings.simplified).split("\n")]
    return FeatureCode(tuple(first for first, *_ in codes), tuple(tuple(rest) for _, *rest in codes), size)


@cache
def _token_patterns() -> tuple[re.Pattern[str], ...]:
    """Return patterns: ends of lines; ignored characters; a token; a token before a mark. Marks within words do not count."""
    kind = kinds()[:BMP]
    line_end, ignored, mark = (class_of(np.flatnonzero(kind == code)) for code in (LINE_END, IGNORED, PUNCTUATION))
    word, alone = class_of(np.flatnonzero((kind == LETTER) | (kind == DIGIT))), class_of(np.flatnonzero(kind == ALONE))
    token = f"(?:{alone}|[\U00010000-\U0010ffff]|(?<!{word}){word}++)"
    between = class_of(np.flatnonzero(kind == SEPARATOR))
    before_mark = f"({token}){between}*+(?:(?<!{word}){mark}|{mark}(?!{word}))"
    return tuple(map(re.compile, (line_end, ignored, token, before_mark)))


def compare(a: FeatureCode, b: FeatureCode, settings: CodeSettings = CodeSettings()) -> CodeComparison:
    """Return whether two codes are of the same page (section 3.2), and by which step.

    Codes are taken for multisets: the order of paragraphs does not matter but for being identical. A text without any code equals no other.

    >>> long = feature_code("One.\\nTwo, three.\\nFour.")
    >>> compare(feature_code("One.\\nTwo, three."), long).relation
    'part of'
    """
    if not a.primary or not b.primary:
        return CodeComparison(False, "different", 0.0, None, "there is no code to compare")
    if a.primary == b.primary:
        return CodeComparison(True, "identical", 1.0, None, "the primary codes are identical")
    common = sum((a.counts & b.counts).values())
    share = common / min(len(a), len(b))
    relation = _relation(common, a, b)
    is_large = share > settings.large or share == 1
    if common == 0 or share < settings.small or not (is_large or settings.between == "compare"):
        reason = f"the primary codes share {common} of {len(a)} and {len(b)} tokens: too few"
        return CodeComparison(False, "different", share, None, reason)
    equal = _equal_auxiliary(a, b)
    same = equal >= settings.auxiliary
    reason = f"the primary codes share {common} of {len(a)} and {len(b)} tokens; of the auxiliary code there, {equal:.0%} is equal"
    return CodeComparison(same, relation if same else "different", share, equal, reason)


def _relation(common: int, a: FeatureCode, b: FeatureCode) -> Relation:
    if common == len(a) == len(b):
        return "overlap"  # the same paragraphs in another order
    if common == len(a):
        return "part of"
    return "contains" if common == len(b) else "overlap"


def _equal_auxiliary(a: FeatureCode, b: FeatureCode) -> float:
    """Share of the auxiliary tokens on the common paragraphs that are equal, place by place; 1 where there are none.

    Paragraphs with equal first tokens are taken in order: the first with the first.
    """
    waiting: dict[str, list[tuple[str, ...]]] = {}
    for token, rest in zip(reversed(b.primary), reversed(b.auxiliary), strict=True):
        waiting.setdefault(token, []).append(rest)
    equal = total = 0
    for token, rest in zip(a.primary, a.auxiliary, strict=True):
        if not waiting.get(token):
            continue
        other = waiting[token].pop()
        equal += sum(one == two for one, two in zip(rest, other, strict=False))
        total += max(len(rest), len(other))
    return equal / total if total else 1.0
