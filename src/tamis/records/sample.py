"""The sample that stands for all records: a node, a CSS selector, an XPath, or a piece of HTML, made into a key tree.

Of XPath plain steps, as :meth:`tamis.page.tree.PageTree.xpath` and browsers write them (``/html[1]/body[1]/ul[2]/li``), are followed on the
tree itself. Everything else is asked of lxml, on a copy of the tree.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from tamis.errors import MissingExtraError, UsageError
from tamis.page import tags
from tamis.page.css import select_css
from tamis.page.parsing import parse
from tamis.page.tree import PageTree
from tamis.records.places import header_rows

if TYPE_CHECKING:
    from lxml.etree import _Element

_PART_OF_TABLE = re.compile(r"\s*<(tr|td|th|tbody|thead|tfoot|caption|col)\b", re.IGNORECASE)
_WRAPPED = {"tr": "<table>{}</table>", "td": "<table><tr>{}</table>", "th": "<table><tr>{}</table>"}


@dataclass(frozen=True, slots=True)
class KeyTree:
    """One sample record, as the subtree of a node."""

    tree: PageTree = field(repr=False)
    """The page that it stands on, or the tree of a piece of HTML."""
    node: int
    on_page: bool
    """Whether that tree is the page that is searched."""
    notes: tuple[str, ...] = ()

    @property
    def tag(self) -> str:
        """Name of its root."""
        return self.tree.name(self.node)


def key_tree(page: PageTree, like: str | int) -> KeyTree:
    """The sample that is meant.

    Args:
        page: the page that is searched.
        like: the index of a node; or text: a piece of HTML (starts with ``<``), an XPath (starts with ``/`` or ``(``), else a CSS
            selector. Of several nodes that match, the first (that is no row of header cells) is the sample, and a note says so.

    Raises:
        UsageError: there is no such node, nothing matches, or the text is none of these.
        MissingExtraError: an XPath beyond plain steps (``/html/body/ul[2]/li``, ``//div``) needs lxml.
    """
    if isinstance(like, int):
        if not 0 <= like < len(page) or page.tag[like] == tags.TEXT:
            raise UsageError(f"node {like} is no element of this page, which has {len(page):,} nodes")
        return KeyTree(page, like, on_page=True)
    text = like.strip()
    if not text:
        raise UsageError("the sample is empty: give a CSS selector, an XPath or a piece of HTML")
    if text.startswith("<"):
        return _of_html(text)
    xpath = text.startswith(("/", "(", "./"))
    found = select_xpath(page, text) if xpath else select_css(page, (text,)).tolist()
    if not found:
        raise UsageError(f"nothing on the page matches {like!r}: give a selector of one record, or no sample at all")
    if len(found) == 1:
        return KeyTree(page, found[0], on_page=True)
    headers = header_rows(page)
    sample = next((node for node in found if not headers[node]), found[0])
    return KeyTree(page, sample, on_page=True, notes=(f"{like} matches {len(found):,} elements; the first is the sample",))


def _of_html(text: str) -> KeyTree:
    """The first element of a piece of HTML; parts of tables get the table that a parser needs around them."""
    part = _PART_OF_TABLE.match(text)
    wanted = part[1].lower() if part else ""
    tree = parse(_WRAPPED.get(wanted, "<table>{}</table>").format(text) if part else text)
    if wanted:
        nodes = np.flatnonzero(tree.tag == tags.CODE[wanted])
    else:
        body = np.flatnonzero(tree.tag == tags.CODE["body"])
        nodes = np.flatnonzero((tree.parent == body[0]) & (tree.tag != tags.TEXT)) if len(body) else body
    if not len(nodes):
        raise UsageError("the sample has no element: give the HTML of one record, as <li>...</li>")
    notes = (f"the sample has {len(nodes)} elements side by side; the first is the key tree",) if len(nodes) > 1 and not wanted else ()
    return KeyTree(tree, int(nodes[0]), on_page=False, notes=notes)


# -- XPath -------------------------------------------------------------------------------------------------------------


_STEP = re.compile(r"/([a-z][a-z0-9-]*)(?:\[(\d+)\])?", re.IGNORECASE)
_NAME = re.compile(r"[A-Za-z_][\w.-]*")
_ILLEGAL = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")


def select_xpath(tree: PageTree, path: str) -> list[int]:
    """The elements that an XPath selects, rising.

    Raises:
        UsageError: it is no XPath, or selects something other than elements.
        MissingExtraError: it is more than plain steps, and lxml is not installed.

    >>> from tamis import parse
    >>> tree = parse("<body><p>one<p>two")
    >>> [tree.text(node) for node in select_xpath(tree, "/html/body/p[2]")]
    ['two']
    """
    steps = list(_STEP.finditer(path))
    if "".join(step[0] for step in steps) == path:
        return _follow(tree, [(step[1].lower(), int(step[2] or 0)) for step in steps])
    try:
        from lxml import etree
    except ImportError as error:
        raise MissingExtraError(f"the XPath {path!r}", "lxml") from error
    if not len(tree):
        return []
    elements = _as_lxml(tree)
    index: dict[object, int] = {element: node for node, element in elements.items()}
    try:
        found = next(iter(elements.values())).getroottree().xpath(path)
    except etree.XPathError as error:
        raise UsageError(f"{path!r} is not an XPath: {error}") from error
    chosen = [index.get(each) for each in found] if isinstance(found, list) else [None]
    if None in chosen:
        raise UsageError(f"{path!r} selects no elements: leave out what comes after the element, such as /text() or /@href")
    return sorted(node for node in chosen if node is not None)


def _follow(tree: PageTree, steps: list[tuple[str, int]]) -> list[int]:
    """Child steps with or without a number; none where a step leads nowhere."""
    here: NDArray[np.intp] = np.array([-1])
    for name, number in steps:
        code = next((code for code, known in enumerate(tree.names) if known == name), -1)
        inside = np.isin(tree.parent, here) & (tree.tag == code)
        here = np.flatnonzero(inside & (tree.ordinal == number) if number else inside)
    return [int(node) for node in here]


def _as_lxml(tree: PageTree) -> dict[int, _Element]:
    """The elements of the tree as lxml's, by node, the root first. What XML cannot hold is left out."""
    from lxml import etree

    made: dict[int, _Element] = {}
    texts = dict(zip(tree.text_nodes.tolist(), tree.texts, strict=True))
    for node in range(len(tree)):
        above = made.get(int(tree.parent[node]))
        if tree.tag[node] == tags.TEXT:
            if above is not None:
                _append_text(above, _ILLEGAL.sub("", texts[node]))
            continue
        name = tree.name(node)
        element = etree.Element(name if _NAME.fullmatch(name) else "unknown")
        for attribute, value in tree.attributes[node].items():
            if _NAME.fullmatch(attribute):
                element.set(attribute, _ILLEGAL.sub("", value))
        made[node] = element
        if above is not None:
            above.append(element)
    return made


def _append_text(above: _Element, text: str) -> None:
    if len(above):
        above[-1].tail = (above[-1].tail or "") + text
    else:
        above.text = (above.text or "") + text
