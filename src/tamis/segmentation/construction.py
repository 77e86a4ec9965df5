"""Content structure construction: separators between the blocks of a pool, their weights, and where they divide the pool.

One sweep over the sorted blocks finds the separators. A region is divided at its heaviest separators, then each part in the same way: this
is the paper's merging, seen from the top. Source: Cai 2003, sections 4.2 and 4.3; decisions in ``docs/methods/vips.md``.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from math import log2

from tamis.page import tags
from tamis.page.tree import PageTree
from tamis.segmentation.items import Items
from tamis.segmentation.rules import COHERENT
from tamis.segmentation.settings import SegmentSettings

HORIZONTAL, VERTICAL = 1, 0  #: The axis along which a separator's width is measured: a horizontal one has its width in y.


@dataclass(frozen=True, slots=True)
class Face:
    """A block's face to the separators around it: its box, and the appearance of its first and last text."""

    box: tuple[float, float, float, float]  #: Left, top, right, bottom.
    node: int  #: Its first node.
    holder: int  #: The element that it is a part of (:meth:`Ancestry.holder <tamis.segmentation.construction.Ancestry.holder>`).
    background: int  #: Colour behind it, ``0xRRGGBB``.
    textual: bool  #: It is text and nothing else.
    first_font: tuple[float, int]  #: Size and weight of its first text; size 0 without text.
    last_font: tuple[float, int]


@dataclass(frozen=True, slots=True)
class Gap:
    """A separator between the blocks before it and those after it, in the order of the sweep."""

    position: int  #: Number of blocks before it in the sweep.
    start: float
    stop: float
    before: int  #: The block that reaches furthest towards it.
    after: int  #: The first block behind it.


def sweep(order: Sequence[int], faces: Sequence[Face], axis: int, overlap: float) -> list[Gap]:
    """Return the gaps along an axis between blocks, ``order``: by where they start along it.

    ``overlap``: pixels by which blocks may overlap and still have a gap, of width 0, between them.
    """
    gaps: list[Gap] = []
    furthest = order[0]
    reach = faces[furthest].box[axis + 2]
    for position in range(1, len(order)):
        block = order[position]
        box = faces[block].box
        start, stop = box[axis], box[axis + 2]
        if start >= reach - overlap and stop > reach:
            gaps.append(Gap(position, min(reach, start), max(reach, start), furthest, block))
        if stop > reach:
            furthest, reach = block, stop
    return gaps


def weigh(
    before: Face,
    after: Face,
    width: float,
    settings: SegmentSettings,
    *,
    height: float | None = None,
    holds_rule: bool = False,
    level: int = 0,
    articles: bool = False,
) -> int:
    """Return the weight of a separator between two blocks, at least 1.

    Args:
        before: the block above it or left of it.
        after: the block below it or right of it.
        width: pixels between them.
        settings: the weights.
        height: of a vertical separator; None: it is horizontal.
        holds_rule: whether an ``<hr>`` lies in it.
        level: how deep it cuts: elements with several children above the lowest element that has blocks on both sides.
        articles: whether it parts articles or the like (:meth:`Ancestry.articles <tamis.segmentation.construction.Ancestry.articles>`).
    """
    distance, structure = by_distance(width, settings), by_structure(level, settings)
    upper, lower = before.last_font, after.first_font
    heading = before.textual and before.first_font == upper > lower and before.box[3] - before.box[1] < settings.heading * upper[0]
    if height is not None:  # its width counts where it is high, and little between the words of a line
        share = min(1.0, height / settings.tall) if settings.tall else 1.0
        weight = share * distance + (2 * share - 1) * settings.vertical_weight
    elif before.textual and after.textual and before.holder == after.holder and upper == lower:
        weight, structure = distance - settings.alike_weight, 0.0  # running text belongs together anywhere
    elif heading:  # belongs to the blocks below it
        weight, structure = distance - settings.font_weight, by_structure(level + (level > 0), settings)
    elif upper[0] and lower[0] and upper != lower:
        weight = distance + settings.font_weight * (2 if upper[0] < lower[0] else 1)
    else:
        weight = distance
    rule = settings.rule_weight if holds_rule else 0.0
    background = settings.background_weight if before.background != after.background else 0.0
    least = ARTICLES if articles and height is None else 1
    return max(least, round(weight + rule + background + structure))


