"""Explanation of a similarity: which subtree of one page matches which subtree of the other.

Below a matched pair, each child is paired with the child that gave it its score: in free matching the best candidate on the other side, in
ordered matching one to one. Among equal candidates the first at the same position is taken.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from itertools import groupby

import numpy as np
from numpy.typing import NDArray

from tamis.page.parsing import Page, parse
from tamis.page.tree import IntColumn, PageTree
from tamis.structure.matching import Matched, Values
from tamis.structure.shapes import NO_SHAPE, Shapes, Shaping, shapes
from tamis.structure.similarity import Method, matched, shaping_for

UNMATCHED = -1  #: The partner of a node without a match.
MAX_PAIRING_CELLS = 4_000_000
"""Cells of the table from which the pairing of two sequences of children is read; of longer ones only the equal ends are matched."""


@dataclass(frozen=True, slots=True)
class SubtreeMatch:
    """A subtree and its partner."""

    node: int
    partner: int  #: Node of the other tree, or :data:`UNMATCHED`.
    similarity: float
    depth: int  #: Steps below the roots that were compared.
    size: int  #: Nodes in the subtree.
    times: int = 1  #: Number of siblings in a row of this shape that match as well as this one; the first of them is named.


@dataclass(frozen=True, eq=False)
class Explanation:
    """A similarity, and what it is made of."""

    similarity: float
    method: Method
    exact: bool  #: False where the comparison was cut short by its bounds (:data:`tamis.structure.matching.MAX_CHILD_PAIRS`).
    trees: tuple[PageTree, PageTree] = field(repr=False)
    sizes: tuple[int, int]  #: Nodes of both trees that count.
    partner: tuple[IntColumn, IntColumn] = field(repr=False)
    """For every node of one tree its partner in the other, int32; :data:`UNMATCHED` for none. First tree to second, second to first."""
    value: tuple[Values, Values] = field(repr=False)  #: The similarity of those pairs, float64; 0 for none.
    shapes: Shapes = field(repr=False)

    @property
    def matched_nodes(self) -> int:
        """In ordered matching, the pairs of nodes in the match: simple tree matching."""
        return round(self.similarity * sum(self.sizes) / 2)

    def matches(self, direction: int = 0, depth: int | None = None) -> Iterator[SubtreeMatch]:
        """Yield the matches of one tree's subtrees in document order, without the inside of equal and of unmatched subtrees.

        Args:
            direction: 0: first tree to second; 1: second to first.
            depth: most steps down.
        """
        tree, of = self.trees[direction], self.shapes.nodes[direction]
        start = int(np.argmax(of != NO_SHAPE)) if len(of) else 0
        if not len(of) or of[start] == NO_SHAPE:
            return
        below = _children(tree, of)
        waiting = [self._match(direction, [start], 0)]
        while waiting:
            match = waiting.pop()
            yield match
            if 0.0 < match.similarity < 1.0 and (depth is None or match.depth < depth):
                waiting += [self._match(direction, run, match.depth + 1) for run in self._runs(direction, below.get(match.node, []))][::-1]

    def _match(self, direction: int, run: list[int], depth: int) -> SubtreeMatch:
        node, size = run[0], int(self.shapes.size[self.shapes.nodes[direction][run[0]]])
        return SubtreeMatch(node, int(self.partner[direction][node]), float(self.value[direction][node]), depth, size, len(run))

    def _runs(self, direction: int, children: list[int]) -> list[list[int]]:
        """Siblings in a row of one shape that match equally well."""
        of, value = self.shapes.nodes[direction], self.value[direction]
        return [list(run) for _, run in groupby(children, key=lambda child: (of[child], value[child]))]


def explain(a: Page, b: Page, method: Method = "free", shaping: Shaping = Shaping()) -> Explanation:
    """Compare two pages as :func:`~tamis.structure.similarity.similarity` does, and explain which subtree matches which.

    Raises:
        SourceError: a file cannot be read.
        UsageError: an unknown method, or one of the pages has an unknown type.

    >>> found = explain("<ul><li>1<li>2</ul>", "<ul><li>1</ul><p>2")
    >>> [(found.trees[0].name(match.node), round(match.similarity, 2), match.times) for match in found.matches()]
    [('html', 0.92, 1), ('head', 1.0, 1), ('body', 0.88, 1), ('ul', 1.0, 1)]
    """
    trees = (parse(a), parse(b))
    found = shapes(trees, shaping_for(method, shaping))
    roots = (found.of(), found.of(tree=1))
    done = matched(found, *roots)
    pairing = _Pairing(found, done)
    there = _directed(trees, found, pairing, 0, float(done.values))
    # Both directions must report the same one of several best matches.
    back = _turned(*there, len(trees[1])) if method == "ordered" else _directed(trees, found, pairing, 1, float(done.values))
    sizes = tuple(int(found.size[root]) if root != NO_SHAPE else 0 for root in roots)
    return Explanation(
        similarity=float(done.values),
        method=method,
        exact=done.exact,
        trees=trees,
        sizes=(sizes[0], sizes[1]),
        partner=(there[0], back[0]),
        value=(there[1], back[1]),
        shapes=found,
    )


def _directed(trees: tuple[PageTree, PageTree], found: Shapes, pairing: _Pairing, direction: int, value: float) -> tuple[IntColumn, Values]:
    """The partner of every node of one tree, and how alike they are: from the roots down."""
    tree, other = trees[direction], trees[1 - direction]
    own, theirs = found.nodes[direction], found.nodes[1 - direction]
    partner, alike = np.full(len(tree), UNMATCHED, dtype=np.int32), np.zeros(len(tree))
    if not value:
        return partner, alike
    below, theirs_below = _children(tree, own), _children(other, theirs)
    partner[0], alike[0] = 0, value
    waiting = [(0, 0)]
    while waiting:
        x, y = waiting.pop()
        children, candidates = below.get(x, []), theirs_below.get(y, [])
        if not children or not candidates:
            continue
        answer = pairing.of([int(own[c]) for c in children], [int(theirs[c]) for c in candidates], int(own[x]), int(theirs[y]))
        for child, (place, how) in zip(children, answer, strict=True):
            if place >= 0 and how > 0:
                partner[child], alike[child] = candidates[place], how
                waiting.append((child, candidates[place]))
    return partner, alike


def _turned(partner: IntColumn, value: Values, length: int) -> tuple[IntColumn, Values]:
    """One-to-one matches, seen from the other tree."""
    paired = np.flatnonzero(partner != UNMATCHED)
    back, alike = np.full(length, UNMATCHED, dtype=np.int32), np.zeros(length)
    back[partner[paired]] = paired
    alike[partner[paired]] = value[paired]
    return back, alike


class _Pairing:
    """Partners of children, worked out once for each pair of parents' shapes."""

    def __init__(self, found: Shapes, done: Matched) -> None:
        self.found, self.done = found, done
        self.best: dict[tuple[int, int], dict[int, tuple[int, float]]] = {}
        self.pairs: dict[tuple[int, int], list[tuple[int, float]]] = {}

    def of(self, children: list[int], candidates: list[int], parent: int, other: int) -> list[tuple[int, float]]:
        """Return for each child, by shape, the place of its partner among the candidates (-1: none) and how alike they are."""
        if self.found.shaping.ordered:
            if (parent, other) not in self.pairs:
                self.pairs[parent, other] = self._in_order(np.array(children), np.array(candidates))
            return self.pairs[parent, other]
        best = self.best.get((parent, other))
        if best is None:
            best = self.best[parent, other] = self._best(children, candidates)
        places: dict[int, list[int]] = {}
        for place, shape in enumerate(candidates):
            places.setdefault(shape, []).append(place)
        seen: dict[int, int] = {}
        answer = []
        for child in children:
            shape, how = best[child]
            turn = seen[child] = seen.get(child, -1) + 1
            answer.append((places[shape][min(turn, len(places[shape]) - 1)], how))
        return answer

    def _best(self, children: list[int], candidates: list[int]) -> dict[int, tuple[int, float]]:
        """The best partner of each distinct shape; the first in the order of the page among equally good ones."""
        theirs = np.array(list(dict.fromkeys(candidates)))
        best = {}
        for child in dict.fromkeys(children):
            values = self.done.look_up(self.found, np.full(len(theirs), child), theirs)
            at = int(values.argmax())
            best[child] = (int(theirs[at]), float(values[at]))
        return best

    def _in_order(self, children: NDArray[np.int64], candidates: NDArray[np.int64]) -> list[tuple[int, float]]:
        """The pairing that the dynamic programme chose, read back from its table."""
        answer = [(UNMATCHED, 0.0)] * len(children)
        least = min(len(children), len(candidates))
        front = int(np.argmin(np.append(children[:least] == candidates[:least], False)))
        back = int(np.argmin(np.append(children[::-1][: least - front] == candidates[::-1][: least - front], False)))
        for step in range(front):
            answer[step] = (step, 1.0)
        for step in range(1, back + 1):
            answer[-step] = (len(candidates) - step, 1.0)
        a, b = children[front : len(children) - back], candidates[front : len(candidates) - back]
        if not len(a) or not len(b) or len(a) * len(b) > MAX_PAIRING_CELLS:
            return answer
        alike = self.done.look_up(self.found, np.repeat(a, len(b)), np.tile(b, len(a))).reshape(len(a), len(b))
        sizes = self.found.size
        for i, j in _read_back(alike * (sizes[a][:, None] + sizes[b][None, :])):
            answer[front + i] = (front + j, float(alike[i, j]))
        return answer


def _read_back(gain: Values) -> Iterator[tuple[int, int]]:
    """The pairs of a best pairing in order, from the last to the first."""
    best = np.zeros((gain.shape[0] + 1, gain.shape[1] + 1))
    for i, row in enumerate(gain):
        np.maximum(best[i, 1:], best[i, :-1] + row, out=best[i + 1, 1:])
        np.maximum.accumulate(best[i + 1], out=best[i + 1])
    i, j = gain.shape
    while i and j:
        if best[i, j] == best[i - 1, j]:
            i -= 1
        elif best[i, j] == best[i, j - 1]:
            j -= 1
        else:
            i, j = i - 1, j - 1
            yield i, j


def _children(tree: PageTree, of: IntColumn) -> dict[int, list[int]]:
    below: dict[int, list[int]] = {}
    for node in np.flatnonzero(of != NO_SHAPE).tolist():
        below.setdefault(int(tree.parent[node]), []).append(node)
    return below
