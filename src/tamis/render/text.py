"""Plain text: one line per block, white space collapsed, preformatted lines as they are, table cells apart by a tab."""

from __future__ import annotations

from itertools import compress

import numpy as np

from tamis import tags
from tamis.render import Rendering
from tamis.tree import BoolColumn, PageTree

_BREAKS = tags.lookup(tags.BREAKS)
_PRE = tags.lookup(tags.PREFORMATTED)
_CELL = tags.lookup(tags.CELLS)


def to_text(tree: PageTree, keep: BoolColumn, rendering: Rendering = Rendering()) -> str:
    """The kept text of a page.

    Args:
        tree: the page.
        keep: mask of kept nodes, bool ``(n,)``.
        rendering: with ``tables`` off, each cell has a line of its own.

    >>> from tamis import parse
    >>> tree = parse("<h1>Title</h1><p>One <b>two</b>.<table><tr><td>a<td>b</table>")
    >>> to_text(tree, tree.depth >= 0)
    'Title\\nOne two.\\na\\tb'
    """
    mask = keep[tree.text_nodes]
    line = tree.line[mask].tolist()
    texts = list(compress(tree.texts, mask.tolist()))
    preformatted = np.flatnonzero(tree.of_tags(_PRE))
    cells = np.flatnonzero(tree.of_tags(_CELL)) if rendering.tables else preformatted[:0]
    pre = tree.covered(preformatted)[tree.text_nodes][mask].tolist() if len(preformatted) else None
    beside = _beside(tree, cells)[mask].tolist() if len(cells) else None
    lines: list[str] = []
    start = 0
    for k in range(1, len(texts) + 1):
        if k < len(texts) and line[k] == line[start]:
            continue
        text = "".join(texts[start:k])
        shown = text.strip("\n") if pre and pre[start] else " ".join(text.split())
        if shown.strip():
            if beside and beside[start] and lines and start and beside[start] == beside[start - 1]:
                lines[-1] += "\t" + shown
            else:
                lines.append(shown)
        start = k
    return "\n".join(lines)


def _beside(tree: PageTree, cells: np.ndarray[tuple[int], np.dtype[np.intp]]) -> np.ndarray[tuple[int], np.dtype[np.int32]]:
    """For each text node, the number of its table row when it is all of its cell's text, else 0, int32 ``(m,)``.

    Texts in neighbouring cells of one row stand on one line when no cell of the row has a line break inside.
    """
    result = np.zeros(len(tree.texts), dtype=np.int32)
    first = np.searchsorted(tree.text_nodes, cells)
    last = np.searchsorted(tree.text_nodes, tree.end[cells])
    line = tree.line
    broken: set[int] = set()
    spans: list[tuple[int, int, int]] = []
    for cell, a, b in zip(cells.tolist(), first.tolist(), last.tolist(), strict=True):
        row = int(tree.parent[cell])
        if a < b and line[a] == line[b - 1]:
            spans.append((a, b, row))
        elif a < b:
            broken.add(row)
    for a, b, row in spans:
        result[a:b] = 0 if row in broken else row + 1
    return result
