import json

import pytest

from tamis import ModelError, UsageError, Wrapper, find_records, learn_records
from tamis.records.table import MAX_COLUMNS
from tests.records.pages import BOATS, shop

NEXT = [
    ("Dunlin", "A dinghy with one oar and a promise of another.", "90", None),
    ("Knot", "Steel, heavy, and afloat all the same.", None, "k.jpg"),
]


def test_a_wrapper_finds_the_records_of_the_next_page_with_the_same_columns():
    first = find_records(shop(), url="https://h.example/1")
    wrapper = first.main.to_wrapper()
    found = find_records(shop(NEXT, "Page two"), wrapper=wrapper, url="https://h.example/2")
    assert found.table.names == first.table.names
    assert [row["title"] for row in found.table.records()] == ["Dunlin", "Knot"]


def test_a_single_record_is_found_by_the_wrapper():
    found = find_records(shop(NEXT[:1]), wrapper=find_records(shop()).main.to_wrapper())
    assert [row["title"] for row in found.table.records()] == ["Dunlin"]


def test_a_wrapper_saved_and_loaded_is_the_same(tmp_path):
    wrapper = find_records(shop()).main.to_wrapper()
    wrapper.save(tmp_path / "boats.json")
    assert Wrapper.load(tmp_path / "boats.json") == wrapper
    assert json.loads((tmp_path / "boats.json").read_text())["record"] == "li.boat.boat-0"


def test_other_class_names_above_are_forgiven():
    wrapper = find_records(shop()).main.to_wrapper()
    found = find_records(shop(NEXT).replace("class=boats", "class=vessels"), wrapper=wrapper)
    assert len(found.main) == 2
    assert found.main.how == "at the wrapper's path of tags"


@pytest.mark.parametrize("boats", [BOATS, BOATS[:1]])
def test_records_elsewhere_are_found_by_their_class_names(boats):
    wrapper = find_records(shop()).main.to_wrapper()
    found = find_records(shop(boats).replace("<div id=main>", "<section><div id=main>"), wrapper=wrapper)
    assert len(found.main) == len(boats)
    assert found.main.how == "by the record's class names"


def test_records_of_another_layout_are_found_at_the_path():
    wrapper = find_records(shop()).main.to_wrapper()
    rows = "".join(f'<li class=row><b>Boat {k}</b> <a href="/{k}">Ask about boat {k}</a>' for k in range(4))
    found = find_records(f"<html><body><div id=main><h1>Boats</h1><ul class=boats>{rows}</ul></div>", wrapper=wrapper)
    assert len(found.main) == 4
    assert found.main.how == "at the wrapper's path, in another layout"


def test_rows_that_are_no_records_leave_the_list_of_a_wrapper():
    wrapper = find_records(shop()).main.to_wrapper()
    more = '<li class="boat boat-0"><form><label>Ask for more boats</label></form></li></ul></div><footer>'
    assert len(find_records(shop().replace("</ul></div><footer>", more), wrapper=wrapper).main) == len(BOATS)


def test_records_elsewhere_are_found_by_similarity():
    wrapper = find_records(shop()).main.to_wrapper()
    moved = shop().replace("<div id=main>", "<section><div id=main>").replace('class="boat', 'class="vessel')
    found = find_records(moved, wrapper=wrapper)
    assert len(found.main) >= 2
    assert found.main.how == "by similarity to the wrapper's record"


def test_a_page_that_does_not_fit_says_so():
    found = find_records("<table><tr><td>x</table>", wrapper=find_records(shop()).main.to_wrapper())
    assert found.main is None
    assert "nothing on the page fits the wrapper" in found.notes


def runs(boats):
    items = "".join(f"<h3><a href=/{name}>{name}</a></h3><p>{text}<p>Price {price}" for name, text, price, _ in boats)
    return f"<body><div>{items}</div></body>"


def as_grid(boats, heading):
    cells = "".join(
        f"<td><h3 class=name><a href=/boats/{name}>{name}</a></h3><p class=about>{text}</p><b class=price>{price}</b>"
        for name, text, price, _ in boats
    )
    return f"<nav><ul>{'<li><a href=/>x</a>' * 9}</ul></nav><div id=main><h1>{heading}</h1><table class=grid><tr>{cells}</table></div>"


