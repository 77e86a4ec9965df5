"""The work of ``native/columns.c`` in NumPy and plain Python: the oracles of its tests."""

from __future__ import annotations

import re
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from tamis.page import tags
from tamis.page.blocks import TextBlocks
from tamis.page.element_names import element_name
from tamis.page.grouping import group, keys_of
from tamis.page.tree import IntColumn, PageTree
from tamis.site.digest import Digested, PageDigest
from tamis.structure.hashing import Hashes, mix, path_hashes, powers, text_hashes
from tamis.structure.layouts import FEW_NAMES

_WORD = re.compile(r"[^\W_]+")


def plain_text_hashes(texts: Sequence[str]) -> Hashes:
    """:func:`text_hashes`, not compiled: the sum of the mixed characters times powers of a base."""
    if not texts:
        return np.zeros(0, dtype=np.uint64)
    character = np.frombuffer("\0".join([*texts, ""]).encode("utf-32-le", "surrogatepass"), dtype="<u4")
    length = np.fromiter(map(len, texts), np.intp, len(texts)) + 1  # the character that ends it counts: none is without any
    start = np.cumsum(length) - length
    offset = np.arange(len(character)) - np.repeat(start, length)
    return np.add.reduceat(mix(character.astype(np.uint64) + np.uint64(1)) * powers(int(length.max()))[offset], start)


def plain_group(keys: Hashes) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """:func:`group`, not compiled."""
    _, first, inverse = np.unique(keys, return_index=True, return_inverse=True)
    order = np.argsort(first)
    rank = np.empty(len(order), dtype=np.int64)
    rank[order] = np.arange(len(order))
    return rank[inverse], first[order].astype(np.int64)


def plain_teasers(
    tree: PageTree, wanted: NDArray[np.bool_], keep: NDArray[np.bool_], probability: NDArray[np.float64]
) -> tuple[list[int], list[int]]:
    """The boxes and the teasers of :func:`without_teasers`, not compiled. ``wanted``: which tags may be boxes."""
    kept, nothing = tree.text_length * keep, list[int]()
    certain = kept * (probability >= 0.9)
    sure, held, probable = map(tree.subtree_sum, (certain, kept, kept * probability))
    total = int(sure.max(initial=0))
    around = 2 * sure >= max(total, 1)
    holders = np.flatnonzero(around)
    if not len(holders):
        return nothing, nothing
    boxes = np.flatnonzero(around[tree.parent] & ~around & tree.of_tags(wanted) & (probable < 0.7 * held) & (sure < 30))
    boxes = boxes[tree.subtree_sum(kept * tree.in_link, boxes) >= 0.7 * held[boxes]]
    texts = np.flatnonzero(certain)
    boxes = boxes[texts.searchsorted(boxes) > texts.searchsorted(tree.parent[boxes])]
    boxes = boxes if held[boxes].sum() <= total else boxes[:0]
    holders = holders[tree.lines_below(holders) >= 3]
    unsure = (held > 0) & (probable < (0.7 + 0.2) * held)
    nodes = np.flatnonzero(unsure[tree.parent] & (tree.length_below > 0) & (tree.tag != tags.TEXT) & (tree.parent >= 0))
    if not len(holders) or not len(nodes):
        return boxes.tolist(), nothing
    number, first = group(keys_of(*(column[nodes] for column in (tree.parent, tree.tag, tree.values("class").codes))))
    count = np.bincount(number)
    all_kept, likely, length = (np.bincount(number, column[nodes]) for column in (held, probable, tree.length_below))
    linked = np.bincount(number, tree.count_below(nodes, np.flatnonzero(tree.link)) > 0)
    found = (count >= 3) & (linked >= 0.8 * count) & (likely < 0.7 * all_kept)
    found &= held[tree.parent[nodes[first]]] - all_kept <= 0.2 * all_kept
    found &= (nodes[first] >= tree.end[holders[-1]]) | (all_kept <= 0.5 * length)
    teasers = tree.top_level(nodes[found[number]])
    return boxes.tolist(), teasers.tolist() if held[teasers].sum() <= 2 * total else nothing


def plain_text_blocks(tree: PageTree) -> TextBlocks:
    """:func:`text_blocks`, not compiled."""
    nodes = tree.text_nodes
    seen = np.flatnonzero(~tree.subtree_mask(np.flatnonzero(tree.of_tags(tags.lookup(tags.UNSEEN))))[nodes])
    nodes = nodes[seen]
    line = tree.line[seen]
    element = np.maximum(tree.nearest_ancestor(tree.of_tags(tags.lookup(tags.BLOCKS))), 0)[tree.parent[nodes]]
    preformatted = np.flatnonzero(tree.of_tags(tags.lookup(tags.PREFORMATTED)))
    if len(preformatted):
        outermost = preformatted[np.append(True, preformatted[1:] >= np.maximum.accumulate(tree.end[preformatted])[:-1])]
        holder = outermost[np.maximum(np.searchsorted(outermost, nodes, side="right") - 1, 0)]
        inside = (holder < nodes) & (nodes < tree.end[holder])
        element = np.where(inside, holder, element)
        line = np.where(inside, -1 - holder, line)
    starts = np.flatnonzero(np.append(True, (line[1:] != line[:-1]) | (np.diff(seen) != 1))) if len(nodes) else np.zeros(0, dtype=np.intp)
    ends = np.append(starts[1:], len(nodes))[: len(starts)]
    length = np.append(0, np.cumsum(tree.text_length[nodes]))
    linked = np.append(0, np.cumsum(np.where(tree.in_link[nodes], tree.text_length[nodes], 0)))
    return TextBlocks(
        element=element[starts].astype(np.int32),
        first=seen[starts].astype(np.int32),
        last=(seen[ends - 1] + 1).astype(np.int32) if len(starts) else starts.astype(np.int32),
        length=length[ends] - length[starts],
        link_length=linked[ends] - linked[starts],
    )