ARTICLES = 5  #: Least weight between articles: the default degree parts them.


def by_distance(width: float, settings: SegmentSettings) -> float:
    """Return the weight of a separator by its width: 1 where blocks touch, and 1 more for each doubling.

    >>> by_distance(0, SegmentSettings()), by_distance(12, SegmentSettings()), by_distance(36, SegmentSettings())
    (1.0, 2.0, 3.0)
    """
    return 1 + log2(1 + max(width, 0.0) / settings.narrow)


def by_structure(level: int, settings: SegmentSettings) -> float:
    """Return the weight of structure at a level: a part near the page's root separates more than a deep one."""
    return settings.structure_weight * settings.structure_decay**level


def coherence_of(heaviest: int, settings: SegmentSettings) -> int:
    """Degree of coherence, 1 to 9, of a block by its heaviest separator: the heavier, the less.

    >>> [coherence_of(weight, SegmentSettings()) for weight in (1, 3, 5, 8, 12, 40)]
    [8, 6, 4, 3, 2, 1]
    """
    return max(1, int(10 / (1 + heaviest / settings.half_weight)))


class Ancestry:
    """Answers questions about the tree of a page in plain lists, which are quick to ask one by one."""

    def __init__(self, tree: PageTree, items: Items) -> None:
        self.parent: list[int] = tree.parent.tolist()
        self.end: list[int] = tree.end.tolist()
        several = (items.runs.child_end - items.runs.child_start)[: len(tree)] > 1
        self.several: list[bool] = several.tolist()
        self.tag: list[int] = tree.tag.tolist()
        self.several_lines: list[bool] = items.several.tolist()
        self.articles_of = items.articles
        self.coherent: list[bool] = tags.within(COHERENT, tree.tag).tolist()
        self.level = _levels_of(self.parent, self.several)  #: For each node, the number of elements above it that have several children.

    def common(self, one: int, other: int) -> int:
        """Return the lowest node whose subtree holds two nodes."""
        parent = self.parent
        while one != other:
            if one < other:
                other = parent[other]
            else:
                one = parent[one]
        return one

    def holder(self, node: int) -> int:
        """Return the element that a node is part of: its parent, or the one above paragraphs and list items that hold only the node."""
        above = self.parent[node]
        while above > 0 and self.coherent[above] and not self.several[above]:
            above = self.parent[above]
        return above

    def articles(self, one: int, other: int, fewest: int) -> bool:
        """Return whether two siblings are of one tag and both of several lines, or one of them is with at least ``fewest`` of its kind."""
        needed = 1 if self.articles_of.get(self.parent[one], 0) >= fewest else 2
        return fewest > 0 and self.tag[one] == self.tag[other] and self.several_lines[one] + self.several_lines[other] >= needed

    def child_towards(self, node: int, below: int) -> int:
        """Return the child of a node whose subtree holds ``below``; the node itself where the two are one."""
        parent = self.parent
        while below != node and parent[below] != node:
            below = parent[below]
        return below


def _levels_of(parent: list[int], several: list[bool]) -> list[int]:
    level = [0] * len(parent)
    for node in range(1, len(parent)):
        above = parent[node]
        level[node] = level[above] + several[above] if above >= 0 else 0
    return level


WORK, WORK_OF_BLOCK = 50_000, 4
"""Blocks examined while a pool is divided, and more for each block of the pool: a bound for pools where each cut takes off one block. The
remaining parts are divided into single blocks at once."""


@dataclass(frozen=True, slots=True)
class Division:
    """Blocks of a pool that are parted."""

    weight: int  #: Of the heaviest separators between them.
    groups: list[list[int]]  #: Positions in the pool, in document order.
    axis: int = HORIZONTAL
    gaps: Sequence[Gap] = ()  #: The separators that part them; none where the page's tree does.


