"""The walk over a parsed page, compiled: the same tree as :mod:`tamis.page.walk_plain` makes, about ten times as fast.

The compiled module reads the parser's memory by the layout of its structs, so it may only meet a parser whose layout is
known. Importing this module fails (ImportError) where the parser is another one, and where ``tamis.native.walk`` was not built.
"""

from __future__ import annotations

from importlib.machinery import EXTENSION_SUFFIXES

import numpy as np
import selectolax
from numpy.typing import NDArray
from selectolax import lexbor
from selectolax.lexbor import LexborHTMLParser, LexborNode

from tamis.native import walk as _walk
from tamis.page import tags, walk_plain
from tamis.page.tree import NO_ATTRIBUTES, Attributes, LazyAttributes, Marks, NameMaker, PageTree, Window, attributes_of
from tamis.page.walk_plain import FIXED, is_json_ld

VERIFIED = ("1.0.1", "1.0.2")
"""Versions of selectolax whose structs were compared with those in ``_walk.c``, in their source and by running the tests."""

_UNCODED = (
    "altglyph altglyphdef altglyphitem animatecolor animatemotion animatetransform annotation-xml feblend fecolormatrix "
    "fecomponenttransfer fecomposite feconvolvematrix fediffuselighting fedisplacementmap fedistantlight fedropshadow feflood "
    "fefunca fefuncb fefuncg fefuncr feimage femerge femergenode femorphology feoffset fepointlight fespecularlighting fespotlight "
    "fetile feturbulence glyphref malignmark mfenced mglyph ms selectedcontent textpath"
).split()
"""Tag names that have a fixed number in the parser and no code here."""
_ATTRIBUTES = (
    "#undef accept accept-charset active align alink alt axis bgcolor charset checked class clear codetype color compact content "
    "declare defer dir direction disabled enctype face focus for frame height hover href hreflang html http-equiv id is lang language "
    "link maxlength media method multiple nohref noresize noshade nowrap placeholder pool public readonly rel required rev rules "
    "scheme scope scrolling selected shape size slot src style system target text title type valign valuetype vlink width xmlns"
).split()
"""Attribute names that have a fixed number in the parser. A missing one costs the plain walk on pages that have it, no more."""


def _tag_names() -> tuple[str | None, ...]:
    """The name for each of the parser's fixed tag numbers that has no code, asked of the parser."""
    names: dict[int | None, str] = {3: "-document", 5: "-doctype"}
    parser = LexborHTMLParser("")
    for name in (*_UNCODED, *tags.KNOWN[1:]):
        names[parser.create_node(name).tag_id] = name
    return tuple(names.get(number) for number in range(FIXED))


def _flags() -> bytes:
    """What the walk needs to know of each of our codes, in bits. ``_walk.c`` names them."""
    flags = np.zeros(len(tags.KNOWN), dtype=np.uint8)
    sets = (tags.RAW, tags.PREFORMATTED, tags.BREAKS, tags.codes("a area"), tags.codes("script"))
    for bit, codes in enumerate(sets):
        flags[list(codes)] |= 1 << bit
    return flags.tobytes()


def _attribute_names() -> tuple[str | None, ...]:
    """The name for each of the parser's fixed attribute numbers, asked of the parser."""
    page = LexborHTMLParser(f"<p {' '.join(_ATTRIBUTES)}>")
    element = page.css_first("p")
    names: dict[int, str] = {}
    if element is not None:
        names = dict(zip(_walk.attribute_ids(element.mem_id), element.attributes, strict=True))
    return tuple(names.get(number) for number in range(FIXED))


def _is_verified() -> bool:
    return selectolax.__version__ in VERIFIED and str(lexbor.__file__).endswith(tuple(EXTENSION_SUFFIXES))


def _reads_links_right() -> bool:
    """Whether the compiled module finds in each node of the page of samples what the parser says. Follows no pointer."""

    def address(node: LexborNode | None) -> int:
        return 0 if node is None else node.mem_id

    root = LexborHTMLParser(SAMPLE).root
    return root is not None and all(
        _walk.fields(node.mem_id)
        == (
            node.tag_id,
            *map(address, (node.next, node.prev, node.parent, node.first_child, node.last_child)),
            1 if node.is_element_node else 3 if node.is_text_node else 8,
        )
        for node in root.traverse(include_text=True)
        if node.is_element_node or node.is_text_node or node.is_comment_node
    )


