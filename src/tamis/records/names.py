"""Names of columns from the markup, so that they stay the same from page to page."""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import pairwise, takewhile

import numpy as np

from tamis.page import tags
from tamis.records.fields import Field, Kind, Span
from tamis.records.places import Places
from tamis.records.table import Row

SAMPLED = 20  #: Records of which the class names are compared.
PLACES = 3  #: A class name that a record has at so many different paths says how a thing looks.
MAX_LABEL = 30  #: Characters of a label.
_CELL = tags.lookup(tags.CELLS)
_TELLING = frozenset("h1 h2 h3 h4 h5 h6 time dt dd th".split())  #: Tags that say what a thing is as well as a class name does.
_BY_TAG = {
    **dict.fromkeys("h1 h2 h3 h4 h5 h6".split(), "title"),
    **dict.fromkeys("p div span b strong em i u small big font nobr tt center section article".split(), "text"),
    **{"time": "date", "img": "image", "a": "link", "li": "item", "tr": "row", "td": "cell", "th": "header"},
    **{"dt": "term", "dd": "definition"},
}
UNTOLD = frozenset(_BY_TAG.values()) - {"title", "date"}  #: Names that say nothing.
_NOT_A_WORD = re.compile(r"[^\w]+")
_VAGUE = re.compile(
    r".*[.:/!@\[\]].*|(?:ng|css|sc)-.*|_.*|[a-z]{1,2}[-_]?\d*|(?:col|row|span|grid|cell|clear|fix|pull|float|text|is)?[-_]?(?:xs|sm|md|lg|xl)?"
    r"[-_]?\d*|clearfix|first|last|odd|even|active|left|right|top|bottom|middle|mid|column|container|wrapper|wrap|inner|outer|block|inline|"
    r"flex|group|hidden|visible|show|none|auto|link|item|items|content|txt|bold|semibold|medium|small|large|full|max|min|size|width|height|"
    r"weight|normal|base|font|line|clamp|align|center|justify|between|aspect|ratio|relative|absolute|fixed|overflow|hover|underline|through|"
    r"rounded|circle|border|shadow|typography|leading|tight|object|contain|cover|display|cursor|pointer|nowrap|uppercase|capitalize|shrink|"
    r"grow|spacing|break|transition|img|responsive|has|color|bg|dark|light|gr[ae]y|white|black|blue|green|red|muted|primary|secondary|"
    r"tertiary|highlight|match|vcard|desktop|mobile|tablet|hide|lazy|load|lazyload(?:ed)?|mls|txt[sml]?",
    re.IGNORECASE,
)
"""Class names, and words of them, that say how a thing looks or where it stands, not what it is."""
_LOOKS = re.compile(
    r"(?:bg|font|text|gap|space|items|self|justify|transition|break|whitespace|cursor|tracking|leading|lh|group|grid|line|max|min|no|is|has)[-_].*"
    r"|(?:[a-z]|[mp][a-z]|top|left|right|bottom|order|scale|opacity|duration|delay|columns|gap)(?:[-_][a-z]+)?[-_]?0"
)
"""Class names that begin as those of looks do (``font-serif``), or end with a number as these do (``duration-0``)."""
_RANDOM = re.compile(r"[A-Za-z]\d+[A-Za-z]|(?<![A-Za-z])[a-z][A-Z]|(?<=[A-Z])[a-z][A-Z]|[a-z][A-Z](?![A-Za-z])|(?i:[bcdfghj-np-tvwxz]{6})")
"""What words made up by a build tool have: digits among letters, single letters of another case, no vowel."""
_MODULE = re.compile(r"[A-Za-z][A-Za-z0-9-]*_([A-Za-z][A-Za-z0-9]*)__([\w-]{2,7})")
"""A class name of CSS modules: file, name, and a hash (``Products_price__ACYq_``)."""
_CAMEL = re.compile(r"(?<=[a-z0-9])(?=[A-Z])")
_OF_FIELD = re.compile(
    r"(?:.*_)?[^\W_]*(?:title|heading|headline|name|subject|topic|price|date|published|posted|released|time|author|byline|creator|artist|summary|"
    r"excerpt|desc|description|teaser|snippet|abstract|category|categorie|genre|rating|review|replie|comment|view|count|rank|score|vote|point|location|address|"
    r"company|brand|manufacturer|publisher|stock|duration|phone|email)s?(?:_(?:link|text|txt|label|wrapper|wrap|container|box|area|block))*"
)
"""Names whose last word says which field of a record a thing is."""
_LABEL = re.compile(r"([^\W\d_][^:：]*?) ?[:：](?: |$|(?<=：))")
_SUFFIX: dict[Kind, str] = {"link": "_url", "image": "_image"}
_ADDRESS = re.compile("(_url|_image)$")


