"""Pages that people cut into blocks by hand, on two levels, each block with a type.

The folder has ``gold.json``, ``pages/NNN.html.html.gz`` (the page), ``pages/NNN.blocks.html.gz`` (a copy with the marks: attributes
``data-block`` for the level and ``data-block-type``) and ``assets/SITE/HOST/...`` (the page again, with its style sheets and images).

The marks stand in a copy that scripts had changed, that had been tidied and moved about, and whose text had been decoded wrongly. So the
copy is aligned with the page node by node: nodes that say the same (tag, address, text in ASCII) in the same order; in the gaps between,
nodes of the same tag; and what says the same elsewhere, if nothing else does. Every node of the page takes the marks of its partner, or of
its parent where it has none.
"""

from __future__ import annotations

import json
import re
from collections import Counter
from dataclasses import dataclass, field
from difflib import SequenceMatcher
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np

from tamis.errors import SourceError
from tamis.page import tags
from tamis.page.parsing import parse, read_file
from tamis.page.tree import IntColumn, PageTree

LEVELS = (1, 2)  #: Coarse blocks (header, content, footer) and those within them (titles, articles, lists of links).
TYPES = ("ad article author comments content footer header image linklist logo menu searchbar sidebar table title video").split()
"""Types of blocks."""

_NOT_SAID = re.compile(r"[^a-z0-9]+")
_TELLING = ("id", "name", "src", "href", "alt")
_PICTURES = tags.lookup(tags.codes("img iframe object embed video audio canvas svg input textarea select"))
_HIDDEN = tags.lookup(tags.codes("head title select textarea object video audio canvas svg"))


@dataclass(frozen=True, eq=False)
class GoldBlock:
    """A block that a person marked."""

    level: int  #: 1 or 2.
    type: str  #: One of :data:`TYPES`.
    node: int | None
    """The marked element, as a node of the page's tree; None where only the copy has it (a wrapper that the marking tool made)."""
    nodes: IntColumn
    """All nodes of the page in the block, int32, rising. A block within a block of the same level is not part of the outer one."""


@dataclass(frozen=True, eq=False)
class SegmentedPage:
    """A page with its blocks."""

    id: str
    site: str
    path: Path = field(repr=False)  #: The page as served, beside its style sheets and images.
    folder: Path = field(repr=False)  #: What its files are in, in a folder for each host: the page is at ``folder/HOST/...``.
    tree: PageTree = field(repr=False)  #: The page's tree.
    blocks: tuple[GoldBlock, ...] = field(repr=False)  #: In document order, both levels.
    lost: int  #: Marked elements of which the page as served has nothing (scripts made them).
    matched: float  #: Share of the page's text nodes with ASCII letters or digits whose partner in the copy says the same, 0..1.

    def of_level(self, level: int) -> tuple[GoldBlock, ...]:
        """The blocks of one level."""
        return tuple(block for block in self.blocks if block.level == level)

    def labels(self, level: int) -> IntColumn:
        """For each of the tree's ``n`` nodes, its block's position in ``of_level(level)``, int32 ``(n,)``; -1 where it is in none."""
        labels = np.full(len(self.tree), -1, dtype=np.int32)
        for k, block in enumerate(self.of_level(level)):
            labels[block.nodes] = k
        return labels

    @cached_property
    def atoms(self) -> IntColumn:
        """What blocks are made of: text nodes that are shown, images and the like (frames, form fields), as nodes, int32, rising."""
        tree = self.tree
        pictures = tree.of_tags(_PICTURES)
        atom = pictures | (tree.tag == tags.TEXT)
        inside = tree.subtree_mask(np.flatnonzero(tree.of_tags(_HIDDEN)))
        inside[tree.of_tags(_HIDDEN)] = False
        return np.flatnonzero(atom & ~inside).astype(np.int32)


def read_segmentation(folder: Path, limit: int | None = None) -> list[SegmentedPage]:
    """The pages of a folder, in order; at most ``limit``.

    Raises:
        SourceError: the folder holds no such pages, or they cannot be read.
    """
    try:
        entries = json.loads((folder / "gold.json").read_text("utf-8"))
    except (OSError, ValueError) as error:
        raise SourceError(f"no marked blocks in {folder}: it needs a gold.json, pages/ and assets/") from error
    return [_read_page(folder, entry) for entry in entries[:limit]]


def _read_page(folder: Path, entry: dict[str, Any]) -> SegmentedPage:
    tree = parse(read_file(folder / "pages" / entry["html"]))
    copy = parse(read_file(folder / "pages" / entry["blocks"]))
    partner = align(tree, copy)
    blocks, lost = _blocks(tree, copy, partner)
    return SegmentedPage(
        id=entry["html"].partition(".")[0],
        site=entry["site"],
        path=folder / "assets" / entry["blocks_path"].replace(".blocks.html", ".html"),
        folder=folder / "assets" / entry["site"],
        tree=tree,
        blocks=blocks,
        lost=lost,
        matched=_agreement(tree, copy, partner),
    )


