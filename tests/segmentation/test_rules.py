"""Each rule of block extraction, alone, on boxes given by hand."""

import pytest

from tamis.segmentation.rules import ORDERS, RULES, Action, Facts, Kind, Place, coherence, decide
from tamis.segmentation.settings import SegmentSettings
from tests.segmentation.pages import facts, named

SETTINGS = SegmentSettings()
SMALL, LARGE = "0 0 100 100", "0 0 800 800"


def ask(number: int, html: str, place: Place = Place()) -> Action | None:
    """What one rule says of the element with the id ``x``."""
    tree, _, known = facts(html)
    action, holds = RULES[number]
    item = named(tree, "x")
    kept = number == 1 and known.replaced[item]
    return (Action.KEEP if kept else action) if holds(known, item, place, SETTINGS) else None


def test_rule_1_cuts_what_shows_nothing() -> None:
    assert ask(1, f'<div id=x b="{SMALL}" bg=ff0000></div>') is Action.CUT


def test_rule_1_keeps_images_and_passes_what_has_children() -> None:
    assert ask(1, f'<img id=x b="{SMALL}">') is Action.KEEP
    assert ask(1, f'<div id=x b="{SMALL}">text</div>') is None


def test_rule_2_divides_what_has_one_child_that_is_no_text() -> None:
    assert ask(2, f'<div id=x b="{LARGE}"><p b="{SMALL}">text</p></div>') is Action.DIVIDE
    assert ask(2, f'<div id=x b="{LARGE}">text</div>') is None
    assert ask(2, f'<div id=x b="{LARGE}"><p b="{SMALL}">text</p><p b="{SMALL}">text</p></div>') is None


def test_rule_2_counts_valid_children_only() -> None:
    assert ask(2, f'<div id=x b="{LARGE}"><p b="{SMALL}">text</p><p b="{SMALL}" hidden>text</p></div>') is Action.DIVIDE


def test_rule_3_divides_the_root_of_the_block() -> None:
    html = f'<div id=x b="{LARGE}"><p b="{SMALL}">text</p><p b="{SMALL}">text</p></div>'
    assert ask(3, html, Place(is_root=True)) is Action.DIVIDE
    assert ask(3, html) is None


def test_rule_4_keeps_what_has_only_text() -> None:
    assert ask(4, f'<p id=x b="{LARGE}">some <b b="{SMALL}"><i b="{SMALL}">text</i></b></p>') is Action.KEEP
    assert ask(4, f'<p id=x b="{LARGE}">some <img b="{SMALL}"></p>') is None


def test_rule_5_divides_where_a_child_breaks_the_line() -> None:
    assert ask(5, f'<div id=x b="{LARGE}">text<div b="{SMALL}">text</div></div>') is Action.DIVIDE
    assert ask(5, f'<div id=x b="{LARGE}">text<b b="{SMALL}">text</b></div>') is None


def test_rule_6_divides_where_a_child_is_a_rule() -> None:
    assert ask(6, f'<div id=x b="{LARGE}">text<hr b="0 50 800 2">text</div>') is Action.DIVIDE
    assert ask(6, f'<div id=x b="{LARGE}">text<div b="{SMALL}"><hr b="0 50 800 2"></div></div>') is None


def test_rule_7_divides_what_its_children_overflow() -> None:
    children = '<p b="0 0 100 60">a</p><p b="0 60 100 {}">b</p>'
    assert ask(7, f'<div id=x b="{SMALL}">{children.format(60)}</div>') is Action.DIVIDE
    assert ask(7, f'<div id=x b="{SMALL}">{children.format(40)}</div>') is None


def test_rule_8_divides_where_a_background_differs() -> None:
    cells = '<td b="0 0 50 100" bg={}>a</td><td b="50 0 50 100">b</td>'
    assert ask(8, f'<table><tr id=x b="{SMALL}">{cells.format("ffcc00")}') is Action.DIVIDE
    assert ask(8, f'<table><tr id=x b="{SMALL}" bg=ffcc00>{cells.format("ffcc00")}') is None


def test_rule_9_keeps_what_is_small_and_has_text() -> None:
    inside = 'text<p b="0 0 50 50">more</p>'
    assert ask(9, f'<div id=x b="{SMALL}">{inside}</div>') is Action.KEEP
    assert ask(9, f'<div id=x b="{LARGE}">{inside}</div>') is None
    assert ask(9, f'<div id=x b="{SMALL}"><p b="0 0 50 50">more</p></div>') is None


def test_rule_10_keeps_what_has_small_children_only() -> None:
    assert ask(10, f'<div id=x b="{LARGE}"><p b="{SMALL}">a</p><p b="{SMALL}">b</p></div>') is Action.KEEP
    assert ask(10, f'<div id=x b="{LARGE}"><p b="{SMALL}">a</p><p b="0 0 600 600">b</p></div>') is None


def test_rule_11_keeps_what_follows_an_undivided_sibling() -> None:
    html = f'<div id=x b="{LARGE}">text</div>'
    assert ask(11, html, Place(after_undivided=True)) is Action.KEEP
    assert ask(11, html) is None


def test_rules_12_and_13_always_hold() -> None:
    html = f'<div id=x b="{LARGE}">text</div>'
    assert ask(12, html) is Action.DIVIDE
    assert ask(13, html) is Action.KEEP


