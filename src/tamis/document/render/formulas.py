"""Formulas as TeX: that of an ``annotation`` or ``alttext`` beside MathML, else that of the MathML; of ``data-tex``; of images.

The other forms of a formula on the page are left out.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Mapping
from dataclasses import dataclass
from itertools import accumulate, islice

import numpy as np

from tamis.page import tags
from tamis.page.tree import BoolColumn, PageTree

_CONTAINER = re.compile(r"(?:^|\s)(?:katex|katex--?display|katex--inline|MathJax(?:_Display)?|mwe-math-element|MJX\S*)(?:\s|$)", re.I)
_DISPLAY = re.compile(r"katex--?display|MathJax_Display|mwe-math-element-block", re.I)
_STYLE = re.compile(r"^\{\\(?:display|text)style\s*(.*)\}$", re.S)
_FLAT = re.compile(r"(?:^|\s)katex-mathml(?:\s|$)")
_PICTURED = re.compile(r"(?:^|[\s_-])(?:latex|tex|math|equation)(?:$|[\s_-])|latex\.php\?|/equation\?tex=|latex\.codecogs\.com/", re.I)
"""Classes and addresses of images that show a formula."""
_NO_SIGN = re.compile(r"[^!-~]|[\\{}^_&~]")
_TEX = re.compile(r"[\\^_{}=<>+*/()-]|^\w$")  #: Characters of an alternative text that is TeX.
_MATH, _BLOCKS = tags.lookup(tags.codes("math")), tags.lookup(tags.BLOCKS)
_CODE = tags.lookup(tags.PREFORMATTED)
_UP = 5  #: Most levels from the MathML to the element that holds all forms of a formula.


_MOST_NODES, _DEEPEST = 1_000, 50  #: Nodes and levels of a ``math`` element that is written as TeX.
_FORMS = {
    "mfrac": (2, r"\frac{{{0}}}{{{1}}}"),
    "mroot": (2, r"\sqrt[{1}]{{{0}}}"),
    "msup": (2, "{base}^{{{1}}}"),
    "mover": (2, "{base}^{{{1}}}"),
    "msub": (2, "{base}_{{{1}}}"),
    "munder": (2, "{base}_{{{1}}}"),
    "msubsup": (3, "{base}_{{{1}}}^{{{2}}}"),
    "munderover": (3, "{base}_{{{1}}}^{{{2}}}"),
}
"""For each element the number of its parts and what is written of them."""
_UNSEEN = dict.fromkeys(map(ord, "\u2061\u2062\u2063\u2064")) | {ord("\u2212"): "-"}
_SPECIAL = re.compile(r"([#$%&{}_])")
_ONE = re.compile(r"\\?\w+|\W|\\\w+\{\w+\}")
_NAMED = frozenset("sin cos tan cot sinh cosh tanh arcsin arccos arctan exp log ln lim max min sup inf det gcd deg dim ker arg".split())
_COMMAND = re.compile(rf"\\(?!(?:{'|'.join(sorted(_NAMED))})\b)[A-Za-z]+|\\\W")
_LONGEST_FLAT = 1_000  #: Characters of a formula whose symbols and TeX are one text.
MOST_FORMULAS = 5_000  #: Formulas of a page that are written as TeX; further ones are text.


@dataclass(frozen=True, slots=True)
class Formulas:
    """The formulas of a page."""

    tex: dict[int, str]
    """TeX by the text node that represents the formula; with ``$$`` around it if it has a line of its own, else ``$``; bare in code."""
    hidden: BoolColumn  #: The other texts and images of formulas, bool ``(n,)``.
    notes: tuple[str, ...] = ()  #: Notes on formulas that were cut.


def formulas(tree: PageTree) -> Formulas | None:
    """Return the formulas of a page as TeX; None if there are none.

    >>> from tamis import parse
    >>> tree = parse('<p>So <math><semantics><mi>x</mi><annotation encoding="application/x-tex">x^2</annotation></semantics></math>')
    >>> list(formulas(tree).tex.values())
    ['$x^2$']
    """
    nodes = tree.tagged(_MATH)[:MOST_FORMULAS]
    stated = _stated_tex(tree)
    if not (len(nodes) or stated):
        return None
    tex: dict[int, str] = {}
    outer: list[int] = []
    code = tree.subtree_mask(tree.tagged(_CODE))
    annotations = _annotations(tree)
    for node in sorted({*nodes.tolist(), *stated}):
        holder = _holder(tree, node)
        first, last = tree.texts_below(holder)
        if first == last or (outer and holder < tree.end[outer[-1]]):
            continue
        before = bisect_left(annotations, tree.end[node])
        inner = annotations[before - 1] if before else -1
        said = stated.get(node) or (tree.text(inner) if inner > node else tree.attribute(node, "alttext")) or ""
        if not (source := _tidy(said) or (to_tex(tree, node) if node not in stated else "")):
            continue
        block = tree.attribute(node, "display") == "block" or bool(_DISPLAY.search(tree.attribute(holder, "class") or ""))
        written = f"$${source}$$" if block else f"${source}$"
        if code[holder]:
            begun = tree.texts[first]
            written = begun[: len(begun) - len(begun.lstrip())] + source
        tex[int(tree.text_nodes[first])] = written
        outer.append(holder)
    if not tex:
        return None
    hidden = tree.subtree_mask(np.array(outer, dtype=np.intp))
    hidden[list(tex)] = False
    more = len(nodes) == MOST_FORMULAS < np.count_nonzero(tree.tag == tags.CODE["math"])
    return Formulas(tex, hidden, (f"more than {MOST_FORMULAS} formulas: the others not written as TeX",) if more else ())


def _stated_tex(tree: PageTree) -> dict[int, str]:
    """TeX by the element that states it: in ``data-tex``, or behind the symbols of KaTeX's MathML that a site has made plain text."""
    found, given = dict[int, str](), tree.values("data-tex")
    for node in given.nodes(str.strip).tolist():
        if not tags.within(_BLOCKS, tree.tag[node + 1 : tree.end[node]]).any():
            found[node] = given.of(node) or ""
    for node in tree.values("class").nodes(_FLAT.search, ("katex-mathml",)).tolist():
        if not tags.within(_MATH, tree.tag[node : tree.end[node]]).any() and (tex := _behind_symbols(tree.text(node))):
            found[node] = tex
    return dict(islice(found.items(), MOST_FORMULAS))


