"""Types of the values of a column (dates, prices, numbers or text), and how to read them."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass
from itertools import islice
from math import ceil, floor
from typing import Literal, get_args

from tamis.document.metadata.cldr import MONTH, WEEKDAYS
from tamis.document.metadata.dates import read_date
from tamis.page.lexicon import entries

ValueType = Literal["text", "price", "number", "date"]

MOST = 0.8  #: Share of a column's values that are of one type where the column is.
MOST_PRICES = 0.5  #: The same for prices, beside ``Sold out``: more than this, for their currency is clear.
MAX_LENGTH = 40  #: Characters of a date, price or number at most.
_CODE = "|".join(entries("currency"))
"""Codes of currencies (ISO 4217)."""
_WORDS = "(?:ALL|BAM|CUP|GEL|MOP|SOS|TOP|TRY)"  #: Codes that are also words: before a number they are not currencies (``TOP 10``).
_SIGN = (
    r"[A-Z]{0,3}[$€£¥฿\u20a0-\u20c0＄￡￥￦]|kr\.?|zł|Kč|Ft|лв\.?|руб\.?|р\.|грн\.?|lei|TL|元|円|원|đ|ر\.?س\.?|د\.?إ\.?|ج\.?م\.?|﷼|ریال|تومان|Rp\.?|Rs\.?|R"
    r"|(?i:euros?|dollars?|pesos|franken|рублей)"
)
_SPACES = r"' \u00a0\u2009\u202f’"
_NUMBER = rf"[-+−]?(?:\d{{1,3}}(?:[.,{_SPACES}]\d{{3}})+(?:[.,]\d{{1,2}})?|\d{{1,12}}(?:[.,]\d{{1,4}})?)"
_PRICE = re.compile(
    rf"(?P<minus>[-−](?=[^-+−\d]))?(?:(?!{_WORDS})(?P<first>{_CODE})\s?)?(?P<sign>{_SIGN})?\s?(?(minus)(?![-+−]))(?P<number>{_NUMBER})(?:,-|\.-|,–)?\s?(?:(?P<code>{_CODE})|(?P<after>{_SIGN}))?"
)
_UNITS = {
    **dict.fromkeys(("k", "tsd", "тыс", "千", "천"), 1e3),
    **dict.fromkeys(("万", "萬", "만"), 1e4),
    **dict.fromkeys(("m", "mio", "млн"), 1e6),
    **dict.fromkeys(("亿", "億", "억"), 1e8),
    **dict.fromkeys(("b", "mrd", "млрд"), 1e9),
}
"""Factors of shortened counts."""
_PLAIN = re.compile(
    rf"(?P<open>\()?(?P<number>{_NUMBER})(?:\s?(?P<unit>[kKM千천万萬만亿億억]|(?:Tsd|Mio|Mrd|тыс|млн|млрд)\.?|(?:(?<=[.,]\d)|(?<=[.,]\d\d))B))?(?(open)\))"
)
"""A number, perhaps a shortened one. ``512 B`` are bytes, ``75B`` is a size or a house."""
_LEADING_ZERO = re.compile(r"[(+−-]*0\d")  #: The beginning of a postcode or an article number.
_OTHER_MARK = {".": ",", ",": "."}
_DAY_AND_MONTH = re.compile(r"(?<![\d/-])(\d{1,2})([/-])(\d{1,2})\2\d{4}")
_WORD = re.compile(r"(?<!\d)[^\W\d_]{2,}")
_WORDS_OF_DATES = frozenset(MONTH) | WEEKDAYS | frozenset(entries("before date"))
"""Names of months and days, and words before dates."""


@dataclass(frozen=True, slots=True)
class Price:
    """An amount of money."""

    amount: float
    currency: str  #: As it is written: ``$``, ``C$``, ``EUR``; the code of ``$5.99 USD``.


@dataclass(frozen=True, slots=True)
class Reading:
    """Format of a column's values that are ambiguous alone."""

    language: str | None = None  #: A language with the order of its dates (:func:`date_language`).
    decimal: str | None = None  #: The decimal mark of its numbers.


def read_price(text: str, decimal: str | None = None) -> Price | None:
    """Return a text that is a price and nothing else. ``decimal``: as in :func:`read_number`.

    >>> read_price("C$ 1,299.50"), read_price("12,90 €"), read_price("29 replies")
    (Price(amount=1299.5, currency='C$'), Price(amount=12.9, currency='€'), None)
    """
    found = _PRICE.fullmatch(text.strip()) if len(text) <= MAX_LENGTH else None
    if found is None:
        return None
    codes, signs = ([found[name] for name in names if found[name]] for names in (("first", "code"), ("sign", "after")))
    one_currency = len(codes) <= 1 and len(signs) <= 1 and (codes or signs)
    amount = _amount((found["minus"] or "") + found["number"], decimal) if one_currency else None
    return None if amount is None else Price(float(amount), (codes or signs)[0])


def read_number(text: str, decimal: str | None = None) -> float | None:
    """Return a text that is a number and nothing else, perhaps a shortened one or in brackets: a whole one is an int. Of two marks the last
    is the decimal one; one before three digits groups them unless it is ``decimal``. With leading zeros it is an identifier and none.

    >>> read_number("1.299,50"), read_number("1,299"), read_number("3.5"), read_number("v3"), read_number("1.1K"), read_number("2,3 Mio.")
    (1299.5, 1299, 3.5, None, 1100, 2300000)
    >>> read_number("(12)"), read_number("4.123", "."), read_number("4.123", ","), read_number("007")
    (12, 4.123, 4123, None)
    """
    found = _PLAIN.fullmatch(text.strip()) if len(text) <= MAX_LENGTH else None
    if found is None or _LEADING_ZERO.match(found["number"]):
        return None
    number = _amount(found["number"], decimal)
    if number is None or not found["unit"]:
        return number
    full = round(number * _UNITS[found["unit"].rstrip(".").lower()], 4)  # 1.1 * 1000 is not 1100
    return int(full) if full == int(full) else full


