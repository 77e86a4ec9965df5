"""Names of authors, apart from the words around them."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Iterator
from urllib.parse import unquote

from tamis.document.metadata import chinese_names
from tamis.document.metadata.chinese_names import HAN, PERSONS
from tamis.document.metadata.cldr import MONTH, weekday_of
from tamis.document.metadata.clean_text import comparison_key, line
from tamis.page.lexicon import BY, WordPattern, either, entries, paired
from tamis.page.references import unescaped
from tamis.page.tree import contains_any

MAX_AUTHORS = 20
MAX_NAME = 120
LEAST_WORDS = 5  #: Words of what is rather a sentence than a name if most of them begin with small letters.
LEAST_OF_SITE = 3  #: Letters of a site's name that may follow an author's name; "md" may be a degree. A beginning has more.
MAX_SHORT = 5  #: Words of the name of an organisation.
MAX_LABEL = 30  #: Characters of a line that only says whose name the next line is.

_INDEFINITE = r"(?:(?:eine?|une?|una)\s)?"
_AUTHOR, _IN_HAN = either("author"), either("author in Han")
_OUR = rf"(?:\w{{2,4}}\s)?{either('our')}\s{either('writer')}"
_BEFORE = re.compile(
    r"^(?:"
    rf"(?:an?\s)?(?:(?:{either('work', 'handled', 'written')}(?:\s(?:and|&)\s{either('handled')})?"
    r"|(?:view |see )?(?:all|more) (?:posts|articles|stories))\s+){0,2}"
    r"by(?:\b[:\s]*|(?=by\b)|(?-i:(?=[A-Z])))"
    rf"|(?:about|{_OUR})\s+(?-i:(?!The )(?=[A-ZÀ-Þ][\w.'’-]+ [A-ZÀ-Þ]))"
    rf"|(?:(?:guest )?{_AUTHOR}|about the author|meet the author|redaktion|posted|written)"
    r"(?:\b\s*[:：]\s*|(?-i:(?=[A-ZÀ-Þ][a-zß-ÿ]+ [A-ZÀ-Þ])))"
    rf"|(?:文章|本文)?(?:{_IN_HAN}|{either('editor in Han')})\s*[:：/／丨|｜●]\s*"
    rf"|(?:{_INDEFINITE}{paired('work', 'by')}|{paired('written', 'by')}"
    rf"|{either('wrote')}(?:[aаоo]|/a|\([aа]\))?(?: uživatel| пользователем)?)(?:\s*:\s*|\s+(?=\S))"
    r")+",
    re.IGNORECASE,
)
_EMAIL = re.compile(r"(?:mailto:)?[\w.+-]{1,64}@[\w.-]{1,200}\.\w{2,20}")
_ACCOUNT = re.compile(r"\((?:(?:@|[^\s()]{1,100}\.)[^\s()]{1,100}|[a-z]{2,4})\)$")  #: An account, an address, an agency.
_PREPOSITION = re.compile(rf"^(?!by\b|(?-i:D)i\b)(?:di|{BY})\s+(?=[^\W\d_])", re.IGNORECASE)
"""Words for "by" that names begin with as well; taken off what is shown only, and only if no other word for "by" is there."""
_AFTER = re.compile(
    r"\s+(?:and|und|et)$|(?<=[가-힣])\s\w{0,3}기자$|,\s\w+\s?:$|(?-i:\s+(?:on|at|am(?:\s[A-Z][a-z],?)?|le|el|il|em|op|dne|den|dnia))$|\s+@\w+"
    r"|\s+(?:(?:published|updated|posted|created|last updated|modified|on(?=\s+(?-i:[A-Z])|\s+\d))\b.*|(?:in|at)\s+\w+)$"
    rf"|(?:,|\s[&|]|\sand)?\s(?:photo|picture|image|illustration|graphic|video|foto|bild|фото)\w*\s?(?:{BY}|:).*$"
    r"|(?<=\w\w),?\s+(?-i:[Ff]or)\s+(?:the\s+)?(?-i:[A-Z]).*$"
    rf"|(?<=[{HAN}])，.*$|\s*(?:[|•⋅●→]|(?<![{HAN}])·|·(?![{HAN}])|//|\s\(|\s[–—-]\s|,\s(?-i:[a-zß-ÿа-ёα-ώ])"
    rf"|,\s(?:[^,]{{0,40}}\s)?{either('position')}\b"
    r"|(?:,|and|\.)?\s+(?:medically|fact|expert|technically)?[\s-]*(?:reviewed|edited|checked|verified|translated|illustrated) by\b).*$",
    re.IGNORECASE,
)
_ROLE = re.compile(
    rf"(?<=\w)\s*[,(]\s*(?:[^,()]{{0,40}}\b)?(?:(?<!ghost){either('writer')}|news service|special (?:for|to))\b.*$"
    r"|(?<=\w),?\s+(?:envoyée?s?|correspondante?s?) (?:spécia(?:ux|les?|l)|permanente?s?|à|en|au)\b.*$"
    r"|(?<=\w)(?:,\s*|\s+)(?:the )?(?:(?:associated|canadian) press|reuters|afp|ap|bloomberg)(?:\s(?:\w+\s)?writers?)?\s*:?$"
    r"|(?<=\w)\s+and agencies$",
    re.IGNORECASE,
)
"""Words for writers and agencies behind a name."""
_ROLE_ALONE = re.compile(
    r"(?:(?:our|the|by|a|an|der|die|unserer?|notre|la|nuestra|nossa) )*"
    r"(?:(?:staff|news|web|online|guest|special|senior|city|sports?) )*"
    rf"(?:{either('newsroom')}|(?:news|city|sports?|web|online) (?:desk|staff|team|bureau))",
    re.IGNORECASE,
)
"""A role that names nobody."""
_SECTION = re.compile(r"[A-ZÀ-Þ][^\s,:]*\s+(?:[·•|]|[Bb]y)\s+(?=[A-ZÀ-Þ])")  #: A word before names, such as "Politics ·".
_BY_BEHIND = re.compile(r"\b[Bb]y:?\s+(?=[A-ZÀ-Þ])")
_DIGIT = re.compile(r"\d")
_DATE_AHEAD = re.compile(
    r"\s*(?:\b\d{1,2}:\d\d|\b[A-Z][a-z]{2,8}\.?\s+\d{1,2}(?:st|nd|rd|th)?\b|\d{1,4}\s*[/.年-]\s*\d|\b\d{1,2}\.?\s+(?:de\s+)?[^\W\d_]{3,10}[.,]?\s+(?:de\s+)?\d{4}"
    r"|\d+\s*-?(?:min|sec|hour|day|view|comment|follower|share)).*",
    re.DOTALL,
)
_ADDRESS = re.compile(r"^(?:https?:|www\.|//)|^/\w", re.IGNORECASE)
_NO_NAMES = frozenset(entries("no author"))
_OF_OTHERS = re.compile(
    rf"(?:(?:(?:[责責]任|[执執]行)?[编編][辑輯]|[责責][编編])\s?[/／丨|｜:：]|{either('no byline')}\s?[:：])", re.IGNORECASE
)
"""Labels of editors, who are not authors, and of others."""
_NO_BYLINE = re.compile(
    rf"{either('no byline')}\b|©"
    r"|.*(?:\bgetty images|\bnews (?:from|services)\b|[。！？])",
    re.IGNORECASE,
)
_NO_NAME = re.compile(rf"[\[\]{{}}:：+%#]|(?<!\w)\d|[{HAN}]{{13}}")  #: Signs that no shown name has; "Ann2" may be that of a user.
_LETTERS = re.compile(r"[^\W\d_]")
_FULL_STOP = re.compile(r"(?<!\b\w)(?<!\b[JS]r)(?<!\b(?:Inc|Ltd))\.$")
_BETWEEN, _ON_PAGE = re.compile(r" ?; ?| [|] "), re.compile(r" ?; ?")  #: Separators of names; on a page, "|" precedes a place, a date, ...
_AND = "and|AND|&|und|et|y|e"
_SEVERAL = re.compile(rf" ?, ?(?:(?:{_AND}) )?| (?:{_AND}|och|og|и) ")
_PARTICLES = frozenset(entries("particle"))
_NO_PERSON = frozenset(entries("organisation"))
"""Words of organisations and roles, which are not in names of persons."""


def name_of(value: str, *, on_page: bool = False) -> str | None:
    """Return the name of an author without the words around it; None without a name. ``on_page``: the value is shown text.

    >>> name_of("Written by: Ann Lee"), name_of("https://facebook.com/ann"), name_of("作者：张三"), name_of("admin")
    ('Ann Lee', None, '张三', None)
    >>> name_of("Ann Lee, ann@example.org"), name_of("ann@example.org (Ann Lee)"), name_of("View all articles by Ann Lee")
    ('Ann Lee', 'Ann Lee', 'Ann Lee')
    >>> name_of("By Ann Lee | March 5, 2024", on_page=True), name_of("Publié par Ann Lee")
    ('Ann Lee', 'Ann Lee')
    >>> name_of("By Ann Lee for the Harrow Post", on_page=True)
    'Ann Lee'
    >>> name_of("Photographs by Ann Lee"), name_of("Ann Lee (@annlee)"), name_of("The Harrow Gazette")
    ('Ann Lee', 'Ann Lee', 'The Harrow Gazette')
    >>> name_of("Von unserer Redakteurin Ann Lee", on_page=True), name_of("About Ann Lee", on_page=True)
    ('Ann Lee', 'Ann Lee')
    >>> name_of("記者林雅婷／渡口報導", on_page=True), name_of("Анна Мель, фото автора", on_page=True)
    ('林雅婷', 'Анна Мель')
    """
    name = line(value, MAX_NAME * 2 if on_page else MAX_NAME)
    if name is None or _ADDRESS.match(name):
        return None
    if name[-1] == ")":
        name = _ACCOUNT.sub("", name).rstrip() or name
    if "@" in name and _LETTERS.search(rest := _EMAIL.sub(" ", name).strip(" ,;()<>[]")):
        name = rest
    if _OF_OTHERS.match(name):
        return None
    if not name.isascii() and (label := _LABEL.search(name)) and label.lastgroup in _EASTERN:
        return name_of(label[label.lastgroup], on_page=True)
    shown, name = name, _BEFORE.sub("", without_section(name) if on_page else name)
    if on_page:
        if name == shown:
            name = _PREPOSITION.sub("", name)
        name = name.strip("[]【】")
        if name == shown and (by := _BY_BEHIND.search(name)) and _DIGIT.search(name, 0, by.start()):  # "Monday, 5 March, by Ann Lee"
            name = name[by.end() :]
        name = _AFTER.sub("", _AFTER.sub("", _DATE_AHEAD.sub("", name) if _DIGIT.search(name) else name))
        head, _, place = name.partition(", ")
        name = head if " " in head and _PLACE.fullmatch(place) else name
        words = name.split()
        if len(name) > MAX_NAME // 2 or len(words) > 8 or _NO_NAME.search(name) or _are_no_names(words):
            return None
    name = name.strip(" ,;:|/•·⋅●□■◎→»>-–—&*")
    name = without_month(_FULL_STOP.sub("", name)) if on_page else name
    if (
        not name
        or name.casefold() in _NO_NAMES
        or weekday_of(name) is not None
        or not _LETTERS.search(name)
        or (len(name) == 1 and name.isascii())
    ):
        return None
    if on_page:
        is_no_name = _NO_BYLINE.match(name) or _ROLE_ALONE.fullmatch(name) or _BARE.fullmatch(name) or _EMAIL.fullmatch(name)
        return None if is_no_name else name
    person = name_of(value, on_page=True)  # a declared byline, such as "Photographs by Ann Lee"
    return person if person and name.endswith(person) and all(map(may_be_person, persons(person))) else name


def without_section(text: str) -> str:
    """Return shown names of persons without the section before them.

    >>> without_section("Politics · Ann Lee, Bo Ek"), without_section("Sport By Ann Lee"), without_section("Ann | Reeds")
    ('Ann Lee; Bo Ek', 'Ann Lee', 'Ann | Reeds')
    """
    section = None if _BEFORE.match(text) else _SECTION.match(text)
    names = persons(text[section.end() :]) if section else []
    return "; ".join(names) if names and all(map(may_be_person, names)) else text


def _are_no_names(words: list[str]) -> bool:
    """Return whether the words are more than names have, most of them in small letters."""
    return len(words) >= LEAST_WORDS and 2 * sum(word[0].islower() for word in words) > len(words)


def without_place(name: str, sites: Collection[str]) -> str:
    """Return a name without what follows it: a word for a writer, an agency or a name of the site (folded).

    >>> without_place("Ann Lee, Science Editor, Garden News", ()), without_place("Ann Lee, The Garden Sports", {"thegarden"})
    ('Ann Lee', 'Ann Lee')
    >>> without_place("Ann Lee, Bo Ek, and Cy Rus, CNN", {"cnn"})
    'Ann Lee, Bo Ek, and Cy Rus'
    >>> without_place("ANN LEE ASSOCIATED PRESS", ()), without_place("The Associated Press", ()), without_place("Ann Lee, MD", ())
    ('ANN LEE', 'The Associated Press', 'Ann Lee, MD')
    """
    front = _ROLE.sub("", name)
    known = {site for site in sites if len(site) >= LEAST_OF_SITE}
    several = front.count(",") > 1 and len(persons(front.rpartition(",")[0])) > 1
    head, comma, tail = front.rpartition(",") if several else front.partition(" (" if front[-1:] == ")" else ",")
    if comma and ((form := comparison_key(tail)) in known or form.startswith(tuple(known - {form[:LEAST_OF_SITE]}))):
        front = head
    return front.strip() if " " in front.strip() else name


def persons(name: str, *, declared: bool = True) -> list[str]:
    """Return the names of several persons, each of two to four words; else the name as it is.

    ``declared``: the value holds names only; in shown text the second of two names with a comma between may be a place.

    >>> persons("Ann Lee, Bo van der Ek and Cy Rus"), persons("Ann Lee, Bo Ek", declared=False)
    (['Ann Lee', 'Bo van der Ek', 'Cy Rus'], ['Ann Lee, Bo Ek'])
    >>> persons("ANN LEE and BO EK"), persons("张三 李四")
    (['ANN LEE', 'BO EK'], ['张三', '李四'])
    >>> persons("Chiara Donati e Bo Ek"), persons("Анна Мель и Бо Эк"), labelled("記者林雅婷／渡口報導"), labelled("Tác giả: Lê Thị Lan")
    (['Chiara Donati', 'Bo Ek'], ['Анна Мель', 'Бо Эк'], '林雅婷', 'Lê Thị Lan')
    >>> persons("Ann Lee, MD"), persons("Marks and Spencer"), persons("Public Health and Garden Science")
    (['Ann Lee, MD'], ['Marks and Spencer'], ['Public Health and Garden Science'])
    """
    if not name.isascii() and len(names := chinese_names.several(name)) > 1:
        return names
    names = _SEVERAL.split(name)
    if len(names) == 2 and "," in name and not declared:
        return [name]
    return names if all(map(may_be_person, names)) and len({each.isupper() for each in names}) == 1 else [name]


def is_organisation(name: str) -> bool:
    """Return whether a short name has a word of organisations and roles.

    >>> is_organisation("Condor Media"), is_organisation("annlee")
    (True, False)
    """
    words = name.split()
    return len(words) <= MAX_SHORT and any(word.casefold() in _NO_PERSON for word in words)


def may_be_person(name: str) -> bool:
    """Return whether a name may be that of a person: two to four words with capitals, none of them a word of organisations and roles."""
    words = [word for word in name.split() if word not in _PARTICLES]
    return (
        len(words) in range(2, 5) and words[0] != "The" and all(word[0].isupper() and word.casefold() not in _NO_PERSON for word in words)
    )


def is_site(name: str, sites: Collection[str]) -> bool:
    """Return whether a name is one of the site (folded), or the beginning of one that is not written in Latin letters.

    >>> is_site("LA Times", {"latimes"}), is_site("花园", {"花园网"}), is_site("Ann", {"annlee"})
    (True, True, False)
    """
    whole = comparison_key(name)
    return whole in sites or (not name.isascii() and any(site.startswith(whole) for site in sites))


def without_month(name: str) -> str:
    """Return a name without the month that begins the date behind it.

    >>> without_month("Ann Lee, Dec"), without_month("Ann Lee April"), without_month("Robert August")
    ('Ann Lee', 'Ann Lee', 'Robert August')
    """
    front, _, last = name.rpartition(" ")
    is_month = last.rstrip(".").casefold() in MONTH and (front.endswith(",") or " " in front)
    return front.rstrip(" ,") if is_month else name


def first_name_first(value: str) -> str:
    """Return a name that is sorted by its last part, as a reader says it.

    >>> first_name_first("Lee, Ann B."), first_name_first("Ann Lee, Bo Ek, Cy Rus")
    ('Ann B. Lee', 'Ann Lee, Bo Ek, Cy Rus')
    """
    last, comma, first = value[:MAX_NAME].partition(",")
    return f"{first.strip()} {last.strip()}" if comma and "," not in first and len(last.split()) <= 3 else value


def joined(values: Iterable[str], *, on_page: bool = False) -> str | None:
    """Return the names among values, each once, joined by "; "; None if there is none.

    >>> joined(["Ann Lee; Bo Ek", "ann lee", "@annlee"])
    'Ann Lee; Bo Ek'
    """
    names: dict[str, str] = {}
    for name in _names_in(values, on_page):
        names.setdefault(name.casefold(), name)
        if len(names) == MAX_AUTHORS:
            break
    return "; ".join([name for name in names.values() if name[0] != "@"] or [name.lstrip("@") for name in names.values()]) or None


def _names_in(values: Iterable[str], on_page: bool) -> Iterator[str]:
    for value in values:
        whole = " ".join(unescaped(unescaped(value[:5_000])).split())
        for piece in (_ON_PAGE if on_page else _BETWEEN).split(whole):
            if name := name_of(piece, on_page=on_page):
                yield name


_CAPITAL = "[A-ZÀ-ÞĀ-ɏΆ-ΩА-Я]"
_PLACE = re.compile(rf"{_CAPITAL}[a-zß-ÿа-ё]{{2,}}")  #: A place or a role behind a name.
_TWO_HAN = rf"[{HAN}]{{1,3}}[ \u3000][{HAN}]{{1,3}}"  #: A surname and a name.
_WORK = rf"{either('work', 'written')}(?:\s(?:and|&)\s{either('handled')})?"
_LABEL = WordPattern(
    rf"(?:(?:^|[\s|【（(・]){_IN_HAN}|(?<![原译譯])作\s?者)"
    rf"(?:[·・、&＆/／][{HAN}]{{1,3}})?\s?[:：/／丨|｜=＝・]\s?(?:[\[［〔（(【][{HAN}]{{1,3}}[\]］〕）)】]\s?)?(?:[{HAN}]{{2,10}}(?:[记記]者|作者|[評评][论論][员員])\s)?"
    rf"(?P<cjk>{PERSONS}(?!\s?[、＆&])|[A-Z][\w.’'-]{{0,20}}(?:\s[A-Z][\w.’'-]{{0,20}}){{1,3}}|{_TWO_HAN}(?=\s?[（(|】]|\s[{HAN}]{{1,4}}[:：=＝/／]|$)|[^\s:：|,，。/／】]{{2,20}})"
    r"|^[发發]信人\s?[:：]\s?(?P<bbs>[\w.-]{2,20})"
    rf"|^(?i:(?:(?:this {either('work')} was |an? )?(?:guest )?{_WORK}\s)?by):?\s*"
    r"(?:(?P<by>[A-ZÀ-Þ][^|•·\d]{2,60})|(?P<user>[\w.-]{2,30})(?= on (?:[A-Z][a-z]{2}|\d)))"
    rf"|^(?:(?i:{_INDEFINITE}{paired('work', 'by')}|{paired('written', 'by')})|di|(?i:(?!by\b){BY}))\s?:?\s"
    rf"(?P<von>{_CAPITAL}[^|•·\d]{{2,60}})"
    rf"|^(?i:{either('wrote')})\s?:?\s(?P<wrote>{_CAPITAL}[^|•·\d:]{{2,60}})"
    rf"|^(?i:{_OUR})\s(?P<our>{_CAPITAL}[^|•·\d:]{{2,60}})"
    rf"|(?:^|\s)(?i:{_AUTHOR})\s?:\s?(?P<author>[^|•·\d:]{{3,60}}:?)"
    rf"|(?:^|[\s|])(?i:{either('text')})(?:\s?[·&+,/]\s?\w+)?\s?:\s?(?P<text>{_CAPITAL}[^|•·\d:/]{{2,60}}:?)"
    rf"|^(?P<by_role>{_CAPITAL}[^|•·\d:(]{{2,60}})\s\((?i:{either('text')})\)"
    rf"|(?:^|[\s（(])[{HAN}]{{1,5}}[部員员]・(?P<staff>[{HAN}]{{2,3}}\s?[{HAN}\u3040-\u30ff]{{1,3}})(?=[)）\s]|$)"
    rf"|(?:^|[\s|（(〔■●])(?:本[报報刊网網台]\s|通[讯訊]社\s|[{HAN}·《》]{{1,14}})?(?:[记記]者|作者)\s?(?P<reporter>{PERSONS})(?!\s?[摄攝图圖供])(?=[\s|，,）)／/]|$)"
    rf"|(?:^|[\s|（(])[记記]者\s(?P<writer>[{HAN}·]{{2,6}})(?!\s?[摄攝图圖供])(?=[\s、，,）)]|$)"
    rf"|^(?P<before>{PERSONS})[/／](?:[{HAN}]{{1,9}}[报報社网網刊台導导道])$"
    r"|(?:^|[\s|=\[(])(?P<korean>[가-힣]{2,4})\s(?:선임|수습)?기자(?![가-힣])|^글(?:쓴이|\s?[·,/]\s?사진)?\s(?P<written>[가-힣]{2,4})(?=\s|$)",
    flags=0,
)
_EASTERN = frozenset({"cjk", "reporter", "writer", "staff", "korean"})  #: Names of groups of labels that declared names may have as well.
_BARE = WordPattern(rf"(?:{_WORK}\s)?by\s?:?|(?:written|words)\s?:|{paired('written', 'by')}\s?:?|(?:{_AUTHOR}|{_IN_HAN})\s?[:：]?")
"""A line that says whose name the next line is."""
_IN_SIGNS = re.compile(rf"{_TWO_HAN}|{PERSONS}")
_NAME = re.compile(r"[^\W\d_a-zß-ÿ].{0,60}")  #: A possible name: it begins with no small letter.


def in_lines(lines: list[str], before: list[str]) -> Iterator[tuple[int, str]]:
    """Yield the names that short lines say, by a label in front or in the line before, each with the number of its line.

    >>> list(in_lines(["By Ann Lee", "Written by", "Bo Ek", "Share"], ["", "By Ann Lee", "Written by", "Bo Ek"]))
    [(0, 'Ann Lee'), (2, 'Bo Ek')]
    """
    for k in sorted({*contains_any(lines, _LABEL.hints), *contains_any(before, _BARE.hints, MAX_LABEL)}):
        if (name := labelled(lines[k]) or below_label(before[k], lines[k])) is not None:
            yield k, name


def labelled(text: str) -> str | None:
    """Return the name in a short line that says whose name it is: "By Ann Lee", "作者：张三".

    >>> labelled("来源：新华社 作者：张三 2024年3月5日"), labelled("By Ann Lee | March 5"), labelled("By the way")
    ('张三', 'Ann Lee', None)
    >>> labelled("本报记者 李小明 通讯员 赵刚"), labelled("2024.03.05 | 김철수 기자"), labelled("5 марта, автор: Иван Петров")
    ('李小明', '김철수', 'Иван Петров')
    >>> labelled("by annlee on March 5, 2024"), labelled("Von Ann Lee, Kiel"), labelled("社会部・大沢由紀")
    ('annlee', 'Ann Lee', '大沢由紀')
    """
    match = _LABEL.search(text)
    if match is None:
        return None
    name = name_of(next(filter(None, match.groups())), on_page=True)
    is_text = any(match[kind] for kind in ("von", "text", "wrote", "our", "by_role"))
    return None if name and is_text and not all(map(may_be_person, persons(name))) else name


def below_label(label: str, text: str) -> str | None:
    """Return the name in a line below one that says whose name it is.

    >>> below_label("Written by", "Ann Lee"), below_label("作者", "张三"), below_label("By", "the way"), below_label("Share", "Ann Lee")
    ('Ann Lee', '张三', None, None)
    """
    return name_of(text, on_page=True) if announces_name(label) and _NAME.fullmatch(text) else None


def alone(text: str) -> str | None:
    """Return the name of a person that is all of a text, but for a date and signs.

    >>> alone("· Ann Lee ·"), alone("Ann Lee, 3 May 2024"), alone("佐藤 美咲"), alone("Ann Lee says"), alone("Garden News")
    ('Ann Lee', 'Ann Lee', '佐藤 美咲', None, None)
    """
    said = _DATE_AHEAD.sub("", text).strip(" ,;|/•·⋅●→–—-")
    is_name = _IN_SIGNS.fullmatch(said) or (name_of(said, on_page=True) == said and may_be_person(said))
    return said if is_name else None


def announces_name(label: str) -> bool:
    """Return whether a text only says that the name of an author follows: "Written by"."""
    return len(label) <= MAX_LABEL and _BARE.fullmatch(label) is not None


def is_said(name: str, address: str) -> bool:
    """Return whether the end of an address has a word of a name.

    >>> is_said("Ann B. Lee", "ann-lee/"), is_said("See all", "7")
    (True, False)
    """
    said = comparison_key(unquote(address))
    return any(len(word) > 2 - (not word.isascii()) and word in said for word in map(comparison_key, name.split()))
