import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from tamis import find_records, parse
from tamis.records.candidates import places
from tamis.records.fields import MAX_FIELDS, FieldReader


def fields(html, kinds=("text",), base=None):
    tree = parse(f"<body><div>{html}</div></body>")
    first = next(node for node in range(len(tree)) if tree.name(node) == "div")
    read = FieldReader(places(tree), base).records([(first, int(tree.end[first]))])[0]
    return [field.value for field in read if field.kind in kinds]


def test_bold_words_do_not_tear_a_text_apart():
    assert fields("<p>A <b>cutter</b> with <span class=hit>sails</span> of canvas</p>") == ["A cutter with sails of canvas"]


def test_elements_side_by_side_are_fields():
    assert fields("<p><span>4.5</span> <span>16 votes</span></p>") == ["4.5", "16 votes"]


def test_the_parts_of_a_price_are_one_field():
    parts = "<p><span class=now><i class=sign>$</i><i class=whole>{}</i><i class=rest>.99</i></span> <s>was <i>$</i><i>120</i></s></p>"
    assert fields(parts.format(99)) == ["$99.99", "was $120"]
    assert of_records([parts.format(k) for k in range(8)])[7] == ["$7.99", "was $120"]
    assert fields("<p><i>$9</i><sup>50</sup></p>") == fields("<p><i>$9</i> <sup>50</sup></p>")
    assert fields("<p><i>$9</i><sup>50</sup></p>") == ["$9.50"]
    assert fields("<div>$ <i>9</i> <b>50</b></div>") == ["$ 9.50"]
    assert fields("<p><i>pages</i><i>99</i></p>") == ["pages", "99"]


def test_a_heading_is_one_field():
    assert fields("<h3><b>Old</b> <i>Gannet</i></h3>") == ["Old Gannet"]


def test_a_link_within_a_sentence_belongs_to_it():
    assert fields("<p>by <a href=/m>Mirelle</a> on Monday</p>") == ["by Mirelle on Monday"]


def of_records(items):
    return [
        text.split("\n") for text in find_records("<ul>" + "".join(f"<li>{item}</li>" for item in items) + "</ul>", like="li").main.texts
    ]


BOATS = ("Gannet", "Tern", "Curlew", "Knot")


def test_an_element_that_begins_or_ends_the_text_of_several_records_is_a_field():
    items = [
        f"<p><span class=date>{k} May</span> {boat} is <em>new</em> {k}<span class=hits>{k} hits</span></p>" for k, boat in enumerate(BOATS)
    ]
    assert of_records(items) == [[f"{k} May", f"{boat} is new {k}", f"{k} hits"] for k, boat in enumerate(BOATS)]


def test_an_element_that_only_some_records_begin_with_is_a_field_even_if_it_says_the_same():
    items = [f"<h3>{'<span class=kind>[PDF]</span>' * (k > 1)}<a href=/{k}>{boat} of {k}</a></h3><p>{boat}" for k, boat in enumerate(BOATS)]
    assert [item[:2] for item in of_records(items)] == [
        ["Gannet of 0", "Gannet"],
        ["Tern of 1", "Tern"],
        ["[PDF]", "Curlew of 2"],
        ["[PDF]", "Knot of 3"],
    ]


def test_a_label_that_all_records_have_stays_with_its_value():
    items = [f"<p>{boat}</p><p>Length: <span class=number>{k} m</span></p>" for k, boat in enumerate(BOATS)]
    assert of_records(items) == [[boat, f"Length: {k} m"] for k, boat in enumerate(BOATS)]


def test_words_that_are_marked_here_and_there_stay_in_their_text():
    items = [
        f"<p>{boat} <span class=hit>sails</span> on day {k}</p><p><span class=hit>sails</span> of {boat}" for k, boat in enumerate(BOATS)
    ]
    assert of_records(items) == [[f"{boat} sails on day {k}", f"sails of {boat}"] for k, boat in enumerate(BOATS)]


