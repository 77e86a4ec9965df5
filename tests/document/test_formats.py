"""Formats: the registry, titles and front matter, and what Markdown makes of formulas, notes, tasks, tables and marks."""

from __future__ import annotations

from dataclasses import replace
from xml.etree import ElementTree as ET

import numpy as np
import pytest

import tamis
from tamis import Rendering, extract, parse
from tamis.document.document import FORMATS, Document
from tamis.document.render import footnotes, formulas, outline
from tamis.document.render.code import language
from tamis.document.selection import Selection
from tamis.errors import UsageError
from tamis.page import tags


def whole(page, url=None):
    tree = parse(page)
    keep = ~tree.subtree_mask((tree.tag == tags.CODE["title"]).nonzero()[0])
    return Document(tree, Selection("all", keep, keep.astype("uint8"), ("", "kept")), url=url)


HEAD = '<html lang=en><head><title>Reeds: "tall" grass</title><meta name=author content="Ann Lee"><link rel=canonical href=https://example.org/a/b>'


def test_every_format_renders():
    document = whole(HEAD + "<body><p>One.<ul><li>a<li>b</ul><table><tr><th>x<th>y<tr><td>1<td>2</table>")
    assert all("one." in document.render(form).lower() for form in FORMATS)
    with pytest.raises(UsageError, match="formats are"):
        document.render("pdf")


def test_tei_is_well_formed_and_says_what_the_page_says():
    page = (
        HEAD + "<body><h2>A &amp; B</h2><p>One<br>two <img src=/i.png alt='a \"gull\"'><p>\x0cthree<pre>x &lt; y</pre><dl><dt>t<dd>d</dl>"
    )
    root = ET.fromstring(whole(page).render("xml"))
    names = {element.tag.partition("}")[2] for element in root.iter()}
    assert {"TEI", "teiHeader", "title", "author", "body", "head", "p", "lb", "graphic", "ab", "list", "label", "item"} <= names
    assert "Ann Lee" in "".join(root.itertext())


def test_title_and_front_matter():
    document = whole(HEAD + "<body><p>One.")
    assert document.render("markdown", Rendering(title=True)) == '# Reeds: "tall" grass\n\nOne.'
    assert document.render("text", Rendering(title=True)).startswith("Reeds: ")
    assert document.render("markdown", Rendering(front_matter=True)) == (
        '---\ntitle: "Reeds: \\"tall\\" grass"\nauthor: "Ann Lee"\nurl: "https://example.org/a/b"\nlanguage: "en"\n---\n\nOne.'
    )


def test_a_title_that_the_text_begins_with_is_not_repeated():
    document = whole(HEAD + '<body><h1>Reeds: "tall" grass</h1><p>One.')
    assert document.render("markdown", Rendering(title=True)).count("Reeds") == 1


def test_links_resolve_with_the_canonical_address_where_no_url_is_given():
    page = HEAD + "<body><p><a href=c>see</a>"
    assert "https://example.org/a/c" in whole(page).markdown
    assert "https://other.example/c" in whole(page, "https://other.example/x").markdown


def test_permalinks_soft_hyphens_and_zero_width_characters_are_gone():
    document = whole('<h2>Reeds<a class=headerlink href="#reeds">¶</a></h2><p>Dampf\u00adschiff\u200b fährt # 1.')
    assert document.markdown == "## Reeds\n\nDampfschiff fährt # 1."
    assert document.text == "Reeds\nDampfschiff fährt # 1."


def test_tasks():
    page = "<ul><li><input type=checkbox checked disabled> done<li><label><input type=checkbox> to do</label><li>plain</ul>"
    assert whole(page).markdown == "- [x] done\n- [ ] to do\n- plain"


