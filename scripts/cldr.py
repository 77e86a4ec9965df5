"""Compile what CLDR knows of dates and currencies into the small file that tamis ships. Needs ``pip install babel``.

python scripts/cldr.py src/tamis/document/metadata/cldr.json
"""

from __future__ import annotations

import json
import re
import sys
import unicodedata
from collections import Counter, defaultdict
from collections.abc import Iterator
from pathlib import Path

from babel import Locale, localedata
from babel.core import get_global

WIDESPREAD = (
    "en es de fr pt ru it ja zh nl pl tr cs sv fa vi id uk ko hu ro el da fi ar he sk bg hr sr nb no th ca lt lv sl "
    "et hi ms bn ta ur te mr gu kn ml pa ne si km lo my ka hy az kk uz ky mn be mk sq bs is ga cy eu gl af sw fil am"
).split()
"""Languages by how much of the web is in them. Of a name for two months, the first has it where the language of a page is unknown."""
MOST_WIDESPREAD = WIDESPREAD[:12]  # their short names are read on pages of any language ("pro" is a month in Czech alone)
LEAST = 4  # letters of a name in Latin script that is read on pages of any language, whatever language it is of
LETTER = (
    r"(?:[^\W\d_]|[\u0300-\u036f\u0591-\u05c7\u064b-\u065f\u0900-\u0963\u0970-\u0dff\u0e31-\u0e4e\u0eb1-\u0ece\u0f71-\u0f84"
    r"\u102b-\u109d\u17b4-\u17d3])"
)
WORD = re.compile(LETTER + "+")
USUAL = {"of", "d", "năm", "พ.ศ", "ค.ศ"}  # words between the numbers of dates that no pattern of CLDR has
SOLAR_HIJRI = "فروردین اردیبهشت خرداد تیر مرداد شهریور مهر آبان آذر دی بهمن اسفند".split()  # babel has Gregorian months alone
USUAL_MONTHS = (
    ("sept", 9),
    ("maerz", 3),
    ("mrz", 3),
    ("januara", 1),
    ("februara", 2),
    ("aprila", 4),
    ("juna", 6),
    ("jula", 7),
    ("avgusta", 8),
    ("oktobra", 10),
)
USUAL_DAYS = (("tues", 1), ("thur", 3), ("thurs", 3))
"""As people write them."""
SIGNS = {"руб": "RUB", "đ": "VND", "грн": "UAH", "lei": "RON", "tl": "TRY", "c$": "CAD", "zl": "PLN", "rs": "INR"}
SIGNS |= {"€": "EUR", "円": "JPY", "원": "KRW"}
"""Signs of currencies as people write them, which CLDR has not, or has for another currency."""


