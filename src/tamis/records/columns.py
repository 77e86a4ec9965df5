"""Names of columns from the markup, so that they stay the same from page to page."""

from __future__ import annotations

import re
from collections.abc import Iterable

import numpy as np

from tamis.page import tags
from tamis.records.alignment import Key
from tamis.records.fields import Field, Kind
from tamis.records.places import Places

MAX_PATH = 12  #: Steps of a path that count, from the field up.
_CELL = tags.lookup(tags.CELLS)
_TELLING = frozenset("h1 h2 h3 h4 h5 h6 time dt dd th".split())  #: Tags that say what a thing is as well as a class name does.
_BY_TAG = {
    **dict.fromkeys("h1 h2 h3 h4 h5 h6".split(), "title"),
    **dict.fromkeys("p div span b strong em font".split(), "text"),
    **{"time": "date", "img": "image", "a": "link", "li": "item", "tr": "row", "td": "cell", "th": "header"},
    **{"dt": "term", "dd": "definition"},
}
_NOT_A_WORD = re.compile(r"[^\w]+")
_VAGUE = re.compile(
    r"^(?:[a-z]{1,2}|(?:col|row|span|grid|cell|clear|fix|pull|float|text|m|p|mt|mb|ml|mr|pt|pb|px|py|mx|my|d|w|h|fs|fw|is|js|u|g|l|o|c)?[-_]?(?:xs|sm|md|lg|xl)?"
    r"[-_]?\d*|clearfix|clear|first|last|odd|even|active|left|right|row|col|column|container|wrapper|inner|outer|block|inline|hidden|visible|"
    r"link|item|content|text|bold|small|large|center|highlight|match|ng-.*|css-.*|sc-.*|_.*)$"
)
"""Class names that say how a thing looks or where it stands, not what it is."""
_SUFFIX: dict[Kind, str] = {"text": "", "link": "_url", "image": "_image"}


class PathReader:
    """Paths of fields below their record, and the names these suggest."""

    def __init__(self, page: Places) -> None:
        self._page = page
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
            known = ".".join([tag, *(name for name in self._page.names[node] if not name.startswith(("#", "@")))]), tag
            self._written[node, root] = known
        return known

    def name(self, field: Field, headers: dict[int, str] | None = None) -> str:
        """A name for the field's column. ``headers``: header cells by position, if the record is a row of a table."""
        tree = self._page.tree
        steps = self._steps(field)
        of_address = ("url", "image") if field.kind == "text" else ()  # said of the link around a text, these do not name the text
        props = (_word(tree.attributes[step].get("itemprop", "")) for step in steps)
        if prop := next((word for word in props if word and word not in of_address), ""):
            return prop if prop in ("url", "image") else prop + _SUFFIX[field.kind]
        word = self._header(steps, headers or {}) or self._nearest(steps)
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
        """The nearest class name that says what a thing is, or tag that does; the record's own class says nothing of a field."""
        for step in steps[:-1] if len(steps) > 1 else steps:
            for name in self._page.names[step]:
                bare = name.rsplit("__", 1)[-1].split("--", 1)[0].strip("_-0")  # of block__element--modifier the element
                if not name.startswith(("#", "@")) and len(bare) > 1 and not _VAGUE.match(bare.lower()) and (word := _word(bare)):
                    return word
            if (tag := self._page.tree.name(step)) in _TELLING:
                return _BY_TAG[tag]
        return ""


def _word(text: str) -> str:
    """A name that can stand as a column's: lower case, words joined by underscores, at most 40 characters.

    >>> _word("Price (CHF)"), _word("post-title")
    ('price_chf', 'post_title')
    """
    return _NOT_A_WORD.sub("_", text.strip().lower()).strip("_")[:40].strip("_")


def numbered(names: Iterable[str]) -> tuple[str, ...]:
    """The names, equal ones told apart by numbers.

    >>> numbered(["a", "b", "a", "a_2"])
    ('a', 'b', 'a_2', 'a_2_2')
    """
    found: dict[str, None] = {}
    for name in names:
        free, number = name, 1
        while free in found:
            number += 1
            free = f"{name}_{number}"
        found[free] = None
    return tuple(found)
