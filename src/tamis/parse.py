"""HTML to :class:`~tamis.tree.PageTree`: one pass over the nodes that a conformant parser gives, then arrays.

The parser is lexbor (through selectolax): it builds the tree that browsers build, and is the fastest to do so. Scripting counts as
on, as in a browser, so the content of ``noscript`` is not part of the page.
"""

from __future__ import annotations

import re
from array import array
from collections.abc import Callable, Iterable, Iterator, Mapping
from itertools import compress, islice
from operator import attrgetter
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np
from numpy.typing import NDArray
from selectolax.lexbor import LexborHTMLParser, LexborNode

from tamis import tags
from tamis.decode import Encoding, find_encoding, to_utf8
from tamis.errors import SourceError, UsageError
from tamis.limits import bound
from tamis.tree import NO_ATTRIBUTES, Attributes, IntColumn, LazyAttributes, PageTree

if TYPE_CHECKING:
    from lxml.etree import _Element

Page: TypeAlias = "str | bytes | Path | PageTree | LexborHTMLParser | LexborNode | _Element"
"""What stands for a page at the edge of the library: HTML text, bytes as served, a file, or a tree that the caller already has."""

_SPACES = re.compile(r"[ \t\n\r\f]+")
_UNTIDY = re.compile(r"[\t\n\r\f]|  ")


def parse(page: Page, *, content_type: str | None = None) -> PageTree:
    """Make a PageTree of a page.

    Args:
        page: HTML as ``str``, as bytes (decoded by :func:`tamis.decode.decode`) or in a file (``Path``; gzip is unpacked); or an lxml
            element, a selectolax parser or node, a PageTree.
        content_type: the HTTP ``Content-Type`` header, for bytes.

    Raises:
        SourceError: the file cannot be read.
        UsageError: the page is none of these.

    >>> parse("<p>Hello <i>there</i>").text()
    'Hello there'
    """
    return parse_decoded(page, content_type=content_type)[0]


def parse_decoded(page: Page, *, content_type: str | None = None) -> tuple[PageTree, Encoding | None]:
    """As :func:`parse`, with the encoding; None where there was nothing to decode."""
    if isinstance(page, PageTree):
        return page, None
    if isinstance(page, Path):
        page = read_file(page)
    if isinstance(page, (bytes, bytearray, memoryview)):
        raw = bytes(page)
        encoding = find_encoding(raw, content_type)
        return from_html(to_utf8(raw, encoding)), encoding
    if isinstance(page, str):
        return from_html(page.encode("utf-8", "replace")), None
    if isinstance(page, LexborHTMLParser):
        return from_lexbor(page.root) if page.root is not None else _EMPTY, None
    if isinstance(page, LexborNode):
        return from_lexbor(page), None
    if hasattr(page, "iterchildren"):
        return from_lxml(page), None
    raise UsageError(f"a page is HTML text, bytes, a Path, an lxml element or a selectolax node, not {type(page).__name__}")


def read_file(path: Path) -> bytes:
    """The bytes of a saved page, unpacked where the file is gzip.

    Raises:
        SourceError: the file cannot be read, or its gzip data is damaged before the first byte of the page.
    """
    try:
        raw = path.read_bytes()
    except OSError as error:
        raise SourceError(f"cannot read {path}: {error.strerror or error}") from error
    return unpack(raw, str(path)) if raw[:2] == b"\x1f\x8b" else raw


def unpack(raw: bytes, name: str, limit: int = 1 << 30) -> bytes:
    """Unpack gzip; what came before damage or truncation is kept. ``limit``: most bytes to unpack."""
    import zlib

    unpacked = bytearray()
    try:
        while raw[:2] == b"\x1f\x8b" and len(unpacked) < limit:
            stream = zlib.decompressobj(wbits=31)
            unpacked += stream.decompress(raw, limit - len(unpacked))
            raw = stream.unused_data
    except zlib.error as error:
        if not unpacked:
            raise SourceError(f"cannot read {name}: damaged gzip data ({error})") from error
    return bytes(unpacked)


