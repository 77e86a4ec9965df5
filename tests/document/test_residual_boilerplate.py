from __future__ import annotations

import numpy as np
import pytest

from tamis import extract
from tamis.document.document import Document
from tamis.document.residual_boilerplate import without_remnants
from tamis.document.selection import KEPT_BY_RULE, Cause, Reason, Selection
from tamis.page.parsing import parse

REASONS = (Reason("dropped", Cause.LINKS), Reason("kept", Cause.CONTENT), KEPT_BY_RULE)


def kept(html: str, reason: int = 1) -> str:
    """What is left where a method keeps all text but ``x``."""
    tree = parse(html)
    keep = np.zeros(len(tree), dtype=np.bool_)
    keep[[node for node, text in zip(tree.text_nodes.tolist(), tree.texts, strict=True) if text.strip() != "x"]] = True
    selection = Selection("made up", keep, np.where(keep, reason, 0).astype(np.uint8), REASONS)
    return Document(tree, without_remnants(tree, selection)).text


TITLE = "<h1>Reeds</h1><p>They bend.</p>"
LINKS = "<ul><li><a href=/1>x</a><li><a href=/2>x</a></ul>"


@pytest.mark.parametrize(
    "html",
    [
        f"{TITLE}<h2>See also</h2>{LINKS}",
        f"{TITLE}<h2>See also</h2>{LINKS}<h2>More</h2><p>Rushes.",
        f"{TITLE}<h2>See also what we wrote</h2><p>x</p><h2>More</h2><p>Rushes.",
        f"{TITLE}<h2>See also what we wrote about rushes and sedges last year</h2><p>x</p>",
        f"{TITLE}<div><h4>Share this:</h4>{LINKS}</div><p>Rushes.",
        f"{TITLE}<div><div><h4>Share this:</h4></div>{LINKS}</div><p>Rushes.",
    ],
)
def test_a_heading_whose_links_are_dropped_goes(html: str):
    assert "See also" not in kept(html)
    assert "Share" not in kept(html)
    assert kept(html).startswith("Reeds\nThey bend.")


@pytest.mark.parametrize(
    "html",
    [
        f"{TITLE}<h2>See also</h2>{LINKS}<p>Rushes.",
        f"{TITLE}<h2>See also</h2>{LINKS}<h3>Rushes</h3><p>They bend too.",
        f"{TITLE}<h2>See also</h2>",
        f"<h2>See also</h2>{LINKS}{TITLE}",
        f"{TITLE}<h2>See also what we wrote about rushes and sedges last year</h2>{LINKS}<h2>Rushes</h2><p>They bend too.",
        f"{TITLE}<h2><a href=/s>See also</a></h2>{LINKS}",
        TITLE + f"<h2>See also</h2>{LINKS}" * 3,
    ],
)
def test_a_heading_that_says_something_stays(html: str):
    assert "See also" in kept(html)


@pytest.mark.parametrize("text", ["Advertisement", "- Anzeige -", "Loading image...", "Back to top ↑", "返回顶部", "复制代码"])
def test_labels_of_advertisements_and_ways_to_the_top_go_where_they_are_alone(text: str):
    assert kept(f"{TITLE}<div><a href='#'>{text}</a></div>") == "Reeds\nThey bend."
    assert text.strip("-") in kept(f"{TITLE}<p>The <b>{text}</b> of reeds.")


@pytest.mark.parametrize("text", ["\\n", "\\r\\n"])
def test_escaped_line_breaks_go_where_they_are_alone(text: str):
    assert kept(f"{TITLE}<div>{text}</div>") == "Reeds\nThey bend."
    assert text in kept(f"{TITLE}<p>Part lines by <b>{text}</b>.")


@pytest.mark.parametrize("name", ["sr-only", "price screen-reader-text", "visually-hidden", "a VisuallyHidden"])
def test_texts_for_screen_readers_alone_go(name: str):
    assert kept(f"{TITLE}<p><span class='{name}'>Price:</span> 3 €") == "Reeds\nThey bend.\n3 €"


def test_what_a_rule_kept_stays():
    assert "See also" in kept(f"{TITLE}<h2>See also</h2>{LINKS}", reason=2)


@pytest.mark.parametrize(
    "button", ["<button>Copy</button>", "<div role=Button>Copy</div>", "<p><button>Copy</button> <button>Edit</button>"]
)
def test_texts_of_buttons_go(button: str):
    assert kept(f"{TITLE}<pre>a = 1</pre>{button}") == "Reeds\nThey bend.\na = 1"


@pytest.mark.parametrize(
    "button",
    [
        "<button aria-expanded=false>Copy</button>",
        "<h2><button>Copy</button></h2>",
        "<button><h2>Copy</h2></button>",
        "<p>Use <button>Copy</button> for that.",
        "<table><tr><td>Reeds<td><button>Copy</button><tr><td>a<td>b</table>",
        "<button>Copy all that was ever written about reeds</button>",
        "<div><button>00:12</button><div>Copy it.</div></div>",
    ],
)
def test_buttons_that_are_titles_values_or_part_of_a_line_stay(button: str):
    assert "Copy" in kept(TITLE + button)


def test_nothing_and_little_are_no_trouble():
    assert kept("") == ""
    assert kept("x") == ""
    assert kept("<h2>One") == "One"


