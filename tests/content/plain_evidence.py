"""The evidence by NumPy: what the compiled form must agree with, bit by bit."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache

import numpy as np
from numpy.typing import NDArray

from tamis.content.evidence import (
    _DESCENTS,
    _MEASURES,
    COLUMNS,
    LEVELS,
    PARAGRAPHS,
    THREAD,
    UNITS,
    Evidence,
    _without_vocabulary,
    gather,
    hidden_nodes,
)
from tamis.content.evidence.characters import _COMMA, _DIGIT, _SIGN, _STOP, _WIDE, _WORD, kinds
from tamis.content.evidence.markup import _AROUND, _BEGINNINGS, _HOLDERS, HOLDER_BITS, MARKUP, NAMES, TAG_BITS
from tamis.content.evidence.vocabulary import VOCABULARY, Vocabulary
from tamis.content.evidence.words import TWICE, WORDS, LearnedWords
from tamis.document.thread import POST_BODY, POST_CHROME, post_mask
from tamis.page import tags
from tamis.page.blocks import TextBlocks, text_blocks
from tamis.page.element_names import element_name
from tamis.page.tree import BoolColumn, PageTree
from tamis.structure.hashing import mix, path_hashes
from tests.content.plain_words import plain_columns
from training.names import NEAREST, name_keys

Columns = dict[str, NDArray[np.generic]]
Counts = NDArray[np.int64]
Nodes = NDArray[np.intp]

FAR = 200
LONG = 60
_FIELDS = "input select textarea"
_NO_FIELDS = ("hidden", "submit", "button", "image", "reset", "checkbox", "radio")
_DIGITS = re.compile(r"\d+")
_NO_PLACE = ("html", "body")
_LONGEST = max(map(len, _BEGINNINGS))
_SHORTEST = 2
_WORDS = re.compile(r"[A-Za-z][a-z]+")


@dataclass(frozen=True, slots=True, eq=False)
class Characters:
    """Counts for each of ``b`` blocks, int64 ``(b,)`` each."""

    words: NDArray[np.int64]
    """Runs of letters and digits; each wide character is one of its own."""
    wide: NDArray[np.int64]
    """Han, kana, Hangul and full-width forms."""
    digits: NDArray[np.int64]
    commas: NDArray[np.int64]
    """Marks within sentences."""
    stops: NDArray[np.int64]
    """Marks at the end of sentences."""
    signs: NDArray[np.int64]
    """Arrows, bars, bullets, stars and the like."""
    ends_in_stop: NDArray[np.bool_]
    """Whether the last character ends a sentence, bool ``(b,)``."""


def count_characters(tree: PageTree, blocks: TextBlocks) -> Characters:
    """Count the characters of each block."""
    if not len(blocks):
        none = np.zeros(0, dtype=np.int64)
        return Characters(none, none, none, none, none, none, np.zeros(0, dtype=np.bool_))
    texts = tree.texts
    points = np.frombuffer("\n".join(texts).encode("utf-32-le", "surrogatepass"), dtype=np.uint32)
    kind = kinds()[np.minimum(points, 0xFFFF)]
    starts = np.zeros(len(texts) + 1, dtype=np.intp)
    np.cumsum(np.fromiter(map(len, texts), np.intp, len(texts)) + 1, out=starts[1:])
    begin, end = starts[blocks.first], starts[blocks.last] - 1
    word = (kind & _WORD) > 0
    word[1:] &= ~word[:-1]  # numpy reads overlapping memory as it was before
    cuts = np.ravel(np.column_stack((begin, end)))[: -1 if end[-1] >= len(kind) else None]

    def count(marked: NDArray[np.bool_]) -> NDArray[np.int64]:
        return np.asarray(np.add.reduceat(marked, cuts, dtype=np.int64)[::2])

    wide = count((kind & _WIDE) > 0)
    digits, commas, stops, signs = (count((kind & mark) > 0) for mark in (_DIGIT, _COMMA, _STOP, _SIGN))
    last = end - 1
    ends_in_stop = (kind[np.where(points[last] <= 32, np.maximum(last - 1, 0), last)] & _STOP) > 0
    return Characters(count(word) + wide, wide, digits, commas, stops, signs, ends_in_stop)


@dataclass(frozen=True, eq=False)
class PageView:
    """A page of ``n`` nodes and ``b`` text blocks, with what several kinds of evidence need."""

    tree: PageTree
    blocks: TextBlocks
    characters: Characters

    @classmethod
    def of(cls, tree: PageTree) -> PageView:
        """Look at a page."""
        blocks = text_blocks(tree)
        return cls(tree, blocks, count_characters(tree, blocks))

    @cached_property
    def node(self) -> Nodes:
        """The first text node of each block, intp ``(b,)``."""
        return self.tree.text_nodes[self.blocks.first].astype(np.intp)

    @cached_property
    def element(self) -> Nodes:
        """The block-level element that holds each block, intp ``(b,)``."""
        return self.blocks.element.astype(np.intp)

    @cached_property
    def weight(self) -> Counts:
        """How much each block says: its characters, Han, kana and Hangul two and a half times, int64 ``(b,)``."""
        return np.asarray(self.blocks.length + 3 * self.characters.wide // 2)

    @cached_property
    def plain(self) -> Counts:
        """The part of :attr:`weight` that is not in links, int64 ``(b,)``."""
        length = np.maximum(self.blocks.length, 1)
        return np.asarray(self.weight * (length - self.blocks.link_length) // length, dtype=np.int64)

    @cached_property
    def prose(self) -> BoolColumn:
        """Blocks that read like a paragraph: long, punctuated, mostly outside links, bool ``(b,)``."""
        punctuated = (self.characters.stops > 0) | (self.characters.commas > 1)
        return np.asarray((self.plain > LONG) & (5 * self.blocks.link_length < 2 * self.blocks.length) & punctuated)

    @cached_property
    def total(self) -> int:
        """All weight outside links, at least 1."""
        return max(int(self.plain.sum()), 1)

    @cached_property
    def total_prose(self) -> int:
        """All weight of paragraphs outside links, at least 1."""
        return max(int(self.plain[self.prose].sum()), 1)

    def below(self, of_blocks: NDArray[np.int64] | BoolColumn) -> Counts:
        """A whole number of each block, summed over the blocks below each node, int64 ``(n,)``."""
        prefix = np.append(0, np.cumsum(of_blocks, dtype=np.int64))
        first, last = self.range_below
        return np.asarray(prefix[last] - prefix[first])

    @cached_property
    def range_below(self) -> tuple[Nodes, Nodes]:
        """The blocks below each node, as a range of their numbers."""
        n = len(self.tree)
        before = np.append(0, np.cumsum(np.bincount(self.node, minlength=n)[:n]))
        return before[:-1], before[self.tree.end]

    @cached_property
    def weight_below(self) -> Counts:
        """:attr:`weight` below each node, int64 ``(n,)``."""
        return self.below(self.weight)

    @cached_property
    def plain_below(self) -> Counts:
        """:attr:`plain` below each node, int64 ``(n,)``."""
        return self.below(self.plain)

    @cached_property
    def prose_below(self) -> Counts:
        """:attr:`plain` of the paragraphs below each node, int64 ``(n,)``."""
        return self.below(np.where(self.prose, self.plain, 0))

    @cached_property
    def blocks_below(self) -> Counts:
        """Blocks below each node, int64 ``(n,)``."""
        first, last = self.range_below
        return np.asarray(last - first)

    @cached_property
    def stops_below(self) -> Counts:
        """Punctuation marks below each node, int64 ``(n,)``."""
        return self.below(self.characters.stops + self.characters.commas)

    @cached_property
    def wider(self) -> Nodes:
        """For each node the nearest ancestor that holds more blocks; -1 above the widest, intp ``(n,)``."""
        parent = self.tree.parent.astype(np.intp)
        held, up = self.blocks_below, np.maximum(parent, 0)
        top = np.where((parent >= 0) & (held[up] == held), up, np.arange(len(parent)))
        while not np.array_equal(further := top[top], top):
            top = further
        return np.asarray(parent[top])


def plain_gather(tree: PageTree, vocabulary: Vocabulary | None = None) -> Evidence:
    """:func:`gather`, not compiled."""
    view = PageView.of(tree)
    if not len(view.node):
        return gather(tree)
    names = [element_name(tree.name(node), own.get("class"), own.get("id")) for node, own in enumerate(tree.attributes)]
    bits, numbers = plain_read(names)
    columns = {
        **text(view),
        **containers(view),
        **attenuation(view),
        **repetition(view, numbers),
        **markup(view, bits),
        **learned(tree, view.node, *plain_weigh(vocabulary or Vocabulary.empty(), names)),
        "hidden": hidden_nodes(tree)[view.node],
        **nearby(view),
        **units(view),
        **paragraphs(view),
        **dict(zip(THREAD, thread(tree, view.blocks), strict=True)),
        **dict(zip((*WORDS, *TWICE), plain_columns(tree, view.blocks, LearnedWords.empty()), strict=True)),
    }
    values = np.empty((len(COLUMNS), len(view.node)), dtype=np.float32)
    for row, name in enumerate(COLUMNS):
        values[row] = columns[name]
    values = values if vocabulary is not None else _without_vocabulary(values)
    return Evidence(view.blocks, view.characters.words, values.T, np.zeros(len(view.node), dtype=np.int64))


def thread(tree: PageTree, blocks: TextBlocks) -> NDArray[np.float32]:
    """Evidence of :data:`THREAD`."""
    columns = np.zeros((len(THREAD), len(blocks)), dtype=np.float32)
    posts, length = post_mask(tree)[tree.text_nodes], tree.text_length[tree.text_nodes]
    before = (np.append(0, np.cumsum(np.where(posts == kind, length, 0))) for kind in (POST_BODY, POST_CHROME))
    said, beside = (upto[blocks.last] - upto[blocks.first] for upto in before)
    columns[:2] = np.stack([said, beside]) / np.maximum(blocks.length, 1)
    columns[2] = said.sum() / max(int(blocks.length.sum()), 1)
    return columns


def _contains(view: PageView, names: str) -> NDArray[np.int64]:
    """How many elements of some names are at or below each node, int64 ``(n,)``."""
    found = view.tree.of_tags(tags.lookup(tags.codes(names)))
    if names == _FIELDS:
        found &= ~np.isin(np.array([(own.get("type") or "").strip().lower() for own in view.tree.attributes]), _NO_FIELDS)
    return view.tree.subtree_sum(found)


def nearby(view: PageView) -> Columns:
    """Evidence of :data:`NEARBY`."""
    here = view.element
    for _ in range(8):
        up = view.tree.parent[here].astype(np.intp)
        here = np.where((up >= 0) & (view.blocks_below[up] <= 6), up, here)
    return {
        "fields": _contains(view, _FIELDS)[here],
        "images": _contains(view, "img picture")[here],
        "players": _contains(view, "iframe video audio embed object")[here],
        "near blocks": view.blocks_below[here],
    }


def units(view: PageView) -> Columns:
    """Evidence of :data:`UNITS`."""
    tree, length = view.tree, view.blocks.length
    members: dict[tuple[int, int], list[int]] = {}
    for node in np.flatnonzero((view.blocks_below > 0) & (tree.tag != 0))[1:].tolist():
        members.setdefault((int(tree.parent[node]), int(tree.tag[node])), []).append(node)
    has = {
        name: _contains(view, names) > 0 for name, names in (("images", "img picture"), ("headings", "h1 h2 h3 h4 h5 h6"), ("links", "a"))
    }
    sums = [view.below(values) for values in (length, view.blocks.link_length, _paragraph(view))]
    found = np.zeros((len(UNITS), len(length)))
    for b, element in enumerate(view.element.tolist()):
        best: list[int] = []
        for node in (element, *tree.ancestors(element))[:12]:
            own = members.get((int(tree.parent[node]), int(tree.tag[node])), []) if node else []
            if len(own) >= 3 and len(own) > len(best) and has["links"][own].mean() > 0.5:
                best = own
        if best:
            text, linked, prose = (int(each[best].sum()) for each in sums)
            shares = (has[name][best].mean() for name in ("images", "headings", "links"))
            of_text = (text / max(length.sum(), 1), linked / max(text, 1), prose / max(text, 1))
            found[:, b] = (len(best), *shares, view.blocks_below[best].mean(), *of_text)
    return dict(zip(UNITS, found, strict=True))


def _paragraph(view: PageView) -> Counts:
    """The length of each block that is a paragraph, else 0, int64 ``(b,)``."""
    length = view.blocks.length
    return np.where((length >= 100) & (100 * view.blocks.link_length < 34 * length), length, 0)


def paragraphs(view: PageView) -> Columns:
    """Evidence of :data:`PARAGRAPHS`."""
    own, length = _paragraph(view), view.blocks.length
    upto, all_of = np.cumsum(own), max(int(own.sum()), 1)
    silent = np.nan if not own.any() else 0.0
    shares = ((upto - own) / all_of + silent, (own.sum() - upto) / all_of + silent)
    longest, share = np.full(len(own), own.max()), np.full(len(own), own.sum() / max(length.sum(), 1))
    return dict(zip(PARAGRAPHS, (longest, length / max(own.max(), 100), *shares, share), strict=True))


def text(view: PageView) -> Columns:
    """Evidence of :data:`TEXT`."""
    characters, length = view.characters, np.maximum(view.blocks.length, 1)
    copies, distance = _copies(view)
    return {
        "weight": view.weight,
        "words": characters.words,
        "links": view.blocks.link_length / length,
        "commas": characters.commas,
        "stops": characters.stops,
        "stop share": (characters.stops + characters.commas) / np.maximum(view.weight, 1),
        "sign share": characters.signs / length,
        "digit share": characters.digits / length,
        "ends in stop": characters.ends_in_stop,
        "copies": copies,
        "first copy": distance == 0,
        "copy": np.minimum(distance, FAR),
    }


def _copies(view: PageView) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """How many blocks have the same text as each, and how many blocks ago the first of them was."""
    numbers: dict[str, int] = {}
    texts, first, last = view.tree.texts, view.blocks.first.tolist(), view.blocks.last.tolist()
    pieces = (texts[a].strip() if b == a + 1 else "".join(texts[a:b]).strip() for a, b in zip(first, last, strict=True))
    number = np.fromiter((numbers.setdefault(piece, len(numbers)) for piece in pieces), np.intp, len(first))
    place = np.arange(len(number))
    origin = np.zeros(len(numbers), dtype=np.intp)
    origin[number[::-1]] = place[::-1]  # of several the first one stays
    return np.bincount(number, minlength=1)[number], place - origin[number]


def containers(view: PageView) -> Columns:
    """Evidence of :data:`CONTAINERS`; NaN beyond the root."""
    columns: Columns = {}
    here = view.element
    for level in range(LEVELS):
        at = np.maximum(here, 0)
        plain, weight, blocks = view.plain_below[at], view.weight_below[at], view.blocks_below[at]
        values = (
            plain / view.total,
            weight,
            (weight - plain) / np.maximum(weight, 1),
            blocks,
            plain / np.maximum(blocks, 1),
            view.stops_below[at] / np.maximum(weight, 1),
            view.prose_below[at] / view.total_prose,
        )
        for measure, value in zip(_MEASURES, values, strict=True):
            columns[f"container {level} {measure}"] = np.where(here >= 0, value, np.nan)
        here = np.where(here >= 0, view.wider[at], -1)
    return columns


def attenuation(view: PageView) -> Columns:
    """Evidence of :data:`ATTENUATION`."""
    tree, node = view.tree, view.node
    columns: Columns = {}
    way = _way(view, view.plain_below)
    ways = (way[: _stop(view.plain_below, way, 0.34)], way[: _stop(view.plain_below, way, 0.6)])
    way = _way(view, view.prose_below)
    on_prose = way[: _stop(view.prose_below, way, 0.3)]
    for name, path in zip(_DESCENTS, (*ways, on_prose), strict=True):
        last = path[-1]
        columns[f"{name} inside"] = (node >= last) & (node < tree.end[last])
        columns[f"{name} after"] = node >= tree.end[last]
        columns[f"{name} share"] = np.full(len(node), view.plain_below[last] / view.total)
    steps = np.asarray(on_prose)
    # The way is a chain of ancestors, so a block is below the first k of it: those that begin before it and end after it.
    shared = np.minimum(np.searchsorted(steps, node, side="right"), np.searchsorted(-tree.end[steps], -node, side="left")) - 1
    columns["way left"] = len(steps) - 1 - shared
    columns["way share"] = view.plain_below[steps[shared]] / view.total
    return columns


def _way(view: PageView, below: Counts) -> list[int]:
    """From the root always to the child with most below it, the first of equals."""
    end, text, amount = view.tree.end.tolist(), (view.tree.tag == tags.TEXT).tolist(), below.tolist()
    way, node = [0], 0
    while amount[node]:
        best, child = node, node + 1
        while child < end[node]:
            if not text[child] and (best == node or amount[child] > amount[best]):
                best = child
            child = end[child]
        if best == node:
            break
        node = best
        way.append(node)
    return way


def _stop(below: Counts, way: list[int], threshold: float) -> int:
    """How many steps of a way are gone until more than ``threshold`` of what is below would be left aside."""
    amount = below[way]
    left = amount[:-1] - amount[1:] > threshold * amount[:-1]
    return int(np.argmax(left)) + 1 if left.any() else len(way)


def repetition(view: PageView, named: NDArray[np.uint64]) -> Columns:
    """Evidence of :data:`REPETITION`. ``named``: a number for the class name of each node, uint64 ``(n,)``."""
    tree = view.tree
    columns: Columns = {}
    step = mix(tree.tag.astype(np.uint64) + np.uint64(1))
    for kind, steps in (("path", step), ("named", step ^ mix(named + np.uint64(1)))):
        columns.update(_alike(view, kind, path_hashes(steps, tree.depth, tree.end)[view.element]))
    children = np.bincount(tree.parent[1:][tree.tag[1:] != tags.TEXT], minlength=len(tree))
    here = view.element
    for name in ("siblings", "siblings above", "siblings two above"):
        here = np.maximum(tree.parent[here], 0)
        columns[name] = children[here]
    return columns


def _alike(view: PageView, kind: str, place: NDArray[np.uint64]) -> Columns:
    """What the blocks at each block's place are like, all taken together."""
    count = len(place)
    _, first, group, blocks = np.unique(place, return_index=True, return_inverse=True, return_counts=True)

    def summed(values: Counts) -> NDArray[np.float64]:
        return np.bincount(group, weights=values, minlength=len(first)).astype(np.float64)

    plain, weight = summed(view.plain), summed(view.weight)
    last = np.zeros(len(first), dtype=np.intp)
    last[group] = np.arange(count)  # of several blocks the last one stays
    values = {
        "blocks": blocks,
        "share": plain / view.total,
        "links": (weight - plain) / np.maximum(weight, 1),
        "mean": plain / blocks,
        "stops": summed(view.characters.stops + view.characters.commas) / np.maximum(weight, 1),
        "prose": summed(np.where(view.prose, view.plain, 0)) / view.total_prose,
        "span": (last - first) / count,
    }
    return {f"{kind} {what}": value[group] for what, value in values.items()}