def main(path: str) -> None:
    """Write the file."""
    months: dict[str, dict[str, int]] = defaultdict(dict)
    days: dict[str, dict[str, int]] = defaultdict(dict)
    halves: dict[str, dict[str, int]] = defaultdict(dict)
    between, marks, orders = set(USUAL), set(), {}
    signs: dict[str, Counter[str]] = defaultdict(Counter)
    regional: dict[str, dict[str, str]] = defaultdict(dict)
    for name in sorted(localedata.locale_identifiers(), key=lambda name: (name.count("_"), name)):
        locale = Locale.parse(name)
        language, patterns = locale.language, [str(form.pattern) for form in locale.date_formats.values()]
        order = "".join(dict.fromkeys(re.sub("[^yMd]", "", str(locale.date_formats["short"].pattern)))).replace("M", "m")
        if locale.script is None and orders.get(language, "dmy") != order:
            orders[name.replace("_", "-")] = order
        for number, text in names_of(locale.months):
            if re.fullmatch(r"[^\W\d_]+ \d+", text):  # Vietnamese "tháng 5"
                marks.add(text.split()[0])
            elif not re.search(r"\d", text) and (parts := re.split(r"[\s'’]+", text)) and (len(parts) == 1 or len(parts[0]) < 3):
                between.update(parts[:-1])  # Catalan "de maig"
                for before, after in {("", ""), *map(around_month, patterns)}:
                    months[language].setdefault(before + parts[-1] + after, number)
        for number, text in names_of(locale.days):
            days[language].setdefault(text, number)
        if language in WIDESPREAD:
            for pattern in patterns:
                between.update(literals(pattern))
            for texts in (texts for widths in locale.day_periods.values() for texts in widths.values()):
                for number, half in enumerate(("am", "pm")):
                    if len(form := re.sub(r"[\s.\u200c\u202f\xa0]", "", texts.get(half, "").lower())) > 1 or not form.isascii():
                        halves[language].setdefault(form, number)
        paid = {code for code, _, end, tender in get_global("territory_currencies").get(locale.territory or "", ()) if not end and tender}
        for code, sign in locale.currency_symbols.items():
            if re.fullmatch(r"[A-Z]{3}", sign) or not (sign := sign.strip(" .\u200b\u200e\u200f").lower()):
                continue
            signs[sign][code] += 5_000 if name == "en" else 1_000 if code in paid else 1
            if code in paid:
                regional[sign][f"{language}-{locale.territory}"] = code
    months["fa"] |= {name: number for number, name in enumerate(SOLAR_HIJRI, 13)}
    months["en"] |= USUAL_MONTHS
    days["en"] |= USUAL_DAYS
    common = {sign: codes.most_common(1)[0][0] for sign, codes in sorted(signs.items())} | SIGNS
    for tags in regional.values():  # Swedish alone, where all places with Swedish that have the sign mean the same
        for language in {tag.partition("-")[0] for tag in tags}:
            if len(codes := {code for tag, code in tags.items() if tag.startswith(f"{language}-")}) == 1:
                tags[language] = codes.pop()
        if "nb" in tags:  # pages say "no"
            tags["no"] = tags["nb"]
    places = {sign: {tag: code for tag, code in sorted(regional[sign].items()) if code != common[sign]} for sign in common}
    digits = {code: numbers[0] for code, numbers in sorted(get_global("currency_fractions").items()) if numbers[0] != 2}
    result = {
        "months": merged(months),
        "weekdays": merged(days, WIDESPREAD[:1]),
        "halves": merged(halves),
        "between": sorted(between),
        "month_marks": sorted(marks),
        "orders": orders,
        "currencies": common,
        "regional_currencies": {sign: tags for sign, tags in places.items() if tags},
        "digits": digits,
    }
    lines = (f"{json.dumps(name)}: {json.dumps(value, ensure_ascii=False, separators=(',', ':'))}" for name, value in result.items())
    Path(path).write_text("{\n" + ",\n".join(lines) + "\n}\n", encoding="utf-8")
    print({name: len(value) for name, value in result.items()}, Path(path).stat().st_size)


def names_of(tables: dict[str, dict[str, dict[int, str]]]) -> Iterator[tuple[int, str]]:
    """The names of months or days, lower case, each with its number."""
    for context in ("format", "stand-alone"):
        for width in ("wide", "abbreviated"):
            for number, text in tables[context][width].items():
                if len(form := text.lower().strip(". ")) > 1 and all(
                    map(WORD.fullmatch, re.split(r"[\s'’.]+", re.sub(r"\d", "", form).strip()))
                ):
                    yield number, form


def around_month(pattern: str) -> tuple[str, str]:
    """What a date pattern writes before and after the month without a blank between: Hebrew "b", Basque "ren"."""
    plain = re.sub(r"'([^']*)'", lambda quoted: "".join(f"\ue000{sign}" for sign in quoted[1]), pattern)
    found = re.search(r"((?:\ue000?[^\W\d_A-Za-z]|\ue000[a-z])*)M{3,4}((?:\ue000[^\W\d_]|[^\W\d_A-Za-z])*)", plain)
    return (found[1].replace("\ue000", ""), found[2].replace("\ue000", "")) if found else ("", "")


def literals(pattern: str) -> list[str]:
    """The words that a date pattern writes beside its fields, lower case."""
    quoted = re.findall(r"'([^']*)'", pattern)
    return WORD.findall(" ".join([*quoted, re.sub(r"'[^']*'|[A-Za-z]+", " ", pattern)]).lower())


def merged(names: dict[str, dict[str, int]], spread: list[str] = MOST_WIDESPREAD) -> dict[str, dict[str, int]]:
    """Names that are read on pages of any language, under ""; for each language those that it reads in another way or has alone."""
    ranked = sorted(names, key=lambda language: (WIDESPREAD.index(language) if language in WIDESPREAD else len(WIDESPREAD), language))
    common: dict[str, int] = {}
    for language in ranked:
        for name, number in names[language].items() if language in WIDESPREAD else ():
            if language in spread or len(name) >= LEAST or not re.fullmatch(r"[a-z\u00c0-\u024f]+", name):
                common.setdefault(name, number)
    for name, number in list(common.items()):
        if len(plain := re.sub("[\u0300-\u036f\u0653-\u0655]", "", unicodedata.normalize("NFD", name))) >= LEAST:
            common.setdefault(unicodedata.normalize("NFC", plain), number)  # "fevrier"
    own = {language: {name: number for name, number in names[language].items() if common.get(name) != number} for language in ranked}
    return {"": common, **{language: each for language, each in own.items() if each}}


if __name__ == "__main__":
    main(*sys.argv[1:])
