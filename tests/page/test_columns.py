"""What is compiled and what is plain give the same, on odd pages, on made-up ones and on real ones."""

from __future__ import annotations

import contextlib
import gzip
import importlib
import os
from dataclasses import fields, replace
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from selectolax.lexbor import LexborHTMLParser

import tamis
import tamis.native
from tamis.document.render.text import collapsed
from tamis.native import columns as _columns
from tamis.page import tags as page_tags
from tamis.page.blocks import text_blocks
from tamis.page.element_names import element_name
from tamis.page.grouping import group
from tamis.page.restating import restated
from tamis.page.tree import PageTree
from tamis.site.digest import digest

from ..site.pages import article
from .plain_columns import (
    plain_digest,
    plain_group,
    plain_holding,
    plain_spread,
    plain_teasers,
    plain_text_blocks,
    plain_text_length,
)
from .test_walk import ODD_PAGES

DATA = Path(os.environ.get("TAMIS_DATA", Path(__file__).parents[3] / "shared" / "data"))
PARTS = (
    "<p>",
    "</p>",
    '<div class="a b">',
    "<div id=' x 1 '>",
    "<div class='é\u00a0b' id=\u2003>",
    "<div class=c id>",
    "</div>",
    "<a href=#>",
    "</a>",
    "<b>",
    "</b>",
    "<pre>",
    "</pre>",
    "<br>",
    "<select><option>",
    "</select>",
    "<table><tr><td>",
    "</table>",
    "Tags: ",
    " one  two ",
    "\u00a0\u3000",
    "字字",
    "\x1c\x85",
    "_",
    "😀",
    "12",
    "Posts 1 to 15 of 1,040 \u0663\u0664 in all",
    "第12页，共340页，本版主题",
    "<textarea>",
    "</textarea>",
    "<my-own class='" + "t" * 90 + " u v w x y z a b c d e f g'>",
)
BOXES = page_tags.codes("div aside")
PAGES = st.lists(st.sampled_from(PARTS), max_size=30).map("".join)


def assert_same_columns(one, other, but=()):
    for column in fields(one):
        if column.name not in but:
            a, b = getattr(one, column.name), getattr(other, column.name)
            assert np.array_equal(a, b), column.name
            assert not isinstance(a, np.ndarray) or a.dtype == b.dtype, column.name


def assert_same_digest(tree: PageTree):
    one, other = digest(tree), plain_digest(tree)
    assert_same_columns(one.digest, other.digest)
    assert_same_columns(one.blocks, other.blocks)
    assert np.array_equal(one.elements, other.elements)
    assert one.digest.key == other.digest.key


@given(PAGES)
def test_digests_are_the_same(html):
    assert_same_digest(tamis.parse(html))


@pytest.mark.parametrize("page", ODD_PAGES.values(), ids=ODD_PAGES.keys())
def test_digests_of_odd_pages_are_the_same(page):
    assert_same_digest(tamis.parse(page))


@pytest.mark.parametrize("page", ODD_PAGES.values(), ids=ODD_PAGES.keys())
def test_digests_of_trees_that_others_hold_are_the_same(page):
    parser = LexborHTMLParser(restated(page), scripting=True)
    tree = tamis.parse(parser)
    assert_same_digest(tree)
    assert digest(tree).digest.names == digest(tamis.parse(page)).digest.names


def test_names_are_of_known_tags_and_values():
    tree = tamis.parse("<p class=a>one")
    for tags, classes in (([len(tree.names)], [-1]), ([-1], [-1]), ([tree.tag[0]], [1]), ([tree.tag[0]], [-2])):
        columns = (np.array(values, dtype=np.int32) for values in (tags, classes, [-1]))
        with pytest.raises(ValueError, match="out of its column"):
            _columns.element_names(*columns, tree.names, ["a"], [], element_name)


WORDS = st.lists(st.text("abиk评é-", min_size=1, max_size=5), max_size=12).map(tuple)


@given(
    st.lists(st.text("aAbB-éÉиИ评\u212a\u0131\u017f\U0001f600\0", max_size=9)),
    st.lists(st.tuples(st.integers(0, 9), WORDS), max_size=5).map(tuple),
)
def test_values_that_hold_words_are_found(values, sets):
    found = [[k for k in plain_holding(values, words) if len(values[k]) <= longest] for longest, words in sets]
    assert _columns.holding(values, _columns.finder(dict(enumerate(sets)))) == {k: held for k, held in enumerate(found) if held}


