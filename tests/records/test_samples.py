import pytest

from tamis import UsageError, find_records, parse
from tamis.records.search import key_tree, select_xpath
from tests.records.pages import BOATS, one, shop

PAGE = shop()


def count(like):
    found = find_records(PAGE, like=like)
    return len(found.main) if found.main else 0


@pytest.mark.parametrize(
    "like",
    [
        "li.boat",
        "ul.boats > li:first-child",
        "/html/body/div/ul/li[1]",
        "//ul[@class='boats']/li[1]",
        "<li class=boat><img><h3><a href=x>Name</a></h3><p>text</p><span>1</span></li>",
    ],
)
def test_a_sample_in_any_form_finds_the_records(like):
    assert count(like) == len(BOATS)


def test_a_node_is_a_sample():
    tree = parse(PAGE)
    assert len(find_records(tree, like=one(tree, "li", 11)).main) == len(BOATS)


def test_a_selector_of_many_takes_the_first_and_says_so():
    assert any("matches 5 elements" in note for note in find_records(PAGE, like="li.boat").notes)


@pytest.mark.parametrize(
    ("like", "message"),
    [
        ("li.nothing", "nothing on the page matches"),
        ("/html/body/table", "nothing on the page matches"),
        ("li[", "not a CSS selector"),
        ("//li[", "not a plain XPath"),
        ("//p/text()", "not a plain XPath"),
        ("count(//li)", "not a CSS selector"),
        ("  ", "empty"),
        ("<!-- nothing -->", "no element"),
        (10**6, "not an element of this page"),
        (-1, "not an element of this page"),
    ],
)
def test_a_sample_that_is_none_says_what_to_do(like, message):
    with pytest.raises(UsageError, match=message):
        find_records(PAGE, like=like)


def test_a_sample_from_elsewhere_may_fit_nothing():
    found = find_records(PAGE, like="<table><tr><td>x</table>")
    assert found.main is None
    assert "nothing on the page is like the sample" in found.notes


def test_parts_of_tables_can_be_samples():
    rows = "".join(f"<tr><td>Boat {k}<td>{k}" for k in range(4))
    assert len(find_records(f"<table>{rows}</table>", like="<tr><td>a</td><td>b</td></tr>").main) == 4
    key = key_tree(parse(PAGE), "<td><b>x</b></td>")
    assert key.tree.name(key.node) == "td"


def test_plain_xpaths_name_the_nodes_they_are_made_for():
    tree = parse(PAGE)
    for node in range(len(tree)):
        if tree.name(node) != "#text":
            assert select_xpath(tree, tree.xpath(node)) == [node]


def test_steps_of_any_depth_and_attributes_are_read():
    tree = parse(PAGE)
    expected = select_xpath(tree, "/html/body/div/ul/li")
    assert select_xpath(tree, '/html/body//ul[@class="boats"]/li') == select_xpath(tree, "//*[@class='boats']/li[@class]") == expected
    assert select_xpath(tree, "/div/ul") == []


def test_of_the_rows_of_a_table_the_first_that_names_no_columns_is_the_sample():
    found = find_records("<table><tr><th>Port<th>High<tr><td>Brest<td>7<tr><td>Cork<td>4</table>", like="tr")
    assert found.table.rows == (("Brest", "7"), ("Cork", "4"))


LINKS = "".join(f"<p><a href=/{k}><b>Boat {k}</b></a> <a href=/{k}/map>map</a> <a href=/{k}/crew>crew</a>" for k in range(6))


def test_a_sample_or_several_decide_which_of_the_elements_of_one_kind_are_records():
    page = f"<div>{LINKS.replace('<p>', '')}</div>"
    one, both = find_records(page, like="/html/body/div/a[1]").main, find_records(page, like=["//a[1]", "//a[4]"]).main
    assert len(one) == len(both) == 6
    assert all(text.startswith("Boat") for text in both.texts)


def test_several_samples_tell_records_from_their_parts():
    page = "".join(f"<div><p>Boat {k}, {k + 4} metres</p><p>Built at the quay</p><p>For sale</p></div>" for k in range(5))
    found = find_records(page, like=["/html/body/div[1]/p[1]", "/html/body/div[1]/p[2]"]).main
    assert len(found) == 15


