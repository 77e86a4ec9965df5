"""What the browser shows is what tamis parses, with boxes."""

from __future__ import annotations

from html import escape
from pathlib import Path
from unittest.mock import Mock, patch

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from selectolax.lexbor import LexborHTMLParser

import tamis
from tamis.io.browser.saved import saved_page
from tamis.io.browser.snapshot import convert
from tamis.io.browser.visit import Wanted
from tamis.page.parsing import from_lexbor
from tamis.page.tree import PageTree

SEGMENTATION = Path(__file__).parents[3] / "shared" / "data" / "segmentation" / "random"


def assert_same(found: PageTree, expected: PageTree, page: object) -> None:
    def columns(tree: PageTree) -> tuple[object, ...]:
        names = [tree.names[code] for code in tree.tag.tolist()]
        return names, tree.parent.tolist(), tree.end.tolist(), list(tree.texts), tree.link.tolist(), tree.json_ld, tree.names

    assert columns(found) == columns(expected), page
    assert [dict(own) for own in found.attributes] == [dict(own) for own in expected.attributes], page


PAGES = [
    "<p>one <b>two</b> <i>three</i><p>four<br>five",
    "<!-- a --><title> T </title><body class=b>a<!-- b -->c <!-- d --> e",
    "<pre>\n  <b>x</b>\n\n  <i>y</i></pre><textarea>\n a\n b</textarea><listing> z </listing>",
    "<noscript><p>no</p></noscript><p>a<noscript>b</noscript>c<template><p>t</p></template>d<script>e</script>f<style>g</style>h",
    '<script type="application/ld+json"> {"a": 1} </script><script type="Application/LD+JSON; x">{}</script><script>1</script>',
    "<svg viewBox='0 0 1 1'><linearGradient id=g /><feColorMatrix/><a xlink:href=z>s</a><foreignObject><p>f</p></foreignObject></svg>",
    "<math><mi>x</mi><annotation-xml><p>q</annotation-xml></math>",
    "<select><option>o<option>p<optgroup label=l><option>q</select><input value=v><button>b</button><datalist><option>d</datalist>",
    "<table><caption>c<tr><td>1<table><td>2</table><td>3</table>x<table><p>out<tr><td>in",
    "<a href=x>l</a><a name=y>n</a><map><area href=z><area></map><x-y>own</x-y><z-a>own</z-a><x-y>again</x-y>",
    "<iframe src=about:blank>i</iframe><object data=none><p>o</object><video><p>v</video><canvas>c</canvas>",
    "<p>&nbsp;</p><p> &amp;\x0b &#x1f600; \x00é</p>" + "<b>" * 30 + "deep",
    "<plaintext>a<b>c",
    f"<p>{'word ' * 30_000}",
    "<style>p::before{content:'no text'} li{list-style:square}</style><ul><li>one<li>two</ul><p>three<details><summary>s</summary>hid",
    "<noscript>" + "<p>Only those without scripts read this.</p>" * 5 + "</noscript><p>few words",
    "<body>" + "<noscript><p>Only those without scripts read this, which is all there is.</p></noscript>" * 3,
    "",
]


@pytest.mark.parametrize("page", PAGES, ids=range(len(PAGES)))
def test_the_tree_is_the_one_that_is_parsed(browser, page):
    assert_same(browser.render(html=page).tree, tamis.parse(page), page)


def test_a_page_of_frames_is_the_browser_s_where_it_is_rendered_and_the_text_beside_them_where_it_is_parsed(browser):
    page = "<frameset><frame src=about:blank><noframes><p>n</noframes></frameset>"
    assert_same(browser.render(html=page).tree, from_lexbor(LexborHTMLParser(page, scripting=True).root, own=True), page)
    assert list(tamis.parse(page).texts) == ["n"]