def test_the_cents_of_a_price_stay_with_it():
    items = [f"<p>{boat}</p><a href=/{k}><span class=whole>{k}2</span><sup class=cents>{k}9</sup></a>" for k, boat in enumerate(BOATS)]
    assert of_records(items) == [[boat, f"{k}2{k}9"] for k, boat in enumerate(BOATS)]


def test_a_dash_between_two_fields_belongs_to_none():
    assert fields("<td><a href=/1>Magic Art</a> - 1932 -</td>") == ["Magic Art", "1932"]
    assert fields("<p>-5 degrees</p>") == ["-5 degrees"]


def test_words_before_a_link_give_its_heading_no_second_column():
    items = [f"<h3>{'New ' * (k > 1)}<a href=/{k}>{boat}</a></h3><p>{boat} {k}</p>" for k, boat in enumerate(BOATS)]
    assert find_records("<ul><li>" + "<li>".join(items) + "</ul>").table.names == ("title", "text 1", "link")


def test_a_link_that_begins_a_line_is_a_field_by_itself():
    assert fields("<td><a href=/1>Magic Art</a> (1932)</td>") == ["Magic Art", "(1932)"]


def test_links_side_by_side_are_fields():
    assert fields("<p><a href=/a>In Context</a><a href=/b>Full Chapter</a></p>") == ["In Context", "Full Chapter"]


def test_short_lines_are_fields_and_running_text_goes_on_over_a_break():
    assert fields("<p>12 Quay Road<br>Harbour Town<br>Phone 5</p>") == ["12 Quay Road", "Harbour Town", "Phone 5"]
    long = "This line of running text is long enough to be one,"
    assert fields(f"<p>{long}<br>and goes on here.</p>") == [f"{long} and goes on here."]


def test_separators_are_no_fields():
    assert fields("<p><a href=/a>a</a> | <a href=/b>b</a></p><p>-</p>") == ["a", "b"]


def test_hidden_text_is_no_field():
    assert fields("<p>seen</p><p hidden>x</p><p class=visually-hidden>y</p><script>z</script>") == ["seen"]


def test_links_and_images_stand_at_their_texts():
    html = "<a href=/a><img src=/i.png></a><h3><a href=/a>Title</a></h3>"
    assert fields(html, ("link", "image", "text"), "https://e.example/") == [
        "https://e.example/a", "https://e.example/i.png", "https://e.example/a", "Title"
    ] or fields(html, ("link", "image", "text"), "https://e.example/") == [
        "https://e.example/a", "https://e.example/i.png", "Title", "https://e.example/a"
    ]  # fmt: skip


def test_hidden_links_before_a_record_do_not_shift_its_links():
    page = "<body><p hidden><a href=/h1>x</a> <a href=/h2>y</a></p><div><a href=/a>A</a> <b>1</b></div>"
    tree = parse(page)
    first = next(node for node in range(len(tree)) if tree.name(node) == "div")
    read = FieldReader(places(tree), "https://e.example/").records([(first, int(tree.end[first]))])[0]
    assert [field.value for field in read if field.kind == "link"] == ["https://e.example/a"]


def test_links_that_lead_nowhere_are_no_fields():
    assert fields("<a href='#top'>up</a><a href='javascript:x()'>do</a><a href=/a></a>", ("link",)) == []


def test_a_record_has_a_bounded_number_of_fields_and_loses_no_text():
    read = fields("".join(f"<p>word{k}</p>" for k in range(2 * MAX_FIELDS)))
    assert len(read) == MAX_FIELDS
    assert "\n".join(read).split() == [f"word{k}" for k in range(2 * MAX_FIELDS)]


PIECES = st.recursive(
    st.sampled_from(["one", "two words", "3", "<br>", " ", "é"]),
    lambda inner: st.tuples(st.sampled_from("p b a span div i h3 li".split()), st.lists(inner, max_size=4)).map(
        lambda made: f"<{made[0]}{' href=/x' if made[0] == 'a' else ''}>{''.join(made[1])}</{made[0]}>"
    ),
    max_leaves=20,
)