def as_list(boats, heading):
    items = "".join(
        f"<li class=boat><div class=text><h3 class=name><a href=/boats/{name}>{name}</a></h3><p class=about>{text}</p></div>"
        f"<b class=price>{price}</b>"
        for name, text, price, _ in boats
    )
    return f"<nav><ul>{'<li><a href=/>x</a>' * 9}</ul></nav><div id=main><h1>{heading}</h1><ul class=boats>{items}</ul></div>"


def test_goods_as_a_list_and_as_a_grid_are_one_table(tmp_path):
    pages = [as_list(BOATS, "One"), as_grid(BOATS[::-1], "Two"), as_list(NEXT, "Three"), as_grid(NEXT[::-1], "Four")]
    wrapper = learn_records(pages)
    assert {str(wrapper.record), *(str(other.record) for other in wrapper.others)} == {"li.boat", "td"}
    wrapper.save(tmp_path / "boats.json")
    assert Wrapper.load(tmp_path / "boats.json") == wrapper
    regions = [find_records(page, wrapper=wrapper).main for page in pages]
    assert [[row[0] for row in region.table.rows] for region in regions] == [
        [boat[0] for boat in boats] for boats in (BOATS, BOATS[::-1], NEXT, NEXT[::-1])
    ]
    assert len({region.wrapper for region in regions}) == 2
    assert find_records(as_grid(NEXT[:1], "Last"), wrapper=wrapper).table.rows[0][0] == "Dunlin"


def test_a_list_of_other_things_is_no_layout_of_the_list():
    other = "<ol>" + "".join(f"<li class=post><h2 class=head>Day {k}</h2><p class=body>Fair.</p>" for k in range(9)) + "</ol>"
    wrapper = learn_records([as_list(BOATS, "One"), as_list(NEXT, "Two"), other])
    assert str(wrapper.record) == "li.boat"
    assert wrapper.others == ()


@pytest.mark.parametrize("boats", [NEXT, NEXT[:1], BOATS])
def test_records_of_several_siblings_are_found_on_the_next_page(boats):
    wrapper = find_records(runs(BOATS)).main.to_wrapper()
    assert [str(step) for step in wrapper.siblings] == ["p"]
    found = find_records(runs(boats), wrapper=wrapper)
    assert [row["title"] for row in found.table.records()] == [boat[0] for boat in boats]
    assert [text.count("Price") for text in found.main.texts] == [1] * len(boats)


@pytest.mark.parametrize(
    "text", ["{}", "[]", "nonsense", '{"format": "tamis-records", "version": 99}', '{"format": "tamis-records", "version": 2}']
)
def test_what_is_no_wrapper_is_told(tmp_path, text):
    (tmp_path / "w.json").write_text(text)
    with pytest.raises(ModelError, match=r"w\.json"):
        Wrapper.load(tmp_path / "w.json")


def test_a_wrapper_that_is_not_there_is_told(tmp_path):
    with pytest.raises(ModelError, match="cannot read"):
        Wrapper.load(tmp_path / "none.json")
    (tmp_path / "file").touch()
    with pytest.raises(ModelError, match="cannot write"):
        find_records(shop()).main.to_wrapper().save(tmp_path / "file" / "w.json")


# -- several pages ---------------------------------------------------------------------------------------------------------

NEWS = "".join(
    f"<li><h4><a href=/n{k}>News {k} of the harbour and its boats, told at length</a></h4><p>Somebody said something {k}.</li>"
    for k in range(9)
)


def with_news(boats):
    return shop(boats).replace("<footer>", f"<div class=box><ul>{NEWS}</ul></div><footer>")


def test_what_all_pages_repeat_word_for_word_is_not_the_list():
    pages = [with_news(BOATS[:3]), with_news(BOATS[2:]), with_news(NEXT)]
    assert str(learn_records(pages).record) == "li.boat.boat-0"


def posts(*categories):
    items = "".join(
        f"<article class='post entry {category}'><h2><a href=/{k}>Post {k} on {category}</a></h2><p>What is said of {k}.</p></article>"
        for k, category in enumerate(categories)
    )
    links = "".join(f"<a href=/c/{k}><b>{k}</b></a>" for k in range(3))
    return f"<main>{items}</main><footer>{links}</footer>"


def test_class_names_that_the_records_of_one_page_share_by_chance_are_no_part_of_the_list():
    pages = [posts("boats", "ropes", "sails"), *(posts(*[category] * 3) for category in ("boats", "ropes", "sails", "charts"))]
    wrapper = learn_records(pages)
    assert (str(wrapper.record), wrapper.pages) == ("article.post.entry", 5)