PARTS = (
    "<div>|</div>|<p>|</p>|<b>|</b>|<a href=x>|</a>|<a name=y>|<table>|<tr>|<td>|</table>|<br>|<ul>|<li>|</ul>|text |字|  |"
    "\n|\t|<pre>|</pre>|<textarea> t</textarea>|<!-- c -->|<script>s</script>|<style>t</style>|<noscript><i>n</i></noscript>|"
    "<template><p>x</p></template>|<svg>|<path/>|<linearGradient>|<feBlend/>|<foreignObject>|</svg>|<math><mi>|</math>|"
    "<select>|<option>o|</select>|<button>|<form>|</form>|<h1>|</h2>|<x-y>|</x-y>|<iframe>i</iframe>|<img alt=a>|<dd>|<dt>|"
    "<ruby><rt>|&nbsp;|&amp;|<font color=red>|<title>q</title>|<body class=z>|<html lang=en>|<nobr>|<center>|<marquee>|"
    "<object>|<hr>|<caption>|<thead>|<video src=v></video>|<details><summary>|</details>|<dialog>|<noframes>f</noframes>|"
    "<head>|</head>|</body>|</html>|<listing>|</listing>|<datalist>|<area href=x>|<?php x ?>|<![CDATA[c]]>"
).split("|")
"""Not among them: ``search`` and ``image``, which Chromium's parser and ours treat differently (docs/howto/browser.md)."""


@settings(max_examples=3, deadline=None, suppress_health_check=list(HealthCheck))
@given(st.lists(st.lists(st.sampled_from(PARTS), max_size=25).map("".join), min_size=30, max_size=30))
def test_any_markup_gives_the_tree_that_is_parsed(browser, soups):
    soups = [f"<!doctype html>{soup}" for soup in soups]
    frames = "".join(f'<iframe srcdoc="{escape(soup)}"></iframe>' for soup in soups)  # one page of many, else the test takes minutes
    page = saved_page(html=f"<!doctype html>{frames}")
    with patch("tamis.io.browser.visit.convert", Mock(side_effect=convert)) as converted:
        browser._visit(Wanted(url=None, screenshot=False, markup=False, settings=browser.settings, saved=page))
    (answer,) = converted.call_args.args
    inner = answer["documents"][0]["nodes"]["contentDocumentIndex"]["value"]
    for soup, document in zip(soups, inner, strict=True):
        found, _, _ = convert({**answer, "documents": [answer["documents"][document]]})
        assert_same(found, from_lexbor(LexborHTMLParser(soup, scripting=True).root), soup)


def test_pieces_that_scripts_put_together_are_one_text(browser):
    script = "<p id=p>a</p><script>for (const x of ['b', ' ', ' c']) p.append(x); p.append(document.createElement('i'), 'd')</script>"
    page = browser_with(browser, html=script, javascript=True)
    assert page.tree.texts[:2] == ["ab c", "d"]


def test_what_is_in_a_shadow_root_is_part_of_the_page(browser):
    page = browser.render(html="<x-y><template shadowrootmode=open><p>shown <slot></slot></p></template><b>light</b></x-y>")
    tree = page.tree
    assert [tree.name(node) for node in range(2, len(tree))] == ["body", "x-y", "p", "#text", "slot", "b", "#text"]
    assert page.appearance.visible[3:].all()


def browser_with(browser, *, html, **changes):
    from dataclasses import replace

    settings = replace(browser.settings, **changes)
    page = saved_page(html=html, scripts=True)
    return browser._visit(Wanted(url=None, screenshot=False, markup=False, settings=settings, saved=page))


PATHS = """<script>addEventListener("load", () => {
for (const element of document.querySelectorAll("*")) {
    let path = "", step = element
    for (; step.nodeType == 1; step = step.parentNode) {
        const alike = [...step.parentNode.children].filter(other => other.localName == step.localName)
        path = `/${step.localName}[${alike.indexOf(step) + 1}]${path}`
    }
    const found = document.evaluate(path, document, null, XPathResult.FIRST_ORDERED_NODE_TYPE, null).singleNodeValue
    element.setAttribute("path", found === element ? path : "not found by " + path)
}})</script>"""


def test_paths_are_those_of_the_browser(browser):
    html = "<body><p>one<p>two <b>x</b> <b>y</b><table><td>1<td>2<tr><td>3</table><ul><li>a<li>b<ul><li>c</ul></ul><x-y>own</x-y>" + PATHS
    tree = browser_with(browser, html=html, javascript=True).tree
    paths = [(tree.xpath(node), tree.attribute(node, "path")) for node in range(len(tree)) if tree.tag[node]]
    assert len(paths) > 20
    assert all(ours == theirs for ours, theirs in paths), paths