class Namer:
    """Names for the fields of some records of a page."""

    def __init__(self, page: Places, spans: Sequence[Span], headers: dict[int, str]) -> None:
        """``headers``: header cells by position, if the records are rows of a table."""
        self._page = page
        self._headers = headers
        self._words: dict[int, list[str]] = {}
        self._of_looks: set[str] = set()
        for first, after in spans[:SAMPLED]:
            paths: dict[str, set[int]] = {}
            for node, path in enumerate(page.by_tags[first:after].tolist(), start=first):
                for name in page.names[node]:
                    paths.setdefault(name, set()).add(path)
            self._of_looks.update(name for name, places in paths.items() if len(places) >= PLACES)

    def name(self, field: Field, steps: Sequence[int]) -> str:
        """A name for the field's column. ``steps``: the elements from the field up to its record."""
        tree = self._page.tree
        of_address = ("url", "image") if field.kind == "text" else ()  # said of the link around a text, these do not name the text
        inner = steps[:-1] if len(steps) > 1 else steps  # the record's own names say nothing of a field
        props = (word_of(_CAMEL.sub("_", tree.attributes[step].get("itemprop", ""))) for step in inner)
        if prop := next((word for word in props if word and word not in of_address), ""):
            return prop if prop in ("url", "image") else with_kind(prop, field.kind)
        word = self._header(steps) or self._nearest(inner)
        if not word and steps:
            word = _BY_TAG.get(tree.name(steps[0]), tree.name(steps[0]))
        return with_kind(word or "text", field.kind)

    def _header(self, steps: Sequence[int]) -> str:
        tree = self._page.tree
        for step in steps:
            if self._headers and tree.tag[step] in tags.CELLS:
                row = tree.children(int(tree.parent[step]))
                cells = row[tree.of_tags(_CELL)[row]]
                return word_of(self._headers.get(int(np.searchsorted(cells, step)), ""))
        return ""

    def _nearest(self, steps: Sequence[int]) -> str:
        """Of the elements that show just what the field's does, the nearest name that says which field it is; else the nearest name of any
        element that says something."""
        shown, end = self._page.shown, self._page.tree.end

        def shows(step: int) -> tuple[int, int]:
            return int(shown[step]), int(shown[end[step]])

        same = takewhile(lambda step: shows(step) == shows(steps[0]), steps)
        named = (word for step in same for word in self._said(step) if _OF_FIELD.fullmatch(word))
        return next(named, "") or next((word for step in steps for word in self._said(step)), "")

    def _said(self, step: int) -> list[str]:
        """What the class names of an element say, or its tag does."""
        found = self._words.get(step)
        if found is None:
            tree = self._page.tree
            names = (name for name in self._page.classes(step) if name != "url" or not tree.link[step])
            told = ((_telling(name), name in self._of_looks) for name in names)
            found = [word for word, of_looks in told if word and (not of_looks or _OF_FIELD.fullmatch(word))]
            if not found and (tag := tree.name(step)) in _TELLING:
                found = [_BY_TAG[tag]]
            self._words[step] = found
        return found


def with_kind(word: str, kind: Kind) -> str:
    """A word as the name of a column of texts, links or images.

    >>> with_kind("seller", "link"), with_kind("image", "image")
    ('seller_url', 'image')
    """
    suffix = _SUFFIX.get(kind, "")
    return word if f"_{word}".endswith(suffix) else word + suffix