class _Columns:
    """The columns of a tree while it is built."""

    __slots__ = ("codes", "end", "json_ld", "link", "names", "parent", "tag", "text_nodes", "texts")

    def __init__(self) -> None:
        self.tag = array("i")
        self.parent = array("i")
        self.end = array("i")
        self.text_nodes = array("i")
        self.texts: list[str] = []
        self.link = array("i")
        self.names: list[str] = []
        self.codes: dict[str, int] = {}
        self.json_ld: list[str] = []

    def code(self, name: str) -> int:
        """The code of a tag name, known or new to this page."""
        known = tags.CODE.get(name)
        if known is not None:
            return known
        code = self.codes.get(name)
        if code is None:
            code = self.codes[name] = len(tags.KNOWN) + len(self.names)
            self.names.append(name)
        return code

    def tree(self, read: Callable[[], list[Attributes]], notes: tuple[str, ...] = ()) -> PageTree:
        link = np.zeros(len(self.tag), dtype=np.bool_)
        link[_column(self.link)] = True
        return PageTree(
            tag=_column(self.tag),
            parent=_column(self.parent),
            end=_column(self.end),
            text_nodes=_column(self.text_nodes),
            texts=self.texts,
            link=link,
            attributes=LazyAttributes(len(self.tag), read),
            names=(*tags.KNOWN, *self.names) if self.names else tags.KNOWN,
            json_ld=tuple(self.json_ld),
            notes=notes,
        )


def _column(values: array[int]) -> IntColumn:
    column = np.frombuffer(values, dtype=np.int32) if values else np.zeros(0, dtype=np.int32)
    column.flags.writeable = False
    return column


def collapse(text: str) -> str:
    """White space as a browser shows it outside ``pre``: every run one space."""
    return _SPACES.sub(" ", text) if _UNTIDY.search(text) else text


def from_html(html: bytes) -> PageTree:
    """A PageTree of HTML in UTF-8, hostile markup cut to bounds (:mod:`tamis.limits`)."""
    html, notes = bound(html)
    root = LexborHTMLParser(html, scripting=True).root
    return from_lexbor(root, notes=notes) if root is not None else _EMPTY


_LEXBOR_TEXT = 2
_LEXBOR_COMMENT = 4
_LEXBOR_NAMED = 256
"""Tag ids from here on belong to one document only."""


def _lexbor_codes() -> IntColumn:
    """Our code for each of the parser's fixed tag numbers, asked of the parser; -1 for names we have no code for."""
    codes = np.full(_LEXBOR_NAMED + 1, -1, dtype=np.int32)
    parser = LexborHTMLParser("")
    for name, code in tags.CODE.items():
        if code != tags.TEXT and (number := parser.create_node(name).tag_id) is not None and number < _LEXBOR_NAMED:
            codes[number] = code
    codes[[_LEXBOR_TEXT, _LEXBOR_COMMENT]] = tags.TEXT
    return codes


_CODE_OF_ID = _lexbor_codes()
_MEM_ID, _PARENT_ID = attrgetter("mem_id"), attrgetter("parent.mem_id")
_TAG_ID, _TEXT = attrgetter("tag_id"), attrgetter("text_content")
_RAW = tags.lookup(tags.RAW)
_PRE = tags.lookup(tags.PREFORMATTED)
_LINKS = (tags.CODE["a"], tags.CODE["area"])
_SCRIPT = tags.CODE["script"]


