from collections import Counter
from functools import cache

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from tamis import find_records
from tamis.records.columns import MAX_REPEATS, _best_match, _weights, align
from tamis.records.labels import Key
from tamis.records.table import numbered


def names(item, count=4):
    items = "".join(f"<li class=boat>{item.replace('#', str(k))}</li>" for k in range(count))
    return find_records(f"<ul>{items}</ul>", like="li").table.names


def columns(*items):
    """The columns of texts, with what they hold in each record."""
    table = find_records("<ul>" + "".join(f"<li>{item}</li>" for item in items) + "</ul>", like="li").table.only("text")
    return dict(zip(table.names, zip(*table.rows, strict=True), strict=True))


def tagged(*words: str) -> list[str]:
    """Records with tags."""
    return [
        f"<h3>Boat {k}</h3><p>" + "".join(f"<a class=t href=/t/{word}>{word}</a> " for word in own) + f"</p><i class=age>{k} years</i>"
        for k, own in enumerate(words)
    ]


def test_links_that_are_mostly_as_many_have_columns_of_their_own():
    found = columns(*tagged("ab", "cd", "e", "fg"))
    assert (found["text 1"], found["text 2"]) == (("a", "c", "e", "f"), ("b", "d", None, "g"))


def test_tags_of_which_records_have_different_numbers_share_a_column():
    found = columns(*tagged("abc", "b", "ad", "c"))
    assert (found["text 1"], found["text 2"]) == (("a\nb\nc", "b", "a\nd", "c"), tuple(f"{k} years" for k in range(4)))
    assert columns(*tagged("abc", "ba", "adbc", "cd"))["text 1"] == ("a\nb\nc", "b\na", "a\nd\nb\nc", "c\nd")


def test_links_that_each_record_has_keep_their_columns_before_others_that_some_have():
    items = [f"<a href=/{k}>Boat {k}</a> <a href=/by/{k}>Ann {k}</a> " + "<a href=/p>plan</a> " * (k == 3) for k in range(5)]
    found = columns(*items)
    assert found["title"] == tuple(f"Boat {k}" for k in range(5))
    assert found["text 1"] == ("Ann 0", "Ann 1", "Ann 2", "Ann 3\nplan", "Ann 4")


def test_the_paragraphs_of_a_post_share_a_column():
    text = "The ferry left the quay at nine with all of its passengers, number {}."
    items = [f"<h3>Boat {k}</h3>" + "".join(f"<p>{text.format(n)}</p>" for n in range(most)) for k, most in enumerate((1, 4, 2, 3))]
    assert columns(*items)["text 1"] == tuple("\n".join(map(text.format, range(most))) for most in (1, 4, 2, 3))


def test_a_wrapper_knows_the_column_of_a_list():
    first, second = ([f"<li class=boat>{item}</li>" for item in tagged(*words)] for words in (("abc", "b", "ad", "c"), ("ef", "gh", "ik")))
    wrapper = find_records(f"<ul>{''.join(first)}</ul>", like="li").main.to_wrapper()
    assert find_records(f"<ul>{''.join(second)}</ul>", wrapper=wrapper).table.only("text").rows[0] == ("Boat 0", "e\nf", "0 years")


def test_a_field_that_stands_higher_or_is_no_link_in_some_records_is_known_by_its_class_name():
    deep = "<h3>Boat {0}</h3><p><b class=line><i class=score>{0}1 points</i> <i class=age><a href=/{0}>{0}2 hours</a></i></b></p>"
    assert columns(*map(deep.format, "123"), "<h3>Boat 4</h3><p><i class=age>42 hours</i></p>") == {
        "title": ("Boat 1", "Boat 2", "Boat 3", "Boat 4"),
        "text 1": ("11 points", "21 points", "31 points", None),
        "text 2": ("12 hours", "22 hours", "32 hours", "42 hours"),
    }


def test_a_label_of_one_record_has_a_column_of_its_own():
    item = "<h3>Boat {0}</h3><p>Sails: {0} m</p><p>Mast: {0}1 m</p>"
    found = columns(*map(item.format, "123"), "<h3>Boat 4</h3><p>Sails: 4 m</p><p>Keel: long</p><p>Mast: 41 m</p>")
    assert (found["Keel"], found["Mast"]) == ((None, None, None, "long"), ("11 m", "21 m", "31 m", "41 m"))


