"""The compiled walk over a parsed page: the same tree as :mod:`tamis.page.walk_plain` makes, about ten times as fast.

``tamis.native.walk`` calls the functions of the parser (lexbor) that selectolax's extension exports; for links between nodes, the offset of
each field is measured once per process. Importing this module fails (ImportError, with the reason) if ``tamis.native.walk`` was not built,
the extension exports no functions (as on Windows), or a field is not found.
"""

from __future__ import annotations

import ctypes
import os
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from selectolax import lexbor
from selectolax.lexbor import LexborHTMLParser, LexborNode

from tamis.native import walk as _walk
from tamis.page import tags, walk_plain
from tamis.page.tree import COLUMNS, NO_ATTRIBUTES, Attributes, LazyAttributes, PageTree, Values
from tamis.page.walk_plain import FIXED, is_json_ld

FUNCTIONS = (
    "lxb_dom_element_qualified_name",
    "lxb_dom_attr_qualified_name",
    "lxb_dom_attr_value_noi",
)
"""The parser's functions that the walk calls, in the order that ``_walk.bind`` expects."""
FIELDS = (
    "lxb_dom_node_next_noi",
    "lxb_dom_node_parent_noi",
    "lxb_dom_node_first_child_noi",
    "lxb_dom_node_tag_id_noi",
    "lxb_dom_node_type_noi",
    "lxb_dom_element_first_attribute_noi",
    "lxb_dom_element_next_attribute_noi",
)
"""The parser's functions whose answers are fields, in the order that ``_walk.bind`` expects."""

_WORD = ctypes.sizeof(ctypes.c_size_t)
_SEARCHED = 32 * _WORD  #: Bytes of a node that are searched for a field.
_LENGTHS = (1009, 2003)  #: Bytes of the two texts whose place in a node is measured: numbers that are unlikely to be anything else.
_BEHIND = "<p>" * 32  #: Nodes behind those that are searched, so that what is read beyond a node belongs to the parser too.


def _library() -> ctypes.CDLL:
    """The extension of selectolax, as it is loaded; nothing is loaded anew."""
    path = str(lexbor.__file__)
    try:
        library = ctypes.CDLL(path, mode=getattr(os, "RTLD_NOLOAD", 0) | getattr(os, "RTLD_NOW", ctypes.DEFAULT_MODE))
        for name in (*FUNCTIONS, *FIELDS):
            function = getattr(library, name)
            function.argtypes = (ctypes.c_void_p,)
            function.restype = ctypes.c_uint if name == "lxb_dom_node_type_noi" else ctypes.c_size_t
    except (AttributeError, OSError) as error:
        raise ImportError(f"{Path(path).name} does not export the parser's functions ({error})") from error
    return library


def _measure_offsets(library: ctypes.CDLL) -> tuple[int, ...]:
    parser = LexborHTMLParser(SAMPLE + _BEHIND.encode())
    root = parser.root
    if root is None:
        raise ImportError("the parser makes nothing of a sample page")
    sampled = [node for node in root.traverse(include_text=True) if node.tag_id]
    nodes = [node.mem_id for node in sampled]
    elements = [node.mem_id for node in sampled if node.is_element_node]
    attributes = [address for element in elements for address in _attribute_addresses(library, element)]
    where = (nodes, nodes, nodes, nodes, nodes, elements, attributes)
    return (*(_offset_of(getattr(library, name), addresses) for name, addresses in zip(FIELDS, where, strict=True)), _text_offset())


def _attribute_addresses(library: ctypes.CDLL, element: int) -> Iterator[int]:
    """The addresses of an element's attributes, as the parser's functions give them."""
    attribute = library.lxb_dom_element_first_attribute_noi(element)
    while attribute:
        yield attribute
        attribute = library.lxb_dom_element_next_attribute_noi(attribute)


