"""The whole of VIPS on pages with boxes given by hand."""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import tamis
from tamis.errors import UsageError
from tamis.page import tags
from tamis.page.appearance import Appearance
from tamis.page.parsing import parse
from tamis.page.tree import PageTree
from tamis.segmentation import Segmentation, SegmentSettings, segment
from tamis.segmentation.construction import WORK, WORK_OF_BLOCK
from tamis.segmentation.vips import MAX_NODES
from tests.segmentation.pages import named, page

NEWS = """
<div id=head b="0 0 1000 100" bg=223344><h1 b="20 20 300 50" size=32>The Harbour</h1></div>
<div id=body b="0 120 1000 700">
  <div id=menu b="0 120 200 700"><p b="10 130 190 20">Home</p><p b="10 152 190 20">News</p><p b="10 174 190 20">Tides</p></div>
  <div id=main b="240 120 760 700">
    <div id=first b="240 120 760 200"><h2 b="240 120 400 30" size=24>Oysters</h2><p b="240 160 760 100">The oysters are well.</p></div>
    <div id=second b="240 400 760 200"><h2 b="240 400 400 30" size=24>Ferries</h2><p b="240 440 760 100">The ferry is late.</p></div>
  </div>
</div>
<div id=foot b="0 900 1000 60" bg=223344><p b="20 910 400 20">All rights reserved.</p></div>
"""


def cut(html: str, **given_settings: float) -> tuple[PageTree, Segmentation]:
    tree, appearance = page(html)
    return tree, segment(tree, appearance, SegmentSettings(**given_settings))  # type: ignore[arg-type]


def texts(segmentation: Segmentation, pdoc: int) -> list[str]:
    return [block.text(segmentation.tree) for block in segmentation.leaves_at(pdoc)]


def test_a_page_is_cut_into_header_body_and_footer_and_these_into_columns() -> None:
    _, found = cut(NEWS)
    assert texts(found, 3) == [
        "The Harbour",
        "Home News Tides Oysters The oysters are well. Ferries The ferry is late.",
        "All rights reserved.",
    ]
    assert texts(found, 5) == [
        "The Harbour",
        "Home News Tides",
        "Oysters The oysters are well.",
        "Ferries The ferry is late.",
        "All rights reserved.",
    ]


def test_blocks_name_the_fewest_elements_that_hold_them() -> None:
    tree, found = cut(NEWS)
    held = {block.nodes for block in found.blocks}
    for name in ("body", "main"):
        assert any(named(tree, name) in nodes or int(tree.parent[nodes[0]]) == named(tree, name) for nodes in held)
    whole = found.blocks[0]
    assert whole.nodes == (0,)
    assert whole.xpaths(tree) == ("/html[1]",)


def test_a_block_of_inline_siblings_is_a_run() -> None:
    tree, found = cut(
        '<div b="0 0 900 900">one <b b="0 0 100 20">two</b> three<div b="0 300 900 500"><p b="0 300 900 200">four</p>'
        '<p b="0 600 900 200">five</p></div></div>'
    )
    run = next(block for block in found.blocks if len(block.nodes) == 3)
    assert run.text(tree) == "one two three"
    assert len({int(tree.parent[node]) for node in run.nodes}) == 1


def test_a_rule_between_blocks_weighs() -> None:
    without = '<div b="0 0 500 500"><p b="0 0 500 200">one</p>{}<p b="0 220 500 200">two</p></div>'
    weights = [max(s.weight for s in cut(without.format(between))[1].separators) for between in ("", '<hr b="0 209 500 2">')]
    assert weights[1] == weights[0] + SegmentSettings().rule_weight


def test_separators_lie_between_the_blocks_they_part() -> None:
    _, found = cut(NEWS)
    assert {separator.direction for separator in found.separators} == {"horizontal", "vertical"}
    for separator in found.separators:
        left, top, width, height = found.blocks[separator.block].box
        inner_left, inner_top, inner_width, inner_height = separator.box
        assert left <= inner_left <= inner_left + inner_width <= left + width
        assert top <= inner_top <= inner_top + inner_height <= top + height


def test_overlapping_blocks_are_parted_by_the_pages_tree() -> None:
    box = 'b="0 0 500 500"'
    _, found = cut(f"<div id=a {box}><p {box}>one</p><p {box}>two</p></div><div id=b {box}><p {box}>three</p></div>", pdoc=10)
    assert not found.separators
    assert texts(found, 10) == ["one", "two", "three"]


def test_a_menu_in_a_line_is_one_block_and_columns_are_several() -> None:
    inside = "".join(f'<div b="{60 + 200 * k} 10 100 {{0}}">word {k}</div>' for k in range(4))
    html = f'<div b="0 0 1000 {{0}}">{inside}</div><div b="0 800 1000 100">below</div>'
    assert len(cut(html.format(20))[1].leaves) == 2
    assert len(cut(html.format(600))[1].leaves) == 5


