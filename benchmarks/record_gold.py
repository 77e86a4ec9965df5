"""Pages with records as gold, and where on the page these stand.

Three folders are read, each by its ``gold.json``:

- ``search-results``, ``wien``: the cells of every record, as text. They are looked for in the text of the page, white space aside, in the
  order of the page; the *anchor* of a record is its longest cell that stands on the page once. Cells that a page does not hold (some were
  drawn by a script) count neither for nor against a tool; records without any cell on the page count as missed by every tool.
- ``site-listings``: a selector for the records of each page. Their cells are not known; their text is.
"""

from __future__ import annotations

import json
import re
from bisect import bisect_left
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from html import unescape
from itertools import islice
from pathlib import Path
from typing import Any
from zlib import crc32

import numpy as np

from tamis.errors import SourceError, UsageError
from tamis.page import tags
from tamis.page.css import select_css
from tamis.page.tree import PageTree

_RAW = tags.lookup(tags.RAW | tags.codes("head title"))
_NO_LETTER = re.compile(r"[\W_]+")
_INVISIBLE = dict.fromkeys((0xAD, 0x200B, 0xFEFF))
RECORD_SHARE = 0.8  #: Share of a gold record's characters that a record has to hold.
_NEAR = 6_000  #: Characters around an anchor within which the other cells of its record stand.
_TELLING = 6  #: Characters from which on a cell that stands once says where its record is.
Place = tuple[int, int]  #: Characters of a page's text, from and to.


@dataclass(frozen=True, slots=True)
class GoldRecord:
    """A record as it should be found."""

    cells: tuple[str, ...]  #: Its cells that the page holds, without white space, lower case.
    anchor: Place | None  #: Where the record surely is; None where the page does not hold it.
    places: tuple[Place, ...]  #: Where its cells are.
    values: tuple[str, ...]  #: Its cells as the gold has them, empty ones left out; none where cells are not known.


@dataclass(frozen=True, slots=True)
class RecordPage:
    """A page with records as gold."""

    collection: str
    site: str
    id: str
    path: Path = field(repr=False)
    records: tuple[tuple[str, ...], ...] = field(repr=False)  #: Cells by record; empty where a selector says which they are.
    selector: str | None = None

    @property
    def held_out(self) -> bool:
        """Whether the site is of the half on which nothing was chosen (by the checksum of its name)."""
        return bool(crc32(self.site.encode()) % 2)


def squeezed(text: str) -> str:
    """Text without white space and invisible characters, lower case."""
    return "".join(text.translate(_INVISIBLE).split()).casefold()


def letters(text: str) -> str:
    """The letters and digits of a text, lower case."""
    return _NO_LETTER.sub("", squeezed(text))


class PageText:
    """The text of a page without white space, and which characters are whose."""

    def __init__(self, tree: PageTree) -> None:
        raw = tree.subtree_mask(np.flatnonzero(tree.of_tags(_RAW)))[tree.text_nodes] if len(tree) else np.zeros(0, dtype=np.bool_)
        pieces = ["" if unread else squeezed(text) for text, unread in zip(tree.texts, raw.tolist(), strict=True)]
        self.tree = tree
        self.text = "".join(pieces)
        self._starts = np.concatenate(([0], np.cumsum([len(piece) for piece in pieces], dtype=np.int64)))

    def place(self, first: int, after: int) -> Place:
        """The characters of a range of nodes."""
        begin, end = np.searchsorted(self.tree.text_nodes, (first, after))
        return int(self._starts[begin]), int(self._starts[end])

    def nodes(self, place: Place) -> list[int]:
        """The text nodes that have some of these characters."""
        begin = np.searchsorted(self._starts, place[0], side="right") - 1
        end = np.searchsorted(self._starts, place[1], side="left")
        return [int(node) for node in self.tree.text_nodes[begin:end]]


def read_record_pages(folder: Path, limit: int | None = None) -> list[RecordPage]:
    """The pages of a folder with records as gold.

    Args:
        folder: one with a ``gold.json``, or a folder of such folders.
        limit: at most so many pages of each site.

    Raises:
        SourceError: there is no gold, or it cannot be read.
    """
    folder = folder.resolve()
    homes = [folder] if (folder / "gold.json").is_file() else sorted(path.parent for path in folder.glob("*/gold.json"))
    if not homes:
        raise SourceError(f"no records in {folder}: it needs a gold.json, or folders that have one")
    found = []
    for home in homes:
        seen: dict[str, int] = {}
        for page in _read(home):
            seen[page.site] = seen.get(page.site, 0) + 1
            if limit is None or seen[page.site] <= limit:
                found.append(page)
    return found


