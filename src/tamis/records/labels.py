"""Labels of fields, as the page states them, and names of columns.

Labels of fields: a property, a label before the field, the type of its value. Names as a reader would call a column: a
header or label of the page, else title, price, date, author, link, image, else a number. A class name is never a name: it may only say that
a thing is a title, an author or a date.
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Sequence
from functools import cache
from itertools import chain, pairwise
from typing import NamedTuple

import numpy as np

from tamis.page import tags
from tamis.page.element_names import general
from tamis.page.grouping import ranges
from tamis.page.lexicon import entries
from tamis.page.tree import NO_ATTRIBUTES, Attributes, PageTree
from tamis.records.candidates import MAX_NAME, PageFeatures, Spans
from tamis.records.fields import Field
from tamis.records.table import Kind, Row, ValueType, read_price, typed

PROPERTIES = ("itemprop", "data-testid", "data-test-id", "data-test", "data-qa", "data-field", "data-label")
"""Attributes whose value says what an element is."""
MAX_PATH = 12  #: Steps of a path that count, from the field up.
MAX_LABEL = 30  #: Characters of a label.
TWICE = 2  #: Records in which a word is met that says what a field is.
MOST = 0.8  #: Share of the fields at one place that have such words where these say what the fields are.
PRICE, BEFORE = "price", "price before"  #: Words for the price of a record, and for the one that is struck through.
_TERMS = ("dt", "th")  #: Tags of labels.
_STRUCK = ("del", "s", "strike")  #: Tags of what does not hold any more.
_TITLES = frozenset("a h1 h2 h3 h4 h5 h6".split())  #: Tags of texts whose beginning is not a label.
_DIGIT = re.compile(r"\d")
_LABEL = re.compile(r"([^\W\d_][^:：|·•]*?) ?[:：](?: |$|(?<=：))")


class Key(NamedTuple):
    """Key by which fields are aligned to columns."""

    kind: Kind
    path: str  #: Path below the record, tags with class names: ``h3.title/a``.
    tags: str  #: The same, tags only.
    said: str = ""  #: A property, label or type that the page states; fields with other words share no column.


class Told(NamedTuple):
    """A field with what it is aligned by, and what the page says of it."""

    key: Key
    value: str

    def said(self, word: str, value: str | None = None) -> Told:
        """Return the field with a label that the page states."""
        return Told(self.key._replace(said=word), self.value if value is None else value)


Records = Sequence[Sequence[Told]]
Sequenced = tuple[tuple[Key, str], ...]  #: The fields of a record in order: what each is by, and its value.


class PathReader:
    """Paths of fields below their record. ``run``: whether records are runs of siblings; if a record is one element, its own class names
    are not part of a path (``post tag-boats``)."""

    def __init__(self, page: PageFeatures, spans: Spans, *, run: bool) -> None:
        tree = page.tree
        self._page = page
        self._run = run
        self._parent: list[int] = tree.parent.tolist()
        inside = ranges(spans[:, 0], spans[:, 1])[1]
        inside = inside[tree.tag[inside] != tags.TEXT]
        is_shown = page.shown[tree.end[inside]] > page.shown[inside]
        shown = inside[is_shown].tolist()
        self.attributes = dict(zip(shown, tree.attributes_of(shown), strict=True))  #: Of the elements of records that show something.
        self._places: dict[int, tuple[str, str, str]] = {}

    def told(self, record: Sequence[Field]) -> list[Told]:
        """Return the fields of a record, each with what it is aligned by."""
        return [Told(self.key(field), field.value) for field in record]

    def key(self, field: Field) -> Key:
        """Return the key by which a field is aligned."""
        return Key(field.kind, *self._place(field.node, field.root))

    def steps(self, field: Field) -> list[int]:
        """Return the elements from a field up to its record."""
        steps: list[int] = []
        node = field.node
        while node > field.root and len(steps) < MAX_PATH:
            steps.append(node)
            node = self._parent[node]
        return steps

    def _place(self, node: int, root: int) -> tuple[str, str, str]:
        """The path of an element, the path of its tags, and what it or an element around it is said to be; the record's own element says
        nothing of those in it."""
        new = []
        while node > root and node not in self._places:
            new.append(node)
            node = self._parent[node]
        path, bare, said = self._places[node] if node > root else ("", "", "")
        for each in reversed(new):
            is_top = self._parent[each] == root
            tag, names = self._page.tree.name(each), self._page.classes(each) if self._run or not is_top else ()
            # A row's empty cells have no fields, and the cells after them must not take their columns. Cells that are records have none.
            if tag in ("td", "th") and not is_top:
                tag = f"{tag}:{self._page.tree.ordinal[each]}"
            if path:
                if bare.count("/") >= MAX_PATH - 1:
                    path, bare = (of.partition("/")[2] for of in (path, bare))
                path, bare = f"{path}/", f"{bare}/"
            path, bare = path + ".".join((tag, *names)), bare + tag
            said = _property(self.attributes.get(each, NO_ATTRIBUTES)) or ("" if self._parent[self._parent[each]] == root else said)
            self._places[each] = path, bare, said
        return self._places[new[0]] if new else (path, bare, said)


def _property(attributes: Attributes) -> str:
    """Return the property that an attribute states: of microdata, or a name for tests."""
    if attributes.keys().isdisjoint(PROPERTIES):
        return ""
    said = (attributes[name].strip() for name in PROPERTIES if name in attributes)
    return general(next((word for word in said if word not in ("", "url")), "")[:MAX_NAME])


def said_by_words(records: Records, known: set[str]) -> list[Sequenced]:
    """Return the fields of records with what the page says of them, without the labels that say it. ``known``: what a wrapper knows."""
    for told in (_by_properties, _by_own_labels, _by_labels, _by_types):
        records = told(records, known)
    return [tuple((field.key, field.value) for field in record) for record in records]


def _frequent(records: Records, word: Callable[[Told], str], known: Iterable[str] = ()) -> set[str]:
    having = Counter(said for record in records for said in {word(field) for field in record})
    return {said for said, count in having.items() if count >= TWICE} | set(known)


def _by_place(records: Records) -> dict[tuple[str, str], list[list[Told]]]:
    found: dict[tuple[str, str], list[list[Told]]] = {}
    for record in records:
        own: dict[tuple[str, str], list[Told]] = {}
        for field in record:
            own.setdefault((field.key.kind, field.key.tags), []).append(field)
        for place, fields in own.items():
            found.setdefault(place, []).append(fields)
    return found


def _by_properties(records: Records, known: set[str]) -> Records:
    """Forget what is said in one record only, and the different words for the one field at a place: they name the record."""
    if not any(field.key.said for record in records for field in record):
        return records
    said = _frequent(records, lambda field: field.key.said, known)
    words: defaultdict[tuple[str, str], set[str]] = defaultdict(set)
    several: set[tuple[str, str]] = set()
    for record in records:
        own = [(field.key.kind, field.key.path) for field in record]
        several.update(place for place, count in Counter(own).items() if count > 1)
        for place, field in zip(own, record, strict=True):
            words[place].add(field.key.said)
    telling = {place for place, each in words.items() if len(each) == 1 or place in several}

    def tells(field: Told) -> bool:
        return field.key.said in known or (field.key.said in said and (field.key.kind, field.key.path) in telling)

    return [[field if tells(field) else field.said("") for field in record] for record in records]


def _by_own_labels(records: Records, known: set[str]) -> Records:
    """Take the label of a text (``Pay: 900``) for what it is, where most texts at its path have one, and not all the same."""

    label = cache(label_of)

    def word(field: Told) -> str:
        return f"label:{label(field.value)[0]}" if field.key.kind == "text" and (":" in field.value or "：" in field.value) else ""

    frequent = _frequent(records, word, known) - {"label:", ""}
    if not frequent:
        return records
    places = set()
    for place, fields in _by_place(records).items():
        words = [word(field) for own in fields for field in own]
        if len({each for each in words if each in frequent}) > 1 and sum(each in frequent for each in words) >= MOST * len(words):
            places.add(place)

    def told(field: Told) -> Told:
        if field.key.said or field.key.kind != "text" or not ((field.key.kind, field.key.tags) in places or word(field) in known):
            return field
        return field.said(word(field) or "label:", label(field.value)[1])

    return [[told(field) for field in record] for record in records]


def label_of(value: str) -> tuple[str, str]:
    """Return the label of a text and the rest: ``Author: Ann``; without one, an empty label and the text."""
    found = _LABEL.match(value[: MAX_LABEL + 2])
    rest = value[found.end() :].strip() if found else ""
    return (found[1], rest) if found and rest else ("", value)


def shared_label(key: Key, values: Row, name: str) -> tuple[str, Row]:
    """Return the label that all texts of a column begin with (``Author: Ann``), and the texts without it; an empty label without one, or
    if the texts are long. ``name``: of a column that has one already, which no other label changes."""
    if key.kind != "text" or not _TITLES.isdisjoint(key.tags.split("/")):
        return "", values
    parts = [label_of(value) if value else ("", None) for value in values]
    labels, texts = {words_of(label) for label, text in parts if text}, [text for _, text in parts if text]
    label = labels.pop() if len(labels) == 1 else ""
    is_short = len(set(texts)) > 1 and sum(map(len, texts)) <= LONG * len(values)
    return (label, tuple(text for _, text in parts)) if label and (label == name if name else is_short) else ("", values)


def _by_labels(records: Records, known: set[str]) -> Records:
    """Take texts that name the fields after them (``dt`` and ``dd``, ``Author:``) for what these are, and leave them out."""
    places = _places_of_labels(records, known)
    return [_labelled(record, places) for record in records] if places else records


def _labelled(record: Sequence[Told], places: dict[str, bool]) -> list[Told]:
    """One record without labels. ``places``: the paths of labels, and whether a label holds for more than one text."""
    found: list[Told] = []
    label: Told | None = None
    is_used = False
    odd: Counter[str] = Counter()
    for field in record:
        path = field.key.path
        odd[path] += field.key.kind == "text"
        if field.key.kind == "text" and path in places and (odd[path] % 2 or f"{path} " not in places):
            if label is not None and not is_used:
                found.append(label)  # of nothing
            label, is_used = field, False
            continue
        if label is not None and path.startswith(label.key.path.rpartition("/")[0]):
            found.append(field if field.key.said else field.said(f"label:{label.value.rstrip(' :：')}"))
            is_used = is_used or field.key.kind == "text"
            if field.key.kind == "text" and not places[label.key.path]:
                label = None
            continue
        if label is not None and not is_used:
            found.append(label)
        label = None
        found.append(field)
    return [*found, label] if label is not None and not is_used else found


def _places_of_labels(records: Records, known: set[str]) -> dict[str, bool]:
    """Return the paths of labels, and whether a label holds for all fields up to the next one. If labels and values share a path, it is
    included with a space behind it, too."""
    texts = [[field for field in record if field.key.kind == "text"] for record in records]
    frequent = {word[6:] for word in known if word.startswith("label:")}
    frequent |= _frequent(texts, lambda field: field.value.rstrip(" :：") if len(field.value) <= MAX_LABEL else "") - {""}
    of_path: defaultdict[str, list[list[str]]] = defaultdict(list)
    followed: Counter[str] = Counter()
    for record in texts:
        of_record: dict[str, list[str]] = {}
        for field in record:
            of_record.setdefault(field.key.path, []).append(field.value)
        followed.update(field.key.path for field, after in pairwise(record) if after.key.path != field.key.path)
        for path, said in of_record.items():
            of_path[path].append(said)
    found: dict[str, bool] = {}
    for path, values in of_path.items():
        words = list(chain.from_iterable(values))
        is_term = path.rpartition("/")[2].partition(".")[0].partition(":")[0] in _TERMS
        if _are_labels(words, frequent) and followed[path] >= MOST * len(words):
            several = len(words) >= 2 * len(values) and len(set(words)) > 1 and all(len(set(own)) == len(own) for own in values)
            if is_term or several or sum(word[-1:] in ":：" for word in words) >= MOST * len(words):
                found[path] = is_term
        elif all(len(own) % 2 == 0 for own in values):
            labels, others = (list(chain.from_iterable(own[first::2] for own in values)) for first in (0, 1))
            are_said = max(map(len, values)) > 2 or all(word[-1:] in ":：" for word in labels)
            if are_said and _are_labels(labels, frequent) and len(set(others)) > len(set(labels)) and not set(labels) & set(others):
                found |= {path: False, f"{path} ": False}
    return found


def _are_labels(words: Sequence[str], frequent: set[str]) -> bool:
    """Return whether most of the texts are words that several records have."""
    return sum(word.rstrip(" :：") in frequent for word in words) >= MOST * len(words)


def _by_types(records: Records, known: set[str]) -> Records:
    """Tell the only price of each record by its type, and apart from it the one that is struck through; and, of several texts at one path,
    the only price, date or number."""

    def price(field: Told) -> str:
        if field.key.kind != "text" or field.key.said or not _DIGIT.search(field.value) or read_price(field.value) is None:
            return ""
        return BEFORE if any(step in _STRUCK for step in field.key.tags.split("/")) else PRICE

    words = [[price(field) for field in record] for record in records]
    if greater := _place_before_sale(records, words):
        words = [
            [BEFORE if word and field.key.path == greater else word for field, word in zip(record, own, strict=True)]
            for record, own in zip(records, words, strict=True)
        ]
    least = {PRICE: TWICE, BEFORE: 1}  # one price that is struck through is enough
    prices = {word for word in least if _is_of_most([own.count(word) for own in words], 0, least[word]) or word in known}
    found = [
        [field.said(word) if word in prices else field for field, word in zip(record, own, strict=True)]
        for record, own in zip(records, words, strict=True)
    ]
    crowded = {place for place, fields in _by_place(found).items() if place[0] == "text" and max(map(len, fields)) > 1}
    if not crowded:
        return found
    of_place: dict[str, list[int]] = {}
    kinds = [[_type_of_text(field) if (field.key.kind, field.key.tags) in crowded else "" for field in record] for record in found]
    for said in {said for each in kinds for said in each} - {""}:
        of_place[said] = [each.count(said) for each in kinds]
    told = {word for word, counts in of_place.items() if _is_of_most(counts, 0.5)} | (known & of_place.keys())
    return [
        [field.said(word) if word in told else field for field, word in zip(record, own, strict=True)]
        for record, own in zip(found, kinds, strict=True)
    ]


def _place_before_sale(records: Records, words: Sequence[Sequence[str]]) -> str:
    """The path of prices that are the greater of two in several records where others have one, at another path; empty for none. ``words``:
    which fields are prices."""
    prices = [[field for field, word in zip(record, own, strict=True) if word == PRICE] for record, own in zip(records, words, strict=True)]
    pairs = [sorted(own, key=lambda field: amount.amount if (amount := read_price(field.value)) else 0) for own in prices if len(own) > 1]
    greater = {own[-1].key.path for own in pairs}
    others = {own[0].key.path for own in (*pairs, *(own for own in prices if len(own) == 1))}
    is_sale = len(pairs) >= TWICE and max(map(len, pairs)) == 2 and len(pairs) < sum(map(bool, prices))
    return greater.pop() if is_sale and len(greater) == 1 and not greater & others else ""


def _type_of_text(field: Told) -> str:
    """Return the type of a text that has no label, with its place; empty for words."""
    if field.key.said or not _DIGIT.search(field.value):
        return ""
    kind = next((kind for kind in ("price", "number", "date") if typed(field.value, kind) is not field.value), "")
    return f"{kind} at {field.key.tags}" if kind else ""


def _is_of_most(counts: Sequence[int], share: float, least: int = TWICE) -> bool:
    """Return whether no record has two fields of a sort, and ``least`` records, and a share of all, have one."""
    having = sum(count > 0 for count in counts)
    return max(counts, default=0) == 1 and having >= max(least, share * len(counts))


MAX_HEADER = 40  #: Characters of a name on the page.
LONG = 80  #: Characters of a title from which on more do not count.
_CELL = tags.lookup(tags.CELLS)
_LETTER = re.compile(r"[^\W_]")
_TAGS = {**dict.fromkeys("h1 h2 h3 h4 h5 h6".split(), "title"), "time": "date"}
_WORD = re.compile(r"[A-Z]?[a-z]+|[A-Z]+(?![a-z])")
_ROLES = {word: role for role in ("author", "price", "date", "title", "image") for word in entries(f"role {role}")}
"""Roles by words of property and class names, the surest first."""


def role(name: str) -> str:
    """Return the role that a property or class name states; empty for none.

    >>> role("entry-title"), role("author_name"), role("datePublished"), role("name"), role("gs_visible")
    ('title', 'author', 'date', 'title', '')
    """
    words = {word.lower() for word in _WORD.findall(name)}
    return next((found for word, found in _ROLES.items() if word in words), "title" if words == {"name"} else "")


def words_of(text: str) -> str:
    """Return a text of the page as a name: on one line, without a colon at its end; empty if it has no letter.

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
        """Return the header of the column, or the property of the field; empty for none. ``said``: its property or name for tests."""
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
    keys: Sequence[Key],
    values: Sequence[Row],
    types: Sequence[ValueType],
    labels: Sequence[str],
    sure: Sequence[str],
    likely: Sequence[str],
    *,
    has_title: bool,
) -> list[str]:
    """Return the names of columns of texts, empty for none. ``labels``: as :func:`shared_label` gives them; ``sure``, ``likely``: hints;
    ``has_title``: another column is the title."""
    found = []
    for key, type, label, is_sure, is_likely in zip(keys, types, labels, sure, likely, strict=True):
        if key.kind != "text":
            found.append("")
        elif key.said.startswith("label:"):
            found.append(words_of(key.said[6:]))
        else:
            word = key.said if key.said in (PRICE, BEFORE) else PRICE if is_likely == PRICE and type == "number" else ""
            guess = is_likely if is_likely in ("author", "date") else ""
            found.append(is_sure or label or word or ("" if type == "text" else type) or guess)
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
    """Return the column of the words of a column of links, those in them or else the heading around them; -1 for none."""
    link = keys[place].path
    inner = [k for k, key in enumerate(keys) if key.kind == "text" and _is_within(key.path, link)]
    around = (
        k
        for k, key in enumerate(keys)
        if key.kind == "text" and _is_within(link, key.path) and _TAGS.get(key.tags.rpartition("/")[2]) == "title"
    )
    return min(inner, key=lambda k: (k < place, k)) if inner else next(around, -1)


def links_named(keys: Sequence[Key], values: Sequence[Row], names: Sequence[str]) -> list[str]:
    """Return the names of all columns, given those of texts: links by their words."""
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
