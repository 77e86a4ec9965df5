"""Names of columns as a reader would call them: a header or label of the page, else title, price, date, author, link, image, else a number.

A class name is never a name: it may only say that a thing is a title, an author or a date.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

import numpy as np

from tamis.page import tags
from tamis.page.tree import NO_ATTRIBUTES, PageTree
from tamis.records.fields import Field
from tamis.records.labels import BEFORE, MAX_LABEL, PRICE, Key, PathReader, label_of
from tamis.records.places import PageFeatures
from tamis.records.table import Row
from tamis.records.values import ValueType

MAX_HEADER = 40  #: Characters of a name on the page.
LONG = 80  #: Characters of a title from which on more do not count.
_CELL = tags.lookup(tags.CELLS)
_LETTER = re.compile(r"[^\W_]")
_TAGS = {**dict.fromkeys("h1 h2 h3 h4 h5 h6".split(), "title"), "time": "date"}
_WORD = re.compile(r"[A-Z]?[a-z]+|[A-Z]+(?![a-z])")
_ROLES = {
    **dict.fromkeys("author byline creator".split(), "author"),
    **dict.fromkeys("price prices".split(), "price"),
    **dict.fromkeys("date datetime timestamp published".split(), "date"),
    **dict.fromkeys("title headline heading".split(), "title"),
    **dict.fromkeys("image photo thumbnail".split(), "image"),
}
"""Roles by words of property and class names, the surest first."""


def role(name: str) -> str:
    """Return the role that a property or class name states; empty for none.

    >>> role("entry-title"), role("author_name"), role("datePublished"), role("name"), role("gs_visible")
    ('title', 'author', 'date', 'title', '')
    """
    words = {word.lower() for word in _WORD.findall(name)}
    return next((found for word, found in _ROLES.items() if word in words), "title" if words == {"name"} else "")


def words_of(text: str) -> str:
    """A text of the page as a name: on one line, without a colon at its end; empty if it has no letter.

    >>> words_of(" Price\\n(CHF): ")
    'Price (CHF)'
    """
    return " ".join(text.split())[:MAX_HEADER].rstrip(" :：") if _LETTER.search(text) else ""


class Hints:
    """Roles of single fields that the page states besides labels. ``headers``: header cells by position, if records are rows."""

    def __init__(self, page: PageFeatures, paths: PathReader, headers: dict[int, str]) -> None:
        self._page = page
        self._paths = paths
        self._headers = headers

    def sure(self, field: Field, said: str) -> str:
        """The header of the column, or the property of the field; empty for none. ``said``: its property or name for tests."""
        tree, steps = self._page.tree, self._paths.steps(field)
        if self._headers:
            cell = next((step for step in steps if tree.tag[step] in tags.CELLS), -1)
            return words_of(self._headers.get(_position(tree, cell), "")) if cell >= 0 else ""
        if not said:
            return ""
        is_property = any(not {"itemprop", "data-label"}.isdisjoint(self._paths.attributes.get(step, ())) for step in steps)
        return role(said) or (words_of(" ".join(_WORD.findall(said)).lower() or said) if is_property and said != "text" else "")

    def likely(self, field: Field) -> str:
        """Return title, author, date or price, as tag, relation and class names state; empty for none of these."""
        tree, shown = self._page.tree, self._page.shown
        named = False
        for step in self._paths.steps(field):
            if shown[step] != shown[field.node] or shown[tree.end[step]] != shown[tree.end[field.node]]:
                break
            if word := _TAGS.get(tree.name(step)):
                return word
            own = [role(name) for name in self._page.classes(step)]
            if "author" in own or "author" in self._paths.attributes.get(step, NO_ATTRIBUTES).get("rel", ""):
                return "author"
            if "price" in own:
                return "price"
            if not named and (found := next((each for each in own if each in ("title", "date")), "")):
                return found
            named |= bool(own)
        return ""


def _position(tree: PageTree, cell: int) -> int:
    """Return the position of a cell in its row."""
    row = tree.children(int(tree.parent[cell]))
    return int(np.searchsorted(row[tree.of_tags(_CELL)[row]], cell))


def texts_named(
    keys: Sequence[Key], values: Sequence[Row], types: Sequence[ValueType], sure: Sequence[str], likely: Sequence[str], *, has_title: bool
) -> list[str]:
    """The names of columns of texts, empty for none. ``sure``, ``likely``: hints; ``has_title``: whether another column is the title."""
    found = []
    for key, own, type, is_sure, is_likely in zip(keys, values, types, sure, likely, strict=True):
        labels = {label_of(value)[0] for value in own if value} if key.kind == "text" and not is_sure else set()
        label = words_of(labels.pop()) if len(labels) == 1 and len(set(own) - {None}) > 1 else ""
        if key.kind != "text":
            found.append("")
        elif key.said.startswith("label:"):
            found.append(words_of(key.said[6:]))
        else:
            word = key.said if key.said in (PRICE, BEFORE) else PRICE if is_likely == PRICE and type == "number" else ""
            guess = is_likely if is_likely in ("author", "date") else ""
            found.append(is_sure or word or ("" if type == "text" else type) or guess or label)
    if has_title or "title" in sure:
        return found
    texts = [k for k, key in enumerate(keys) if key.kind == "text" and not found[k]]
    fitting = [k for k in texts if 2 * values[k].count(None) <= len(values[k])]
    said = [k for k in fitting if likely[k] == "title"]
    first = [k for k in said if not is_constant(values[k])][:1]
    targets = [key.path for key in keys if key.kind == "link"]
    links = [k for k in fitting if len(set(values[k])) > 1 and any(_is_within(keys[k].path, path) for path in targets)]
    if best := first or sorted(links, key=lambda k: -_characters_of(values[k]))[:1] or said[:1]:
        found[best[0]] = "title"
    return found


def _characters_of(values: Row) -> int:
    """Characters of the different values of a column."""
    return sum(min(len(value), LONG) for value in set(values) if value)


def _is_within(inner: str, outer: str) -> bool:
    """Return whether a path is another, or below it."""
    return f"{inner}/".startswith(f"{outer}/")


def text_of_link(keys: Sequence[Key], place: int) -> int:
    """The column of the words of a column of links, those in them or else the heading around them; -1 for none."""
    link = keys[place].path
    inner = [k for k, key in enumerate(keys) if key.kind == "text" and _is_within(key.path, link)]
    around = (
        k
        for k, key in enumerate(keys)
        if key.kind == "text" and _is_within(link, key.path) and _TAGS.get(key.tags.rpartition("/")[2]) == "title"
    )
    return min(inner, key=lambda k: (k < place, k)) if inner else next(around, -1)


def links_named(keys: Sequence[Key], values: Sequence[Row], names: Sequence[str]) -> list[str]:
    """The names of all columns, given those of texts: links by their words."""
    found = list(names)
    for k, key in enumerate(keys):
        if key.kind == "text":
            continue
        word = words_of(key.said[6:]) if key.said.startswith("label:") else ""
        text = text_of_link(keys, k) if key.kind == "link" and not word else -1
        if text >= 0:
            # The same words for other targets, one for each.
            is_action = is_constant(values[text]) and len(set(values[k])) > 1 and not any("\n" in (target or "") for target in values[k])
            word = names[text] or (words_of(values[text][0] or "") if is_action else "")
        found[k] = f"{word} {key.kind}" if word and word != "title" else key.kind
    return found


def is_constant(values: Row) -> bool:
    """Return whether three records or more all have the same few words in a column: those of a button or a link."""
    return len(values) > 2 and len(set(values)) == 1 and 0 < len(values[0] or "") <= MAX_LABEL
