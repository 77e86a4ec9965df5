"""Both walks over the parser's nodes: what they make of odd pages, and that they make the same."""

from __future__ import annotations

import ctypes
import gzip
import os
import pickle
import subprocess
import sys
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from lxml.html import document_fromstring
from selectolax.lexbor import LexborHTMLParser, LexborNode

from tamis.page import tags, walk_plain
from tamis.page.parsing import from_lxml, parse
from tamis.page.tree import PageTree
from tamis.page.walk import REASON, WALKER, from_lexbor

try:
    from tamis.page import walk_compiled
except ImportError as error:
    compiled, reason = None, str(error)
else:
    compiled, reason = walk_compiled, ""

needs_compiled = pytest.mark.skipif(compiled is None, reason=f"the compiled walk is not here: {reason}")
Walk = Callable[[LexborNode], PageTree]

DATA = Path(os.environ.get("TAMIS_DATA", Path(__file__).parents[3] / "shared" / "data"))

ODD_PAGES = {
    "empty": b"",
    "white space only": b" \n ",
    "a word": b"word",
    "pre": b"<pre>\n one\n  <b> two</b>\n <i>\tthree</i>  </pre> <b>after</b> <i>it</i>",
    "lines of pre": b"<pre> \n  <b>a</b><br>  <i>b</i>\n<br>\n \t<i>c</i><p> </p> <b>d</b></pre> <b>e</b>",
    "textarea first": b"<p> <textarea> </textarea> <b>a</b>",
    "pre in pre": b"<pre>a  b<pre>c  d</pre>e  f</pre>g  h",
    "textarea": b"<p>a <i>b</i> <textarea> c\n  d </textarea> <b>e</b></p>",
    "listing and xmp": b"<listing>a\n b</listing><xmp><b>  x</b></xmp>",
    "plaintext": b"<p>a<plaintext> b\n  </p> c",
    "tabs and line feeds": b"<p>a\tb<p>c\rd<p>e\x0cf<p>\tg\t<p>h&#13;i<p>j&#9;&#9;k",
    "white space between inline elements": b"<p><b>a</b> <i>b</i>\n<u>c</u><s>d</s> e<span> </span><q>f</q> </p> <b>g</b>",
    "white space between blocks": b"<div>a</div> <div>b</div> c <hr> <b>d</b> <br> <i>e</i>",
    "white space around a script": b"<p><b>a</b> <script>x</script><b>b</b><script> </script><b>c</b> <!-- --> <i>d</i>",
    "no-break space": b"<p><b>a</b>\xc2\xa0<i>b</i>&nbsp;&nbsp;c</p><p>&nbsp;</p>",
    "nested tables": b"<table><caption>c<tr><td>1<table>x<tr><td>2</table><td>3</table>",
    "svg": b"<svg viewBox=a><linearGradient/><feBlend/><text>t</text><a xlink:href=x href>y</a><![CDATA[z ]]><title>u</title></svg>",
    "svg script and style": b"<svg><script type=application/ld+json>{}</script><style>p<g>q</g></style><script/>r</svg>",
    "math": b"<math><mi>x</mi><annotation-xml encoding=text/html><p>y</annotation-xml><mglyph/><ms>z</math>",
    "own elements": b"<my-card>a</my-card><my-card><x-y>b</x-y></my-card><a-name-of-more-than-sixteen-letters>c<portal>d<search>e",
    "many own elements": b"".join(b"<x-%d>%d</x-%d>" % (i % 300, i, i % 300) for i in range(900)),
    "template": b"<p>a<template><p>b <b>c</b></template>d",
    "noscript": b"<head><noscript><link></noscript><body><noscript><p>a</p></noscript>b",
    "raw": b"<style>a</style><iframe>b</iframe><noembed>c</noembed><noframes>d</noframes><title> e  f </title><textarea>g</textarea>",
    "json-ld": (
        b"<script type=' Application/LD+JSON; charset=utf-8'>{1}</script><script type=text/json>{2}</script><script type>{3}</script>"
        b"<script TYPE='\xc2\xa0application/ld+json'>{\xff}</script><script type=application/ld+json> </script>"
        b"<script type=x-application/ld+json>{5}</script><script>{6}</script><div type=application/ld+json>{7}</div>"
    ),
    "comments": b"<!-- a -->b<!-- c -->d <!-- e --> <i>f</i><!----><p><!-- g --></p><!doctype html><!-- h",
    "processing instructions": b"<?xml version='1.0'?><p>a<?php b ?>c <?d?> <b>e</b>",
    "doctype": b"<!DOCTYPE html PUBLIC 'a' 'b'><p>c",
    "nul": b"<p title='\0a'>b\0c<svg>\0d</svg><pl\0q a\0b=c>",
    "invalid utf-8": b"<p title='\xff\xe2\x82'>a\xff \n b\xe2\x82 c\xc3 <b>\xed\xa0\x80</b> <x-\xff>d<i \xff=\xfe>",
    "beyond the basic plane": "<p title='\U0001f600'>\U0001f600 <b>汉字</b> <x-é>ß</p>".encode(),
    "links": b"<a href>a</a><a href=b>c</a><a name=d>e</a><A HREF=F>g</A><map><area href=h><area></map><svg><a xlink:href=i>j</a></svg>",
    "own links": b"<my-link href=k>l</my-link><my-link>m</my-link><own href=n>o</own>",
    "frameset": b"<frameset cols=*><frame src=a><noframes><p>b</noframes></frameset>",
    "attributes": b"<p a a=b B=c id='' class data-x='1 \n' xml:lang=d 'e\"=f #undef =g><input value=\"h\"><html lang=i><body id=j>",
    "attributes with a number": b"<p accept-charset=a align=b class=c href=d http-equiv=e style=f xmlns=g type=h valign=i>",
    "misnested": b"<b><p>a</b>b<i>c<div>d</i>e<table><b>f<tr>g<td>h</table>i</p>",
    "select": b"<select><button><selectedcontent></selectedcontent></button><option>a<option selected>b</select><datalist><option>c",
    "a long text": b"<p>" + b"word  " * 20_000 + b"<p>" + b"x" * 100_000,
    "attributes in plenty": b"<p %s>a" % b" ".join(b"data-%d=%d" % (i, i) for i in range(500)),
    "deep": b"<div>" * 10_000 + b"a" + b"</div> <b>b</b>" * 10_000,
    "deep in pre": b"<pre>" + b"<span>" * 5_000 + b" a" + b"</span>\n" * 5_000 + b"b",
    "wide": b"<p>a <b>b</b>\n" * 20_000,
}


