"""Text blocks: the lines of a page with their elements."""

from itertools import pairwise

from hypothesis import given
from hypothesis import strategies as st

import tamis
from tamis.page.blocks import text_blocks


def blocks(page):
    tree = tamis.parse(page)
    found = text_blocks(tree)
    return list(zip(found.texts(tree), [tree.name(element) for element in found.element.tolist()], strict=True))


def test_a_block_is_the_text_between_two_boundaries():
    page = "<body><p>a <b>x</b> <i>y</i><div>u<br>w</div>tail<select><option>r</select> end <a href=x>l</a>"
    assert blocks(page) == [("a x y", "p"), ("u", "div"), ("w", "div"), ("tail", "body"), ("end l", "body")]


def test_a_preformatted_element_is_one_block():
    assert blocks("<pre>a\n <div>b</div><br>c</pre><pre>d</pre>") == [("a bc", "pre"), ("d", "pre")]


def test_lengths_tell_links_apart():
    found = text_blocks(tamis.parse("<p>ab <a href=x>cde</a>"))
    assert (found.length.tolist(), found.link_length.tolist()) == ([5], [3])


def test_no_text_no_block():
    assert len(text_blocks(tamis.parse(""))) == 0


@given(
    st.lists(
        st.sampled_from(
            ["<div>", "</div>", "<p>", "<b>", "</b>", "<br>", "<pre>", "</pre>", "x", " y ", "<table><td>", "<select><option>"]
        ),
        max_size=40,
    )
)
def test_blocks_hold_each_seen_text_once(parts):
    tree = tamis.parse("".join(parts))
    found = text_blocks(tree)
    spans = list(zip(found.first.tolist(), found.last.tolist(), strict=True))
    assert all(a < b for a, b in spans)
    assert all(before[1] <= after[0] for before, after in pairwise(spans))
    for (a, b), element in zip(spans, found.element.tolist(), strict=True):
        assert all(element < tree.text_nodes[k] < tree.end[element] for k in range(a, b))
