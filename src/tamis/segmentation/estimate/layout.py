"""Boxes guessed from the markup: blocks below each other, text wrapped at an average width of characters, tables in columns.

One pass over the nodes in document order. What a style sheet would do (floats, grids, positions) is not seen, so columns are known only
where they are tables, or ``main`` and ``aside`` side by side.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from math import ceil

import numpy as np

from tamis.page import tags
from tamis.page.appearance import Appearance
from tamis.page.tree import PageTree
from tamis.segmentation.estimate.columns import Columns
from tamis.segmentation.estimate.styles import Styles, read_styles
from tamis.segmentation.items import join_upwards

PAGE_WIDTH = 1280.0
_CHARACTER = 0.5
"""Width of a character by its font size; wide characters (Chinese, Japanese, Korean) are twice as wide."""
_LINE = 1.2
"""Height of a line by its font size."""
_WIDE = re.compile("[\u1100-\u11ff\u2e80-\u9fff\uac00-\ud7af\uf900-\ufaff\uff01-\uff60\U00020000-\U0003ffff]")
_MARGINS = {
    tags.CODE[name]: margin for name, margin in (("body", 0.5), ("hr", 0.5), ("h1", 0.67), ("h2", 0.83), ("h5", 1.67), ("h6", 2.33))
}
_MARGINS |= dict.fromkeys(tags.codes("p ul ol dl menu dir blockquote pre figure h3 h4 listing xmp"), 1.0)
"""Space above and below, by font size."""
_INDENTS = dict.fromkeys(tags.codes("ul ol menu dir blockquote dd figure"), 40.0) | {tags.CODE["body"]: 8.0}
_SIZES = {
    tags.CODE[name]: size
    for name, size in (
        *dict.fromkeys(("img", "svg", "canvas", "image"), (100.0, 60.0)).items(),
        *dict.fromkeys(("iframe", "embed", "object", "applet", "video", "frame"), (300.0, 150.0)).items(),
        *dict.fromkeys(("input", "select", "meter", "progress"), (150.0, 21.0)).items(),
        ("audio", (300.0, 54.0)),
        ("textarea", (180.0, 36.0)),
        ("math", (60.0, 20.0)),
    )
}
"""Width and height of what is no text, where the markup does not say."""
_BR, _HR = tags.CODE["br"], tags.CODE["hr"]
_PRE = tags.PREFORMATTED


@dataclass(slots=True)
class _Open:
    """A block that is being filled."""

    node: int
    end: int
    left: float
    width: float
    y: float
    """Where the next line or block starts."""
    top: float
    line: float = 0.0
    """How far the current line is filled, in pixels."""
    line_height: float = 0.0
    """Height of the current line; 0 where there is none."""
    margin: float = 0.0
    """Space that the last block leaves below, which the next one's may cover."""
    below: float = 0.0
    """Space that this block leaves below."""
    lowest: float = 0.0
    """Lowest bottom of its columns."""
    columns: dict[int, tuple[float, float]] = field(default_factory=dict)
    """Children that stand side by side: how far from the left, and how wide."""

    def end_line(self) -> None:
        self.y += self.line_height
        self.line = self.line_height = 0.0

    def pass_columns(self) -> None:
        """What comes next stands below what stood side by side."""
        self.y = max(self.y, self.lowest)

    def start_line(self, height: float) -> None:
        if not self.line_height:
            self.pass_columns()
            self.y += self.margin
            self.margin = 0.0
        self.line_height = max(self.line_height, height)


def estimate_appearance(tree: PageTree, width: float = PAGE_WIDTH) -> Appearance:
    """An appearance from the markup alone; :attr:`Appearance.estimated` says so.

    Args:
        tree: the page.
        width: of the page in pixels.
    """
    styles = read_styles(tree)
    layout = _Layout(tree, styles, width)
    if len(tree):
        layout.run()
    box = layout.boxes()
    sized = (box[:, 2] > 0) & (box[:, 3] > 0)
    return Appearance(
        box=box,
        visible=~np.array(styles.hidden, dtype=np.bool_) & sized,
        inline=np.array(styles.inline, dtype=np.bool_),
        font_size=np.array(styles.font_size, dtype=np.float32),
        font_weight=np.array(styles.font_weight, dtype=np.int16),
        color=np.full(len(tree), 0x000000FF, dtype=np.uint32),
        background=np.array(styles.background, dtype=np.uint32),
        width=width,
        height=float((box[:, 1] + box[:, 3]).max(initial=0.0)),
        estimated=True,
    )