def test_a_property_with_another_value_in_each_record_parts_no_column():
    item = '<h3>Boat {0}</h3><p data-test="{1}-link">place {0}</p>'
    assert columns(*(item.format(k, kind) for k, kind in enumerate(("sail", "motor") * 3)))["text 1"] == tuple(
        f"place {k}" for k in range(6)
    )


def test_a_field_before_or_behind_another_has_one_column():
    first, last = "<h3>{0}</h3><p class=p>${1}</p>", "<p class=p>${1}</p><h3>{0}</h3>"
    assert columns(first.format("A", 1), last.format("B", 2), first.format("C", 3), last.format("D", 4)) == {
        "title": ("A", "B", "C", "D"), "price": ("$1", "$2", "$3", "$4"),
    }  # fmt: skip


def test_the_greater_of_two_prices_is_the_one_before_the_sale():
    sale, usual = "<h3>A</h3><b class=old>$9{0}</b> <b class=new>${0}</b>", "<h3>B</h3><b class=price>${0}</b>"
    assert columns(sale.format(1), usual.format(2), sale.format(3), usual.format(4)) == {
        "title": ("A", "B", "A", "B"), "price": ("$1", "$2", "$3", "$4"), "price before": ("$91", None, "$93", None),
    }  # fmt: skip
    other = "<h3>A</h3><b class=price>$9{0}</b> <b class=shipping>${0}</b>"
    assert columns(other.format(1), usual.format(92), other.format(3), usual.format(94))["price"] == ("$91", "$92", "$93", "$94")


def test_microdata_names_a_column_before_its_class():
    assert names("<span class=x1 itemprop=price>#</span>") == ("price",)


def test_a_link_is_named_by_its_words():
    assert names("<p itemprop=author><a class=x1 itemprop=url href=/#>Ann #</a></p>") == ("author", "author link")


def test_a_link_that_is_the_same_as_another_in_every_record_has_one_column():
    twice = "<a class=picture href=/#><img src=/#.png></a><a class=seller href=/{}>Ann #</a>"
    assert names(twice.format("#")) == ("title", "link", "image")
    assert names(twice.format("#x")) == ("title", "link", "link 2", "image")


def test_a_class_name_may_say_that_a_number_is_a_price_and_is_no_name():
    assert names("<div class=price><span class=a>#</span></div>") == ("price",)
    assert names('<span class="card__seller--new">Ann #</span>') == ("text 1",)


def test_class_names_of_looks_are_passed_over():
    assert names('<h3 class="col-md-6 clearfix">Boat #</h3>') == ("title",)


def test_tags_name_what_has_no_class():
    assert names("<h3>Boat #</h3><time>Day #</time>") == ("title", "date")


def test_links_and_images_are_named_by_what_they_stand_at():
    assert names("<h3>Boat #</h3><b class=author><a href=/#>Ann #</a></b><img src=/#.png>") == ("title", "author", "author link", "image")


def test_header_cells_name_columns_of_rows():
    rows = "".join(f"<tr><td>Gannet {k}<td>{k} m<td>a note on boat {k}" for k in range(5))
    found = find_records(f"<table><tr><th>Boat<th>Length<th>Note{rows}</table>", like="tr")
    assert {"Boat", "Length", "Note"} <= set(found.table.names)


def test_header_cells_beside_an_empty_corner_are_no_record():
    rows = "".join(f"<tr><th>Boat {k}<td>{k}<td>{k}1" for k in range(3))
    table = find_records(f"<table><tr><td></td><th>Length<th>Year</tr>{rows}</table>").table
    assert table.names == ("text 1", "Length", "Year")
    assert len(table) == 3


def test_header_cells_below_a_heading_of_the_table_name_columns():
    rows = "".join(f"<tr><td>Gannet {k}<td>{k} m<td>a note on boat {k}" for k in range(5))
    table = f"<table><tr><td colspan=3>Boats of the harbour<tr><th>Boat<th>Length<th>Note{rows}</table>"
    assert find_records(table, like="tr:nth-child(4)").table.names == ("Boat", "Length", "Note")