@pytest.mark.parametrize(
    ("html", "kind"),
    [
        (f'<b id=x b="{SMALL}">a</b>', Kind.INLINE),
        (f'<table id=x b="{SMALL}"><tr><td b="{SMALL}">a', Kind.TABLE),
        (f'<table><tr id=x b="{SMALL}"><td b="{SMALL}">a', Kind.ROW),
        (f'<table><tr><td id=x b="{SMALL}">a', Kind.CELL),
        (f'<p id=x b="{SMALL}">a', Kind.INLINE),
        (f'<section id=x b="{SMALL}">a', Kind.OTHER),
        (f'<font id=x b="{SMALL}"><p b="{SMALL}">a</p></font>', Kind.OTHER),
        (f'<span id=x b="{SMALL}" display=block>a</span>', Kind.OTHER),
    ],
)
def test_kinds_go_by_tag_and_by_what_breaks_the_line(html: str, kind: Kind) -> None:
    tree, _, known = facts(html)
    assert known.kind[named(tree, "x")] == kind


def test_every_order_ends_with_a_rule_that_always_holds() -> None:
    assert {order[-1] for order in ORDERS.values()} == {12, 13}
    assert all(set(order) <= set(RULES) for order in ORDERS.values())
    assert set(RULES) == set(range(1, 15))


def test_an_element_with_three_articles_is_divided_and_one_with_three_entries_is_not() -> None:
    article, entry = f'<div><p b="{SMALL}">a</p><p b="{SMALL}">b</p></div>', f'<p b="{SMALL}">a</p>'
    for inside, count, rule in ((article, 3, 14), (article, 2, 10), (entry, 3, 10)):
        tree, _, known = facts(f'<div id=x b="{LARGE}">{count * inside}</div>')
        assert decide(known, named(tree, "x"), Place(), SETTINGS)[0] == rule
        assert decide(known, named(tree, "x"), Place(), SegmentSettings.paper())[0] == 10


def test_rules_are_tried_in_the_order_of_the_kind() -> None:
    html = f'<{{0}} id=x b="{LARGE}">text <img b="0 0 600 600"><hr b="0 50 800 2"></{{0}}>'
    tree, _, known = facts(html.format("div"))
    assert decide(known, named(tree, "x"), Place(), SETTINGS) == (6, Action.DIVIDE)
    tree, _, known = facts("<table><tr>" + html.format("td"))
    assert decide(known, named(tree, "x"), Place(), SETTINGS) == (13, Action.KEEP)


def degree(html: str, rule: int) -> int:
    tree, _, known = facts(html)
    return coherence(known, named(tree, "x"), rule)


def test_text_of_one_font_is_most_coherent() -> None:
    assert degree(f'<p id=x b="{LARGE}">some <i b="{SMALL}">text</i></p>', 4) == 10
    assert degree(f'<p id=x b="{LARGE}">some <b b="{SMALL}" weight=700>text</b></p>', 4) == 9
    assert degree(f'<p id=x b="{LARGE}">some <small b="{SMALL}" size=12>text</small></p>', 4) == 9


@pytest.mark.parametrize(("rule", "least", "most"), [(8, 6, 8), (9, 5, 8), (10, 1, 8), (13, 1, 8)])
def test_degrees_by_size_stay_in_the_range_of_their_rule(rule: int, least: int, most: int) -> None:
    degrees = [degree(f'<div id=x b="0 0 {side} {side}">text</div>', rule) for side in (1, 10, 30, 60, 125, 250, 500, 1000)]
    assert degrees == sorted(degrees, reverse=True)
    assert max(degrees) == most
    assert min(degrees) == max(least, 2)


def test_a_coherent_tag_gains_a_degree() -> None:
    assert degree('<li id=x b="0 0 250 250">a', 10) == degree('<div id=x b="0 0 250 250">a', 10) + 1


# -- faults of other implementations ----------------------------------------------------------------------------------------


def test_a_transparent_child_has_no_other_background() -> None:
    html = f'<table bg=ffcc00><tr id=x b="{SMALL}"><td b="0 0 50 100">a</td><td b="50 0 50 100">b</td></tr></table>'
    assert ask(8, html) is None


def test_size_is_width_by_height_and_not_a_position() -> None:
    tree, _, known = facts('<div id=x b="900 900 10 20">a</div>')
    assert known.size[named(tree, "x")] == pytest.approx(200 / 1e6)


@pytest.mark.parametrize("display", ["block", "flex", "grid", "table", "list-item", "flow-root"])
def test_every_display_that_is_not_inline_breaks_the_line(display: str) -> None:
    tree, items, _ = facts(f'<span id=x b="{SMALL}" display={display}>a</span>')
    assert items.breaks[named(tree, "x")]


def test_facts_hold_a_row_for_every_item() -> None:
    tree, items, known = facts(f'<div b="{LARGE}">one <b b="{SMALL}">two</b> three<p b="{SMALL}">four</p></div>')
    columns = [value for value in vars(known).values() if isinstance(value, list)]
    assert columns
    assert {len(column) for column in columns} == {len(items.tag)}
    assert len(items.tag) == len(tree) + 1
    assert isinstance(known, Facts)
