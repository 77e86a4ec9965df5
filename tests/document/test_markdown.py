from __future__ import annotations

import numpy as np
import pytest

from tamis.document.render import Rendering
from tamis.document.render.escapes import code_span, destination, escape, escape_line
from tamis.page.parsing import parse

from .pages import everything, to_markdown

BASE = "https://example.org/dir/"


def _markdown(source: str, rendering: Rendering = Rendering()) -> str:
    tree = parse(source)
    return to_markdown(tree, everything(tree), rendering, base=BASE)


@pytest.mark.parametrize(
    ("source", "written"),
    [
        ("<h1>a</h1><h6>b <b>c</b> #</h6>", "# a\n\n###### b c \\#"),
        ("<h2>a<span class=mw-editsection>[<a href=/e>edit</a>]</span></h2>", "## a"),
        ("<p>a<br>b<br><br>c", "a  \nb\n\nc"),
        ("<div>a<p>b</p>c</div>", "a\n\nb\n\nc"),
        ("<p>a<hr>b", "a\n\n---\n\nb"),
        ("<blockquote>a<blockquote>b<p>c</blockquote></blockquote>d", "> a\n>\n> > b\n> >\n> > c\n\nd"),
        ("<p>H<sub>2</sub>O, <del>x</del>", "H<sub>2</sub>O, ~~x~~"),
        ("<dl><dt>a<dd>b<dd>c</dl>", "**a**\n\nb\n\nc"),
        ("<p>中文，<b>重点</b>在<i>这里</i>。", "中文，**重点**在*这里*。"),
        ("<p>这是<b>“重点”</b>的", "这是“**重点**”的"),
    ],
)
def test_blocks(source: str, written: str):
    assert _markdown(source) == written


@pytest.mark.parametrize(
    ("source", "written"),
    [
        ("<b> a </b>b", "**a** b"),
        ("<b>摘要：</b>二〇一四年", "**摘要**：二〇一四年"),
        ("他说<i><b>“好。”</b></i>就走", "他说“***好***。”就走"),
        ("<b>a.</b><a href=x>b</a>", "**a.**[b](https://example.org/dir/x)"),
        ("a<b>.</b>b", "a<strong>.</strong>b"),
        ("<i>Ann a écrit :</i>Non.", "*Ann a écrit* :Non."),
        ("<p>x<b></b><i> </i>y", "x y"),
        ("<b>a</b><b>b</b> <strong>c</strong>", "**ab c**"),
        ("<b>a<strong>b</strong></b>", "**ab**"),
        ("<b>a</b><i>b</i>", "**a**<em>b</em>"),
        ("<b>a <i>b</i></b>", "**a *b***"),
        ("<code>a`b</code>, <code>`</code>, <code>x <i>y</i></code>", "``a`b``, `` ` ``, `x y`"),
        ("<code>a</code> <code>b</code><code>c</code>", "`a` `bc`"),
        ("<code>f(<a href=x>T</a>)</code>", "`f(`[`T`](https://example.org/dir/x)`)`"),
    ],
)
def test_marks(source: str, written: str):
    assert _markdown(source) == written


@pytest.mark.parametrize(
    ("source", "written"),
    [
        ("<a href='x y_(1).html' title='more'>a</a>", '[a](https://example.org/dir/x%20y_(1).html "more")'),
        ("<a href='x(' title='a'>a</a>", "[a](https://example.org/dir/x%28)"),
        ("<a href=/x>[1]</a>", "[\\[1\\]](https://example.org/x)"),
        ("<a href='javascript:x()'>a</a> <a href='data:x'>b</a>", "a b"),
        ("1!<a href=/x>a</a>", "1\\![a](https://example.org/x)"),
        ("Wow!<a href=/x>a</a>", "Wow! [a](https://example.org/x)"),
        ("<b>Heights<table><tr><th>Day<th>High<tr><td>Monday<td>4.1</table>", "Heights\n\n| Day | High |\n| --- | --- |\n| Monday | 4.1 |"),
        ("<a href=/x><img src=i.png alt='a]'></a>", "[![a\\]](https://example.org/dir/i.png)](https://example.org/x)"),
        ("<img src='data:x' data-src=i.png title='t \"q\"'>", '![](https://example.org/dir/i.png "t \\"q\\"")'),
        ("<picture><source srcset='#, # 2x'><img alt=a></picture>b", "b"),
        ("<figure><img src=i.png><figcaption>c <i>d</i></figcaption></figure>", "![](https://example.org/dir/i.png)\n\n*c d*"),
    ],
)
def test_links_and_images(source: str, written: str):
    assert _markdown(source) == written


