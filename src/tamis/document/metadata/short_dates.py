"""Dates without a century or without a year, as short lines show them."""

from __future__ import annotations

import re

from tamis.document.metadata.cldr import order_of
from tamis.document.metadata.dates import TIME, day_of, with_time

MAX_LINE = 60  #: Characters of a line that may be such a date.
LATEST = 59  #: Two digits of a year after 2000, at the most.

_TWO_DIGITS = re.compile(r"(?<![\w./-])(\d{1,2})([./-])\s?(\d{1,2})\2\s?(\d\d)(?=\d\d:\d\d|(?![\w./-]))" + TIME)
_NO_YEAR = re.compile(r"(?<![\w./-])(\d{1,2})(?:[/-]|月)(\d{1,2})日?(?=\s{0,2}\d\d:\d\d)" + TIME)
_HAN = re.compile(r"[\u4e00-\u9fff]")


def short_date(text: str, language: str | None, latest: str | None = None) -> str | None:
    """The date that a short line holds, to ISO 8601. ``latest``: a date of the page that it is not after, which tells the year.

    >>> short_date("8/17/13 11:04am", "en-US"), short_date("7.8.13", "de"), short_date("发布时间：18-03-0823:16", None)
    ('2013-08-17T11:04:00', '2013-08-07', '2018-03-08T23:16:00')
    >>> short_date("8/17/13", None), short_date("8/7/13", None), short_date("24/7/365", "en")
    ('2013-08-17', None, None)
    >>> short_date("发布时间：12-30 10:00", "zh", "2024-01-02"), short_date("12-30 10:00", "zh")
    ('2023-12-30T10:00:00', None)
    """
    if len(text) > MAX_LINE:
        return None
    if match := _TWO_DIGITS.search(text):
        numbers = (int(match[1]), int(match[3]), int(match[4]))
        return with_time(match, _day(numbers, language or ("zh" if _HAN.search(text) else None)))
    if latest and (match := _NO_YEAR.search(text)):
        days = (day_of(int(latest[:4]) - before, int(match[1]), int(match[2])) for before in (0, 1))
        return with_time(match, next((day for day in days if day and day <= latest[:10]), None))
    return None


def _day(numbers: tuple[int, int, int], language: str | None) -> str | None:
    """The day that numbers say in the order of the language, else in the other order; without a language, if only one order fits."""
    one, two, three = numbers
    order = order_of(language) if language else None
    if order == "ymd":
        return _in_century(one, two, three)
    month_first, day_first = _in_century(three, one, two), _in_century(three, two, one)
    if order == "dmy":
        return day_first or month_first
    return month_first or day_first if order or not (month_first and day_first) else None


def _in_century(year: int, month: int, day: int) -> str | None:
    return day_of(2000 + year, month, day) if year <= LATEST else None
