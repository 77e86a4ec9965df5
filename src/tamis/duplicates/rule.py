"""The rule by which two texts are the same, and its evidence. The steps are explained in ``docs/methods/feature-code.md``."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import asdict, dataclass, replace
from math import ceil
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from tamis.duplicates.signature import COUNT, Hashes, Signature, SignatureSettings, among, overlaps, signature
from tamis.errors import UsageError, check_numbers

Relation = Literal["identical", "near", "part of", "contains", "different", "too little text"]


@dataclass(frozen=True, slots=True)
class DuplicateRule:
    """The rule that decides whether two texts are the same. Each step can be left out.

    Raises:
        UsageError: a number is out of its range.
    """

    signature: SignatureSettings = SignatureSettings()  #: Parts of texts that are compared.
    least: int = 24
    """Texts with fewer distinct shingles (or no feature) are too short to compare: only texts of the same words are the same."""
    coverage: float = 0.7  #: Share of the shorter text's passages that have to be in the longer one.
    verify: bool = True  #: Also compare all shingles; otherwise the features in passages decide alone.
    window: int = 24  #: Shingles in a window of the text; fewer in short texts, so that there are five windows, but no fewer than eight.
    found: float = 0.08  #: Share of a window's shingles that have to be in the longer text for the window to be found.
    windows: float = 0.8  #: Share of the shorter text's windows that have to be found.
    numbers: float = 0.7
    """Share of the shorter text's numbers that must be in the longer one, or the share of its shingles if that is less; of two, one.
    0: numbers do not count."""
    subjects: bool = True
    """Texts are different if each has a word several times that the other never has, or one in its title (a short first line) whose other
    words are mostly the same: pages of one template about different things, and variants of a product with one description."""
    part: float = 0.92
    """Share of the shorter text's windows that must be found if it is only a part of the longer one: a part has no text of its own."""
    parts: bool = True
    """A text that is part of another counts as the same. Otherwise most of the longer text has to be in the shorter, too."""

    def __post_init__(self) -> None:
        check_numbers(
            self,
            positive=("window", "least"),
            shares=("found", "windows", "numbers", "part"),
            parts=("coverage",),  # with 0, all texts are the same
        )

    def has_enough(self, text: Signature) -> bool:
        """Return whether a text is long enough to be compared."""
        return len(text) >= self.least and text.passages > 0

    def needed(self, passages: int) -> int:
        """Return how many of the passages have to be found."""
        return max(ceil(self.coverage * passages - 1e-9), 1)


_FEWEST_WINDOWS, _SMALLEST_WINDOW = 5, 8
_LONGER = 100  #: Shingles from which on a text is more than a few lines around its numbers.
_SEVERAL, _SHINGLES_A_TIME = 3, 50
"""A word is there several times when it is there three times, and once for every 50 shingles (15 times will do)."""


@dataclass(frozen=True, slots=True)
class DuplicateEvidence:
    """Evidence from a comparison of two texts."""

    same: bool
    relation: Relation  #: Of the first text to the second.
    passages: float  #: Share of the shorter text's passages that are in the longer one (the code).
    windows: float  #: Share of the shorter text's windows that are in the longer one (the text).
    containment: float  #: Share of the shorter text's shingles that are in the longer one.
    resemblance: float  #: Shingles that both have, of those that either has.
    numbers: float  #: Share of the shorter text's numbers that are in the longer one; 1 where there are none.
    reason: str  #: In words.

    def swapped(self) -> DuplicateEvidence:
        """Return the evidence of the second text to the first."""
        return replace(self, relation=_REVERSE.get(self.relation, self.relation))

    def to_dict(self) -> dict[str, Any]:
        """Return the values by name, shares rounded to three places."""
        return {name: round(value, 3) if isinstance(value, float) else value for name, value in asdict(self).items()}


_REVERSE: dict[Relation, Relation] = {"part of": "contains", "contains": "part of"}