def test_cells_keep_their_columns_where_others_are_empty():
    rows = "".join(f"<tr><td>Boat {k}<td>{k if k % 2 else ''}<td>Note {k}" for k in range(6))
    table = find_records(f"<table>{rows}</table>", like="tr").table
    assert [row[1] for row in table.rows] == [None, "1", None, "3", None, "5"]
    assert [row[2] for row in table.rows] == [f"Note {k}" for k in range(6)]


@given(st.lists(st.sampled_from(["a", "b", "a 2", "a 2 2", ""]), max_size=8))
def test_numbered_names_are_distinct_and_first_ones_unchanged(words):
    found = numbered(words)
    assert len(found) == len(set(found)) == len(words)
    assert all(name.startswith(word or "text ") for name, word in zip(found, words, strict=True))


def test_cells_that_are_records_share_a_column():
    row = "".join(f"<td><b>Boat {k}</b> <i>{k} m</i>" for k in range(12))
    table = find_records(f"<table><tr>{row}</table>").table
    assert len(table.rows) == 12
    assert len(table.columns) == 2


def test_class_names_that_a_build_tool_made_up_are_passed_over():
    assert names("<h3 class=css-1x2y3z>Boat #</h3><b class=eQUmha>kind #</b><i class='card-price--a8Bc9'>#</i>") == (
        "title",
        "price",
        "text 1",
    )
    assert names("<div class='text-sm text-gray-700 hover:underline'>Boat #</div>") == ("text 1",)


def test_what_the_page_gives_no_name_is_named_by_its_values():
    assert names("<p>Boat #</p><b>$#.50</b><em>2024-05-1#</em>", 5) == ("text 1", "price", "date")


def test_microdata_of_the_record_names_no_field():
    assert (
        names("<h3>Boat #</h3>") == find_records("".join(f"<li itemprop=item><h3>Boat {k}</h3>" for k in range(4)), like="li").table.names
    )


def test_an_author_is_called_so_whatever_the_class_names_of_the_link():
    assert names("<span class='author vcard'><a class='url fn n' href=/a#>Ann #</a></span>") == ("author", "author link")


def test_class_names_of_single_records_part_no_columns():
    items = [
        f"<li class='post tag-{kind}'><h3>Boat {kind}</h3>{{}}<span class=note><a href=/n{kind}>{kind} notes</a></span>" for kind in "abcd"
    ]
    tagged = "".join(item.format("<span class=tag><a href=/t>sloop</a></span>" * k) for k, item in enumerate(items))
    columns = set(zip(*find_records(f"<ul>{tagged}</ul>", like="li").table.rows, strict=True))
    assert {("a notes", "b notes", "c notes", "d notes"), (None, "sloop", "sloop\nsloop", "sloop\nsloop\nsloop")} <= columns


def test_words_of_a_link_that_all_records_repeat_have_no_column():
    item = "<h3><a href=/#>Boat #</a></h3><p class=about>About #</p><a class=more href=/#>Read more</a><button>Order</button>"
    assert names(item) == ("title", "text 1", "link")
    assert names(item, 2) == ("title", "text 1", "text 2", "text 3", "link")


@pytest.mark.parametrize(
    ("item", "found"),
    [
        ("<h3 class=product-title><a class=new>Boat #</a></h3>", ("title",)),
        ("<p class=venue><em class=title>Boat #</em> at sea</p>", ("text 1",)),
        ("<div class=post-title>Boat # <b class=new>new</b></div>", ("title",)),
        ("<span class=amount><i class=x1>#</i></span>", ("number",)),
        ("<td class=title><span class=rank>#</span></td>", ("number",)),
        ("<i class='Shop_oldPrice__x7YqA'>#</i>", ("price",)),
        ("<p class='note--excerpt'>About #</p>", ("text 1",)),
        ("<p class='font-serif gap-4 mb-0.5 duration-300'>About #</p>", ("text 1",)),
        ("<b class=mrk>a#</b><p><i class=mrk>b#</i></p><u class=mrk>c#</u>", ("text 1", "text 2", "text 3")),
        ("<p>Author: Ann #</p><p>Seen by # people</p>", ("Author", "text 1")),
        ("<div><span>Length:</span><span># m</span></div>", ("Length",)),
        ("<p>作者：安#</p>", ("作者",)),
    ],
)
def test_a_column_has_the_name_that_says_most(item, found):
    assert names(item) == found


