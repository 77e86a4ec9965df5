"""Visual block extraction: the rules (thirteen of the paper and one of ours), which are tried on what, and what they make of a page.

Source: Cai 2003, section 4.1 (DivideDomtree), table 2.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from enum import Enum, IntEnum
from math import log2
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tamis.page import tags
from tamis.page.tree import PageTree
from tamis.segmentation.items import RUN, Items
from tamis.segmentation.settings import SegmentSettings


class Kind(IntEnum):
    """Kinds of items that differ in the rules tried on them; paragraphs are tried like inline items."""

    INLINE = 0
    TABLE = 1
    ROW = 2
    CELL = 3
    OTHER = 4


_KIND = np.full(len(tags.KNOWN) + 1, Kind.OTHER, dtype=np.int64)
for _name, _kind in (("table", Kind.TABLE), ("tr", Kind.ROW), ("td", Kind.CELL), ("th", Kind.CELL), ("p", Kind.INLINE)):
    _KIND[tags.CODE[_name]] = _kind
COHERENT = tags.lookup(
    tags.codes("p li dt dd h1 h2 h3 h4 h5 h6 caption figcaption blockquote pre address label legend summary a button q cite time figure")
)


class Facts:
    """Columns over the ``m`` items of a page as plain lists: what the rules look at, item by item.

    Sizes are shares of the page's area.
    """

    def __init__(self, tree: PageTree, items: Items, page_area: float) -> None:
        n = len(tree)
        runs = items.runs
        child, flat = runs.child, runs.child.tolist()
        some = runs.child_end > runs.child_start

        def reduced(by: np.ufunc, values: NDArray[Any], empty: Any) -> NDArray[Any]:
            """Return the values of the children brought together for each item; slices follow each other without gaps."""
            result = np.full(len(some), empty, dtype=values.dtype)
            if len(values):
                result[some] = by.reduceat(values, runs.child_start[some])
            return result

        tag = np.where(items.tag == RUN, len(tags.KNOWN), np.minimum(items.tag, len(tags.KNOWN)))
        size = items.area / max(page_area, 1.0)
        rule_children = np.bincount(tree.parent[np.flatnonzero(items.rules)], minlength=n)[:n] if n else np.zeros(0)
        self.children: list[list[int]] = [flat[a:b] for a, b in zip(runs.child_start.tolist(), runs.child_end.tolist(), strict=True)]
        self.kind: list[int] = np.where(items.breaks, _KIND[tag], Kind.INLINE).tolist()
        self.coherent: list[bool] = (COHERENT[tag] | ~items.breaks).tolist()
        self.is_text: list[bool] = ((items.tag == tags.TEXT) | ((items.tag == RUN) & items.textual)).tolist()
        self.is_run: list[bool] = (items.tag == RUN).tolist()
        self.textual: list[bool] = items.textual.tolist()
        self.replaced: list[bool] = items.replaced.tolist()
        self.uniform: list[bool] = items.fonts.uniform.tolist()
        self.size: list[float] = size.tolist()
        self.background: list[int] = items.background.tolist()
        self.all_textual: list[bool] = reduced(np.logical_and, items.textual[child], empty=True).tolist()
        self.some_textual: list[bool] = reduced(np.logical_or, items.some_textual[child], empty=False).tolist()
        self.some_breaks: list[bool] = reduced(np.logical_or, items.breaks[child], empty=False).tolist()
        self.some_rule: list[bool] = np.append(rule_children > 0, np.zeros(len(items.tag) - n, dtype=np.bool_)).tolist()
        self.children_size: list[float] = reduced(np.add, size[child], empty=0.0).tolist()
        self.largest_child: list[float] = reduced(np.maximum, size[child], empty=0.0).tolist()
        self.articles = items.articles


class Action(Enum):
    """Decision of a rule about an item."""

    CUT = "cut"  #: It is left out.
    DIVIDE = "divide"  #: Its children are looked at.
    KEEP = "keep"  #: It is a block.


@dataclass(frozen=True, slots=True)
class Place:
    """Place of an item in the round of extraction."""

    is_root: bool = False  #: It is the one subtree of the block that is extracted.
    after_undivided: bool = False  #: Its previous sibling was not divided.


_SMALLEST = 1 / 64**2  #: Share of the page below which a block is as coherent as size can make it.


def _shows_itself_or_nothing(facts: Facts, item: int, place: Place, settings: SegmentSettings) -> bool:
    """It is an image or a form field, or is not text and has no valid children."""
    return facts.replaced[item] or not (facts.children[item] or facts.is_text[item])


def _one_child(facts: Facts, item: int, place: Place, settings: SegmentSettings) -> bool:
    """Exactly one valid child, which is not text. A run of inline siblings is several children."""
    children = facts.children[item]
    return len(children) == 1 and not facts.is_text[children[0]] and not facts.is_run[children[0]]


CUT, DIVIDE, KEEP = Action
RULES: dict[int, tuple[Action, Callable[[Facts, int, Place, SegmentSettings], object]]] = {
    1: (CUT, _shows_itself_or_nothing),  # what shows itself is kept
    2: (DIVIDE, _one_child),
    # It is the root of the block, which has no other subtree.
    3: (DIVIDE, lambda facts, item, place, settings: place.is_root and facts.children[item]),
    # All children are text or virtual text.
    4: (KEEP, lambda facts, item, place, settings: facts.all_textual[item]),
    # A child is a line-break node.
    5: (DIVIDE, lambda facts, item, place, settings: facts.some_breaks[item]),
    # A child is an <hr>.
    6: (DIVIDE, lambda facts, item, place, settings: facts.some_rule[item]),
    # The children together are larger than the item.
    7: (DIVIDE, lambda facts, item, place, settings: facts.children_size[item] > settings.overflow * facts.size[item]),
    # A child is on another background. Those children are blocks.
    8: (DIVIDE, lambda facts, item, place, settings: on_other_background(facts, item)),
    # A child is text or virtual text, and the item is small.
    9: (KEEP, lambda facts, item, place, settings: facts.some_textual[item] and facts.size[item] < settings.small_text),
    # The largest child is small.
    10: (KEEP, lambda facts, item, place, settings: facts.largest_child[item] < settings.small_child),
    # The previous sibling was not divided.
    11: (KEEP, lambda facts, item, place, settings: place.after_undivided),
    12: (DIVIDE, lambda facts, item, place, settings: True),
    13: (KEEP, lambda facts, item, place, settings: True),
    # It holds several articles or the like (ours).
    14: (DIVIDE, lambda facts, item, place, settings: 0 < settings.articles <= facts.articles.get(item, 0)),
}
"""The rules by number: what each decides, and when it holds."""

ORDERS: dict[Kind, tuple[int, ...]] = {
    Kind.INLINE: (1, 2, 3, 4, 5, 6, 7, 9, 10, 12),
    Kind.TABLE: (1, 2, 3, 8, 14, 10, 13),
    Kind.ROW: (1, 2, 3, 7, 8, 14, 10, 13),
    Kind.CELL: (1, 2, 3, 4, 14, 9, 10, 11, 13),
    Kind.OTHER: (1, 2, 3, 4, 6, 7, 14, 9, 10, 12),
}
"""Rules that are tried on an item of each kind, in order."""


def decide(facts: Facts, item: int, place: Place, settings: SegmentSettings) -> tuple[int, Action]:
    """Return the first rule that holds for an item, and what it decides; the last of every order always holds."""
    number = next(number for number in ORDERS[Kind(facts.kind[item])] if RULES[number][1](facts, item, place, settings))
    return number, Action.KEEP if number == 1 and facts.replaced[item] else RULES[number][0]


def on_other_background(facts: Facts, item: int) -> list[int]:
    """Return children on another background than the item."""
    return [child for child in facts.children[item] if facts.background[child] != facts.background[item]]


def coherence(facts: Facts, item: int, rule: int) -> int:
    """Degree of coherence, 1 to 10, of an item that a rule kept.

    By tag and size, it is 8 for a block whose sides are a 64th of the page's, and 1 less for each doubling; a coherent tag gains 1.
    """
    if rule == 1:
        return 10
    if rule == 4:
        return 10 if facts.uniform[item] else 9
    doublings = log2(max(facts.size[item], _SMALLEST) / _SMALLEST) / 2
    return max({8: 6, 9: 5}.get(rule, 1), min(8, 8 - round(doublings) + facts.coherent[item]))


@dataclass(frozen=True, slots=True)
class Extracted:
    """An item that a rule kept."""

    item: int
    doc: int  #: Degree of coherence that the rule gives.
    rule: int  #: Number of the rule.


def extract_blocks(facts: Facts, root: int, settings: SegmentSettings) -> list[Extracted]:
    """Return the blocks below one item, in document order, in one round: ``root`` itself is divided if it can be (rule 3)."""
    pool: list[Extracted] = []
    undivided: set[int] = set()
    other_background: set[int] = set()
    todo: list[tuple[int, int]] = [(root, -1)]
    while todo:
        item, previous = todo.pop()
        if item in other_background:
            rule, action = 8, Action.KEEP
        else:
            rule, action = decide(facts, item, Place(item == root, previous in undivided), settings)
        if action is Action.DIVIDE:
            if rule == 8:
                other_background.update(on_other_background(facts, item))
            children = facts.children[item]
            todo.extend(reversed(list(zip(children, [-1, *children[:-1]], strict=True))))
            continue
        undivided.add(item)
        if action is Action.KEEP:
            pool.append(Extracted(item, coherence(facts, item, rule), rule))
    return pool
