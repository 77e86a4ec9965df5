"""Plain text: one line per block, white space collapsed, preformatted lines as they are, table cells apart by a tab.

Every page pays for this renderer, so its work goes with the kept text: what pages may have besides lines of running text
(preformatted text, tables) costs nothing where they have none.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from tamis.document.render import Rendering
from tamis.document.render.code import gutters
from tamis.document.render.formulas import formulas
from tamis.document.render.marks import permalinks, visible
from tamis.native import columns as compiled
from tamis.page import tags
from tamis.page.tree import BoolColumn, PageTree

_PRE = tags.lookup(tags.PREFORMATTED & tags.BLOCKS)
_CELL = tags.lookup(tags.CELLS)
_PRE_OR_CELL = _PRE | _CELL
_NONE = np.zeros(0, dtype=np.bool_)


def to_text(tree: PageTree, keep: BoolColumn, rendering: Rendering = Rendering()) -> str:
    """The kept text of a page.

    Numbers of code lines that stand in a table cell of their own are left out (:func:`tamis.document.render.code.gutters`).

    Args:
        tree: the page.
        keep: mask of kept nodes, bool ``(n,)``.
        rendering: with ``tables`` off, each cell has a line of its own.

    >>> from tamis import parse
    >>> tree = parse("<h1>Title</h1><p>One <b>two</b>.<table><tr><td>a<td>b</table>")
    >>> to_text(tree, tree.depth >= 0)
    'Title\\nOne two.\\na\\tb'
    """
    shown = keep[tree.text_nodes].nonzero()[0]
    special = tree.of_tags(_PRE_OR_CELL).nonzero()[0]
    is_pre = tags.within(_PRE, tree.tag[special])
    pres, cells = special[is_pre], special[~is_pre]
    if len(pres) and len(cells):
        shown = shown[~tree.covered(gutters(tree, cells, pres))[tree.text_nodes[shown]]]
    if (marks := permalinks(tree)) is not None:
        shown = shown[~marks[tree.text_nodes[shown]]]
    if (found := formulas(tree)) is not None:
        shown = shown[~found.hidden[tree.text_nodes[shown]]]
        texts = [found.tex.get(node, text) for node, text in zip(tree.text_nodes.tolist(), tree.texts, strict=True)]
        tree = replace(tree, texts=texts)
    if not len(shown):
        return ""
    line = tree.line[shown]
    starts = _starts(line)
    nodes = tree.text_nodes[shown]
    pre = tree.covered(pres)[nodes[starts]] if len(pres) else _NONE
    lines = _lines(tree, shown, line, starts, pre)
    if not (len(cells) and rendering.tables):
        return visible("\n".join(filter(None, lines)))
    return visible(_beside(lines, _rows(tree, cells, nodes, starts).tolist()))


def lines(tree: PageTree, shown: NDArray[np.intp]) -> list[str]:
    """The lines that some of a page's texts make, white space collapsed.

    Args:
        tree: the page.
        shown: positions among its texts, rising, intp ``(s,)``.
    """
    if not len(shown):
        return []
    line = tree.line[shown]
    starts = _starts(line)
    return _lines(tree, shown, line, starts, _NONE)


def _starts(line: NDArray[np.int32]) -> NDArray[np.intp]:
    """Where lines begin among the texts shown, intp ``(lines,)``."""
    first = np.ones(len(line), dtype=np.bool_)
    np.not_equal(line[1:], line[:-1], out=first[1:])
    return first.nonzero()[0]


def _lines(tree: PageTree, shown: NDArray[np.intp], line: NDArray[np.int32], starts: NDArray[np.intp], pre: BoolColumn) -> list[str]:
    """The lines, white space collapsed but in preformatted ones.

    Args:
        tree: the page.
        shown: the texts shown, intp ``(s,)``.
        line: the line each of them stands on, int32 ``(s,)``.
        starts: index into ``shown`` of the first one on each line, intp ``(lines,)``.
        pre: whether each line is preformatted, bool ``(lines,)``, or of no length where none is.
    """
    texts = tree.texts if isinstance(tree.texts, list) else list(tree.texts)
    if not len(pre) or not pre.any():
        return compiled.lines(texts, shown, line, None)
    verbatim = np.zeros(len(shown), dtype=np.bool_)
    verbatim[starts[pre]] = True
    lines = compiled.lines(texts, shown, line, verbatim)
    for k in np.flatnonzero(pre).tolist():
        lines[k] = _verbatim(lines[k])
    return lines


def _verbatim(text: str) -> str:
    """Preformatted text without empty lines around it; nothing where it is all white space."""
    if "\r" in text:
        text = text.replace("\r\n", "\n").replace("\r", "\n")
    return "" if text.isspace() else text.strip("\n")


def _beside(lines: list[str], rows: list[int]) -> str:
    """Put lines of one table row side by side, a tab between them; 0 is no row."""
    parts: list[str] = []
    before = 0
    for text, row in zip(lines, rows, strict=True):
        if text:
            if parts:
                parts.append("\t" if row and row == before else "\n")
            parts.append(text)
            before = row
    return "".join(parts)


def _rows(tree: PageTree, cells: NDArray[np.intp], nodes: NDArray[np.int32], starts: NDArray[np.intp]) -> NDArray[np.int64]:
    """For each line, the number of its table row when it is all of its cell's text, else 0, int64 ``(lines,)``.

    Lines in cells of one row stand side by side when no cell of the row has a line break inside.

    Args:
        tree: the page.
        cells: its table cells.
        nodes: the shown text nodes.
        starts: index into ``nodes`` of the first one on each line.
    """
    first = np.searchsorted(nodes, cells)
    last = np.searchsorted(nodes, tree.end[cells]) - 1
    filled = first <= last
    cells, first, last = cells[filled], first[filled], last[filled]
    of_line = np.searchsorted(starts, first, side="right") - 1
    row = tree.parent[cells].astype(np.int64) + 1
    broken = np.zeros(len(tree) + 1, dtype=np.bool_)
    whole = np.searchsorted(starts, last, side="right") - 1 == of_line
    broken[row[~whole]] = True
    whole &= ~broken[row]
    result = np.zeros(len(starts), dtype=np.int64)
    result[of_line[whole]] = row[whole]  # of nested cells the innermost one, which comes last, counts
    return result