LOOKS = """<!doctype html><style>
* { margin: 0; padding: 0; font: 16px/20px "Liberation Sans" }
#box { position: absolute; left: 100px; top: 50px; width: 200px; height: 40px; background: rgb(1, 2, 3); color: #ff000080 }
b { font-weight: 700; font-size: 24px }
#none { display: none } #hidden { visibility: hidden } #clear { opacity: 0 } #away { position: absolute; left: -9999px }
#cut { position: relative; overflow: hidden; height: 20px } #below { position: absolute; top: 100px } #thin { height: 0; overflow: hidden }
#floats i { float: left; width: 30px; height: 10px } #contents { display: contents } #low { position: absolute; top: 2980px; height: 20px }
</style><body><div id=box>text <b>bold</b></div><p id=none>n</p><p id=hidden>h<u style="visibility: visible" id=shown>s</u></p>
<p id=clear>c</p><p id=away>a</p><div id=cut>x<p id=below>b</p></div><div id=thin><p id=closed>t</p></div>
<div id=floats><i></i><i></i></div>
<div id=contents><p id=held>held</p></div><div id=low>low</div><img id=image width=50 height=60 alt="">"""


@pytest.fixture(scope="module")
def looks(browser):
    page = browser.render(html=LOOKS)
    named = {page.tree.attribute(node, "id"): node for node in range(len(page.tree)) if page.tree.tag[node]}
    return page, named


def test_boxes_are_in_pixels_from_the_top_left(looks):
    page, named = looks
    assert page.appearance.box[named["box"]].tolist() == [100, 50, 200, 40]
    assert page.appearance.box[named["image"], 2:].tolist() == [50, 60]
    assert (page.appearance.width, page.appearance.height) == (1280, 3000)
    left, top, width, height = page.appearance.box[named["box"] + 1].tolist()
    assert left == 100
    assert 50 <= top < top + height <= 90
    assert 0 < width < 200


def test_fonts_and_colors_are_computed_ones(looks):
    page, named = looks
    shown, bold = page.appearance, named["box"] + 2
    assert (shown.font_size[bold], shown.font_weight[bold]) == (24, 700)
    assert (shown.font_size[bold + 1], shown.font_weight[bold + 1]) == (24, 700)
    assert hex(shown.background[named["box"]]) == "0x10203ff"
    assert hex(shown.color[named["box"]]) == hex(shown.color[bold + 1]) == "0xff000080"
    assert shown.background[bold] == 0


def test_inline_is_what_stands_in_a_line(looks):
    page, named = looks
    assert page.appearance.inline[[named["box"] + 1, named["box"] + 2, named["shown"], named["image"]]].all()
    assert not page.appearance.inline[[named["box"], named["low"]]].any()


@pytest.mark.parametrize("name", ["none", "clear", "away", "below", "thin", "closed"])
def test_what_cannot_be_seen_is_not_visible(looks, name):
    page, named = looks
    node = named[name]
    assert not page.appearance.visible[node : page.tree.end[node]].any()


@pytest.mark.parametrize("name", ["box", "shown", "hidden", "cut", "floats", "contents", "held", "low", "image"])
def test_what_can_be_seen_or_holds_what_can_is_visible(looks, name):
    page, named = looks
    assert page.appearance.visible[named[name]]


def test_an_element_without_a_box_has_the_box_of_what_is_in_it(looks):
    page, named = looks
    box = page.appearance.box
    assert box[named["contents"]].tolist() == box[named["held"]].tolist()
    assert box[named["floats"], 2:].tolist() == [60, 10]


def test_columns_are_of_one_length_and_cannot_be_written(looks):
    page, _ = looks
    shown = page.appearance
    columns = (shown.box, shown.visible, shown.inline, shown.font_size, shown.font_weight, shown.color, shown.background)
    assert {len(column) for column in columns} == {len(page.tree)}
    assert not any(column.flags.writeable for column in columns)
    assert not shown.estimated


@pytest.mark.skipif(not SEGMENTATION.is_dir(), reason="needs the pages in ../shared/data/segmentation")
def test_real_pages_with_their_styles_give_the_trees_that_are_parsed(browser):
    from benchmarks.segmentation_gold import read_segmentation

    for page in read_segmentation(SEGMENTATION, limit=4):
        shown = browser.render(file=page.path, folder=page.folder)
        assert_same(shown.tree, page.tree, page.id)
        assert shown.appearance.visible[page.atoms].mean() > 0.9
        assert np.all(shown.appearance.box[shown.appearance.visible][:, 2:] > 0)
