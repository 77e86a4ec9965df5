"""Bounds on hostile markup: what would take the parser minutes or gigabytes is cut, and nothing else is."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tamis.native import markup
from tamis.page import limits
from tamis.page.limits import MAX_ATTRIBUTES, MAX_COPIES, MAX_DEPTH, MAX_TAGS, bound
from tamis.page.parsing import parse
from tests.page.plain_limits import Scales

NUMBERS = [b"%d" % number for number in range(60_000)]


def attributes(form: bytes, count: int = 30_000) -> bytes:
    return b"".join(form % number for number in NUMBERS[:count])


def formatting(count: int) -> bytes:
    return attributes(b"<b i=%s>", count)


CROWDED = {
    "without values": b"<p" + attributes(b" a%s") + b">the text",
    "in quotes": b"<p" + attributes(b' a%s="v"') + b">the text",
    "with > in quotes": b"<p" + attributes(b' a%s=">"') + b">the text",
    "without white space": b"<p " + attributes(b"a%s='>'") + b">the text",
    "after slashes": b"<p" + attributes(b"/a%s") + b">the text",
    "with some > in quotes": b"<p" + (attributes(b" a%s", 10_000) + b' b=">"') + attributes(b" c%s") + b">the text",
    "with < in the names": b"<p" + attributes(b" <a%s") + b">the text",
    "after a script that looks like a tag": b"<script>'<a b=\"'</script><p" + attributes(b' a%s=">"') + b">the text",
}
COSTLY = {
    "elements opened again by each paragraph": b"<p>" + formatting(1_000) + b"</p>" + b"<p>x</p>" * 5_000,
    "elements opened again in a table": b"<table>" + attributes(b"<b i=%s>x<tr>", 5_000),
    "formatting that ends in other elements": formatting(3_000) + b"<div>" * 3_000 + b"</b>" * 3_000,
    "a list of options": b"<select>" + b"<option>x" * 40_000,
    "end tags that close nothing": b"<x>" * 15_000 + b"</y>" * 30_000,
    "deep below ends that close nothing": b"<div>" * 15_000 + b"</y>" * 15_000 + b"<div></div>" * 20_000,
    "items and terms in each other": b"<dd><li>" * 60_000,
    "ruby without ruby": b"<rt>" * 120_000,
    "groups of options without a list": b"x<optgroup>" * 60_000,
    "names without end": attributes(b"<p x%s y>", 60_000) + b" " * 50_000,
    "names in few tags": b"".join(b"<p" + attributes(b" n%%sx%d" % each, 900) + b">" for each in range(90)),
    "names after quotes": attributes(b"<p a='>'x%s b=\"<\"y>", 60_000),
    "a body again and again": attributes(b"<body a%s>") + b"<p>" * 5,
}
HARMLESS = {
    "icons": b"<svg>" + b"<path d='x'/>" * 30_000 + b"</svg>the text",
    "one kind of formatting left open": b"<p><font color=red>x" * 8_000,
    "a table of many rows": b"<table>" + b"<tr><td>a<td>b" * 20_000,
    "an open list of terms": b"<dl>" + b"<dt>a<dd>b" * 20_000,
    "a long script": b"<script>" + b"if (a <b && c> d) e('<f g=\"'); " * 10_000 + b"</script>the text",
    "a state in JSON": b"<script type=x>{" + b'"key": "a value of many words", ' * 9_000 + b"}</script>the text",
    "long text": b"<p>" + b"word " * 200_000,
    "long values": b"<p class='" + b"name " * 50_000 + b"'>the text",
    "quotes in text": b"<p>\"it's <b>bold</b>'\" " * 9_000,
    "comments": b"<!-- <div> <b i=1 -->" * 9_000 + b"the text",
    "many pieces of formatting": attributes(b"<p><i class=icon-%s></i> <code>x</code><em>y</em>", 9_000),
    "items and terms that nobody closes": (b"<dl>" + b"<dt>a<dd>b<ul>" + b"<li>c" * 10 + b"</ul></dl>") * 3_000,
    "ruby": b"<ruby>a<rp>(<rt>b<rp>)</ruby>" * 9_000,
    "groups of options": (b"<select>" + b"<optgroup label=a>" + b"<option>b" * 20 + b"</select>") * 900,
    "long lists": (b"<ul>" + b"<li><a href=x>one</a>" * 100 + b"</ul>") * 300,
}


@pytest.mark.parametrize("name", CROWDED)
def test_attributes_beyond_the_bound_are_left_out(name: str):
    tree = parse(CROWDED[name])
    assert tree.text() == "the text"
    assert max(map(len, tree.attributes)) <= MAX_ATTRIBUTES
    assert any("attributes" in note for note in tree.notes)


@pytest.mark.parametrize("name", COSTLY)
def test_a_page_ends_where_it_would_cost_too_much(name: str):
    tree = parse(b"<body>the text" + COSTLY[name])
    assert tree.text().startswith("the text")
    assert tree.notes
    assert len(tree) < 2 * MAX_COPIES


@pytest.mark.parametrize("name", HARMLESS)
def test_large_pages_stay_as_they_are(name: str):
    html = HARMLESS[name]
    assert bound(html) == (html, ())


@pytest.mark.parametrize("tag", [b"<div>", b"<span>", b"<blockquote>", b"<table>", b"<a href=x><div>", b"<x-own>"])
def test_what_stands_deeper_than_the_bound_is_left_out(tag: bytes):
    tree = parse(b"the text" + tag * 100_000)
    assert int(tree.depth.max()) < 2 * MAX_DEPTH
    assert tree.text() == "the text"
    assert any("deep" in note for note in tree.notes)


def test_noscript_is_weighed_as_what_it_is_read_as():
    html = b"<noscript>the text</noscript><noscript><p" + attributes(b" a%s") + b">more</noscript>"
    tree = parse(html)
    assert tree.text() == "the text more"
    assert max(map(len, tree.attributes)) <= MAX_ATTRIBUTES


PIECES = st.sampled_from(
    [
        *"<div> </div> <p> </p> <b> </b> <i&x=1> </i> <a&href=x> </a> <br/> <svg> <path/> </svg> <title> </title> <table> <td>".split(),
        *"<script> </script> <style> </style> <textarea> </textarea> <noscript> </noscript> <select> <option> <plaintext>".split(),
        *"<math> <mi> <!-- --> <! <? </ < > ' \" = & / x é".split(),
    ]
).map(lambda piece: piece.replace("&", " "))


@settings(max_examples=300, deadline=None)
@given(st.lists(PIECES, max_size=60).map("".join))
def test_no_small_page_is_cut(page: str):
    html = page.encode()
    assert bound(html) == (html, ())
    assert bound(html, scripting=False) == (html, ())


@settings(max_examples=100, deadline=None)
@given(st.lists(PIECES, max_size=12).map("".join), st.lists(PIECES, max_size=12).map("".join), st.sampled_from(sorted(CROWDED)))
def test_a_crowded_tag_is_found_after_whatever_comes_before(before: str, after: str, name: str):
    """The parser is the judge: what it takes for a tag has no more attributes than allowed."""
    html, _ = bound(before.encode() + CROWDED[name].replace(b"the text", b"") + after.encode())
    if "<svg>" in before or "<math>" in before:
        return  # the corners that are not read as the parser reads them
    assert max(map(len, parse(html).attributes)) <= MAX_ATTRIBUTES + 40


MARKUP = st.sampled_from(
    [
        *"<div> </div> <p> </p> </br> <b> </b> <B> <i&x=1> </i> <I&x=1&y> <em/> </em> <font&a=b&c='>'&d> <li> </li> <dd> </dd>".split(),
        *"<dt> <rt> <rp> <html&a> <body&b=1> <body> <svg> </svg> <path/> <desc> </desc> <math> </math> <mi> <title> </title>".split(),
        *"<TITLE&x> <script> </SCRIPT> </script&> <noscript> </noscript> <textarea> <select> <option> </select> <x&a&b&c&d&e>".split(),
        *"</x> <y/> </y> <!-- --> --!> <!--> <!---> <! <? </ </> < > ' \" = & / x - <a&b=\"c <a&b=c/> <a/b='c'd=e> <plaintext>".split(),
    ]
).map(lambda piece: piece.replace("&", " ").encode())


@settings(max_examples=600, deadline=None)
@given(
    st.lists(st.tuples(MARKUP, st.integers(1, 12)), max_size=40),
    st.booleans(),
    st.tuples(*(st.sampled_from(sizes) for sizes in ((2, 1000), (9, 300, 5000), (0, 40, 10**6), (5, 99), (4, 90), (3, 30, 5000)))),
)
def test_a_page_is_weighed_as_by_the_plain_reading(pieces: list[tuple[bytes, int]], scripting: bool, bounds: tuple[int, ...]):
    html = b"".join(piece * again for piece, again in pieces)
    found = markup.weigh(html, limits._MEANINGS[scripting], np.array(bounds))
    assert found == Scales(html, scripting, bounds).weigh()


@pytest.mark.parametrize("name", [*CROWDED, *COSTLY])
def test_hostile_pages_are_weighed_as_by_the_plain_reading(name: str):
    html = {**CROWDED, **COSTLY}[name][:60_000]
    bounds = (90, 5_000, 300_000, 10_000, 3_000, 20_000)
    assert markup.weigh(html, limits._MEANINGS[True], np.array(bounds)) == Scales(html, True, bounds).weigh()


def test_tags_in_scripts_are_no_tags():
    script = b"<script>" + b"<p>" * (MAX_TAGS + 1) + b"</script>the text"
    assert bound(script) == (script, ())
    assert bound(b"<p>" * (MAX_TAGS + 1))[0] == b"<p>" * MAX_TAGS


def test_only_roots_are_left_out_after_many_roots():
    text, notes = bound(b"<body a=1>" * 150 + b"<p>the text</p><div>more</div>")
    assert text == b"<body a=1>" * 100 + b"<p>the text</p><div>more</div>"
    assert notes