def test_the_same_words_for_other_targets_name_the_links():
    item = "<h3><a href=/#>Boat #</a></h3><a class=act href=/keep/#>Keep</a><a class=act href=/ask/#>Ask the owner</a>"
    assert names(item) == ("title", "link", "Keep link", "Ask the owner link")
    assert names(item.replace("ask/#", "ask")) == ("title", "text 1", "link", "Keep link", "link 2")


def test_a_text_that_repeats_another_in_every_record_has_no_column():
    item = "<a class=overlay href=/#>Boat #</a><h3>Boat #</h3><b class=berth>#</b><b class=length>#</b>"
    assert names(item) == ("title", "number", "number 2", "link")


def key(path, kind="text"):
    return Key(kind, path, path.split(".")[0])


def sequence(*pairs):
    return tuple((key(path), value) for path, value in pairs)


def test_a_field_that_a_record_lacks_is_empty():
    _, rows = align([sequence(("a", "1"), ("b", "2"), ("c", "3")), sequence(("a", "4"), ("c", "5"))])
    assert rows == (("1", "2", "3"), ("4", None, "5"))


def test_a_field_that_only_a_shorter_record_has_gets_a_column_beside_its_neighbours():
    keys, rows = align([sequence(("a", "1"), ("c", "2"), ("d", "3")), sequence(("a", "4"), ("b", "5"))])
    assert [each.path for each in keys] == ["a", "b", "c", "d"]
    assert rows == (("1", None, "2", "3"), ("4", "5", None, None))


def test_paths_with_class_names_count_for_more_than_tags():
    _, rows = align([sequence(("p.x", "1"), ("p.y", "2")), sequence(("p.y", "3"))])
    assert rows == (("1", "2"), (None, "3"))


def test_a_class_name_that_one_record_lacks_does_not_part_a_column():
    assert align([sequence(("p.x", "1")), sequence(("p.z", "3"))])[1] == (("1",), ("3",))


def test_kinds_do_not_mix():
    keys, _ = align([((key("a"), "text"),), ((key("a", "link"), "/x"),)])
    assert len(keys) == 2


def test_columns_of_a_wrapper_stay_first_and_stay_when_empty():
    keys, rows = align([sequence(("b", "1"))], [key("a"), key("b")])
    assert [each.path for each in keys] == ["a", "b"]
    assert rows == ((None, "1"),)


def test_columns_of_a_wrapper_stay_when_empty_behind_a_new_one():
    keys, rows = align([sequence(("a", "1"), ("new", "2"))], [key("a"), key("b"), key("c")])
    assert [each.path for each in keys] == ["a", "new", "b", "c"]
    assert rows == (("1", "2", None, None),)


def test_many_fields_at_one_path_share_a_column():
    _, rows = align([tuple((key("p"), str(k)) for k in range(MAX_REPEATS + 2)), sequence(("p", "x"))])
    assert rows == (("\n".join(map(str, range(MAX_REPEATS + 2))),), ("x",))


def test_nothing_to_align_is_no_column():
    assert align([]) == ([], ())
    assert align([(), ()]) == ([], ((), ()))


KEYS = st.sampled_from(["a.x", "a.y", "a", "b", "c.x", "d"]).map(key)
RECORDS = st.lists(st.lists(st.tuples(KEYS, st.sampled_from("1234")), max_size=7).map(tuple), max_size=6)


# The match of the first record with the columns of all of them has the most weight without its second field, and yet that has a column.
JOINED = [sequence(*((path, "1") for path in paths.split())) for paths in ("a a.x a.y", "a.x a.x a a", "a a a.x")]


@given(RECORDS)
@example(JOINED)
def test_every_value_is_in_its_row(records):
    _, rows = align(records)
    for record, row in zip(records, rows, strict=True):
        assert sorted("\n".join(value for value in row if value is not None).split()) == sorted(value for _, value in record)


@given(RECORDS)
@example(JOINED)
def test_every_value_stands_alone_under_its_tags_and_kind(records):
    keys, rows = align(records)
    for record, row in zip(records, rows, strict=True):
        held = [(key, value) for key, value in zip(keys, row, strict=True) if value is not None]
        assert sorted((key.kind, key.tags, value) for key, value in held) == sorted((key.kind, key.tags, value) for key, value in record)


