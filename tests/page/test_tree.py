"""PageTree: the arrays and what is derived from them."""

import pickle

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import tamis
from tamis.page import tags
from tamis.page.caching import of_page
from tamis.page.hyperlinks import hyperlinks
from tamis.page.lexicon import entries
from tamis.page.tree import _HIDING, PageTree

PAGE = """<body><h1>Title</h1><div id=a><p>One <b>two</b> <i>three</i><p>Four<br>five</div>
<ul><li><a href=/x>link</a><li>no <a name=y>link</a></ul><pre>  a
    b</pre><x-y>own</x-y></body>"""


@pytest.fixture
def tree() -> PageTree:
    return tamis.parse(PAGE)


def names(tree):
    return [tree.name(node) for node in range(len(tree))]


def test_nodes_stand_in_document_order(tree):
    assert names(tree)[:6] == ["html", "head", "body", "h1", "#text", "div"]
    assert tree.texts[:4] == ["Title", "One ", "two", " three"]


def test_white_space_is_collapsed_but_in_pre(tree):
    assert "  a\n    b" in tree.texts
    assert tamis.parse("<p>a \n\t b").texts == ["a b"]


def test_white_space_between_inline_elements_is_kept(tree):
    assert tree.text() == "Title One two three Four five link no link a b own"


def test_comments_scripts_and_styles_are_no_text():
    assert tamis.parse("<p>a<!-- b --><script>c</script><style>d</style><noscript>e</noscript><template>f</template>g").text() == "ag"


def test_json_ld_is_kept_aside():
    assert tamis.parse('<script type="application/ld+json"> {"a": 1} </script><p>x').json_ld == (' {"a": 1} ',)


def test_a_custom_element_with_href_is_a_link():
    tree = tamis.parse("<nav-item href=/x>Reeds</nav-item><nav-item>Rushes</nav-item><item href=/y>Sedges</item>")
    assert [tree.text(node) for node in np.flatnonzero(tree.link)] == ["Reeds"]
    assert [link.url for link in hyperlinks(tree, "https://example.org/")] == ["https://example.org/x"]


def test_only_an_a_with_href_is_a_link(tree):
    assert [tree.text(node) for node in np.flatnonzero(tree.link)] == ["link"]


def test_names_of_its_own_get_codes_after_the_known_ones(tree):
    own = names(tree).index("x-y")
    assert tree.tag[own] == len(tags.KNOWN)
    assert tree.names[-1] == "x-y"


def test_paths_name_a_node(tree):
    third = names(tree).index("i")
    assert tree.xpath(third) == "/html[1]/body[1]/div[1]/p[1]/i[1]"
    assert tree.css(third) == "html > body > div:nth-of-type(1) > p:nth-of-type(1) > i:nth-of-type(1)"
    assert tree.xpath(third + 1) == tree.xpath(third), "a text node is named by its parent"


def test_paths_select_the_node_they_name():
    from selectolax.lexbor import LexborHTMLParser

    parser = LexborHTMLParser(PAGE, scripting=True)
    tree = tamis.parse(PAGE)
    for node in range(len(tree)):
        if tree.tag[node] != tags.TEXT:
            found = parser.css(tree.css(node))
            assert [element.tag for element in found] == [tree.name(node)]


def test_a_tree_travels_between_processes(tree):
    again = pickle.loads(pickle.dumps(tree))
    assert again.texts == tree.texts
    assert np.array_equal(again.end, tree.end)
    assert list(again.attributes) == list(tree.attributes)


def test_columns_cannot_be_written(tree):
    with pytest.raises(ValueError, match="read-only"):
        tree.tag[0] = 1


SOUP = st.lists(
    st.sampled_from("<div> </div> <p> </p> <b> </b> <a&href=x> </a> <table><tr><td> </table> <br> <li> text& & 字".split()).map(
        lambda part: part.replace("&", " ")
    ),
    max_size=60,
).map("".join)


@given(SOUP)
def test_derived_columns_agree_with_a_plain_walk(html):
    tree = tamis.parse(html)
    n = len(tree)
    for node in range(n):
        parent = int(tree.parent[node])
        assert tree.depth[node] == sum(1 for _ in tree.ancestors(node))
        assert node < tree.end[node] <= n
        assert (parent == -1) == (node == 0)
        if node:
            assert parent < node < tree.end[node] <= tree.end[parent]
            siblings = [child for child in tree.children(parent).tolist() if tree.tag[child] == tree.tag[node] and child <= node]
            assert tree.ordinal[node] == len(siblings)
        assert [child for child in range(n) if tree.parent[child] == node] == tree.children(node).tolist()
        assert tree.in_link[node] == (tree.link[node] or any(tree.link[up] for up in tree.ancestors(node)))
        assert tree.link_around[node] == next((up for up in (node, *tree.ancestors(node)) if tree.link[up]), -1)
    ones, some = np.ones(n, dtype=np.int64), np.arange(0, n, 2)
    assert np.array_equal(tree.subtree_sum(ones), tree.end - np.arange(n))
    assert np.array_equal(tree.subtree_sum(ones, some), tree.subtree_sum(ones)[some])


