"""Formulas as MathML, which browsers draw by themselves: no script, no font, nothing to fetch."""

from __future__ import annotations

import html
from typing import Any

from docutils import nodes
from docutils.utils.math import latex2mathml
from sphinx.application import Sphinx


def setup(app: Sphinx) -> dict[str, Any]:
    """Register the renderer: ``html_math_renderer = "mathml"``."""
    app.add_html_math_renderer("mathml", inline_renderers=(inline_formula, None), block_renderers=(block_formula, None))
    return {"parallel_read_safe": True, "parallel_write_safe": True}


def inline_formula(writer: Any, node: nodes.math) -> None:
    """A formula within a line."""
    writer.body.append(to_mathml(node.astext(), block=False))
    raise nodes.SkipNode


def block_formula(writer: Any, node: nodes.math_block) -> None:
    """A formula of its own."""
    writer.body.append(to_mathml(node.astext(), block=True))
    raise nodes.SkipNode


def to_mathml(formula: str, *, block: bool) -> str:
    """A formula in TeX as MathML, with the TeX as its title."""
    element = latex2mathml.tex2mathml(formula.strip(), as_block=block)
    return element.replace("<math ", f'<math title="{html.escape(formula.strip())}" ', 1)