def from_lexbor(root: LexborNode, *, notes: tuple[str, ...] = ()) -> PageTree:
    """A PageTree of a selectolax (lexbor) node and all below it.

    Every page pays for this pass, so each property of the nodes is read by one C loop (``map`` and ``attrgetter``) and
    all structure is array work: the parent of a node is found by its identity among the sorted identities, and
    the end of a subtree by following last children, twice as far in each round.
    """
    nodes = list(root.traverse(include_text=True, skip_empty=True))
    n = len(nodes)
    tag_id = np.fromiter(map(_TAG_ID, nodes), np.int64, n)
    identity = np.fromiter(map(_MEM_ID, nodes), np.int64, n)
    above = np.zeros(n, np.int64)
    above[1:] = np.fromiter(map(_PARENT_ID, islice(nodes, 1, None)), np.int64, n - 1)
    parent = _positions(above, identity)
    parent[0] = -1
    tag, names = _tag_codes(tag_id, nodes)
    is_text = tag_id == _LEXBOR_TEXT
    unread = is_text & tags.within(_RAW, tag[parent])
    kept = ~(unread | (tag_id == _LEXBOR_COMMENT))
    json_ld = tuple(
        nodes[node].text_content or ""
        for node in np.flatnonzero(unread & (tag[parent] == _SCRIPT)).tolist()
        if _is_json_ld(nodes[parent[node]].attributes)
    )
    if not kept.all():
        parent = (np.cumsum(kept) - 1)[parent[kept]]
        parent[0] = -1
        tag, is_text = tag[kept], is_text[kept]
        nodes = list(compress(nodes, kept.tolist()))
        n = len(nodes)
    text_nodes = np.flatnonzero(is_text).astype(np.int32)
    link = np.zeros(n, dtype=np.bool_)
    anchors = np.flatnonzero((tag == _LINKS[0]) | (tag == _LINKS[1])).tolist()
    link[[node for node in anchors if "href" in nodes[node].attributes]] = True
    texts = list(map(_TEXT, map(nodes.__getitem__, text_nodes.tolist())))
    tree = PageTree(
        tag=_frozen(tag),
        parent=_frozen(parent.astype(np.int32)),
        end=_frozen(_ends(parent)),
        text_nodes=_frozen(text_nodes),
        texts=texts,
        link=_frozen(link),
        attributes=LazyAttributes(n, lambda: _align(tag, _lexbor_attributes(root))),
        names=names,
        json_ld=json_ld,
        notes=notes,
    )
    _tidy(tree, texts, nodes)
    return tree


def _frozen(column: Any) -> Any:
    column.flags.writeable = False
    return column


def _positions(wanted: NDArray[np.int64], among: NDArray[np.int64]) -> NDArray[np.intp]:
    """The position of each wanted number in ``among``."""
    if np.all(among[1:] > among[:-1]):  # the parser took its nodes from the heap in document order
        return np.minimum(np.searchsorted(among, wanted), len(among) - 1)
    order = np.argsort(among, kind="stable")
    return np.asarray(order[np.minimum(np.searchsorted(among[order], wanted), len(among) - 1)])


def _ends(parent: NDArray[np.intp]) -> IntColumn:
    """First index after each subtree: the last descendant is the last child of the last child of ..., found by doubling."""
    last = np.arange(len(parent))
    last[parent[1:]] = last[1:]  # of several children the last one stays
    while True:
        further = last[last]
        if np.array_equal(further, last):
            return (last + 1).astype(np.int32)
        last = further


def _tag_codes(tag_id: NDArray[np.int64], nodes: list[LexborNode]) -> tuple[IntColumn, tuple[str, ...]]:
    """Our codes for the parser's tag numbers, and the names by code. The number of an unknown name differs from page to page."""
    tag = _CODE_OF_ID[np.minimum(tag_id, _LEXBOR_NAMED)]
    unknown = np.flatnonzero(tag < 0)
    if not len(unknown):
        return tag, tags.KNOWN
    columns = _Columns()
    tag[unknown] = [columns.code(nodes[node].tag or "") for node in unknown.tolist()]
    return tag, (*tags.KNOWN, *columns.names)


def _tidy(tree: PageTree, texts: list[str], nodes: list[LexborNode]) -> None:
    """Collapse white space in texts, and give back what stood in nodes of its own before a text: between words, and in ``pre``."""
    preformatted = tree.of_tags(_PRE)
    pre = tree.covered(np.flatnonzero(preformatted))[tree.text_nodes].tolist() if preformatted.any() else None
    for k, text in enumerate(texts):
        if ("\n" in text or "  " in text) and not (pre and pre[k]):
            texts[k] = _SPACES.sub(" ", text)
    line = tree.line
    for k in (np.flatnonzero(line[1:] == line[:-1]) + 1).tolist():
        if pre and pre[k]:
            texts[k] = _blank_before(nodes[tree.text_nodes[k]]) + texts[k]
        elif texts[k][0] != " " and texts[k - 1][-1] != " " and _blank_before(nodes[tree.text_nodes[k]]):
            texts[k] = " " + texts[k]


