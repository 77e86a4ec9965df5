"""Footnotes: references in the text, notes in a list below it, and the links from a note back to its references."""

from __future__ import annotations

import re
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from tamis.page import tags
from tamis.page.tree import PageTree

_TARGET = re.compile(r"(?:^|[-_:.\d])(?:fn|footnote|note|endnote|cite_note|cite-note|ref-fn|easy-footnote)(?![a-z])", re.I)
_BACK = re.compile(r"(?:^|[-_:.\d])(?:fnref|ref|cite_ref|footnote-ref|noteref|footnote-reference|fnr)(?![a-z])", re.I)
_LABEL = re.compile(r"\[?\s*(\w{1,8})\s*\]?")
_LI = tags.CODE["li"]


@dataclass(frozen=True, slots=True)
class Notes:
    """The footnotes of a page."""

    references: dict[int, str] = field(default_factory=dict)
    """Label by the ``a`` element that refers to a note."""
    notes: dict[int, str] = field(default_factory=dict)
    """Label by the list item that is the note."""
    back: frozenset[int] = frozenset()
    """Links from notes back to the text."""


def footnotes(tree: PageTree, shown: NDArray[np.integer]) -> Notes:
    """The footnotes of a page: list items with an ``id`` that says so, to which short links within the page refer.

    Args:
        tree: the page.
        shown: the texts that are shown, rising.

    >>> from tamis import parse
    >>> tree = parse('<p>Reeds<sup><a href="#fn1">1</a></sup><ol><li id="fn1">Rushes. <a href="#fnref1">↩</a></ol>')
    >>> found = footnotes(tree, tree.text_nodes)
    >>> list(found.references.values()), list(found.notes.values()), len(found.back)
    (['1'], ['1'], 1)
    """

    def with_text(nodes: NDArray[np.intp]) -> NDArray[np.intp]:
        return nodes[tree.count_below(nodes, shown) > 0]

    items = with_text(np.flatnonzero(tree.tag == _LI))
    codes, names = tree.values_at(items, ("id",))[0]
    wanted = {code for code in set(codes.tolist()) - {-1} if _TARGET.search(names[code])}
    ids = {names[code]: node for node, code in zip(items.tolist(), codes.tolist(), strict=True) if code in wanted}
    if not ids:
        return Notes()
    references: dict[int, str] = {}
    labels: dict[int, str] = {}
    back = set()
    links = with_text(np.flatnonzero(tree.link)).tolist()
    inside = tree.covered(np.array(list(ids.values()), dtype=np.intp))
    for node, attributes in zip(links, tree.attributes_of(links), strict=True):
        target = attributes.get("href", "").partition("#")[2]
        if inside[node]:
            if _BACK.search(target) and len(tree.text(node)) <= 3:
                back.add(node)
        elif target in ids and (label := _LABEL.fullmatch(tree.text(node))):
            references[node] = labels.setdefault(ids[target], label[1])
    if len(set(labels.values())) < len(labels):  # notes of several articles on one page: their numbers would clash
        return Notes()
    return Notes(references, labels, frozenset(back))