@lru_cache(maxsize=1 << 14)
def _hint(word: str) -> int:
    """What a word hints at, by its longest known beginning."""
    word = word.lower()
    if bits := _BEGINNINGS.get(f"{word}="):
        return bits
    for length in range(min(len(word), _LONGEST), _SHORTEST, -1):
        if bits := _BEGINNINGS.get(word[:length]):
            return bits
    return 0


def hints(name: str) -> int:
    """What a class name or id hints at, in bits in the order of :data:`NAMES`.

    >>> [NAMES[bit] for bit in range(len(NAMES)) if hints("post-comments") >> bit & 1]
    ['hint comment', 'hint article']
    """
    bits = 0
    for word in _WORDS.findall(name):
        bits |= _hint(word)
    return bits


def plain_read(names: Sequence[str]) -> tuple[NDArray[np.uint64], NDArray[np.uint64]]:
    """What each name hints at, in bits, and a number that names with the same classes share."""
    bits, numbers = np.zeros((2, len(names)), dtype=np.uint64)
    general: dict[str, int] = {}
    for place, name in enumerate(names):
        tag, _, tokens = name.partition("\t")
        if tokens and tag not in _NO_PLACE:
            bits[place] = hints(tokens)
            classes = _DIGITS.sub("0", tokens.partition("#")[0])
            numbers[place] = general.setdefault(classes, len(general) + 1) if classes else 0
    return bits, numbers