def explain(a: str, b: str, rule: DuplicateRule = DuplicateRule()) -> DuplicateEvidence:
    """Compare two texts, and explain whether they are the same.

    >>> names = "first second third fourth fifth".split()
    >>> text = " ".join(f"The {name} boat of the old harbour is called {name[::-1]}." for name in names)
    >>> explain(text, text.upper()).relation
    'identical'
    """
    return compare_signatures(signature(a, rule.signature), signature(b, rule.signature), rule)


Overlap = tuple[int, int, int]  #: Overlap of a text with another: shingles, passages, windows.


def compare_signatures(a: Signature, b: Signature, rule: DuplicateRule, known: Overlap | None = None) -> DuplicateEvidence:
    """Compare two texts by their signatures. Swapping them swaps ``part of`` and ``contains``, and nothing else.

    Of texts of equal length each has to be in the other.

    Args:
        a: one text.
        b: the other.
        rule: when they are the same.
        known: how much of ``a`` is in ``b``, where ``a`` is not the longer text and this was counted before.

    Raises:
        UsageError: the signatures are made in different ways.
    """
    if any(each.settings is not rule.signature and each.settings != rule.signature for each in (a, b)):
        raise UsageError("signatures can only be compared by a rule with the settings that they were made with")
    if a.digest == b.digest and a.letters:
        return DuplicateEvidence(True, "identical", 1.0, 1.0, 1.0, 1.0, 1.0, "the same words in the same order")
    if not rule.has_enough(a) or not rule.has_enough(b):
        return DuplicateEvidence(
            False, "too little text", 0.0, 0.0, 0.0, 0.0, 0.0, f"a text with fewer than {rule.least} shingles says too little"
        )
    if a.letters > b.letters:
        return _compare(b, a, rule).swapped()
    there = _compare(a, b, rule, known)
    if a.letters < b.letters:
        return there
    back = _compare(b, a, rule).swapped()
    return min(there, back, key=lambda each: (each.same, each.windows, each.passages, each.containment, each.numbers, each.reason))


def promising(small: Signature, others: Sequence[Hashes], rule: DuplicateRule) -> list[Overlap | None]:
    """Return the overlap of a text with each of some longer ones, given by their shingles; None if it is too little for the first two steps
    of the rule, code and text.

    The texts have enough for the rule.
    """
    needed, windows = rule.needed(small.passages), _windows(small, rule)
    return [
        each if each[1] >= needed and (not rule.verify or each[2] / windows >= rule.windows) else None
        for each in overlaps(small.shingles, others, *_measure_of(small, rule))
    ]


def _compare(small: Signature, large: Signature, rule: DuplicateRule, known: Overlap | None = None) -> DuplicateEvidence:
    common, found, in_windows = known or overlaps(small.shingles, [large.shingles], *_measure_of(small, rule))[0]
    code = found / small.passages
    windows = in_windows / _windows(small, rule)
    containment = common / len(small)
    resemblance = common / (len(small) + len(large) - common)
    numbers = np.count_nonzero(among(small.numbers, large.numbers)) / len(small.numbers) if len(small.numbers) else 1.0
    lacking = None if found >= rule.needed(small.passages) else f"only {code:.0%} of the shorter text's passages are in the longer"
    if lacking is None and rule.verify:
        needed = _needed_numbers(small, min(rule.numbers, common / len(small)))
        if windows < rule.windows:
            lacking = f"only {windows:.0%} of the shorter text is in the longer"
        elif round(numbers * len(small.numbers)) < needed:
            lacking = f"only {numbers:.0%} of the shorter text's numbers are in the longer"
    relation: Relation = "part of"
    if lacking is None:
        back = overlaps(large.shingles, [small.shingles], *_measure_of(large, rule))[0][2] / _windows(large, rule)
        if back >= rule.windows:
            relation = "near"
            if rule.verify and rule.subjects and _other_subject(small, large):
                lacking = "each has a word several times that the other never has"
            elif rule.verify and rule.subjects and _other_title(small, large):
                lacking = "each has a word in its title that the other never has"
        elif not rule.parts:
            lacking = f"only {back:.0%} of the longer text is in the shorter"
        elif rule.verify and windows < rule.part:
            lacking = f"only {windows:.0%} of the shorter text is in the longer, too little for a part of it"
    if lacking is not None:
        return DuplicateEvidence(False, "different", code, windows, containment, resemblance, numbers, lacking)
    reason = f"{windows:.0%} of the shorter text is in the longer" + ("; they are almost equal" if relation == "near" else "")
    return DuplicateEvidence(True, relation, code, windows, containment, resemblance, numbers, reason)


