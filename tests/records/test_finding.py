from itertools import pairwise

import pytest

import tamis
from tamis import UsageError, find_records
from tamis.records.finding import MAX_REGIONS
from tests.records.pages import BOATS, shop


def names(found):
    return [record.get("title") for record in found.table.records()]


def test_the_main_list_is_found_without_a_sample():
    found = find_records(shop())
    assert names(found) == [boat[0] for boat in BOATS]
    assert found.main.xpath == "/html[1]/body[1]/div[1]/ul[1]"
    assert found.main.css == "html > body > div:nth-of-type(1) > ul:nth-of-type(1)"


def test_missing_fields_are_empty_and_order_is_the_pages():
    table = find_records(shop()).table.only("text")
    assert table.names == ("title", "price", "text 1")
    assert [row[1] for row in table.rows] == [boat[2] for boat in BOATS]


def test_links_and_images_are_fields_resolved_against_the_address():
    table = find_records(shop(), url="https://harbour.example/list/").table
    rows = list(table.records())
    assert rows[0]["link"] == "https://harbour.example/boats/gannet"
    assert rows[0]["image"] == "https://harbour.example/img/gannet.jpg"
    assert rows[1]["image"] is None


def test_equal_records_stay():
    assert names(find_records(shop([BOATS[1]] * 4))) == ["Tern"] * 4


def test_other_lists_come_after_the_main_one_and_none_overlap():
    found = find_records(shop())
    ranges = sorted(span for region in found.regions for span in region.spans)
    assert len(found.regions) > 1
    assert all(a[1] <= b[0] for a, b in pairwise(ranges))
    assert [region.score for region in found.regions] == sorted((region.score for region in found.regions), reverse=True)


def test_records_with_an_advert_between_are_one_list():
    page = shop().replace(
        '<li class="boat boat-6"><img src=/img/petrel.jpg>', '<li class=ad>Buy rope</li><li class="boat boat-6"><img src=/img/petrel.jpg>'
    )
    assert "Buy rope" in page
    assert [name for name in names(find_records(page, like="li.boat")) if name] == [boat[0] for boat in BOATS]


def test_records_that_are_runs_of_siblings_are_found():
    page = (
        "<div>" + "".join(f"<h3><a href=/{k}>Boat {k}</a></h3><p>About boat {k}, in a sentence.<p>Berth {k}" for k in range(6)) + "</div>"
    )
    found = find_records(page)
    assert len(found.main) == 6
    assert found.table.only("text").rows[2] == ("Boat 2", "About boat 2, in a sentence.", "Berth 2")


def test_rows_of_a_table_in_groups_are_records():
    rows = "".join(f"<tr class=head><td><a href=/{k}>Boat {k}</a><tr><td>Sold in port {k} to somebody" for k in range(5))
    found = find_records(f"<table>{rows}</table>")
    assert [row[:2] for row in found.table.only("text").rows][1] == ("Boat 1", "Sold in port 1 to somebody")


def test_whole_records_are_taken_rather_than_a_part_of_each():
    item = (
        "<li><div class=body><p>A long description of the boat, number {0}, and of its crew</p><i>{0} m</i></div><b>Seen {0} times</b></li>"
    )
    found = find_records("<ul>" + "".join(item.format(k) for k in range(8)) + "</ul>")
    assert all("Seen" in text for text in found.main.texts)


def test_runs_begin_with_the_first_sibling_of_a_period():
    page = "<div>" + "".join(f"<h4>Day {k}</h4><p>Wind from the west, force {k}</p><i>Tide {k}</i>" for k in range(6)) + "</div>"
    assert find_records(page).main.texts[0].startswith("Day 0")


def test_nested_lists_stay_within_their_records():
    item = "<li><h3><a href=/{0}>Port {0}</a></h3><p>Where boats of kind {0} lie</p><ul><li>quay {0}<li>pier {0}</ul></li>"
    found = find_records("<ul>" + "".join(item.format(k) for k in range(5)) + "</ul>")
    assert len(found.main) == 5
    assert "quay 3" in found.main.texts[3]
    assert "pier 3" in found.main.texts[3]


@pytest.mark.parametrize(
    "page", ["", "<p>hello", "<article><h1>Tides</h1>" + "<p>A paragraph of running text, long enough to be one, says something.</p>" * 6]
)
def test_a_page_without_a_list_has_none_and_says_so(page):
    found = find_records(page)
    assert found.main is None
    assert len(found.table) == 0
    assert found.table.to_csv() == "\n"
    assert any("no list" in note for note in found.notes)