def test_a_wrapper_of_one_page_takes_records_that_lack_one_of_several_class_names():
    wrapper = find_records(posts("boats", "boats", "boats")).main.to_wrapper()
    assert str(wrapper.record) == "article.post.entry.boats"
    assert len(find_records(posts("boats", "ropes", "sails"), wrapper=wrapper).main) == 3
    assert find_records("<main><article class=boats><p>An advert</p></article></main>", wrapper=wrapper).main is None


def test_columns_are_those_of_all_pages():
    wrapper = learn_records([shop(BOATS[1:2] * 3), shop(BOATS)])
    assert {"title", "text 1", "price", "image"} <= {column.name for column in wrapper.columns}
    assert wrapper.pages == 2


def test_a_sample_on_one_page_is_learned_for_all():
    wrapper = learn_records(["<p>nothing here", shop(BOATS), shop(NEXT)], like="li.boat")
    assert wrapper.pages == 2
    assert str(wrapper.record) == "li.boat.boat-0"


def test_the_same_wrapper_comes_of_the_same_pages():
    assert learn_records([shop(BOATS), shop(NEXT)]) == learn_records([shop(BOATS), shop(NEXT)])


@pytest.mark.parametrize(("pages", "like"), [([], None), (["<p>x"], None), (["<p>x", "<p>y"], "li")])
def test_pages_without_a_list_teach_nothing(pages, like):
    with pytest.raises(UsageError, match=r"at least one page|none of the pages|nothing on the page"):
        learn_records(pages, like=like)


def test_columns_of_a_wrapper_keep_their_names_where_a_page_has_a_field_between():
    wrapper = find_records("<ul><li><b>Oysters</b><i>3</i><li><b>Mussels</b><i>2</i></ul>", like="li").main.to_wrapper()
    table = find_records("<ul><li><b>Clams</b><u>new</u><i>1</i><li><b>Crabs</b><u>new</u><i>4</i></ul>", wrapper=wrapper).table
    assert table.names == ("text 1", "text 2", "number")
    assert table.rows[0] == ("Clams", "new", "1")


@pytest.mark.parametrize(
    "damage",
    [
        {"longest": 1e999},
        {"pages": 1e999},
        {"columns": [{"name": "a", "kind": "text", "path": "p", "tags": "p"}] * (MAX_COLUMNS + 1)},
        {"columns": 3},
        {"columns": {"a": 1}},
    ],
)
def test_a_damaged_wrapper_is_refused(damage):
    values = find_records(shop(BOATS)).main.to_wrapper().to_dict()
    with pytest.raises(ModelError, match="damaged"):
        Wrapper.from_dict({**values, **damage})


def test_a_wrapper_of_lone_surrogates_is_written_and_read(tmp_path):
    values = find_records(shop(BOATS)).main.to_wrapper().to_dict()
    wrapper = Wrapper.from_dict({**values, "skeleton": "<b class='\ud800'>"})
    wrapper.save(tmp_path / "w.json")
    assert Wrapper.load(tmp_path / "w.json") == wrapper


def test_a_wrapper_finds_records_that_begin_before_their_link():
    def listing(*names):
        return "<div>" + "<br>".join(f"0.{9 - k} <a href=/{name}>{name}</a>" for k, name in enumerate(names)) + "</div>"

    wrapper = find_records(listing("a", "b", "c"), like="a").main.to_wrapper()
    assert find_records(listing("d", "e"), wrapper=wrapper).main.texts == ("0.9\nd", "0.8\ne")
    assert find_records(listing("d"), wrapper=wrapper).main.texts == ("0.9\nd",)


def test_a_single_record_of_a_wrapper_has_nothing_before_its_link_where_the_learned_ones_have_nothing():
    names = "".join(f"<a href=/{name}>{name}</a> <i>{name} harbour</i><br>" for name in ("Gannet", "Petrel", "Fulmar"))
    wrapper = find_records(f"<div>{names}</div>", like="a").main.to_wrapper()
    found = find_records("<div>Boats: <a href=/e>Eider</a> <i>Brest</i><br></div>", wrapper=wrapper).main
    assert [field.value for field in found.fields[0] if field.kind == "text"] == ["Eider", "Brest"]


def test_a_list_in_six_hundred_elements_is_learned_as_it_is_found():
    page = "<div>" * 600 + shop()
    assert str(learn_records([page, page.replace("Gannet", "Auk")]).record) == "li.boat.boat-0"
    assert len(find_records(page).main) == len(BOATS)
