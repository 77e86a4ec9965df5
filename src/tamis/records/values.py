"""What the values of a column are: dates, prices, numbers or text, and how to read them."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass
from itertools import islice
from math import ceil, floor
from typing import Literal, get_args

from tamis.document.metadata.dates import MONTH, read_date

ValueType = Literal["text", "price", "number", "date"]

MOST = 0.8  #: Share of a column's values that are of one type where the column is.
MOST_PRICES = 0.5  #: The same for prices, beside ``Sold out``: more than this, for their currency is clear.
MAX_LENGTH = 40  #: Characters of a date, price or number at most.
_CURRENCY = r"[A-Z]{0,3}[$€£¥₽₹₩₺₴₪₫฿]|[A-Z]{3}|kr\.?|zł|Kč|Ft|лв\.?|руб\.?|р\.|元|円|원|Rs\.?|R"
_NUMBER = r"-?\d{1,3}(?:[.,' \u00a0\u202f]\d{3})+(?:[.,]\d{1,2})?|-?\d{1,12}(?:[.,]\d{1,4})?"
_PRICE = re.compile(rf"(?P<before>{_CURRENCY})?\s?(?P<number>{_NUMBER})(?:,-|\.-|,–)?\s?(?P<after>{_CURRENCY})?")
_UNITS = {
    **dict.fromkeys(("k", "tsd", "тыс", "千", "천"), 1e3),
    **dict.fromkeys(("万", "萬", "만"), 1e4),
    **dict.fromkeys(("m", "mio", "млн"), 1e6),
    **dict.fromkeys(("亿", "億", "억"), 1e8),
    **dict.fromkeys(("b", "mrd", "млрд"), 1e9),
}
"""What counts are shortened to."""
_PLAIN = re.compile(rf"(?P<number>{_NUMBER})(?:\s?(?P<unit>[kKM千천万萬만亿億억]|(?:Tsd|Mio|Mrd|тыс|млн|млрд)\.?|(?<!\s)B))?")
"""A number, perhaps a shortened one. ``512 B`` are bytes."""
_CODE = re.compile(r"-?0\d")  #: What begins so is a postcode, or the number of an article.
_DAY_AND_MONTH = re.compile(r"(?<![\d/-])(\d{1,2})([/-])(\d{1,2})\2\d{4}")
_WORD = re.compile(r"(?<!\d)[^\W\d_]{2,}")
_WORDS_OF_DATES = frozenset(MONTH) | frozenset(
    """am pm published posted updated modified mon monday tue tues tuesday wed wednesday thu thur thurs thursday fri friday sat saturday sun
    sunday mo di mi do fr sa so montag dienstag mittwoch donnerstag freitag samstag sonnabend sonntag lundi mardi mercredi jeudi vendredi
    samedi dimanche lunes martes miércoles jueves viernes sábado domingo lunedì martedì mercoledì giovedì venerdì sabato domenica maandag
    dinsdag woensdag donderdag vrijdag zaterdag zondag понедельник вторник среда четверг пятница суббота воскресенье""".split()
)
"""Names of months and days, and words that stand before dates."""


@dataclass(frozen=True, slots=True)
class Price:
    """An amount of money."""

    amount: float
    currency: str  #: As it is written: ``$``, ``C$``, ``EUR``.


def read_price(text: str) -> Price | None:
    """A text that is a price and nothing else.

    >>> read_price("C$ 1,299.50"), read_price("12,90 €"), read_price("29 replies")
    (Price(amount=1299.5, currency='C$'), Price(amount=12.9, currency='€'), None)
    """
    found = _PRICE.fullmatch(text.strip()) if len(text) <= MAX_LENGTH else None
    if found is None or bool(found["before"]) == bool(found["after"]):
        return None
    amount = read_number(found["number"])
    return None if amount is None else Price(amount, found["before"] or found["after"])


def read_number(text: str) -> float | None:
    """A text that is a number and nothing else, perhaps a shortened one; of two marks the last is the decimal one, and one before three
    digits groups them.

    >>> read_number("1.299,50"), read_number("1,299"), read_number("3.5"), read_number("v3"), read_number("1.1K"), read_number("2,3 Mio.")
    (1299.5, 1299.0, 3.5, None, 1100.0, 2300000.0)
    """
    found = _PLAIN.fullmatch(text.strip()) if len(text) <= MAX_LENGTH else None
    if found is None:
        return None
    bare = re.sub(r"[' \u00a0\u202f]", "", found["number"])
    marks = [mark for mark in bare if mark in ".,"]
    if not marks and _CODE.match(bare):
        return None
    if len(set(marks)) == 2:
        bare = bare.replace(marks[0], "").replace(marks[-1], ".")
    elif marks and (len(marks) > 1 or len(bare.rpartition(marks[0])[2]) == 3):
        bare = bare.replace(marks[0], "")
    elif marks:
        bare = bare.replace(marks[0], ".")
    unit = _UNITS[found["unit"].rstrip(".").lower()] if found["unit"] else 1
    return round(float(bare) * unit, 4)  # 1.1 * 1000 is not 1100


def column_type(values: Iterable[str | None]) -> ValueType:
    """The type that most of a column's values have; ``text`` where none has enough, for dates with other words (``by Ann 3 May 2024``) and
    for numbers of which some are codes (``01067``).

    >>> column_type(["3 May 2024", None, "2024-05-07"]), column_type(["$3", "$4.50"]), column_type(["29", "73"]), column_type(["a", "1"])
    ('date', 'price', 'number', 'text')
    """
    texts = [value.strip() for value in values if value and value.strip()]
    if not texts:
        return "text"
    language = date_language(texts)
    for kind in get_args(ValueType)[1:]:
        others = len(texts) - (floor(MOST_PRICES * len(texts)) + 1 if kind == "price" else ceil(MOST * len(texts)))
        misses = (text for text in texts if typed(text, kind, language) is text)
        if len(list(islice(misses, others + 1))) <= others:
            return "text" if (kind == "date" and _says_more(texts)) or (kind == "number" and any(map(_CODE.match, texts))) else kind
    return "text"


def date_language(values: Iterable[str | None]) -> str | None:
    """A language with the order of a column's dates, ``fr`` for days first and ``en`` for months first; None where no value shows it.

    >>> date_language(["03/05/2024", "27/05/2024"]), date_language(["03/05/2024", "05/27/2024"]), date_language(["03/05/2024"])
    ('fr', 'en', None)
    """
    numbers = [(int(found[1]), int(found[3])) for value in values if value and (found := _DAY_AND_MONTH.search(value))]
    days_first, months_first = any(first > 12 for first, _ in numbers), any(second > 12 for _, second in numbers)
    return None if days_first == months_first else "fr" if days_first else "en"


def _says_more(texts: list[str]) -> bool:
    """Whether dates stand among words that are no names of months or days and that differ from value to value."""
    words = [set(_WORD.findall(text.lower())) - _WORDS_OF_DATES for text in texts]
    having = Counter(word for own in words for word in own)
    return sum(any(2 * having[word] <= len(texts) for word in own) for own in words) > (1 - MOST) * len(texts)


def _read_shown_date(text: str, language: str | None) -> str | None:
    """A date with a day, as pages show it: bare years and epochs are numbers."""
    return read_date(text, language) if len(text) <= MAX_LENGTH and re.search(r"\d\D+\d|\d\D+$|^\D+\d", text) else None


def typed(value: str | None, kind: ValueType, language: str | None = None) -> str | float | Price | None:
    """A value as its column's type: a date in ISO 8601, a :class:`Price`, a number; what cannot be read stays text. ``language`` decides
    about ``03/05/2024`` (:func:`date_language`)."""
    if value is None or kind == "text":
        return value
    found = _read_shown_date(value, language) if kind == "date" else {"price": read_price, "number": read_number}[kind](value)
    return value if found is None else found
