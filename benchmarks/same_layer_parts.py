"""The paper's table 1 on today's pages: how alike same-layer pages are in header, navigation, footer, advertising; blocks by type."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np

from benchmarks.same_layer_pages import Sample
from benchmarks.segmentation_gold import SegmentedPage, read_segmentation
from tamis.layer.places import LayerPage
from tamis.layer.settings import SameLayer
from tamis.layer.strings import Part, parts
from tamis.page.css import select_css
from tamis.page.tree import PageTree

PARTS: dict[str, tuple[str, ...]] = {
    "header": ("header", "[role=banner]", "#header", ".header", "#masthead", "#page-header"),
    "navigation": ("nav", "[role=navigation]", "#nav", ".nav", "#menu", ".menu", ".navbar", ".navigation", "#sidebar", ".sidebar", "aside"),
    "footer": ("footer", "[role=contentinfo]", "#footer", ".footer", "#colophon", "#page-footer"),
    "advertising": (
        ".ad",
        ".ads",
        ".advert",
        ".adsbygoogle",
        "ins.adsbygoogle",
        "#ad",
        "#ads",
        ".banner",
        ".sponsor",
        ".sponsors",
        "amp-ad",
    ),
}
"""Where the four parts of the paper stand, by landmarks and by the names that sites give them."""
WITHIN = ("article", "main", "[role=main]")  #: What stands in these is part of the text, whatever it is called.
CONTENT_TYPES = frozenset("article content title comments author table".split())  #: Types of blocks that differ from page to page.


@dataclass(frozen=True, slots=True)
class Likeness:
    """How alike the same-layer pages of a site's pages are, as in the paper's table 1."""

    site: str
    pages: int
    siblings: int  #: Same-layer pages looked at.
    parts: dict[str, tuple[int, int]]  #: By part: how often a same-layer page has it alike, of how often it could.

    @property
    def value(self) -> float | None:
        """Share of the parts that are alike, 0..1; None where the site's pages have none of them."""
        alike, of = (sum(counts[k] for counts in self.parts.values()) for k in (0, 1))
        return alike / of if of else None


@dataclass(frozen=True, slots=True)
class Typed:
    """Hand-marked blocks of one type, looked for in a page of the same layer that was made for the purpose, and in pages of other sites."""

    type: str
    blocks: int
    in_layer: int  #: Found in the page with other text in all blocks of content.
    elsewhere: int  #: Found in at least one of three pages of other sites.


def likeness(samples: Sequence[Sample], k: int) -> Likeness:
    """The paper's value for one site: a part is alike where its outermost element matches with (0.8, 0.6)."""
    counts = {name: [0, 0] for name in PARTS}
    siblings = 0
    for sample in samples:
        page = LayerPage(sample.page.tree, SameLayer.paper())
        found = {name: _outermost(page, select_css(page.tree, selectors)) for name, selectors in PARTS.items()}
        for other in sample.siblings[:k]:
            siblings += 1
            index = LayerPage(other.tree, SameLayer.paper()).index
            for name, blocks in found.items():
                matches = index.find(blocks, page.string, SameLayer.paper().matching)
                counts[name][0] += sum(match is not None for match in matches)
                counts[name][1] += len(matches)
    return Likeness(samples[0].site, len(samples), siblings, {name: (alike, of) for name, (alike, of) in counts.items()})


def _outermost(page: LayerPage, nodes: np.ndarray[tuple[int], np.dtype[np.int32]]) -> list[Part]:
    """The elements that lie in no other of them, nor in a text, and have something in them."""
    inside = page.tree.subtree_mask(select_css(page.tree, WITHIN))
    kept: list[int] = []
    for node in nodes.tolist():
        if not inside[node] and (not kept or node >= page.tree.end[kept[-1]]):
            kept.append(node)
    return [part for node in kept for part in parts(page.string, [node]) if part.size > 1]


def typed_blocks(folder: Path, limit: int | None = None) -> tuple[Typed, ...]:
    """Hand-marked blocks by type.

    The folder has one page of each site, so the same-layer page is made: the page with the words of its blocks of content
    (:data:`CONTENT_TYPES`) replaced by those of another page, in the same elements. What is found there should be noise, and blocks of
    content should not be found. In pages of other sites nothing should.

    Raises:
        SourceError: the folder holds no such pages.
    """
    pages = read_segmentation(folder, limit)
    counts: dict[str, list[int]] = {}
    for number, page in enumerate(pages):
        others = [pages[(number + step) % len(pages)] for step in (1, 2, 3)]
        here = LayerPage(page.tree, SameLayer.paper())
        marked = [(block.type, parts(here.string, [block.node])) for block in page.blocks if block.node is not None]
        blocks = [(kind, found[0]) for kind, found in marked if found]
        asked = [part for _, part in blocks]
        made = LayerPage(_with_other_content(page, others[0].tree), SameLayer.paper()).index.find(asked, here.string)
        apart = [LayerPage(other.tree, SameLayer.paper()).index.find(asked, here.string) for other in others]
        for k, (kind, _) in enumerate(blocks):
            count = counts.setdefault(kind, [0, 0, 0])
            count[0] += 1
            count[1] += made[k] is not None
            count[2] += any(found[k] is not None for found in apart)
    return tuple(Typed(kind, *count) for kind, count in sorted(counts.items(), key=lambda each: (each[0] in CONTENT_TYPES, -each[1][0])))


def _with_other_content(page: SegmentedPage, other: PageTree) -> PageTree:
    """The page with other words in its blocks of content: as many in each text, taken in order from another page."""
    words = " ".join(other.texts).split() or ["other"]
    changed = np.zeros(len(page.tree), dtype=np.bool_)
    for level in (1, 2):
        of_level = page.of_level(level)
        label = page.labels(level)
        content = np.array([block.type in CONTENT_TYPES for block in of_level] + [False])
        kept = np.array([block.type not in CONTENT_TYPES for block in of_level] + [False])
        changed = (changed | content[label]) & ~kept[label]
    texts, at = [], 0
    for node, text in zip(page.tree.text_nodes.tolist(), page.tree.texts, strict=True):
        count = len(text.split())
        texts.append(" ".join(words[(at + k) % len(words)] for k in range(count)) if changed[node] else text)
        at += count if changed[node] else 0
    return replace(page.tree, texts=texts)
