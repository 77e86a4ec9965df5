from __future__ import annotations

from itertools import pairwise

import pytest

from benchmarks.same_layer_speed import find
from tamis import UsageError, parse
from tamis.layer.matcher import BlockMatch, walk
from tamis.layer.settings import Matching, SameLayer
from tamis.layer.strings import MAX_TEXT, node_string, parts

from .pages import block, body, position

PAPER = Matching()
MENU = "<div><ul><li>Home<li>News<li>About</ul></div>"


def match(html: str, other: str, tag: str = "div", count: int = 1, settings: Matching = PAPER) -> BlockMatch | None:
    page, there = body(html), body(other)
    return find(block(page, tag, count), page, there, settings)


# -- strings ---------------------------------------------------------------------------------------------------------


def test_what_is_not_for_readers_is_no_part_of_the_string() -> None:
    page = parse("<head><title>t</title></head><body><style>x</style><p>one</p><script>y</script><noscript>z</noscript>")
    assert [page.name(node) for node in node_string(page).node] == ["html", "body", "p", "#text"]


def test_own_names_of_two_pages_are_the_same_tag() -> None:
    one, other = body("<x-box>a</x-box><y-box>b</y-box>"), body("<y-box>b</y-box>")
    assert one.tag[4] == other.tag[2] != one.tag[2]


def test_equal_subtrees_have_equal_hashes_at_any_depth() -> None:
    page = body(f"{MENU}<section><p>text</p>{MENU}</section>{MENU.replace('About', 'Shop')}")
    first, second, third = (int(page.subtree[position(page, "div", nth)]) for nth in range(3))
    assert first == second != third


def test_depth_tells_trees_of_one_string_apart() -> None:
    one, other = body("<div><span><i></i></span></div>"), body("<div><span></span><i></i></div>")
    assert one.tag.tolist() == other.tag.tolist()
    assert one.subtree[2] != other.subtree[2]


def test_numbers_can_be_taken_for_the_same() -> None:
    one, other = (parse(f"<p>Printed in {year}, page {number}") for year, number in ((1998, 4), (2006, 15)))
    assert node_string(one).text.tolist() != node_string(other).text.tolist()
    alike = [node_string(page, numbers_alike=True).text.tolist() for page in (one, other)]
    assert alike[0] == alike[1]


def test_roots_that_stand_apart_are_parts_of_their_own() -> None:
    page = body("<p>a</p><p>b</p><hr><p>c</p>")
    roots = [int(page.node[position(page, "p", nth)]) for nth in range(3)]
    assert [len(part.roots) for part in parts(page, roots)] == [2, 1]


def test_nodes_that_no_reader_sees_do_not_part_siblings() -> None:
    page = body("<p>a</p><script>x</script><p>b</p>")
    assert len(block(page, "p", 2).roots) == 2


# -- states ----------------------------------------------------------------------------------------------------------


def test_a_copy_is_found_where_it_stands() -> None:
    html = f"<p>other</p><section><p>text</p>{MENU}</section>"
    assert match(MENU, html) == BlockMatch(position(body(html), "div"), 1.0, 1.0)


def test_attributes_do_not_count() -> None:
    assert match(MENU, MENU.replace("<li>", "<li class=red style='color:red'>")) is not None


def test_normal_then_s_move_the_page_slides_past_what_the_block_lacks() -> None:
    found = match(MENU, MENU.replace("<li>News", "<hr><li>News"))
    assert found is not None
    assert (found.tag_similarity, found.text_similarity) == (1.0, 1.0)


@pytest.mark.parametrize(("extra", "skips", "is_found"), [(3, 3, True), (4, 3, False), (4, 4, True), (1, 0, False)])
def test_a_slide_skips_so_many_subtrees_at_most(extra: int, skips: int, is_found: bool) -> None:
    other = MENU.replace("<li>News", "<p><b>x</b></p>" * extra + "<li>News")
    assert (match(MENU, other, settings=Matching(skips=skips)) is not None) == is_found


def test_a_slide_ends_with_the_first_pair_and_the_next_begins_anew() -> None:
    extra = "<hr><hr><hr>"
    other = MENU.replace("<li>News", f"{extra}<li>News").replace("<li>About", f"{extra}<li>About")
    assert match(MENU, other) is not None


def test_t_move_the_page_is_reset_and_the_block_slides_past_what_the_page_lacks() -> None:
    html, other = "<div><b>1</b><i>2</i><u>3</u><s>4</s><q>5</q></div>", "<div><i>2</i><u>3</u><s>4</s><q>5</q></div>"
    found = match(html, other)
    assert found is not None
    assert found.tag_similarity == 9 / 11
    assert found.text_similarity == 4 / 5


def test_the_block_may_be_longer_at_its_end_too() -> None:
    found = match("<div><b>1</b><i>2</i><u>3</u><s>4</s><q>5</q></div>", "<div><b>1</b><i>2</i><u>3</u><s>4</s></div><p>text")
    assert found is not None
    assert found.tag_similarity == 9 / 11


