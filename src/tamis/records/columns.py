"""Names of columns from the markup, so that they stay the same from page to page."""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence

import numpy as np

from tamis.page import tags
from tamis.records.alignment import Key
from tamis.records.fields import Field, Kind
from tamis.records.places import Places
from tamis.records.table import Row
from tamis.records.values import ValueType

MAX_PATH = 12  #: Steps of a path that count, from the field up.
_CELL = tags.lookup(tags.CELLS)
_TELLING = frozenset("h1 h2 h3 h4 h5 h6 time dt dd th".split())  #: Tags that say what a thing is as well as a class name does.
_BY_TAG = {
    **dict.fromkeys("h1 h2 h3 h4 h5 h6".split(), "title"),
    **dict.fromkeys("p div span b strong em font".split(), "text"),
    **{"time": "date", "img": "image", "a": "link", "li": "item", "tr": "row", "td": "cell", "th": "header"},
    **{"dt": "term", "dd": "definition"},
}
_UNTOLD = frozenset(_BY_TAG.values()) - {"title", "date"}
_NOT_A_WORD = re.compile(r"[^\w]+")
_VAGUE = re.compile(
    r".*[:/!@\[\]].*|(?:ng|css|sc)-.*|_.*|[a-z]{1,2}[-_]?\d*|(?:col|row|span|grid|cell|clear|fix|pull|float|text|is)?[-_]?(?:xs|sm|md|lg|xl)?"
    r"[-_]?\d*|clearfix|first|last|odd|even|active|left|right|top|bottom|middle|mid|column|container|wrapper|wrap|inner|outer|block|inline|"
    r"flex|group|hidden|visible|show|none|auto|link|item|items|content|txt|bold|semibold|medium|small|large|full|max|min|size|width|height|"
    r"weight|normal|base|font|line|clamp|align|center|justify|between|aspect|ratio|relative|absolute|fixed|overflow|hover|underline|through|"
    r"rounded|circle|border|shadow|typography|leading|tight|object|contain|cover|display|cursor|pointer|nowrap|uppercase|capitalize|shrink|"
    r"grow|spacing|break|transition|img|responsive|has|color|bg|dark|light|gr[ae]y|white|black|blue|green|red|muted|primary|secondary|"
    r"tertiary|highlight|match|vcard",
    re.IGNORECASE,
)
"""Class names, and words of them, that say how a thing looks or where it stands, not what it is."""
_RANDOM = re.compile(r"[A-Za-z]\d+[A-Za-z]|(?<![A-Za-z])[a-z][A-Z]|(?<=[A-Z])[a-z][A-Z]|[a-z][A-Z](?![A-Za-z])|(?i:[bcdfghj-np-tvwxz]{6})")
"""What words made up by a build tool have: digits among letters, single letters of another case, no vowel."""
_SUFFIX: dict[Kind, str] = {"text": "", "link": "_url", "image": "_image"}