def test_words_that_are_looked_for_are_few():
    words = ("key", *(f"a{k}" for k in range(63)))
    assert _columns.holding(["b" * 100, "a", "Key"], _columns.finder({"of keys": (200, words)})) == {"of keys": [2]}
    for sets in (((1, ("",)),), ((1, (1,)),), ((1, ("ab",) * 4097),), ((1, ("a",) * 129),), ((1, ()),) * 65):
        with pytest.raises(ValueError, match="do not fit"):
            _columns.holding(["a"], _columns.finder(dict(enumerate(sets))))
    for values, sets in (([1], ()), ("a", ()), (["a"], ((1, ["a"]),)), (["a"], ((1,),)), (["a"], (("a", ("a",)),)), (["a"], [1])):
        with pytest.raises(TypeError):
            _columns.holding(values, _columns.finder(dict(enumerate(sets))))


def test_a_digest_needs_no_parser():
    tree = tamis.parse(article(1))
    assert_same_columns(digest(replace(tree, attributes=tuple(tree.attributes))).digest, digest(tree).digest)


@given(PAGES, st.integers(0, 2**32))
def test_values_of_blocks_are_spread_the_same(html, seed):
    tree = tamis.parse(html)
    blocks, dice = text_blocks(tree), np.random.default_rng(seed)
    value = dice.integers(0, 4, len(blocks)).astype(np.uint8)
    assert np.array_equal(blocks.to_nodes(tree, value, unread=5, between=6), plain_spread(tree, blocks, value, 5, 6, np.arange(256)))


LISTED = st.lists(
    st.sampled_from(("<p>Gulls rest on the wall until the tide turns.", "<div>", "</div>", "<ul>", "</ul>", "<aside>", "</aside>"))
    | st.tuples(st.sampled_from("li p div".split()), st.integers(1, 5)).map(lambda of: f"<{of[0]}><a href=/>Knots</a> come." * of[1])
    | st.sampled_from(("<li>Auks", "<p><a href=/>Terns</a>")),
    max_size=12,
).map("".join)


@given(LISTED | PAGES, st.integers(0, 2**32))
def test_teasers_are_the_same(html, seed):
    assert_same_teasers(tamis.parse(html), seed)


def assert_same_teasers(tree: PageTree, seed: int) -> int:
    dice = np.random.default_rng(seed)
    keep, probability = dice.random(len(tree)) < 0.9, np.zeros(len(tree))
    place = np.arange(len(tree.texts))
    first, last = np.sort(dice.integers(0, len(place) + 1, 2))  # the texts that are sure
    runs = np.repeat(dice.choice((0.2, 0.65, 0.7, 0.75, 0.8, 0.9), len(place)), 4)[: len(place)]
    probability[tree.text_nodes] = np.where((first <= place) & (place < last), 0.95, runs)
    shown = (tree.tag, tree.parent, tree.end, tree.values("class").codes, tree.text_length, tree.lines_before, tree.before)
    found = _columns.teasers(page_tags.flags(BOXES), *shown, keep, probability, tree.in_link, tree.link)
    one = tuple(np.frombuffer(nodes, np.int32).tolist() for nodes in found)
    assert one == plain_teasers(tree, page_tags.lookup(BOXES), keep, probability)
    return sum(map(len, one))


@given(PAGES)
def test_blocks_and_lengths_are_the_same(html):
    one = tamis.parse(html)
    assert_same_columns(text_blocks(one), plain_text_blocks(one))
    plain = plain_text_length(one)
    assert np.array_equal(one.text_length, plain)
    assert one.text_length.dtype == plain.dtype
    assert np.array_equal(one.line, one.lines_before[one.text_nodes + 1] - 1)


