"""The input of renderers: runs of text and images, the blocks around them, the marks they carry."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import NamedTuple, TypeAlias

from tamis.document.render.footnotes import Notes
from tamis.document.render.table import ShownTable
from tamis.page.tree import Attributes, PageTree

LISTS = ("ul", "ol")
LINES = frozenset("h1 h2 h3 h4 h5 h6 summary caption".split())  #: Blocks that hold nothing but lines of running text.

Language: TypeAlias = "tuple[tuple[str, str], ...]"  #: The attributes ``lang`` and ``dir``, where given.


@dataclass(slots=True, eq=False)
class OpenBlock:
    """A block around text, by the name of the HTML element that shows it.

    Blocks refer to those around them and never to those in them: so they go when nobody needs them, without a look for garbage.
    """

    name: str
    node: int  #: The node of the page it comes from; -1 for an item that the page lacks.
    parent: OpenBlock | None = None
    depth: int = 0  #: Number of blocks around it, itself included.
    level: int = 0  #: Number of these that are lists, quotes and the like.
    table: OpenBlock | None = None  #: The outermost data table around it, or itself.
    language: Language = ()
    runs: int = 0  #: Runs directly in it.
    items: int = 0  #: Items of a list.
    number: int = 1  #: Number of an item; of an ordered list, its first one.
    loose: bool = False  #: Of a list: whether an item holds more than a line of text and lists.

    def within(self, name: str, level: int = 0, language: Language = (), node: int = -1) -> OpenBlock:
        """Return a block within this one."""
        block = OpenBlock(name, node, self, self.depth + 1, self.level + level, self.table, language)
        if name == "table" and self.table is None:
            block.table = block
        return block

    def beyond(self, opened: Sequence[OpenBlock]) -> list[OpenBlock]:
        """Return the blocks around it, and itself, that are not open, outermost first. ``opened``: the page and the open blocks."""
        found: list[OpenBlock] = []
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
    """Meaning in formats with fewer elements than HTML: strong, em, code, del, a, sub, sup, tex, note (a reference), or the name."""
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
    sign: bool = False  #: A sign that HTML does not write, since it shows the element ``q`` or ``rt``.


class Run(NamedTuple):
    """Leaves that follow each other within one paragraph; without leaves, a rule (``hr``)."""

    block: OpenBlock
    leaves: list[Leaf]
    language: Language


class Context(NamedTuple):
    """Context of everything in an element."""

    block: OpenBlock
    marks: tuple[Mark, ...]
    language: Language


@dataclass(slots=True)
class Outline:
    """The shown part of a page: its runs in document order, and their tables."""

    tree: PageTree
    tables: dict[int, ShownTable]
    page: OpenBlock = field(default_factory=lambda: OpenBlock("", -1))  #: The block around all blocks.
    base: str | None = None
    notes: Notes = field(default_factory=Notes)
    runs: list[Run] = field(default_factory=list)


def shared(one: Sequence[object], two: Sequence[object]) -> int:
    """Return how many blocks or marks two places share, from the outermost."""
    same = 0
    for a, b in zip(one, two, strict=False):
        if a is not b:
            break
        same += 1
    return same