def _read(home: Path) -> Iterator[RecordPage]:
    try:
        listed = json.loads((home / "gold.json").read_text("utf-8"))
    except (OSError, ValueError) as error:
        raise SourceError(f"cannot read {home / 'gold.json'}: {error}") from error
    for each in listed:
        if not each["records"]:
            continue
        name = each["file"].removesuffix(".gz").removesuffix(".html")
        if selector := each.get("record_selector"):
            ident = f"{each['site']}/{Path(name).name}"
            yield RecordPage(home.name, each["site"], ident, home.parent.parent / each["file"], (), selector)
        else:
            records = tuple(tuple(_cells(record)) for record in each["records"])
            yield RecordPage(home.name, each["site"], name, home / "pages" / each["file"], records)


def _cells(record: Any) -> list[str]:
    """The texts in a record, whatever they are nested in; as read, where the gold has them as they stand in the source (``&eacute;``)."""
    found: list[str] = []
    waiting = [record]
    while waiting:
        each = waiting.pop()
        if isinstance(each, dict):
            waiting += reversed(list(each.values()))
        elif isinstance(each, list):
            waiting += reversed(each)
        elif each is not None:
            found.append(unescape(str(each)))
    return found


def locate(page: RecordPage, tree: PageTree) -> tuple[PageText, tuple[GoldRecord, ...]]:
    """The page's text, and its gold records with their places.

    Raises:
        UsageError: the gold does not fit the page.
    """
    text = PageText(tree)
    if page.selector is None:
        return text, tuple(_located(text.text, page.records))
    nodes = select_css(tree, (page.selector,)).tolist()
    if not nodes:
        raise UsageError(f"{page.id}: nothing matches {page.selector}")
    found = []
    for node in nodes:
        whole = text.place(node, int(tree.end[node]))
        found.append(GoldRecord((text.text[slice(*whole)],), (whole[0], min(whole[1], whole[0] + 200)), (whole,), ()))
    return text, tuple(found)


def _located(text: str, records: Sequence[Sequence[str]]) -> Iterator[GoldRecord]:
    cells = [[squeezed(cell) for cell in record if squeezed(cell)] for record in records]
    values = [tuple(cell for cell in record if squeezed(cell)) for record in records]
    anchors = _anchors(text, cells)
    taken = sorted(anchor for anchor in anchors if anchor is not None)
    said = letters(text)
    for own, raw, anchor in zip(cells, values, anchors, strict=True):
        if anchor is None:
            yield GoldRecord((), None, (), raw)
            continue
        number = bisect_left(taken, anchor)
        low = max(taken[number - 1][1] if number else 0, anchor[0] - _NEAR)
        high = min(taken[number + 1][0] if number + 1 < len(taken) else len(text), anchor[1] + _NEAR)
        whose = next((k for k, cell in enumerate(own) if cell == text[slice(*anchor)]), 0)
        places = [_place(text, cell, anchor, low, max(high, anchor[1]), before=k < whose) for k, cell in enumerate(own)]
        known = [k for k, place in enumerate(places) if place is not None]
        yield GoldRecord(
            tuple(own[k] for k in known),
            anchor,
            tuple(place for place in places if place is not None),
            tuple(cell for k, cell in enumerate(raw) if places[k] is not None or letters(cell) in said),
        )


def _anchors(text: str, records: Sequence[Sequence[str]]) -> list[Place | None]:
    """For each record where it surely is: first those with a cell that the page holds once, then the others between these."""
    anchors: list[Place | None] = [None] * len(records)
    for number, cells in enumerate(records):
        for cell in sorted((cell for cell in cells if len(cell) >= _TELLING), key=len, reverse=True):
            at = text.find(cell)
            if at >= 0 and text.find(cell, at + 1) < 0:
                anchors[number] = (at, at + len(cell))
                break
    taken = [anchor for anchor in anchors if anchor is not None]
    for number, cells in enumerate(records):
        if anchors[number] is None and (found := _free(text, cells, anchors, number, taken)) is not None:
            anchors[number] = found
            taken.append(found)
    return anchors