@pytest.fixture(params=["plain", pytest.param("compiled", marks=needs_compiled)])
def walk(request: pytest.FixtureRequest) -> Walk:
    if request.param == "plain":
        return walk_plain.walk
    assert compiled is not None
    return compiled.walk


def parser_of(html: bytes, *, scripting: bool = True) -> LexborHTMLParser:
    """A parsed page; releases that are older than the library needs, but whose nodes can be walked, know no scripting."""
    try:
        return LexborHTMLParser(html, scripting=scripting)
    except TypeError:
        return LexborHTMLParser(html)


def root_of(html: bytes, *, scripting: bool = True) -> LexborNode:
    root = parser_of(html, scripting=scripting).root
    assert root is not None
    return root


def node_of(html: bytes, css: str) -> LexborNode:
    node = root_of(html).css_first(css)
    assert node is not None
    return node


def texts(walk: Walk, html: bytes) -> list[str]:
    return list(walk(root_of(html)).texts)


def assert_same(root: LexborNode) -> None:
    assert compiled is not None
    one, other = compiled.walk(root), walk_plain.walk(root)
    for column in ("tag", "parent", "end", "text_nodes", "link"):
        left, right = getattr(one, column), getattr(other, column)
        np.testing.assert_array_equal(left, right, err_msg=column)
        assert left.dtype == right.dtype
        assert not left.flags.writeable
        assert not right.flags.writeable
    assert list(one.texts) == list(other.texts)
    assert one.names == other.names
    assert one.json_ld == other.json_ld
    assert list(one.attributes) == list(other.attributes)
    assert [list(mapping) for mapping in one.attributes] == [list(mapping) for mapping in other.attributes]
    own = compiled.walk(root, own=True)
    assert own.attributes_of(list(range(len(own)))) == list(other.attributes)


# -- both walks are the same ------------------------------------------------------------------------------------------


@needs_compiled
@pytest.mark.parametrize("name", ODD_PAGES)
def test_both_walks_make_the_same_of_odd_pages(name: str) -> None:
    assert_same(root_of(ODD_PAGES[name]))