@given(st.lists(PIECES, max_size=6).map("".join))
@example("<li><div><li></li></div></li>one")
def test_fields_hold_every_word_once(html):
    tree = parse(f"<body><div>{html}</div></body>")
    first = next(node for node in range(len(tree)) if tree.name(node) == "div")
    begin, end = tree.text_nodes.searchsorted((first, int(tree.end[first])))  # items within items can end the div
    wanted = sorted("".join(tree.texts[begin:end]).replace(" ", ""))
    assert sorted("".join(fields(html)).replace(" ", "").replace("\n", "")) == wanted


def test_links_between_bars_are_fields():
    assert fields("<p><a href=/h>hide</a> | <a href=/c>45 comments</a> | 3 May</p>") == ["hide", "45 comments", "3 May"]


def test_bars_and_dates_of_their_own_end_a_piece():
    html = "<ul>" + "<li><p>Research <i>|</i> Open</p><p>By <a href=/a>Ann</a> <time>3 May</time></p>" * 3 + "</ul>"
    found = find_records(html).main.texts[0].split("\n")
    assert {"Research", "Open", "3 May"} <= set(found)


def post(k, paragraphs):
    body = "".join(f"<p>Paragraph {j} of boat {k} with <a href=/{k}/{j}>a link</a><ul><li>one<li>two</ul>" for j in range(paragraphs))
    entry = f"<div class=entry><img src={k}.png><img src=b.png>{body}</div>"
    return f"<article><h2><a href=/{k}>Boat {k}</a></h2>{entry}<p class=tag>{k} tags</article>"


def test_the_body_of_a_post_is_one_field_with_its_first_image():
    table = find_records("".join(post(k, k) for k in range(1, 6))).table
    assert [column.name for column in table.columns] == ["title", "text 1", "text 2", "link", "image"]
    assert table.rows[1][1:] == (
        "Paragraph 0 of boat 2 with a link one two Paragraph 1 of boat 2 with a link one two",
        "2 tags",
        "/2",
        "2.png",
    )


def flat_post(k, paragraphs):
    body = "".join(f"<p>Paragraph {j} of boat {k}, which is a long one.<ul><li>one<li>two</ul>" for j in range(paragraphs))
    return f"<article><div class=post><h2><a href=/{k}>Boat {k}</a></h2><div class=meta>{k} May</div>{body}</div></article>"


def test_title_and_date_beside_the_text_of_a_post_are_no_part_of_it():
    found = find_records("".join(flat_post(k, k) for k in range(1, 6))).main
    assert [column.name for column in found.table.columns] == ["title", "text 1", "text 2", "link"]
    assert found.table.rows[0] == ("Boat 1", "1 May", "Paragraph 0 of boat 1, which is a long one. one two", "/1")
    single = find_records(flat_post(9, 2), wrapper=found.to_wrapper()).table
    assert single.rows[0][:2] == ("Boat 9", "9 May")
    assert single.rows[0][2].startswith("Paragraph 0 of boat 9")


def test_parts_that_every_record_has_alike_stay_fields():
    table = find_records("".join(post(k, 1) for k in range(1, 6))).table
    assert len(table.columns) > 5


def test_a_wrapper_knows_the_body_of_a_single_record():
    wrapper = find_records("".join(post(k, k) for k in range(1, 6))).main.to_wrapper()
    table = find_records(post(9, 2), wrapper=wrapper).table
    assert [column.name for column in table.columns] == ["title", "text 1", "text 2", "link", "image"]
    assert table.rows[0][1].startswith("Paragraph 0 of boat 9")
    assert table.rows[0][1].endswith("one two")


def test_highlighted_code_is_a_part_of_the_body():
    code = "<figure class=highlight><pre class=js><span class=key>let</span> boats = harbour.list(open)</pre></figure>"
    posts = [f"<li><h2><a href=/{k}>Boat {k}</a></h2><div class=body>{f'<p>Part of {k}:</p>{code}' * k}</div>" for k in range(1, 6)]
    table = find_records(f"<ul>{''.join(posts)}</ul>").table
    assert table.names == ("title", "text 1", "link")
    assert table.rows[0][1] == "Part of 1: let boats = harbour.list(open)"


