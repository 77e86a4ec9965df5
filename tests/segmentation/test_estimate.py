"""The layout that is estimated from the markup."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tamis.page.appearance import Appearance
from tamis.page.parsing import parse
from tamis.page.tree import PageTree
from tamis.segmentation import segment
from tamis.segmentation.estimate import estimate_appearance, text_width
from tests.segmentation.pages import named
from tests.segmentation.test_segment import MARKUP


def looks(html: str, width: float = 1000.0) -> tuple[PageTree, Appearance]:
    tree = parse(html)
    return tree, estimate_appearance(tree, width)


def box(html: str, name: str = "x") -> list[float]:
    tree, appearance = looks(html)
    return [float(side) for side in appearance.box[named(tree, name)]]


def test_it_says_that_it_is_a_guess() -> None:
    assert looks("<p>a")[1].estimated


def test_blocks_stand_below_each_other_and_are_as_wide_as_what_holds_them() -> None:
    html = "<div><p id=one>a</p><p id=two>b</p></div>"
    one, two = box(html, "one"), box(html, "two")
    assert one[0] == two[0]
    assert one[2] == two[2] == 1000
    assert two[1] >= one[1] + one[3]


def test_margins_between_paragraphs_are_not_added_up() -> None:
    html = "<p id=one>a</p><p id=two>b</p>"
    one, two = box(html, "one"), box(html, "two")
    assert two[1] - (one[1] + one[3]) == pytest.approx(16)


def test_text_is_wrapped_at_the_width_of_its_block() -> None:
    short, long = box(f"<p id=x>{'word ' * 10}"), box(f"<p id=x>{'word ' * 200}")
    assert short[3] == pytest.approx(16 * 1.2)
    assert long[3] == pytest.approx(short[3] * np.ceil(200 * 5 * 8 / 1000))


def test_wide_characters_take_twice_the_room() -> None:
    assert text_width("漢字仮名", 16) == text_width("abcdefgh", 16)
    assert box(f"<p id=x>{'潮汐' * 100}")[3] > box(f"<p id=x>{'ab' * 100}")[3]


def test_headings_are_larger_and_bold() -> None:
    tree, appearance = looks("<h1>a</h1><h3>b</h3><p>c <b>d</b> <small>e</small></p>")
    fonts = [
        (round(float(appearance.font_size[node])), int(appearance.font_weight[node])) for node in tree.text_nodes if tree.text(int(node))
    ]
    assert fonts == [(32, 700), (19, 700), (16, 400), (16, 700), (13, 400)]


def test_inline_elements_stand_in_the_line() -> None:
    tree, appearance = looks("<p>one <b id=x>two</b> three</p>")
    node = named(tree, "x")
    assert appearance.inline[node]
    first, second, third = (appearance.box[text] for text in tree.text_nodes)
    assert first[1] == second[1] == third[1]
    assert first[0] + first[2] == second[0]
    assert second[0] + second[2] == third[0]


def test_cells_of_a_row_stand_side_by_side_and_rows_below_each_other() -> None:
    html = "<table><tr id=r1><td id=a>one<td id=b>two and more<tr id=r2><td id=c>three<td id=d>four</table>"
    a, b, c = box(html, "a"), box(html, "b"), box(html, "c")
    assert a[1] == b[1] < c[1]
    assert a[0] == c[0]
    assert b[0] >= a[0] + a[2]
    assert b[2] > a[2]


def test_a_wide_table_fits_its_place() -> None:
    html = f"<table id=t width='100%'><tr><td id=a>x<td id=b>{'word ' * 400}</table>"
    table, a, b = box(html, "t"), box(html, "a"), box(html, "b")
    assert table[2] == pytest.approx(1000)
    assert a[2] < b[2]
    assert b[0] + b[2] <= table[0] + table[2] + 1


@pytest.mark.parametrize(
    "hidden",
    [
        "<p id=x hidden>a",
        "<p id=x style='display: none'>a",
        "<p id=x style='color: red; VISIBILITY:hidden'>a",
        "<dialog id=x>a</dialog>",
        "<input id=x type=hidden>",
        "<template id=x>a</template>",
        "<title id=x>a</title>",
        "<p id=x> ",
    ],
)
def test_what_is_not_shown_is_not_visible(hidden: str) -> None:
    tree, appearance = looks(hidden + "<p>b")
    assert not appearance.visible[named(tree, "x")]


def test_what_is_hidden_takes_no_room() -> None:
    assert box("<p hidden>a</p><p id=x>b</p>") == box("<p id=x>b</p>")


def test_inline_styles_are_read() -> None:
    tree, appearance = looks("<div id=x style='width: 500px; font-size: 20px'>a</div><div id=y style='width: 50%'>b</div>")
    node = named(tree, "x")
    assert appearance.box[node][2] == 500
    assert appearance.font_size[node] == 20
    assert appearance.box[named(tree, "y")][2] == pytest.approx(1000)  # shares of what is around are not read


def test_images_have_the_size_that_is_written() -> None:
    assert box("<img id=x width=300 height=200>")[2:] == [300, 200]
    assert box("<img id=x>")[2] > 0


@settings(max_examples=60, deadline=None)
@given(st.lists(MARKUP, max_size=6))
def test_every_page_has_an_estimate_that_fits_its_tree(pieces: list[str]) -> None:
    tree = parse("".join(pieces))
    appearance = estimate_appearance(tree)
    assert len(appearance) == len(tree)
    assert np.isfinite(appearance.box).all()
    assert (appearance.box[:, 2:] >= 0).all()
    texts = [node for node in tree.text_nodes.tolist() if tree.text_length[node]]
    assert appearance.visible[texts].all()
    assert segment(tree, appearance).estimated


def test_an_empty_page_has_an_empty_estimate() -> None:
    tree, appearance = looks("")
    assert len(appearance) == len(tree)
    assert segment("").blocks == ()


def test_hostile_sizes_are_bounded() -> None:
    _, appearance = looks("<table width=99999999999><tr><td colspan=999999999 height=999999999>a</table><img width=1e9 height=99999999>")
    assert np.isfinite(appearance.box).all()
    assert appearance.height < 50_000


def test_spanned_cells_make_a_bounded_number_of_columns() -> None:
    from tamis.segmentation.estimate import _EstimatedLayout, read_styles

    tree = parse("<table><tr>" + "<td colspan=1000>x" * 1_000)
    layout = _EstimatedLayout(tree, read_styles(tree), 1000.0)
    table = next(node for node in range(len(tree)) if tree.name(node) == "table")
    layout._columns_of(table, 1000.0)
    assert len(layout.widths[table]) <= 1_000
    assert segment("<table>" + "<tr>" + "<td colspan=1000>x" * 5_000).blocks


@pytest.mark.parametrize(
    "style",
    [
        "font-size:" + "9" * 400 + "px",
        "font-size:" + "9" * 400 + "%",
        "width:" + "9" * 400 + "px",
    ],
)
def test_any_number_in_a_style_is_bounded(style: str) -> None:
    appearance = looks(f"<div style='{style}'><p>some text<img style='{style}'></p></div>")[1]
    assert np.isfinite(appearance.box).all()
    assert np.isfinite(appearance.font_size).all()
    assert segment(f"<div style='{style}'><p>some text</p><p>more</p></div>").blocks


def test_nested_large_fonts_are_bounded() -> None:
    assert looks("<big>" * 400 + "x")[1].font_size.max() <= 1_000