SAMPLE = b"""<!doctype html><html lang=en data-first=1><title>A  page</title><script type=Application/LD+JSON>{"a": 1}</script>
<style>p {}</style><body class><!-- comment --><p id=p title="x &amp; \xc3\xa9 \xff">One \n\t two<b> three</b> <i>four</i>
<a href=/a>link</a><a name=b>no  link</a><map><area href=c></map><pre>
  <b>kept</b>
  <i>white \t space</i></pre><textarea> a
 b </textarea><my-element-with-a-long-name an-attribute-with-a-long-name=v xlink:href=w>own</my-element-with-a-long-name><br>
<svg viewBox="0 0 1 1"><linearGradient/><feBlend/><a xlink:href=z>s</a><![CDATA[ data ]]></svg><?php x?><portal>\xf0\x9f\x98\x80</portal>
<table><tr><td>1<table><td>2</table></table><template><p>not here</template><noscript><p>nor here</noscript></body></html>"""
"""A page of all that a walk has to know about."""

if not _is_verified():
    raise ImportError(f"the compiled walk is for selectolax {', '.join(VERIFIED)}")
if not _reads_links_right():
    raise ImportError("the structs of this parser are not those that the compiled walk knows")

_CODE_OF_ID = walk_plain.codes_of_ids()[:FIXED].tobytes()
_FLAGS = _flags()
_TAG_NAMES = _tag_names()
_ATTRIBUTE_NAMES = _attribute_names()
_HREF, _TYPE, _CLASS, _ID, _REL = map(_ATTRIBUTE_NAMES.index, ("href", "type", "class", "id", "rel"))


class _Nodes:
    """The parser's nodes of a tree, whose attributes are read when they are asked for. Keeps the parser alive.

    Args:
        root: the node that was walked.
        tag, end: columns of the tree.
        names: tag names by code.
        nodes: addresses of all nodes; empty where others may change the parser's tree, so that nodes may go.
    """

    def __init__(self, root: LexborNode, tag: bytes, end: bytes, names: tuple[str, ...], nodes: bytes) -> None:
        self._root = root
        self._tag = tag
        self._end = end
        self._names = names
        self._nodes = nodes

    def all(self) -> list[Attributes]:
        found = _walk.attributes(self._root.mem_id, self._tag, _ATTRIBUTE_NAMES, NO_ATTRIBUTES)
        return walk_plain.attributes(self._root, np.frombuffer(self._tag, np.int32)) if found is None else found

    def some(self, nodes: list[int]) -> list[Attributes] | None:
        return _walk.attributes_at(self._nodes, nodes, _ATTRIBUTE_NAMES)

    def names(self, elements: NDArray[np.int64], make: NameMaker) -> tuple[bytes, list[str]]:
        return _walk.element_names(self._root.mem_id, self._nodes, self._tag, elements.tobytes(), self._names, _CLASS, _ID, make)

    def marks(self, window: Window, hints: bytes) -> Marks:
        limits = (window.before, window.after, window.pieces)
        return Marks(*_walk.marks(self._nodes, self._tag, self._end, window.near, limits, hints, (_CLASS, _ID, _REL)))


def walk(root: LexborNode, *, notes: tuple[str, ...] = (), own: bool = False) -> PageTree:
    """A PageTree of a selectolax (lexbor) node and all below it. ``own``: nobody else has the parser, so its tree stays as it is."""
    columns = _walk.walk(root.mem_id, _CODE_OF_ID, _TAG_NAMES, _FLAGS, tags.CODE, _HREF, _TYPE, own)
    if columns is None:
        return walk_plain.walk(root, notes=notes)
    tag, parent, end, link, text_nodes, texts, names, scripts, nodes = columns
    tag_names = (*tags.KNOWN, *names) if names else tags.KNOWN
    reader = _Nodes(root, tag, end, tag_names, nodes)
    return PageTree(
        tag=np.frombuffer(tag, np.int32),
        parent=np.frombuffer(parent, np.int32),
        end=np.frombuffer(end, np.int32),
        text_nodes=np.frombuffer(text_nodes, np.int32),
        texts=texts,
        link=np.frombuffer(link, np.bool_),
        attributes=LazyAttributes(len(link), reader.all, reader.names, reader.some if own else None, reader.marks if own else None),
        names=tag_names,
        json_ld=tuple(text for media_type, text in scripts if is_json_ld(media_type)),
        notes=notes,
    )


def agrees() -> bool:
    """Whether both walks make the same tree of the page of samples."""
    root = LexborHTMLParser(SAMPLE, scripting=True).root
    if root is None:
        return False
    plain = walk_plain.walk(root)
    return same(walk(root), plain) and attributes_of(walk(root, own=True), list(range(len(plain)))) == list(plain.attributes)


def same(one: PageTree, other: PageTree) -> bool:
    """Whether two trees are the same in every column."""
    columns = ("tag", "parent", "end", "text_nodes", "link")
    return all(np.array_equal(getattr(one, column), getattr(other, column)) for column in columns) and (
        (list(one.texts), one.names, one.json_ld, one.notes) == (list(other.texts), other.names, other.json_ld, other.notes)
        and list(one.attributes) == list(other.attributes)
    )
