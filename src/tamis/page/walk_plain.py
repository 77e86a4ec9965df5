"""Trees built node by node in plain Python: of the parser's nodes where the compiled walk cannot be used, and of lxml's.

The plain walk is also the measure for the compiled one.
"""

from __future__ import annotations

import re
from array import array
from collections.abc import Callable
from functools import lru_cache
from itertools import chain, islice
from operator import attrgetter
from typing import Any

import numpy as np
from selectolax.lexbor import LexborHTMLParser, LexborNode

from tamis.page import tags
from tamis.page.tree import NO_ATTRIBUTES, Attributes, IntColumn, LazyAttributes, PageTree

FIXED = 256  #: The parser's numbers for names are fixed below; from here on they belong to one document only.
UNDEFINED, TEXT, COMMENT = 0, 2, 4  #: The parser's numbers for nodes that are not elements. Processing instructions are undefined.

_SPACES = re.compile(r"[ \t\n\r\f]+")
_BREAK = re.compile(r"[\r\n]")
_UNTIDY = re.compile(r"[\t\n\r\f]|  ")
_MEM_ID, _PARENT_ID, _TAG_ID = attrgetter("mem_id"), attrgetter("parent.mem_id"), attrgetter("tag_id")
_IS_LINK, _ENDS_LINE, _KEEPS_SPACE, _IS_RAW = 1, 2, 4, 8
_FLAGS = tags.flags(tags.codes("a area"), tags.BREAKS, tags.PREFORMATTED, tags.RAW)
_SCRIPT = tags.CODE["script"]
UNKNOWN, NOTHING = -1, -2
"""In place of a tag code: a name that we have no code for; a node that is left out (comments, processing instructions)."""


def codes_of_ids() -> IntColumn:
    """Our code for each of the parser's fixed tag numbers, asked of the parser, and a last entry for all others."""
    codes = np.full(FIXED + 1, UNKNOWN, dtype=np.int32)
    parser = LexborHTMLParser("")
    for name, code in tags.CODE.items():
        if code != tags.TEXT and (number := parser.create_node(name).tag_id) is not None and number < FIXED:
            codes[number] = code
    codes[TEXT] = tags.TEXT
    codes[[UNDEFINED, COMMENT]] = NOTHING
    return codes


_CODE_OF_ID = codes_of_ids()


def collapse(text: str) -> str:
    """White space as a browser shows it outside ``pre``: every run one space."""
    return _SPACES.sub(" ", text) if _UNTIDY.search(text) else text


@lru_cache(64)
def is_json_ld(media_type: str | None) -> bool:
    """Return whether a script of this type holds JSON-LD."""
    return (media_type or "").strip().lower().startswith("application/ld+json")


