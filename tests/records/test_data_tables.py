import pytest
from hypothesis import given
from hypothesis import strategies as st

from tamis import Wrapper, find_records
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
    assert table.names == ("text 1", "text 2")


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


def test_hidden_cells_and_sort_keys_are_not_read():
    hidden = '<td style="display:none">'
    rows = "".join(f"<tr><td>Port {k}{hidden}{k:04}<td><span hidden>00{k}</span>{k} m" for k in range(3))
    (table,) = tables(f"<table><tr><th>Port{hidden.replace('td', 'th')}Key<th>Depth{rows}</table>")
    assert table.names == ("Port", "Depth")
    assert table.rows == (("Port 0", "0 m"), ("Port 1", "1 m"), ("Port 2", "2 m"))


def test_a_picture_without_words_beside_it_is_read_by_its_alternative_text():
    rows = "<tr><td>Brest<td><img src=/y.png alt=open><tr><td><img src=/f.png alt=Flag>Cork<td><img src=/n.png alt=closed>"
    (table,) = tables(f"<table><tr><th>Port<th>State{rows}</table>")
    assert table.rows == (("Brest", "open"), ("Cork", "closed"))


def test_rows_of_a_table_are_records_under_its_headers():
    rows = "".join(f"<tr><td rowspan=2>Port {k}<td>Mon<td>{k}.5<tr><td>Tue<td><a href=/t{k}>{k}.7</a>" for k in range(1, 4))
    found = find_records(f"<main><table><tr><th>Port<th>Day<th>Tide (m){rows}</table></main>", url="https://quay.example/").table
    assert found.names == ("Port", "Day", "Tide (m)", "Tide (m) link")
    assert found.rows[:2] == (("Port 1", "Mon", "1.5", None), ("Port 1", "Tue", "1.7", "https://quay.example/t1"))


@pytest.mark.parametrize("height", [3, 8, 24])
@pytest.mark.parametrize("width", [2, 5, 8])
@pytest.mark.parametrize("head", ["", "th", "td"])
def test_a_table_without_links_gives_a_row_a_record(width, height, head):
    cells = "".join("<tr>" + "".join(f"<td>{'abcdefgh'[k]} {row * k}" for k in range(width)) for row in range(height))
    heads = f"<thead><tr>{''.join(f'<{head}>Head {k}' for k in range(width))}</thead>" if head else ""
    menu = "<nav>" + "".join(f"<a href=/{k}>Page {k}</a> " for k in range(8)) + "</nav>"
    table = find_records(f"{menu}<main><h1>Tides</h1><p>Of the harbour.<table>{heads}<tbody>{cells}</table></main>").table
    assert (len(table), len(table.columns)) == (height, width)
    assert not head or table.names[0] == "Head 0"


def test_a_table_among_the_sections_of_a_text_is_a_list_of_its_own():
    sections = "".join(f"<h2>Part {k}</h2><p>{'Words of the harbour. ' * 9}</p>" for k in range(5))
    rows = "".join(f"<tr><td>Quay {k}<td>{k} m<td>{k} boats" for k in range(4))
    found = find_records(f"<article>{sections}<table>{rows}</table>{sections}</article>")
    assert found.table.rows[0] == ("Quay 0", "0 m", "0 boats")


def test_a_table_of_headers_and_one_row_is_a_list():
    page = find_records("<p>The tides of today.</p><table><tr><th>Port<th>High<tr><td>Brest<td>7.1</table>")
    assert [list(region.table.records()) for region in page.regions] == [[{"Port": "Brest", "High": "7.1"}]]


def test_a_wrapper_reads_the_columns_of_a_table_by_their_headers():
    page = "<table><tr>{}{}</table>"
    first = page.format("<th>Port<th>Tide", "".join(f"<tr><td>Port {k}<td>{k}.5" for k in range(4)))
    other = page.format("<th>Tide<th>Port", "".join(f"<tr><td>{k}.7<td>Quay {k}" for k in range(4)))
    wrapper = Wrapper.from_dict(find_records(first).main.to_wrapper().to_dict())
    found = find_records(other, wrapper=wrapper).table
    assert found.names == ("Port", "Tide")
    assert found.rows[1] == ("Quay 1", "1.7")


def test_unknown_tags_in_a_table_or_a_post_are_no_error():
    post = "<div class=post><div class=body><x-note>one</x-note>{}</div></div>"
    page = "<x-list>" + "".join(post.format("<p>text</p>" * k) for k in (1, 6, 9)) + "</x-list>"
    assert len(find_records(page).table) == 3


def boats(*rows, names=("Boat", "Berths", "Built")):
    cells = "".join("<tr>" + "".join(f"<td>{cell}</td>" for cell in row) + "</tr>" for row in rows)
    return f"<table><tr>{''.join(f'<th>{name}</th>' for name in names)}</tr>{cells}</table>"


FLEET = boats(("Gannet", "4", "1962"), ("Tern", "2", "1971"), ("Petrel", "6", "1958"))
TIDES = boats(("Monday", "7.1", "0.9"), ("Tuesday", "6.8", "1.2"), names=("Day", "High", "Low"))


def test_rows_of_a_table_with_other_headers_come_under_their_own_and_not_under_those_of_the_wrapper():
    found = find_records(TIDES, wrapper=find_records(FLEET).main.to_wrapper())
    assert [{name: value for name, value in row.items() if value} for row in found.table.records()] == [
        {"Day": "Monday", "High": "7.1", "Low": "0.9"},
        {"Day": "Tuesday", "High": "6.8", "Low": "1.2"},
    ]


def test_a_wrapper_of_a_table_takes_rows_with_a_few_other_headers_under_their_own():
    more = boats(("Plover", "3", "4,100"), names=("Boat", "Berths", "Price"))
    found = find_records(more, wrapper=find_records(FLEET).main.to_wrapper())
    assert list(found.table.records()) == [{"Boat": "Plover", "Berths": "3", "Built": None, "Price": "4,100"}]


def test_a_wrapper_of_a_table_takes_rows_without_headers():
    bare = "<table><tr><td>Plover<td>3<td>1983<tr><td>Curlew<td>5<td>1990</table>"
    found = find_records(bare, wrapper=find_records(FLEET).main.to_wrapper())
    assert [row[0] for row in found.table.rows] == ["Plover", "Curlew"]