@needs_compiled
@pytest.mark.parametrize("scripting", [True, False])
def test_both_walks_make_the_same_from_any_node_on(scripting: bool) -> None:
    for html in ODD_PAGES.values():
        if len(html) < 1_000 and (root := parser_of(html, scripting=scripting).root) is not None:
            document = root.parent
            assert document is not None
            for node in document.traverse(include_text=True):
                assert_same(node)


@needs_compiled
@given(
    st.lists(
        st.one_of(
            st.sampled_from(
                "p b a div pre textarea table tr td ul li br script style noscript svg math g x-y template select h1 form".split()
            )
            .map(lambda name: [f"<{name}>", f"</{name}>", f"<{name} href=x class='a  b' type=application/ld+json Data-Q>"])
            .flatmap(st.sampled_from)
            .map(str.encode),
            st.sampled_from(
                [b" ", b"\n", b"\t", b"  ", b"word", b"<!-- c -->", b"<?p?>", b"&nbsp;", b"&#13;", b"<![CDATA[x]]>", b"\0", b"\xff"]
            ),
            st.binary(max_size=6),
        ),
        max_size=60,
    ).map(b"".join)
)
@settings(max_examples=300, deadline=None)
def test_both_walks_make_the_same_of_tag_soup(html: bytes) -> None:
    assert_same(root_of(html))


@needs_compiled
@pytest.mark.skipif(not (DATA / "wcxb" / "html").is_dir(), reason="the corpus of real pages is not here")
def test_both_walks_make_the_same_of_real_pages() -> None:
    for path in sorted((DATA / "wcxb" / "html").glob("*.html.gz"))[::50]:
        assert_same(root_of(gzip.decompress(path.read_bytes())))


@needs_compiled
def test_both_walks_make_the_same_of_a_tree_that_was_changed() -> None:
    root = root_of(b"<p>a<b>c</b> d<i>e</i></p><div>f</div>")
    for css, change in {"b": LexborNode.decompose, "i": LexborNode.unwrap}.items():
        node = root.css_first(css)
        assert node is not None
        change(node)
    division = root.css_first("div")
    assert division is not None
    division.attrs["HREF"] = "g"
    division.attrs["empty"] = None  # type: ignore[assignment]
    division.insert_before("h")
    assert_same(root)


# -- what a tree holds, made by either -----------------------------------------------------------------------------------


def test_columns_describe_the_tree(walk: Walk) -> None:
    tree = walk(node_of(b"<div>a<p>b <a href=c>d</a></p><!-- e --><br></div>", "div"))
    assert [tree.name(node) for node in range(len(tree))] == ["div", "#text", "p", "#text", "a", "#text", "br"]
    assert tree.parent.tolist() == [-1, 0, 0, 2, 2, 4, 0]
    assert tree.end.tolist() == [7, 2, 6, 4, 6, 6, 7]
    assert tree.text_nodes.tolist() == [1, 3, 5]
    assert tree.texts == ["a", "b ", "d"]
    assert tree.link.tolist() == [False] * 4 + [True] + [False] * 2


def test_white_space_is_collapsed_outside_preformatted_elements(walk: Walk) -> None:
    assert texts(walk, b"<p> a \n\t b<p>c\td<pre>e  f\n</pre><p>g&#13;h") == [" a b", "c d", "e  f\n", "g h"]


def test_white_space_in_nodes_of_its_own_separates_words_on_a_line(walk: Walk) -> None:
    assert texts(walk, b"<p><b>a</b>\n<i>b</i><u>c</u> <br> <s>d</s></p> <p>e") == ["a", " b", "c", "d", "e"]


def test_white_space_counts_on_both_sides_of_what_is_not_for_readers(walk: Walk) -> None:
    assert texts(walk, b"<p><b>a</b> <script>x</script><b>b</b><style> </style><b>c</b>") == ["a", " b", "c"]


def test_white_space_in_pre_is_kept_as_it_is(walk: Walk) -> None:
    assert texts(walk, b"<pre><b>a</b>\n  <i>b</i></pre>") == ["a", "\n  b"]


def test_a_preformatted_line_begins_with_its_indentation_whatever_element_follows(walk: Walk) -> None:
    page = b"<pre>\n  <b>if</b> a:<br>    <i>b</i><br>\n\t<i>c</i><p> \n </p>d</pre>"
    assert walk(root_of(page)).texts == ["  if", " a:", "    b", "\tc", "d"]


