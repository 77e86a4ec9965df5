from hypothesis import given
from hypothesis import strategies as st

from tamis import find_records
from tamis.records.columns import numbered


def names(item, count=4):
    items = "".join(f"<li class=boat>{item.replace('#', str(k))}</li>" for k in range(count))
    return find_records(f"<ul>{items}</ul>", like="li").table.names


def test_microdata_names_a_column_before_its_class():
    assert names("<span class=x1 itemprop=price>#</span>") == ("price",)


def test_microdata_of_a_link_names_the_link_and_not_its_text():
    assert names("<p itemprop=author><a class=x1 itemprop=url href=/#>Ann #</a></p>") == ("url", "author")


def test_a_link_that_is_the_same_as_another_in_every_record_has_one_column():
    twice = "<a class=picture href=/#><img src=/#.png></a><a class=seller href=/{}>Ann #</a>"
    assert names(twice.format("#")) == ("picture_url", "picture_image", "seller")
    assert names(twice.format("#x")) == ("picture_url", "picture_image", "seller_url", "seller")


def test_the_nearest_telling_class_names_a_column():
    assert names("<div class=price><span class=a>#</span></div>") == ("price",)


def test_of_a_block_element_modifier_name_the_element_counts():
    assert names('<span class="card__seller--new">Ann #</span>') == ("seller",)


def test_class_names_of_looks_are_passed_over():
    assert names('<h3 class="col-md-6 clearfix">Boat #</h3>') == ("title",)


def test_tags_name_what_has_no_class():
    assert names("<h3>Boat #</h3><time>Day #</time>") == ("title", "date")


def test_links_and_images_are_named_by_what_they_stand_at():
    assert names("<a class=seller href=/#>Ann #</a><img src=/#.png>") in (
        ("seller", "seller_url", "image"),
        ("seller_url", "seller", "image"),
    )


def test_header_cells_name_columns_of_rows():
    rows = "".join(f"<tr><td>Gannet {k}<td>{k} m<td>a note on boat {k}" for k in range(5))
    found = find_records(f"<table><tr><th>Boat<th>Length<th>Note{rows}</table>", like="tr")
    assert {"boat", "length", "note"} <= set(found.table.names)


def test_cells_keep_their_columns_where_others_are_empty():
    rows = "".join(f"<tr><td>Boat {k}<td>{k if k % 2 else ''}<td>Note {k}" for k in range(6))
    table = find_records(f"<table>{rows}</table>", like="tr").table
    assert [row[1] for row in table.rows] == [None, "1", None, "3", None, "5"]
    assert [row[2] for row in table.rows] == [f"Note {k}" for k in range(6)]


@given(st.lists(st.sampled_from(["a", "b", "a_2", "a_2_2", ""]), max_size=8))
def test_numbered_names_are_distinct_and_first_ones_unchanged(words):
    found = numbered(words)
    assert len(found) == len(set(found)) == len(words)
    assert all(name.startswith(word) for name, word in zip(found, words, strict=True))


def test_cells_that_are_records_share_a_column():
    row = "".join(f"<td><b>Boat {k}</b> <i>{k} m</i>" for k in range(12))
    table = find_records(f"<table><tr>{row}</table>").table
    assert len(table.rows) == 12
    assert len(table.columns) == 2
