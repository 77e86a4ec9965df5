"""Titles without the name of the site, which is cut only where something else on the page shows that it is one."""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence
from functools import lru_cache
from itertools import islice
from urllib.parse import urlsplit

from tamis.document.metadata.clean_text import comparison_key, host
from tamis.page.lexicon import either, entries

_SEPARATOR = re.compile(
    r"(\s+[-–—|·•«»›:⋅~<>/←→@]+\s+|\s*(?:[|｜»›]|::|--)\s*|\s*[—–]\s+|:\s+|_(?=\S)"
    r"|-(?=[^-\s]{0,12}[\u4e00-\u9fff][^-\s]{0,12}$)|(?<=\S)(?=【[^【】]{1,12}】(?:_|-|$)))"
)
LEAST_BEGINNING = 0.35  #: Share of a title's letters that the beginning has which is taken for all of it.
MAX_SIGNS = 100  #: Places of a title at which the name of the site may begin.
LEAST_OF_SITE = 0.5  #: Share of a title's letters that a name of the host makes at the least where the title says no more than that.
_NUMBERED = re.compile(r"\d{1,2}(?:\.\d{1,2})*\.?\s")
_THREAD = re.compile(rf"{either('thread')}\s?(?:[:：]|\s[-–—])\s?(?=\S)", re.I)
"""Words of forums before the title of a thread."""
_SOFTWARE = re.compile(r"powered by\b|(?:blog )?archive$", re.I)
_PLACEHOLDER = re.compile(rf"(?:untitled|new|no title|default)(?: (?:document|page|title|post))?(?: ?\d)?|{either('untitled')}", re.I)
_HOME = re.compile(either("home"), re.I)
_WORD = re.compile(r"\w+")
_SIGN = re.compile(r"\s?[-–—_|｜·•«»›:：~⋅/←→<>@]{1,4}\s?|\s")  #: Separators of a title and the name of the site.
_WIDE = re.compile(r"[\u3000-\u9fff\uff00-\uffef]")  #: Letters and signs of Chinese and Japanese: a blank behind them parts.
_ADDRESS = re.compile(r"@\w+|(?:https?://|www\.)\S+|[a-z0-9-]+(?:\.[a-z0-9-]+)+")
_DOMAIN_FURNITURE = frozenset(entries("domain"))


def parts(title: str) -> list[str]:
    """Return the parts of a title and, between them, what parts them.

    >>> parts("Le film - Cinéma » Le Site")
    ['Le film', ' - ', 'Cinéma', ' » ', 'Le Site']
    """
    return _SEPARATOR.split(title)


def agreeing_heading(headings: Sequence[str], declared: Sequence[str], site_names: Collection[str]) -> str | None:
    """Return the first heading that is a declared title, else that has half of the words of one; the first if no title is declared.

    Headings with numbers are those of sections where there are several.
    A heading that is the site's name only counts if no declared title says anything else.

    >>> agreeing_heading(["The Garden", "Ripe tomatoes"], ["Ripe tomatoes - The Garden"], {"thegarden"})
    'Ripe tomatoes'
    >>> agreeing_heading(["Latest tomatoes", "Ripe tomatoes"], ["Ripe tomatoes"], ())
    'Ripe tomatoes'
    """
    if sum(map(bool, map(_NUMBERED.match, headings))) > 1:
        headings = [heading for heading in headings if not _NUMBERED.match(heading)]
    wholes = [comparison_key(title) for title in declared if title]
    only_site = all(whole in site_names for whole in wholes)
    for heading in sorted(headings, key=lambda heading: comparison_key(heading) not in wholes):
        name = comparison_key(heading)
        if not name or (name in site_names and not only_site):
            continue
        if not wholes or any(name in whole for whole in wholes) or any(_shares_words(heading, title) for title in declared if title):
            return heading
    return None


def _shares_words(heading: str, title: str) -> bool:
    words = set(_WORD.findall(heading.casefold()))
    return 2 * len(words.intersection(_WORD.findall(title.casefold()))) >= len(words)


def beginnings(title: str) -> list[str]:
    """Return a title, its first part, the first two, ...

    >>> beginnings("Ripe tomatoes: how - The Garden")
    ['Ripe tomatoes', 'Ripe tomatoes: how', 'Ripe tomatoes: how - The Garden']
    """
    pieces = parts(title)[:41]
    return ["".join(pieces[:end]) for end in range(1, len(pieces) + 1, 2)]


