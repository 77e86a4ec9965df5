"""Results of a segmentation: a tree of blocks, and the separators between them."""

from __future__ import annotations

from dataclasses import asdict, dataclass, field
from functools import cached_property
from typing import Any, Literal

from tamis.page.tree import PageTree
from tamis.segmentation.settings import SegmentSettings

Box = tuple[float, float, float, float]  #: Left, top, width, height in CSS pixels from the page's top left.


@dataclass(frozen=True, slots=True)
class VisualBlock:
    """A part of the page that a reader sees as one block."""

    nodes: tuple[int, ...]
    """Roots of the subtrees it is made of, disjoint, in document order. A block that a rule kept is one subtree or a run of siblings."""
    doc: int  #: Degree of coherence, 1 to 10, never smaller than the parent's.
    box: Box  #: Box of its content.
    parent: int  #: Index of the block it lies in; -1 for the page.
    children: tuple[int, ...]  #: Indices of the blocks it is cut into, in document order; empty where nothing was cut.
    rule: int  #: Number of the rule (1 to 14) that kept it; 0 for a block made of others.

    def xpaths(self, tree: PageTree) -> tuple[str, ...]:
        """Return the XPath of each of its nodes; a text node is named by its parent."""
        return tuple(tree.xpath(node) for node in self.nodes)

    def text(self, tree: PageTree) -> str:
        """Return its text, white space collapsed."""
        return " ".join(text for node in self.nodes if (text := tree.text(node)))


@dataclass(frozen=True, slots=True)
class Separator:
    """A strip of the page that no block crosses."""

    direction: Literal["horizontal", "vertical"]
    box: Box
    weight: int  #: Its weight, 1 (least) to 10.
    block: int  #: Index of the block that it cuts.


@dataclass(frozen=True, eq=False)
class Segmentation:
    """A page as a tree of blocks, from the whole page (block 0) to the smallest, in document order."""

    tree: PageTree = field(repr=False)
    settings: SegmentSettings
    estimated: bool  #: Boxes and fonts are a guess from the markup, made without a browser.
    blocks: tuple[VisualBlock, ...] = field(repr=False)
    """All blocks, each before the blocks in it; empty for a page on which nothing is seen."""
    separators: tuple[Separator, ...] = field(default=(), repr=False)

    @cached_property
    def leaves(self) -> tuple[VisualBlock, ...]:
        """The blocks that the page is made of at the permitted degree of coherence, in document order."""
        return self.leaves_at(self.settings.pdoc)

    def leaves_at(self, pdoc: int) -> tuple[VisualBlock, ...]:
        """Return the first block on each way down that is as coherent as ``pdoc``, or that is cut no further."""
        found = []
        held = [False] * len(self.blocks)
        for index, block in enumerate(self.blocks):
            held[index] = block.parent >= 0 and held[block.parent]
            if not held[index] and (block.doc >= pdoc or not block.children):
                held[index] = True
                found.append(block)
        return tuple(found)

    def to_dict(self) -> dict[str, Any]:
        """Plain values: every block with its parent, degree of coherence, rule, box, XPaths and text, and every separator."""
        leaves = {id(block) for block in self.leaves}
        return {
            "pdoc": self.settings.pdoc,
            "estimated": self.estimated,
            "blocks": [
                {
                    "number": number,
                    "parent": block.parent if block.parent >= 0 else None,
                    "leaf": id(block) in leaves,
                    "doc": block.doc,
                    "rule": block.rule or None,
                    "box": [round(side, 1) for side in block.box],
                    "xpaths": list(block.xpaths(self.tree)),
                    "text": block.text(self.tree),
                }
                for number, block in enumerate(self.blocks)
            ],
            "separators": [asdict(separator) | {"box": [round(side, 1) for side in separator.box]} for separator in self.separators],
        }
