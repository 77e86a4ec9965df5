"""The sample that stands for all records: a node, a CSS selector, a plain XPath, or a piece of HTML, made into a key tree."""

from __future__ import annotations

import re
from dataclasses import dataclass, field

import numpy as np

from tamis.errors import UsageError
from tamis.page import tags
from tamis.page.css import select_css
from tamis.page.parsing import parse
from tamis.page.tree import PageTree
from tamis.records.places import header_rows

_PART_OF_TABLE = re.compile(r"\s*<(tr|td|th|tbody|thead|tfoot|caption|col)\b", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class KeyTree:
    """One sample record, as the subtree of a node."""

    tree: PageTree = field(repr=False)  #: The page that it stands on, or the tree of a piece of HTML.
    node: int
    on_page: bool  #: Whether that tree is the page that is searched.
    notes: tuple[str, ...] = ()

    def outline(self) -> list[tuple[int, str]]:
        """Return the key tree as the paper's figure 5 draws it: nodes in each subtree, and the element, indented by depth."""
        tree, top = self.tree, int(self.tree.depth[self.node])
        nodes = [node for node in range(self.node, int(tree.end[self.node])) if tree.tag[node] != tags.TEXT]
        size = tree.subtree_sum((tree.tag != tags.TEXT).astype(np.int64))
        return [(int(size[node]), "  " * (int(tree.depth[node]) - top) + tree.name(node)) for node in nodes]


def key_tree(page: PageTree, like: str | int) -> KeyTree:
    """The sample that is meant.

    Args:
        page: the page that is searched.
        like: the index of a node; or text: a piece of HTML (starts with ``<``), a plain XPath (starts with ``/``), else a CSS
            selector. Of several nodes that match, the first that is not a row of header cells is the sample, and a note says so.

    Raises:
        UsageError: the node is not an element, nothing matches, or the text is none of these.
    """
    if isinstance(like, int):
        if not 0 <= like < len(page) or page.tag[like] == tags.TEXT:
            raise UsageError(f"node {like} is not an element of this page, which has {len(page):,} nodes")
        return KeyTree(page, like, on_page=True)
    text = like.strip()
    if not text:
        raise UsageError("the sample is empty: give a CSS selector, an XPath or a piece of HTML")
    if text.startswith("<"):
        return _of_html(text)
    found = select_xpath(page, text) if text.startswith("/") else select_css(page, (text,)).tolist()
    if not found:
        raise UsageError(f"nothing on the page matches {like!r}: give a selector of one record, or no sample at all")
    headers = header_rows(page)
    sample = next((node for node in found if not headers[node]), found[0])
    notes = (f"{like} matches {len(found):,} elements; the first is the sample",) if len(found) > 1 else ()
    return KeyTree(page, sample, on_page=True, notes=notes)


def _of_html(text: str) -> KeyTree:
    """The first element of a piece of HTML; parts of tables get the table that a parser needs around them."""
    part = _PART_OF_TABLE.match(text)
    wanted = part[1].lower() if part else ""
    tree = parse(("<table><tr>" if wanted in ("td", "th") else "<table>" if wanted else "") + text)
    if wanted:
        nodes = np.flatnonzero(tree.tag == tags.CODE[wanted])
    else:
        body = np.flatnonzero(tree.tag == tags.CODE["body"])
        nodes = np.flatnonzero((tree.parent == body[0]) & (tree.tag != tags.TEXT)) if len(body) else body
    if not len(nodes):
        raise UsageError("the sample has no element: give the HTML of one record, as <li>...</li>")
    notes = (f"the sample has {len(nodes)} elements side by side; the first is the key tree",) if len(nodes) > 1 and not wanted else ()
    return KeyTree(tree, int(nodes[0]), on_page=False, notes=notes)


_STEP = re.compile(r"(//?)([A-Za-z][\w-]*|\*)(?:\[(\d+)\])?((?:\[@[\w-]+(?:=(?:'[^']*'|\"[^\"]*\"))?\])*)")
"""A step of an XPath: slashes, name, number, attributes."""


def select_xpath(tree: PageTree, path: str) -> list[int]:
    """The elements that a plain XPath selects, rising: steps with ``/`` or ``//``, each a name or ``*``, then a number, then attributes.

    Raises:
        UsageError: the path is not a plain XPath.

    >>> from tamis import parse
    >>> tree = parse("<body><p>one<p class=x>two")
    >>> [tree.text(node) for path in ("/html/body/p[2]", "//p[@class='x']") for node in select_xpath(tree, path)]
    ['two', 'two']
    """
    steps = list(_STEP.finditer(path))
    if "".join(step[0] for step in steps) != path:
        raise UsageError(f"{path!r} is not a plain XPath, such as /html/body/ul[2]/li or //ul[@id='boats']/li: give a CSS selector")
    selector = ""
    for slashes, name, number, attributes in map(re.Match.groups, steps):
        position = f":nth-{'child' if name == '*' else 'of-type'}({number})" if number else ""
        selector += (" > " if slashes == "/" else " ") + name.lower() + position + attributes.replace("[@", "[")
    found = select_css(tree, (selector.removeprefix(" > "),)).tolist()
    return [node for node in found if "//" in path or tree.depth[node] == len(steps) - 1]