def is_placeholder(title: str) -> bool:
    """Return whether a title is one that programs write when none was given.

    >>> is_placeholder("Untitled Document"), is_placeholder("无标题文档"), is_placeholder("Untitled verses")
    (True, True, False)
    """
    return _PLACEHOLDER.fullmatch(title.strip()) is not None


def site_of_home(title: str, known: Collection[str]) -> str | None:
    """Return the name of the site, folded, in a title of its first page on another one: a word for this beside parts that the ``title``
    element has as well (``known``, folded); None for other titles.

    >>> site_of_home("Garden | Home", {"garden", "ripetomatoes"}), site_of_home("Home | Gardens", {"garden"})
    ('garden', None)
    """
    pieces = parts(title)[::2]
    others = [comparison_key(piece) for piece in pieces if not is_word_for_home(piece)]
    return "".join(others) if others and len(others) < len(pieces) and all(each in known for each in others) else None


def is_word_for_home(text: str) -> bool:
    """Return whether a text only says that it is the first page of a site, in any language.

    >>> is_word_for_home("Startseite"), is_word_for_home("The Garden")
    (True, False)
    """
    return _HOME.fullmatch(text.strip()) is not None


def site_headings(headings: Sequence[str], title: str, site_names: Collection[str] = (), lower: Sequence[str] = ()) -> set[str]:
    """Return names of the site, folded: headings that are the last part of the ``title`` element, after other parts.

    The only heading of the highest level counts only if a lower one (``lower``) has the other parts.

    >>> site_headings(["The Garden Book", "Ripe tomatoes"], "Ripe tomatoes - The Garden Book")
    {'thegardenbook'}
    >>> site_headings(["Garden"], "Reeds - Garden", (), ["Reeds"]), site_headings(["Reeds"], "Garden - Reeds")
    ({'garden'}, set())
    >>> site_headings(["Ripe tomatoes"], "The Garden - Ripe tomatoes", {"thegarden"})
    set()
    """
    pieces = parts(title)
    last, others = comparison_key(pieces[-1]), comparison_key("".join(pieces[:-2]))
    if (
        len(pieces) < 3
        or others in site_names
        or (len(headings) == 1 and last not in site_names and not _is_shown(others, "".join(pieces[:-2]), lower))
    ):
        return set()
    return {name for name in map(comparison_key, headings) if name == last != others}


def _is_shown(name: str, title: str, headings: Sequence[str]) -> bool:
    """Return whether headings show a title (``name`` is its folded form), or have words of it."""
    return any(comparison_key(heading) == name or _shares_words(heading, title) for heading in headings if heading)


def without_site(title: str, site_names: Collection[str]) -> str:
    """Return a title with the site's name cut off.

    Args:
        title: as in the ``title`` element or in ``og:title``.
        site_names: names of the site, folded (:func:`~tamis.document.metadata.clean_text.comparison_key`).

    >>> without_site("Ripe tomatoes - Growing | The Garden", {"thegarden"})
    'Ripe tomatoes - Growing'
    >>> without_site("番茄熟了_花园网", {"花园网"})
    '番茄熟了'
    >>> without_site("番茄不结果 - 园艺 - Powered by Discuz!", set())
    '番茄不结果 - 园艺'
    >>> without_site("Tom - Jerry", set())
    'Tom - Jerry'
    """
    pieces = parts(title)
    if len(pieces) < 3 or len(pieces) > 41:
        return title
    while len(pieces) >= 3 and (comparison_key(pieces[-1]) in site_names or _SOFTWARE.match(pieces[-1])):
        pieces = pieces[:-2]
    while len(pieces) >= 3 and comparison_key(pieces[0]) in site_names:
        pieces = pieces[2:]
    return "".join(pieces).strip() or title


def strip_thread_prefix(title: str) -> str:
    """Return the title of a thread without the word for one.

    >>> [strip_thread_prefix(title) for title in ("Thread: When are tomatoes ripe?", "Просмотр темы - Когда?", "Threads of silk")]
    ['When are tomatoes ripe?', 'Когда?', 'Threads of silk']
    """
    return _THREAD.sub("", title, count=1) if _THREAD.match(title) else title