def test_a_walk_that_neither_slide_saves_is_given_up_and_the_next_start_is_tried() -> None:
    broken, whole = MENU.replace("<li>News<li>About", "<p>1<p>2<p>3<p>4<p>5"), MENU
    found = match(MENU, broken + whole)
    assert found is not None
    assert found.start == position(body(broken + whole), "div", 1)


def test_matching_is_greedy_by_tags_so_an_item_in_between_shifts_the_texts() -> None:
    assert match(MENU, MENU.replace("<li>News", "<li>Shop<li>News")) is None


def test_a_run_is_found_without_its_first_sibling() -> None:
    html = "<h2>Menu</h2><ul><li>Home<li>News<li>About<li>Shop</ul>"
    found = match(html, "<p>text</p><ul><li>Home<li>News<li>About<li>Shop</ul>", "h2", 2)
    assert found is not None
    assert found.tag_similarity == 9 / 11


# -- thresholds ------------------------------------------------------------------------------------------------------


def test_alpha_and_beta_are_reached_by_equality() -> None:
    html, other = "<div>a b c d e<i></i><i></i><i></i></div>", "<div>a b c x y<i></i><i></i></div>"
    for alpha, beta, is_found in ((0.8, 0.6, True), (0.81, 0.6, False), (0.8, 0.61, False)):
        assert (match(html, other, settings=Matching(alpha, beta)) is not None) == is_found


def test_text_counts_in_words_and_only_where_it_is_alike() -> None:
    html = "<div><p>one two three four</p><p>five six seven eight</p></div>"
    other = "<div><p>one two three 4</p><p>5 6 7 eight</p></div>"
    found = match(html, other, settings=Matching(text_similarity=0.3))
    assert found is not None
    assert found.text_similarity == 3 / 8


def test_a_block_without_text_is_decided_by_its_tags() -> None:
    found = match("<div><img src=a><img src=b></div>", "<div><img src=c><img src=d></div>")
    assert found == BlockMatch(2, 1.0, 1.0)
    assert match("<div><img src=a><img src=b></div>", "<div><p><img src=c></p></div>") is None


def test_equal_tags_with_other_text_are_no_match() -> None:
    assert match(MENU, "<div><ul><li>One<li>Two<li>Three</ul></div>") is None


# -- verification ----------------------------------------------------------------------------------------------------


def test_a_forest_with_the_same_string_is_no_match() -> None:
    html, other = "<div><span>a</span><i>b</i></div>", "<div></div><span>a</span><i>b</i>"
    assert body(html).tag.tolist() == body(other).tag.tolist()
    assert match(html, other) is None


def test_a_tree_of_other_depths_is_no_match() -> None:
    html, other = "<div><span><i>a</i></span><b>c</b></div>", "<div><span></span><i>a</i><b>c</b></div>"
    assert body(html).tag.tolist() == body(other).tag.tolist()
    assert match(html, other) is None


def test_siblings_of_a_run_have_one_parent_in_the_other_page() -> None:
    html = "<h2>Menu</h2><ul><li>Home<li>News</ul>"
    assert match(html, f"<section>{html}</section>", "h2", 2) is not None
    assert match(html, "<section><h2>Menu</h2></section><ul><li>Home<li>News</ul>", "h2", 2) is None


def test_a_walk_gives_up_when_what_it_needs_is_out_of_reach() -> None:
    page, there = body("<div><b>1</b><i>2</i></div>"), body("<div><i>2</i></div>")
    settings = Matching(tag_similarity=0.5, text_similarity=0.5)
    for need, is_found in ((0, True), (3, True), (4, False)):
        assert (walk(block(page, "div"), page, there, 2, settings, need) is not None) == is_found


# -- settings --------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("settings", "complaint"),
    [
        (lambda: Matching(tag_similarity=0), "tag_similarity is a share above 0"),
        (lambda: Matching(text_similarity=1.1), "text_similarity is a share above 0"),
        (lambda: Matching(skips=-1), "skips is a number of subtrees"),
        (lambda: SameLayer(min_support=0), "min_support is a number of pages"),
        (lambda: SameLayer(slot_share=2), "slot_share is a share above 0"),
        (lambda: SameLayer(slot_links=-1), "slot_links is a share"),
    ],
)
def test_wrong_settings_say_what_to_do(settings, complaint) -> None:
    with pytest.raises(UsageError, match=complaint):
        settings()


def test_deep_pages_take_no_recursion() -> None:
    deep = "<div>" * 400 + "text"
    page = body(deep)
    assert find(block(page, "div"), page, body(deep)) == BlockMatch(2, 1.0, 1.0)
    assert all(a < b for a, b in pairwise(page.depth.tolist()))


def test_only_the_beginning_of_a_very_long_text_is_compared():
    string = node_string(parse("<p>" + "a " * MAX_TEXT))
    assert string.length.max() == MAX_TEXT // 2