class TreeBuilder:
    """Builds a tree from the elements and texts of a page as they come. ``attributes_of``: gives the attributes of an element."""

    def __init__(self, attributes_of: Callable[[Any], Attributes]) -> None:
        self.attributes_of = attributes_of
        self.elements: list[Any] = []  #: Elements of all nodes; None for texts.
        self.tag = array("i")
        self.parent = array("i")
        self.end = array("i")
        self.text_nodes = array("i")
        self.texts: list[str] = []
        self.link = array("b")
        self.names: dict[str, int] = {}
        self.custom: set[int] = set()  #: Codes of the elements that the page defines itself: their names have a hyphen.
        self.json_ld: list[str] = []
        self.open: list[int] = []
        self.preformatted = 0  #: Number of elements open at the outermost preformatted one, itself included; 0: none is open.
        self.blank = ""  #: The white space in nodes of its own since the last text; where a preformatted line begins, its indentation.
        self.broken = True  #: A line ended since the last text.
        self.is_data = False  #: The script that began last holds JSON-LD.

    def code(self, name: str) -> int:
        """Return the code of a tag name, known or new to this page."""
        known = tags.CODE.get(name)
        if known is not None:
            return known
        code = self.names.setdefault(name, len(tags.KNOWN) + len(self.names))
        if "-" in name:
            self.custom.add(code)
        return code

    def enter(self, code: int, element: Any) -> None:
        """Begin an element."""
        flags = _FLAGS[code] if code < len(_FLAGS) else 0
        node = len(self.tag)
        self.elements.append(element)
        self.parent.append(self.open[-1] if self.open else -1)
        self.tag.append(code)
        self.link.append((bool(flags & _IS_LINK) or code in self.custom) and "href" in self.attributes_of(element))
        self.end.append(0)
        self.open.append(node)
        if flags & _ENDS_LINE:
            self.blank, self.broken = "", True
        if flags & _KEEPS_SPACE and not self.preformatted:
            self.preformatted = len(self.open)
        if code == _SCRIPT:
            self.is_data = is_json_ld(self.attributes_of(element).get("type"))

    def leave(self) -> None:
        """End the innermost open element."""
        node = self.open.pop()
        self.end[node] = len(self.tag)
        code = self.tag[node]
        if code < len(_FLAGS) and _FLAGS[code] & _ENDS_LINE:
            self.blank, self.broken = "", True
        if len(self.open) < self.preformatted:
            self.preformatted = 0

    def text(self, text: str) -> None:
        """Add a text to the innermost open element. White space in a node of its own counts between words and in preformatted text."""
        code = self.tag[self.open[-1]] if self.open else UNKNOWN
        if 0 <= code < len(_FLAGS) and _FLAGS[code] & _IS_RAW:
            if code == _SCRIPT and self.is_data and text.strip():
                self.json_ld.append(text)
            return
        if not text.strip(" \t\n\r\f"):
            if not self.broken:
                self.blank += text
            elif self.preformatted:
                *lines, text = _BREAK.split(text)
                self.blank = text if lines else self.blank + text
            return
        if self.preformatted:
            text = self.blank + text
        else:
            text = collapse(text)
            if self.blank and not self.broken and text[0] != " " and self.texts[-1][-1] != " ":
                text = " " + text
        self.blank, self.broken = "", False
        self.elements.append(None)
        self.text_nodes.append(len(self.tag))
        self.texts.append(text)
        self.parent.append(self.open[-1] if self.open else -1)
        self.tag.append(tags.TEXT)
        self.link.append(False)
        self.end.append(len(self.tag))

    def tree(self, notes: tuple[str, ...] = ()) -> PageTree:
        """Return the tree; it keeps the elements and reads their attributes when they are looked at."""
        while self.open:
            self.leave()
        tag = _int_column(self.tag)
        return PageTree(
            tag=tag,
            parent=_int_column(self.parent),
            end=_int_column(self.end),
            text_nodes=_int_column(self.text_nodes),
            texts=self.texts,
            link=np.frombuffer(self.link.tobytes(), dtype=np.bool_),
            attributes=LazyAttributes(len(tag), self._read),
            names=(*tags.KNOWN, *self.names) if self.names else tags.KNOWN,
            json_ld=tuple(self.json_ld),
            notes=notes,
        )

    def _read(self, nodes: list[int] | None) -> list[Attributes]:
        wanted = self.elements if nodes is None else map(self.elements.__getitem__, nodes)
        return [NO_ATTRIBUTES if element is None else self.attributes_of(element) for element in wanted]


def _int_column(values: array[int]) -> IntColumn:
    return np.frombuffer(values.tobytes(), dtype=np.int32)


def walk(root: LexborNode, *, notes: tuple[str, ...] = (), own: bool = False) -> PageTree:
    """Return a PageTree of a selectolax (lexbor) node and all below it. ``own`` is for the compiled walk."""
    if root.tag_id in (UNDEFINED, COMMENT):
        return empty(notes)
    builder = TreeBuilder(_attributes_of)
    codes = _CODE_OF_ID.tolist()
    nodes = list(root.traverse(include_text=True))
    above: list[int] = []  # identities of the open elements
    parents = chain([0], map(_PARENT_ID, islice(nodes, 1, None)))
    for node, identity, parent, tag_id in zip(nodes, map(_MEM_ID, nodes), parents, map(_TAG_ID, nodes), strict=True):
        while above and above[-1] != parent:
            above.pop()
            builder.leave()
        code = codes[tag_id] if tag_id < FIXED else UNKNOWN
        if code == tags.TEXT:
            builder.text(node.text_content or "")
        elif code != NOTHING:
            builder.enter(builder.code(node.tag or "") if code == UNKNOWN else code, node)
            above.append(identity)
    return builder.tree(notes)


def empty(notes: tuple[str, ...] = ()) -> PageTree:
    """Return the tree of nothing: no nodes."""
    return TreeBuilder(_attributes_of).tree(notes)


def _attributes_of(node: LexborNode) -> Attributes:
    return {name: value or "" for name, value in node.attributes.items()}
