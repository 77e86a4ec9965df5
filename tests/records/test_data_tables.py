from hypothesis import given
from hypothesis import strategies as st

from tamis import find_records
from tests.records.pages import shop


def tables(html):
    return find_records(html).data_tables


def test_header_cells_name_the_columns():
    (table,) = tables("<table><caption>Tides</caption><tr><th>Port<th>High<tr><td>Brest<td>7.1<tr><td>Cork<td>4.2</table>")
    assert table.names == ("Port", "High")
    assert table.rows == (("Brest", "7.1"), ("Cork", "4.2"))
    assert table.caption == "Tides"


def test_two_rows_of_headers_make_one_name():
    html = "<table><thead><tr><th colspan=2>Tide<th rowspan=2>Port<tr><th>High<th>Low</thead><tr><td>7<td>1<td>Brest</table>"
    (table,) = tables(html)
    assert table.names == ("Tide High", "Tide Low", "Port")
    assert table.rows == (("7", "1", "Brest"),)


def test_merged_cells_stand_in_every_place_they_span():
    (table,) = tables("<table><tr><th>A<th>B<th>C<tr><td rowspan=2>x<td colspan=2>y<tr><td>1<td>2</table>")
    assert table.rows == (("x", "y", "y"), ("x", "1", "2"))


def test_a_table_without_headers_numbers_its_columns():
    (table,) = tables("<table><tr><td>a<td>1<tr><td>b<td>2</table>")
    assert table.names == ("column_1", "column_2")


def test_short_rows_are_filled_with_nothing():
    (table,) = tables("<table><tr><th>A<th>B<tr><td>1<tr><td>2<td>3</table>")
    assert table.rows == (("1", None), ("2", "3"))


def test_layout_tables_are_no_data():
    assert tables("<table role=presentation><tr><td>a<td>b<tr><td>c<td>d</table>") == ()
    assert tables(f"<table><tr><td><h2>Menu</h2><ul><li>a</ul><td>{shop()}</table>") == ()


def test_spans_have_bounds():
    (table,) = tables("<table>" + ("<tr>" + "<td rowspan=65000 colspan=1000>x</td>" * 3) * 40 + "</table>")
    assert len(table.columns) <= 1000
    assert len(table.rows) == 40


CELLS = st.tuples(st.integers(1, 3), st.integers(1, 3), st.sampled_from(["a", "b", "7", ""]))


@given(st.lists(st.lists(CELLS, min_size=1, max_size=4), min_size=1, max_size=5))
def test_every_row_has_every_column_and_no_text_is_lost(rows):
    html = "".join(
        "<tr>" + "".join(f"<td colspan={wide} rowspan={high}>{text}{k}{j}</td>" for j, (wide, high, text) in enumerate(row))
        for k, row in enumerate(rows)
    )
    for table in tables(f"<table>{html}</table>"):
        assert all(len(row) == len(table.columns) for row in table.rows)
        shown = {value for row in table.rows for value in row}
        assert {f"{text}{k}{j}" for k, row in enumerate(rows) for j, (_, _, text) in enumerate(row)} <= shown