def test_paragraphs_of_one_font_stay_together_and_headings_part_them() -> None:
    def article(tag: str) -> str:
        return "".join(
            f'<p b="0 {100 * k} 900 80">some words</p>' if k != 2 else f'<{tag} b="0 200 900 80">a head</{tag}>' for k in range(5)
        )

    html = '<div b="0 0 900 500">{}</div><div b="0 800 900 100">foot</div>'
    assert len(cut(html.format(article("p")))[1].leaves_at(4)) == 2
    bigger = article("h2").replace("<h2", "<h2 size=30")
    assert len(cut(html.format(bigger))[1].leaves_at(4)) > 2


def test_entries_of_a_list_stay_together_though_each_is_in_an_element_of_its_own() -> None:
    entries = "".join(f'<li b="0 {40 * k} 300 20"><a b="0 {40 * k} 200 20">entry {k}</a></li>' for k in range(5))
    _, found = cut(f'<ul b="0 0 300 200">{entries}</ul><h2 size=30 b="0 400 900 40">below</h2>')
    assert texts(found, 5) == ["entry 0 entry 1 entry 2 entry 3 entry 4", "below"]


def test_articles_of_a_long_list_are_blocks_of_their_own_and_entries_of_a_menu_are_not() -> None:
    articles = "".join(f"<div><p>Report {k}</p><p>The ferry is late.</p><p>By Ann</p></div>" for k in range(30))
    menu = "".join(f"<li>Entry {k}</li>" for k in range(8))
    found = segment(f"<div><p>above</p><div><p>more</p><div><p>news</p><div>{articles}</div></div></div><ul>{menu}</ul></div>")
    leaves = [block.text(found.tree) for block in found.leaves]
    assert [text.count("Report") for text in leaves if "Report" in text] == [1] * 30
    assert " ".join(f"Entry {k}" for k in range(8)) in leaves


def test_a_page_on_which_nothing_is_seen_has_no_blocks() -> None:
    for html in ("", "<p>no box", '<div b="0 0 10 10" bg=ff0000></div>', '<p b="0 0 10 10" hidden>a</p>'):
        _, found = cut(html)
        assert found.blocks == ()
        assert found.leaves == ()


def test_a_page_of_one_block_is_that_block() -> None:
    _, found = cut('<p b="0 0 500 20">only this</p>')
    assert [(block.doc, block.rule, block.children) for block in found.blocks] == [(10, 4, ())]


def test_an_image_alone_is_a_block() -> None:
    _, found = cut('<img b="0 0 500 500">')
    assert [(block.doc, block.rule) for block in found.blocks] == [(10, 1)]


def test_an_appearance_of_another_tree_is_refused() -> None:
    _, appearance = page(NEWS)
    with pytest.raises(UsageError, match="render and segment the same tree"):
        segment("<p>other", appearance)


def test_a_rendered_page_brings_its_own_tree_and_appearance() -> None:
    class Rendered:
        tree, appearance = page(NEWS)

    found = segment(Rendered(), settings=SegmentSettings(pdoc=3))
    assert found.tree is Rendered.tree
    assert not found.estimated
    assert len(found.leaves) == 3


def test_without_an_appearance_it_is_estimated_and_said_so() -> None:
    found = tamis.segment("<h1>A</h1><p>b</p>")
    assert found.estimated
    assert found.to_dict()["estimated"] is True


def test_plain_values_hold_every_block_and_separator() -> None:
    _, found = cut(NEWS)
    values = found.to_dict()
    assert [block["number"] for block in values["blocks"]] == list(range(len(found.blocks)))
    assert sum(block["leaf"] for block in values["blocks"]) == len(found.leaves)
    assert values["blocks"][0]["parent"] is None
    assert values["blocks"][-1]["text"] == "All rights reserved."
    assert len(values["separators"]) == len(found.separators)


# -- what holds on every page ----------------------------------------------------------------------------------------------

ELEMENTS = st.sampled_from(["div", "p", "table><tr><td", "b", "ul", "li", "img", "br", "hr", "td", "span", "h2", "font"])
MARKUP = st.recursive(
    st.sampled_from(["word ", "two words", "\xa0", ""]),
    lambda inner: st.tuples(ELEMENTS, st.lists(inner, max_size=5)).map(
        lambda made: f"<{made[0]}>{''.join(made[1])}</{made[0].split('>')[0]}>"
    ),
    max_leaves=25,
)