def _behind_symbols(text: str) -> str:
    r"""Return the TeX in a text that has first the symbols of a formula and then its TeX: both have the same letters, digits and signs.

    >>> _behind_symbols("α ( n 2 ) \\alpha (n^2)")
    '\\alpha (n^2)'
    """
    words = text.replace("\u2212", "-").split() if len(text) <= _LONGEST_FLAT else []
    before = list(accumulate((_NO_SIGN.sub("", word) for word in words), initial=""))
    after = list(accumulate((_NO_SIGN.sub("", _COMMAND.sub("", word)) for word in reversed(words)), lambda all, one: one + all, initial=""))
    splits = (at for at in range(1, len(words)) if len(before[at]) == len(after[len(words) - at]))
    return next((" ".join(words[at:]) for at in splits if before[at] == after[len(words) - at]), "")


def pictured(attributes: Mapping[str, str]) -> str:
    """Return the formula, with dollars around it, that an image shows and its alternative text states; nothing for other images.

    >>> pictured({"class": "latex", "alt": "x^2", "src": "https://math.example/latex.php?latex=x%5E2"})
    '$x^2$'
    """
    tex = _tidy(attributes.get("alt", ""))
    shows = _PICTURED.search(attributes.get("class", "")) or _PICTURED.search(attributes.get("src", ""))
    return f"${tex}$" if shows and _TEX.search(tex) else ""


def _annotations(tree: PageTree) -> list[int]:
    """Return the annotations that hold TeX, in order."""
    nodes = np.flatnonzero(tree.tag == tree.names.index("annotation")).tolist() if "annotation" in tree.names else []
    encodings = (given.get("encoding", "").lower() for given in tree.attributes_of(nodes))
    return [node for node, encoding in zip(nodes, encodings, strict=True) if "tex" in encoding]


def _tidy(tex: str) -> str:
    tex = " ".join(tex.split()).strip("$ ")
    match = _STYLE.match(tex)
    return match[1].strip() if match else tex


def _holder(tree: PageTree, node: int) -> int:
    """Return the outermost element near that holds nothing but the forms of one formula."""
    holder = node
    for above, _ in zip(tree.ancestors(node), range(_UP), strict=False):
        if _CONTAINER.search(tree.attribute(above, "class") or "") or tree.name(above) == "mjx-container":
            holder = above
    return holder


def to_tex(tree: PageTree, node: int) -> str:
    """Return the TeX of a ``math`` element; empty where it says nothing, or is too large for a formula.

    >>> from tamis import parse
    >>> tree = parse("<math><mi>c</mi><mo>=</mo><msqrt><mi>g</mi><msup><mi>h</mi><mn>2</mn></msup></msqrt></math>")
    >>> to_tex(tree, next(node for node in range(len(tree)) if tree.name(node) == "math"))
    'c = \\\\sqrt{g h^{2}}'
    """
    return _tex(tree, node, _DEEPEST) if tree.end[node] - node <= _MOST_NODES else ""


def _tex(tree: PageTree, node: int, levels: int) -> str:
    name = tree.name(node)
    if not levels or name.startswith("annotation"):
        return ""
    children = [child for child in tree.children(node).tolist() if tree.tag[child]]
    if not children:
        return _symbol(name, tree.text(node).translate(_UNSEEN).strip())
    parts = [_tex(tree, child, levels - 1) for child in children]
    joined = " ".join(filter(None, parts))
    count, form = _FORMS.get(name, (0, ""))
    if count and len(parts) == count:
        return form.format(*parts, base=parts[0] if _ONE.fullmatch(parts[0]) else f"{{{parts[0]}}}")
    if name == "msqrt":
        return rf"\sqrt{{{joined}}}"
    if name == "mtable":
        rows = r" \\ ".join(parts)
        return rf"\begin{{matrix}} {rows} \end{{matrix}}"
    if name == "mtr":
        return " & ".join(parts)
    return f"({', '.join(parts)})" if name == "mfenced" else joined


def _symbol(name: str, text: str) -> str:
    text = _SPECIAL.sub(r"\\\1", text)
    if name == "mtext" and text:
        return rf"\text{{{text}}}"
    if text in _NAMED:
        return "\\" + text
    return rf"\mathrm{{{text}}}" if name == "mi" and len(text) > 1 and text.isalpha() else text