def _decimals(number: str, decimal: str | None) -> str:
    mark = _decimal_mark(number) or decimal
    return number.rpartition(mark)[2] if mark and mark in number else ""


def _amount(number: str, decimal: str | None) -> float | None:
    """The value of what :data:`_NUMBER` fits; None for marks that contradict each other."""
    mark = _decimal_mark(number) or decimal or next((_OTHER_MARK[each] for each in number if each in ".,"), ".")
    bare = re.sub(rf"[{_SPACES}{_OTHER_MARK[mark]}]", "", number).replace("−", "-").replace(mark, ".")
    return None if bare.count(".") > 1 else float(bare) if "." in bare else int(bare)


def _decimal_mark(number: str) -> str | None:
    """The decimal mark that a number shows: ``.`` of ``3.5``, ``0.125`` and ``1.000,5``, ``,`` of ``1.000.000``; none of ``1.000``."""
    marks = [each for each in number if each in ".,"]
    if len(marks) > 1:
        return marks[-1] if len(set(marks)) == 2 else _OTHER_MARK[marks[-1]]
    if not marks:
        return None
    whole, _, rest = number.partition(marks[0])
    return marks[0] if len(rest) != 3 or len(whole) > 4 or whole.lstrip("-+−") == "0" else None


def column_type(values: Iterable[str | None]) -> ValueType:
    """Return the type that most of a column's values have; ``text`` if no type has enough, for dates with other words (``by Ann 3 May
    2024``) and for numbers that include codes (``01067``).

    >>> column_type(["3 May 2024", None, "2024-05-07"]), column_type(["$3", "$4.50"]), column_type(["29", "73"]), column_type(["a", "1"])
    ('date', 'price', 'number', 'text')
    """
    texts = [value.strip() for value in values if value and value.strip()]
    if not texts:
        return "text"
    how = reading(texts)
    for kind in get_args(ValueType)[1:]:
        others = len(texts) - (floor(MOST_PRICES * len(texts)) + 1 if kind == "price" else ceil(MOST * len(texts)))
        misses = (text for text in texts if typed(text, kind, how) is text)
        if len(list(islice(misses, others + 1))) <= others:
            is_text = (kind == "date" and _says_more(texts)) or (kind == "number" and _are_identifiers(texts, how))
            return "text" if is_text else kind
    return "text"


def reading(values: Iterable[str | None]) -> Reading:
    """Return how to read a column's values: the meaning that one of them shows holds for all.

    >>> reading(["4.123", "2.5", None]).decimal, reading(["27/05/2024"]).language
    ('.', 'fr')
    """
    texts = [value.strip() for value in values if value]
    marked = (text for text in texts if len(text) <= MAX_LENGTH and ("." in text or "," in text))
    numbers = [found["number"] for text in marked if (found := _PLAIN.fullmatch(text) or _PRICE.fullmatch(text))]
    marks = {_decimal_mark(number) for number in numbers} - {None}
    return Reading(date_language(texts), marks.pop() if len(marks) == 1 else None)


def _are_identifiers(texts: list[str], how: Reading) -> bool:
    """Return whether numbers would lose a significant digit: leading zeros (``00123``), the last zero of ``1.10`` beside ``1.9``."""
    numbers = (found["number"] for text in texts if (found := _PLAIN.fullmatch(text)) and not found["unit"])
    decimals = [digits for number in numbers if (digits := _decimals(number, how.decimal))]
    shortest = min(map(len, decimals), default=0)
    return any(map(_LEADING_ZERO.match, texts)) or any(len(each) > shortest and each.endswith("0") for each in decimals)


def date_language(values: Iterable[str | None]) -> str | None:
    """Return a language with the order of a column's dates, ``fr`` for days first, ``en`` for months first; None if no value shows it.

    >>> date_language(["03/05/2024", "27/05/2024"]), date_language(["03/05/2024", "05/27/2024"]), date_language(["03/05/2024"])
    ('fr', 'en', None)
    """
    numbers = [(int(found[1]), int(found[3])) for value in values if value and (found := _DAY_AND_MONTH.search(value))]
    days_first, months_first = any(first > 12 for first, _ in numbers), any(second > 12 for _, second in numbers)
    return None if days_first == months_first else "fr" if days_first else "en"


def _says_more(texts: list[str]) -> bool:
    """Return whether dates are among words that are not names of months or days and that differ from value to value."""
    words = [set(_WORD.findall(text.lower())) - _WORDS_OF_DATES for text in texts]
    having = Counter(word for own in words for word in own)
    return sum(any(2 * having[word] <= len(texts) for word in own) for own in words) > (1 - MOST) * len(texts)


def _read_shown_date(text: str, language: str | None) -> str | None:
    """A date with a day, as pages show it: bare years and epochs are numbers."""
    return read_date(text, language) if len(text) <= MAX_LENGTH and re.search(r"\d\D+\d|\d\D+$|^\D+\d", text) else None


_READERS = {"price": read_price, "number": read_number}


def typed(value: str | None, kind: ValueType, how: Reading = Reading()) -> str | float | Price | None:
    """Return a value as its column's type: a date in ISO 8601, a :class:`Price`, a number; what cannot be read stays text. ``how`` decides
    about ``03/05/2024`` and ``1.234`` (:func:`reading`)."""
    if value is None or kind == "text":
        return value
    found = _read_shown_date(value, how.language) if kind == "date" else _READERS[kind](value, how.decimal)
    return value if found is None else found