def test_the_number_of_lists_has_a_bound():
    boats = "<ul>" + "<li><b>Gannet</b> <a href=/b>its harbour</a></li>" * 4 + "</ul>"
    page = "".join("<div>" * level + boats + "</div>" * level for level in range(MAX_REGIONS + 2))
    assert len(find_records(page).regions) == MAX_REGIONS


def test_two_runs_give_the_same():
    a, b = find_records(shop()), find_records(shop())
    assert a.table == b.table
    assert [region.spans for region in a.regions] == [region.spans for region in b.regions]


def test_a_sample_and_a_wrapper_exclude_each_other():
    wrapper = find_records(shop()).main.to_wrapper()
    with pytest.raises(UsageError, match="not both"):
        find_records(shop(), like="li", wrapper=wrapper)


def test_what_stands_beside_the_content_ranks_lower():
    def page(tag):
        items = "".join(f"<li><a href=/{k}>Link number {k}</a> <i>and more {k}</i>" for k in range(5))
        return f"<body><{tag}><ul>{items}</ul></{tag}></body>"

    assert find_records(page("nav")).main.score < find_records(page("div")).main.score


def test_names_are_public():
    assert {"find_records", "learn_records", "Records", "RecordSettings", "Table", "Wrapper"} <= set(tamis.__all__)


def test_records_of_which_every_second_has_a_class_name_more_are_no_runs():
    def item(k):
        more = f"<em>New</em><small>tag {k}</small><i>by {k}</i>" if k % 2 == 0 else ""
        return f"<li class='item{' hot' if more else ''}'><h3><a href=/{k}>Boat {k}</a></h3><p>length {k}</p>{more}</li>"

    assert len(find_records("<ul>" + "".join(map(item, range(30))) + "</ul>").main) == 30


def test_two_unlike_siblings_are_no_list():
    head = (
        "<div><h1><a href=/gannet>Gannet</a></h1><time>3 May</time> <em><a href=/ann>Ann</a></em> <b><a href=/cutters>cutters</a></b></div>"
    )
    text = f"<div><p>{'A small cutter with a new deck. ' * 6}<ul><li>sails<li>engine</ul><img src=gannet.png></div>"
    assert not find_records(f"<article>{head}{text}</article>").regions


def test_filters_whose_check_boxes_stand_beside_their_words_rank_lower_than_the_records():
    choices = "".join(
        f'<li><input type=checkbox><div class=term><a href="?k={k}">Kind number {k}</a> <i>({k})</i></div></li>' for k in range(60)
    )
    goods = "".join(f"<li><a href=/{name}><img src={name}.jpg><h2>{name}</h2><b>{price}</b></a></li>" for name, _, price, _ in BOATS)
    found = find_records(f"<ul class=goods>{goods}</ul><div class=filters><ul>{choices}</ul></div><p>{'All lie here. ' * 90}")
    assert len(found.main) == len(BOATS)


def test_words_of_a_tag_cloud_beside_a_text_are_no_list():
    words = "".join(f"<a href=/{k} class=tag>Word {k}</a>" for k in range(40))
    found = find_records(f"<article><p>{'The boat lies in the harbour. ' * 20}</article><aside><div class=widget>{words}</div></aside>")
    assert found.main is None


def test_filters_with_check_boxes_rank_lower_than_the_records():
    choices = "".join(
        f'<li><label><input type=checkbox><a href="?k={k}">Kind {k}</a> <i>{k}</i></label><ul><li><a href="?s={k}">Sort {k}</a></ul>'
        for k in range(24)
    )
    goods = "".join(f"<li><img src=/{k}.png><h3><a href=/{k}>Boat {k}</a></h3><b>{k},900</b>" for k in range(8))
    found = find_records(f"<div class=filters><ul>{choices}</ul></div><ul class=products>{goods}</ul><p>{'All lie in the harbour. ' * 20}")
    assert [row["title"] for row in found.table.records()] == [f"Boat {k}" for k in range(8)]


def test_words_of_code_are_no_list():
    lines = "".join(f"<span class=line><i class=key>let</i> <b class=name>boat{k}</b></span>\n" for k in range(20))
    posts = "".join(
        f"<article><h2><a href=/{k}>Post {k}</a></h2><p>About boat {k}.<pre><code>{lines}</code></pre></article>" for k in range(2)
    )
    assert names(find_records(posts)) == ["Post 0", "Post 1"]
    assert not find_records(f"<pre>{lines}</pre>").regions


def test_runs_begin_with_their_headings_and_keep_the_last_list():
    def part(k):
        boats = "".join(f"<li><a href=/{k}{j}>Boat {j} of harbour {k}, with a note on its sails</a>" for j in range(3))
        return f"<h2>Port {k} <small>[edit]</small></h2><ul class=boats{' id=list-9' if k == 5 else ''}>{boats}</ul>"

    found = find_records(f"<ul class=boats><li>{'A note on all ports. ' * 5}</ul>" + "".join(map(part, range(6)))).main
    assert [text.splitlines()[0] for text in found.texts] == [f"Port {k} [edit]" for k in range(6)]
    assert all(len(text.splitlines()) == 4 for text in found.texts)