def test_footnotes():
    page = (
        '<p>Reeds bend<sup><a href="#fn1">[1]</a></sup>.<p>More.'
        '<ol><li id=fn1><p>A note. <a href="#fnref1">↩</a><p>Its second paragraph.</ol>'
    )
    assert whole(page).markdown == "Reeds bend[^1].\n\nMore.\n\n[^1]: A note.\n\n    Its second paragraph."


@pytest.mark.parametrize(
    "note",
    [
        "<div><p id=fn1>A note. <a href='#fnref1'>↩</a></p></div>",
        "<div id=_ftn><p><a name=fn1 href='#_ftnref1'>[1]</a> A note.</p></div>",
        "<aside class='footnote brackets' id=fn1><span>[</span><a href='#id1'>1</a><span>]</span><p>A note.</p></aside>",
        "<div class=footnote-definition id=fn1><sup>1</sup><p>A note.</p></div>",
    ],
)
def test_a_footnote_need_not_be_a_point(note):
    document = whole(f"<p>Reeds<sup><a href='#fn1'>[1]</a></sup> bend.</p>{note}<p>More.")
    assert document.markdown == "Reeds[^1] bend.\n\n[^1]: A note.\n\nMore."
    assert document.text == "Reeds[1] bend.\n[1] A note.\nMore."
    assert "<p>[1] A note.</p>" in document.html
    assert "<note>" in document.render("xml")


@pytest.mark.parametrize(
    "note",
    [
        "<ol><li><a id=b1></a>A note. <a href='#a1'>↑</a></ol>",
        "<div class=x><a id=b1 href='#a1'>1</a><div><p>A note.</p></div></div>",
        "<ol><li><span id=b1></span>A note.<a href='https://example.org/reeds#a1'></a></ol>",
    ],
)
def test_a_note_that_leads_back_needs_no_name(note):
    document = whole(f"<p>Reeds<sup><a id=a1 href='https://example.org/reeds#b1'>1</a></sup> bend.</p>{note}<p>More.")
    assert document.markdown == "Reeds[^1] bend.\n\n[^1]: A note.\n\nMore."


@pytest.mark.parametrize("note", ["<ol><li id=B1>A note.</ol>", "<ul><li>Other.<li id=B1><b>1.</b>A note.</ul>"])
def test_the_item_of_a_list_with_the_number_that_a_link_says_is_a_note(note):
    markdown = whole(f"<p>Reeds [<a href='#B1'>1</a>] bend.</p>{note}").markdown
    assert ("[^1]] bend." in markdown, "[^1]: A note." in markdown) == (True, True)
    assert "[^" not in whole(f"<p>Reeds [<a href='#B1'>3</a>] bend.</p>{note}").markdown


def test_notes_of_several_articles_on_a_page_have_labels_of_their_own():
    article = "<article><p>Reeds<a id=r{0} href='#n{0}'>1</a> bend.</p><ol><li id=n{0}>Note {0}. <a href='#r{0}'>^</a></ol></article>"
    markdown = whole(article.format("a") + article.format("b")).markdown
    assert [line in markdown.splitlines() for line in ("[^1]: Note a.", "[^1-2]: Note b.")] == [True, True]


def test_what_leads_back_to_a_list_of_contents_is_no_note():
    page = "<ul id=top><li><a href='#x'>1</a><li><a href='#y'>2</a></ul>"
    page += "<p id=x>Reeds. <a href='#top'>↑</a><p id=y>Rushes. <a href='#top'>↑</a>"
    assert "[^" not in whole(page).markdown


TEXT = "<p>Reeds grow in shallow water{}, and the wind moves them.<p>In autumn people cut them for roofs{}, which last.</p>{}"


