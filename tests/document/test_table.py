from __future__ import annotations

import numpy as np
import pytest

from tamis.document.document import Document
from tamis.document.render.table import MAX_GRID, MAX_SPAN, ShownTable, data_tables
from tamis.document.selection import Cause, Reason, Selection
from tamis.page import tags
from tamis.page.parsing import parse
from tamis.page.tree import PageTree


def _tables(tree: PageTree) -> list[ShownTable]:
    return list(data_tables(tree, tree.text_nodes).values())


@pytest.mark.parametrize(
    "table",
    [
        "<tr><td>one cell",
        "<tr><td>one<tr><td>column",
        "<tr><td><td>one filled column<tr><td><td>x",
        "<tr><td>a<td><h2>b</h2>",
        "<tr><th>a<td><h2>b</h2>",
        "<tr><td>a<td><ul><li>b</ul>",
        "<tr><td>a<td><p>b<p>c",
        "<tr><td>a<td><table><tr><td>b<td>c</table>",
        "<tr><td>a<td><pre>b</pre>",
    ],
)
def test_layout_is_no_data(table: str):
    assert [found for found in _tables(parse(f"<table>{table}</table>")) if found.columns > 1 and found.node < 4] == []


def test_a_table_says_itself_that_it_is_layout():
    assert _tables(parse("<table role=presentation><tr><td>a<td>b</table>")) == []


def test_header_cells_or_a_caption_make_a_table_with_lists_data():
    (table,) = _tables(parse("<table><tr><th>a<td><ul><li>b</ul></table>"))
    assert table.columns == 2
    (table,) = _tables(parse("<table><caption>c</caption><tr><td>a<td><p>b<p>c</table>"))
    assert table.columns == 2


def test_the_first_row_holds_names_in_thead_or_when_all_its_cells_are_headers():
    heads = ("<tr><th>a<th>b<tr><td>1<td>2", "<thead><tr><td>a<td>b<tbody><tr><td>1<td>2", "<tr><th>a<td>1<tr><th>b<td>2")
    assert [_tables(parse(f"<table>{rows}</table>"))[0].head for rows in heads] == [True, True, False]


def test_rows_of_which_nothing_is_shown_are_left_out_and_cells_are_not():
    (table,) = _tables(parse("<table><tr><td>a<td><td>b<tr><td><td><td></table>"))
    assert [len(row) for row in table.rows.values()] == [3]


def test_spans_are_bounded_by_the_standard_and_the_table():
    (table,) = _tables(parse("<table><tr><td colspan=999999999999 rowspan=999999999>a<td>b<tr><td>c<td>d</table>"))
    first = next(iter(table.rows.values()))[0]
    assert (first.colspan, first.rowspan) == (MAX_SPAN, 2)
    (table,) = _tables(parse("<table><tr><td colspan=0 rowspan=0>a<td colspan=-2>b<tr><td rowspan=x>c<td>d</table>"))
    spans = [[(cell.colspan, cell.rowspan) for cell in row] for row in table.rows.values()]
    assert spans == [[(1, 2), (1, 1)], [(1, 1), (1, 1)]]


def test_a_giant_grid_is_a_table_without_spans():
    rows = "<tr><td colspan=1000>a<td>b" * (MAX_GRID // 1000 + 1)
    (table,) = _tables(parse(f"<table>{rows}</table>"))
    assert not table.merged


@pytest.mark.parametrize(
    ("rows", "pictured"),
    [
        ("<tr><td rowspan=2><img src=note.png><th>Note<tr><td>Gulls bite.", True),
        ("<tr><td><img src=note.png><td>Gulls bite.", True),
        ("<tr><td>Gull<td><img src=yes.png>", False),
        ("<tr><td><img src=gull.png><td>Gull<td>1 kg", False),
        ("<tr><td>Gull<td><tr><td><td>Tern", False),
    ],
)
def test_a_note_with_its_icon_is_a_unit_but_shown_as_layout(rows: str, pictured: bool):
    tree = parse(f"<table>{rows}</table>")
    shown = np.flatnonzero((tree.tag == tags.TEXT) | (tree.tag == tags.CODE["img"]))
    (table,) = data_tables(tree, shown).values()
    assert table.pictured == pictured
    keep = np.ones(len(tree), dtype=np.bool_)
    shown = Document(tree, Selection("all", keep, keep.astype(np.uint8) - 1, (Reason("kept", Cause.CONTENT),))).markdown
    assert ("|" not in shown and "<td" not in shown) == pictured