class Construction:
    """Builds the tree of one pool of blocks, in document order.

    ``rules``: tops of the page's ``<hr>``, rising.
    """

    def __init__(self, faces: Sequence[Face], rules: Sequence[float], ancestry: Ancestry, settings: SegmentSettings) -> None:
        self.faces, self.rules, self.ancestry, self.settings = faces, rules, ancestry, settings
        self.starts = [[face.box[axis] for face in faces] for axis in (VERTICAL, HORIZONTAL)]
        self.work = WORK + WORK_OF_BLOCK * len(faces)

    def divide(self, members: list[int]) -> Division:
        """Part some blocks at their heaviest separators."""
        self.work -= len(members)
        return self._divided(members) if self.work >= 0 else Division(1, [[member] for member in members])

    def _divided(self, members: list[int]) -> Division:
        best: tuple[int, int, list[int], list[Gap]] | None = None
        for axis in (HORIZONTAL, VERTICAL):
            order = sorted(members, key=self.starts[axis].__getitem__)
            gaps = sweep(order, self.faces, axis, self.settings.overlap)
            if not gaps:
                continue
            weights = self._weights(members, order, gaps, axis)
            heaviest = max(weights)
            if best is None or heaviest > best[0]:
                best = heaviest, axis, order, [gap for gap, weight in zip(gaps, weights, strict=True) if weight == heaviest]
        if best is None:
            return self._by_tree(members)
        heaviest, axis, order, gaps = best
        edges = [0, *(gap.position for gap in gaps), len(order)]
        return Division(heaviest, sorted(sorted(order[a:b]) for a, b in pairwise(edges)), axis, gaps)

    def _by_tree(self, members: list[int]) -> Division:
        """Blocks that overlap so that no strip parts them are parted by the page's tree, at the lowest element that holds them all."""
        nodes = [self.faces[member].node for member in members]
        common = self.ancestry.common(nodes[0], nodes[-1])
        groups: list[list[int]] = []
        end = 0
        for member, node in zip(members, nodes, strict=True):
            if node >= end:
                end = self.ancestry.end[self.ancestry.child_towards(common, node)]
                groups.append([])
            groups[-1].append(member)
        return Division(max(1, round(by_structure(self.ancestry.level[common], self.settings))), groups)

    def _weights(self, members: list[int], order: list[int], gaps: list[Gap], axis: int) -> list[int]:
        faces, across = self.faces, VERTICAL if axis == HORIZONTAL else HORIZONTAL
        length = max(faces[member].box[across + 2] for member in members) - min(faces[member].box[across] for member in members)
        return [
            weigh(
                faces[gap.before],
                faces[gap.after],
                gap.stop - gap.start,
                self.settings,
                height=length if axis == VERTICAL else None,
                holds_rule=axis == HORIZONTAL and bisect_left(self.rules, gap.start - 1) < bisect_right(self.rules, gap.stop + 1),
                level=level,
                articles=articles,
            )
            for gap, (level, articles) in zip(gaps, self._cuts(members, order, gaps), strict=True)
        ]

    def _cuts(self, members: Sequence[int], order: Sequence[int], gaps: Sequence[Gap]) -> list[tuple[int, bool]]:
        """Return for each gap how deep in the page's tree it cuts, and whether it separates articles or the like.

        The depth is the level of the lowest element that has blocks on both of its sides. That element is the lowest common one of two
        blocks that follow each other in the document (``members``), one on each side.
        """
        place = {block: position for position, block in enumerate(order)}
        positions = [gap.position for gap in gaps]
        ancestry = self.ancestry
        cuts = []
        for one, other in pairwise(members):
            low, high = sorted((place[one], place[other]))
            since, until = bisect_right(positions, low), bisect_right(positions, high)
            if since < until:
                nodes = self.faces[one].node, self.faces[other].node
                common = ancestry.common(*nodes)
                parted = [ancestry.child_towards(common, node) for node in nodes]
                articles = ancestry.articles(parted[0], parted[1], self.settings.articles)
                cuts.append((ancestry.level[common], since, until, articles))
        found = [(0, False)] * len(gaps)
        for depth, since, until, articles in sorted(cuts):
            found[since:until] = [(depth, articles)] * (until - since)
        return found