@pytest.mark.parametrize("tag", ["div", "li"])
@pytest.mark.parametrize("missing", [(), (1, 3)])
def test_fields_without_links_are_no_records(tag, missing):
    def record(number):
        parts = ("price", "date", "stock", "port")[: 3 if number in missing else 4]
        return f"<{tag} class=item><h3>Boat {number}</h3>{''.join(f'<span class={part}>{part} {number}</span>' for part in parts)}</{tag}>"

    found = find_records(f"<h1>Boats</h1><div class=list>{''.join(map(record, range(6)))}</div>")
    assert len(found.table) == 6
    assert found.table.rows[0][:2] == ("Boat 0", "price 0") or found.table.rows[0][2] == "price 0"
    assert len(found.table.columns) == 5


def mega_menu(of_groups):
    groups = "".join(
        f"<div id=navItem{k}><a href=/{k}>Group number {k}</a><ul>"
        + "".join(f"<li><a href=/{k}/{n}>Sails and ropes {n}</a></li>" for n in range(7))
        + "</ul></div>"
        for k in range(9)
    )
    return f"<div id={of_groups}>{groups}</div>"


@pytest.mark.parametrize("place", ["menu", "top"])
def test_a_menu_comes_after_the_lists_of_the_content(place):
    goods = "".join(f"<li><h3>Boat {k}</h3><p>Berth {k}</p><b>${k}</b></li>" for k in range(3))
    found = find_records(f"{mega_menu(place)}<ul>{goods}</ul>")
    assert [len(region) for region in found.regions] == [3, 9]


@pytest.mark.parametrize(
    "menu", [mega_menu("menu"), "<nav><ul>" + "".join(f"<li><a href=/{k}>Sails {k}</a>" for k in range(9)) + "</ul></nav>"]
)
def test_a_page_with_only_a_menu_has_no_list(menu):
    found = find_records(f"{menu}<h1>Boats</h1><p>The boats come back to the harbour in the evening, all of them.</p>")
    assert (found.main, found.notes, len(found.menus)) == (None, ("the page has no list of records, only menus",), 1)


@pytest.mark.parametrize("around", ["<body class=single-post><div class=sidebar>", "<div class=sidebar><div class=recent-posts>"])
def test_bare_links_beside_the_content_are_a_menu_whatever_is_called_after_posts(around):
    links = "".join(f"<li><a href=/{k}>Sails {k}</a>" for k in range(12))
    found = find_records(f"{around}<ul>{links}</ul></div></div><h1>Boats</h1><p>The boats come back to the harbour in the evening.</p>")
    assert (found.main, len(found.menus)) == (None, 1)


def test_bare_links_of_a_footer_are_not_preferred_to_a_table():
    rows = "".join(f"<tr><th>Part {k} of the boat<td>{k} metres</tr>" for k in range(9))
    links = " ".join(f"<a href=/{k}>Harbour {k}</a>" for k in range(17))
    found = find_records(f"<h1>Boat</h1><div class=product><table>{rows}</table></div><div><p>We sell at {links}.</p></div>")
    assert [len(region) for region in found.regions][:1] == [9]


def test_links_of_a_sentence_are_no_list():
    text = "Check out the <a href=/faq>FAQ</a> before you post anything here. You may have to <a href=/in>register</a> first, and then"
    assert find_records(f"<p>{text} wait.").main is None
    assert len(find_records(f"<p>{text.replace('here.', 'here.<br>')} wait.").main) == 2


def test_kinds_of_cookies_come_after_the_list():
    kinds = "".join(f"<div><h4>Cookies {k}</h4><p>These cookies count visits and visitors.</p><i>off</i><b>?</b></div>" for k in range(9))
    goods = "".join(f"<li><a href=/{k}>Boat number {k}</a> <p>for sale</p><b>${k}</b>" for k in range(9))
    page = "<div id=site-{}>" + kinds + "</div><ul>" + goods + "</ul>"
    assert "Cookies" in find_records(page.format("terms")).main.texts[0]
    assert "Boat" in find_records(page.format("consent")).main.texts[0]


LINES = ("p", "div", "span", "li")


