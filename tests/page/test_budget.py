from tamis import extract, find_records, parse
from tamis.document.chunks import rows_of_chunks
from tamis.page.budget import FREE, Budget

SITE = "https://lantern-bay.example/"


def test_what_is_not_left_is_not_taken():
    budget = Budget(100)
    assert not budget.take(FREE, 2)
    assert budget.take(FREE)
    assert not budget.take(401)
    assert budget.take(400)
    assert budget.take(0)


def test_the_share_of_an_element_grows_with_it():
    tree = parse("<div><p>one<p>two</div><p>three")
    assert 0 < tree.budget(int(tree.parent[tree.text_nodes[0]])).left < tree.budget().left


def test_links_stay_relative_where_a_long_address_would_stand_before_all_of_them():
    page = "<h1>Links</h1>" + "".join(f"<p>Some words about <a href=x{n}>link {n}</a> here." for n in range(400))
    assert f"({SITE}x7)" in extract(page, url=SITE).markdown
    long = extract(page, url=SITE + "long/" * 1_000)
    assert "(x7)" in long.markdown
    assert len(long.markdown) < 2 * len(page)
    assert "x7" in [row[-1] for row in find_records(page, url=long.url).table.rows]


def test_a_link_around_many_blocks_is_written_around_few_or_none():
    page = "<a href='/{}'>" + "".join(f"<p>Ship {n} brought wood and salt to the harbour." for n in range(400))
    assert extract(page.format("all"), url=SITE).markdown.count(f"({SITE}all)") == 400
    assert "Ship 399 brought wood and salt to the harbour." in (text := extract(page.format("long/" * 2_000), url=SITE).markdown)
    assert len(text) < 2 * len(page)


def test_headings_stand_in_chunks_as_far_as_they_are_in_proportion():
    page = "<h1>{}</h1>" + "<p>" + "A sentence of words. " * 2_000
    few, many = (extract(page.format(heading)).chunks(4) for heading in ("Tides", "a long heading " * 1_000))
    assert {chunk.headings for chunk in few} == {("Tides",)}
    assert few[-1].text == many[-1].text
    assert sum(len(heading) for chunk in many for heading in chunk.headings) < FREE + 10 * len(page)


def test_rows_of_chunks_leave_long_values_out_and_keep_their_ids_apart():
    found = [{"text": "word", "headings": [], "size": 1} for _ in range(500)]
    rows = list(rows_of_chunks("page.html", SITE + "long/" * 1_000, {"title": "Tides", "author": "Ann " * 1_000}, found))
    assert {(row["url"], row["title"], row["author"]) for row in rows} == {(None, "Tides", None)}
    assert len({row["id"] for row in rows}) == len(rows)


def test_paths_of_deep_pages_are_places_among_all_elements():
    shallow, deep = (parse("<section>" * depth + "<p>one" * 6_000) for depth in (3, 400))
    assert shallow.xpath(len(shallow) - 1).endswith("/section[1]/p[6000]")
    assert deep.xpath(len(deep) - 1) == f"/descendant::*[{3 + 400 + 6_000}]"
    assert deep.css(len(deep) - 1) == ""


def test_a_cell_that_spans_many_rows_stands_in_one_where_its_text_is_long():
    page = "<table><tr><th>a<th>b<tr><td rowspan=900>{}<td>x" + "".join(f"<tr><td>{n}" for n in range(900)) + "</table>"
    short, long = (find_records(page.format(text)).data_tables[0] for text in ("tide", "a long text " * 1_000))
    assert short.rows[700] == ("tide", "699")
    assert long.rows[700] == (None, "699")
    assert long.rows[0][0].startswith("a long text")


def test_wide_rows_have_no_more_empty_places_than_are_in_proportion():
    page = "<table>" + "<tr>" + "<td>x" * 900 + "<tr><td>y" * 4_000 + "</table>"
    table = find_records(page).data_tables[0]
    assert len(table.columns) * len(table) < len(page) * 10
