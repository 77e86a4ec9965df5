import pytest
from hypothesis import given
from hypothesis import strategies as st

from tamis import find_records
from tamis.records.table import numbered


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


def test_header_cells_below_a_heading_of_the_table_name_columns():
    rows = "".join(f"<tr><td>Gannet {k}<td>{k} m<td>a note on boat {k}" for k in range(5))
    table = f"<table><tr><td colspan=3>Boats of the harbour<tr><th>Boat<th>Length<th>Note{rows}</table>"
    assert find_records(table, like="tr:nth-child(4)").table.names == ("boat", "length", "note")


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


def test_class_names_that_a_build_tool_made_up_are_passed_over():
    assert names("<h3 class=css-1x2y3z>Boat #</h3><b class=eQUmha>kind #</b><i class='card-price--a8Bc9'>#</i>") == (
        "title",
        "text",
        "card_price",
    )
    assert names("<div class='text-sm text-gray-700 hover:underline'>Boat #</div>") == ("text",)


def test_what_the_page_gives_no_name_is_named_by_its_values():
    assert names("<p>Boat #</p><b>$#.50</b><em>2024-05-1#</em>", 5) == ("text", "price", "date")


def test_microdata_of_the_record_names_no_field():
    assert (
        names("<h3>Boat #</h3>") == find_records("".join(f"<li itemprop=item><h3>Boat {k}</h3>" for k in range(4)), like="li").table.names
    )


def test_an_author_is_called_so_whatever_the_class_names_of_the_link():
    assert names("<span class='author vcard'><a class='url fn n' href=/a#>Ann #</a></span>") == ("author_url", "author")


def test_class_names_of_single_records_part_no_columns():
    items = [
        f"<li class='post tag-{kind}'><h3>Boat {kind}</h3>{{}}<span class=note><a href=/n{kind}>{kind} notes</a></span>" for kind in "abcd"
    ]
    tagged = "".join(item.format("<span class=tag><a href=/t>sloop</a></span>" * k) for k, item in enumerate(items))
    rows = list(find_records(f"<ul>{tagged}</ul>", like="li").table.records())
    assert [row["note"] for row in rows] == ["a notes", "b notes", "c notes", "d notes"]
    assert [row["tag"] for row in rows] == [None, "sloop", "sloop", "sloop"]


def test_words_of_a_link_that_all_records_repeat_have_no_column():
    item = "<h3><a href=/#>Boat #</a></h3><p class=about>About #</p><a class=more href=/#>Read more</a><button>Order</button>"
    assert names(item) == ("title_url", "title", "about")
    assert names(item, 2) == ("title_url", "title", "about", "more", "button")


def test_values_of_one_name_share_a_column_if_no_record_has_two():
    linked = "".join(f"<li><h3>Boat {k}</h3><a class=owner href=/{k}>Ann {k}</a>" for k in range(3))
    plain = "".join(f"<li><h3>Boat {k}</h3><span class=owner>Bob {k}</span>" for k in range(3))
    table = find_records(f"<ul>{linked}{plain}</ul>", like="li").table
    assert table.names == ("title", "owner_url", "owner")
    assert [row[2] for row in table.rows] == ["Ann 0", "Ann 1", "Ann 2", "Bob 0", "Bob 1", "Bob 2"]


@pytest.mark.parametrize(
    ("item", "found"),
    [
        ("<h3 class=product-title><a class=new>Boat #</a></h3>", ("product_title",)),
        ("<p class=venue><em class=title>Boat #</em> at sea</p>", ("venue",)),
        ("<div class=post-title>Boat # <b class=new>new</b></div>", ("post_title",)),
        ("<span class=amount><i class=x1>#</i></span>", ("amount",)),
        ("<td class=title><span class=rank>#</span></td>", ("rank",)),
        ("<i class='Shop_oldPrice__x7YqA'>#</i>", ("old_price",)),
        ("<p class='note--excerpt'>About #</p>", ("excerpt",)),
        ("<p class='font-serif gap-4 mb-0.5 duration-300'>About #</p>", ("text",)),
        ("<b class=mrk>a#</b><p><i class=mrk>b#</i></p><u class=mrk>c#</u>", ("text", "text_2", "text_3")),
        ("<p>Author: Ann #</p><p>Seen by # people</p>", ("author", "text")),
        ("<div><span>Length:</span><span># m</span></div>", ("text", "length")),
        ("<p>作者：安#</p>", ("作者",)),
    ],
)
def test_a_column_has_the_name_that_says_most(item, found):
    assert names(item) == found


def test_the_same_words_for_other_targets_name_the_links():
    item = "<h3><a href=/#>Boat #</a></h3><a class=act href=/keep/#>Keep</a><a class=act href=/ask/#>Ask the owner</a>"
    assert names(item) == ("title_url", "title", "keep_url", "ask_the_owner_url")
    assert names(item.replace("ask/#", "ask")) == ("title_url", "title", "keep_url", "act_url", "act")


def test_a_text_that_repeats_another_in_every_record_has_no_column():
    item = "<a class=overlay href=/#>Boat #</a><h3>Boat #</h3><b class=berth>#</b><b class=length>#</b>"
    assert names(item) == ("overlay_url", "title", "berth", "length")