def _telling(name: str) -> str:
    """What a class name says of a thing; empty for nothing. Of ``block__element--modifier`` the element counts, or a modifier that says
    which field it is.

    >>> _telling("card__price--new"), _telling("post--excerpt"), _telling("Shop_oldPrice__x7YqA"), _telling("title-uCj7nufwhh")
    ('price', 'excerpt', 'old_price', 'title')
    >>> _telling("has-text-grey-dark"), _telling("font-serif"), _telling("sc-9d83"), _telling("dcr-0a1b2c")
    ('', '', '', '')
    """
    if (module := _MODULE.fullmatch(name)) and not _OF_FIELD.fullmatch(module[2]):
        name = module[1]
    _, _, modifier = name.rpartition("--")
    if modifier != name and "__" not in modifier and _OF_FIELD.fullmatch(word_of(modifier)):
        return word_of(modifier)
    for part in reversed(name.split("__")):
        bare = part.split("--", 1)[0]
        words = [word for word in re.split("[-_]+", bare) if word.strip("0")]
        known = [word for word in words if not _RANDOM.search(word) and word != "js"]
        if known:
            is_made_up = len(known) < len(words) and len("".join(known)) < 4
            is_vague = is_made_up or any(pattern.fullmatch(bare) for pattern in (_VAGUE, _LOOKS)) or all(map(_VAGUE.fullmatch, known))
            found = word_of("_".join(_CAMEL.sub("_", word) for word in known).strip("0"))
            return "" if is_vague and (bare.endswith("0") or not _OF_FIELD.fullmatch(found)) else found
    return ""


def word_of(text: str) -> str:
    """A name that can stand as a column's: lower case, words joined by underscores, at most 40 characters.

    >>> word_of("Price (CHF)"), word_of("post-title")
    ('price_chf', 'post_title')
    """
    return _NOT_A_WORD.sub("_", text.strip().lower()).strip("_")[:40].strip("_")


def by_labels(names: Sequence[str], kinds: Sequence[Kind], values: Sequence[Row]) -> list[str]:
    """The names of columns, those that say nothing by the labels of the values: ``Author: Ann``, or ``Author:`` in the column before.

    >>> by_labels(["text", "text", "text"], ["text"] * 3, [("Pages: 9", "Pages: 8"), ("By:", "By:"), ("Ann", "Bob")])
    ['pages', 'text', 'by']
    """
    found = list(names)
    texts = [place for place, kind in enumerate(kinds) if kind == "text" and values[place]]
    for before, place in pairwise([-1, *texts]):
        if names[place] not in UNTOLD:
            continue
        labels = {_label(value) for value in values[place] if value}
        words = {value for value in values[before] if value} if before >= 0 else set()
        if len(labels) == 1 and labels != {""} and len(set(values[place]) - {None}) > 1:
            found[place] = labels.pop()
        elif len(words) == 1 and not any(value and not word for value, word in zip(values[place], values[before], strict=True)):
            label = _LABEL.fullmatch(words.pop())
            found[place] = (word_of(label[1]) if label else "") or names[place]
    return found


def label_of(value: str) -> tuple[str, str]:
    """Return the label of a text and the rest: ``Author: Ann``; without one, an empty label and the text."""
    found = _LABEL.match(value[: MAX_LABEL + 2])
    rest = value[found.end() :].strip() if found else ""
    return (found[1], rest) if found and rest else ("", value)


def _label(value: str) -> str:
    return word_of(label_of(value)[0])


def says_nothing(name: str) -> bool:
    """Whether a name, perhaps of an address, says nothing."""
    return _ADDRESS.sub("", name) in UNTOLD


def says_which_field(name: str) -> bool:
    """Whether a name, perhaps of an address, says which field of a record a thing is: ``title``, ``price``."""
    return _OF_FIELD.fullmatch(_ADDRESS.sub("", name)) is not None