class _Layout:
    def __init__(self, tree: PageTree, styles: Styles, width: float) -> None:
        self.tree, self.styles, self.page_width = tree, styles, width
        self.codes, self.ends = tree.tag.tolist(), tree.end.tolist()
        self.edges = np.full((len(tree), 4), (np.inf, np.inf, -np.inf, -np.inf))
        self.texts = dict(zip(tree.text_nodes.tolist(), tree.texts, strict=True))
        self.natural = self._natural_widths()
        self.columns = Columns(tree, styles, self.natural)
        self.stack: list[_Open] = []
        self.preformatted = 0

    def _natural_widths(self) -> list[float]:
        """Width of each node's content if all of it stood in one line."""
        widths = np.zeros(len(self.tree))
        for node, text in self.texts.items():
            if not self.styles.hidden[node]:
                widths[node] = text_width(text, self.styles.font_size[node])
        for node, code in enumerate(self.codes):
            if code in _SIZES and not self.styles.hidden[node]:
                widths[node] = self._size(node, self.page_width)[0]
        return self.tree.subtree_sum(widths).tolist()  # type: ignore[no-any-return]

    def run(self) -> None:
        """Lay out all nodes."""
        hidden, inline = self.styles.hidden, self.styles.inline
        self.stack.append(_Open(0, self.ends[0], 0.0, self.page_width, 0.0, 0.0))
        node = 1
        while node < len(self.codes):
            while node >= self.stack[-1].end:
                self._close()
            code = self.codes[node]
            if hidden[node]:
                node = self.ends[node]
            elif code == tags.TEXT:
                self._text(node)
                node += 1
            elif code in _SIZES:
                self._replaced(node)
                node = self.ends[node]
            elif code == _BR:
                self.stack[-1].start_line(self.styles.font_size[node] * _LINE)
                self.stack[-1].end_line()
                node += 1
            else:
                if not inline[node] or node in self.stack[-1].columns:
                    self._open(node, code)
                node += 1
        while self.stack:
            self._close()

    def boxes(self) -> np.ndarray[tuple[int, ...], np.dtype[np.float32]]:
        """Left, top, width and height of all nodes; zeros where there is nothing."""
        join_upwards(self.tree, self.edges)
        known = self.edges[:, 2] >= self.edges[:, 0]
        box = np.where(known[:, None], self.edges, 0.0)
        box[:, 2:] -= box[:, :2]
        return box.astype(np.float32)

    def _open(self, node: int, code: int) -> None:
        around = self.stack[-1]
        size = self.styles.font_size[node]
        margin = _MARGINS.get(code, 0.0) * size
        if node in around.columns:
            offset, width = around.columns[node]
            block = _Open(node, self.ends[node], around.left + offset, width, around.y, around.y)
        else:
            around.end_line()
            around.pass_columns()
            around.y += max(around.margin, margin)
            around.margin = 0.0
            indent = _INDENTS.get(code, 0.0)
            width = max(around.width - indent, 40.0)
            if node in self.styles.width:
                width = self.styles.width[node].of(width)
            block = _Open(node, self.ends[node], around.left + indent, width, around.y, around.y, below=margin)
        if code == _HR:
            block.y += 2.0
        width, block.columns = self.columns.of(node, block.width)
        block.left += (block.width - width) / 2 if block.columns and self.columns.centred(node) else 0.0
        block.width = width
        self.stack.append(block)

    def _close(self) -> None:
        block = self.stack.pop()
        block.end_line()
        bottom = max(block.y, block.lowest)
        height = self.styles.height.get(block.node)
        if height is not None and not height.relative:
            bottom = max(bottom, block.top + min(height.amount, 10_000.0))
        if bottom > block.top:
            self.edges[block.node] = (block.left, block.top, block.left + block.width, bottom)
        if not self.stack:
            return
        around = self.stack[-1]
        if block.node in around.columns:
            around.lowest = max(around.lowest, bottom)
        else:
            around.y = bottom
            around.margin = max(block.margin, block.below)

    def _text(self, node: int) -> None:
        block, text, size = self.stack[-1], self.texts[node], self.styles.font_size[node]
        height = size * _LINE
        if self.codes[block.node] in _PRE:
            self._lines(node, text.strip("\n").split("\n"), size)
            return
        if text == " ":
            return
        block.start_line(height)
        wide = text_width(text, size)
        if block.line + wide <= block.width or (not block.line and wide <= block.width):
            self.edges[node] = (block.left + block.line, block.y, block.left + block.line + wide, block.y + height)
            block.line += wide
            return
        lines = ceil((block.line + wide) / max(block.width, 1.0))
        self.edges[node] = (block.left, block.y, block.left + block.width, block.y + height * lines)
        block.line = block.line + wide - (lines - 1) * block.width
        block.y += (lines - 1) * height

    def _lines(self, node: int, lines: list[str], size: float) -> None:
        """Text whose lines are kept."""
        block = self.stack[-1]
        block.start_line(size * _LINE)
        wide = max(text_width(line, size * 1.2) for line in lines)
        self.edges[node] = (block.left, block.y, block.left + min(wide, block.width), block.y + size * _LINE * len(lines))
        block.y += size * _LINE * (len(lines) - 1)

    def _replaced(self, node: int) -> None:
        block = self.stack[-1]
        width, height = self._size(node, block.width)
        if not self.styles.inline[node] or block.line + width > block.width:
            block.end_line()
        block.start_line(height)
        self.edges[node] = (block.left + block.line, block.y, block.left + block.line + width, block.y + height)
        block.line += width

    def _size(self, node: int, around: float) -> tuple[float, float]:
        width, height = _SIZES[self.codes[node]]
        if node in self.styles.width:
            width = self.styles.width[node].of(around)
        if (length := self.styles.height.get(node)) and not length.relative:
            height = min(length.amount, 10_000.0)
        return min(width, around), height


def text_width(text: str, size: float) -> float:
    """Width of a text in one line, in pixels.

    >>> text_width("four", 16), text_width("四字", 16)
    (32.0, 32.0)
    """
    wide = 0 if text.isascii() else len(_WIDE.findall(text))
    return (len(text) + wide) * size * _CHARACTER
