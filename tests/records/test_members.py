"""Which rows of a list are records, and which records stand elsewhere."""

import numpy as np

from tamis import find_records
from tamis.page.parsing import parse
from tamis.records.candidates import places, subtrees
from tamis.records.search import parts_of
from tests.records.pages import one


def hit(name, tag="div", names="hit"):
    return f"<{tag} class='{names}'><h3><a href=/{name}>{name} of the harbour</a></h3><p>Some words on {name}.</p><b>4</b></{tag}>"


HITS = [hit(name) for name in "Gannet Tern Petrel Plover Curlew Dunlin".split()]


def titles(html, **options):
    main = find_records(f"<body><main><div class=list>{html}</div></main></body>", **options).main
    return [texts.split("\n")[0] for texts in main.texts] if main else []


def test_rows_without_the_common_parts_are_no_records():
    pager = "<div class=hit><ul><li><a href=/2>2</a><li><a href=/3>3</a></ul></div>"
    promotion = "<div class=hit><i>Advertisement</i></div>"
    assert len(titles("".join([promotion, *HITS[:3], promotion, *HITS[3:], pager]))) == len(HITS)


def test_a_record_that_lacks_parts_and_has_no_others_stays():
    short = "<div class=hit><h3><a href=/x>Nothing but a name</a></h3></div>"
    assert "Nothing but a name" in titles("".join([*HITS, short]))


def test_a_result_under_another_class_joins_the_list():
    sponsored = hit("Sponsor", names="paid")
    assert len(titles("".join([HITS[0], sponsored, *HITS[1:]]))) == len(HITS) + 1


def test_the_first_result_in_a_wrapper_of_its_own_joins_the_list():
    first = f"<section>{hit('First')}</section>"
    assert titles("".join([first, *HITS]))[0] == "First of the harbour"


def test_a_batch_that_was_loaded_later_is_replaced_by_its_records():
    batch = "<div class=batch>" + "".join(hit(f"Later{k}") for k in range(12)) + "</div>"
    assert len(titles("".join([*HITS, batch]))) == len(HITS) + 12


def test_records_in_a_sidebar_leave_a_list_of_the_content():
    page = "<body>" + "".join(f"<div class={name}>{''.join(hits)}</div>" for name, hits in (("sidebar", HITS[:1]), ("list", HITS[1:])))
    assert len(find_records(page).main) == len(HITS) - 1


def test_a_sample_alone_in_its_wrapper_finds_its_kin():
    html = f"<body><div id=all><div class=top>{hit('First')}</div><div class=more>{''.join(HITS)}</div></div></body>"
    assert len(find_records(html, like="div.top > div").main) == len(HITS) + 1


def test_a_sample_of_another_tag_and_class_finds_the_list_with_its_parts():
    first = hit("First", tag="section", names="spotlight")
    html = f"<body><div id=all><div class=top>{first}</div><ul>{''.join(hit(name, 'li') for name in 'abcdef')}</ul></div></body>"
    assert len(find_records(html, like="section").main) == 7


def test_the_wrapper_of_a_sample_stands_for_it():
    html = "<body><ul>" + "".join(f"<li>{each}</li>" for each in HITS) + "</ul>"
    inner = find_records(html, like="/html/body/ul/li[1]/div").main
    outer = find_records(html, like="/html/body/ul/li[1]").main
    assert len(inner) == len(outer) == len(HITS)


def test_a_sample_of_very_different_length_has_all_records_of_its_class():
    long = "<article><h2><a href=/l>Long</a></h2>" + "<p>word <em>word</em></p><ul><li>one<li>two</ul>" * 30 + "</article>"
    short = "".join(f"<article><h2><a href=/{k}>Short {k}</a></h2><p>text</p></article>" for k in range(4))
    assert len(find_records(f"<body><main>{long}{short}</main>", like="article").main) == 5


def test_parts_are_the_same_at_every_depth():
    tree = parse(f"<body><div>{HITS[0]}<section><section>{HITS[1]}</section></section></div></body>")
    page = places(tree)
    nodes = np.array([one(tree, "div", 1), one(tree, "div", 2)])
    record, part = parts_of(page, subtrees(page, nodes), nodes)
    assert set(part[record == 0].tolist()) == set(part[record == 1].tolist())
    assert len(part) == 6


def test_a_list_of_posts_counts_before_the_boxes_in_them():
    box = "<div class=code><b>Code</b> <a href=/c>Select all</a><pre>for each mooring in the harbour, print it</pre></div>"
    boxes = [3, 0, 4, 2]
    posts = [
        f"<section><h3><a href=/{k}>Ann{k}</a></h3><i>Tuesday</i><p>Some long text on moorings and what they cost in winter.</p>"
        f"<div><p>More words, this time on ropes, which wear out sooner than anybody thinks.</p>{box * count}</div><em>Ann</em></section>"
        for k, count in enumerate(boxes)
    ]
    assert len(find_records(f"<body><div>{''.join(posts)}</div></body>").main) == len(posts)


def test_cards_of_another_layout_among_others_are_records_of_their_own():
    def card(k, name):
        if k in (1, 4):
            return f'<div class="hit big"><img src=p{k}.png><h3><a href=/{k}>{name}</a></h3><p>${k}</p></div>'
        return f"<div class=hit><a href=/{k}><h3>{name}</h3></a><span>blue</span><p>${k}</p></div>"

    names = ["Tern", "Gull", "Skua", "Ruff", "Knot", "Dunlin"]
    page = f"<main>{''.join(card(k, name) for k, name in enumerate(names))}</main>"
    assert [dict(row)["title"] for row in find_records(page).table.records()] == names