def align(tree: PageTree, copy: PageTree) -> IntColumn:
    """The partner in ``copy`` of each node of ``tree``, int32 ``(n,)``, -1 where it has none. No node of the copy has two."""
    partner = np.full(len(tree), -1, dtype=np.int32)
    ours, theirs = _sayings(tree), _sayings(copy)
    names, their_names = [saying[0] for saying in ours], [saying[0] for saying in theirs]
    i = j = 0
    for same in SequenceMatcher(None, ours, theirs, autojunk=False).get_matching_blocks():
        gap = SequenceMatcher(None, names[i : same.a], their_names[j : same.b], autojunk=False)
        for near in gap.get_matching_blocks():
            partner[i + near.a : i + near.a + near.size] = np.arange(j + near.b, j + near.b + near.size)
        partner[same.a : same.a + same.size] = np.arange(same.b, same.b + same.size)
        i, j = same.a + same.size, same.b + same.size
    _pair_moved(partner, ours, theirs)
    return partner


def _pair_moved(partner: IntColumn, ours: list[tuple[str, ...]], theirs: list[tuple[str, ...]]) -> None:
    """Pair nodes that moved: each is the only one, on its side, of those without a partner like them, to say something."""
    paired = np.zeros(len(theirs), dtype=np.bool_)
    for node in np.flatnonzero(partner >= 0).tolist():
        if ours[node] == theirs[partner[node]]:
            paired[partner[node]] = True
        else:
            partner[node] = -partner[node] - 2  # of the same tag only: stays unless one of the two finds better
    free = [node for node in range(len(ours)) if partner[node] < 0]
    once = _once(ours, free), _once(theirs, np.flatnonzero(~paired).tolist())
    for saying in once[0].keys() & once[1].keys():
        partner[once[0][saying]] = once[1][saying]
        paired[once[1][saying]] = True
    for node in np.flatnonzero(partner < -1).tolist():
        likely = -int(partner[node]) - 2
        partner[node] = -1 if paired[likely] else likely


def _once(sayings: list[tuple[str, ...]], nodes: list[int]) -> dict[tuple[str, ...], int]:
    """The nodes by what they say, of those that say something and that no other of them says."""
    count = Counter(sayings[node] for node in nodes)
    return {sayings[node]: node for node in nodes if count[sayings[node]] == 1 and any(sayings[node][1:])}


def _sayings(tree: PageTree) -> list[tuple[str, ...]]:
    """For each node, its name and what survives a wrong decoding: letters and digits in ASCII of its text, its identity, its address."""
    texts = iter(tree.texts)
    return [
        ("#text", _said(next(texts))) if code == tags.TEXT else (tree.names[code], *(_said(own.get(name, "")) for name in _TELLING))
        for code, own in zip(tree.tag.tolist(), tree.attributes, strict=True)
    ]


def _said(text: str) -> str:
    return _NOT_SAID.sub("", text.lower())


def _blocks(tree: PageTree, copy: PageTree, partner: IntColumn) -> tuple[tuple[GoldBlock, ...], int]:
    """The blocks in the page's nodes, and how many have none."""
    marked = [node for node in range(len(copy)) if "data-block" in copy.attributes[node]]
    level_of = {node: int(copy.attributes[node]["data-block"]) for node in marked}
    mark = {level: _marks(tree, copy, partner, [node for node in marked if level_of[node] == level]) for level in LEVELS}
    back = {theirs: ours for ours, theirs in enumerate(partner.tolist()) if theirs >= 0}
    blocks = [
        GoldBlock(
            level=level_of[node],
            type=copy.attributes[node].get("data-block-type", "").lower(),
            node=back.get(node),
            nodes=np.flatnonzero(mark[level_of[node]] == node).astype(np.int32),
        )
        for node in marked
    ]
    kept = tuple(block for block in blocks if len(block.nodes))
    return kept, len(blocks) - len(kept)


def _marks(tree: PageTree, copy: PageTree, partner: IntColumn, marked: list[int]) -> IntColumn:
    """For each node of the page, the innermost of the marked elements of the copy that it belongs to, -1 for none."""
    in_copy = np.full(len(copy), -1, dtype=np.int32)
    for node in marked:  # in document order: what is further in comes later
        in_copy[node : copy.end[node]] = node
    marks = np.where(partner >= 0, in_copy[partner], -1).astype(np.int32)
    for node in np.flatnonzero(partner < 0).tolist():
        if node:
            marks[node] = marks[tree.parent[node]]
    return marks


def _agreement(tree: PageTree, copy: PageTree, partner: IntColumn) -> float:
    theirs = dict(zip(copy.text_nodes.tolist(), copy.texts, strict=True))
    telling = [(node, said) for node, text in zip(tree.text_nodes.tolist(), tree.texts, strict=True) if (said := _said(text))]
    agreed = sum(1 for node, said in telling if _said(theirs.get(int(partner[node]), "")) == said)
    return agreed / len(telling) if telling else 1.0
