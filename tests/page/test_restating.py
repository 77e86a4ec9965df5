"""Markup of styles and names of its own reads as HTML's own elements do."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tamis import extract, parse
from tamis.page import restating
from tamis.page.restating import restated

PIECES = (
    "<div style='display:inline'>",
    "<div style='display: inline; color: red'>",
    '<p style="white-space:pre-line">',
    "<code style='white-space: pre'>",
    "<x-a>",
    "</x-a>",
    "<template shadowrootmode=open>",
    "<template>",
    "</template>",
    "<slot></slot>",
    "<amp-img src=a>",
    "</amp-img>",
    "<frameset>",
    "<noframes>",
    "</div>",
    "</p>",
    "</code>",
    "<br>",
    "one\n two",
    "<",
    ">",
)


@pytest.mark.parametrize(
    ("page", "lines"),
    [
        ("<p>Boil <div style='display: inline;'>two</div> eggs.</p>", ["Boil two eggs."]),
        ("<p>Boil.</p><div style='display: inline;'>Wait.</div><p>Eat.", ["Boil.", "Wait.", "Eat."]),
        ("<style>.two, i {display:inline}</style><div>Boil <div class='egg two'>two</div> eggs.</div>", ["Boil two eggs."]),
        ("<div>Boil <div style='display:inline-block'>two</div> eggs.</div>", ["Boil two eggs."]),
        ("<style>#a .b { color: red; white-space: pre-line }</style><div class=b>Boil.\nWait.</div>", ["Boil.", "Wait."]),
        ("<div class='p-2 whitespace-pre-wrap'>Boil.\nWait.</div>", ["Boil.", "Wait."]),
        ("<div>Boil <section style='display:inline'><i>two</i></section>.</div>", ["Boil two."]),
        ("<div style='display:inline'><p>Boil.<p>Wait.</div>", ["Boil.", "Wait."]),
        ("<div style='display:inline-block'>Boil.</div><div>Wait.</div>", ["Boil.", "Wait."]),
        ("<p style='white-space: pre-wrap'>\nBoil\n<b>two</b>\n\neggs.\n</p>", ["Boil", "two", "eggs."]),
        (
            "<x-a><template shadowrootmode=open><h2>Eggs</h2><slot></slot><p>Wait.</template><p>Boil.</x-a><p>Eat.",
            ["Eggs", "Boil.", "Wait.", "Eat."],
        ),
        ("<x-a><template shadowrootmode=closed><x-b><template shadowrootmode=open>Eggs</template></x-b></template></x-a>", ["Eggs"]),
        ("<p>Boil<span style='white-space:pre'>\n</span>eggs.", ["Boil eggs."]),
        ("<x-a><template>Eggs</template></x-a><p>Boil.", ["Boil."]),
        ("<title>Eggs</title><frameset cols=20%,80%><frame src=a><noframes><p>Boil.</p></noframes></frameset>", ["Eggs", "Boil."]),
    ],
)
def test_lines_are_those_that_a_reader_sees(page, lines):
    tree = parse(page)
    found: dict[int, str] = {}
    for line, text in zip(tree.line.tolist(), tree.texts, strict=True):
        found[line] = found.get(line, "") + text
    assert [" ".join(text.split()) for text in found.values()] == lines


def test_amp_images_are_images():
    tree = parse("<amp-img src=a.jpg alt=Eggs><noscript><img src=a.jpg></noscript></amp-img>")
    images = [node for node in range(len(tree)) if tree.name(node) == "img"]
    assert [dict(tree.attributes[node]) for node in images] == [{"src": "a.jpg", "alt": "Eggs", "data-src": "a.jpg"}]


def test_code_whose_style_shows_its_lines_is_a_block():
    assert "pre" in map(parse("<code style='white-space:pre'>a<br>b</code>").name, range(5))
    assert restated(b"<code style='white-space:pre'>a</code>") == b"<code style='white-space:pre'>a</code>"


@pytest.mark.parametrize(
    "table",
    [
        "<div class='syntaxhighlighter js'><table><tr><td class=gutter><div class=line>1</div><div class=line>2</div>"
        "<td class=code><div class=line><code>if (a)</code></div><div class=line>&nbsp;&nbsp;<code>b()</code></div></table></div>",
        "<table class=crayon-table><tr><td>1 2<td><div class=crayon-line>if (a)</div><div class=crayon-line>&nbsp; b()</div></table>",
        "<table class=js-file-line-container><tr><td><td class=blob-code>if (a)<tr><td><td class=blob-code>  b()</table>",
        "<table><tr><td>7<td><pre>if (a)</pre><tr><td>8<td><pre>  b()\n</pre></table>",
        "<table><tr><td data-line-number=1><td class=code>if (a)<tr><td data-line-number=2><td class=code>  b()</table>",
        "<table><tr><td>1<br>2<td class=src-code><div><p>if (a)</p><p>&nbsp; b()</p></div></table>",
    ],
)
def test_tables_of_code_lines_are_code(table):
    tree = parse(f"<p>Code:{table}")
    pre = next(node for node in range(len(tree)) if tree.name(node) == "pre")
    assert tree.texts[slice(*tree.texts_below(pre))] == ["if (a)\n  b()"]


@pytest.mark.parametrize(
    "table",
    [
        "<table><tr><td>1<td>Boil<tr><td>2<td>Wait</table>",
        "<table><tr><td>1<td><code>ls</code> lists files<tr><td>2<td><code>cd</code></table>",
    ],
)
def test_numbered_rows_of_words_are_no_code(table):
    assert "pre" not in map(parse(table).name, range(len(parse(table))))


@pytest.mark.parametrize(("whole", "cell"), [("table", "cell"), ("grid", "gridcell"), ("treegrid", "gridcell")])
def test_roles_of_a_table_are_its_tags(whole, cell):
    row = f"<div role=row><span role={cell}>Boil</span> <span role={cell}>8 min</span></div>"
    page = f"<div role={whole}><div role=rowgroup>{row}{row}</div></div>{row}"
    tree = parse(page)
    assert tree.xpath(4) == "/html[1]/body[1]/div[1]/div[1]"  # as the page writes it
    assert [tree.name(node) for node in range(3, len(tree)) if tree.name(node) in ("table", "tr", "td")] == [
        "table",
        *["tr", "td", "td"] * 2,
    ]


@pytest.mark.parametrize(
    ("heading", "tag"),
    [
        ("<div role=heading aria-level=3>Reeds</div>", "h3"),
        ("<p role=heading>Reeds</p>", "h2"),
        ("<div role=heading aria-level=1>Reeds</div>", "h2"),
        ("<div role=heading><p>Reeds</div>", "div"),
        ("<div role=note>Reeds</div>", "div"),
        ("<span role=heading>Reeds</span>", "span"),
    ],
)
def test_the_role_of_a_heading_is_its_tag(heading, tag):
    tree = parse(f"<body>{heading}<p>Terns nest.")
    assert tree.name(3) == tag
    assert tree.xpath(3) == f"/html[1]/body[1]/{heading[1 : heading.index(' ')]}[1]"  # as the page writes it


@given(pieces=st.lists(st.sampled_from(PIECES), max_size=12))
def test_no_word_is_lost_outside_of_templates_and_frames(pieces):
    page = "".join(pieces)
    if "frame" not in page:
        assert restated(page.encode()).count(b"two") == page.count("two")


def test_the_text_that_only_json_ld_states_is_that_of_the_page():
    def read(*blocks: str, shown: str = "Reeds grow."):
        scripts = "".join(f'<script type="application/ld+json">{block}</script>' for block in blocks)
        return parse(f"<html><head>{scripts}</head><body><main><p>{shown}</p></main>")

    stated = (
        '{"@type": "Report", "articleBody": "Reeds \\u0026 rushes grow beside the mill.\\nThey are \\"cut\\" in March, and <i>bound</i>."}'
    )
    tree = read(stated)
    assert tree.texts == ["Reeds grow.", "Reeds & rushes grow beside the mill.", 'They are "cut" in March, and <i>bound</i>.']
    assert tree.notes == ("the text is that of the JSON-LD (articleBody): the page shows less",)
    assert read(stated.replace("<i>bound</i>", "<p>bound</p>")).texts[-2] == "bound"
    assert read(stated.replace("<i>bound</i>", "&lt;p&gt;b&amp;amp;d&lt;/p&gt;")).texts[-2] == "b&d"
    assert read(stated, stated).texts == read(stated.replace("\\u", "\\x")).texts == ["Reeds grow."]
    assert len(read(stated, shown="Reeds grow beside the mill, and are cut in March.").texts) == 1


@pytest.mark.parametrize(
    ("code", "text"),
    [
        ("<p><code>$ make<br>$ make install</code></p>", "$ make\n$ make install"),
        ("<div><code><div>def tide():</div><div>&nbsp;&nbsp;return 3</div></code></div>", "def tide():\n  return 3"),
        ("<div class=codebox><div class=line>a = 1</div><div class=line>  b = 2</div></div>", "a = 1\n  b = 2"),
        ("<div class=view-lines><div class=view-line><i>a</i> = 1</div><div class=view-line>b = 2</div></div>", "a = 1\nb = 2"),
        (
            "<div class=CodeMirror-code><div><b>1</b><pre class=CodeMirror-line>a</pre></div>"
            "<div><b>2</b><pre class=CodeMirror-line>b</pre></div></div>",
            "a\nb",
        ),
        ("<div style='white-space: pre; font-family: monospace'>a = 1\n  b = 2</div>", "a = 1\n  b = 2"),
    ],
)
def test_lines_of_code_without_pre_are_code(code: str, text: str):
    tree = parse(f"<p>Run it:</p>{code}<p>That is all.</p>")
    (pre,) = [node for node in range(len(tree)) if tree.name(node) == "pre" and tree.name(int(tree.parent[node])) != "pre"][-1:]
    assert "".join(tree.texts[slice(*tree.texts_below(pre))]).strip("\n") == text


@pytest.mark.parametrize(
    "page",
    [
        "<div class=verse><div class=line>The tide is low</div><div class=line>and the boats lie still</div></div>",
        "<p>Press <code>a<br></code> and go on.</p>",
        "<code><p>See <a href=/a>this</a></p><p>and that</p></code>",
        "<div class=code><div class=line>a</div><p>not code</p><div class=line>b</div></div>",
    ],
)
def test_verses_and_code_within_text_stay_as_they_are(page: str):
    assert "pre" not in [parse(page).name(node) for node in range(len(parse(page)))]


@pytest.mark.parametrize(
    "note",
    [
        "<label for=n1 class='margin-toggle sidenote-number'></label><input type=checkbox id=n1><span class=sidenote>By hand.</span>",
        "<label for=n1>⊕</label><span class=marginnote>By hand.</span>",
        "<sup>1</sup> <span class=outer><span class=margin-note>By hand.</span></span>",
        "<span class=side-note>By hand.</span>",
    ],
)
def test_a_note_beside_its_line_is_a_footnote(note: str):
    page = f"<main><h1>Reeds</h1><p>Reeds are cut in March{note}, when the ice is thick enough to carry the men and their sledges.</p>"
    shown = extract(page + "<p>They are bound and dried until the autumn, and sold to those who thatch their roofs with them.</p></main>")
    assert "March[^1], when" in shown.markdown.replace(" ,", ",")
    assert "[^1]: By hand." in shown.markdown


def test_notes_within_a_note_go_with_it():
    page = "<p>Reeds are cut<span class=sidenote>By hand<span class=sidenote>, or by boat</span>.</span> in March.</p>" * 2
    shown = extract(f"<main><h1>Reeds</h1>{page}<p>They are bound, dried until the autumn, and sold to those who thatch roofs.</p></main>")
    assert [line for line in shown.markdown.splitlines() if line.startswith("[^")] == [f"[^{n}]: By hand, or by boat." for n in (1, 2)]


def test_a_box_of_code_is_named_some_elements_above_its_lines():
    lines = "<div class=line>reeds = 1</div><div class=line>rushes = 2</div>"
    page = f"<div class=highlight><div><div><div>{lines}</div></div></div></div>"
    assert [text for text in parse(page).texts if text.strip()] == ["reeds = 1\nrushes = 2"]


def test_a_note_that_is_a_block_of_its_own_stays():
    assert parse("<div class=sidenote>By hand.</div><p>Reeds are cut.</p>").texts == ["By hand.", "Reeds are cut."]


def test_boxes_of_code_within_each_other_are_not_all_read(monkeypatch):
    read = []
    monkeypatch.setattr(restating, "_is_code_box", lambda box, lines: read.append(box) is not None)
    nested = "<code>" * 100 + "a<br>" * 1000 + "</code>" * 100
    parse(nested)
    assert 0 < len(read) < 10