@pytest.mark.parametrize(
    ("one", "two", "notes"),
    [
        ("<sup>①</sup>", "<sup>②</sup>", "<p>①Roofs of the shore.</p><p>②Ibid.</p>"),
        ("<sup>※1</sup>", "<sup>※2</sup>", "<p>※1　Roofs of the shore.</p><p>※2　Ibid.</p>"),
        ("<sup>1</sup>", "<sup>2</sup>", "<p><sup>1</sup> Roofs of the shore.</p><p><sup>2</sup> Ibid.</p>"),
        (
            "<a href=#a id=p>（注1）</a>",
            "<a href=#b id=q>（注2）</a>",
            "<p id=a><a href=#p>（注1）</a>Roofs of the shore.<p id=b><a href=#q>（注2）</a>Ibid.",
        ),
        (
            "<a epub:type=noteref href=#a>1</a>",
            "<a role=doc-noteref href=#b>2</a>",
            "<div id=a>Roofs of the shore.</div><div id=b>Ibid.</div>",
        ),
        ("<sup>[<a href=#a>1</a>]</sup>", "<sup>[<a href=#b>2</a>]</sup>", "<p id=a><b>1</b>. Roofs of the shore.<p id=b><b>2</b>. Ibid."),
        ("<sup><a href=#a>1</a></sup>", "<sup><a href=#b>2</a></sup>", "<p id=a>(1) Roofs of the shore.<p id=b>(2) Ibid."),
    ],
)
def test_signs_and_stated_links_refer_to_notes(one: str, two: str, notes: str):
    markdown = whole(TEXT.format(one, two, notes)).markdown
    assert [line.partition(",")[0][-10:] for line in markdown.split("\n\n")[:2]] == [" water[^1]", " roofs[^2]"]
    assert markdown.split("\n\n", 2)[2].split() == "[^1]: Roofs of the shore. [^2]: Ibid.".split()


@pytest.mark.parametrize(
    ("one", "two", "notes"),
    [
        ("<sup>2</sup>", "<sup>3</sup>", "<p>2 metres<p>3 metres"),  # powers
        ("<sup>1</sup>", "<sup>1</sup>", "<p><sup>1</sup> Roofs of the shore."),
        ("<sup>1</sup>", "<sup>2</sup>", "<p><sup>1</sup> Roofs of the shore."),  # one note for two signs
        ("<sup>①</sup>", "<sup>②</sup>", "<p>②Roofs of the shore.</p><p>①Ibid.</p>"),
    ],
)
def test_other_raised_signs_refer_to_no_notes(one: str, two: str, notes: str):
    assert "[^" not in whole(TEXT.format(one, two, notes)).markdown


def test_a_section_that_a_word_refers_to_is_no_footnote():
    assert whole("<p>Read the <a href='#note'>note</a>.<div id=note>It bends.</div>").markdown == "Read the [note](#note).\n\nIt bends."


def test_a_caption_may_refer_to_a_footnote():
    page = (
        '<table><caption>Reeds<sup><a href="#fn1">[1]</a></sup></caption><tr><th>kind<th>height<tr><td>common<td>4 m</table>'
        "<ol><li id=fn1>A note.</ol>"
    )
    assert whole(page).markdown == "*Reeds[^1]*\n\n| kind | height |\n| --- | --- |\n| common | 4 m |\n\n[^1]: A note."


def test_a_reference_to_a_note_that_is_left_out_stays_a_link():
    document = whole('<p>Reeds bend<sup><a href="#fn1">1</a></sup>.<ol><li id=fn1>A note.</ol>')
    keep = document.selection.keep & (np.arange(len(document.tree)) < document.tree.text_nodes[-1])
    document = replace(document, text_selection=replace(document.selection, keep=keep), adds_images=False)
    assert document.markdown == "Reeds bend<sup>[1](#fn1)</sup>."


def test_a_reference_in_a_table_that_is_written_as_html_leads_to_the_page():
    cells = "<tr><th colspan=2>Reeds<tr><td>common<td>4 m<sup><a href='#fn1'>1</a></sup>"
    document = whole(f"<table>{cells}</table><ol><li id=fn1>A note.</ol>", url="https://example.org/reeds")
    assert '<td>4 m<sup><a href="https://example.org/reeds#fn1">1</a></sup></td>' in document.markdown