def _free(text: str, cells: Sequence[str], anchors: list[Place | None], number: int, taken: list[Place]) -> Place | None:
    """Where a record without a unique cell is: between its neighbours if it can be, where no other record is; by its longest telling
    cell that stands there once, else by its longest that stands there at all."""
    before = next((anchor[1] for anchor in reversed(anchors[:number]) if anchor is not None), 0)
    behind = next((anchor[0] for anchor in anchors[number + 1 :] if anchor is not None), len(text))
    for low, high in ((before, behind if behind > before else len(text)), (0, len(text))):
        places = [list(islice(_free_places(text, cell, low, high, taken), 2)) for cell in sorted(cells, key=len, reverse=True)]
        once = (each for each in places if len(each) == 1 and each[0][1] - each[0][0] >= _TELLING)
        if found := next(once, next(filter(None, places), None)):
            return found[0]
    return None


def _free_places(text: str, cell: str, low: int, high: int, taken: list[Place]) -> Iterator[Place]:
    at = text.find(cell, low, high)
    while at >= 0:
        if not any(begin < at + len(cell) and at < end for begin, end in taken):
            yield at, at + len(cell)
        at = text.find(cell, at + 1, high)


def _place(text: str, cell: str, anchor: Place, low: int, high: int, *, before: bool) -> Place | None:
    """Where a cell stands near its record's anchor; ``before``: whether the gold has it before the anchor."""
    if text[slice(*anchor)] == cell:
        return anchor
    beside = text.rfind(cell, low, anchor[0]), text.find(cell, anchor[1], high)
    for at in (*(beside if before else beside[::-1]), text.find(cell, low, high)):
        if at >= 0:
            return at, at + len(cell)
    return None


def sample_node(text: PageText, records: Sequence[GoldRecord], number: int) -> int | None:
    """The element that a user would point at for a record; None where the page does not hold it.

    It is the largest element that holds the record's anchor and no other record's, but no higher in the tree than that of most records of
    the page, and no higher than needed to hold the record where the page has one only. Of a record that is a run of siblings it is the part
    with the record's first cell, which the run begins with.
    """
    highest = [_reach(text, records, k) for k in range(len(records))]
    own = highest[number]
    if own is None:
        return None
    depth = text.tree.depth
    levels = [int(depth[reach[1]]) for reach in highest if reach is not None]
    usual = max(set(levels), key=lambda level: (levels.count(level), level))
    node = own[0]
    while len(levels) > 1 and depth[node] > usual and node != own[1]:
        node = int(text.tree.parent[node])
    return node


def _reach(text: PageText, records: Sequence[GoldRecord], number: int) -> tuple[int, int] | None:
    """The lowest element that holds a record's anchor, higher where all of its cells need that, and the highest that holds no other's."""
    record, tree = records[number], text.tree
    if record.anchor is None:
        return None
    others = sorted(other.anchor[0] for k, other in enumerate(records) if k != number and other.anchor is not None)

    def place_alone(node: int) -> Place | None:
        low, high = text.place(node, int(tree.end[node]))
        return (low, high) if bisect_left(others, low) == bisect_left(others, high) else None

    def up_from(place: Place) -> tuple[int, int] | None:
        nodes = text.nodes(place)
        node, last = nodes[0], nodes[-1]
        while tree.end[node] <= last or tree.tag[node] == tags.TEXT:
            node = int(tree.parent[node])
        if place_alone(node) is None:
            return None
        low = node
        while _share(text, record, low) < 1 and tree.parent[low] >= 0 and place_alone(int(tree.parent[low])) is not None:
            low = int(tree.parent[low])
        top = low
        while tree.parent[top] >= 0 and place_alone(int(tree.parent[top])) is not None:
            top = int(tree.parent[top])
        return low, top

    found = up_from(record.anchor)
    if found is None or _share(text, record, found[1]) < RECORD_SHARE:
        return up_from(min(record.places)) or found
    return found


def _share(text: PageText, record: GoldRecord, node: int) -> float:
    """Share of a record's characters that an element holds."""
    return share_held(text.text[slice(*text.place(node, int(text.tree.end[node])))], record)


def share_held(here: str, record: GoldRecord) -> float:
    """Share of the characters of a record's cells that stand in a text."""
    return sum(len(cell) for cell in record.cells if cell in here) / max(sum(map(len, record.cells)), 1)
