from __future__ import annotations

import numpy as np
import pytest

from tamis.document.render import Rendering
from tamis.page.parsing import parse

from .pages import everything, to_html

BASE = "https://example.org/dir/"


def _html(source: str, rendering: Rendering = Rendering()) -> str:
    tree = parse(source)
    return to_html(tree, everything(tree), rendering, base=BASE)


@pytest.mark.parametrize(
    ("source", "written"),
    [
        ("<section><div>a<div>b</div>c</div></section>", "<p>a</p>\n<p>b</p>\n<p>c</p>"),
        ("<p>a<br>b<br><br>c", "<p>a<br>\nb</p>\n<p>c</p>"),
        ("<p>1 &lt; 2 &amp;amp; <b>x </b>y", "<p>1 &lt; 2 &amp;amp; <b>x</b> y</p>"),
        ("<span onclick=x() style=y>a</span><font>b</font>", "<p>ab</p>"),
        ("<a href='/x' onclick=y() target=z title='t \"'>a</a>", '<p><a href="https://example.org/x" title="t &quot;">a</a></p>'),
        ("<a href='javascript:x()'>a</a><a name=x>b</a>", "<p>ab</p>"),
        (
            "<a href=x><h2>a</h2><p>b</p></a>",
            '<h2><a href="https://example.org/dir/x">a</a></h2>\n<p><a href="https://example.org/dir/x">b</a></p>',
        ),
        ("<ul><li>a<li><p>b<p>c</ul>", "<ul>\n<li>a</li>\n<li>\n<p>b</p>\n<p>c</p></li>\n</ul>"),
        ("<ol start=4><li>a<li value=9>b</ol>", '<ol start="4">\n<li>a</li>\n<li value="9">b</li>\n</ol>'),
        ("<pre><code class='x language-py'>\na &lt; b\n</code></pre>", '<pre><code class="language-py">a &lt; b</code></pre>'),
        ("<pre>a<br>b</pre>", "<pre>a\nb</pre>"),
        ("<ruby>漢<rp>(</rp><rt>kan</rt></ruby>", "<p><ruby>漢<rp>(</rp><rt>kan</rt></ruby></p>"),
        ("<time datetime=2020-01-01 class=x>then</time>", '<p><time datetime="2020-01-01">then</time></p>'),
        ("<p lang=ar dir=rtl>a", '<p lang="ar" dir="rtl">a</p>'),
        ("<p>a<p lang='\"' dir=x>b", "<p>a</p>\n<p>b</p>"),
        ("<p>a<hr><p>b", "<p>a</p>\n<hr>\n<p>b</p>"),
        ("<h1><div>a</div><div>b</div></h1>", "<h1>a<br>\nb</h1>"),
        ("<h1>a<ul><li>b</ul></h1>", "<p>a</p>\n<ul>\n<li>b</li>\n</ul>"),
    ],
)
def test_html_is_clean(source: str, written: str):
    assert _html(source) == written


def test_a_figure_keeps_image_and_caption():
    written = _html("<figure><div><img src=a.png alt='x \"y\"' width=3 onerror=z()></div><figcaption>c</figcaption></figure>")
    assert written == '<figure><img src="https://example.org/dir/a.png" alt="x &quot;y&quot;">\n<figcaption>c</figcaption>\n</figure>'


def test_a_table_keeps_spans_and_cells_without_text():
    written = _html("<table><tr><th colspan=2>a<th><tr><td>b<td><td>c</table>").replace("\n", "")
    assert written == ('<table><tbody><tr><th colspan="2">a</th><th></th></tr><tr><td>b</td><td></td><td>c</td></tr></tbody></table>')


def test_cells_that_are_not_kept_stay_as_empty_cells():
    tree = parse("<table><tr><td>a<td>b<td>c<tr><td>d<td>e<td>f</table>")
    keep = everything(tree)
    keep[tree.text_nodes[[1, 5]]] = False
    written = to_html(tree, keep).replace("\n", "")
    assert written == "<table><tbody><tr><td>a</td><td></td><td>c</td></tr><tr><td>d</td><td>e</td><td></td></tr></tbody></table>"


def test_options_leave_out_links_images_and_tables_but_no_text():
    source = "<p><a href=x>a</a><img src=y><table><tr><td>b<td>c</table>"
    assert _html(source, Rendering(links=False, images=False, tables=False)) == "<p>a</p>\n<p>b</p>\n<p>c</p>"


def test_structure_around_kept_text_is_shown_although_it_is_not_kept_itself():
    tree = parse("<article><h2>no</h2><div><ul><li><p>no<li><p>yes</ul></div></article>")
    keep = np.zeros(len(tree), dtype=np.bool_)
    keep[tree.text_nodes[-1]] = True
    assert to_html(tree, keep) == "<ul>\n<li>yes</li>\n</ul>"


def test_an_item_that_holds_a_whole_page_is_no_point_of_a_list():
    tree = parse("<ul><li><p>one<p>two</ul>")
    assert to_html(tree, everything(tree)) == "<p>one</p>\n<p>two</p>"


def test_nothing_kept_gives_nothing():
    tree = parse("<p>a")
    assert to_html(tree, np.zeros(len(tree), dtype=np.bool_)) == ""
    assert to_html(parse(""), everything(parse(""))) == ""


@pytest.mark.parametrize(
    "name", ["div", "blockquote", "ul><li", "b", "b><i", "details><summary", "table><tr><td", "span", "ruby><rt", "dl><dd"]
)
def test_deep_nesting_stays_small(name: str):
    tree = parse(f"<{name}>x" * 3000)
    written = to_html(tree, everything(tree))
    assert "".join(written.split()).count("x") >= 3000
    assert len(written) < 150_000
