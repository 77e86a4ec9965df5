"""The walk over a parsed page in plain Python and NumPy: what every platform can do, and the measure for the compiled walk.

Each property of the nodes is read by one C loop (``map`` and ``attrgetter``) and all structure is array work: the parent of
a node is found by its identity among the sorted identities, and the end of a subtree by following last children, twice as
far in each round.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from itertools import compress, islice
from operator import attrgetter
from typing import Any

import numpy as np
from numpy.typing import NDArray
from selectolax.lexbor import LexborHTMLParser, LexborNode

from tamis.page import tags
from tamis.page.tree import NO_ATTRIBUTES, Attributes, IntColumn, LazyAttributes, PageTree

FIXED = 256
"""The parser's numbers for names are fixed below; from here on they belong to one document only."""
UNDEFINED, TEXT, COMMENT = 0, 2, 4
"""The parser's numbers for what is no element. Processing instructions are undefined."""

_SPACES = re.compile(r"[ \t\n\r\f]+")
_UNTIDY = re.compile(r"[\t\n\r\f]|  ")
_MEM_ID, _PARENT_ID = attrgetter("mem_id"), attrgetter("parent.mem_id")
_TAG_ID, _TEXT = attrgetter("tag_id"), attrgetter("text_content")
_RAW = tags.lookup(tags.RAW)
_PRE = tags.lookup(tags.PREFORMATTED)
_LINKS = (tags.CODE["a"], tags.CODE["area"])
_SCRIPT = tags.CODE["script"]
_UNREAD = frozenset(tags.KNOWN[code] for code in tags.RAW)
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


def is_json_ld(media_type: str | None) -> bool:
    """Whether a script of this type holds JSON-LD."""
    return (media_type or "").strip().lower().startswith("application/ld+json")


def walk(root: LexborNode, *, notes: tuple[str, ...] = (), own: bool = False) -> PageTree:
    """A PageTree of a selectolax (lexbor) node and all below it. ``own`` is for the compiled walk."""
    nodes = list(root.traverse(include_text=True, skip_empty=True))
    if not nodes or root.tag_id in (UNDEFINED, COMMENT):
        return empty(notes)
    tag_id = np.fromiter(map(_TAG_ID, nodes), np.int64, len(nodes))
    parent = _parents(nodes)
    tag, names = _tag_codes(tag_id, nodes)
    is_text = tag_id == TEXT
    unread = is_text & tags.within(_RAW, tag[parent])
    kept = ~(unread | (tag == NOTHING))
    json_ld = tuple(
        nodes[node].text_content or ""
        for node in np.flatnonzero(unread & (tag[parent] == _SCRIPT)).tolist()
        if is_json_ld(nodes[parent[node]].attributes.get("type"))
    )
    if not kept.all():
        parent = (np.cumsum(kept) - 1)[parent[kept]]
        parent[0] = -1
        tag, is_text = tag[kept], is_text[kept]
        nodes = list(compress(nodes, kept.tolist()))
    text_nodes = np.flatnonzero(is_text).astype(np.int32)
    link = np.zeros(len(nodes), dtype=np.bool_)
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
        attributes=LazyAttributes(len(nodes), lambda: attributes(root, tag)),
        names=names,
        json_ld=json_ld,
        notes=notes,
    )
    _tidy(tree, texts, nodes)
    return tree


def attributes(root: LexborNode, tag: IntColumn) -> list[Attributes]:
    """The attributes of each node of the tree of ``root`` (:meth:`walk`) whose column of tags is ``tag``; no value is None."""
    return align(tag, _attributes_of_elements(root))


def align(tag: IntColumn, of_elements: Iterable[Attributes]) -> list[Attributes]:
    """The attributes of all nodes, from those of the elements in document order."""
    elements = iter(of_elements)
    return [NO_ATTRIBUTES if code == tags.TEXT else next(elements) for code in tag.tolist()]


def empty(notes: tuple[str, ...] = ()) -> PageTree:
    """The tree of nothing: no nodes."""
    none, no_link = _frozen(np.zeros(0, dtype=np.int32)), _frozen(np.zeros(0, dtype=np.bool_))
    return PageTree(tag=none, parent=none, end=none, text_nodes=none, texts=[], link=no_link, attributes=[], notes=notes)


def _frozen(column: Any) -> Any:
    column.flags.writeable = False
    return column


def _parents(nodes: list[LexborNode]) -> NDArray[np.intp]:
    """The index of each node's parent, -1 for the first node."""
    n = len(nodes)
    identity = np.fromiter(map(_MEM_ID, nodes), np.int64, n)
    above = np.fromiter(map(_PARENT_ID, islice(nodes, 1, None)), np.int64, n - 1)
    parent = np.full(n, -1, dtype=np.intp)
    if np.all(identity[1:] > identity[:-1]):  # the parser took its nodes from the heap in document order
        parent[1:] = np.searchsorted(identity, above)
    else:
        order = np.argsort(identity, kind="stable")
        parent[1:] = order[np.searchsorted(identity[order], above)]
    return parent


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
    tag = _CODE_OF_ID[np.minimum(tag_id, FIXED)]
    codes: dict[str, int] = {}
    for node in np.flatnonzero(tag == UNKNOWN).tolist():
        name = nodes[node].tag or ""
        code = tags.CODE.get(name)
        tag[node] = codes.setdefault(name, len(tags.KNOWN) + len(codes)) if code is None else code
    return tag, (*tags.KNOWN, *codes) if codes else tags.KNOWN


def _tidy(tree: PageTree, texts: list[str], nodes: list[LexborNode]) -> None:
    """Collapse white space in texts, and give back what stood in nodes of its own before a text: between words, and in ``pre``."""
    preformatted = tree.of_tags(_PRE)
    pre = tree.covered(np.flatnonzero(preformatted))[tree.text_nodes].tolist() if preformatted.any() else None
    for k, text in enumerate(texts):
        if not (pre and pre[k]):
            texts[k] = collapse(text)
    line = tree.line
    for k in (np.flatnonzero(line[1:] == line[:-1]) + 1).tolist():
        if pre and pre[k]:
            texts[k] = _blank_before(nodes[tree.text_nodes[k]]) + texts[k]
        elif texts[k][0] != " " and texts[k - 1][-1] != " " and _blank_before(nodes[tree.text_nodes[k]]):
            texts[k] = " " + texts[k]


def _blank_before(node: LexborNode) -> str:
    """The white space in nodes of its own between a text and the text before it. What is not for readers (scripts) is no text."""
    blank: list[str] = []
    here: LexborNode | None = node
    while here is not None:
        before = here.prev
        if before is None:
            here = here.parent
            continue
        while (last := before.last_child) is not None:
            before = last
        here = before
        if before.is_text_node and not ((above := before.parent) and above.tag in _UNREAD):
            text = before.text_content or ""
            if text.strip(" \t\n\r\f"):
                break
            blank.append(text)
    return "".join(reversed(blank))


def _attributes_of_elements(root: LexborNode) -> Iterator[Attributes]:
    for node in root.traverse():
        if node.tag_id not in (UNDEFINED, COMMENT):
            attributes = node.attributes
            if None in attributes.values():
                attributes = {name: value or "" for name, value in attributes.items()}
            yield attributes  # type: ignore[misc]  # no value is None here