@pytest.mark.parametrize(
    ("source", "written"),
    [
        ("<ul><li>a<ul><li>b<li>c</ul><li>d</ul>", "- a\n  - b\n  - c\n- d"),
        ("<blockquote class='postcontent restore'>a<blockquote>b</blockquote></blockquote>", "a\n\n> b"),
        ("<ol start=9><li>a<li>b<pre>c</pre></ol>", "9. a\n\n10. b\n\n    ```\n    c\n    ```"),
        ("<ol><li>a<ol start=3><li>b</ol></ol>", "1. a\n\n   3. b"),
        ("<ol><li>a</ol><ol start=2><li>b</ol><ol><li>c</ol>", "1. a\n\n2. b\n\n1) c"),
        ("<ul><li><p>a<p>b<li>c</ul>", "- a\n\n  b\n\n- c"),
        ("<ul><li>a</ul><ul><li>b</ul>", "- a\n\n* b"),
        ("<ul>a<li>b<ul></ul>c</ul>", "- a\n\n- b\n\n  c"),
        ("<ul><li>a</li><ul><li>b</ul><li>c</ul>", "- a\n  - b\n- c"),
        ("<p>x<li>a<li>b", "x\n\na\n\nb"),
        ("<ul><li>x<hr></ul><ul><li><hr><li>y</ul>", "- x\n\n  ---\n\n* ___\n* y"),
    ],
)
def test_lists(source: str, written: str):
    assert _markdown(source) == written


def test_numbers_count_items_that_are_not_kept():
    tree = parse("<ol><li>a<li>b<li>c</ol>")
    keep = everything(tree)
    keep[tree.text_nodes[0]] = False
    assert to_markdown(tree, keep) == "2. b\n3. c"


def test_words_that_only_a_style_sheet_parts_are_parted():
    assert _markdown("<p><b>Ann Reed</b><i>Editor</i> writes") == "**Ann Reed** *Editor* writes"


def test_terms_are_bold_without_emphasis_in_them():
    signature = "<dt><code>f</code>(<em>*args: <a href=/any>Any</a></em>, <em>_x</em>) <b>new</b><dd><em>a</em>"
    assert _markdown(f"<dl>{signature}</dl>") == "**`f`(\\*args: [Any](https://example.org/any), \\_x) new**\n\n*a*"


def test_code_keeps_its_lines_and_is_fenced_by_more_than_it_holds():
    assert _markdown("<pre><code class=language-md>\n```\n x\n\n</code></pre>") == "````md\n```\n x\n````"
    assert _markdown("<blockquote><pre>a\n\n  b</pre></blockquote>") == "> ```\n> a\n>\n>   b\n> ```"


def test_code_beside_line_numbers_is_one_block():
    source = (
        "<figure class='highlight js'><table><tr><td class=gutter><pre><span>1</span><br><span>2</span><br></pre>"
        "<td class=code><pre><span>var a;</span><br><span>  b();</span><br></pre></table></figure>"
    )
    assert _markdown(source) == "```js\nvar a;\n  b();\n```"


@pytest.mark.parametrize(
    ("source", "written"),
    [
        ("<tr><th>a<th>b<tr><td>1|2<td>x<br>y", "| a | b |\n| --- | --- |\n| 1\\|2 | x<br>y |"),
        ("<tr><td>a<td>b<tr><td>c", "|  |  |\n| --- | --- |\n| a | b |\n| c |  |"),
        ("<tr><th>a<hr>b<th>c<tr><td>1<td><hr>", "| a<br>b | c |\n| --- | --- |\n| 1 |  |"),
        ("<tr><td>a<td><code>x|y</code>", "|  |  |\n| --- | --- |\n| a | `x\\|y` |"),
        ("<caption>c</caption><tr><th>a<th>b<tr><td>1<td>2", "*c*\n\n| a | b |\n| --- | --- |\n| 1 | 2 |"),
        ("<tr><td><p>a<p>b<td><h2>c</h2>", "a\n\nb\n\n## c"),
        ("<tr><td>a<tr><td>b", "a\n\nb"),
        ("<tr><td>year<td>boats<tr><td>2001<td>12<tr><td>2002<td>≈13", "| year | boats |\n| --- | --- |\n| 2001 | 12 |\n| 2002 | ≈13 |"),
        (
            "<tr><td>by<td>Pell<tr><td>length<td>12<tr><td>width<td>3",
            "|  |  |\n| --- | --- |\n| by | Pell |\n| length | 12 |\n| width | 3 |",
        ),
    ],
)
def test_tables(source: str, written: str):
    assert _markdown(f"<table>{source}</table>") == written


