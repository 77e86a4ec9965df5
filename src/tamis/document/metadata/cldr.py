"""Dates and currencies of all languages from CLDR, as ``scripts/cldr.py`` compiles them."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any
from unicodedata import normalize

_TABLES: dict[str, Any] = json.loads(Path(__file__).with_name("cldr.json").read_bytes())
MONTH: Mapping[str, int] = _TABLES["months"][""]
"""Numbers of months by name, lower case, as any page may name them; from 13 on, those of the Solar Hijri calendar."""
WEEKDAYS = frozenset(_TABLES["weekdays"][""])  #: Names of days of the week, lower case.
BETWEEN = frozenset(_TABLES["between"])  #: Words between the numbers of a date: "de", "gada".
MONTH_MARKS = frozenset(_TABLES["month_marks"])  #: Words before the number of a month: "tháng".
_NO_NAMES: dict[str, int] = {}


def _number_of_name(table: str, name: str, language: str | None) -> int | None:
    """Return the number of a name, as the language has it, else as any may have it."""
    names: dict[str, dict[str, int]] = _TABLES[table]
    own = names.get(language.partition("-")[0], _NO_NAMES).get(name.lower()) if language else None
    return names[""].get(name.lower()) if own is None else own


def month_of(name: str, language: str | None = None) -> int | None:
    """Return the number of a month by its name, from 13 on in the Solar Hijri calendar. ``language``: BCP 47.

    >>> month_of("März"), month_of("listopada"), month_of("listopada", "hr"), month_of("maiatzaren", "eu"), month_of("Monday")
    (3, 11, 10, 5, None)
    """
    return _number_of_name("months", name, language)


def months_of(language: str | None) -> Mapping[str, int]:
    """Return all names of months that a page in a language may have."""
    return {**MONTH, **_TABLES["months"].get(language.partition("-")[0], _NO_NAMES)} if language else MONTH


def weekday_of(name: str, language: str | None = None) -> int | None:
    """Return the number of a day of the week by its name, 0 for Monday.

    >>> weekday_of("jeudi"), weekday_of("четверг"), weekday_of("May")
    (3, 3, None)
    """
    return _number_of_name("weekdays", name, language)


def half_of(name: str, language: str | None = None) -> int | None:
    """Return 0 or 1 for a word that means the first or second half of the day; None for other words.

    >>> half_of("p.m."), half_of("오후"), half_of("CH", "vi"), half_of("Uhr", "de")
    (1, 1, 1, None)
    """
    return _number_of_name("halves", name.replace(".", "").replace(" ", ""), language)


def order_of(language: str) -> str:
    """Return the order of day, month and year in numbers: ``dmy``, ``mdy`` or ``ymd``.

    >>> order_of("en"), order_of("en-GB"), order_of("zh-Hant-TW"), order_of("fr")
    ('mdy', 'dmy', 'ymd', 'dmy')
    """
    orders, tags = _TABLES["orders"], language.split("-")
    found: str = orders.get(f"{tags[0]}-{tags[-1]}") or orders.get(tags[0], "dmy")
    return found


def currency_of(sign: str, language: str | None = None) -> str | None:
    """Return the code of a currency (ISO 4217) by a sign or a code, with the territory or language deciding about ``$`` and ``kr``.

    >>> currency_of("Kč"), currency_of("US$"), currency_of("$"), currency_of("$", "en-CA"), currency_of("kr", "sv"), currency_of("руб.")
    ('CZK', 'USD', 'USD', 'CAD', 'SEK', 'RUB')
    """
    sign = normalize("NFKC", sign).strip(" .").lower()
    local = _TABLES["regional_currencies"].get(sign, _NO_NAMES)
    if language and (found := local.get(language) or local.get(language.partition("-")[0])):
        return str(found)
    code = sign.upper()
    return _TABLES["currencies"].get(sign) or (code if len(code) == 3 and code.isascii() and code.isalpha() else None)


def decimals_of(currency: str | None) -> int:
    """Return the number of decimals that amounts of a currency have.

    >>> decimals_of("EUR"), decimals_of("JPY"), decimals_of("KWD")
    (2, 0, 3)
    """
    return int(_TABLES["digits"].get(currency, 2))
