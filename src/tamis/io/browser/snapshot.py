"""From Chromium's ``DOMSnapshot.captureSnapshot`` to a PageTree and its Appearance.

The tree is the one that :func:`tamis.parse` makes of the same markup: comments and pseudo-elements are left out, blank texts too, white
space is collapsed. Pieces of one text (Chromium cuts texts at 65,536 characters, scripts put them in piece by piece) are one text. What
is in a shadow root stands before the other children of its host. What is in frames is not part of the page.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tamis.io.browser.paint import STYLES, appearance_of, frozen
from tamis.page import tags
from tamis.page.appearance import Appearance
from tamis.page.tree import NO_ATTRIBUTES, Attributes, IntColumn, LazyAttributes, PageTree
from tamis.page.walk_plain import collapse, is_json_ld

COMMAND = "DOMSnapshot.captureSnapshot"
PARAMETERS: Mapping[str, Any] = {"computedStyles": list(STYLES), "includePaintOrder": False, "includeDOMRects": False}
"""What to ask Chromium for."""

_ELEMENT, _TEXT, _DOCUMENT, _FRAGMENT = 1, 3, 9, 11
_SPACE = " \t\n\r\f"
_RAW = tags.lookup(tags.RAW)
_PRE = tags.lookup(tags.PREFORMATTED)
_LINKS = tags.lookup(tags.codes("a area"))
_SCRIPT = tags.CODE["script"]


@dataclass(frozen=True, eq=False)
class Snapshot:
    """A page as the browser had it."""

    tree: PageTree
    appearance: Appearance
    title: str


def convert(answer: Mapping[str, Any], *, notes: tuple[str, ...] = ()) -> Snapshot:
    """The tree and the appearance of the page in an answer to :data:`COMMAND` with :data:`PARAMETERS`."""
    document, strings = answer["documents"][0], answer["strings"]
    nodes = _Nodes(document["nodes"], strings)
    tree = nodes.tree(notes)
    return Snapshot(
        tree=tree,
        appearance=appearance_of(tree, nodes.place, document, strings),
        title=_string(strings, document["title"]),
    )


def _string(strings: Sequence[str], index: int) -> str:
    return strings[index] if index >= 0 else ""


class _Nodes:
    """Chromium's nodes, and which of them make nodes of the tree."""

    def __init__(self, nodes: Mapping[str, Any], strings: Sequence[str]) -> None:
        self.strings = strings
        self.value: list[int] = nodes["nodeValue"]
        self.attributes: list[list[int]] = nodes["attributes"]
        self.kind = np.array(nodes["nodeType"], np.int32)
        parent = np.array(nodes["parentIndex"], np.int32)
        pseudo = np.zeros(len(parent), dtype=np.bool_)
        pseudo[nodes.get("pseudoType", {}).get("index", ())] = True
        self.kept = (self.kind == _ELEMENT) & ~pseudo
        self.tag, self.names = self._tags(np.array(nodes["nodeName"], np.int32))
        first = self._first_pieces(parent)
        self.parent = np.where(self.kind[parent] == _FRAGMENT, parent[parent], parent)
        self.texts, self.blanks = self._texts(first)
        self.place = np.where(self.kept, np.cumsum(self.kept) - 1, -1)[first]
        """Index in the tree of each of Chromium's nodes, all pieces of a text alike; -1 where it is left out."""

    def _tags(self, name: NDArray[np.int32]) -> tuple[IntColumn, tuple[str, ...]]:
        """Tag codes, 0 for what is no element, and the names by code."""
        element = np.flatnonzero(self.kept)
        code_of = np.zeros(len(self.strings), dtype=np.int32)
        named = np.unique(name[element]).tolist()
        code_of[named] = [tags.CODE.get(self.strings[index].lower(), -1) for index in named]
        tag = np.zeros(len(self.kind), dtype=np.int32)
        tag[element] = code_of[name[element]]
        own: dict[str, int] = {}
        for node in np.flatnonzero(tag < 0).tolist():  # numbered as they come
            told = self.strings[name[node]]  # in capitals where it is HTML; the names of SVG have both
            tag[node] = own.setdefault(told.lower() if told.isupper() else told, len(tags.KNOWN) + len(own))
        return tag, (*tags.KNOWN, *own) if own else tags.KNOWN

    def _first_pieces(self, parent: IntColumn) -> NDArray[np.intp]:
        """For each node itself, for the pieces of a text the first of them."""
        first = np.arange(len(parent))
        text = self.kind == _TEXT
        goes_on = np.flatnonzero(text[1:] & text[:-1] & (parent[1:] == parent[:-1])) + 1
        for piece in goes_on.tolist():
            first[piece] = first[piece - 1]
        return first

    def _texts(self, first: NDArray[np.intp]) -> tuple[list[str], list[str]]:
        """The texts that are kept, and the white space in nodes of its own before each. Marks their nodes as kept."""
        read = (self.kind == _TEXT) & ~tags.within(_RAW, self.tag[self.parent])
        joined: dict[int, str] = {}
        for node, whole in zip(np.flatnonzero(read).tolist(), first[read].tolist(), strict=True):
            text = _string(self.strings, self.value[node])
            joined[whole] = joined[whole] + text if whole in joined else text
        texts: list[str] = []
        blanks: list[str] = []
        blank = ""
        for node, text in joined.items():
            if text.strip(_SPACE):
                self.kept[node] = True
                texts.append(text)
                blanks.append(blank)
                blank = ""
            else:
                blank += text
        return texts, blanks

    def tree(self, notes: tuple[str, ...]) -> PageTree:
        parent = np.where(self.parent >= 0, self.place[self.parent], -1)[self.kept].astype(np.int32)
        tag = self.tag[self.kept]
        own = np.flatnonzero(self.kept).tolist()
        link = tags.within(_LINKS, tag)
        link[[node for node in np.flatnonzero(link).tolist() if "href" not in self._attributes_of(own[node])]] = False
        text_nodes = np.flatnonzero(tag == tags.TEXT).astype(np.int32)
        tree = PageTree(
            tag=frozen(tag),
            parent=frozen(parent),
            end=frozen(_ends(parent)),
            text_nodes=frozen(text_nodes),
            texts=self.texts,
            link=frozen(link),
            attributes=LazyAttributes(len(tag), lambda: [self._attributes_of(node) for node in own]),
            names=self.names,
            json_ld=self._json_ld(),
            notes=notes,
        )
        self._tidy(tree)
        return tree

    def _attributes_of(self, node: int) -> Attributes:
        found = self.attributes[node]
        if not found:
            return NO_ATTRIBUTES
        words = [_string(self.strings, index) for index in found]
        return dict(zip(words[::2], words[1::2], strict=True))

    def _json_ld(self) -> tuple[str, ...]:
        scripts = [node for node in np.flatnonzero(self.tag == _SCRIPT).tolist() if is_json_ld(self._attributes_of(node).get("type"))]
        inside = (np.flatnonzero((self.parent == script) & (self.kind == _TEXT)).tolist() for script in scripts)
        blocks = ("".join(_string(self.strings, self.value[node]) for node in nodes) for nodes in inside)
        return tuple(block for block in blocks if block)

    def _tidy(self, tree: PageTree) -> None:
        """Collapse white space as :mod:`tamis.page.walk_plain` does, and give back what stood in nodes of its own between words."""
        preformatted = tree.covered(np.flatnonzero(tree.of_tags(_PRE)))[tree.text_nodes].tolist()
        texts, line = self.texts, tree.line.tolist()
        for k, text in enumerate(texts):
            same_line = k > 0 and line[k] == line[k - 1]
            if preformatted[k]:
                texts[k] = self.blanks[k] + text if same_line else text
            else:
                tidy = collapse(text)
                apart = same_line and self.blanks[k] and tidy[0] != " " and texts[k - 1][-1] != " "
                texts[k] = " " + tidy if apart else tidy


def _ends(parent: IntColumn) -> IntColumn:
    """First index after each subtree."""
    end = np.arange(1, len(parent) + 1, dtype=np.int32).tolist()
    above = parent.tolist()
    for node in range(len(end) - 1, 0, -1):  # children come after their parents: from the back, each is complete when its parent asks
        end[above[node]] = max(end[above[node]], end[node])
    return np.array(end, dtype=np.int32)
