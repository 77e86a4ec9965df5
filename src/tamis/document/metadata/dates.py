"""Dates as people and programs write them, to ISO 8601.

``03/05/2024`` begins with the month if the page's language is ``en`` or ``en-US``, with the day in other languages; without a language it
is no date. The day of the week in front of it decides first, then the form of the time behind it. ``03.05.2024`` always begins with the
day. No date is completed from the clock.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta

MAX_LENGTH = 100  #: Characters of a value that is read as one date.
MAX_LABEL = 40  #: Characters before a date in which its label stands.
EARLIEST = 1995  #: First year of a date found in text or in an address; a declared date may be older (papers, archives).
EARLIEST_DECLARED = 1500
OF_YEARS = ("199", "20")  #: One of these is in each date found in text.
LATEST = 2099  #: A constant, so that the same page gives the same date in any year.

_MONTHS = """
jan january januar janvier januari gennaio gen janeiro enero ene ocak oca ianuarie leden ledna stycznia styczeń sty январь января янв
 січня tammikuuta januar. janv januára január sausio siječnja januara jänner يناير januári ιανουαρίου
feb february februar février fevrier fév févr febrero fevereiro fev febbraio februari şubat şub februarie شباط únor února lutego luty lut
 февраль февраля фев лютого helmikuuta február februára vasario veljače februara فبراير februári φεβρουαρίου
mar march آذار märz maerz mär mrz mars maart mrt marzo março marco mart martie březen března marca marzec марта март мар березня maaliskuuta
 március kovo ožujka مارس μαρτίου
apr april avril avr abril abr aprile nisan nis aprilie duben dubna kwietnia kwiecień kwi апрель апреля апр квітня huhtikuuta április
 نيسان إبريل ابريل apríla balandžio travnja aprila أبريل απριλίου
may mai mei mayo maggio mag maio mayıs květen května maja maj май мая травня toukokuuta május mája gegužės svibnja مايو μαΐου μαίου
 أيار ايار
jun june حزيران juni juin junio giugno giu junho haziran haz iunie červen června czerwca czerwiec cze июнь июня июн червня kesäkuuta június
 júna birželio lipnja juna يونيو ιουνίου
jul july تموز juli juillet juil julio luglio lug julho temmuz tem iulie červenec července lipca lipiec lip июль июля июл липня heinäkuuta
 július júla liepos srpnja jula يوليو ιουλίου
aug august آب اغسطس août aout augustus agosto ago ağustos ağu srpen srpna sierpnia sierpień sie август августа авг серпня elokuuta augusztus
 augusta augusti rugpjūčio kolovoza avgusta أغسطس αυγούστου
sep sept september septembre septiembre settembre set setembro eylül eyl septembrie září września wrzesień wrz сентябрь сентября сен
 أيلول ايلول сент вересня syyskuuta szeptember septembra rugsėjo rujna سبتمبر σεπτεμβρίου
oct october اكتوبر oktober okt octobre octubre ottobre ott outubro out ekim eki octombrie říjen října października październik paź октябрь
 октября окт жовтня lokakuuta október októbra spalio oktobra أكتوبر οκτωβρίου
nov november novembre noviembre novembro kasım kas noiembrie listopad listopadu listopada lis ноябрь ноября ноя нояб листопада
 marraskuuta novembra lapkričio studenoga نوفمبر νοεμβρίου
dec december dezember dez décembre decembre déc dic diciembre dicembre dezembro aralık ara decembrie prosinec prosince grudnia grudzień
 gru декабрь декабря дек грудня joulukuuta decembra gruodžio prosinca ديسمبر δεκεμβρίου
