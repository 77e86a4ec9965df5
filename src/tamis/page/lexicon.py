"""Words and class names of web pages, by concept and language (``lexicon.txt``), and patterns made of them.

An entry is an expression of :mod:`re` without groups that capture and without alternatives: "comments?", "作\\s?者".
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from functools import cache, cached_property
from itertools import chain
from pathlib import Path
from re import _constants as ops  # type: ignore[attr-defined]
from re import _parser  # type: ignore[attr-defined]
from typing import Any

_MOST = 128  #: Most strings that a part of a pattern may match if it is to be searched in full.
_LONG = 4  #: Characters from which on a longer word is not rarer. A letter of Chinese, Japanese or Korean counts for as many as two.


@cache
def concepts() -> dict[str, dict[str, tuple[str, ...]]]:
    """Return the entries of each concept by language, as the file has them."""
    found: dict[str, dict[str, tuple[str, ...]]] = {}
    for line in Path(__file__).with_name("lexicon.txt").read_text(encoding="utf-8").splitlines():
        if line.startswith("["):
            concept = found.setdefault(line[1 : line.index("]")], {})
        elif line and line[0] != "#":
            language, _, words = line.partition(" ")
            concept[language] = concept.get(language, ()) + tuple(words.split("|"))
    return found


def entries(*names: str) -> tuple[str, ...]:
    """Return the entries of some concepts in all languages."""
    return tuple(chain.from_iterable(of_language for name in names for of_language in concepts()[name].values()))


def either(*names: str) -> str:
    """Return an expression for one entry of some concepts, in any language."""
    return f"(?:{'|'.join(entries(*names))})"


def paired(first: str, second: str) -> str:
    """Return an expression for entries of two concepts in the same language with blanks between, such as "written by".

    >>> re.fullmatch(paired("written", "by"), "geschrieben von") is not None, re.fullmatch(paired("written", "by"), "written von")
    (True, None)
    """
    one, other = concepts()[first], concepts()[second]
    return "(?:" + "|".join(rf"(?:{'|'.join(one[each])})\s+(?:{'|'.join(other[each])})" for each in one if each in other) + ")"


BY = rf"(?!d[ai]\b){either('by')}\b"  #: An expression for "by" in any language, but for words with which names begin as well.


class WordPattern:
    """A pattern and the words that texts are searched for first, which is many times as fast. Made on first use."""

    def __init__(self, expression: str, flags: int = re.IGNORECASE) -> None:
        self.expression, self.flags = expression, flags

    @cached_property
    def regex(self) -> re.Pattern[str]:
        """The pattern."""
        return re.compile(self.expression, self.flags)

    @cached_property
    def hints(self) -> frozenset[str]:
        """Words in lower case; each text that matches has one of them."""
        needed = set(_sequence(_parser.parse(self.expression, self.flags))[1])
        return frozenset(word for word in needed if not any(other in word for other in needed - {word}))

    @cached_property
    def search(self) -> Any:
        """``re.Pattern.search`` of the pattern; :attr:`match` and :attr:`fullmatch` likewise."""
        return self.regex.search

    @cached_property
    def match(self) -> Any:
        """``re.Pattern.match``."""
        return self.regex.match

    @cached_property
    def fullmatch(self) -> Any:
        """``re.Pattern.fullmatch``."""
        return self.regex.fullmatch


_Strings = Sequence[str]
_NOTHING = ("",)


def _sequence(parts: Any) -> tuple[_Strings | None, _Strings]:
    """Return the strings that a parsed expression matches, None if they are many, and strings; each match holds one of these."""
    run: _Strings = _NOTHING
    needed, whole = run, True
    for op, given in parts:
        if op is ops.LITERAL:
            letter = chr(given).lower()
            run = [word + letter for word in run]
            continue
        exact, inner = _part(op, given)
        if exact is not None and len(run) * len(exact) <= _MOST:
            run = [first + then for first in run for then in exact] if exact is not _NOTHING else run
        else:
            needed, run, whole = max(needed, run, inner, key=_rarity), exact or _NOTHING, False
    return run if whole else None, max(needed, run, key=_rarity)


def _part(op: Any, given: Any) -> tuple[_Strings | None, _Strings]:
    """As :func:`_sequence`, of one part."""
    if op is ops.IN and all(kind is ops.LITERAL for kind, _ in given):
        letters = [chr(letter).lower() for _, letter in given]
        return letters, letters
    if op in (ops.AT, ops.ASSERT, ops.ASSERT_NOT):
        return _NOTHING, _NOTHING
    if op is ops.SUBPATTERN:
        return _sequence(given[-1])
    if op is ops.ATOMIC_GROUP:
        return _sequence(given)
    if op is ops.BRANCH:
        branches = [_sequence(branch) for branch in given[1]]
        exact = [string for strings, _ in branches for string in (strings or ())]
        few = len(exact) <= _MOST and all(strings is not None for strings, _ in branches)
        return exact if few else None, list(chain.from_iterable(needed for _, needed in branches))
    if op in (ops.MAX_REPEAT, ops.MIN_REPEAT, ops.POSSESSIVE_REPEAT):
        least, most, inside = given
        exact_inside, needed = _sequence(inside)
        if (least, most) == (0, 1) and exact_inside is not None:
            return [*exact_inside, ""], _NOTHING
        return None, needed if least else _NOTHING
    return None, _NOTHING


def _rarity(strings: _Strings) -> tuple[int, int, int]:
    """Return how rare texts are that hold one of some strings: by the length of the shortest, then by their number and all lengths."""
    lengths = [sum(1 + (letter > "\u2fff") for letter in string) for string in strings]
    return min(*lengths, _LONG), -len(strings), sum(lengths)


_WORDS = "(?:ALL|BAM|CUP|GEL|MOP|SOS|TOP|TRY)"  #: Codes that are also words: before a number they are not currencies (``TOP 10``).
_SIGN = (
    r"[A-Z]{0,3}[$€£¥฿\u20a0-\u20c0＄￡￥￦]|kr\.?|zł|Kč|Ft|лв\.?|руб\.?|р\.|грн\.?|lei|TL|元|円|원|đ|ر\.?س\.?|د\.?إ\.?|ج\.?م\.?|﷼|ریال|تومان|Rp\.?|Rs\.?|R"
    r"|(?i:euros?|dollars?|pesos|franken|рублей)"
)
SPACES = r"' \u00a0\u2009\u202f’"
NUMBER = rf"[-+−]?(?:\d{{1,3}}(?:[.,{SPACES}]\d{{3}})+(?:[.,]\d{{1,2}})?|\d{{1,12}}(?:[.,]\d{{1,4}})?)"


@cache
def amount_pattern() -> re.Pattern[str]:
    """Return the pattern of a number that may be an amount of money: its currency, if it is written, is the group ``first``, ``sign``,
    ``code`` or ``after``. It takes milliseconds to compile, so only pages with prices wait for it."""
    code = "|".join(entries("currency"))  # ISO 4217
    return re.compile(
        rf"(?P<minus>[-−](?=[^-+−\d]))?(?:(?!{_WORDS})(?P<first>{code})\s?)?(?P<sign>{_SIGN})?\s?(?(minus)(?![-+−]))(?P<number>{NUMBER})(?:,-|\.-|,–)?\s?(?:(?P<code>{code})|(?P<after>{_SIGN}))?"
    )


def currencies_in(text: str) -> Iterator[str]:
    """Yield the currencies of a text's amounts as they are written.

    >>> list(currencies_in("EUR 5 or 6 ر.س or 7"))
    ['EUR', 'ر.س']
    """
    return (each for found in amount_pattern().finditer(text) for each in found.group("first", "sign", "code", "after") if each)
