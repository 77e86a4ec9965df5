"""Formulas as TeX: the source that pages carry beside what they show, or MathML.

KaTeX, MathJax and MediaWiki put MathML on the page whose ``annotation`` (or ``alttext``) holds TeX, and beside it, for the eye, boxes or
an image. Of all of these one is the formula: the TeX, else the MathML written as TeX.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

import numpy as np

from tamis.document.render.mathml import to_tex
from tamis.page import tags
from tamis.page.tree import BoolColumn, PageTree

_CONTAINER = re.compile(r"(?:^|\s)(?:katex|katex-display|MathJax(?:_Display)?|mwe-math-element|MJX\S*)(?:\s|$)", re.I)
_DISPLAY = re.compile(r"katex-display|MathJax_Display|mwe-math-element-block", re.I)
_STYLE = re.compile(r"^\{\\(?:display|text)style\s*(.*)\}$", re.S)
_UP = 5
"""How far above the MathML the element stands that holds all forms of a formula."""


@dataclass(frozen=True, slots=True)
class Formulas:
    """The formulas of a page."""

    tex: dict[int, str]
    """TeX by the text node that stands for the formula; with ``$$`` around it where it has a line of its own, else ``$``."""
    hidden: BoolColumn
    """The other texts and images of formulas, bool ``(n,)``."""


def formulas(tree: PageTree) -> Formulas | None:
    """The formulas of a page as TeX; None where there are none.

    >>> from tamis import parse
    >>> tree = parse('<p>So <math><semantics><mi>x</mi><annotation encoding="application/x-tex">x^2</annotation></semantics></math>')
    >>> list(formulas(tree).tex.values())
    ['$x^2$']
    """
    nodes = np.flatnonzero(tree.tag == tags.CODE["math"])
    tex: dict[int, str] = {}
    outer: list[int] = []
    for node in nodes.tolist():
        source = _source(tree, node)
        holder = _holder(tree, node)
        first, last = np.searchsorted(tree.text_nodes, (holder, tree.end[holder]))
        if not source or first == last or (outer and holder < tree.end[outer[-1]]):
            continue
        block = tree.attribute(node, "display") == "block" or bool(_DISPLAY.search(tree.attribute(holder, "class") or ""))
        tex[int(tree.text_nodes[first])] = f"$${source}$$" if block else f"${source}$"
        outer.append(holder)
    if not tex:
        return None
    hidden = tree.covered(np.array(outer, dtype=np.intp))
    hidden[list(tex)] = False
    return Formulas(tex, hidden)


def _source(tree: PageTree, node: int) -> str:
    """The TeX of a ``math`` element."""
    for inner in range(int(tree.end[node]) - 1, node, -1):
        if tree.tag[inner] and tree.name(inner) == "annotation" and "tex" in (tree.attribute(inner, "encoding") or "").lower():
            return _tidy(tree.text(inner))
    return _tidy(tree.attribute(node, "alttext") or "") or to_tex(tree, node)


def _tidy(tex: str) -> str:
    tex = " ".join(tex.split()).strip("$ ")
    match = _STYLE.match(tex)
    return match[1].strip() if match else tex


def _holder(tree: PageTree, node: int) -> int:
    """The outermost element near that holds nothing but the forms of one formula."""
    holder = node
    for above, _ in zip(tree.ancestors(node), range(_UP), strict=False):
        if _CONTAINER.search(tree.attribute(above, "class") or "") or tree.name(above) == "mjx-container":
            holder = above
    return holder