@given(SOUP, st.data())
def test_covered_is_the_union_of_subtrees(html, data):
    tree = tamis.parse(html)
    roots = np.array(sorted(data.draw(st.sets(st.integers(0, len(tree) - 1), max_size=4))), dtype=np.intp)
    plain = [any(root <= node < tree.end[root] for root in roots) for node in range(len(tree))]
    assert tree.subtree_mask(roots).tolist() == tree.subtree_mask(np.isin(np.arange(len(tree)), roots)).tolist() == plain
    nearest = [next((up for up in (node, *tree.ancestors(node)) if up in roots), -1) for node in range(len(tree))]
    assert tree.nearest_ancestor(np.isin(np.arange(len(tree)), roots)).tolist() == nearest


@given(SOUP)
def test_lines_and_characters_below_nodes(html):
    tree = tamis.parse(html)
    line = [-1, *tree.line.tolist()]
    assert line == sorted(line)
    assert set(line) == set(range(-1, max(line) + 1))
    for node, begun in enumerate(tree.lines_below(np.arange(len(tree))).tolist()):
        first, last = tree.texts_below(node)
        assert begun == sum(line[k + 1] != line[k] for k in range(first, last))
        assert tree.length_below[node] == sum(len(text.strip()) for text in tree.texts[first:last])


@pytest.mark.parametrize(
    "html",
    [
        "<p hidden>x",
        "<p style='color: red; DISPLAY : none'>x",
        "<p style='visibility:collapse'>x",
        "<p class='a SR-only'>x",
        "<p class=d-none>x",
        "<dialog>x</dialog>",
    ],
)
def test_what_the_page_hides_is_hidden(html):
    assert tamis.parse(html).hidden.sum() == 1


def test_a_page_keeps_the_answer_about_it_and_not_that_about_another():
    asked = []

    @of_page
    def length(tree: PageTree) -> int:
        asked.append(tree)
        return len(tree)

    one, other = tamis.parse("<p>Reeds."), tamis.parse("<p>Reeds<p>bend.")
    assert [length(tree) for tree in (one, one, other, one)] == [len(tree) for tree in (one, one, other, one)]
    assert asked == [one, other]
    assert pickle.loads(pickle.dumps(one)).text() == "Reeds."


def test_what_is_for_screen_readers_alone_is_told_from_what_else_is_hidden():
    tree = tamis.parse("<p class=sr-only>x<p class=d-none>y<p hidden>z<p class='Screen-Reader-Text sm:block'>v")
    assert [tree.text(node) for node in tree.for_readers] == ["x", "v"]
    assert [tree.text(node) for node in np.flatnonzero(tree.hidden)] == ["x", "y", "z"]


def test_headings_are_all_of_them_in_order():
    tree = tamis.parse("<h2>a</h2><div><h1>b</h1></div><h7>c</h7><h6>d<div><h3>e</h3></div></h6>")
    assert [tree.text(node) for node in tree.headings] == ["a", "b", "d e", "e"]


def test_every_class_name_that_hides_holds_a_word_that_is_looked_for():
    assert all(any(word in name for word in _HIDING.hints) for name in entries("hidden"))


@pytest.mark.parametrize(
    "html",
    [
        "<p>x",
        "<p aria-hidden=true>x",
        "<p style='display:block'>x",
        "<p class='hidden md:block'>x",
        "<p class='d-none d-lg-flex'>x",
        "<dialog open>x</dialog>",
        "<details>x</details>",
    ],
)
def test_what_readers_see_is_not_hidden(html):
    assert not tamis.parse(html).hidden.any()


def test_texts_below_a_node_are_a_range_of_the_texts(tree):
    first, last = tree.texts_below(names(tree).index("div"))
    assert tree.texts[first:last] == ["One ", "two", " three", "Four", "five"]


@pytest.mark.parametrize(
    "page",
    [
        '<a href="/cdn-cgi/l/email-protection" class="__cf_email__" data-cfemail="{0}">[email&#160;protected]</a>',
        '<a href="/cdn-cgi/l/email-protection#{0}"><span class="__cf_email__" data-cfemail="{0}">[email\xa0protected]</span></a>',
    ],
)
def test_coded_mail_addresses_are_decoded(page: str):
    coded = bytes([0x2A, *(byte ^ 0x2A for byte in b"ann&bo@example.org")]).hex()
    tree = tamis.parse(f"<p>Write to {page.format(coded)}.</p>")
    assert tree.text() == "Write to ann&bo@example.org."
    assert [tree.attribute(node, "href") for node in np.flatnonzero(tree.link)] == ["mailto:ann&bo@example.org"]


@pytest.mark.parametrize("code", ["2", "zz", "2aff", ""])
def test_damaged_codes_of_mail_addresses_break_nothing(code: str):
    assert (
        "Write" in tamis.parse(f'<p>Write <a data-cfemail="{code}" href="/cdn-cgi/l/email-protection#{code}">[email protected]</a>').text()
    )
