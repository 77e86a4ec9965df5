"""Dates as people and programs write them, to ISO 8601; names and orders of all languages are those of CLDR.

``03/05/2024`` is read in the order of the page's language; without a language it is not a date. The day of the week in front of it decides
first, then the form of the time behind it. ``03.05.2024`` always begins with the day. No date is completed from the clock.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from functools import lru_cache
from typing import Literal, NamedTuple

from tamis.document.metadata.cldr import BETWEEN, MONTH_MARKS, half_of, month_of, months_of, order_of, weekday_of
from tamis.page.lexicon import either

MAX_LENGTH = 100  #: Characters of a value that is read as one date.
MAX_LABEL = 40  #: Characters before a date that may hold its label.
EARLIEST = 1995  #: First year of a date found in text or in an address; a declared date may be older (papers, archives).
EARLIEST_DECLARED = 1500
LATEST = 2099  #: A constant, so that the same page gives the same date in any year.
LEAST_OF_SENTENCE, MAX_SENTENCE = 4, 8  #: Words around a date of a sentence, at least; of one that says when the page was published.
LEAST_SHORT = 3  #: The same of a sentence most of whose words begin with small letters.
MAX_BEHIND = 20  #: Characters of a label behind a date.
MAX_AROUND = 40  #: Most letters around a date that is not in a sentence, in scripts without capitals.

_SOLAR_HIJRI = 13  #: Months from this number on are of the Solar Hijri calendar.
_ERAS = {
    "明治": 1867,
    "大正": 1911,
    "昭和": 1925,
    "平成": 1988,
    "令和": 2018,
    "民國": 1911,
    "民国": 1911,
}  #: The year before the first one.
OF_YEARS = (*_ERAS, *"199 20 255 256 257 ٢٠ ۲۰ ۱۳ ۱۴ २० ২০ ２０ 二〇 二零 二○ 一九 .0 .1 /0 /1 -0 -1".split())
"""One of these is in each date found in text."""
_ERA = re.compile(rf"({'|'.join(_ERAS)})\s?(\d{{1,3}}|元)(?=年)")
_BUDDHIST = 543  #: Years of the Thai calendar before the first one of ours.

_MARK = (
    r"\u0300-\u036f\u0591-\u05c7\u064b-\u065f\u0900-\u0963\u0970-\u0dff\u0e31-\u0e4e\u0eb1-\u0ece\u0f71-\u0f84\u102b-\u109d\u17b4-\u17d3"
)
_LETTER = rf"(?:[^\W\d_]|[{_MARK}])"
_WORD = re.compile(rf"{_LETTER}+")
_TOKEN = re.compile(rf"\d+(?:[:：]\d\d){{0,2}}|{_LETTER}+(?:\.(?=[\u0e00-\u0eff]){_LETTER}+)*|\S")
"""Numbers, times, words and signs. Thai has full stops in short names."""
TIME = (
    r"(?:[\s,،T　|·•(（–—-]{0,4}(?P<lead>(?:[^\W\d_]{1,4}\.?,?[)）]?\s?){1,2})?(?P<hour>[01]?\d|2[0-3])"
    r"(?:\s?[:：時时点點시]\s?|h|(?(lead)\.(?!\d{3})|\.(?=\d\d(?:\sUhr|\.\d\d(?![\d.])))))(?P<minute>[0-5]\d)(?:[:：分.](?P<second>[0-5]\d))?"
    r"(?:[.,]\d{1,9}+)?(?:\s?(?!UTC|GMT)(?P<half>[^\W\d_]\.\s?[^\W\d_]\.|[AaPp]\s?[Mm]\b|(?:[^\W\d_]{2,3}|[^\W\d_A-Za-z])(?![^\W_]|[:：])))?"
    r"(?:\s?\(?(?P<zone>Z\b|(?:UTC|GMT)\s?[+-]\d{1,2}(?!\d)(?::[0-5]\d)?|(?:(?:UTC|GMT)\s?)?[+-][01]\d(?::?[0-5]\d\b|\b(?!:))|(?:UTC|GMT)\b))?)?"
)
_YEAR_FIRST = re.compile(
    r"(?P<year>[12](?<![\d./-].)\d{3})(?:\s?[年년]\s?(?P<m1>\d{1,2})\s?[月월]\s?(?P<d1>\d{1,2})\s?[日号號일]"
    r"|(?P<sep>[-/.‐–])\s?(?P<m2>\d{1,2})(?P=sep)\s?(?P<d2>\d{1,2}(?!\d)|\d\d(?=\d\d:\d\d))\.?)" + TIME
)
_NUMBERS = re.compile(r"(?P<one>\d(?<![\d.:/-].)\d?)(?P<sep>[./-])\s?(?P<two>\d{1,2})(?P=sep)\s?(?P<year>[12]\d{3})(?![\d/-]|\.\d)" + TIME)
_TIME = re.compile(TIME)
_SHORT_YEAR = re.compile(rf"(?:^|(?<=[,;:|·•(–—-]\s))\d\d([./-])\d\d\1(?=[0-3]\d{TIME}\s?(?:[,;|·•)–—-]|$))")
"""Day and month before a year of two digits that make a part of a line by themselves."""
_WORDED = re.compile(
    "(?P<dmy>d[fp]{0,3}s?[fp]{0,2}(?:ms)?(?:m|kd)[fp]{0,3}s?[fp]?y)"
    "|(?P<mdy>mp?d[fp]{0,2}(?:tx?)?[fp]?y)"
    "|(?P<ymd>y[fps]{0,3}(?:m|kd)[ps]?f?d(?![fps]{0,3}y)|y[fps]{0,4}d[fps]{0,2}m(?![fps]{0,3}y))"
)
"""Dates with the month in words, by the kinds of their tokens (:func:`_kind_of_token`)."""
_AMERICAN = re.compile(r",\s\d{1,2}:\d\d:\d\d\s[AP]M\b")
_WORD_BEFORE = re.compile(r"(?<!\w)([^\W\d_]{2,12})[.,]{0,2}\s{0,2}$")
_YEAR_MONTH = re.compile(r"([12]\d{3})\s?[-/年년.]\s?(0?[1-9]|1[0-2])\s?[月월]?")
_YEAR = re.compile(r"[12]\d{3}")
_COMPACT = re.compile(r"([12]\d{3})([01]\d)([0-3]\d)(?:T?([0-2]\d)([0-5]\d)([0-5]\d)?(Z|[+-]\d{2}:?\d{2})?)?")
_EPOCH = re.compile(r"\d{10}|\d{13}")
_DIGITS = re.compile(r"\d")
_UNSEEN = re.compile("[\u200b-\u200f]")  #: Marks of the direction of writing, and the like.
_HAN_DIGITS = "〇一二三四五六七八九零○"
_IN_ASCII = str.maketrans(_HAN_DIGITS, "012345678900")
_HAN_NUMBER = re.compile(rf"[{_HAN_DIGITS}]{{4}}(?=年)|(?<=[年月])[{_HAN_DIGITS[1:10]}]?十?[{_HAN_DIGITS[1:10]}]?(?=[月日])")
_NATIVE_DIGIT = re.compile(r"[^\D0-9]")
_FOUR_DIGITS = re.compile(r"[12](?<!\d[12])\d{3}(?!\d)")  #: Begins with what it must find, which is faster to look for.


def read_date(value: str, language: str | None = None) -> str | None:
    """Convert a declared date to ISO 8601: with time and offset, a day, a month or a year. ``language``: BCP 47, for ``03/05/2024``.

    >>> read_date("2024-03-05T10:20:00.000Z"), read_date("Tue, 05 Mar 2024 10:20:00 GMT"), read_date("2024年3月5日")
    ('2024-03-05T10:20:00+00:00', '2024-03-05T10:20:00+00:00', '2024-03-05')
    >>> read_date("5. März 2024"), read_date("03/05/2024"), read_date("03/05/2024", "fr"), read_date("yesterday")
    ('2024-03-05', None, '2024-05-03', None)
    >>> read_date("٣ مايو ٢٠٢٤"), read_date("令和6年5月3日"), read_date("3 พ.ค. 2567"), read_date("۱۴ اردیبهشت ۱۴۰۳")
    ('2024-05-03', '2024-05-03', '2024-05-03', '2024-05-03')
    """
    value = _latin_numbers(value.strip())
    if len(value) > MAX_LENGTH or not _DIGITS.search(value):
        return None
    if match := _YEAR_FIRST.match(value):
        return _from_year_first(match, language, EARLIEST_DECLARED)
    if match := _COMPACT.fullmatch(value):
        date = day_of(int(match[1]), int(match[2]), int(match[3]), EARLIEST_DECLARED)
        timed = date and match[4] and int(match[4]) < 24
        return f"{date}T{match[4]}:{match[5]}:{match[6] or '00'}{_zone_offset(match[7])}" if timed else date
    if _EPOCH.fullmatch(value):
        moment = datetime(1970, 1, 1, tzinfo=UTC) + timedelta(seconds=int(value[:10]))
        return moment.isoformat() if EARLIEST <= moment.year <= LATEST else None
    if match := _YEAR_MONTH.fullmatch(value):
        return f"{match[1]}-{int(match[2]):02}" if EARLIEST_DECLARED <= int(match[1]) <= LATEST else None
    if _YEAR.fullmatch(value):
        return value if EARLIEST_DECLARED <= int(value) <= LATEST else None
    return next((date for _, _, date in _dates_in(value, language, EARLIEST_DECLARED)), None)


def dates_in(text: str, language: str | None = None) -> Iterator[str]:
    """Yield the dates in a short text, in ISO 8601, in the order of the text; not those since when somebody is a member.

    >>> list(dates_in("Published March 5, 2024, updated 6th of April 2024"))
    ['2024-03-05', '2024-04-06']
    >>> list(dates_in("Joined: 4 Jul 2012. Posted 5 Mar 2024")), list(dates_in("注册时间 2012-7-4")), list(dates_in("4 Jul 2012: Joined"))
    (['2024-03-05'], [], ['2012-07-04'])
    """
    text = _latin_numbers(text[:5_000])
    before = 0
    for place, end, date in _dates_in(text, language, EARLIEST):
        if not _OTHER.search(text, max(place - MAX_LABEL, before), place):
            yield date
        before = end


def holds_date(text: str, language: str | None = None) -> bool:
    """Return whether a short text holds a date.

    >>> holds_date("Published March 5, 2024"), holds_date("Since 2024")
    (True, False)
    """
    return bool(_dates_in(_latin_numbers(text[:5_000]), language, EARLIEST))


def _latin_numbers(text: str) -> str:
    """Return a text with its digits in ASCII and its years counted as ours."""
    if text.isascii():
        return text
    if _NATIVE_DIGIT.search(text):
        text = _NATIVE_DIGIT.sub(lambda digit: str(int(digit[0])), text)
    text = _UNSEEN.sub("", text)
    if "年" in text:
        text = _HAN_NUMBER.sub(lambda number: _han_number(number[0]), text)
        text = _ERA.sub(lambda era: str(_ERAS[era[1]] + (1 if era[2] == "元" else int(era[2]))), text)
    return text


def _han_number(text: str) -> str:
    """Convert a Chinese number to ASCII: digit by digit in years, by tens and ones in months and days.

    >>> [_han_number(text) for text in ("二〇二三", "十", "十二", "二十", "三十一", "七")]
    ['2023', '10', '12', '20', '31', '7']
    """
    tens, ten, ones = text.translate(_IN_ASCII).partition("十")
    return (tens or "1") + (ones or "0") if ten else tens


def _dates_in(text: str, language: str | None, earliest: int) -> list[tuple[int, int, str]]:
    if not _FOUR_DIGITS.search(text):
        return []
    found: list[tuple[int, int, str]] = []
    for form, read in ((_YEAR_FIRST, _from_year_first), (_NUMBERS, _from_numbers)):
        dates = ((match, read(match, language, earliest)) for match in form.finditer(text))
        found += [(match.start(), _end_of_date(match, language), date) for match, date in dates if date is not None]
    found += _in_words(text, language, earliest)
    return sorted(found)


def _in_words(text: str, language: str | None, earliest: int) -> Iterator[tuple[int, int, str]]:
    tokens, kinds, known = list(_TOKEN.finditer(text)), "", _kinds_of_words(language)
    for token in tokens:
        word = token[0]
        kinds += (known.get(word.lower()) or _kind_of_word(text, token)) if word[0].isalpha() else _kind_of_token(text, token)
    if "m" not in kinds and "k" not in kinds:
        return
    for match in _WORDED.finditer(kinds):
        numbers, month = [], 0
        for kind, token in zip(match[0], tokens[match.start() : match.end()], strict=True):
            if kind == "m":
                month = month_of(token[0], language) or 0
            elif kind in "dy":
                numbers.append(int(token[0]))
        if month == 0:
            month = numbers.pop(1)
        year, day = max(numbers), min(numbers)
        begin, end = tokens[match.start()].start(), tokens[match.end() - 1].end()
        if (date := day_of(year, month, day, earliest)) is not None:
            timed = _TIME.match(text, end + (text[end : end + 1] == "."))
            yield begin, _end_of_date(timed, language) if timed and timed["hour"] else end, with_time(timed, date, language) or date


def _end_of_date(match: re.Match[str], language: str | None) -> int:
    """Return the end of a date; a word behind its time belongs to it only if it means a half of the day."""
    return match.end() if match["half"] is None or half_of(match["half"], language) is not None else match.start("half")


@lru_cache(maxsize=64)
def _kinds_of_words(language: str | None) -> dict[str, str]:
    """Return the kinds of the words that dates of a language have: month (m), mark of a month (k), filler (f)."""
    return dict.fromkeys(BETWEEN, "f") | dict.fromkeys(MONTH_MARKS, "k") | dict.fromkeys(months_of(language), "m")


def _kind_of_word(text: str, token: re.Match[str]) -> str:
    """Return a letter for what another word may be in a date: a filler (f) behind a number, as in "5th"; else x."""
    begin = token.start()
    return "f" if begin and text[begin - 1].isdecimal() and token.end() - begin < 5 and half_of(token[0]) is None else "x"


def _kind_of_token(text: str, token: re.Match[str]) -> str:
    """Return a letter for a number or sign in a date: year, day (or number of a month), time, point, separator; x for others."""
    sign, begin = token[0], token.start()
    if not sign[0].isdecimal():
        return "p" if sign in ".,،'’º°" else "s" if sign in "-/‐–" else "x"
    if not sign.isdecimal():
        return "t"
    if len(sign) > 2:
        return "y" if len(sign) == 4 and sign[0] in "12" else "x"
    after_number = begin > 1 and text[begin - 1] in ".:/-–" and text[begin - 2].isdecimal()
    return "d" if 0 < int(sign) < 32 and not after_number else "x"


def _from_year_first(match: re.Match[str], language: str | None, earliest: int) -> str | None:
    year, month = int(match["year"]), int(match["m1"] or match["m2"])
    if language and language.startswith("fa") and year < EARLIEST_DECLARED:
        month += _SOLAR_HIJRI - 1
    return with_time(match, day_of(year, month, int(match["d1"] or match["d2"]), earliest), language)


def with_time(match: re.Match[str] | None, date: str | None, language: str | None = None) -> str | None:
    """Return a date with the time of day that follows it, where one does."""
    if date is None or match is None or match["hour"] is None:
        return date
    hour = int(match["hour"])
    words = [match["half"], *_WORD.findall(match["lead"])] if match["lead"] else [match["half"]]
    halves = [half for word in words if word and (half := half_of(word, language)) is not None]
    if halves:
        hour = hour % 12 + 12 * halves[0]
    return f"{date}T{hour:02}:{match['minute']}:{match['second'] or '00'}{_zone_offset(match['zone'])}"


def _from_numbers(match: re.Match[str], language: str | None, earliest: int) -> str | None:
    day, month, year = int(match["one"]), int(match["two"]), int(match["year"])
    if match["sep"] != ".":
        begins = month > 12 or (0 < day <= 12 and 0 < month != day and _begins_with_month(match, day, month, _our_year(year), language))
        if begins is None:
            return None
        if begins:
            day, month = month, day
    return with_time(match, day_of(year, month, day, earliest), language)


def _begins_with_month(match: re.Match[str], one: int, two: int, year: int, language: str | None) -> bool | None:
    """Return whether numbers that may be month and day in either order begin with the month: the day of the week in front decides, then the
    form of the time behind (``5/3/2024, 1:07:33 PM`` is what programs write in American English), then the language; None if nothing
    does."""
    weekday = _weekday_before(match, language)
    fits = [weekday == date.weekday() for date in (datetime(year, one, two), datetime(year, two, one))]
    if fits[0] != fits[1]:
        return fits[0]
    return True if _AMERICAN.match(match.string, match.end("year")) else None if language is None else order_of(language) == "mdy"


def _weekday_before(match: re.Match[str], language: str | None) -> int | None:
    """Return the day of the week before a date, 0 for Monday; None if none is known."""
    word = _WORD_BEFORE.search(match.string[max(match.start() - 20, 0) : match.start()])
    return weekday_of(word[1], language) if word else None


def _our_year(year: int) -> int:
    """Return a year of the Thai calendar as ours; other years as they are."""
    return year - _BUDDHIST if year > LATEST + 300 else year


def day_of(year: int, month: int, day: int, earliest: int = EARLIEST) -> str | None:
    """Return a day as ISO 8601; None if the day does not exist, or the year is not one of web pages. ``month``: from 13 on, one of the
    Solar Hijri calendar.

    >>> day_of(2024, 5, 3), day_of(1403, 14, 14), day_of(2567, 5, 3), day_of(2024, 2, 30)
    ('2024-05-03', '2024-05-03', '2024-05-03', None)
    """
    if month >= _SOLAR_HIJRI:
        return _from_solar_hijri(year, month - _SOLAR_HIJRI + 1, day)
    year = _our_year(year)
    if not earliest <= year <= LATEST or (year, month, day) == (1970, 1, 1):  # the day that programs give when they have none
        return None
    try:
        return datetime(year, month, day).date().isoformat()
    except ValueError:
        return None


def _from_solar_hijri(year: int, month: int, day: int) -> str | None:
    """Return a day of the Solar Hijri calendar by its cycle of 33 years with 8 leap years, right from 1343 to 1472."""
    if not (1343 <= year <= 1472 and 1 <= month <= 12 and 1 <= day <= (31 if month < 7 else 30)):
        return None
    before = (month - 1) * 31 if month < 7 else (month - 7) * 30 + 186
    cycles, rest = divmod(year + 1595, 33)
    return datetime.fromordinal(365 * (year + 1595) + 8 * cycles + (rest + 3) // 4 + before + day - 355_668 - 365).date().isoformat()


def _zone_offset(zone: str | None) -> str:
    """Return the offset of a zone, ``+08:00``."""
    if not zone:
        return ""
    number = zone.removeprefix("UTC").removeprefix("GMT").strip()
    if number in ("", "Z"):
        return "+00:00"
    digits = number[1:].replace(":", "")
    hours, minutes = (digits[:-2], digits[-2:]) if len(digits) > 2 else (digits, "00")
    return f"{number[0]}{int(hours):02}:{minutes}"


Event = Literal["published", "modified", "other", "unknown", ""]
"""The event that a label gives a date: of the page, of something else, unknown; empty without a label."""
OF_OTHERS = frozenset({"other", "unknown"})  #: Events of dates that are not those of the page.


class Dated(NamedTuple):
    """A date in a line."""

    date: str
    event: Event
    told: bool  #: The date is part of a sentence, as in "the flood of 6 March 2002".


_PUBLISHED = re.compile(
    rf"\b{either('published')}|{either('published in Han')}\s?(?:日期|时间|時間|于|於|日|일)?[\s:：/|]{{0,3}}$"
    rf"|(?:^|[^\w\s])\s*{either('date')}\s?[:：]\s?$",
    re.IGNORECASE,
)
"""Labels of dates of publication. In Chinese, headlines have these words as well: there, the date or a colon follows."""
_MODIFIED = re.compile(either("modified"), re.IGNORECASE)
_OTHER = re.compile(
    rf"\b(?:{either('other date')}|(?:received|accepted|submitted)(?=\s?:?\s?$))\b|{either('other date in Han')}", re.IGNORECASE
)
"""Labels of dates of something else: since when somebody is a member, when a paper came in, when something begins or ends."""
_PARTS = re.compile(r"[|·•●⋅;»]|\s[—–-]\s")  #: Separators of a date from the rest of a line.
_LABELLED = re.compile(r"[:：]\s?$")
_ENDS_SENTENCE = re.compile(r"(?:[。！？؟।۔]|다\.|(?P<any>[.!?…]))[\"'”’»)」』）]?$")


def labelled_dates(text: str, language: str | None = None, before: str = "") -> list[Dated]:
    """Return the dates in a short text, each with what its label says. ``before``: the line before, which may be the label.

    >>> [each[:2] for each in labelled_dates("Last modified on 3 February 2023, first posted 5 January 2021")]
    [('2023-02-03', 'modified'), ('2021-01-05', 'published')]
    >>> [each[:2] for each in labelled_dates("2022.09.06 입력 2022.09.07 수정")], labelled_dates("May 11, 2017", before="Joined")[0].event
    ([('2022-09-06', 'published'), ('2022-09-07', 'modified')], 'other')
    >>> labelled_dates("It is closed for the first time since the flood of 6 March 2002, the council said.")[0].told
    True
    """
    text = _latin_numbers(text[:5_000])
    if language and order_of(language) == "dmy":  # 11.05.12 may be a day of November elsewhere
        text = _SHORT_YEAR.sub(r"\g<0>20", text)
    found = _dates_in(text, language, EARLIEST)
    if not found:
        return []
    starts, ends = [start for start, _, _ in found], [end for _, end, _ in found]
    labels = [text[begin:start] for begin, start in zip([0, *ends], starts, strict=False)]
    behind = [text[end:start] for end, start in zip(ends, [*starts[1:], len(text)], strict=True)]
    told = _is_running_text([_PARTS.split(labels[0])[-1], *behind[:-1], _PARTS.split(behind[-1])[0]], language)
    if not _WORD.search(labels[0]):
        if len(behind[-1]) <= MAX_BEHIND and _event(behind[-1]) in ("published", "modified"):
            labels = behind
        elif behind[0].lstrip().startswith((":", "：")):  # an entry of a chronicle
            told = True
        elif len(before) <= MAX_BEHIND and not _DIGITS.search(before):
            label = f"{before.rstrip(':： ')}: "
            labels[0] = label if before.endswith((":", "：")) or _event(label) != "unknown" else ""
    return [Dated(date, _event(label[-MAX_LABEL:]), told) for (_, _, date), label in zip(found, labels, strict=True)]


def _event(label: str) -> Event:
    if _MODIFIED.search(label):
        return "modified"
    if _OTHER.search(label):
        return "other"
    return "published" if _PUBLISHED.search(label) else "unknown" if _LABELLED.search(label) else ""


def _is_running_text(pieces: list[str], language: str | None) -> bool:
    """Return whether the text around dates is a sentence rather than a label, name or place."""
    around = " ".join(pieces).strip()
    words = [word for word in _WORD.findall(around) if weekday_of(word, language) is None]
    ends, few = _ENDS_SENTENCE.search(around), len(words) <= LEAST_OF_SENTENCE and sum(map(len, words)) <= MAX_AROUND
    small = sum(word[0].islower() for word in words)
    caseless = [word for word in words if word.lower() == word.upper()]
    if few and (ends is None or not words or (ends["any"] and (len(words) < LEAST_SHORT or 2 * (small + len(caseless)) < len(words)))):
        return False
    labelled = any(_event(piece[-MAX_LABEL:]) in ("published", "modified") for piece in pieces)
    if ends:
        return not labelled or len(words) > MAX_SENTENCE
    return not labelled and (sum(map(len, caseless)) > MAX_AROUND or (len(words) > MAX_SENTENCE and 2 * small > len(words)))
