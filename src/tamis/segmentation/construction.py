"""Content structure construction: from a pool of blocks and their separators to a tree.

The paper merges blocks across the lightest separators first, up to the heaviest. Seen from the top, the last merge joins what the
heaviest separators part; so a region is parted at its heaviest separators, and each part again, with the separators that are found in
it alone: columns below a headline show only there. Source: Cai 2003, section 4.3.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import pairwise

from tamis.segmentation.separators import HORIZONTAL, VERTICAL, Face, Gap, sweep, weigh
from tamis.segmentation.settings import SegmentSettings

DEEPEST = 40
"""Parts within parts, at most: bounds the work where each cut parts off one block."""


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
    """

    def __init__(self, faces: Sequence[Face], docs: Sequence[int], rules: Sequence[float], settings: SegmentSettings) -> None:
        self.faces, self.docs, self.rules, self.settings = faces, docs, rules, settings

    def build(self) -> Part:
        """The whole pool as a tree of parts."""
        whole = Part(list(range(len(self.faces))), 10)
        todo = [(whole, 0)]
        while todo:
            part, depth = todo.pop()
            if len(part.members) == 1:
                part.doc = self.docs[part.members[0]]
                continue
            heaviest, groups = self._divide(part, depth)
            part.doc = 10 - heaviest
            part.parts = [Part(group, 10) for group in groups]
            todo += [(inner, depth + 1) for inner in part.parts]
        return whole

    def _divide(self, part: Part, depth: int) -> tuple[int, list[list[int]]]:
        """The weight of the heaviest separators in a part, and its members in groups between them."""
        best: tuple[int, int, list[int], list[Gap]] | None = None
        for axis in (HORIZONTAL, VERTICAL):
            order = sorted(part.members, key=lambda block: self.faces[block].box[axis])
            weighed = [(self._weight(gap, axis), gap) for gap in sweep(order, self.faces, axis, self.settings.overlap)]
            heaviest = max((weight for weight, _ in weighed), default=0)
            if heaviest and (best is None or heaviest > best[0]):
                best = heaviest, axis, order, [gap for weight, gap in weighed if weight == heaviest]
        if best is None or depth >= DEEPEST:
            return 1, [[member] for member in part.members]
        heaviest, axis, order, gaps = best
        part.cuts = [(axis, gap, heaviest) for gap in gaps]
        edges = [0, *(gap.position for gap in gaps), len(order)]
        groups = [sorted(order[a:b]) for a, b in pairwise(edges)]
        return heaviest, sorted(groups)

    def _weight(self, gap: Gap, axis: int) -> int:
        holds_rule = axis == HORIZONTAL and self._rule_between(gap)
        return weigh(gap, self.faces, axis, holds_rule, self.settings)

    def _rule_between(self, gap: Gap) -> bool:
        """Whether an ``<hr>`` starts within a separator."""
        place = bisect_left(self.rules, gap.start - 1)
        return place < len(self.rules) and self.rules[place] <= gap.stop + 1