"""
MONTH: dict[str, int] = {
    name: number for number, names in enumerate(re.split(r"\n(?! )", _MONTHS.strip()), 1) for name in names.replace("\n", " ").split()
}
"""Numbers of months by name, lower case."""

TIME = (
    r"(?:[\sT,　]{0,3}(?:at\s)?(?P<hour>[01]?\d|2[0-3])[:：时時](?P<minute>[0-5]\d)(?:[:：分](?P<second>[0-5]\d))?(?:[.,]\d{1,9}+)?"
    r"(?:\s?(?P<half>[AaPp])\.?[Mm]\b\.?)?(?:\s?(?P<zone>Z\b|UTC\b|GMT\b|[+-][01]\d:?[0-5]\d\b|[+-][01]\d\b(?!:)))?)?"
)
_YEAR_FIRST = re.compile(
    r"(?P<year>[12](?<![\d./-].)\d{3})(?:\s?[年년]\s?(?P<m1>\d{1,2})\s?[月월]\s?(?P<d1>\d{1,2})\s?[日号號일]"
    r"|(?P<sep>[-/.‐–])\s?(?P<m2>\d{1,2})(?P=sep)\s?(?P<d2>\d{1,2}(?!\d)|\d\d(?=\d\d:\d\d))\.?)" + TIME
)
_DAY_FIRST = re.compile(
    r"(?P<day>\d(?<![\d.:/-].)\d?)(?:st|nd|rd|th|er|\.|º|ª|°)?[\s\-/]{0,2}(?:de\s|of\s|d[’']|[^\W\d_]{2,10}/)?\s?(?P<month>[^\W\d_]{3,12})\.?,?[\s\-/](?:de\s|del\s)?"
    r"(?P<year>[12]\d{3})(?!\d)" + TIME
)
_MONTH_FIRST = re.compile(
    r"\b(?P<month>[^\W\d_]{3,12})\.?\s(?P<day>\d{1,2})(?:st|nd|rd|th)?,?\s(?:\d\d:\d\d:\d\d\s(?:[A-Z]{2,5}\s)?)?(?P<year>[12]\d{3})(?![\d:])"
    + TIME
)
_YEAR_MONTH_DAY = re.compile(r"(?P<year>[12](?<![\d./-].)\d{3})\s(?P<month>[^\W\d_]{3,12})\.?\s(?P<day>\d{1,2})(?![\d./])" + TIME)
_NUMBERS = re.compile(r"(?P<one>\d(?<![\d.:/-].)\d?)(?P<sep>[./-])\s?(?P<two>\d{1,2})(?P=sep)\s?(?P<year>[12]\d{3})(?![\d/-]|\.\d)" + TIME)
_SPACED = re.compile(r"(\d{1,2})\s(\d{1,2})\s([12]\d{3})")
_AMERICAN = re.compile(r",\s\d{1,2}:\d\d:\d\d\s[AP]M\b")
_WORD_BEFORE = re.compile(r"(?<!\w)([^\W\d_]{2,12})[.,]{0,2}\s{0,2}$")
_WEEKDAYS = """
mon monday lundi lunes lunedì montag maandag måndag mandag poniedziałek pondělí понедельник пн
tue tues tuesday mardi martes martedì dienstag dinsdag tisdag tirsdag wtorek úterý вторник вт
wed wednesday mercredi miércoles mercoledì mittwoch woensdag onsdag środa středa среда ср
thu thur thurs thursday jeudi jueves giovedì donnerstag donderdag torsdag czwartek čtvrtek четверг чт
fri friday vendredi viernes venerdì freitag vrijdag fredag piątek pátek пятница пт
sat saturday samedi sábado sabato samstag zaterdag lördag lørdag sobota суббота сб
sun sunday dimanche domingo domenica sonntag zondag söndag søndag niedziela neděle воскресенье вс
"""
_WEEKDAY = {name: day for day, names in enumerate(_WEEKDAYS.strip().split("\n")) for name in names.split()}
"""Days of the week by name, lower case, Monday 0; no short forms that are also names of people ("Sam", "Don")."""
_YEAR_MONTH = re.compile(r"([12]\d{3})\s?[-/年년.]\s?(0?[1-9]|1[0-2])\s?[月월]?")
_YEAR = re.compile(r"[12]\d{3}")
_COMPACT = re.compile(r"([12]\d{3})([01]\d)([0-3]\d)(?:T?\d{4,6}(?:Z|[+-]\d{2}:?\d{2})?)?")
_EPOCH = re.compile(r"\d{10}|\d{13}")
_DIGITS = re.compile(r"\d")
_FOUR_DIGITS = re.compile(r"[12](?<!\d[12])\d{3}(?!\d)")  #: Begins with what it must find, which is faster to look for.


def read_date(value: str, language: str | None = None) -> str | None:
    """One declared date to ISO 8601: with time and offset, a day, a month or a year. ``language``: BCP 47; decides about ``03/05/2024``.

    >>> read_date("2024-03-05T10:20:00.000Z"), read_date("Tue, 05 Mar 2024 10:20:00 GMT"), read_date("2024年3月5日")
    ('2024-03-05T10:20:00+00:00', '2024-03-05T10:20:00+00:00', '2024-03-05')
    >>> read_date("5. März 2024"), read_date("03/05/2024"), read_date("03/05/2024", "fr"), read_date("yesterday")
    ('2024-03-05', None, '2024-05-03', None)
    """
    value = value.strip()
    if len(value) > MAX_LENGTH or not _DIGITS.search(value):
        return None
    if match := _YEAR_FIRST.match(value):
        return _from_year_first(match, language, EARLIEST_DECLARED)
    if match := _COMPACT.fullmatch(value):
        return day_of(int(match[1]), int(match[2]), int(match[3]), EARLIEST_DECLARED)
    if _EPOCH.fullmatch(value):
        moment = datetime(1970, 1, 1, tzinfo=UTC) + timedelta(seconds=int(value[:10]))
        return moment.isoformat() if EARLIEST <= moment.year <= LATEST else None
    if match := _YEAR_MONTH.fullmatch(value):
        return f"{match[1]}-{int(match[2]):02}" if EARLIEST_DECLARED <= int(match[1]) <= LATEST else None
    if _YEAR.fullmatch(value):
        return value if EARLIEST_DECLARED <= int(value) <= LATEST else None
    return next(dates_in(value, language, EARLIEST_DECLARED), None)


def dates_in(text: str, language: str | None = None, earliest: int = EARLIEST) -> Iterator[str]:
    """The dates in a short text, in ISO 8601, in the order of the text; not those since when somebody is a member.

    >>> list(dates_in("Published March 5, 2024, updated 6th of April 2024"))
    ['2024-03-05', '2024-04-06']
    >>> list(dates_in("Joined: 4 Jul 2012. Posted 5 Mar 2024")), list(dates_in("注册时间 2012-7-4")), list(dates_in("4 Jul 2012: Joined"))
    (['2024-03-05'], [], ['2012-07-04'])
    """
    for place, date in sorted(_found(text, language, earliest)):
        if not _JOINED.search(text, max(place - MAX_LABEL, 0), place):
            yield date


def holds_date(text: str, language: str | None = None) -> bool:
    """Whether there is a date in a short text.

    >>> holds_date("Published March 5, 2024"), holds_date("Since 2024")
    (True, False)
    """
    return any(_found(text, language, EARLIEST))


def asks_language(text: str) -> bool:
    """Whether the first date in a short text is another one where the language is known, which tells the order of day and month.

    >>> asks_language("03/05/2024"), asks_language("13/05/2024"), asks_language("5 March 2024, 03/05/2024")
    (True, False, False)
    """
    in_numbers = ("/" in text or "-" in text) and _NUMBERS.search(text) is not None
    return in_numbers and next(dates_in(text), None) != next(dates_in(text, "en"), None)


def _found(text: str, language: str | None, earliest: int) -> Iterator[tuple[int, str]]:
    """The dates in a short text and where they begin, form by form."""
    text = text[:5_000]
    for form, read in _FORMS if _FOUR_DIGITS.search(text) else ():
        for match in form.finditer(text):
            if (date := read(match, language, earliest)) is not None:
                yield match.start(), date


def _from_year_first(match: re.Match[str], language: str | None, earliest: int) -> str | None:
    return with_time(match, day_of(int(match["year"]), int(match["m1"] or match["m2"]), int(match["d1"] or match["d2"]), earliest))


def with_time(match: re.Match[str], date: str | None) -> str | None:
    """A date with the time of day that follows it, where one does."""
    if date is None or match["hour"] is None:
        return date
    hour = int(match["hour"])
    if match["half"]:
        hour = hour % 12 + (12 if match["half"] in "Pp" else 0)
    return f"{date}T{hour:02}:{match['minute']}:{match['second'] or '00'}{_offset(match['zone'])}"


def _from_words(match: re.Match[str], language: str | None, earliest: int) -> str | None:
    month = MONTH.get(match["month"].lower())
    return with_time(match, day_of(int(match["year"]), month, int(match["day"]), earliest)) if month else None


def _from_numbers(match: re.Match[str], language: str | None, earliest: int) -> str | None:
    day, month, year = int(match["one"]), int(match["two"]), int(match["year"])
    if match["sep"] != ".":
        begins = month > 12 or (0 < day <= 12 and 0 < month != day and _begins_with_month(match, day, month, year, language))
        if begins is None:
            return None
        if begins:
            day, month = month, day
    return with_time(match, day_of(year, month, day, earliest))


def _begins_with_month(match: re.Match[str], one: int, two: int, year: int, language: str | None) -> bool | None:
    """Whether numbers that may be month and day in either order begin with the month: the day of the week in front decides, then the form
    of the time behind (``5/3/2024, 1:07:33 PM`` is what programs write in American English), then the language; None where nothing does."""
    weekday = _weekday_before(match)
    fits = [weekday == date.weekday() for date in (datetime(year, one, two), datetime(year, two, one))]
    if fits[0] != fits[1]:
        return fits[0]
    return True if _AMERICAN.match(match.string, match.end("year")) else None if language is None else language in ("en", "en-US")


def _weekday_before(match: re.Match[str]) -> int | None:
    """The day of the week before a date, 0 for Monday; None where none is known."""
    word = _WORD_BEFORE.search(match.string[max(match.start() - 20, 0) : match.start()])
    return _WEEKDAY.get(word[1].lower()) if word else None


def spaced(text: str) -> str | None:
    """A date in numbers with blanks between, ``5 03 2024``, with slashes; None where a text is none.

    >>> spaced("5 03 2024"), spaced("5 of 2024")
    ('5/03/2024', None)
    """
    match = _SPACED.fullmatch(text.strip())
    return "/".join(match.groups()) if match else None


_FORMS = (
    (_YEAR_FIRST, _from_year_first),
    *((form, _from_words) for form in (_DAY_FIRST, _MONTH_FIRST, _YEAR_MONTH_DAY)),
    (_NUMBERS, _from_numbers),
)
"""Forms of dates, each with what reads it; the language decides about numbers."""


def day_of(year: int, month: int, day: int, earliest: int = EARLIEST) -> str | None:
    """A day, to ISO 8601; None where there is no such day, and for years that are no dates of pages."""
    if not earliest <= year <= LATEST or (year, month, day) == (1970, 1, 1):  # the day that programs give when they have none
        return None
    try:
        return datetime(year, month, day).date().isoformat()
    except ValueError:
        return None


def _offset(zone: str | None) -> str:
    if not zone:
        return ""
    if zone in ("Z", "UTC", "GMT"):
        return "+00:00"
    return f"{zone[:3]}:{zone[-2:] if len(zone) > 3 else '00'}"


_PUBLISHED = re.compile(
    r"publi|posted|issued|created|written|started|veröffentlicht|erstellt|gepubliceerd|objav|zveřej|опублик"
    r"|(?:发布|發布|发表|發表|発表)\s?(?:日期|时间|時間|于|於|日)?\s?[:：]?\s?\d|(?:时间|時間|日期)\s?[:：]|公開|投稿|掲載|등록|게시|입력|yayın",
    re.IGNORECASE,
)
"""What labels a date as that of publication. In Chinese, headlines have these words as well: there, the date or a colon follows."""
_MODIFIED = re.compile(
    r"updat|modif|edited|revis|actualis|actualiz|aggiorn|aktualisier|bijgewerkt|обновл|измен|更新|修改|修订|수정|güncelle", re.IGNORECASE
)


_JOINED = re.compile(
    r"(?:\b(?:joined|join date|registered|member since|registriert|mitglied seit|beigetreten|inscrit|inscription|registrado|"
    r"miembro desde|iscritto|dołączył|зарегистрирован|регистрация)|注册时间|註冊時間|注册日期|登録日|加入时间|가입일)\b\D{0,8}$",
    re.IGNORECASE,
)
"""What labels a date as that since when somebody is a member; ends where the date begins."""


def says_published(text: str) -> bool:
    """Whether a short text labels its date as that of publication."""
    return bool(_PUBLISHED.search(text)) and not says_modified(text)


def changed_in(text: str, language: str | None = None) -> str | None:
    """The date of the change in a short text: the one behind the label, else the last.

    >>> changed_in("March 5, 2024 10:00, updated March 6, 2024"), changed_in("2022.09.06 입력 2022.09.07 수정"), changed_in("March 5, 2024")
    ('2024-03-06', '2022-09-07', None)
    """
    label = _MODIFIED.search(text)
    if label is None:
        return None
    behind = next(dates_in(text[label.end() :], language), None)
    return behind or next(reversed(list(dates_in(text, language))), None)


def says_modified(text: str) -> bool:
    """Whether a short text labels its date as that of a change.

    >>> says_modified("Last updated: March 5, 2024"), says_published("发布时间：2024-03-05")
    (True, True)
    """
    return bool(_MODIFIED.search(text))