@given(RECORDS)
def test_no_column_is_empty(records):
    keys, rows = align(records)
    assert all(any(row[k] is not None for row in rows) for k in range(len(keys)))


def plain_weight(shape, keys):
    """The greatest weight of a match that keeps order, by trying everything."""
    weights = _weights(shape, keys)

    @cache
    def best(i, j):
        if i == len(shape) or j == len(keys):
            return 0
        weight = weights[i][j]
        return max(best(i + 1, j), best(i, j + 1), best(i + 1, j + 1) + weight if weight else 0)

    return best(0, 0)


@given(st.lists(KEYS, max_size=7), st.lists(KEYS, max_size=7))
def test_the_match_has_the_greatest_weight(shape, keys):
    columns = _best_match(tuple(shape), keys)
    matched = [(k, column) for k, column in enumerate(columns) if column >= 0]
    assert [column for _, column in matched] == sorted({column for _, column in matched})
    weights = _weights(shape, keys)
    assert all(weights[k][column] for k, column in matched)
    assert sum(weights[k][column] for k, column in matched) == plain_weight(tuple(shape), tuple(keys))


@given(RECORDS)
def test_the_order_of_records_changes_no_value(records):
    def values(found):
        return Counter("".join(sorted("".join(value for value in row if value is not None).replace("\n", ""))) for row in found[1])

    assert values(align(records)) == values(align(records[::-1]))


def test_a_column_that_repeats_another_where_it_has_a_value_goes():
    items = [f"{f'<a class=pic href=/{k}><img src=/{k}.png></a>' if k else ''}<h3><a href=/{k}>Boat {k}</a></h3>" for k in range(5)]
    assert find_records("<ul>" + "".join(f"<li>{item}</li>" for item in items) + "</ul>", like="li").table.names == (
        "title",
        "link",
        "image",
    )
    other = [*items[:4], "<a class=pic href=/big><img src=/4.png></a><h3><a href=/4>Boat 4</a></h3>"]
    assert find_records("<ul>" + "".join(f"<li>{item}</li>" for item in other) + "</ul>", like="li").table.names[1:3] == ("link", "link 2")


def test_words_before_a_link_or_a_time_that_all_records_have_name_it():
    item = (
        "<h3><a href=/#>Boat #</a></h3><div><i class=p>Posted on</i> <time>3 May 202#</time> <i class=s>by</i> "
        "<b class=who><a href=/a#>Ann #</a></b> <i class=in>in</i> <a href=/boats>Boats</a></div><p>A boat with # oars.</p>"
    )
    assert names(item) == ("title", "date", "by", "in", "text 1", "link", "by link", "in link")


def test_words_that_all_records_have_stay_before_other_things_than_links():
    assert names("<h3>Boat #</h3><p><i class=s>in stock</i> <b class=k># oars</b></p>")[1:] == ("text 1", "text 2")


def test_a_label_that_all_texts_of_a_column_have_names_it_and_is_not_in_it():
    boats = "".join(
        f"<li><a href=/{k}>Boat {k}</a><p>Built: {k} May 2019</p><p>By: {who}</p></li>" for k, who in enumerate("ann bob cas".split(), 1)
    )
    page = f"<ul>{boats}</ul>"
    table = find_records(page).table
    assert table.names == ("title", "Built", "By", "link")
    assert table.rows[1] == ("Boat 2", "2 May 2019", "bob", "/2")
    assert table.columns[1].type == "date"
    wrapper = find_records(page).main.to_wrapper()
    assert find_records(page, wrapper=wrapper).table.rows == table.rows


def test_the_same_beginning_of_titles_and_of_long_texts_is_no_label():
    boats = "".join(f"<li><h3><a href=/{k}>Review: boat {k}</a></h3><p>Note: {f'sails and oars of {k}. ' * 9}</p></li>" for k in range(4))
    table = find_records(f"<ul>{boats}</ul>").table
    assert table.names == ("title", "text 1", "link")
    assert table.rows[0][0] == "Review: boat 0"
    assert str(table.rows[0][1]).startswith("Note: sails")
