"""Content structure construction: from a pool of blocks and their separators to a tree.

The paper merges blocks across the lightest separators first, up to the heaviest. Seen from the top, the last merge joins what the
heaviest separators part; so a region is parted at its heaviest separators, and each part again, with the separators that are found in
it alone: columns below a headline show only there. Source: Cai 2003, section 4.3.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections import deque
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from itertools import pairwise

from tamis.segmentation.ancestry import Ancestry
from tamis.segmentation.separators import HORIZONTAL, VERTICAL, Face, Gap, sweep
from tamis.segmentation.settings import SegmentSettings
from tamis.segmentation.weights import Strip, by_structure, coherence_of, weigh

EDGE = 20.0
"""Pixels between the edge of the page's content and a header or footer."""
WORK, WORK_OF_BLOCK = 50_000, 4
"""Blocks that are looked at while a pool is divided, and further ones for each block of the pool: a bound for pools of which each cut parts
off one block. Parts that are left then are divided into single blocks at once."""


@dataclass(slots=True)
class Part:
    """Blocks of the pool that belong together."""

    members: list[int]
    """Positions in the pool."""
    doc: int
    """Degree of coherence from the heaviest separator in it; for a single block that of its rule."""
    parts: list[Part] = field(default_factory=list)
    """What it is parted into, in document order."""
    cuts: list[tuple[int, Gap, int]] = field(default_factory=list)
    """The separators that part it: axis, place, weight."""


class Construction:
    """Builds the tree of one pool.

    Args:
        faces: the blocks, in document order.
        docs: their degrees of coherence.
        rules: tops of the page's ``<hr>``, rising.
        ancestry: the page's tree.
        settings: the weights.
        page: what the page's content covers: left, top, right, bottom.
    """

    def __init__(
        self,
        faces: Sequence[Face],
        docs: Sequence[int],
        rules: Sequence[float],
        ancestry: Ancestry,
        settings: SegmentSettings,
        page: Sequence[float],
    ) -> None:
        self.faces, self.docs, self.rules, self.ancestry, self.settings = faces, docs, rules, ancestry, settings
        self.page = page
        self.starts = [[face.box[axis] for face in faces] for axis in (VERTICAL, HORIZONTAL)]

    def build(self) -> Part:
        """The whole pool as a tree of parts."""
        whole = Part(list(range(len(self.faces))), 10)
        work = WORK + WORK_OF_BLOCK * len(self.faces)
        todo = deque([whole])
        while todo:
            part = todo.popleft()
            if len(part.members) == 1:
                part.doc = self.docs[part.members[0]]
                continue
            work -= len(part.members)
            heaviest, groups = self._divided(part) if work >= 0 else (1, [[member] for member in part.members])
            part.doc = coherence_of(heaviest, self.settings)
            part.parts = [Part(group, 10) for group in groups]
            todo += part.parts
        return whole

    def _divided(self, part: Part) -> tuple[int, list[list[int]]]:
        """The weight of the heaviest separators in a part, and its members in groups between them."""
        best: tuple[int, int, list[int], list[Gap]] | None = None
        for axis in (HORIZONTAL, VERTICAL):
            order = sorted(part.members, key=self.starts[axis].__getitem__)
            gaps = sweep(order, self.faces, axis, self.settings.overlap)
            if not gaps:
                continue
            weights = self._weights(part.members, order, gaps, axis)
            heaviest = max(weights)
            if best is None or heaviest > best[0]:
                best = heaviest, axis, order, [gap for gap, weight in zip(gaps, weights, strict=True) if weight == heaviest]
        if best is None:
            return self._by_tree(part)
        heaviest, axis, order, gaps = best
        part.cuts = [(axis, gap, heaviest) for gap in gaps]
        edges = [0, *(gap.position for gap in gaps), len(order)]
        return heaviest, sorted(sorted(order[a:b]) for a, b in pairwise(edges))

    def _by_tree(self, part: Part) -> tuple[int, list[list[int]]]:
        """Blocks that overlap so that no strip parts them are parted by the page's tree, at the lowest element that holds them all."""
        nodes = [self.faces[member].node for member in part.members]
        common = self.ancestry.common(nodes[0], nodes[-1])
        groups: list[list[int]] = []
        end = 0
        for member, node in zip(part.members, nodes, strict=True):
            if node >= end:
                end = self.ancestry.end[self.ancestry.child_towards(common, node)]
                groups.append([])
            groups[-1].append(member)
        return max(1, round(by_structure(self.ancestry.level[common], self.settings))), groups

    def _weights(self, members: list[int], order: list[int], gaps: list[Gap], axis: int) -> list[int]:
        """The weight of each gap."""
        faces, across = self.faces, VERTICAL if axis == HORIZONTAL else HORIZONTAL
        length = max(faces[member].box[across + 2] for member in members) - min(faces[member].box[across] for member in members)
        region = self._level(members[0], members[-1])
        strips = self._strips(order, gaps, length) if axis == HORIZONTAL else set()
        return [
            weigh(
                Strip(
                    faces[gap.before],
                    faces[gap.after],
                    gap.stop - gap.start,
                    axis == VERTICAL,
                    length,
                    axis == HORIZONTAL and self._rule_between(gap),
                    level,
                    level - region,
                    number in strips,
                ),
                self.settings,
            )
            for number, (gap, level) in enumerate(zip(gaps, cut_levels(members, order, gaps, self._level), strict=True))
        ]

    def _strips(self, order: Sequence[int], gaps: Sequence[Gap], width: float) -> set[int]:
        """The gaps below a header and above a footer: first and last of a wide region that begins or ends where the page does."""
        left, top, right, bottom = self.page
        if not gaps or width < self.settings.wide * (right - left):
            return set()
        found = set()
        first, last = gaps[0], gaps[-1]
        begins = self.faces[order[0]].box[1]
        ends = max(self.faces[member].box[3] for member in order[last.position :])
        if begins <= top + EDGE and first.start - begins <= self.settings.strip * (ends - begins):
            found.add(0)
        if ends >= bottom - EDGE and ends - last.stop <= self.settings.strip * (ends - begins):
            found.add(len(gaps) - 1)
        return found

    def _level(self, one: int, other: int) -> int:
        """Level of the lowest element that holds two blocks."""
        return self.ancestry.level[self.ancestry.common(self.faces[one].node, self.faces[other].node)]

    def _rule_between(self, gap: Gap) -> bool:
        """Whether an ``<hr>`` starts within a separator."""
        place = bisect_left(self.rules, gap.start - 1)
        return place < len(self.rules) and self.rules[place] <= gap.stop + 1


def cut_levels(members: Sequence[int], order: Sequence[int], gaps: Sequence[Gap], level: Callable[[int, int], int]) -> list[int]:
    """How deep in the page's tree each gap cuts: the level of the lowest element that has blocks on both of its sides.

    That element is the lowest common one of two blocks that follow each other in the document, one on each side.

    Args:
        members: blocks in document order.
        order: the same blocks in the order of the sweep.
        gaps: what the sweep found, in order.
        level: level of the lowest element that holds two blocks.
    """
    place = {block: position for position, block in enumerate(order)}
    positions = [gap.position for gap in gaps]
    cuts = []
    for one, other in pairwise(members):
        low, high = sorted((place[one], place[other]))
        since, until = bisect_right(positions, low), bisect_right(positions, high)
        if since < until:
            cuts.append((level(one, other), since, until))
    levels = [0] * len(gaps)
    for depth, since, until in sorted(cuts):
        levels[since:until] = [depth] * (until - since)
    return levels
