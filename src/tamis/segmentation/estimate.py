"""An appearance guessed from the markup alone, for pages that no browser has rendered.

Blocks are below each other, text is wrapped at an average width of characters, the cells of tables are in columns. One pass over the
nodes in document order. Style sheets are not read: what they would do (floats, grids, positions) is not seen.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from math import ceil

import numpy as np

from tamis.page import tags
from tamis.page.appearance import Appearance
from tamis.page.tree import Attributes, PageTree
from tamis.segmentation.items import join_upwards

ROOT_SIZE = 16.0
_SIZE = {"h1": 2.0, "h2": 1.5, "h3": 1.17, "h4": 1.0, "h5": 0.83, "h6": 0.67}
_SCALE = {"small": 0.83, "big": 1.2, "sub": 0.83, "sup": 0.83, "code": 0.81, "pre": 0.81, "tt": 0.81, "kbd": 0.81, "samp": 0.81}
_SCALE_OF = {tags.CODE[name]: scale for name, scale in (_SIZE | _SCALE).items()}
_BOLD = tags.lookup(tags.codes("b strong th h1 h2 h3 h4 h5 h6"))
_INPUT = tags.CODE["input"]
_NEVER_SHOWN = tags.codes(
    "head script style noscript template title meta link base area map param source track datalist noframes noembed rp bgsound basefont"
)
_BLOCKS = tags.BLOCKS - tags.codes("option optgroup select")
_DECLARATION = re.compile(r"(width|height|font-size)\s*:\s*([^;]+)", re.I)
_LENGTH = re.compile(r"\s*+(\d++(?>(?:\.\d++)?))\s*+(px|em|pt)?\s*+(?>(?:!important)?)\s*+$", re.I)
_LARGEST_FONT, _LARGEST = 1_000.0, 100_000.0  #: Pixels of a font and of a length at most: a page may name any number.
_UNITS = {"px": 1.0, "": 1.0, "pt": 4 / 3, "em": ROOT_SIZE}


@dataclass(slots=True)
class NodeStyles:
    """Lists over the ``n`` nodes of a page."""

    hidden: list[bool]
    inline: list[bool]
    font_size: list[float]
    width: dict[int, float]  #: Widths in pixels that the markup gives; shares of what is around are not read.
    height: dict[int, float]


def read_styles(tree: PageTree) -> NodeStyles:
    """Return the styles of all nodes, from the root down."""
    n = len(tree)
    styles = NodeStyles([False] * n, [True] * n, [ROOT_SIZE] * n, {}, {})
    parents, codes, hidden = tree.parent.tolist(), tree.tag.tolist(), tree.hidden.tolist()
    attributes = tree.attributes[:]
    for node in range(n):
        above, code = parents[node], codes[node]
        if above >= 0:
            styles.hidden[node] = styles.hidden[above]
            styles.font_size[node] = styles.font_size[above]
        if code == tags.TEXT:
            continue
        if code in _SCALE_OF:
            base = ROOT_SIZE if code in tags.HEADINGS else styles.font_size[node]
            styles.font_size[node] = min(base * _SCALE_OF[code], _LARGEST_FONT)
        styles.inline[node] = code not in _BLOCKS
        styles.hidden[node] |= hidden[node] or code in _NEVER_SHOWN
        if attributes[node]:
            _read_attributes(styles, node, code, attributes[node])
    return styles


def _read_attributes(styles: NodeStyles, node: int, code: int, attributes: Attributes) -> None:
    if code == _INPUT and attributes.get("type", "").lower() == "hidden":
        styles.hidden[node] = True
    given = [(name, attributes[name]) for name in ("width", "height") if name in attributes]
    for name, value in [*given, *_DECLARATION.findall(attributes.get("style", ""))]:
        if (length := _length(value)) is None:
            continue
        if name.lower() == "font-size":
            styles.font_size[node] = min(max(1.0, length), _LARGEST_FONT)
        else:
            (styles.width if name.lower() == "width" else styles.height)[node] = length


def _length(text: str) -> float | None:
    found = _LENGTH.match(text)
    return None if found is None else min(float(found[1]), _LARGEST) * _UNITS[(found[2] or "").lower()]


PAGE_WIDTH = 1280.0
_TABLE, _ROW = tags.CODE["table"], tags.CODE["tr"]
_GROUPS = tags.codes("tbody thead tfoot")
_PADDING = 4.0  #: Pixels between cells.
_LEAST = 12.0  #: Least width of a column in pixels.
Places = dict[int, tuple[float, float]]  #: Children side by side: distance from the left, and width.
_CHARACTER = 0.5  #: Width of a character by its font size; wide characters (Chinese, Japanese, Korean) are twice as wide.
_LINE = 1.2  #: Height of a line by its font size.
_WIDE = re.compile("[\u1100-\u11ff\u2e80-\u9fff\uac00-\ud7af\uf900-\ufaff\uff01-\uff60\U00020000-\U0003ffff]")
_MARGINS = {
    tags.CODE[name]: margin for name, margin in (("body", 0.5), ("hr", 0.5), ("h1", 0.67), ("h2", 0.83), ("h5", 1.67), ("h6", 2.33))
}
_MARGINS |= dict.fromkeys(tags.codes("p ul ol dl menu dir blockquote pre figure h3 h4 listing xmp"), 1.0)
"""Space above and below, by font size."""
_REPLACED = tags.codes("img svg canvas image iframe embed object applet video frame input select meter progress audio textarea math")
_WIDE_AS, _HIGH_AS = 100.0, 60.0  #: Pixels of an image, a frame or a form field, where the markup does not give them.
_BR = tags.CODE["br"]


@dataclass(slots=True)
class _Open:
    """A block that is being filled."""

    node: int
    end: int
    left: float
    width: float
    y: float  #: Start of the next line or block.
    top: float
    line: float = 0.0  #: Filled width of the current line, in pixels.
    line_height: float = 0.0  #: Height of the current line; 0 where there is none.
    margin: float = 0.0  #: Space that the last block leaves below, which the next one's may cover.
    below: float = 0.0  #: Space that this block leaves below.
    lowest: float = 0.0  #: Lowest bottom of its columns.
    columns: dict[int, tuple[float, float]] = field(default_factory=dict)
    """Children side by side: distance from the left, and width."""

    def end_line(self) -> None:
        self.y += self.line_height
        self.line = self.line_height = 0.0

    def pass_columns(self) -> None:
        """Continue below everything that is side by side."""
        self.y = max(self.y, self.lowest)

    def start_line(self, height: float) -> None:
        if not self.line_height:
            self.pass_columns()
            self.y += self.margin
            self.margin = 0.0
        self.line_height = max(self.line_height, height)


def estimate_appearance(tree: PageTree, width: float = PAGE_WIDTH) -> Appearance:
    """Return an appearance from the markup alone; :attr:`Appearance.estimated` says so.

    Args:
        tree: the page.
        width: of the page in pixels.
    """
    styles = read_styles(tree)
    layout = _EstimatedLayout(tree, styles, width)
    if len(tree):
        layout.run()
    box = layout.boxes()
    sized = (box[:, 2] > 0) & (box[:, 3] > 0)
    return Appearance(
        box=box,
        visible=~np.array(styles.hidden, dtype=np.bool_) & sized,
        inline=np.array(styles.inline, dtype=np.bool_),
        font_size=np.array(styles.font_size, dtype=np.float32),
        font_weight=np.where(tree.subtree_mask(tree.of_tags(_BOLD)), 700, 400).astype(np.int16),
        color=np.full(len(tree), 0x000000FF, dtype=np.uint32),
        background=np.zeros(len(tree), dtype=np.uint32),
        width=width,
        height=float((box[:, 1] + box[:, 3]).max(initial=0.0)),
        estimated=True,
    )


class _EstimatedLayout:
    def __init__(self, tree: PageTree, styles: NodeStyles, width: float) -> None:
        self.tree, self.styles, self.page_width = tree, styles, width
        self.codes, self.ends = tree.tag.tolist(), tree.end.tolist()
        self.edges = np.full((len(tree), 4), (np.inf, np.inf, -np.inf, -np.inf))
        self.texts = dict(zip(tree.text_nodes.tolist(), tree.texts, strict=True))
        self.natural = self._natural_widths()  #: Width of each node's content in one line.
        self.parents: list[int] = tree.parent.tolist()
        self.widths: dict[int, list[float]] = {}  #: Widths of the columns of each table whose rows are still to come.
        self.stack: list[_Open] = []
        self.preformatted = 0

    def _natural_widths(self) -> list[float]:
        widths = np.zeros(len(self.tree))
        for node, text in self.texts.items():
            if not self.styles.hidden[node]:
                widths[node] = text_width(text, self.styles.font_size[node])
        for node, code in enumerate(self.codes):
            if code in _REPLACED and not self.styles.hidden[node]:
                widths[node] = self._size(node)[0]
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
            elif code in _REPLACED:
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
        """Return left, top, width and height of all nodes; zeros where there is nothing."""
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
            width = min(self.styles.width.get(node, around.width), around.width)
            block = _Open(node, self.ends[node], around.left, width, around.y, around.y, below=margin)
        block.width, block.columns = self._columns_of(node, block.width)
        self.stack.append(block)

    def _close(self) -> None:
        block = self.stack.pop()
        block.end_line()
        bottom = max(block.y, block.lowest)
        bottom = max(bottom, block.top + min(self.styles.height.get(block.node, 0.0), 10_000.0))
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
        if text == " ":
            return
        block.start_line(height)
        wide = text_width(text, size)
        if block.line + wide <= block.width:
            self.edges[node] = (block.left + block.line, block.y, block.left + block.line + wide, block.y + height)
            block.line += wide
            return
        lines = ceil((block.line + wide) / max(block.width, 1.0))
        self.edges[node] = (block.left, block.y, block.left + block.width, block.y + height * lines)
        block.line = block.line + wide - (lines - 1) * block.width
        block.y += (lines - 1) * height

    def _replaced(self, node: int) -> None:
        block = self.stack[-1]
        width, height = self._size(node)
        width = min(width, block.width)
        if not self.styles.inline[node] or block.line + width > block.width:
            block.end_line()
        block.start_line(height)
        self.edges[node] = (block.left + block.line, block.y, block.left + block.line + width, block.y + height)
        block.line += width

    def _size(self, node: int) -> tuple[float, float]:
        return min(self.styles.width.get(node, _WIDE_AS), self.page_width), min(self.styles.height.get(node, _HIGH_AS), 10_000.0)

    def _columns_of(self, node: int, width: float) -> tuple[float, Places]:
        """Return the width that an element takes of what it is offered, and its children that are side by side."""
        code = self.codes[node]
        if code == _TABLE:
            widths = self.widths[node] = self._table(node, width)
            return (sum(widths) if widths else width), {}
        return width, self._row(node, self.widths.get(self._table_of(node), [])) if code == _ROW else {}

    def _children(self, node: int) -> list[int]:
        found, child, end = [], node + 1, self.ends[node]
        while child < end:
            if not self.styles.hidden[child]:
                found.append(child)
            child = self.ends[child]
        return found

    def _rows(self, table: int) -> list[int]:
        rows = []
        for child in self._children(table):
            if self.codes[child] in _GROUPS:
                rows += [row for row in self._children(child) if self.codes[row] == _ROW]
            elif self.codes[child] == _ROW:
                rows.append(child)
        return rows

    def _cells(self, row: int) -> list[int]:
        """Return the cells of a row. Each takes one column: the places of blocks do not depend on the columns that a cell spans."""
        return [cell for cell in self._children(row) if self.codes[cell] in tags.CELLS]

    def _table(self, table: int, width: float) -> list[float]:
        """Widths of the columns: as wide as the widest cell asks for, and together no wider than what is there."""
        wanted: list[float] = []
        for row in self._rows(table):
            for column, cell in enumerate(self._cells(row)):
                if column == len(wanted):
                    wanted.append(_LEAST)
                wanted[column] = max(wanted[column], min(self.natural[cell] + 2 * _PADDING, width))
        return [amount * min(width / sum(wanted), 1.0) for amount in wanted]

    def _row(self, row: int, widths: list[float]) -> Places:
        places: Places = {}
        left = 0.0
        for cell, width in zip(self._cells(row), widths, strict=False):
            places[cell] = (left + _PADDING / 2, max(width - _PADDING, 1.0))
            left += width
        return places

    def _table_of(self, row: int) -> int:
        above = self.parents[row]
        return self.parents[above] if above >= 0 and self.codes[above] in _GROUPS else above


def text_width(text: str, size: float) -> float:
    """Width of a text in one line, in pixels.

    >>> text_width("four", 16), text_width("四字", 16)
    (32.0, 32.0)
    """
    wide = 0 if text.isascii() else len(text) - len(_WIDE.sub("", text))
    return (len(text) + wide) * size * _CHARACTER
