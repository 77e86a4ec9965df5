"""Trees in few bytes, and back."""

from __future__ import annotations

import json
import os
from contextlib import suppress
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tamis import PageTree, SourceError, parse
from tamis.page.walk_plain import empty
from tamis.structure.compression import DEFLATED, MAGIC, PLAIN, compress, decompress

SITES = Path(os.environ.get("TAMIS_DATA", Path(__file__).parents[3] / "shared" / "data")) / "sites"
PIECES = [
    "<div>",
    "</div>",
    "<p class=a>",
    "<p id=x class=b>",
    "<a href=/one>",
    "<a>",
    "</a>",
    "<x-own b=1 a=2>",
    "</x-own>",
    "text",
    "文 字",
    "<br>",
]
SOUP = st.lists(st.one_of(st.sampled_from(PIECES), st.text(max_size=5)), max_size=40).map("".join)
REPEATED = parse("<ul>" + "<li class=item><a href=/>one</a>" * 200 + "</ul>")


def assert_same(a: PageTree, b: PageTree) -> None:
    for column in ("tag", "parent", "end", "text_nodes", "link"):
        np.testing.assert_array_equal(getattr(a, column), getattr(b, column))
        assert getattr(a, column).dtype == getattr(b, column).dtype
    assert list(a.texts) == list(b.texts)
    assert [list(found.items()) for found in a.attributes] == [list(found.items()) for found in b.attributes]
    assert (a.names, a.json_ld, a.notes) == (b.names, b.json_ld, b.notes)


@settings(max_examples=100, deadline=None)
@given(SOUP, st.booleans())
def test_what_comes_back_is_the_same_tree(html, deflate):
    tree = parse(html)
    assert_same(decompress(compress(tree, deflate=deflate)), tree)


def test_empty_trees_json_ld_notes_and_broken_surrogates_come_back():
    tree = parse("<script type='application/ld+json'>{\"a\": 1}</script><p>x")
    assert tree.json_ld
    odd = PageTree(
        *(getattr(tree, column) for column in ("tag", "parent", "end", "text_nodes")),
        ["\ud800"],
        tree.link,
        tree.attributes,
        tree.names,
        tree.json_ld,
        ("cut",),
    )
    for one in (odd, empty(("nothing",))):
        assert_same(decompress(compress(one)), one)


@settings(max_examples=50, deadline=None)
@given(st.text("\0\1\2a", max_size=6), st.text("\0\1\2a", max_size=6))
def test_control_characters_that_no_parser_gives_come_back(text, value):
    tree = parse("<p>x")
    attributes = [{"title": value} if tree.name(node) == "p" else {} for node in range(len(tree))]
    columns = (getattr(tree, column) for column in ("tag", "parent", "end", "text_nodes"))
    odd = PageTree(*columns, [text], tree.link, attributes)
    for deflate in (False, True):
        assert_same(decompress(compress(odd, deflate=deflate)), odd)


def test_deep_and_wide_trees_come_back():
    for html in ("<div>" * 10_000 + "x", "<p>a" * 20_000):
        tree = parse(html)
        assert_same(decompress(compress(tree)), tree)


@pytest.mark.skipif(not SITES.is_dir(), reason="needs real pages in ../shared/data/sites")
def test_real_pages_come_back():
    for site in sorted(path for path in SITES.iterdir() if path.is_dir())[::4]:
        tree = parse(sorted((site / "pages").iterdir())[0])
        assert_same(decompress(compress(tree)), tree)


def test_equal_subtrees_cost_their_structure_once():
    once = len(compress(parse("<ul><li class=item><a href=/>one</a></ul>"), deflate=False))
    each = (len(compress(REPEATED, deflate=False)) - once) / 199
    assert each < len('8,"item","/","one",') + 1  # the number of the item, its text and two values


def test_data_is_the_same_for_the_same_tree():
    assert compress(REPEATED) == compress(parse("<ul>" + "<li class=item><a href=/>one</a>" * 200 + "</ul>"))


@pytest.mark.parametrize(
    ("data", "said"),
    [
        (b"<html>", "not a compressed tree"),
        (compress(REPEATED)[:-4], "cut off"),
        (compress(REPEATED, deflate=False)[:-4], "damaged"),
        (MAGIC + PLAIN, "damaged"),
        (MAGIC + DEFLATED + b"rubbish", "damaged"),
    ],
)
def test_what_is_no_compressed_tree_is_refused_in_words(data, said):
    with pytest.raises(SourceError, match=said):
        decompress(data)


@settings(max_examples=150, deadline=None)
@given(st.data())
def test_damaged_data_never_gives_another_error(data):
    raw = bytearray(compress(REPEATED, deflate=False))
    for _ in range(data.draw(st.integers(1, 4))):
        raw[data.draw(st.integers(len(MAGIC) + 1, len(raw) - 1))] = data.draw(st.integers(0, 255))
    with suppress(SourceError):
        decompress(bytes(raw), max_nodes=5_000)


def test_few_bytes_that_stand_for_very_many_nodes_are_refused():
    packed = json.loads(compress(parse("<p>"), deflate=False)[len(MAGIC) + 1 :])
    for _ in range(60):
        packed["trees"].append([packed["trees"][-1][0], len(packed["trees"]) - 1, len(packed["trees"]) - 1])
    packed["roots"] = [len(packed["trees"]) - 1]
    with pytest.raises(SourceError, match="max_nodes"):
        decompress(MAGIC + PLAIN + json.dumps(packed).encode())