def test_what_is_not_for_readers_is_left_out(walk: Walk) -> None:
    html = b"<title>a</title><script>b</script><style>c</style><noscript>d</noscript><p>e<!-- f --><?g?><template>h</template>"
    tree = walk(root_of(html))
    assert tree.texts == ["a", "e"]
    assert {"", "-comment"}.isdisjoint(tree.name(node) for node in range(len(tree)))


def test_json_ld_is_kept_apart(walk: Walk) -> None:
    assert walk(root_of(ODD_PAGES["json-ld"])).json_ld == ("{1}", "{\ufffd}")


def test_names_without_a_code_get_one_for_the_page(walk: Walk) -> None:
    tree = walk(root_of(b"<x-one>a<X-TWO>b<x-one>c<svg><feBlend/>"))
    assert tree.names[len(tags.KNOWN) :] == ("x-one", "x-two", "feBlend")
    assert [tree.name(int(tree.parent[node])) for node in tree.text_nodes] == ["x-one", "x-two", "x-one"]


def test_attributes_have_no_none(walk: Walk) -> None:
    tree = walk(node_of(b"<p class hidden id='' TITLE='A&amp;B' data-Own=1>a", "p"))
    assert list(tree.attributes) == [{"class": "", "hidden": "", "id": "", "title": "A&B", "data-own": "1"}, {}]


def test_damaged_bytes_become_replacement_characters(walk: Walk) -> None:
    tree = walk(node_of(b"<p title='\xff'>a\xe2\x82", "p"))
    assert tree.texts == ["a\ufffd"]
    assert tree.attribute(0, "title") == "\ufffd"


@pytest.mark.parametrize("html", [b"<p>a</p><!-- b -->", b"<p>a</p><b> </b>", b"<p>a</p><?b?>"])
def test_a_node_that_is_left_out_makes_an_empty_tree(walk: Walk, html: bytes) -> None:
    last = root_of(html).css_first("body").last_child  # type: ignore[union-attr]
    tree = walk(last.first_child if last.tag == "b" else last)  # type: ignore[union-attr,arg-type]
    assert len(tree) == 0
    assert list(tree.attributes) == []
    assert tree.tag.dtype == np.int32
    assert tree.link.dtype == np.bool_


def test_a_tree_outlives_the_names_of_its_parser_and_travels(walk: Walk) -> None:
    copy = pickle.loads(pickle.dumps(walk(root_of(b"<p class=a>b <a href=c>d</a>"))))
    assert copy.text() == "b d"
    assert {"class": "a"} in copy.attributes


def test_elements_nested_ten_thousand_deep_are_walked(walk: Walk) -> None:
    tree = walk(root_of(ODD_PAGES["deep"]))
    assert int(tree.depth.max()) == 10_002
    assert tree.texts[0] == "a"


# -- the choice, and the edge ----------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("html", "text"), [("<p>a<p>b", "a b"), ("a<p>b", "a b"), (" <!-- c --><b>a</b>", "a"), ("<b>a</b>", "a"), (" ", ""), ("<?p?>a", "a")]
)
def test_a_fragment_is_read_whole(html: str, text: str) -> None:
    assert " ".join(parse(LexborHTMLParser(html, is_fragment=True)).texts) == text


def test_the_content_of_a_template_is_read_when_asked_for() -> None:
    content = root_of(b"<template><p>a<p>b</template>").template_fragments()[0]
    assert from_lexbor(content).text() == "a b"


def test_a_detached_node_and_no_node_are_read() -> None:
    assert len(from_lexbor(LexborHTMLParser("").create_node("p"))) == 1
    assert len(from_lexbor(None, notes=("cut",))) == 0


def test_lxml_trees_are_read_likewise() -> None:
    html = "<html><head></head><body><p class='a'>b <i>c</i> <b>d</b><!-- e --></p>\n<pre> f\n</pre><a href='g'>h</a></body></html>"
    one, other = from_lxml(document_fromstring(html)), parse(html)
    for column in ("tag", "parent", "end", "text_nodes", "link"):
        np.testing.assert_array_equal(getattr(one, column), getattr(other, column), err_msg=column)
    assert [text.strip(" ") for text in one.texts] == [text.strip(" ") for text in other.texts]
    assert list(one.attributes) == list(other.attributes)


@needs_compiled
def test_the_compiled_walk_is_in_use_where_it_is_built() -> None:
    expected = "plain" if os.environ.get("TAMIS_PLAIN", "0") not in ("", "0") else "compiled"
    assert expected == WALKER
    assert bool(REASON) == (WALKER == "plain")