def _blank_before(node: LexborNode) -> str:
    """The white space in nodes of its own between a text and the text or the start of the line before it."""
    blank = ""
    here: LexborNode | None = node
    while here is not None:
        before = here.prev
        if before is None:
            here = here.parent
            continue
        while (last := before.last_child) is not None:
            before = last
        if before.is_text_node:
            text = before.text_content or ""
            if text.strip(" \t\n\r\f"):
                break
            blank = text + blank
        here = before
    return blank


def _lexbor_attributes(root: LexborNode) -> Iterator[Attributes]:
    for node in root.traverse():
        if node.tag_id != _LEXBOR_COMMENT:
            attributes = node.attributes
            if None in attributes.values():
                attributes = {name: value or "" for name, value in attributes.items()}
            yield attributes  # type: ignore[misc]  # no value is None here


def _align(tag: IntColumn, of_elements: Iterable[Attributes]) -> list[Attributes]:
    """The attributes of all nodes, from those of the elements in document order."""
    elements = iter(of_elements)
    return [NO_ATTRIBUTES if code == tags.TEXT else next(elements) for code in tag.tolist()]


def _is_json_ld(attributes: Mapping[str, Any]) -> bool:
    return (attributes.get("type") or "").strip().lower().startswith("application/ld+json")


def from_lxml(root: _Element) -> PageTree:
    """A PageTree of an lxml element and all below it, as lxml holds it (nothing is parsed again).

    The tree of a document that lxml parsed may differ from a browser's: libxml2 knows no HTML5.
    """
    from lxml.etree import iterwalk

    columns = _Columns()
    elements: dict[int, _Element] = {}
    open_nodes: list[int] = []
    pre_level = 0
    space = False

    def add_text(text: str | None) -> None:
        nonlocal space
        top = open_nodes[-1]
        code = columns.tag[top]
        if not text:
            return
        if code in tags.RAW:
            if code == _SCRIPT and _is_json_ld(_lxml_attributes(elements[top])):
                columns.json_ld.append(text)
            return
        if not pre_level:
            if text.isspace():
                space = True
                return
            text = collapse(text)
            if space and text[0] != " ":
                text = " " + text
        space = False
        columns.text_nodes.append(len(columns.tag))
        columns.texts.append(text)
        columns.tag.append(tags.TEXT)
        columns.parent.append(top)
        columns.end.append(len(columns.tag))

    for event, element in iterwalk(root, events=("start", "end", "comment", "pi")):
        if event in ("comment", "pi"):
            if open_nodes:
                add_text(element.tail)
            continue
        if event == "end":
            index = open_nodes.pop()
            columns.end[index] = len(columns.tag)
            if len(open_nodes) < pre_level:
                pre_level = 0
            if open_nodes:
                add_text(element.tail)
            continue
        name = element.tag if isinstance(element.tag, str) else ""
        code = columns.code(name.rpartition("}")[2].lower())
        index = len(columns.tag)
        columns.tag.append(code)
        columns.parent.append(open_nodes[-1] if open_nodes else -1)
        columns.end.append(0)
        elements[index] = element
        if code in _LINKS and "href" in element.attrib:
            columns.link.append(index)
        open_nodes.append(index)
        if code in tags.PREFORMATTED and not pre_level:
            pre_level = len(open_nodes)
        add_text(element.text)
    return columns.tree(lambda: _align(_column(columns.tag), map(_lxml_attributes, elements.values())))


def _lxml_attributes(element: _Element) -> Attributes:
    return {str(name): str(value) for name, value in element.attrib.items()}


_EMPTY = _Columns().tree(list)