class PathReader:
    """Paths of fields below their record, and the names these suggest. ``run``: whether records are runs of siblings; of a record that is
    one element its own class names are no part of a path (``post tag-boats``)."""

    def __init__(self, page: Places, *, run: bool) -> None:
        self._page = page
        self._run = run
        self._written: dict[tuple[int, int], tuple[str, str]] = {}

    def key(self, field: Field) -> Key:
        """What the field is aligned by."""
        steps = [self._step(node, field.root) for node in reversed(self._steps(field))]
        return Key(field.kind, "/".join([named for named, _ in steps]), "/".join([bare for _, bare in steps]))

    def _steps(self, field: Field) -> list[int]:
        """The elements from a field up to its record."""
        steps: list[int] = []
        node = field.node
        while node > field.root and len(steps) < MAX_PATH:
            steps.append(node)
            node = int(self._page.tree.parent[node])
        return steps

    def _step(self, node: int, root: int) -> tuple[str, str]:
        """An element's tag with its class names, and without."""
        known = self._written.get((node, root))
        if known is None:
            tree = self._page.tree
            tag = tree.name(node)
            # A row's empty cells have no fields, and the cells after them must not take their columns. Cells that are records have none.
            if tag in ("td", "th") and tree.parent[node] != root:
                tag = f"{tag}:{tree.ordinal[node]}"
            names = self._page.names[node] if self._run or tree.parent[node] != root else ()
            known = ".".join([tag, *(name for name in names if not name.startswith(("#", "@")))]), tag
            self._written[node, root] = known
        return known

    def name(self, field: Field, headers: dict[int, str] | None = None) -> str:
        """A name for the field's column. ``headers``: header cells by position, if the record is a row of a table."""
        tree = self._page.tree
        steps = self._steps(field)
        of_address = ("url", "image") if field.kind == "text" else ()  # said of the link around a text, these do not name the text
        inner = steps[:-1] if len(steps) > 1 else steps  # the record's own names say nothing of a field
        props = (_word(tree.attributes[step].get("itemprop", "")) for step in inner)
        if prop := next((word for word in props if word and word not in of_address), ""):
            return prop if prop in ("url", "image") else prop + _SUFFIX[field.kind]
        word = self._header(steps, headers or {}) or self._nearest(inner)
        if not word and steps:
            word = _BY_TAG.get(tree.name(steps[0]), tree.name(steps[0]))
        if field.kind == "image" and word == "image":
            return word
        return (word or "text") + _SUFFIX[field.kind]

    def _header(self, steps: list[int], headers: dict[int, str]) -> str:
        tree = self._page.tree
        for step in steps:
            if headers and tags.within(_CELL, tree.tag[step : step + 1])[0]:
                row = tree.children(int(tree.parent[step]))
                cells = row[tree.of_tags(_CELL)[row]]
                return _word(headers.get(int(np.searchsorted(cells, step)), ""))
        return ""

    def _nearest(self, steps: list[int]) -> str:
        """The nearest class name that says what a thing is, or tag that does."""
        tree = self._page.tree
        for step in steps:
            for name in self._page.names[step]:
                if not name.startswith(("#", "@")) and not (name == "url" and tree.link[step]) and (word := _telling(name)):
                    return word
            if (tag := tree.name(step)) in _TELLING:
                return _BY_TAG[tag]
        return ""


def _telling(name: str) -> str:
    """What a class name says of a thing; empty for nothing. Of ``block__element--modifier`` the element counts.

    >>> _telling("card__price--new"), _telling("title-uCj7nufwhh"), _telling("has-text-grey-dark"), _telling("sc-9d83")
    ('price', 'title', '', '')
    """
    for bare in reversed(name.split("--", 1)[0].split("__")):
        words = [word for word in re.split("[-_]+", bare) if word.strip("0") and not _RANDOM.search(word)]
        if words:
            is_vague = _VAGUE.fullmatch(bare) or all(map(_VAGUE.fullmatch, words))
            return "" if is_vague else _word("_".join(words).strip("0"))
    return ""


def _word(text: str) -> str:
    """A name that can stand as a column's: lower case, words joined by underscores, at most 40 characters.

    >>> _word("Price (CHF)"), _word("post-title")
    ('price_chf', 'post_title')
    """
    return _NOT_A_WORD.sub("_", text.strip().lower()).strip("_")[:40].strip("_")


def telling(name: str, kind: ValueType) -> str:
    """The name of a column, of its values where the page says nothing: ``date`` or ``price`` instead of ``text``.

    >>> telling("text", "price"), telling("paid", "price"), telling("text", "number")
    ('price', 'paid', 'text')
    """
    return kind if kind in ("date", "price") and name in _UNTOLD else name


def is_button(key: Key, values: Row, again: Collection[str]) -> bool:
    """Whether a column has the words of a button, or of a link whose target another column has, the same in every record: Read more.
    ``again``: paths of such links.

    >>> is_button(Key("text", "p/a", "p/a"), ("More", "More", "More"), ["p/a"]), is_button(Key("text", "p", "p"), ("A", "A", "A"), [])
    (True, False)
    """
    of_action = key.path in again or key.tags.rsplit("/", 1)[-1] == "button"
    return key.kind == "text" and of_action and len(set(values)) == 1


def united(names: Sequence[str], values: Sequence[Row], fixed: Collection[int]) -> dict[int, int]:
    """Columns that are the rest of another: both of one telling name that no third has, and no record has a value in both. The place of
    each and that of the other. ``values``: of each column. ``fixed``: columns that stay.

    >>> united(["author", "text", "text", "author"], [("Ann", None), ("1", None), (None, "2"), (None, "Bob")], ())
    {0: 3}
    """
    places: dict[str, list[int]] = {}
    for place, name in enumerate(names):
        places.setdefault(name, []).append(place)
    found = {}
    for name, same in places.items():
        if len(same) != 2 or re.sub("(_url|_image)$", "", name) in _UNTOLD:
            continue
        rest, other = sorted(same, key=lambda place: (place in fixed, -values[place].count(None), place))
        if rest not in fixed and all(None in pair for pair in zip(values[rest], values[other], strict=True)):
            found[rest] = other
    return found