def test_columns_that_do_not_fit_are_an_error():
    tree = tamis.parse("<p>one <b>two</b>")
    good = (tree.tag, tree.parent, tree.end, tree.link, tree.text_nodes, tree.texts, b"\0", True)
    _columns.blocks(*good)
    for place, wrong in [
        (0, tree.tag[1:]),
        (1, tree.parent + 9),
        (2, tree.end * 0),
        (2, tree.end + 9),
        (4, tree.text_nodes + 1),
        (6, "no"),
    ]:
        with pytest.raises((ValueError, TypeError)):
            _columns.blocks(*good[:place], np.ascontiguousarray(wrong) if place < 6 else wrong, *good[place + 1 :])
    page = (tree.tag, tree.parent, tree.end)
    counts = (tree.text_length, tree.lines_before, tree.before, tree.linked_before, tree.in_link, tree.in_chrome)
    texts = (tree.text_nodes, list(tree.texts), *np.zeros((2, 1), np.int32), np.ones(1, np.int64))
    every = {
        "measure": [b"\0", tree.tag, tree.end, tree.link, tree.text_nodes, list(tree.texts)],
        "survey": [b"\0\0\0\0", *page, tree.tag, counts[0], *counts[2:4], counts[1], counts[5], *(tree.in_link,) * 3, *texts, -1],
        "teasers": [b"\1", *page, tree.tag, *counts[:3], tree.in_link, tree.before[1:] / 1, tree.in_link, tree.link],
        "close_texts": [*page, tree.in_link, tree.text_nodes, tree.line, list(tree.texts), np.arange(len(tree.texts)), 3],
        "outermost": [tree.end, np.arange(len(tree))],
        "lines": [list(tree.texts), np.arange(len(tree.texts)), np.arange(len(tree.texts)), np.zeros(len(tree.texts), np.bool_), str],
    }
    for name, arguments in every.items():
        function = getattr(_columns, name)
        function(*arguments)
        for place, column in enumerate(arguments):
            wrong = [column[1:], column + 99] if isinstance(column, np.ndarray) and column.dtype != np.bool_ else [None]
            for each in wrong:
                with contextlib.suppress(ValueError, TypeError):  # an index out of its column is never followed
                    function(*arguments[:place], each, *arguments[place + 1 :])
    for name, place, wrong in (
        ("measure", 2, tree.end + 9),
        ("survey", 3, tree.end * 0),
        ("teasers", 2, tree.parent - 9),
        ("teasers", 3, tree.end + 9),
        ("teasers", 7, tree.before[1:]),
        ("close_texts", 1, tree.parent + 99),
        ("close_texts", 4, tree.text_nodes + 99),
        ("close_texts", 7, np.arange(len(tree.texts)) + 9),
        ("outermost", 1, np.arange(len(tree)) + 9),
        ("lines", 1, np.arange(len(tree.texts)) + 9),
        ("lines", 2, np.arange(len(tree.texts)) + 9),
    ):
        with pytest.raises(ValueError, match="fit"):
            getattr(_columns, name)(*every[name][:place], wrong, *every[name][place + 1 :])


def test_lines_are_joined_and_trimmed_unless_they_are_verbatim():
    texts, shown, starts = [" one", "not shown", " two ", " a\n b ", "\u00adc"], np.array([0, 2, 3, 4]), np.array([0, 2, 3])
    verbatim = np.array([False, True, False])
    assert _columns.lines(texts, shown, starts, verbatim, collapsed) == ["one two", " a\n b ", "c"]
    assert _columns.lines(texts, shown[:0], starts[:0], verbatim[:0], collapsed) == []


def test_lines_end_at_the_first_that_fails():
    asked = []

    def stopped(text):
        asked.append(text)
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        _columns.lines(["a\nb", "c\nd"], np.array([0, 1]), np.array([0, 1]), np.array([False, False]), stopped)
    assert asked == ["a\nb"]


def test_compiled_modules_of_another_version_are_refused(monkeypatch):
    monkeypatch.setattr(_columns, "VERSION", 0)
    with pytest.raises(ImportError, match="older than its sources"):
        importlib.reload(tamis.native)


@pytest.mark.skipif(not (DATA / "wcxb").is_dir(), reason=f"no pages in {DATA / 'wcxb'}")
def test_real_pages_are_digested_the_same():
    for path in sorted((DATA / "wcxb" / "html").glob("*.gz"))[::40]:
        html = gzip.decompress(path.read_bytes())
        assert_same_digest(tree := tamis.parse(html))
        assert_same_teasers(tree, len(html))


@given(st.lists(st.integers(0, 5) | st.integers(0, 2**64 - 1)))
def test_keys_are_grouped_the_same(keys):
    array = np.array(keys, dtype=np.uint64)
    for one, other in zip(group(array), plain_group(array), strict=True):
        assert one.tolist() == other.tolist()
    assert array[group(array)[1]][group(array)[0]].tolist() == keys
