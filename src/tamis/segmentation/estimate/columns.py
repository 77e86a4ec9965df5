"""Columns: the cells of table rows, and ``main`` beside ``aside``."""

from __future__ import annotations

from tamis.page import tags
from tamis.page.tree import PageTree
from tamis.segmentation.estimate.styles import Styles

_TABLE, _ROW, _ASIDE, _CENTER = (tags.CODE[name] for name in ("table", "tr", "aside", "center"))
_GROUPS = tags.codes("tbody thead tfoot")
_MAIN = tags.codes("main article")
_BESIDE = _MAIN | tags.codes("aside nav")
_PADDING = 4.0
"""Pixels between cells."""
_LEAST = 12.0
"""Least width of a column in pixels."""
_MOST_SPANNED = 100
_MOST_COLUMNS = 1_000
"""Columns of a table that are laid out; the cells beyond share the last one."""
_ASIDE_SHARE = 0.25
Places = dict[int, tuple[float, float]]
"""Children that stand side by side: how far from the left, and how wide."""


class Columns:
    """Places of what stands side by side.

    Args:
        tree: the page.
        styles: its styles.
        natural: width of each node's content if all of it stood in one line.
    """

    def __init__(self, tree: PageTree, styles: Styles, natural: list[float]) -> None:
        self.codes, self.ends, self.styles, self.natural = tree.tag.tolist(), tree.end.tolist(), styles, natural
        self.parents: list[int] = tree.parent.tolist()
        self.attributes = tree.attributes
        self.widths: dict[int, list[float]] = {}
        """Widths of the columns of each table whose rows are still to come."""

    def of(self, node: int, width: float) -> tuple[float, Places]:
        """The width that an element takes of what it is offered, and its children that stand side by side."""
        code = self.codes[node]
        if code == _TABLE:
            widths = self._table(node, width)
            self.widths[node] = widths
            return (sum(widths) if widths else width), {}
        if code == _ROW:
            return width, self._row(node, self.widths.get(self._table_of(node), []))
        return width, self._aside(node, width)

    def centred(self, node: int) -> bool:
        """Whether a table stands in the middle of what is around it."""
        return self.codes[self.parents[node]] == _CENTER or self.attributes[node].get("align", "").lower() == "center"

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

    def _cells(self, row: int) -> list[tuple[int, int]]:
        """The cells of a row, and how many columns each spans."""
        cells = [cell for cell in self._children(row) if self.codes[cell] in tags.CELLS]
        left = _MOST_COLUMNS
        found = []
        for number, cell in enumerate(cells):
            span = min(self._span(cell), max(left - (len(cells) - number - 1), 1))  # each cell behind it keeps a column while there is one
            left -= span
            found.append((cell, span))
        return found

    def _span(self, cell: int) -> int:
        text = str(self.attributes[cell].get("colspan", "1")).strip()
        return max(1, min(int(text), _MOST_SPANNED)) if text.isascii() and text.isdigit() and len(text) < 6 else 1

    def _table(self, table: int, width: float) -> list[float]:
        """Widths of the columns: as wide as the widest cell asks for, and together no wider than what is there."""
        wanted: list[float] = []
        fixed: dict[int, float] = {}
        for row in self._rows(table):
            column = 0
            for cell, span in self._cells(row):
                wanted += [_LEAST] * (column + span - len(wanted))
                asked = self.styles.width.get(cell)
                if asked is not None and span == 1:
                    fixed[column] = max(fixed.get(column, 0.0), asked.of(width))
                share = (self.natural[cell] + 2 * _PADDING) / span
                for spanned in range(column, column + span):
                    wanted[spanned] = max(wanted[spanned], min(share, width))
                column += span
        for column, amount in fixed.items():
            wanted[column] = max(amount, _LEAST)
        total = sum(wanted)
        stretched = table in self.styles.width and total < width
        if wanted and (total > width or stretched):
            return _fitted(wanted, fixed, width)
        return wanted

    def _row(self, row: int, widths: list[float]) -> Places:
        places: Places = {}
        column, left = 0, 0.0
        for cell, span in self._cells(row):
            width = sum(widths[column : column + span]) or _LEAST
            places[cell] = (left + _PADDING / 2, max(width - _PADDING, 1.0))
            column, left = column + span, left + width
        return places

    def _table_of(self, row: int) -> int:
        above = self.parents[row]
        return self.parents[above] if above >= 0 and self.codes[above] in _GROUPS else above

    def _aside(self, node: int, width: float) -> Places:
        """``aside`` stands beside its siblings ``main`` and ``article``, if there is one of them."""
        children = self._children(node)
        codes = {self.codes[child] for child in children}
        if _ASIDE not in codes or not codes & _MAIN:
            return {}
        beside = [child for child in children if self.codes[child] in _BESIDE]
        if sum(self.codes[child] in _MAIN for child in beside) > 1:
            return {}
        narrow = width * min(_ASIDE_SHARE, 0.6 / max(len(beside) - 1, 1))
        places: Places = {}
        left = 0.0
        for child in beside:
            wide = width - narrow * (len(beside) - 1) if self.codes[child] in _MAIN else narrow
            places[child] = (left, wide - _PADDING)
            left += wide
        return places


def _fitted(wanted: list[float], fixed: dict[int, float], width: float) -> list[float]:
    """Widths that add up to what is there: columns whose width is given keep it if they can, the others share the rest."""
    kept = sum(fixed.values())
    free = [column for column in range(len(wanted)) if column not in fixed]
    asked = sum(wanted[column] for column in free)
    if not free or kept + _LEAST * len(free) > width:
        total = sum(wanted)
        return [amount * width / total for amount in wanted]
    return [amount if column in fixed else amount * (width - kept) / asked for column, amount in enumerate(wanted)]