@pytest.mark.parametrize("tag", LINES)
@pytest.mark.parametrize("heading", ["", "<h4>Flat {k}</h4>", "<b>Flat {k}</b>"])
def test_cards_of_like_lines_are_records_and_no_line_is(tag, heading):
    lines = f"<{tag}>Quay {{k}}</{tag}> <{tag}>0{{k}}:10</{tag}> <{tag}>${{k}}</{tag}>"
    inner = f"<ul>{lines}</ul>" if tag == "li" else lines
    cards = "".join(f"<div class=card>{heading}{inner}</div>".format(k=k) for k in range(1, 6))
    assert len(find_records(f"<main><h1>Flats</h1><div>{cards}</div></main>").table) == 5


@pytest.mark.parametrize("row", ["<p><b>{0}</b> {1}</p>", "<tr><th>{0}<td>{1}", "<li><span>{0}</span><span>{1}</span>", "<dt>{0}<dd>{1}"])
def test_cards_of_labels_and_values_keep_their_heading(row):
    around = {"<tr": "table", "<li": "ul", "<dt": "dl"}.get(row[:3], "div")
    cards = ""
    for k, name in enumerate(("Flat at the quay", "House", "Loft", "Cottage", "Barn")):
        lines = "".join(row.format(*each) for each in (("Rent", f"€{k}50"), ("Rooms", f"{k + 1}"), ("Area", f"{k}7 m²")))
        cards += f"<div class=card><h4>{name}</h4><{around}>{lines}</{around}></div>"
    found = find_records(f"<main><div>{cards}</div></main>")
    assert len(found.table) == 5
    assert "Loft" in found.table.rows[2]


@pytest.mark.parametrize("row", ["tr", "div", "li"])
@pytest.mark.parametrize("names", [(" class=head", ""), (" class=head", " class=foot"), ("", "")])
def test_rows_of_two_kinds_in_turn_are_one_record(row, names):
    around, cell = {"tr": ("table", "td"), "div": ("div", "span"), "li": ("ul", "span")}[row]
    rows = ""
    for k, title in enumerate(("A tide clock", "Why ferries beat bridges", "The salt trade", "A lamp that lasts", "Ropes")):
        rows += f"<{row}{names[0]}><{cell}>{k + 1}.</{cell}><{cell}><a href=/{k}>{title}</a> <i>quay.example</i></{cell}></{row}>"
        rows += f"<{row}{names[1]}><{cell}></{cell}><{cell}><b>{k} points</b> by <u>ann</u> <em>{k + 2} hours ago</em></{cell}></{row}>"
    found = find_records(f"<main><{around}>{rows}</{around}></main>").table
    assert len(found) == 5
    assert all(any(word in (value or "") for value in found.rows[0]) for word in ("A tide clock", "2 hours ago"))


def test_rows_in_turn_may_differ_by_their_own_class_names_and_a_cell_that_spans():
    rows = "".join(
        f"<tr class=a><td><a href=/{k}>Ferry {k}</a><td>{k}0 min<tr class=b><td colspan=2>Ferry {k} leaves at noon." for k in range(5)
    )
    assert find_records(f"<main><table>{rows}</table></main>").table.rows[1][:3] == ("Ferry 1", "10 min", "Ferry 1 leaves at noon.")
    plain = "".join(f"<tr class={'ab'[k % 2]}><td><a href=/{k}>Ferry {k}</a><td>{k}0 min" for k in range(6))
    assert len(find_records(f"<main><table>{plain}</table></main>").table) == 6


def test_a_row_without_details_does_not_end_the_turns():
    rows = ""
    for k in range(6):
        rows += f"<tr class=head><td><i>{k + 1}.</i><td><a href=/{k}>Story {k}</a> <b>quay.example</b>"
        rows += (
            f"<tr><td><td class=sub><a href=/hide{k}>hide</a>"
            if k == 2
            else f"<tr><td><td><u>{k} points</u> <s>by ann</s> <em>{k} hours</em>"
        )
    assert len(find_records(f"<main><table>{rows}</table></main>").table) == 6


@pytest.mark.parametrize(
    ("words", "count"),
    [
        ('<p>The <a href="/{k}">boat</a> came up the river with the tide and sat in the mud until the evening.</p>', 0),
        ("<p>The boat came up the <b>river</b> with the tide and sat in the mud until the <i>evening</i>.</p>", 0),
        ('<p><a href="/{k}">Boat {k}</a> came up the river with the tide and sat in the mud until the evening.</p>', 6),
        ('<p>Boat {k} of the harbour at the mouth of the river<br>Berth {k} on the north quay<br><a href="/{k}">Look</a></p>', 6),
    ],
)
def test_paragraphs_with_links_are_no_records_unless_they_have_structure(words, count):
    page = f"<article><h1>The tide</h1>{''.join(words.format(k=k) for k in range(6))}</article>"
    assert len(find_records(page).table) == count