def _measure_of(text: Signature, rule: DuplicateRule) -> tuple[int, int, int, int, int, float]:
    return rule.signature.bound, text.passage_length, text.passages, text.demanded, _window(text, rule), rule.found


def _windows(text: Signature, rule: DuplicateRule) -> int:
    return max(len(text) // _window(text, rule), 1)


def _window(text: Signature, rule: DuplicateRule) -> int:
    return min(max(len(text) // _FEWEST_WINDOWS, _SMALLEST_WINDOW), rule.window)


def _needed_numbers(text: Signature, share: float) -> int:
    """Return how many of a text's numbers the other must have: a share; one may always be missing of two, and of three in a longer text."""
    count = len(text.numbers)
    if count < 2 or share == 0:
        return 0
    needed = ceil(share * count - 1e-9)
    return min(needed, count - 1) if count == 2 or len(text) >= _LONGER else needed


def _other_subject(a: Signature, b: Signature) -> bool:
    """Return whether each of two texts has a word several times (more often in longer texts) that the other lacks."""
    return all(_has_own_word(one, other) for one, other in ((a, b), (b, a)))


def _other_title(a: Signature, b: Signature) -> bool:
    """Return whether the titles of two texts name variants: half of the words are the same, and each has one that the other text lacks."""
    words = [_without_count(each.words) for each in (a, b)]
    titles = [own[: each.title] for own, each in zip(words, (a, b), strict=True)]
    shared = np.count_nonzero(among(titles[0], titles[1]))
    own = all(len(title) and not among(title, other).all() for title, other in zip(titles, words[::-1], strict=True))
    return own and bool(2 * shared >= min(map(len, titles)))


def _has_own_word(text: Signature, other: Signature) -> bool:
    several = min(max(len(text) // _SHINGLES_A_TIME, _SEVERAL), COUNT)
    often = _without_count(text.words[(text.words & np.uint32(COUNT)) >= several])
    return len(often) > 0 and not among(often, _without_count(other.words)).all()


def _without_count(words: Hashes) -> Hashes:
    return words & np.uint32(0xFFFFFFFF ^ COUNT)


_FEW, _MANY = 4, 64  #: Rows whose shingles are read together: few at first, since the first one may do.
_NOTHING = np.zeros(0, dtype=np.uint32)


def matches(
    text: Signature,
    rows: NDArray[np.int64],
    letters: NDArray[np.int64],
    shingles_of: Callable[[int], Hashes | None],
    signature_of: Callable[[int], Signature | None],
    rule: DuplicateRule,
) -> Iterator[tuple[int, DuplicateEvidence]]:
    """Yield the rows, int64 ``(c,)``, that a text is the same as, in order. The shingles alone reject most.

    ``letters``: the number of each row's letters, int64 ``(c,)``. The functions give the shingles and the signature of a row, or None.
    """
    start, size = 0, _FEW
    while start < len(rows):
        part = rows[start : start + size].tolist()
        longer = [place for place, its in enumerate(letters[start : start + size].tolist()) if its >= text.letters]
        shingles = [shingles_of(part[place]) for place in longer]
        seem = dict(zip(longer, promising(text, [_NOTHING if each is None else each for each in shingles], rule), strict=True))
        for place, row in enumerate(part):
            known = seem.get(place)
            other = signature_of(row) if known is not None or place not in seem else None
            if other is None:
                continue
            evidence = compare_signatures(text, other, rule, known)
            if evidence.same:
                yield row, evidence
        start, size = start + size, _MANY
