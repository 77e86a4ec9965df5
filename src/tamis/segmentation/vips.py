"""segment: one page in, its blocks out (VIPS; Cai 2003, section 4)."""

from __future__ import annotations

from bisect import bisect_left
from collections import deque
from dataclasses import dataclass, field
from typing import Protocol, cast

import numpy as np

from tamis.errors import UsageError
from tamis.page.appearance import Appearance
from tamis.page.parsing import Page, parse
from tamis.page.tree import PageTree
from tamis.segmentation.construction import HORIZONTAL, Ancestry, Construction, Division, Face, coherence_of
from tamis.segmentation.estimate import estimate_appearance
from tamis.segmentation.items import make_items
from tamis.segmentation.result import Box, Segmentation, Separator, VisualBlock
from tamis.segmentation.rules import Extracted, Facts, extract_blocks
from tamis.segmentation.settings import SegmentSettings

Edges = tuple[float, float, float, float]  #: Left, top, right, bottom.


@dataclass(slots=True)
class Draft:
    """A block whose children may still be found."""

    nodes: tuple[int, ...]
    doc: int
    edges: Edges
    rule: int
    item: int = -1  #: The item that a rule kept; -1 for a block made of others.
    children: list[Draft] = field(default_factory=list)
    cuts: list[tuple[int, Edges, int]] = field(default_factory=list)  #: The separators that cut it: axis, place, weight.

    def cut_at(self, division: Division) -> None:
        """Note the separators of a division."""
        left, top, right, bottom = self.edges
        for gap in division.gaps:
            box = (left, gap.start, right, gap.stop) if division.axis == HORIZONTAL else (gap.start, top, gap.stop, bottom)
            self.cuts.append((division.axis, box, division.weight))


def covering(tree: PageTree, below: int, roots: list[int], nodes: list[int]) -> tuple[int, ...]:
    """Return the fewest nodes below a region's root whose subtrees hold some roots of blocks, and no others.

    Args:
        tree: the page.
        below: the region's root.
        roots: of all blocks of the region, rising.
        nodes: some of them, rising.
    """
    found: list[int] = []
    at = 0
    while at < len(nodes):
        first = bisect_left(roots, nodes[at])
        last = first  # of a stretch of roots without a gap
        while at < len(nodes) and last < len(roots) and nodes[at] == roots[last]:
            at, last = at + 1, last + 1
        while first < last:
            node, above = roots[first], int(tree.parent[roots[first]])  # up to the highest that holds no root outside the stretch
            while above > below and bisect_left(roots, above) >= first and bisect_left(roots, int(tree.end[above])) <= last:
                node, above = above, int(tree.parent[above])
            found.append(node)
            first = bisect_left(roots, int(tree.end[node]))
    return tuple(found)


def around(faces: list[Face], members: list[int]) -> Edges:
    """Return the box around blocks."""
    boxes = [faces[member].box for member in members]
    lefts, tops, rights, bottoms = zip(*boxes, strict=True)
    return min(lefts), min(tops), max(rights), max(bottoms)


def finished(root: Draft) -> tuple[tuple[VisualBlock, ...], tuple[Separator, ...]]:
    """Return all drafts as blocks, each before those in it, and their separators."""
    order: list[tuple[Draft, int]] = []
    children: list[list[int]] = []
    separators: list[Separator] = []
    todo = [(root, -1)]
    while todo:
        draft, parent = todo.pop()
        index = len(order)
        if parent >= 0:
            children[parent].append(index)
        order.append((draft, parent))
        children.append([])
        for axis, edges, weight in draft.cuts:
            separators.append(Separator("horizontal" if axis == HORIZONTAL else "vertical", _box(edges), weight, index))
        todo += [(child, index) for child in reversed(draft.children)]
    blocks = tuple(
        VisualBlock(draft.nodes, draft.doc, _box(draft.edges), parent, tuple(below), draft.rule)
        for (draft, parent), below in zip(order, children, strict=True)
    )
    return blocks, tuple(separators)


def _box(edges: Edges) -> Box:
    left, top, right, bottom = edges
    return left, top, right - left, bottom - top


MAX_NODES = 40_000
"""Elements and texts of a page that are cut into blocks where no browser rendered it; what lies behind is left out, and a note says so."""


class Rendered(Protocol):
    """A page as a browser rendered it (:class:`tamis.io.browser.RenderedPage`)."""

    @property
    def tree(self) -> PageTree:
        """The page."""

    @property
    def appearance(self) -> Appearance:
        """Its appearance."""