def _handed_down(tree: PageTree, bits: NDArray[np.uint64]) -> tuple[NDArray[np.uint64], NDArray[np.uint64]]:
    """Bits of each node and its two nearest ancestors, and of it and all its ancestors."""
    above = np.maximum(tree.parent, 0)
    near = bits | bits[above]
    near |= bits[above[above]]
    everywhere, up = bits, above
    while up.any():
        everywhere = everywhere | everywhere[up]
        up = up[up]
    return near, everywhere | bits[0] if len(bits) else everywhere


def markup(view: PageView, hinted: NDArray[np.uint64]) -> Columns:
    """Evidence of :data:`MARKUP` and :data:`NAMES`. ``hinted``: what the names of each node hint at, uint64 ``(n,)``."""
    tree = view.tree
    known_tag = np.minimum(tree.tag, len(tags.KNOWN))
    columns: Columns = {}
    for names, bits in ((MARKUP[: len(_AROUND)], TAG_BITS[known_tag]), (NAMES, hinted)):
        near, around = _handed_down(tree, bits)
        near, around = near[tree.parent[view.node]], around[view.node]
        for bit, name in enumerate(names):
            place, one = np.uint64(bit), np.uint64(1)
            columns[name] = (near >> place & one) + (around >> place & one)
    holder = HOLDER_BITS[known_tag[view.element]]
    for bit, name in enumerate(_HOLDERS):
        columns[f"holder {name}"] = holder >> np.uint64(bit) & np.uint64(1)
    return columns


