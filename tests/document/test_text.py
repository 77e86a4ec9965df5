from __future__ import annotations

import numpy as np
import pytest

from tamis.document.render import Rendering
from tamis.document.render.text import to_text
from tamis.page.parsing import parse

from .pages import everything


@pytest.mark.parametrize(
    ("html", "text"),
    [
        ("<p>One <b>two</b>three</p>four<br>five", "One twothree\nfour\nfive"),
        ("<div>a&nbsp;b \u3000 c</div>", "a b c"),
        ("<pre>\ndef f():\n\treturn  1\n\n</pre>after", "def f():\n\treturn  1\nafter"),
        ("<pre>a&#13;b</pre>", "a\nb"),
        ("<p>a <textarea>b\nc</textarea> d", "a b c d"),
        ("", ""),
        ("<p>&nbsp;", ""),
    ],
)
def test_text_has_a_line_for_each_block(html: str, text: str):
    tree = parse(html)
    assert to_text(tree, everything(tree)) == text


def test_cells_of_a_row_stand_side_by_side():
    tree = parse("<table><tr><th>Name<th>Age<tr><td>Ada<td><b>36</b> years<tr><td><p>Bo<p>Co<td>1</table>")
    assert to_text(tree, everything(tree)) == "Name\tAge\nAda\t36 years\nBo\nCo\n1"


def test_without_tables_each_cell_has_a_line():
    tree = parse("<table><tr><td>a<td>b</table>")
    assert to_text(tree, everything(tree), Rendering(tables=False)) == "a\nb"


def test_cells_of_nested_tables_stand_beside_those_of_their_own_row():
    tree = parse("<table><tr><td><table><tr><td>a<td>b</table><td>c</table>")
    assert to_text(tree, everything(tree)) == "a\tb\nc"


def test_only_kept_texts_are_shown():
    tree = parse("<p>one <b>two</b> three")
    keep = everything(tree)
    keep[tree.text_nodes[1]] = False
    assert to_text(tree, keep) == "one three"
    assert to_text(tree, np.zeros(len(tree), dtype=np.bool_)) == ""


def test_line_numbers_beside_code_are_left_out():
    tree = parse("<table><tr><td><pre>9\n10</pre><td><pre>x = 1\ny = 2</pre></table>")
    assert to_text(tree, everything(tree)) == "x = 1\ny = 2"


@pytest.mark.parametrize("gutter", ["<pre>1\n3</pre>", "<pre>a\nb</pre>", "1 2", "<pre></pre>", "<pre>²\n3</pre>"])
def test_what_only_resembles_line_numbers_stays(gutter: str):
    tree = parse(f"<table><tr><td>{gutter}<td><pre>x\ny</pre></table>")
    shown = to_text(tree, everything(tree)).split()
    assert shown == [*tree.text().split()]