def segment(page: Page | Rendered, appearance: Appearance | None = None, settings: SegmentSettings = SegmentSettings()) -> Segmentation:
    """Cut a page into the blocks that a reader sees.

    Args:
        page: HTML as text, bytes as served, a file (``Path``), a tree, or a page that a browser rendered.
        appearance: the appearance of the tree's nodes; None: that of the rendered page, else estimated from the markup.
        settings: the permitted degree of coherence, and thresholds.

    Returns:
        The tree of blocks; without blocks where nothing is seen. Bad HTML never raises.

    Raises:
        SourceError: the file cannot be read.
        UsageError: the page is of no known kind, or the appearance is that of another tree.

    Source: Cai 2003, section 4; the documentation lists our additions.

    >>> found = segment("<h1>The harbour</h1><p>The oysters are well.<p>The ferry is late.")
    >>> [block.text(found.tree) for block in found.leaves]
    ['The harbour', 'The oysters are well. The ferry is late.']
    """
    tree, appearance = _tree_and_appearance(page, appearance)
    if len(appearance) != len(tree):
        raise UsageError(f"this appearance is of {len(appearance)} nodes, and the page has {len(tree)}: render and segment the same tree")
    if not len(tree):
        return Segmentation(tree, settings, appearance.estimated, ())
    blocks, separators = finished(_Vips(tree, appearance, settings).run())
    return Segmentation(tree, settings, appearance.estimated, blocks if blocks[0].children or blocks[0].rule else (), separators)


def _tree_and_appearance(page: Page | Rendered, appearance: Appearance | None) -> tuple[PageTree, Appearance]:
    """The tree of a page and its appearance, estimated where nobody knows better."""
    rendered = getattr(page, "appearance", None)
    if isinstance(rendered, Appearance):
        page, appearance = cast("Rendered", page).tree, appearance or rendered
    tree = parse(cast("Page", page))
    if appearance is None:
        tree = tree.bounded(MAX_NODES)
        appearance = estimate_appearance(tree)
    return tree, appearance


class _Vips:
    """One page on its way through the rounds: extraction, separators, construction, until all leaves are coherent enough."""

    def __init__(self, tree: PageTree, appearance: Appearance, settings: SegmentSettings) -> None:
        items = make_items(tree, appearance)
        self.tree, self.settings, self.items = tree, settings, items
        self.facts = Facts(tree, items, appearance.width * appearance.height)
        self.rules: list[float] = np.sort(appearance.box[items.rules, 1]).tolist()
        self.edges: list[list[float]] = items.box.tolist()
        self.first = items.first.tolist()
        self.ancestry = Ancestry(tree, items)

    def run(self) -> Draft:
        """Return the page as a tree of drafts."""
        left, top, right, bottom = self.edges[0]
        page = Draft((0,), 1, (left, top, right, bottom) if self.items.valid[0] else (0.0, 0.0, 0.0, 0.0), 0, 0)
        todo = [page] if self.items.valid[0] else []
        while todo:
            draft = todo.pop()
            pool = extract_blocks(self.facts, draft.item, self.settings)
            if len(pool) > 1:
                todo += self._constructed(draft, pool)
            elif pool and pool[0].item != draft.item:
                draft.item, draft.rule, draft.doc = pool[0].item, pool[0].rule, max(draft.doc, pool[0].doc)
                if draft.doc < self.settings.pdoc:
                    todo.append(draft)
        return page

    def _constructed(self, draft: Draft, pool: list[Extracted]) -> list[Draft]:
        """Put the blocks of a pool under a draft; the answer is those that are not coherent enough."""
        faces = [self._face(block.item) for block in pool]
        nodes = [(block.item,) if block.item < len(self.tree) else tuple(self.facts.children[block.item]) for block in pool]
        roots, below = [node for group in nodes for node in group], draft.item if draft.item < len(self.tree) else -1
        construction = Construction(faces, self.rules, self.ancestry, self.settings)
        open_blocks: list[Draft] = []
        todo = deque([(draft, list(range(len(pool))))])
        while todo:
            above, members = todo.popleft()
            division = construction.divide(members)
            above.doc = max(above.doc, coherence_of(division.weight, self.settings))
            above.cut_at(division)
            for group in division.groups:
                block = pool[group[0]]
                if len(group) == 1:
                    child = Draft(nodes[group[0]], max(above.doc, block.doc), faces[group[0]].box, block.rule, block.item)
                    open_blocks += [child] if child.doc < self.settings.pdoc else []
                else:
                    held = covering(self.tree, below, roots, [node for member in group for node in nodes[member]])
                    child = Draft(held, above.doc, around(faces, group), 0)
                    todo.append((child, group))
                above.children.append(child)
        return open_blocks

    def _face(self, item: int) -> Face:
        left, top, right, bottom = self.edges[item]
        facts = self.facts
        return Face(
            (left, top, right, bottom),
            self.first[item],
            self.ancestry.holder(self.first[item]),
            facts.background[item],
            facts.textual[item] or (facts.all_textual[item] and not facts.replaced[item]),
            self.items.fonts.first[item],
            self.items.fonts.last[item],
        )