def plain_holding(values: list[str], words: tuple[str, ...]) -> list[int]:
    """``columns.holding``."""
    return [k for k, value in enumerate(values) if any(word in "".join(map(_lower, value)) for word in words)]


def _lower(character: str) -> str:
    """A character in lower case, as :mod:`re` sees it where it ignores the case."""
    lower = {"\u017f": "s", "\u0130": "i", "\u0131": "i"}.get(character, character.lower())
    return lower if len(lower) == 1 else character


def plain_text_length(tree: PageTree) -> IntColumn:
    """``PageTree.text_length``."""
    lengths = np.zeros(len(tree), dtype=np.int32)
    lengths[tree.text_nodes] = np.fromiter(map(len, map(str.strip, tree.texts)), np.int32, len(tree.texts))
    return lengths


def plain_element_names(tree: PageTree, elements: NDArray[np.int64]) -> tuple[IntColumn, list[str]]:
    """``page.element_names``."""
    given = [tree.attributes[node] for node in elements.tolist()]
    named = [element_name(tree.name(node), own.get("class"), own.get("id")) for node, own in zip(elements.tolist(), given, strict=True)]
    names = list(dict.fromkeys(named))
    return np.array([names.index(name) for name in named], dtype=np.int32), names


def plain_digest(tree: PageTree) -> Digested:
    """:func:`digest`, not compiled."""
    blocks = plain_text_blocks(tree)
    holds = np.zeros(len(tree) + 1, dtype=np.int64)
    holds[1:] = np.cumsum(np.bincount(blocks.element, minlength=len(tree))) if len(tree) else 0
    kept = (holds[tree.end] > holds[:-1]) if len(tree) else np.zeros(0, dtype=np.bool_)
    elements = np.flatnonzero(kept)
    position = np.append(0, np.cumsum(kept))
    name, names = plain_element_names(tree, elements)
    parent = tree.parent[elements]
    page = PageDigest(
        names=tuple(names),
        name=name,
        parent=np.where(parent < 0, -1, position[np.maximum(parent, 0)]).astype(np.int32),
        end=position[tree.end[elements]].astype(np.int32),
        element=position[blocks.element].astype(np.int32),
        text=plain_text_hashes(_own_texts(tree, blocks)),
        length=blocks.length.astype(np.int32),
        link_length=blocks.link_length.astype(np.int32),
        paths=plain_tag_paths(tree) if sum(name.count("\t") for name in names) < FEW_NAMES else np.zeros(0, dtype=np.uint64),
    )
    return Digested(page, blocks, elements)


def plain_tag_paths(tree: PageTree) -> Hashes:
    """The paths of tags to elements without elements below, each once."""
    elements = [node for node in range(len(tree)) if tree.tag[node] != tags.TEXT]
    inner = {int(tree.parent[node]) for node in elements}
    whole = path_hashes(text_hashes(list(tree.names))[tree.tag], tree.depth, tree.end)
    return np.array(sorted({int(whole[node]) for node in elements if node not in inner}), dtype=np.uint64)


def _own_texts(tree: PageTree, blocks: TextBlocks) -> list[str]:
    """The text of each block; of one that is partly links, the words outside them: a fixed label before a varying link repeats."""
    texts = blocks.texts(tree)
    mixed = np.flatnonzero((blocks.link_length > 0) & (blocks.link_length < blocks.length))
    linked = tree.in_link[tree.text_nodes]
    for block in mixed.tolist():
        nodes = range(int(blocks.first[block]), int(blocks.last[block]))
        words = _WORD.findall("".join(" " if linked[node] else tree.texts[node] for node in nodes))
        if words:
            texts[block] = " ".join(words)
    return [_general(text) or text for text in texts]


def _general(text: str) -> str:
    """The words of a text of at least 16 letters (7 of Chinese) with numbers, every run of numbers as 0; empty for another text."""
    shown: list[str] = []
    number = apart = False
    letters = 0
    for character in text:
        digit = character.isdecimal()
        if not digit and not character.isalnum():
            apart = True
            continue
        if not (digit and number):
            shown += " " * (apart and bool(shown)) + ("0" if digit else character)
        letters += 0 if digit else 5 if 0x2E80 <= ord(character) < 0xD800 else 2
        number, apart = digit, False
    return "".join(shown) if letters >= 32 and any(character in "0123456789" for character in text) else ""


def plain_spread(
    tree: PageTree, blocks: TextBlocks, value: NDArray[np.uint8], unread: int, between: int, kind: NDArray[np.integer]
) -> NDArray[np.uint8]:
    """``TextBlocks.to_nodes``, and what the node model's selection does: ``kind`` of each value tells what an element stands between."""
    if not len(tree.text_nodes):
        return np.full(len(tree), between, dtype=np.uint8)
    of_text = np.full(len(tree.text_nodes), unread, dtype=np.uint8)
    for first, last, of_block in zip(blocks.first.tolist(), blocks.last.tolist(), value.tolist(), strict=True):
        of_text[first:last] = of_block
    before = of_text[np.maximum(np.searchsorted(tree.text_nodes, np.arange(len(tree)), side="right") - 1, 0)]
    after = of_text[np.minimum(np.searchsorted(tree.text_nodes, np.arange(len(tree))), len(of_text) - 1)]
    return np.where(kind[before] == kind[after], before, between).astype(np.uint8)
