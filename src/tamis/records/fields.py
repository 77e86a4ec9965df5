"""The fields of a record: pieces of text as a reader sees them, link targets, images (``docs/methods/records.md``)."""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Iterator
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import Literal

import numpy as np

from tamis.document.render.links import image_source, resolve
from tamis.page import tags
from tamis.page.tree import BoolColumn
from tamis.records.places import Places

Kind = Literal["text", "link", "image"]
Span = tuple[int, int]  #: A range of nodes in preorder: first, first after.

MAX_FIELDS = 300  #: Fields of one record; the rest of a longer record becomes text of the last one.
RUNNING_TEXT = 40  #: Characters of a line that goes on after a line break (``br``); after a shorter line another field begins.
_MAX_CLIMB = 24  #: Inline elements around a text that are asked whether they hold it in one piece.

_BLOCK = tags.lookup(tags.BLOCKS)
_WHOLE = tags.lookup(tags.HEADINGS | tags.codes("a button label caption summary legend dt time"))
_IMG, _TIME = tags.CODE["img"], tags.CODE["time"]
_WORD = re.compile(r"\w")
_SEPARATORS = re.compile(r"[\s|·•,;:/\\\-–—»›«‹…()\[\].]*")
_BAR = re.compile(r"\s*[|·•]\s*")  #: A text that separates fields.
_EDGES = " \t\n\r\f\xa0|·•"


@dataclass(frozen=True, slots=True)
class Field:
    """One field of one record."""

    kind: Kind
    value: str
    node: int  #: The element that holds it.
    root: int  #: The element under which the record's top elements stand: paths are below it.