def test_a_line_of_invisible_characters_is_no_line():
    document = whole("<p>one<p>\u200b<p>two \u200b<p>\u200d")
    assert (document.text, document.markdown) == ("one\ntwo", "one\n\ntwo")


MATH = (
    "<math{}><semantics><mrow><msup><mi>x</mi><mn>2</mn></msup></mrow>"
    '<annotation encoding="application/x-tex">x^2_a</annotation></semantics></math>'
)
KATEX = f"<span class=katex><span class=katex-mathml>{MATH.format('')}</span><span class=katex-html aria-hidden=true>x2</span></span>"

FLAT = (
    "<span class=katex--inline><span class=katex><span class=katex-mathml>\n α 1 \u2212 ( n )\n \\alpha_1 -(n)\n</span>"
    "<span class=katex-html>a1-(n)</span></span></span>"
)

FRACTION = (
    "<mfrac><mi>a</mi><mrow><msubsup><mi>x</mi><mn>1</mn><mn>2</mn></msubsup>"
    "<mo>+</mo><mi>sin</mi><mo>&#x2061;</mo><mi>b</mi></mrow></mfrac>"
)


@pytest.mark.parametrize(
    ("page", "wanted"),
    [
        (f"<p>So {MATH.format('')} holds.", "So $x^2_a$ holds."),
        (f"<p>So {MATH.format(' display=block')}", "So $$x^2_a$$"),
        (f"<p>So {KATEX}.", "So $x^2_a$."),
        ('<p>So <mjx-container><mjx-math>x2</mjx-math><math alttext="x^2"><mi>x</mi></math></mjx-container>.', "So $x^2$."),
        ('<p>So <span class=MathJax_Preview>?</span><script type="math/tex">x_i &amp; \\y</script>.', r"So $x_i &amp; \y$."),
        (r'<p>So <script type="math/tex; mode=display">\sum_{i}</script>', r"So $$\sum_{i}$$"),
        (r"<p>So $\sum_{i} \vec{x}_{i}$ it is.", r"So $\sum_{i} \vec{x}_{i}$ it is."),
        (f"<p>So <math>{FRACTION}</math>.", r"So $\frac{a}{x_{1}^{2} + \sin b}$."),
        ("<p>So <span data-tex='x_a^2'>x_a^2</span>.", "So $x_a^2$."),
        ("<div data-tex=x><p>So it <u data-tex=' '>is</u>.</div>", "So it is."),
        (f"<p>So {FLAT}.", r"So $\alpha_1 -(n)$."),
    ],
)
def test_formulas_are_their_tex(page, wanted):
    assert whole(page).markdown == wanted
    assert whole(page).text == wanted


def test_formulas_in_code_are_bare_and_keep_the_space_before_them():
    document = whole(f"<pre><var>{KATEX}</var> <var>{MATH.format('')}</var>\n4 2</pre>")
    assert document.text == "x^2_a x^2_a\n4 2"
    assert document.markdown == "```\nx^2_a x^2_a\n4 2\n```"


def test_videos_sounds_and_players_are_links():
    page = whole(
        "<p>Watch: <video src=/dam.mp4 title='The dam'></video>, <audio><source src=/a.mp3></audio>.</p>"
        "<iframe src=https://films.example/embed/7></iframe><iframe src=https://ads.example/box></iframe><amp-video src=/b.mp4></amp-video>"
        "<a href=/page><video src=/c.mp4></video>Read</a>",
        url="https://mill.example/",
    )
    assert page.markdown.split("\n\n") == [
        "Watch: [The dam](https://mill.example/dam.mp4) , [audio](https://mill.example/a.mp3) .",
        "[films.example](https://films.example/embed/7) [video](https://mill.example/b.mp4) [Read](https://mill.example/page)",
    ]
    assert '<a href="https://films.example/embed/7">films.example</a>' in page.html
    assert page.text == "Watch: , .\nRead"