def site_in(title: str, name: str) -> str | None:
    """Return the name of the site at the end of the ``title`` element, after the title of the page and perhaps other parts.

    >>> site_in("Ripe tomatoes - Growing | The Garden", "Ripe tomatoes"), site_in("番茄熟了_花园网", "番茄熟了")
    ('The Garden', '花园网')
    >>> site_in("番茄不结果_python-花园网", "番茄不结果"), site_in("番茄不结果-种植-Garden", "番茄不结果")
    ('花园网', 'Garden')
    >>> site_in("番茄不结果 - 种植 - 花园网 - Powered by Discuz!", "番茄不结果"), site_in("番茄熟了 花园网", "番茄熟了")
    ('花园网', '花园网')
    >>> site_in("番茄熟了_种植_花园网_garden.example", "番茄熟了"), site_in("Ripe tomatoes : Growing : Garden", "Ripe tomatoes")
    ('花园网', 'Garden')
    >>> site_in("Ripe tomatoes: how to grow them", "Ripe tomatoes"), site_in("The Garden | Ripe tomatoes", "Ripe tomatoes")
    (None, None)
    """
    whole = comparison_key(name)
    signs = (sign for sign in islice(_SIGN.finditer(title), MAX_SIGNS) if sign.start() >= len(whole))
    sign = next(reversed([sign for sign in signs if comparison_key(title[: sign.start()]) == whole]), None)
    if sign is None or not (sign[0] == ": " or may_end(title, sign.start())):
        return None
    rest = title[sign.end() :]
    pieces = parts(rest.rpartition("：")[2] if sign[0].isspace() else rest.rpartition("-")[2] if sign[0] == "-" else rest)[::2]
    pieces = [piece.strip() for piece in pieces if _WORD.search(piece) and not _SOFTWARE.match(piece)]
    if len(pieces) > 1 and is_address(pieces[-1]) and _WIDE.search(pieces[-2]):
        del pieces[-1]
    return pieces[-1] if len(pieces) > (sign[0] == ": ") and comparison_key(pieces[-1]) != whole else None


def may_end(title: str, at: int) -> bool:
    """Return whether the sign at a place may separate a title from the site's name. A blank or mere hyphen does so in Chinese alone.

    >>> may_end("Tom - Jerry", 3), may_end("Tom-Jerry", 3), may_end("Tom Jerry", 3), may_end("番茄 花园网", 2), may_end("Tom: Jerry", 3)
    (True, False, False, True, False)
    """
    sign = _SIGN.match(title, at)
    return sign is not None and sign[0] != ": " and (sign[0] not in (" ", "-") or _WIDE.search(title, 0, at) is not None)


def is_address(name: str) -> bool:
    """Return whether a name of a site is rather its address, or that of an account.

    >>> is_address("www.garden.example"), is_address("@garden"), is_address("Garden.example"), is_address("The Garden")
    (True, True, False, False)
    """
    return _ADDRESS.fullmatch(name) is not None


def name_site_only(declared: Collection[str], names: Collection[str]) -> bool:
    """Return whether all declared titles are made of a name of the site's host, more or less.

    >>> name_site_only(["Ann Lee's Blog", ""], {"annlee"}), name_site_only(["Ann Lee wins a prize"], {"annlee"})
    (True, False)
    """
    wholes = set(map(comparison_key, declared)) - {""}
    return bool(wholes) and all(any(name in whole and LEAST_OF_SITE * len(whole) <= len(name) for name in names) for whole in wholes)


def is_home(url: str | None) -> bool:
    """Return whether an address is that of a site's first page, or not known.

    >>> is_home("https://example.org/index.html"), is_home("https://example.org/2024/"), is_home(None), is_home("http://[x/a")
    (True, False, True, True)
    """
    url = (url or "")[:2_000]
    return not host(url) or not re.sub(r"/(?:index|default|home)\.\w+$", "/", urlsplit(url).path).strip("/")


def names_of_host(url: str | None) -> set[str]:
    """Return possible names of the site by its host, folded.

    >>> sorted(names_of_host("https://www.my-garden.example.co.uk/x"))
    ['example', 'examplecouk', 'mygarden', 'mygardenexamplecouk', 'wwwmygardenexamplecouk']
    """
    return set(_names_of_host(host(url)))


@lru_cache(maxsize=256)  # the pages of a site share their host
def _names_of_host(name: str) -> frozenset[str]:
    labels = name.split(".")
    names = {comparison_key(label) for label in labels if label not in _DOMAIN_FURNITURE}
    names.update(comparison_key("".join(labels[k:])) for k in range(len(labels) - 1))
    furniture = (labels[k:] for k in range(len(labels)) if set(labels[k:]) <= _DOMAIN_FURNITURE)
    return frozenset(names) - {"", *(comparison_key("".join(each)) for each in furniture)}