def walker_in_a_new_process(code: str = "", **environment: str) -> str:
    command = [
        sys.executable,
        "-c",
        f"{code}\nimport tamis.page.parsing\nprint(tamis.page.parsing.WALKER, tamis.page.parsing.parse('<p>a').text())",
    ]
    return subprocess.run(command, check=True, capture_output=True, text=True, env={**os.environ, **environment}).stdout.strip()


def test_the_environment_forbids_the_compiled_walk() -> None:
    assert walker_in_a_new_process(TAMIS_PLAIN="1") == "plain a"


def test_any_version_number_gets_the_compiled_walk() -> None:
    assert walker_in_a_new_process("import selectolax; selectolax.__version__ = '1.99.0'") == f"{WALKER} a"


@pytest.mark.parametrize(
    ("code", "reason"),
    [
        ("import sys; sys.modules['tamis.native.walk'] = None", "walk"),
        ("import os; os.environ['TAMIS_PLAIN'] = '1'", "TAMIS_PLAIN"),
        ("import selectolax.lexbor, math; selectolax.lexbor.__file__ = math.__file__ if hasattr(math, '__file__') else '-'", "export"),
        ("import ctypes; ctypes.string_at = lambda *a: b''", "bytes of a text"),
        ("from tamis.native import walk as _walk; _walk.attributes = lambda *a: []", "disagrees"),
    ],
)
def test_the_plain_walk_in_use_has_a_reason(code: str, reason: str) -> None:
    command = [sys.executable, "-c", f"{code}\nfrom tamis.page.walk import REASON, WALKER\nprint(WALKER, REASON)"]
    walker, _, given = subprocess.run(command, check=True, capture_output=True, text=True).stdout.partition(" ")
    assert walker == "plain"
    assert reason in given or WALKER == "plain"


@needs_compiled
@pytest.mark.parametrize(
    "damage",
    [
        "found = _walk.attributes; _walk.attributes = lambda *a: [{}] * len(found(*a))",
        "found = _walk.walk; _walk.walk = lambda *a: (*found(*a)[:5], [], [], [], *found(*a)[8:])",
    ],
)
def test_a_compiled_walk_that_disagrees_is_not_used(damage: str) -> None:
    assert walker_in_a_new_process(f"from tamis.native import walk as _walk; {damage}") == "plain a"


@needs_compiled
@pytest.mark.parametrize(
    "arguments",
    [
        (),
        (0, b"", b"", {}, ("type", "href"), bool),
        ("1", bytes(1024), b"", {}, ("type", "href"), bool),
        (0, bytes(1024), b"", {}, ("type", "href"), bool),
        (1, bytes(1024), b"", {}, ("class", "href"), bool),
        (1, bytes(1024), b"", {}, ("type",), bool),
        (1, bytes(1024), b"", {}, ("type", "href") * 17, bool),
        (1, bytes(1024), b"", {}, ("type",) * 32 + ("href",), bool),
        (1, bytes(1024), b"", {}, (b"type",), bool),
    ],
)
def test_the_compiled_module_refuses_what_it_cannot_use(arguments: tuple[object, ...]) -> None:
    from tamis.native import walk as _walk

    with pytest.raises((TypeError, ValueError)):
        _walk.walk(*arguments)  # type: ignore[arg-type]


@needs_compiled
@pytest.mark.parametrize(
    "arguments", [(), ((), ()), ((1,) * 3, (-1,) * 8), ((0,) * 3, (8,) * 8), (("1",) * 3, (8,) * 8), ((1,) * 3, (None,) * 8)]
)
def test_the_compiled_module_binds_no_function_without_an_address(arguments: tuple[object, ...]) -> None:
    from tamis.native import walk as _walk

    with pytest.raises((TypeError, ValueError)):
        _walk.bind(*arguments)  # type: ignore[arg-type]


@needs_compiled
@pytest.mark.parametrize("word", [1, 7, 31])
def test_a_field_is_found_wherever_it_lies(word: int) -> None:
    assert compiled is not None
    objects = [(ctypes.c_size_t * 32)(*(1000 * k + at for at in range(32))) for k in range(1, 5)]
    answers = {ctypes.addressof(memory): memory[word] for memory in objects}
    prototype = ctypes.CFUNCTYPE(ctypes.c_size_t, ctypes.c_size_t)
    function = prototype(answers.__getitem__)
    function.restype, function.__name__ = ctypes.c_size_t, "getter"  # type: ignore[attr-defined]
    assert compiled._offset_of(function, list(answers)) == word * ctypes.sizeof(ctypes.c_size_t)
    with pytest.raises(ImportError, match="getter"):
        compiled._offset_of(function, list(answers)[:2])