class FieldReader:
    """Reads the fields of records of one page."""

    def __init__(self, page: Places, base: str | None = None) -> None:
        self._page = page
        self._base = base
        tree = page.tree
        blocks = tree.of_tags(_BLOCK)
        self._block = blocks.tolist()
        holds_blocks = tree.subtree_sum(blocks.astype(np.int64)) > blocks
        self._whole = (tree.of_tags(_WHOLE) & ~holds_blocks).tolist()
        self._parent: list[int] = tree.parent.tolist()
        self._length = page.length.tolist()
        self._shown = page.shown.tolist()
        self._links = np.flatnonzero(tree.link).tolist()  #: Links, rising.
        of_leaves = tree.tag[page.leaves]
        self._leaves = list(zip(page.leaves.tolist(), (of_leaves == tags.TEXT).tolist(), (of_leaves == _IMG).tolist(), strict=True))
        """Nodes that show something; whether each is a text, and whether an image."""
        self._line = dict(zip(tree.text_nodes.tolist(), tree.line.tolist(), strict=True))
        self._text = dict(zip(tree.text_nodes.tolist(), range(len(tree.texts)), strict=True))
        self._link = _innermost(page, tree.link)
        self._time = _innermost(page, tree.tag == _TIME)
        parents = tree.parent[tree.text_nodes].tolist()
        self._mixed = {
            (parent, line)
            for parent, line, text, node in zip(parents, tree.line.tolist(), tree.texts, tree.text_nodes.tolist(), strict=True)
            if page.length[node] and _WORD.search(text)
        }
        """Elements with words of their own, and the line these stand on."""

    def fields(self, span: Span) -> tuple[Field, ...]:
        """The fields of a record, in order."""
        root = self._parent[span[0]]
        found = [(texts[0], 0, field) for texts, field in self._pieces(span, root)]
        found += [(field.node, 1, field) for field in self._addresses(span, root)]
        found.sort(key=lambda each: each[:2])
        fields = [field for _, _, field in found]
        if len(fields) > MAX_FIELDS:
            rest = fields[MAX_FIELDS - 1 :]
            texts = [field for field in rest if field.kind == "text"]
            fields[MAX_FIELDS - 1 :] = [replace(texts[0], value="\n".join(field.value for field in texts)) if texts else rest[0]]
        return tuple(fields)

    def _pieces(self, span: Span, root: int) -> Iterator[tuple[list[int], Field]]:
        """Pieces of text: their text nodes, and the field."""
        groups: dict[tuple[int, int], list[int]] = {}
        for node, is_text, _ in self._leaves[self._shown[span[0]] : self._shown[span[1]]]:
            if not is_text:
                continue
            holder = self._holder(node, span[0])
            groups.setdefault((holder, -1 if self._whole[holder] else self._line[node]), []).append(node)
        for holder, nodes in self._running(groups):
            for piece in self._split(nodes):
                value = self._value(piece)
                if _SEPARATORS.fullmatch(value):
                    continue
                if len(piece) < len(nodes):
                    link = self._link[piece[0]]
                    holder = link if link >= 0 else self._parent[piece[0]]  # noqa: PLW2901
                yield piece, Field("text", value, holder, root)

    def _value(self, nodes: list[int]) -> str:
        """The text of some nodes, white space collapsed; a line break is a space."""
        texts = [self._page.tree.texts[self._text[node]] for node in nodes]
        for k, (before, node) in enumerate(pairwise(nodes), start=1):
            if self._line[node] != self._line[before]:
                texts[k] = " " + texts[k]
        return " ".join("".join(texts).split()).strip(_EDGES)

    def _running(self, groups: dict[tuple[int, int], list[int]]) -> list[tuple[int, list[int]]]:
        """Lines of one element, put together where the line before the break is running text."""
        found: list[tuple[int, list[int]]] = []
        characters = 0  #: Of the last of them.
        for (holder, _), nodes in groups.items():
            if found and found[-1][0] == holder and characters >= RUNNING_TEXT:
                found[-1][1].extend(nodes)
            else:
                found.append((holder, nodes))
                characters = 0
            characters += sum(map(self._length.__getitem__, nodes))
        return found

    def _holder(self, node: int, first: int) -> int:
        """The outermost inline element of the record that holds a text and what stands around it in one piece."""
        line = self._line[node]
        element = holder = self._parent[node]
        for _ in range(_MAX_CLIMB):
            if element < first:
                break
            if self._whole[element] or (element, line) in self._mixed:
                holder = element
            if self._block[element]:
                break
            element = self._parent[element]
        return holder

    def _split(self, nodes: list[int]) -> list[list[int]]:
        """The pieces of a line: separators outside links and a ``time`` element end one."""
        pieces: list[list[int]] = [[]]
        for k, node in enumerate(nodes):
            bar = _BAR.fullmatch(self._page.tree.texts[self._text[node]])
            if bar and all(self._link[other] < 0 for other in nodes[max(k - 1, 0) : k + 2]):
                pieces.append([])
                continue
            if pieces[-1] and self._time[node] != self._time[pieces[-1][-1]]:
                pieces.append([])
            pieces[-1].append(node)
        return [part for piece in pieces if piece for part in self._split_at_links(piece)]

    def _split_at_links(self, nodes: list[int]) -> list[list[int]]:
        """Pieces apart where a link follows a link, where a link has an icon, and after a link that began one."""
        pieces = [[nodes[0]]]
        only = self._link[nodes[0]]  # the link that is all of the piece so far
        for before, node in pairwise(nodes):
            here, last = self._link[node], self._link[before]
            if here == last:
                pieces[-1].append(node)
                continue
            if here >= 0:
                begins = last >= 0 or self._has_image(here)
            else:
                begins = only >= 0 and _WORD.search(self._page.tree.texts[self._text[node]]) is not None
            if begins:
                pieces.append([])
            pieces[-1].append(node)
            only = here if begins else -1
        return pieces

    def _has_image(self, node: int) -> bool:
        leaves = self._leaves[self._shown[node] : self._shown[self._page.tree.end[node]]]
        return any(not is_text for _, is_text, _ in leaves)

    def _addresses(self, span: Span, root: int) -> Iterator[Field]:
        """Targets of links that show something, and sources of images."""
        tree = self._page.tree
        first, last = span
        for node in self._links[bisect_left(self._links, first) : bisect_left(self._links, last)]:
            target = tree.attributes[node].get("href", "").strip()
            if self._shown[tree.end[node]] == self._shown[node] or target.startswith("#"):
                continue
            if url := resolve(target, self._base):
                yield Field("link", url, node, root)
        for node, _, is_image in self._leaves[self._shown[first] : self._shown[last]]:
            if is_image and (url := image_source(tree.attributes[node], self._base)):
                yield Field("image", url, node, root)


def _innermost(page: Places, wanted: BoolColumn) -> list[int]:
    """For each node the marked element it stands in, or -1; of marked elements within each other the last to begin counts."""
    tree = page.tree
    found = np.full(len(tree), -1, dtype=np.int64)
    marked = np.flatnonzero(wanted)
    if len(marked):
        latest = marked[np.maximum(np.searchsorted(marked, np.arange(len(tree)), side="right") - 1, 0)]
        inside = (latest <= np.arange(len(tree))) & (np.arange(len(tree)) < tree.end[latest])
        found[inside] = latest[inside]
    return found.tolist()
