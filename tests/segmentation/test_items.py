"""Items: valid nodes, runs of inline siblings, boxes, virtual text."""

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from tamis.segmentation.items import RUN
from tests.segmentation.pages import facts, named

BOX = "10 20 30 40"


def test_inline_siblings_are_one_item_up_to_what_breaks_the_line() -> None:
    tree, items, known = facts(f'<div id=x b="{BOX}">one <b b="{BOX}">two</b><p b="{BOX}">three</p>four</div>')
    children = known.children[named(tree, "x")]
    assert [int(items.tag[child]) == RUN for child in children] == [True, False, False]
    assert known.children[children[0]] == [named(tree, "x") + 1, named(tree, "x") + 2]


def test_an_empty_line_ends_a_run_and_a_single_break_does_not() -> None:
    def runs(between: str) -> int:
        tree, _, known = facts(f'<div id=x b="{BOX}">one{between}two</div>')
        return len(known.children[named(tree, "x")])

    assert runs("<br>") == 1
    assert runs("<br><br>") == 2
    assert runs("<br> <br>") == 2
    assert runs(f'<hr b="{BOX}">') == 2


def test_an_element_without_height_shows_the_floats_that_stick_out_of_it() -> None:
    tree, items, _ = facts('<div id=x b="0 0 500 0"><p b="0 0 100 50">a</p><p b="100 0 100 60">b</p></div>')
    node = named(tree, "x")
    assert items.valid[node]
    assert items.box[node].tolist() == [0, 0, 200, 60]
    assert items.area[node] == 200 * 60


def test_a_box_holds_what_is_seen_and_not_empty_room() -> None:
    tree, items, _ = facts('<div id=x b="0 0 900 900"><p b="100 100 50 20">a</p></div>')
    node = named(tree, "x")
    assert items.box[node].tolist() == [100, 100, 150, 120]
    assert items.area[node] == 900 * 900


def test_a_painted_box_is_seen() -> None:
    tree, items, _ = facts('<div id=x b="0 0 900 900" bg=336699><p b="100 100 50 20">a</p></div>')
    assert items.box[named(tree, "x")].tolist() == [0, 0, 900, 900]


def test_paint_of_the_colour_behind_it_is_not_seen() -> None:
    tree, items, _ = facts('<div id=x b="0 0 900 900" bg=ffffff><p b="100 100 50 20">a</p></div>')
    assert items.box[named(tree, "x")].tolist() == [100, 100, 150, 120]


def test_what_is_hidden_off_the_page_or_a_speck_is_not_valid() -> None:
    for html in (
        f'<p id=x b="{BOX}" hidden>a',
        '<p id=x b="-900 0 100 20">a',
        '<p id=x b="0 -100 100 20">a',
        '<p id=x b="0 0 0 20">a',
        '<img id=x b="0 0 1 1">',
        f'<p id=x b="{BOX}">\xa0',
        f'<noscript id=x b="{BOX}">a</noscript>',
    ):
        tree, items, _ = facts(html + f'<p b="{BOX}">b')
        assert not items.valid[named(tree, "x")], html


def test_a_thin_wide_image_is_a_line_and_no_block() -> None:
    tree, items, _ = facts(f'<p b="{BOX}">a</p><img id=line b="0 60 500 2"><img id=picture b="0 70 500 30"><img id=gap b="0 110 3 2">')
    assert items.rules.nonzero()[0].tolist() == [named(tree, "line")]
    assert [bool(items.valid[named(tree, name)]) for name in ("line", "picture", "gap")] == [False, True, False]


def test_nodes_of_several_lines_are_high_and_hold_several_elements_that_break_the_line() -> None:
    entry, cell = f'<li><a b="{BOX}">a</a></li>', '<td b="{} 0 90 20">a</td>'
    tree, items, _ = facts(
        f'<ul id=one>{entry}</ul><ul id=two>{entry}{entry}</ul><p id=text b="{BOX}">a<br>b</p>'
        f"<table><tr id=row>{cell.format(0)}{cell.format(100)}</tr></table>"
    )
    assert [bool(items.several[named(tree, name)]) for name in ("one", "two", "text", "row")] == [False, True, False, False]


def test_articles_are_counted_by_tag() -> None:
    article = f'<{{0}}><p b="{BOX}">a</p><p b="{BOX}">b</p></{{0}}>'
    tree, items, _ = facts(f"<div id=x>{''.join(article.format(tag) for tag in ('div', 'section', 'div'))}<div b='{BOX}'>c</div></div>")
    assert items.articles[named(tree, "x")] == 2


def test_what_sticks_out_of_the_page_is_cut_at_its_edge() -> None:
    tree, items, _ = facts('<p id=x b="-50 -10 100 20">a')
    assert items.box[named(tree, "x")].tolist() == [0, 0, 50, 10]


def test_virtual_text_is_inline_with_nothing_but_text() -> None:
    tree, items, _ = facts(
        f'<div b="{BOX}"><i id=yes b="{BOX}"><b b="{BOX}">a</b> c</i><a id=no b="{BOX}">a<img b="{BOX}"></a>'
        f'<b id=wraps b="{BOX}"><div b="{BOX}">a</div></b>'
    )
    assert items.textual[named(tree, "yes")]
    assert not items.textual[named(tree, "no")]
    assert not items.textual[named(tree, "wraps")]
    assert items.breaks[named(tree, "wraps")]


def test_the_background_of_an_item_is_that_of_the_nearest_paint() -> None:
    tree, items, _ = facts(f'<div bg=112233 b="{BOX}"><p id=x b="{BOX}">a<b id=y bg=445566 b="{BOX}">b</b></div>')
    assert items.background[named(tree, "x")] == 0x112233
    assert items.background[named(tree, "y")] == 0x445566


def test_fonts_are_those_of_the_first_and_last_text() -> None:
    tree, items, _ = facts(f'<div id=x b="{BOX}"><h1 size=32 weight=700 b="{BOX}">a</h1><img b="{BOX}"><p size=12 b="{BOX}">b</p></div>')
    node = named(tree, "x")
    fonts = items.fonts
    assert fonts.first[node] == (32, 700)
    assert fonts.last[node] == (12, 400)
    assert not fonts.uniform[node]


PIECES = st.recursive(
    st.sampled_from(["word", "<br>", f'<img b="{BOX}">', f'<hr b="{BOX}">', f'<p b="{BOX}"></p>']),
    lambda inner: st.tuples(st.sampled_from(["div", "p", "b", "span", "td"]), st.booleans(), st.lists(inner, max_size=4)).map(
        lambda made: f'<{made[0]} b="{BOX if made[1] else "0 0 0 0"}">{"".join(made[2])}</{made[0]}>'
    ),
    max_leaves=20,
)


@settings(max_examples=50, deadline=None)
@given(st.lists(PIECES, max_size=6))
def test_every_valid_node_is_in_one_item_of_its_parent(pieces: list[str]) -> None:
    tree, items, known = facts("".join(pieces))
    held = [node for item in range(len(items.tag)) for node in known.children[item] if node < len(tree)]
    assert sorted(held) == np.flatnonzero(items.valid[: len(tree)] & (tree.parent >= 0)).tolist()
    for run in range(len(tree), len(items.tag)):
        assert len(known.children[run]) > 1
        assert not items.breaks[known.children[run]].any()