@pytest.mark.parametrize("heading", ["目录", "Table of contents", "Inhaltsverzeichnis"])
def test_the_heading_of_a_dropped_table_of_contents_goes_even_if_it_is_the_first(heading: str):
    text = "<p>" + "芦苇生长在水边，风一吹就弯。" * 12
    links = "".join(f"<li><a href=#s{k}>{k} 第{k}章的名字</a>" for k in range(6))
    page = "<main><h2>{0}</h2>{1}<h2 id=s0>分布</h2>{2}</main>"
    assert extract(page.format(heading, f"<ul class=toc>{links}</ul>", text)).text.startswith("分布")
    assert extract(page.format(heading, text, text)).text.startswith(heading)


@pytest.mark.parametrize(
    "edit",
    ["<span class=mw-editsection>[<a href='/w?action=edit'>edit</a>]</span>", "<a class=edit-icon href=/e>编辑</a><a href=/p>播报</a>"],
)
def test_a_heading_with_an_edit_link_beside_it_stays(edit: str):
    text = "<p>" + "Reeds grow where the water is calm and the wind is soft. " * 5
    parts = "".join(f"<div class=mw-heading><h2>{name}</h2>{edit}</div>{text}" for name in ("Habitat", "Uses", "Names"))
    lines = extract(f"<main><h1>Reeds</h1>{text}{parts}</main>").text.splitlines()
    assert lines[2::2] == ["Habitat", "Uses", "Names"]


@pytest.mark.parametrize(
    ("line", "shown"),
    [
        ("Press <span hidden>Command</span> and V", "Press and V"),
        ("<span style='display: none'>0</span> Terns nest", "Terns nest"),
        ("Terns <b class=d-none>(more)</b>", "Terns"),
        ("Press <i hidden>Command</i><i hidden>Ctrl</i> and V", "Press Command Ctrl and V"),
        ("Terns <span hidden>nest on the sea wall from April to August</span>", "Terns nest on the sea wall from April to August"),
        ("Terns <span aria-hidden=true>nest</span>", "Terns nest"),
        ("<span hidden>Terns</span>", "Terns"),
    ],
)
def test_short_hidden_parts_of_a_line_go_but_alternatives_and_long_ones_stay(line: str, shown: str):
    assert kept(f"<p>Of gulls.</p><p>{line}</p>").splitlines()[1] == shown


@pytest.mark.parametrize(
    "line",
    [
        "<p>Also read: <a href=/1>Reeds in winter</a></p>",
        "<p><b>Lesen Sie auch:</b> <a href=/1>Schilf im Winter</a> | <a href=/2>Am Ufer</a></p>",
        "<p><a href=/1>À lire aussi : Les roseaux</a></p>",
        "<p>【延伸閱讀】<a href=/1>冬天的蘆葦</a></p>",
        "<p>Baca juga : <a href=/1>Alang-alang</a></p>",
        "<p>Article continues below</p>",
        "<p>Tekst gaat verder onder de advertentie</p>",
        "<p>PUBLICIDADE</p>",
        "<p>▼関連記事</p><p><a href=/1>冬の葦</a></p><p><a href=/2>岸辺</a></p>",
        "<p>Přečtěte si také: <a href=/1>Rákos v zimě</a></p>",
    ],
)
def test_lines_that_link_to_other_reading_or_announce_an_advertisement_go(line: str):
    assert kept(f"<p>Of gulls.</p>{line}<p>Of terns.</p>") == "Of gulls.\nOf terns."


@pytest.mark.parametrize(
    "line",
    [
        "Also read: the letters of the keeper",
        "Also read <a href=/1>the letters</a> of the keeper",
        "Also read",
        "We asked them to follow us on the tow path.",
        "扫描仪读不出芦苇的年轮，要用放大镜。",
        "See also: <a href=/1>Reeds</a>",
        "<a href=/1>reed</a> <a href=/2>advertisement</a> <a href=/3>radio</a>",
        "Loading gravel.............................",
    ],
)
def test_lines_that_say_more_stay(line: str):
    assert len(kept(f"<p>Of gulls.</p><p>{line}</p><p>Of terns.</p>").splitlines()) == 3


BIRDS = "Of gulls and of the long way that they fly along the eastern sea wall before the storms of autumn set in."


@pytest.mark.parametrize(
    "box",
    [
        "<div><p>Each Sunday, a letter on birds.</p><input type=email><button>Yes</button></div>",
        "<section><h3>鸟类周报</h3><form><p>每周日寄出。</p><input type=Email></form></section>",
    ],
)
def test_a_box_with_a_field_for_a_mail_address_goes(box: str):
    assert kept(f"<main><p>{BIRDS}</p>{box}<p>{BIRDS} {BIRDS}</p></main>") == f"{BIRDS}\n{BIRDS} {BIRDS}"


@pytest.mark.parametrize(
    "page",
    [
        f"<div><h1>Write to us</h1><input type=email></div><p>{BIRDS} {BIRDS}</p>",
        f"<p>Of gulls.</p><div><p>{BIRDS}</p><input type=email></div>",
        f"<p>{BIRDS * 9}</p><div><p>{BIRDS * 4}</p><input type=email></div>",
        f"<p>{BIRDS * 9}</p><div><p>Each Sunday, a letter.</p><input type=search></div>",
    ],
)
def test_a_box_that_begins_the_text_or_is_much_of_it_stays(page: str):
    assert len(kept(page).splitlines()) == 2


def test_a_heading_with_a_permalink_is_no_link_to_other_reading():
    assert "相关阅读" in kept("<p>Of gulls.</p><h2>相关阅读<a href=#r>#</a></h2><p>Of terns.</p>")


def test_lines_of_many_links_are_read_in_linear_time():
    line = "<a href=/1>also read</a> x " * 20_000
    assert kept(f"<p>Of gulls.</p><p>{line}</p>").count("also read") == 20_000
