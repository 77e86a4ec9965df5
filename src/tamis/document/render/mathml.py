"""MathML that brings no TeX of its own, written as TeX."""

from __future__ import annotations

import re

from tamis.page.tree import PageTree

_MOST_NODES = 1_000
_DEEPEST = 50
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


def to_tex(tree: PageTree, node: int) -> str:
    """The TeX of a ``math`` element; empty where it says nothing, or is too large for a formula.

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