def test_the_sign_that_opens_a_note_beside_the_text_is_no_text():
    page = "<p>A mill.<label for=m>⊕</label><input type=checkbox id=m><span class={}>It is Norman.</span> <label>B</label>"
    assert whole(page.format("marginnote")).text == "A mill.1 B\n[1] It is Norman."
    assert whole(page.format("aside")).text == "A mill. It is Norman. B"


def test_an_image_that_shows_a_formula_is_its_tex():
    page = "<p>So <img class=latex alt='x_a^2' src=a> and <img src='/equation?tex=b' alt=b>, not <img class=math alt='A gull' src=/2.png>"
    assert whole(page).markdown == "So $x_a^2$ and $b$, not ![A gull](/2.png)"
    assert whole(page).render("markdown", Rendering(images=False)) == "So $x_a^2$ and $b$, not"


@pytest.mark.parametrize(
    "page", ['<p>So <math alttext="{}"><mi>x</mi></math>.', "<p>So $\\{}$.", "<p>So <script type='math/tex'>{}</script>."]
)
def test_a_formula_is_no_tag_and_no_link_in_markdown(page):
    attack = "x_1 &lt;img src=x onerror=alert(1)> [a](javascript:alert(1)) `"
    written = whole(page.format(attack if "script" not in page else attack.replace("&lt;", "<"))).markdown
    assert written.startswith("So $")
    assert not any(mark in written for mark in ("<img", "](", "`"))


def test_blocks_in_cells_become_lines_of_a_table():
    page = "<table><tr><th>Name<th>Points<tr><td>a<td><p>Two:<ul><li>one|1<li>two</ul><pre>x = 1\ny</pre></table>"
    assert whole(page).markdown == "| Name | Points |\n| --- | --- |\n| a | Two:<br>- one\\|1<br>- two<br>`x = 1`<br>`y` |"


@pytest.mark.parametrize(
    "page",
    [
        '<pre class="brush:python;">1</pre>',
        '<pre class="lang:python decode:true">1</pre>',
        '<div class="mw-highlight mw-highlight-lang-python"><pre>1</pre></div>',
        '<pre class="EnlighterJSRAW" data-enlighter-language="python">1</pre>',
        '<pre class="python">1</pre>',
        "<pre data-language=python><code>1</code></pre>",
        '<div class="highlight highlight-source-python"><pre>1</pre></div>',
    ],
)
def test_the_language_of_code_by_its_highlighter(page):
    tree = parse(page)
    assert language(tree, next(node for node in range(len(tree)) if tree.name(node) == "pre")) == "python"


def test_an_image_in_a_picture_without_source():
    assert "b.png" in whole("<p>A<picture><source srcset='a.png 1x, b.png 2x'><img alt=gull></picture>").markdown


def test_extract_renders_every_format_of_an_empty_page():
    assert all(isinstance(extract("").render(form), str) for form in FORMATS)


@pytest.mark.parametrize("part", ["<li>%", "<p>%", "<p>%<hr>", "<tr><td>%<td>x", "<dt>%<dd>x"])
def test_a_page_of_too_many_texts_is_cut_in_markup_and_says_so(part, monkeypatch):
    monkeypatch.setattr(outline, "MAX_SHOWN", 1_000)
    document = whole(("<table>" if "<td>" in part else "<ol>") + part * 2_000)
    assert document.text.count("%") == 2_000
    for form in ("markdown", "html", "xml"):
        assert 400 < document.render(form).count("%") < 1_100
    assert any("only in plain text" in note for note in document.problems)


def test_formulas_beyond_a_number_are_text_and_that_is_said(monkeypatch):
    monkeypatch.setattr(formulas, "MOST_FORMULAS", 3)
    page = "<p>So <math><mi>x</mi><mo>=</mo><mn>1</mn></math> holds."
    assert whole(page * 4).text.count("$") == 6
    assert whole(page * 4).problems == ("more than 3 formulas: the others not written as TeX",)
    assert whole(page * 3).problems == ()