@needs_compiled
def test_a_module_that_is_not_bound_reads_nothing() -> None:
    code = (
        "from tamis.native import walk\ntry: walk.walk(1, bytes(1024), b'', {}, ('type', 'href'), bool)\n"
        "except ValueError as error: print(error)"
    )
    command = [sys.executable, "-c", f"import sys; sys.modules['tamis.page.walk_compiled'] = None\n{code}"]
    assert "not bound" in subprocess.run(command, check=True, capture_output=True, text=True).stdout


def test_attributes_are_read_one_by_one_or_all_at_once() -> None:
    html = "".join(f"<p id={k}>{k}" for k in range(40))
    one, other = parse(html), parse(html)
    every = list(other.attributes)
    assert [one.attributes[node] for node in range(len(one))] == every
    assert one.attributes[-1] == every[-1] == other.attributes[np.int64(len(other) - 1)]
    assert one.attributes[3:5] == every[3:5]
    assert parse(html).attributes[-2] == every[-2]
    for tree in (one, parse(html)):
        with pytest.raises(IndexError):
            tree.attributes[len(tree)]


@needs_compiled
def test_a_tree_that_others_may_change_has_its_attributes_read_at_once() -> None:
    from tamis.native import walk as _walk

    root = root_of(b"<p class=author>a<p id=b>b")
    tree = from_lexbor(root)
    root.css("p")[-1].decompose()
    assert tree.values("class").of(int(tree.parent[tree.text_nodes[0]])) == "author"
    assert tree.attributes[-2] == {"id": "b"}
    for wrong in ([1], [-1]):
        with pytest.raises(ValueError, match="out of its column"):
            _walk.attributes(bytes(8), bytes(4), {}, np.array(wrong))
    with pytest.raises(ValueError, match="fit"):
        _walk.attributes(b"", bytes(4), {}, None)


@given(
    st.lists(
        st.sampled_from(["<p class=a", "<i id='é x'", " class='a b'", " class", " CLASS=a", " xlink:href=h", " hidden", ">", "<svg", "t"])
    )
)
def test_columns_of_attributes_say_what_the_attributes_say(parts: list[str]) -> None:
    html = "".join(parts)
    own, lent, plain = parse(html), parse(LexborHTMLParser(html, scripting=True)), parse(html)
    plain = replace(plain, attributes=tuple(plain.attributes))
    nodes = np.flatnonzero(own.tag)[::2]
    for tree in (own, lent, plain):
        for name in ("class", "id", "hidden", "xlink:href", "href"):
            wanted = [attributes.get(name) for attributes in plain.attributes]
            assert [tree.values(name).of(node) for node in range(len(tree))] == wanted
            assert [own.get(name) for own in tree.attributes_of(nodes.tolist())] == [wanted[node] for node in nodes]


@pytest.mark.parametrize("end", ["\n", "<script>drawn()</script>"])
def test_a_title_without_an_end_does_not_swallow_the_page(end):
    tree = parse(f"<head><title> Reeds{end}<body><p>They bend.</p></body>")
    assert [tree.texts[0].strip(), tree.texts[-1]] == ["Reeds", "They bend."]


def test_a_title_that_ends_at_the_title_of_a_drawing_is_no_title():
    tree = parse(f"<title>Reeds<p>{'They bend. ' * 300}</p><svg><title>A reed</title></svg><p>They rise.</p>")
    assert tree.texts[0] == "Reeds"
    assert tree.texts[-1] == "They rise."


def test_a_long_title_stays_a_title():
    tree = parse(f"<title>{'1 < 2, ' * 1000}</title><p>They bend.</p>")
    assert len(tree.texts[0]) > 5000


@pytest.mark.parametrize("page", ["<svg><title>A</title></svg><title>Reeds</title>", "<svg><g><title>A</title></g></svg><p>Reeds"])
def test_the_title_of_a_drawing_is_none_of_the_page(page: str):
    assert parse(page).title == ("Reeds" if "<title>Reeds" in page else "")