def test_a_bracket_after_a_link_belongs_to_what_it_holds():
    items = "".join(f"<li><label><a href=/{k}>Kind {k}</a> <span class=count>(<b>{k}</b>)</span></label>" for k in range(5))
    assert find_records(f"<ul>{items}</ul>").table.rows[1] == ("Kind 1", "(1)", "/1")


def test_elements_of_a_link_without_a_space_between_them_are_fields():
    items = [f"<a href=/{k}><strong>{boat}</strong><span>{k} berths</span></a>" for k, boat in enumerate(BOATS)]
    assert of_records(items) == [[boat, f"{k} berths"] for k, boat in enumerate(BOATS)]
    assert of_records([item.replace("><span", "> <span") for item in items]) == [[f"{boat} {k} berths"] for k, boat in enumerate(BOATS)]
    assert of_records([f"<a href=/{k}>The <b>{boat}</b>s</a>" for k, boat in enumerate(BOATS)])[0] == ["The Gannets"]


def test_a_record_says_a_text_once():
    cards = "".join(
        f"<li><img src={name}.png><span class=small>{name}</span><h3>{name}</h3><p>Built of oak</p><span class=large>{name}</span></li>"
        for name in ("Gannet", "Plover", "Tern", "Skua")
    )
    found = find_records(f"<ul>{cards}</ul>").main
    assert found.texts[0] == "Gannet\nBuilt of oak"
    assert "h3" in found.table.columns[0].path


def test_equal_numbers_are_not_copies():
    cards = "".join(f"<li><b>Boat {k}</b><p>{k}.5 m</p><span>{k}.5 m</span></li>" for k in range(1, 6))
    assert find_records(f"<ul>{cards}</ul>").main.texts[0] == "Boat 1\n1.5 m\n1.5 m"


TIDE = "The tide was low and the boat sat in the mud until evening. "


def thread(*bodies, tag="div"):
    posts = (
        f'<div class=post><h4><a href="/u/{k}">Skipper {k}</a></h4><span class=date>2024-0{k + 1}-02</span>'
        f"<{tag} class=body>{body}</{tag}></div>"
        for k, body in enumerate(bodies)
    )
    return find_records(f"<h1>Thread</h1><div class=posts>{''.join(posts)}</div>").table


@pytest.mark.parametrize("quote", ["<blockquote>{}</blockquote>", "<blockquote class=said><p>{}</p></blockquote>"])
def test_the_quotes_of_a_post_are_part_of_its_text(quote):
    first, second = quote.format("Which boat?"), quote.format("What mud?")
    table = thread(TIDE, first + TIDE, TIDE + "And again.", first + TIDE + second + "The other one.")
    assert table.names == ("title", "date", "text 1", "link")
    assert [row[2] for row in table.rows][1::2] == [f"Which boat? {TIDE.strip()}", f"Which boat? {TIDE.strip()} What mud? The other one."]


def test_a_post_may_be_a_quote_element_with_a_class_name_and_have_inline_elements():
    table = thread(TIDE, f"<b>Low</b> <i>water</i><br>{TIDE}<br><span>Again.</span><br>{TIDE}", TIDE * 2, "Yes.", tag="blockquote")
    assert table.names == ("title", "date", "text 1", "link")
    assert table.rows[1][2].startswith("Low water The tide")


def test_words_whose_number_varies_and_that_change_places_are_one_column():
    tags = ("red", "oak"), ("oak",), ("teak", "red", "oak"), ("white",), ("red", "teak")
    rows = "".join(
        f'<li><h3><a href="/{k}">Boat {k} of the harbour</a></h3>{" ".join(f"<span class=tag>{each}</span>" for each in own)}</li>'
        for k, own in enumerate(tags)
    )
    table = find_records(f"<ul>{rows}</ul>").table
    assert [row[1] for row in table.rows] == ["\n".join(own) for own in tags]