def test_several_samples_have_to_be_on_the_page():
    with pytest.raises(UsageError, match="elements of the page"):
        find_records(PAGE, like=["li.boat", "<li>boat</li>"])


def test_of_elements_with_one_part_in_common_only_those_like_the_sample_are_records():
    places = "".join(f"<p><a href=/{k}>Harbour number {k}</a></p>" for k in range(6))
    page = f"<div>{places}<p><b>More harbours:</b></p><p><i>Answers in 2 seconds</i></p></div>"
    assert find_records(page, like="p:nth-of-type(2)").table.only("text").rows == tuple((f"Harbour number {k}",) for k in range(6))


@pytest.mark.parametrize(
    "beside",
    [
        "<div class=entry><p>An entry of several lines.<p>With a <a href=/x>link</a>.</div>",
        "<div class=pager><a href=/1>1</a> <a href=/2>2</a> <a href=/3>3</a></div>",
        "<div><form>Search <input><ul><li>June<li>May</ul></form></div>",
    ],
)
def test_the_only_record_of_a_page_is_found_alone(beside):
    card = '<div class="card"><h3><a href=/gannet>Gannet</a></h3><img src=/gannet.jpg><span class=price>4,200</span></div>'
    page = f"<main><div class=list>{card}</div>{beside}</main>"
    found = find_records(page, like="div.card").main
    assert found is not None
    assert [text.splitlines() for text in found.texts] == [["Gannet", "4,200"]]


def test_a_sample_is_a_record_by_itself_where_the_main_list_takes_two_for_one():
    def item(k: int) -> str:
        sale = "<i>Sale</i><u>x</u>" * (k % 2 == 0)
        prices = "".join(f"<p><b>{7 * k + j} euros</b> a night {j}</p>" for j in range(2))
        return f"<li class='{'sale' * (k % 2 == 0)}'><h3><a href=/{k}>Harbour {k}</a></h3>{sale}{prices}<img src=x></li>"

    page = f"<ul>{''.join(map(item, range(8)))}</ul>"
    assert len(find_records(page).main) == 4
    assert len(find_records(page, like="li").main) == 8


TITLE, TEXT = "<a href=/0>Zero of the boats</a>", "Built in 1970, of oak, for a family."
FIRST = {
    "in a wrapper": f"<div class=top><li class=hit><h3>{TITLE}</h3><p>{TEXT}</p></li></div>",
    "of another tag": f"<section class=ad><h3>{TITLE}</h3><p>{TEXT}</p></section>",
    "in markup of its own": f"<div class=best><img src=z.png><b>{TITLE}</b><br>{TEXT}</div>",
}


@pytest.mark.parametrize("first", FIRST.values(), ids=FIRST)
def test_a_first_record_that_stands_out_selects_the_list_beside_it(first):
    hits = "".join(
        f"<li class=hit><h3><a href=/{k}>Boat number {k}</a></h3><p>Built in 19{70 + k}, of larch, for a club.</p></li>"
        for k in range(1, 8)
    )
    nav = "".join(f"<li><a href=/n{k}>Part {k}</a></li>" for k in range(6))
    page = f"<body><nav><ul>{nav}</ul></nav><main><div class=all>{first}<ul>{hits}</ul></div></main></body>"
    like = first[1:].partition(">")[0].replace(" class=", ".")
    found = find_records(page, like=like).main
    assert [text.splitlines()[0] for text in found.texts] == ["Zero of the boats", *(f"Boat number {k}" for k in range(1, 8))]


@pytest.mark.parametrize("beside", ["<p>Long text of the page, with <a href=/x>a link</a>.</p>", "<li><a href=/y>Short</a></li>"])
def test_a_sample_alone_takes_no_list_that_shows_other_things(beside):
    entry = "<div class=best><b><a href=/0>Zero of the boats</a></b><br>Built in 1970, <i>of oak</i>, for a family.</div>"
    page = f"<main>{entry}<ul>{beside.replace('text', 'text ' * 60) * 5}</ul></main>"
    assert len(find_records(page, like="div.best").main) == 1