@pytest.mark.parametrize(
    ("html", "text"),
    [
        ("<a><span>Ann Reed</span><span>Editor</span></a>", "Ann Reed Editor"),
        ("It is on the coast.<a href=/c>brit</a>", "It is on the coast. brit"),
        ("extends java.lang.<a href=/o>Object</a>", "extends java.lang.Object"),
        ("<b>Weight 312g</b><span><i>Width</i></span>", "Weight 312g Width"),
        ("<s>$35.00</s><span>Limited</span>", "$35.00 Limited"),
        ("<i>Реклама</i><i>Новости</i>", "Реклама Новости"),
        ("<i>No.</i><i>Yes</i>", "No. Yes"),
        ("<i>3 beds</i><i>2.5 baths</i> <b>$116.97</b><s>$145</s>", "3 beds 2.5 baths $116.97 $145"),
        ("<b>mp</b><i>3</i> <b>US</b><i>$</i><i>1</i><i>5</i>", "mp3 US$15"),
        ("<dl><dt><b>i</b><i class=classifier>int</i><dt>j<i>:</i><i class=classifier>a</i><i class=classifier></i></dl>", "i : int\nj:a"),
        ("<b>chil</b><b>dren</b> and <b>T</b><i>HE</i> <b>É</b><i>TÉ</i>", "children and THE ÉTÉ"),
        ("<b>3</b><b>D</b> and <i>L’</i><b>Orient</b> and Mc<b>Donald</b>", "3D and L’Orient and McDonald"),
        ("CO<sub>2</sub><sup>Fn</sup> <code><b>get</b><b>Value</b></code>", "CO2Fn getValue"),
        ("<i>在</i><i>Windows</i>", "在Windows"),
        (
            "<b>40 €</b><i>per night</i> <b>12</b><i>mugs</i> <b>3</b><i>rd</i> <b>ada@7</b><b>2</b><b>mills</b>",
            "40 € per night 12 mugs 3rd ada@72mills",
        ),
        (
            "<b>250</b><i>g</i><b>flour</b> <b>2</b><i>cups</i><b>rye</b> <b>1.2 kg</b><i>oats</i> <b>5</b><i>th</i><b>tide</b>",
            "250g flour 2 cups rye 1.2 kg oats 5th tide",
        ),
        ("<b>Bo Quill</b><i>(00:07)</i> <b>f</b><i>(</i><i>x</i><i>)</i>", "Bo Quill (00:07) f(x)"),
        ("<b style='display: block'>tide</b><b style='DISPLAY:block;color:red'>boat</b><i>s</i>", "tide boat s"),
        (
            "<b>Sun</b><b style=display:block>7:40</b> <style>.t{display:block}</style><i>4.5</i><i class=t>210</i> <i>9</i><i>0</i>",
            "Sun 7:40 4.5 210 90",
        ),
        ("<span style=display:flex><b>tide</b><b>boat</b></span><b>€9</b><span style=display:grid><i>/mo</i></span>", "tide boat€9/mo"),
        (
            "<a href=/t>tides</a><a href=/b>boats</a>, <a href=/x>chil</a><a href=/x/>dren</a> <a href=/v>mp</a><a href=/4>4</a>",
            "tides boats, children mp4",
        ),
        (
            "<i>$9</i><i>per month</i> <i>9:00</i><i>opening</i> <i>1</i><i>500mg</i> <b>Hours:</b><i>daily</i>",
            "$9 per month 9:00 opening 1 500mg Hours: daily",
        ),
        (
            "<style>.r{display:flex}.t::after{content:', '}</style><b class=r><i>tide</i><i>boat</i></b> <i class=t>sun</i><i>sea</i>",
            "tide boat sun sea",
        ),
        ("<label>tide</label><i>high</i> <label>boat</label>in", "tide high boat in"),
        ("tide<img src=a>boat <i style='margin-right:.3em'>sun</i><i>sea</i> {10<img src=b>0}", "tide boat sun sea {100}"),
        (
            "<i style=display:inline-block>tide</i><i style=display:inline-block>boat</i> <style>.b{display:inline-block}</style>"
            "<i class=b>t</i><i class=b>i</i><i class=b>d</i><i class=b>e</i> row<i class=b>boat</i>s",
            "tide boat tide rowboats",
        ),
        ("<ruby>漢<rt>kan</rt>字<rt>ji</rt></ruby> <ruby>漢<rp>[</rp><rt>kan</rt><rp>]</rp></ruby>", "漢(kan)字(ji) 漢[kan]"),
    ],
)
def test_elements_that_only_a_style_sheet_parts_are_parted(html: str, text: str):
    tree = parse(f"<p>{html}")
    assert to_text(tree, everything(tree)) == text


def test_blocks_that_a_style_shows_in_one_line_are_parted():
    line = " style='display: inline'"
    tree = parse(f"<div><div{line}>Terns nest</div>\n<div{line}>on the wall</div></div><div>sea<div{line}>weed</div></div>")
    assert to_text(tree, everything(tree)) == "Terns nest on the wall\nseaweed"


def test_rows_of_one_kind_are_parted_alike():
    rows = "<li><b class=n>3</b><b class=u></b><b class=what>eggs</b><li><b class=n>90</b><b class=u>g</b><b class=what>rye</b>"
    rows += "<li><b class=n>1</b><b class=u>cup</b><b class=what>milk</b>"
    tree = parse(f"<ul>{rows}</ul><ul><li><b>Height</b><b>9 cm</b><li><b>Wood</b><b>oak</b></ul><ul><li><b>mar</b><b>gin</b></ul>")
    assert to_text(tree, everything(tree)) == "3 eggs\n90 g rye\n1 cup milk\nHeight 9 cm\nWood oak\nmargin"
