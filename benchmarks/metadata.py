"""How often a page's title, author and date are found, and how often one is given where there is none."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Literal

Field = Literal["title", "author", "date"]

_WORD = re.compile(r"\w+")
_LEADING = re.compile(r"^\s*(?:by|von|par|por)\s+", re.IGNORECASE)
_CONNECTIVES = frozenset(("and", "und", "et", "y"))


@dataclass(frozen=True, slots=True)
class FieldScore:
    """Counts over pages; an empty string counts as nothing said."""

    pages: int
    """All pages."""
    with_gold: int
    """Pages whose gold has a value."""
    exact: int
    """Of these, pages where the predicted value is the gold, letter for letter."""
    right: int
    """Of these, pages where it is the same after :func:`normalise`."""
    given: int
    """Of these, pages where a value is predicted at all."""
    invented: int
    """Pages whose gold has no value where one is predicted. Gold may be silent on what the page does say, so this is no error rate."""

    @property
    def accuracy(self) -> float:
        """Share of the pages with gold where the normalised value is right, 0..1."""
        return self.right / self.with_gold if self.with_gold else 0.0

    @property
    def exact_accuracy(self) -> float:
        """Share of the pages with gold where the value is the gold to the letter, 0..1."""
        return self.exact / self.with_gold if self.with_gold else 0.0

    @property
    def precision(self) -> float:
        """Share of the values given on pages with gold that are right after normalisation, 0..1."""
        return self.right / self.given if self.given else 0.0


def score_metadata(pairs: Iterable[tuple[str | None, str | None]], field: Field) -> FieldScore:
    """Compare predicted with gold values of one field.

    Args:
        pairs: (predicted, gold), one pair a page; None or an empty string where there is no value.
        field: decides how values are normalised.

    >>> score_metadata([("By Ann Lee", "Ann Lee"), (None, "Bo"), ("Site", None)], "author").accuracy
    0.5
    """
    pages = with_gold = exact = right = given = invented = 0
    same = normalise(field)
    for said, true in pairs:
        pages += 1
        predicted, gold = (said or "").strip(), (true or "").strip()
        if not gold:
            invented += bool(predicted)
            continue
        with_gold += 1
        given += bool(predicted)
        compared = predicted[: len(gold)] if field == "date" else predicted
        exact += compared == gold
        right += bool(predicted) and same(compared) == same(gold)
    return FieldScore(pages, with_gold, exact, right, given, invented)


def normalise(field: Field) -> Callable[[str], object]:
    """What two values of a field have in common where they say the same.

    - title: the words (``\\w+``) in their order, case and width ignored;
    - author: the words in any order, without a leading "by" and without "and", so that ``A; B`` is ``B and A``;
    - date: the value itself. A predicted date is cut to the length of the gold before any comparison: the day decides, not the time.
    """
    if field == "title":
        return _words
    if field == "author":
        return lambda value: sorted(word for word in _words(_LEADING.sub("", value)) if word not in _CONNECTIVES)
    return str.strip


def _words(value: str) -> list[str]:
    return _WORD.findall(unicodedata.normalize("NFKC", value).casefold())