def test_merged_cells_make_an_html_table_without_free_lines():
    written = _markdown("<ul><li>x<table><tr><th colspan=2>a*<tr><td>b<td><pre>1\n\n2</pre></table><li>y</ul>")
    assert '<th colspan="2">a*</th>' in written
    assert "<pre>1&#10;\n  2</pre>" in written
    table = written[written.index("<table>") : written.index("</table>") + 8]
    assert all(line.strip() for line in table.split("\n"))


def test_details_stay_html_around_markdown():
    written = _markdown("<details><summary>s <b>t</b></summary><p>a<ul><li>b</ul></details><p>c")
    assert written == "<details>\n<summary>s <b>t</b></summary>\n\na\n\n- b\n\n</details>\n\nc"
    assert _markdown("<details><summary><h3>s</h3></summary><p>a</details><p>c") == "### s\n\na\n\nc"


def test_headings_that_are_links_to_themselves_are_plain():
    assert _markdown("<h2 id=b><a href=#b>Birds <b>of</b> prey</a></h2><h2>See <a href=#b>birds</a></h2><h2><a href=/b>All</a></h2>") == (
        "## Birds of prey\n\n## See [birds](https://example.org/dir/#b)\n\n## [All](https://example.org/b)"
    )
    assert _markdown("<h2><a href=#r2>§ 2</a> <a href=/fees>Fees</a></h2><section id=x><h3><a href=#x>x</a>(y)</h3></section>") == (
        "## § 2 [Fees](https://example.org/fees)\n\n### x(y)"
    )


def test_empty_rows_of_tables_are_left_out():
    rows = "<tr><th>a<th>b<tr><td>c<td>d<tr><td><img src=data:,><td><tr><td>e<td>f"
    assert _markdown(f"<table>{rows}</table>") == "| a | b |\n| --- | --- |\n| c | d |\n| e | f |"


def test_empty_columns_of_tables_are_left_out():
    rows = "<tr><th><th>a<th><th>b<tr><td><td>c<td><td>d<tr><td><td>e"
    assert _markdown(f"<table>{rows}</table>") == "| a | b |\n| --- | --- |\n| c | d |\n| e |  |"


def test_repeated_images_are_shown_once():
    page = "<p>a <img src=s.png><p><img src=s.png> b<p><img src=t.png alt=t><p><img src=t.png alt=t><p>c<p><img src=t.png alt=t>"
    star, tree = "![](https://example.org/dir/s.png)", "![t](https://example.org/dir/t.png)"
    assert _markdown(page) == f"a {star}\n\nb\n\n{tree}\n\nc\n\n{tree}"


def test_an_image_does_not_say_again_what_the_page_says():
    ferry, quay = "<img src=f.png alt='The old ferry' title='The old ferry'>", "<img src=q.png alt='The old ferry'>"
    shown = "![](https://example.org/dir/f.png)"
    assert _markdown(f"<p><b>{ferry}</b>The old ferry, 1901") == f"{shown}The old ferry, 1901"
    assert _markdown(f"<figure>{ferry}<figcaption>The old ferry.</figcaption></figure>") == f"{shown}\n\n*The old ferry.*"
    assert _markdown(f"<h1>The old ferry</h1><p>{ferry}") == f"# The old ferry\n\n{shown}"
    assert _markdown(f"{ferry}<p>At the quay:<p>{quay}").count("The old ferry") == 1
    assert _markdown(f"<table><tr><td>a<td>{ferry}<tr><td>b<td>{quay}</table>").count("The old ferry") == 2


@pytest.mark.parametrize("name", ["admonition-title", "markdown-alert-title", "admonitionHeading_x1", "custom-block-title"])
def test_the_title_of_a_note_is_bold(name: str):
    assert _markdown(f"<div class=note><p class={name}>Note</p><p>Reeds bend.</div>") == "**Note**\n\nReeds bend."