def test_formulas_in_formulas_are_read_in_linear_time():
    page = "<p>So " + "<math><mi>x<font>and<article>" * 4_000
    document = whole(page)
    assert document.text.count("and") > 3_000
    noted = "<math><semantics><mi>x</mi><annotation encoding=application/x-tex> </annotation>" * 4_000
    assert whole("<p>So " + noted).text.startswith("So")


def test_a_prompt_shows_the_large_values_in_a_line():
    page = "<nav>Home</nav><p>Reeds grow in calm water, and bend in every wind that comes over it.</p>"
    document = tamis.extract(page, url="https://reeds.example/")
    assert repr(document) == "Document(url='https://reeds.example/', method='model', 68 of 72 characters kept)"
    assert repr(document.tree) == "PageTree(7 nodes, 2 texts)"
    table = tamis.find_records("<ul><li><b>A</b> <i>1</i><li><b>B</b> <i>2</i></ul>", like="li").table
    assert repr(table) == f"Table(2 rows of {', '.join(table.names)})"
    assert repr(tamis.learn([page, page + "<p>More."])).startswith("SiteModel(pages=2, layouts=")


def test_quotations_have_marks_in_text_and_markdown_and_elements_in_html():
    document = whole("<p>She said<q> <b>reeds</b> bend </q>and “<q>break</q>”.")
    assert document.text == 'She said "reeds bend" and “break”.'
    assert document.markdown == 'She said "**reeds** bend" and “break”.'
    assert document.html == "<p>She said <q><b>reeds</b> bend</q> and “<q>break</q>”.</p>"


def test_only_the_first_short_links_of_a_page_are_footnotes(monkeypatch):
    monkeypatch.setattr(footnotes, "MAX_LINKS", 2)
    said = "".join(f'<p>Reeds grow here<a id="r{n}" href="#n{n}">{n}</a>, where the water is calm.</p>' for n in (1, 2, 3))
    notes = "".join(f'<li id="n{n}">By hand. <a href="#r{n}">↩</a>' for n in (1, 2, 3))
    tree = parse(f"{said}<ol>{notes}</ol>")
    assert list(footnotes.footnotes(tree, tree.text_nodes).references.values()) == ["1", "2"]


def test_footnotes_are_numbered_in_text_and_refer_to_each_other():
    notes = "<ol><li id=fn1>^ <a href='#fnref1'>a</a> <a href='#fnref2'>b</a> Rushes."
    notes += "<li id=fn2>Sedges<a href='#fn1'>1</a>. <a href='#fnref3'>↩</a></ol>"
    document = whole(f"<p>Reeds<a href='#fn1'>[1]</a> bend<a href='#fn2'>[2]</a>.</p>{notes}")
    assert document.text == "Reeds[1] bend[2].\n[1] Rushes.\n[2] Sedges1."
    assert document.markdown == "Reeds[^1] bend[^2].\n\n[^1]: Rushes.\n[^2]: Sedges[^1]."


def test_a_sign_at_the_end_of_a_page_does_not_stand_before_the_link_that_begins_it():
    notes = "<ol><li id=fn1><a href='#fnref1'>a</a> Rushes<a href='#fn2'>2</a> bend.<li id=fn2>Sedges: <b>^</b></ol>"
    assert whole(notes).text.endswith("Sedges: ^")


def test_a_first_row_in_bold_names_the_columns():
    table = "<table><tr><td><b>Reed</b><td><b>Height</b><tr><td>Common<td>3 m</table>"
    assert whole(table).markdown == "| Reed | Height |\n| --- | --- |\n| Common | 3 m |"
    assert whole(table.replace("Common", "<b>Common</b>").replace("3 m", "<b>3 m</b>")).markdown.startswith("|  |  |\n")
