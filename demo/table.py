"""Tables of the demo site: equal neighbours in a row, and empty cells below a full one, merge."""

from __future__ import annotations

from demo.content import Table
from demo.markup import Tag, inline, tag


def table_of(table: Table) -> Tag:
    """A table with a header row.

    >>> from demo.markup import to_html
    >>> print(to_html(table_of((("a", "b"), ("x", "x"), ("", "y")))).replace("\\n", ""))
    <table class="data"><tr><th>a</th><th>b</th></tr><tr><td rowspan="2">x</td><td>x</td></tr><tr><td>y</td></tr></table>
    >>> print(to_html(table_of((("a", "b"), ("x", "x")))).replace("\\n", ""))
    <table class="data"><tr><th>a</th><th>b</th></tr><tr><td colspan="2">x</td></tr></table>
    """
    head = tag("tr", *(tag("th", cell) for cell in table[0]))
    return tag("table", head, *(_row(table, row) for row in range(1, len(table))), class_="data")


def _row(table: Table, row: int) -> Tag:
    cells: list[Tag] = []
    column = 0
    while column < len(table[row]):
        text = table[row][column]
        down, across = _span_down(table, row, column), _span_across(table, row, column)
        if text:
            spans = {"rowspan": str(down)} if down > 1 else {"colspan": str(across)} if across > 1 else {}
            cells.append(Tag("td", inline(text), spans))
        column += 1 if down > 1 else across
    return tag("tr", *cells)


def _span_down(table: Table, row: int, column: int) -> int:
    below = row + 1
    while below < len(table) and not table[below][column]:
        below += 1
    return below - row


def _span_across(table: Table, row: int, column: int) -> int:
    beside = column + 1
    while table[row][column] and beside < len(table[row]) and table[row][beside] == table[row][column]:
        beside += 1
    return beside - column