def test_a_cell_that_is_a_picture_keeps_it():
    rows = "<tr><th>kind<th>dry<th>wet<tr><td>reed<td><img src=s.png><td> <img src=s.png>"
    rows += "<tr><td>rush<td>no <img src=s.png><td><img src=s.png>"
    star = "![](https://example.org/dir/s.png)"
    table = f"| reed | {star} | {star} |\n| rush | no | {star} |"
    assert _markdown(f"<table>{rows}</table>") == f"| kind | dry | wet |\n| --- | --- | --- |\n{table}"


def test_options_leave_out_links_images_and_tables_but_no_text():
    source = "<p><a href=x>a</a><img src=y><table><tr><td>b<td>c</table>"
    assert _markdown(source, Rendering(links=False, images=False, tables=False)) == "a\n\nb\n\nc"


@pytest.mark.parametrize(
    "text",
    ["1986 was good", "a - b + c", "5 * 3 = 15", "snake_case_name", "A & B", "x < y", "[1]", "（注）", "C# and C++", "3~5", "a\\b", "$5"],
)
def test_prose_stays_as_it_is(text: str):
    assert escape_line(escape(text)) == text


@pytest.mark.parametrize(
    ("text", "escaped"),
    [
        ("# a", "\\# a"),
        ("- a", "\\- a"),
        ("+", "\\+"),
        ("3) a", "3\\) a"),
        ("> a", "\\> a"),
        ("---", "\\---"),
        ("===", "\\==="),
        (":-- | --", "\\:-- | --"),
        ("*a*", "\\*a\\*"),
        ("__init__", "\\_\\_init\\_\\_"),
        ("<b>", "\\<b>"),
        ("&lt;", "\\&lt;"),
        ("[a](b)", "[a\\](b)"),
        ("[a]: b", "[a\\]: b"),
        ("a\\*", "a\\\\\\*"),
        ("~a~", "\\~a\\~"),
        ("```", "\\`\\`\\`"),
    ],
)
def test_text_that_looks_like_markup_is_escaped(text: str, escaped: str):
    assert escape_line(escape(text)) == escaped


def test_code_spans_and_destinations_hold_anything():
    assert code_span("``") == "``` `` ```"
    assert destination("a(b)c") == "a(b)c"
    assert destination("a)b(") == "a%29b%28"
    assert destination("?a&copy;") == "?a&amp;copy;"


@pytest.mark.parametrize("name", ["div", "blockquote", "ul><li", "ol><li", "b", "b><i", "details><summary", "table><tr><td", "dl><dd"])
def test_deep_nesting_stays_small(name: str):
    tree = parse(f"<{name}>x" * 3000)
    written = to_markdown(tree, everything(tree))
    assert "".join(written.split()).count("x") >= 3000
    assert len(written) < 300_000


def test_a_ragged_giant_table_is_not_filled_up():
    tree = parse("<table><tr>" + "<td>a" * 2000 + "<tr><td>b" * 2000 + "</table>")
    assert len(to_markdown(tree, everything(tree))) < 60_000


def test_a_cell_of_very_many_paragraphs_is_written_in_linear_time():
    tree = parse("<table><tr><th>a<th>b<tr><td>" + "<p>x" * 60_000 + "<td>y</table>")
    assert to_markdown(tree, everything(tree)).endswith("x<br>x | y |")


def test_nothing_kept_gives_nothing():
    tree = parse("<p>a")
    assert to_markdown(tree, np.zeros(len(tree), dtype=np.bool_)) == ""
    assert to_markdown(parse(""), everything(parse(""))) == ""


def test_an_image_before_a_noscript_has_the_address_of_the_image_in_it():
    shown = _markdown(
        """<p><img src="data:image/gif;base64,R0" alt=wall><noscript><img src="/wall.png?a=1&amp;b=2"></noscript>
        <p><span><img src=spacer.gif></span> <!-- late --> <noscript><img src=boat.png></noscript>
        <p><img><noscript><img srcset="a.png 2x"></noscript>
        <p><img data-src=net.png><noscript><img src=other.png></noscript> <p>text <noscript><img src=pixel.png></noscript>
        <p><img src=rope.png><noscript><img src=1.png><img src=2.png></noscript>"""
    )
    images = ["![wall](https://example.org/wall.png?a=1&b=2)", *(f"![]({BASE}{name}.png)" for name in "boat a net".split())]
    assert shown.split("\n\n") == [*images, "text", f"![]({BASE}rope.png)"]
