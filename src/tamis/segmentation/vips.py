"""segment: one page in, its blocks out (VIPS; Cai 2003, section 4)."""

from __future__ import annotations

from typing import Protocol, cast

import numpy as np

from tamis.errors import UsageError
from tamis.page.appearance import Appearance
from tamis.page.parsing import Page, parse
from tamis.page.tree import PageTree
from tamis.segmentation.ancestry import Ancestry
from tamis.segmentation.construction import Construction
from tamis.segmentation.drafts import Draft, Roots, around, cuts, finished
from tamis.segmentation.estimate import estimate_appearance
from tamis.segmentation.extraction import Extracted, extract_blocks
from tamis.segmentation.facts import Facts
from tamis.segmentation.items import make_items
from tamis.segmentation.result import Segmentation
from tamis.segmentation.separators import Face
from tamis.segmentation.settings import SegmentSettings


class Rendered(Protocol):
    """A page as a browser rendered it (:class:`tamis.io.browser.RenderedPage`)."""

    @property
    def tree(self) -> PageTree:
        """The page."""

    @property
    def appearance(self) -> Appearance:
        """How it looks."""


def segment(page: Page | Rendered, appearance: Appearance | None = None, settings: SegmentSettings = SegmentSettings()) -> Segmentation:
    """Cut a page into the blocks that a reader sees.

    Args:
        page: HTML as text, bytes as served, a file (``Path``), a tree, or a page that a browser rendered.
        appearance: how the nodes of the tree look; None: that of the rendered page, else estimated from the markup.
        settings: the permitted degree of coherence, and thresholds.

    Returns:
        The tree of blocks; without blocks where nothing is seen. Bad HTML never raises.

    Raises:
        SourceError: the file cannot be read.
        UsageError: the page is of no known kind, or the appearance is that of another tree.

    Source: Cai 2003, section 4; what is ours stands in the documentation.

    >>> found = segment("<h1>The harbour</h1><p>The oysters are well.<p>The ferry is late.")
    >>> [block.text(found.tree) for block in found.leaves]
    ['The harbour', 'The oysters are well. The ferry is late.']
    """
    tree, appearance = _read(page, appearance)
    if len(appearance) != len(tree):
        raise UsageError(f"this appearance is of {len(appearance)} nodes, and the page has {len(tree)}: render and segment the same tree")
    if not len(tree):
        return Segmentation(tree, settings, appearance.estimated, ())
    blocks, separators = finished(_Vips(tree, appearance, settings).run())
    return Segmentation(tree, settings, appearance.estimated, blocks if blocks[0].children or blocks[0].rule else (), separators)


def _read(page: Page | Rendered, appearance: Appearance | None) -> tuple[PageTree, Appearance]:
    """The tree of a page and its appearance, estimated where nobody knows better."""
    rendered = getattr(page, "appearance", None)
    if isinstance(rendered, Appearance):
        page, appearance = cast("Rendered", page).tree, appearance or rendered
    tree = parse(cast("Page", page))
    if appearance is None:
        tree = tree.bounded()
        appearance = estimate_appearance(tree)
    return tree, appearance


class _Vips:
    """One page on its way through the rounds: extraction, separators, construction, until all leaves are coherent enough."""

    def __init__(self, tree: PageTree, appearance: Appearance, settings: SegmentSettings) -> None:
        items = make_items(tree, appearance)
        fonts = items.fonts
        self.tree, self.settings, self.items = tree, settings, items
        self.facts = Facts(tree, items, appearance.width * appearance.height)
        self.rules: list[float] = np.sort(appearance.box[items.rules, 1]).tolist()
        self.edges: list[list[float]] = items.box.tolist()
        self.first_font = list(zip(fonts.first_size.tolist(), fonts.first_weight.tolist(), strict=True))
        self.last_font = list(zip(fonts.last_size.tolist(), fonts.last_weight.tolist(), strict=True))
        self.first = items.first.tolist()
        self.ancestry = Ancestry(tree, items)

    def run(self) -> Draft:
        """The page as a tree of drafts."""
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
        nodes = [self._nodes(block.item) for block in pool]
        roots = Roots(self.tree, draft.item if draft.item < len(self.tree) else -1, [node for group in nodes for node in group])
        whole = Construction(faces, [block.doc for block in pool], self.rules, self.ancestry, self.settings, self.edges[0]).build()
        draft.doc = max(draft.doc, whole.doc)
        open_blocks: list[Draft] = []
        todo = [(whole, draft)]
        while todo:
            part, above = todo.pop()
            above.cuts = cuts(part, above.edges)
            for inner in part.parts:
                doc = max(above.doc, inner.doc)
                if inner.parts:
                    below = [node for member in inner.members for node in nodes[member]]
                    child = Draft(roots.covering(below), doc, around(faces, inner.members), 0)
                    todo.append((inner, child))
                else:
                    block = pool[inner.members[0]]
                    child = Draft(nodes[inner.members[0]], doc, faces[inner.members[0]].box, block.rule, block.item)
                    if doc < self.settings.pdoc:
                        open_blocks.append(child)
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
            self.first_font[item],
            self.last_font[item],
        )

    def _nodes(self, item: int) -> tuple[int, ...]:
        """The node that an item is, or those of a run."""
        return (item,) if item < len(self.tree) else tuple(self.facts.children[item])