def _offset_of(function: Any, addresses: Sequence[int]) -> int:
    """The one offset at which every object holds the function's answer, in bytes; answers have to differ, so that it means something."""
    answers = [function(address) for address in addresses]
    size = ctypes.sizeof(function.restype)
    memory = [(function.restype * (_SEARCHED // size)).from_address(address) for address in addresses]
    found = [k for k in range(_SEARCHED // size) if all(words[k] == answer for words, answer in zip(memory, answers, strict=True))]
    if len(found) != 1 or len(set(answers)) < 3:
        raise ImportError(f"the field that {function.__name__} reads was found at {len(found)} places in the parser's nodes")
    return found[0] * size


def _text_offset() -> int:
    """Return the offset at which a text node holds the address of its bytes, followed by their number.

    A word counts as an address only if it may be one and the text's length follows it, in both of two nodes.
    """
    given = [letter * length for letter, length in zip("ab", _LENGTHS, strict=True)]
    parser = LexborHTMLParser("".join(f"<p>{text}</p>" for text in given) + _BEHIND)
    nodes = [element.first_child for element in parser.css("p")[:2]]
    words = [(ctypes.c_size_t * (_SEARCHED // _WORD)).from_address(node.mem_id) for node in nodes if node is not None]
    for k in range(_SEARCHED // _WORD - 1):
        if [node[k + 1] for node in words] != list(_LENGTHS) or any(node[k] < 1 << 16 or node[k] % _WORD for node in words):
            continue
        if [ctypes.string_at(node[k], length).decode("ascii", "replace") for node, length in zip(words, _LENGTHS, strict=True)] == given:
            return k * _WORD
    raise ImportError("the bytes of a text were not found in the parser's text nodes")


SAMPLE = b"""<!doctype html><html lang=en data-first=1><title>A  page</title><script type=Application/LD+JSON>{"a": 1}</script>
<style>p {}</style><body class><!-- comment --><p id=p title="x &amp; \xc3\xa9 \xff">One \n\t two<b> three</b> <i>four</i>
<a href=/a>link</a><a name=b>no  link</a><map><area href=c></map><pre>
  <b>kept</b>
  <i>white \t space</i></pre><textarea> a
 b </textarea><my-element-with-a-long-name an-attribute-with-a-long-name=v xlink:href=w>own</my-element-with-a-long-name><br>
<my-link href=m>m</my-link>
<svg viewBox="0 0 1 1"><linearGradient/><feBlend/><a xlink:href=z>s</a><![CDATA[ data ]]></svg><?php x?><portal>\xf0\x9f\x98\x80</portal>
<table><tr><td>1<table><td>2</table></table><template><p>not here</template><noscript><p>nor here</noscript></body></html>"""
"""A page with everything that a walk has to treat."""

_LIBRARY = _library()
_walk.bind(tuple(ctypes.cast(getattr(_LIBRARY, name), ctypes.c_void_p).value or 0 for name in FUNCTIONS), _measure_offsets(_LIBRARY))
_CODE_OF_ID = walk_plain.codes_of_ids()[:FIXED].tobytes()
_FLAGS = tags.flags(tags.RAW, tags.PREFORMATTED, tags.BREAKS, tags.codes("a area"), tags.codes("script"))


def walk(root: LexborNode, *, notes: tuple[str, ...] = (), own: bool = False) -> PageTree:
    """Return a PageTree of a selectolax (lexbor) node and all below it. ``own``: nobody else has the parser, so its tree never changes, and
    attributes are read from it on demand."""
    columns = _walk.walk(root.mem_id, _CODE_OF_ID, _FLAGS, tags.CODE, COLUMNS, is_json_ld)
    if columns is None:
        return walk_plain.walk(root, notes=notes)
    tag, parent, end, link, text_nodes, texts, names, scripts, nodes, values, codes = columns

    def read(wanted: list[int] | None, parser: LexborNode = root) -> list[Attributes]:
        """Return the attributes of some nodes; as long as there is this function, there is the parser."""
        these = None if wanted is None else np.array(wanted, dtype=np.int64)
        found: list[Any] = _walk.attributes(nodes, tag, NO_ATTRIBUTES, these)
        return found

    nowhere, *rows = np.frombuffer(codes, np.int32).reshape(1 + len(values), len(link))
    stated = dict.fromkeys(COLUMNS, Values(nowhere, []))
    for (name, distinct), row in zip(values.items(), rows, strict=True):
        stated[name] = Values(row, distinct)
        stated[name].name = name
    return PageTree(
        tag=np.frombuffer(tag, np.int32),
        parent=np.frombuffer(parent, np.int32),
        end=np.frombuffer(end, np.int32),
        text_nodes=np.frombuffer(text_nodes, np.int32),
        texts=texts,
        link=np.frombuffer(link, np.bool_),
        attributes=LazyAttributes(len(link), read, stated) if own else read(None),
        names=(*tags.KNOWN, *names) if names else tags.KNOWN,
        json_ld=tuple(scripts),
        notes=notes,
    )


def agrees() -> bool:
    """Return whether both walks make the same tree of :data:`SAMPLE`."""
    root = LexborHTMLParser(SAMPLE).root
    if root is None:
        return False
    plain = walk_plain.walk(root)
    return same(walk(root), plain) and walk(root, own=True).attributes_of(list(range(len(plain)))) == list(plain.attributes)


def same(one: PageTree, other: PageTree) -> bool:
    """Return whether two trees are the same in every column."""
    columns = ("tag", "parent", "end", "text_nodes", "link")
    return all(np.array_equal(getattr(one, column), getattr(other, column)) for column in columns) and (
        (list(one.texts), one.names, one.json_ld, one.notes) == (list(other.texts), other.names, other.json_ld, other.notes)
        and list(one.attributes) == list(other.attributes)
        and all(one.values(name).distinct == other.values(name).distinct for name in COLUMNS)
        and all(np.array_equal(one.values(name).codes, other.values(name).codes) for name in COLUMNS)
    )