@st.composite
def pages(draw: st.DrawFn) -> tuple[PageTree, Appearance]:
    """Any markup with any appearance, however little one fits the other."""
    tree = parse("".join(draw(st.lists(MARKUP, max_size=6))))
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    n = len(tree)
    places = rng.integers(-20, 400, (n, 2))
    sizes = rng.integers(0, draw(st.sampled_from([30, 300])), (n, 2))
    box = np.concatenate((places, sizes), axis=1).astype(np.float32)
    appearance = Appearance(
        box=box,
        visible=rng.random(n) < 0.9,
        inline=rng.random(n) < 0.4,
        font_size=rng.choice([12, 16, 30], n).astype(np.float32),
        font_weight=rng.choice([400, 700], n).astype(np.int16),
        color=np.zeros(n, dtype=np.uint32),
        background=rng.choice([0, 0xFFFFFFFF, 0x336699FF], n).astype(np.uint32),
        width=800.0,
        height=800.0,
    )
    return tree, appearance


def seen_texts(tree: PageTree, appearance: Appearance) -> list[int]:
    """Text nodes that are to be in some block."""
    hidden = tree.subtree_mask(np.flatnonzero(np.isin(tree.tag, [tags.CODE["img"], tags.CODE["head"]])))
    box = appearance.box
    on_page = (np.minimum(box[:, 2], box[:, 0] + box[:, 2]) > 0) & (np.minimum(box[:, 3], box[:, 1] + box[:, 3]) > 0)
    return np.flatnonzero(appearance.visible & on_page & (tree.tag == tags.TEXT) & (tree.text_length > 0) & ~hidden).tolist()


@settings(max_examples=40, deadline=None)
@given(pages(), st.integers(1, 10))
def test_the_leaves_hold_every_text_that_is_seen_once(made: tuple[PageTree, Appearance], pdoc: int) -> None:
    tree, appearance = made
    found = segment(tree, appearance, SegmentSettings(pdoc=pdoc))
    times = np.zeros(len(tree), dtype=int)
    for block in found.leaves:
        for node in block.nodes:
            times[node : tree.end[node]] += 1
    assert times.max(initial=0) <= 1
    assert all(times[node] == 1 for node in seen_texts(tree, appearance))


@settings(max_examples=40, deadline=None)
@given(pages(), st.integers(1, 10))
def test_the_tree_is_whole_and_coherence_never_falls_on_the_way_down(made: tuple[PageTree, Appearance], pdoc: int) -> None:
    tree, appearance = made
    found = segment(tree, appearance, SegmentSettings(pdoc=pdoc))
    for index, block in enumerate(found.blocks):
        assert 1 <= block.doc <= 10
        assert list(block.nodes) == sorted(block.nodes)
        for child in block.children:
            inner = found.blocks[child]
            assert inner.parent == index < child
            assert inner.doc >= block.doc
            left, top, width, height = block.box
            assert left <= inner.box[0] + 0.01
            assert top <= inner.box[1] + 0.01
            assert inner.box[0] + inner.box[2] <= left + width + 0.01
            assert inner.box[1] + inner.box[3] <= top + height + 0.01
        held = sorted(node for child in block.children for root in found.blocks[child].nodes for node in range(root, tree.end[root]))
        own = {node for root in block.nodes for node in range(root, tree.end[root])}
        assert set(held) <= own
        assert len(held) == len(set(held))
    for leaf in found.leaves:
        assert leaf.doc >= pdoc or not leaf.children


@settings(max_examples=40, deadline=None)
@given(pages(), st.integers(1, 9))
def test_a_coarser_segmentation_is_the_top_of_a_finer_one(made: tuple[PageTree, Appearance], pdoc: int) -> None:
    tree, appearance = made
    coarse = segment(tree, appearance, SegmentSettings(pdoc=pdoc))
    fine = segment(tree, appearance, SegmentSettings(pdoc=10))
    assert [block.nodes for block in coarse.leaves] == [block.nodes for block in fine.leaves_at(pdoc)]


@settings(max_examples=20, deadline=None)
@given(pages())
def test_the_same_page_gives_the_same_blocks(made: tuple[PageTree, Appearance]) -> None:
    tree, appearance = made
    assert segment(tree, appearance).blocks == segment(tree, replace(appearance)).blocks


def test_nested_blocks_that_overlap_are_parted_with_bounded_work() -> None:
    depth = 600
    _, found = cut('<div b="0 0 500 500"><p b="0 0 500 500">w</p>' * depth, pdoc=10)
    assert len(found.leaves) == depth
    deepest = [0] * len(found.blocks)
    for index, block in enumerate(found.blocks):
        deepest[index] = deepest[block.parent] + 1 if block.parent >= 0 else 0
    levels = max(deepest)
    assert levels < depth
    assert sum(range(depth, depth - levels, -1)) < WORK + (WORK_OF_BLOCK + 2) * depth


def test_a_page_of_very_many_elements_is_cut_with_a_note():
    found = segment("<body>" + "<p>a" * MAX_NODES)
    assert len(found.tree) == MAX_NODES
    assert any("left out" in note for note in found.tree.notes)
