"""Columns of fields: the path that fields are aligned by, and which columns say nothing new."""

from __future__ import annotations

from collections.abc import Collection, Sequence

from tamis.page import tags
from tamis.page.element_names import general
from tamis.records.alignment import Key
from tamis.records.fields import Field, Kind
from tamis.records.names import MAX_LABEL, says_nothing, says_which_field
from tamis.records.places import MAX_NAME, Places
from tamis.records.table import Row
from tamis.records.values import ValueType

PROPERTIES = ("itemprop", "data-testid", "data-test-id", "data-test", "data-qa", "data-field", "data-label")
"""Attributes whose value says what an element is."""
MAX_ICON = 6  #: Nodes of a field among which its icon is sought.
MAX_PATH = 12  #: Steps of a path that count, from the field up.


class PathReader:
    """Paths of fields below their record. ``run``: whether records are runs of siblings; of a record that is one element its own class
    names are no part of a path (``post tag-boats``)."""

    def __init__(self, page: Places, *, run: bool) -> None:
        self._page = page
        self._run = run
        self._written: dict[tuple[int, int], tuple[str, str]] = {}
        self._properties: dict[int, str] = {}

    def key(self, field: Field) -> Key:
        """What the field is aligned by."""
        steps = self.steps(field)
        written = [self._step(node, field.root) for node in reversed(steps)]
        said = next((said for step in steps[:-1] or steps if (said := self._property(step))), "")
        return Key(field.kind, "/".join([named for named, _ in written]), "/".join([bare for _, bare in written]), said)

    def icon(self, field: Field) -> str:
        """The class names of the first element in a field that shows nothing (``<i class="icon-clock"></i>``); empty for none."""
        tree, shown = self._page.tree, self._page.shown
        for node in range(field.node + 1, min(int(tree.end[field.node]), field.node + MAX_ICON)):
            if tree.tag[node] != tags.TEXT and shown[tree.end[node]] == shown[node] and self._page.names[node]:
                return " ".join(self._page.classes(node))
        return ""

    def _property(self, node: int) -> str:
        """What an attribute says that an element is: a property of microdata, or a name that is for tests."""
        if node not in self._properties:
            attributes = self._page.tree.attributes[node]
            found = next((attributes[name].strip() for name in PROPERTIES if attributes.get(name, "").strip() not in ("", "url")), "")
            self._properties[node] = general(found[:MAX_NAME])
        return self._properties[node]

    def steps(self, field: Field) -> list[int]:
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
            names = self._page.classes(node) if self._run or tree.parent[node] != root else ()
            known = ".".join((tag, *names)), tag
            self._written[node, root] = known
        return known


def repeated(
    names: Sequence[str], keys: Sequence[Key], types: Sequence[ValueType], values: Sequence[Row], fixed: Collection[int]
) -> set[int]:
    """Columns that repeat another in every record: links, images, and texts of three values or more that are no numbers, dates or prices.
    Of equal columns the first stays whose name says which field it is, else the first; one of links that all have the same words goes.
    ``fixed``: columns that stay.

    >>> repeated(["overlay", "title"], [Key("text", "a", "a"), Key("text", "b", "b")], ["text"] * 2, [("Tern", "Gull", "Auk")] * 2, ())
    {0}
    """
    equal: dict[tuple[Kind, Row], list[int]] = {}
    for place, (key, type, own) in enumerate(zip(keys, types, values, strict=True)):
        if (len(set(own) - {None}) > 2 and type == "text") or (len(set(own)) > 1 and key.kind != "text"):
            equal.setdefault((key.kind, own), []).append(place)
    same_words = {key.path for key, own in zip(keys, values, strict=True) if key.kind == "text" and len(set(own)) == 1}
    found: set[int] = set()
    for same in equal.values():
        best = min(same, key=lambda k: (k not in fixed, keys[k].path in same_words, not says_which_field(names[k]), k))
        found.update(place for place in same if place != best and place not in fixed)
    return found


def actions(names: Sequence[str], keys: Sequence[Key], values: Sequence[Row], doubles: Collection[int]) -> dict[int, int]:
    """Columns of the words of a button or a link that every record repeats (``Read more``), and for each the column of links that these
    words name, where their name says nothing or others have it, too; else -1. ``doubles``: columns that repeat another.

    >>> keys = [Key("link", "p/a", "p/a"), Key("text", "p/a", "p/a"), Key("text", "p", "p")]
    >>> actions(["link_url", "link", "text"], keys, [("/1", "/2", "/3"), ("Add",) * 3, ("A",) * 3], ())
    {1: 0}
    """
    found: dict[int, int] = {}
    links: dict[str, int] = {}
    for place, (key, own) in enumerate(zip(keys, values, strict=True)):
        if key.kind == "link":
            links[key.path] = place
        if key.kind != "text" or len(own) < 3 or len(set(own)) > 1 or len(own[0] or "") not in range(1, MAX_LABEL + 1):
            continue
        link = links.get(key.path, -1)
        if link in doubles or key.tags.rsplit("/", 1)[-1] == "button":
            found[place] = -1
        elif link >= 0 and len(set(values[link])) > 1 and (says_nothing(names[link]) or names.count(names[link]) > 1):
            found[place] = link
    return found


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
        if len(same) != 2 or says_nothing(name):
            continue
        rest, other = sorted(same, key=lambda place: (place in fixed, -values[place].count(None), place))
        if rest not in fixed and all(None in pair for pair in zip(values[rest], values[other], strict=True)):
            found[rest] = other
    return found
