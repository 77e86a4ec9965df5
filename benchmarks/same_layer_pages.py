"""Pages of sites with gold, each with its same-layer pages and its blocks, every block with what it is."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from benchmarks.gold import GoldPage, read_gold
from benchmarks.node_gold import IGNORE, MAIN, NOISE, UNREAD, NodeGold
from tamis.io.fetch import Limits
from tamis.io.pages import FilePage, Served
from tamis.layer.siblings import SeenPage, choose_siblings
from tamis.page.tree import PageTree
from tamis.segmentation import SegmentSettings, segment

NEARLY = 0.9  #: A block of which so much of the text has one label is a block of that label.
Kind = Literal["noise", "content", "ignored", "mixed", "empty"]


@dataclass(frozen=True, slots=True)
class SitePage(FilePage):
    """A saved page of a site, with its address."""

    address: str = ""

    @property
    def url(self) -> str:
        """Its address."""
        return self.address

    def read(self, limits: Limits = Limits()) -> Served:
        """The file's bytes, and the address."""
        return Served(FilePage.read(self, limits).html, self.address)


@dataclass(frozen=True, eq=False)
class Sample:
    """A page to be judged, with all that is needed for it."""

    site: str
    gold: GoldPage = field(repr=False)
    page: SeenPage = field(repr=False)
    siblings: tuple[SeenPage, ...] = field(repr=False)  #: Same-layer pages, best first.
    blocks: tuple[tuple[int, ...], ...] = field(repr=False)  #: Roots of each block, by VIPS on an estimated layout.
    label: NDArray[np.uint8] = field(repr=False)  #: Label of each node, uint8 ``(n,)`` (:mod:`benchmarks.node_gold`).

    def kind(self, nodes: Sequence[int]) -> tuple[Kind, int]:
        """What a block is, and its characters."""
        return kind_of(self.page.tree, self.label, nodes)


def kind_of(tree: PageTree, label: NDArray[np.uint8], nodes: Sequence[int]) -> tuple[Kind, int]:
    """What a block is by the labels of its text, and its characters.

    Noise or content where at least :data:`NEARLY` of the characters are; else ignored where more than the rest of it is text that
    nobody is judged by (titles, bylines, comments); else mixed. Empty without text.
    """
    characters = np.zeros(UNREAD + 1)
    for node in nodes:
        inside = slice(node, tree.end[node])
        characters += np.bincount(label[inside], weights=tree.text_length[inside], minlength=UNREAD + 1)
    total = characters[:UNREAD].sum()
    if not total:
        return "empty", 0
    share = characters / total
    if share[NOISE] >= NEARLY:
        return "noise", int(total)
    if share[MAIN] >= NEARLY:
        return "content", int(total)
    return "ignored" if share[IGNORE] > 1 - NEARLY else "mixed", int(total)


def read_samples(folder: Path, pages: int, k: int) -> list[Sample]:
    """Some content pages of a site, spread evenly, each with up to ``k`` same-layer pages chosen among all pages of the site.

    Raises:
        SourceError: the folder holds no site with gold.
        MissingExtraError: lxml or cssselect is not installed.
    """
    gold = NodeGold.read(folder)
    listed = json.loads((folder / "pages.json").read_text("utf-8"))
    paths = {folder.resolve() / "pages" / page["file"]: page["url"] for page in listed}
    sources = {path: SitePage(str(path), str(path), address=url) for path, url in paths.items()}
    samples = []
    for page in read_gold(folder, pages):
        layer = choose_siblings(sources[page.path], sources.values(), k)
        tree = layer.page.tree
        blocks = tuple(block.nodes for block in segment(tree, settings=SegmentSettings(articles=0)).leaves)
        samples.append(Sample(page.site, page, layer.page, layer.pages, blocks, gold.labels(tree)))
    return samples
