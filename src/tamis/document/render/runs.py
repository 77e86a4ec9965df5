"""What renderers write: runs of text and images, the blocks they stand in, the marks they carry; the footnotes of a page."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

from tamis.document.render.table import Table
from tamis.page import tags
from tamis.page.tree import Attributes, BoolColumn, PageTree

_TARGET = re.compile(r"(?:^|[-_:.\d])(?:fn|footnote|note|endnote|cite_note|cite-note|ref-fn|easy-footnote|ftn|edn)(?![a-z])", re.I)
_BACK = re.compile(r"(?:^|[-_:.\d])(?:fnref|ref|cite_ref|footnote-ref|noteref|footnote-reference|fnr|ftnref|ednref)(?![a-z])", re.I)
_LABEL = re.compile(r"\[?\s*(\w{1,8})\s*\]?")
_NUMBER = re.compile(r"[\[(]?\s*(\d{1,3}|[a-z*†‡])\s*[\])]?")
_NOTE = re.compile(r"(?:^|\s)footnote(?:-definition)?(?:\s|$)", re.I)
_LI, _A = tags.CODE["li"], tags.CODE["a"]
_HOLDERS = tags.lookup(tags.codes("li p div aside section"))  #: What a note may be; what is no list item needs a number as its label.
LISTS = ("ul", "ol")
LINES = frozenset("h1 h2 h3 h4 h5 h6 summary caption".split())  #: Blocks that hold nothing but lines of running text.

Language: TypeAlias = "tuple[tuple[str, str], ...]"  #: The attributes ``lang`` and ``dir``, where given.


@dataclass(slots=True, eq=False)
class Block:
    """A block that text stands in, by the name of the HTML element that shows it.

    Blocks refer to those around them and never to those in them: so they go when nobody needs them, without a look for garbage.
    """

    name: str
    node: int  #: The node of the page it comes from; -1 for an item that the page lacks.
    parent: Block | None = None
    depth: int = 0  #: How many blocks it stands in or is.
    level: int = 0  #: How many of them are lists, quotes and the like.
    table: Block | None = None  #: The outermost data table that it stands in or is.
    language: Language = ()
    runs: int = 0  #: Runs directly in it.
    items: int = 0  #: Items of a list.
    number: int = 1  #: Number of an item; of an ordered list, its first one.
    loose: bool = False  #: Of a list: whether an item holds more than a line of text and lists.

    def within(self, name: str, level: int = 0, language: Language = (), node: int = -1) -> Block:
        """A block that stands in this one."""
        block = Block(name, node, self, self.depth + 1, self.level + level, self.table, language)
        if name == "table" and self.table is None:
            block.table = block
        return block

    def beyond(self, opened: Sequence[Block]) -> list[Block]:
        """Of the blocks it stands in and itself those that are not open, outermost first. ``opened``: the page and those that are."""
        found: list[Block] = []
        block = self
        while block.parent and not (block.depth < len(opened) and opened[block.depth] is block):
            found.append(block)
            block = block.parent
        return found[::-1]


@dataclass(slots=True, eq=False)
class Mark:
    """An inline element around text. Of nested ones of the same name the outermost counts."""

    name: str  #: The HTML element that shows it.
    kind: str
    """What it means in formats with fewer elements than HTML: strong, em, code, del, a, sub, sup, tex, note (a reference), or the name."""
    node: int
    url: str = ""
    language: Language = ()
    attributes: Attributes = field(default_factory=dict)


class Image(NamedTuple):
    """An image that is shown."""

    url: str
    alt: str
    title: str


class Leaf(NamedTuple):
    """A text or an image."""

    text: str
    image: Image | None
    marks: tuple[Mark, ...]
    breaks: int  #: Line breaks before it.
    sign: bool = False  #: Whether it is a quotation mark that HTML does not write, since it shows the element ``q``.


class Run(NamedTuple):
    """Leaves that follow each other within one paragraph; without leaves, a rule (``hr``)."""

    block: Block
    leaves: list[Leaf]
    language: Language


class Context(NamedTuple):
    """What holds for everything in an element."""

    block: Block
    marks: tuple[Mark, ...]
    language: Language


@dataclass(frozen=True, slots=True)
class Notes:
    """The footnotes of a page."""

    references: dict[int, str] = field(default_factory=dict)  #: Label by the ``a`` element that refers to a note.
    notes: dict[int, str] = field(default_factory=dict)  #: Label by the element that is the note.
    back: frozenset[int] = frozenset()  #: Links from notes back to the text, and labels that notes begin with.


@dataclass(slots=True)
class Outline:
    """What is shown of a page: its runs in document order, and the tables they stand in."""

    tree: PageTree
    tables: dict[int, Table]
    page: Block = field(default_factory=lambda: Block("", -1))  #: What all blocks stand in.
    base: str | None = None
    notes: Notes = field(default_factory=Notes)
    runs: list[Run] = field(default_factory=list)


def shared(one: Sequence[object], two: Sequence[object]) -> int:
    """How many blocks or marks two places share, from the outermost."""
    same = 0
    for a, b in zip(one, two, strict=False):
        if a is not b:
            break
        same += 1
    return same


def footnotes(tree: PageTree, shown: NDArray[np.integer]) -> Notes:
    """The footnotes of a page: blocks with such an ``id``, class or anchor, to which short links refer.

    ``shown``: the texts that are shown, rising.

    >>> from tamis import parse
    >>> tree = parse('<p>Reeds<sup><a href="#fn1">1</a></sup><ol><li id="fn1">Rushes. <a href="#fnref1">↩</a></ol>')
    >>> found = footnotes(tree, tree.text_nodes)
    >>> list(found.references.values()), list(found.notes.values()), len(found.back)
    (['1'], ['1'], 1)
    """

    ids = _targets(tree, shown)
    if not ids:
        return Notes()
    references: dict[int, str] = {}
    labels: dict[int, str] = {}
    back = set()
    links = _with_text(tree, tree.link, shown)
    inside = tree.covered(np.array(list(ids.values()), dtype=np.intp))
    for node, attributes in zip(links, tree.attributes_of(links), strict=True):
        target = attributes.get("href", "").partition("#")[2]
        if inside[node] and _BACK.search(target) and len(tree.text(node)) <= 3:
            back.add(node)
            before = int(tree.text_nodes.searchsorted(node)) - 1
            if before >= 0 and tree.texts[before].strip() in ("^", "↑") and inside[tree.text_nodes[before]]:  # several links back follow it
                back.add(int(tree.text_nodes[before]))
        elif (note := ids.get(target, -1)) >= 0 and not note < node < tree.end[note]:
            text = tree.text(node)
            if label := _LABEL.fullmatch(text) if tree.tag[note] == _LI else _NUMBER.fullmatch(text):
                references[node] = labels.setdefault(note, label[1])
    for note, number in labels.items():
        back.update(_label(tree, note, number))
    if len(set(labels.values())) < len(labels):  # notes of several articles on one page: their numbers would clash
        return Notes()
    return Notes(references, labels, frozenset(back))


def _with_text(tree: PageTree, nodes: BoolColumn, shown: NDArray[np.integer]) -> list[int]:
    found = nodes.nonzero()[0]
    return found[tree.count_below(found, shown) > 0].tolist()  # type: ignore[no-any-return]


def _targets(tree: PageTree, shown: NDArray[np.integer]) -> dict[str, int]:
    """The elements that may be notes, by the names that a link may lead to."""
    ids, names = tree.values("id"), tree.values("name")
    words = ("fn", "note", "ftn", "edn")
    noted = ids.where(_TARGET.search, words) | tree.values("class").where(_NOTE.search, ("footnote",)) & (ids.codes >= 0)
    found = {ids.of(node) or "": node for node in _with_text(tree, noted & tags.within(_HOLDERS, tree.tag), shown)}
    for node in _with_text(tree, names.where(_TARGET.search, words) & (tree.tag == _A), shown):
        holder = next((above for above in tree.ancestors(node) if tags.within(_HOLDERS, tree.tag[above])), -1)
        if holder >= 0 and int(tree.text_nodes[tree.texts_below(holder)[0]]) >= node:  # the note begins with its anchor
            found.setdefault(names.of(node) or "", holder)
    return found


def _label(tree: PageTree, note: int, number: str) -> list[int]:
    """The texts that a note begins with and that are its number, such as "[", "1", "]"."""
    first, last = map(int, tree.texts_below(note))
    said, its = "", []
    for at in range(first, min(last, first + 5)):
        said += tree.texts[at].strip()
        its.append(int(tree.text_nodes[at]))
        if said.strip("[]().") == number:
            after = tree.texts[at + 1].strip() if at + 1 < last else ""
            return [*its, int(tree.text_nodes[at + 1])] if after in ("]", ")", ".") else its
        if said.strip("[("):
            break
    return []