def learned(tree: PageTree, node: NDArray[np.intp], near: NDArray[np.int32], above: NDArray[np.int32]) -> dict[str, NDArray[np.generic]]:
    """Evidence of :data:`VOCABULARY`.

    Args:
        tree: the page.
        node: the first text node of each block, intp ``(b,)``.
        near: weight of each node's own names, int32 ``(n,)``, as is ``above``.
        above: the same, where they stand farther up.
    """
    parent = tree.parent.astype(np.intp)
    # A sum over all ancestors: what begins before a node and has not ended.
    ended = np.bincount(tree.end, weights=above, minlength=len(tree) + 1)[: len(tree)]
    on_way = np.cumsum(above, dtype=np.int64) - np.cumsum(ended.astype(np.int64))
    here, beside = parent[node], np.zeros(len(node), dtype=np.int64)
    for _ in range(NEAREST):
        beside += np.where(here >= 0, near[here], 0)
        here = np.where(here >= 0, parent[here], -1)
    return {VOCABULARY[0]: beside, VOCABULARY[1]: np.where(here >= 0, on_way[here], 0)}


def plain_weigh(vocabulary: Vocabulary, names: Sequence[str]) -> tuple[NDArray[np.int32], NDArray[np.int32]]:
    """The weights of elements' names, near and above, int32 ``(names,)`` each."""
    weights = dict(zip(vocabulary.key.tolist(), zip(vocabulary.near.tolist(), vocabulary.above.tolist(), strict=True), strict=True))
    found = [[weights.get(key, (0, 0)) for key in name_keys(name)] for name in names]
    near, above = (np.array([sum(pair[k] for pair in of_name) for of_name in found], dtype=np.int32) for k in (0, 1))
    return near, above
