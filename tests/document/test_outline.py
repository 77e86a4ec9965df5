"""The compiled pass over what is shown."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import tamis
from tamis.document.render.escapes import escape
from tamis.document.render.outline import _FLAGS
from tamis.document.render.text import collapsed
from tamis.native.outline import outline, plain
from tamis.page.tree import PageTree

from .pages import everything, to_markdown

NONE = np.zeros(0, dtype=np.int64)


def columns_of(tree: PageTree, shown: np.ndarray | None = None, others: np.ndarray = NONE) -> list[np.ndarray]:
    shown = np.arange(len(tree.texts)) if shown is None else shown
    return [tree.tag, tree.parent, tree.end, tree.text_length, tree.text_nodes, shown, others, _FLAGS]


def rows_of(tree: PageTree, **given: np.ndarray) -> list[tuple[object, ...]]:
    found = outline(*columns_of(tree, **given), int(tree.text_nodes[0]), int(tree.text_nodes[-1]))
    return [(tree.name(row[0]), *row[2:]) for row in np.frombuffer(found, np.int32).reshape(-1, 7).tolist()]


def test_texts_of_one_line_with_the_same_marks_are_one_piece():
    tree = tamis.parse("<body><p>one <span>two</span> <small><small>three</small></small><br>four")
    pieces = [row for row in rows_of(tree) if row[0] == "#text"]
    assert [(first, after) for _, first, after, *_ in pieces] == [(0, 1), (1, 2), (2, 3), (3, 4)]
    tree = tamis.parse("<body><p>one <font>two</font> three<p>four")
    assert [(first, after) for name, first, after, *_ in rows_of(tree) if name == "#text"] == [(0, 3), (3, 4)]


def test_elements_without_anything_shown_are_left_out_and_borders_of_theirs_count():
    tree = tamis.parse("<body><div><p>one</p><p></p><p>two</p></div>")
    rows = rows_of(tree)
    assert [row[0] for row in rows] == ["body", "div", "p", "#text", "p", "#text"][-len(rows) :]
    borders = [row[-2] for row in rows if row[0] == "#text"]
    assert borders[1] - borders[0] == 4


@pytest.mark.parametrize(("within", "is_heading"), [("<ul><li>two</ul>", False), ("<ul></ul>", True), ("<b>two</b>", True)])
def test_a_heading_holds_no_lists(within, is_heading):
    tree = tamis.parse(f"<body><h2>one{within}</h2><p>three")
    assert ("## one" in to_markdown(tree, everything(tree))) == is_heading


def test_columns_that_do_not_fit_are_an_error():
    good = [*columns_of(tamis.parse("<p>one <b>two</b>")), 3, 4]
    outline(*good)
    for place, wrong in [(0, good[0][1:]), (4, good[4].tobytes()[1:]), (8, -1), (8, 5), (9, 2), (9, 99)]:
        with pytest.raises(ValueError, match="fit"):
            outline(*good[:place], wrong, *good[place + 1 :])


def test_indices_that_lead_out_of_their_columns_are_not_followed():
    good = [*columns_of(tamis.parse("<p>one <b>two</b><p>three")), 3, 4]
    for place in (0, 1, 2, 4, 5, 6):
        for wrong in (good[place] + 999, good[place] - 999, good[place] * 0):
            outline(*good[:place], np.ascontiguousarray(wrong), *good[place + 1 :])


@given(st.text(alphabet=st.sampled_from("ab 1\u00a0\u200b\u00ad\n\t\x7fé漢😀$" + "\\\\`*_<&[]~")))
def test_plain_texts_are_as_they_would_be_collapsed_and_escaped(text):
    found = plain(text)
    assert found is None or found == escape(collapsed(text)) == escape(collapsed(text), linked=True)
    if text.isalnum():
        assert found == text


@pytest.mark.parametrize(
    ("player", "address"),
    [
        ("<video controls><source src=/tide.webm><p>No video for you.</p></video>", "/tide.webm"),
        ("<div><video><source src=/tide.mp4><a href=/x>x</a></video></div>", "/tide.mp4"),
        ("<lite-youtube videoid=Ti3de></lite-youtube>", "https://www.youtube.com/watch?v=Ti3de"),
        ("<amp-vimeo data-videoid=77 layout=fill></amp-vimeo>", "https://vimeo.com/77"),
        ("<hls-player src=/tide.m3u8></hls-player>", "/tide.m3u8"),
        ("<object data=/tide.pdf></object>", "/tide.pdf"),
        ("<embed src=/tide.mp3>", "/tide.mp3"),
        ("<object data=/one.mp4><embed src=/one.mp4></object>", "/one.mp4"),
        ("<object><param name=movie value=//youtube.com/v/Ti3de><embed src=//youtube.com/v/Ti3de></object>", "//youtube.com/v/Ti3de"),
        ("<iframe class=video_frame data-src=https://films.example/preview?vid=Ti3de></iframe>", "https://films.example/preview?vid=Ti3de"),
        ("<amp-iframe src=https://maps.example/embed/7 sandbox=allow-scripts></amp-iframe>", "https://maps.example/embed/7"),
    ],
)
@pytest.mark.parametrize("form", ["markdown", "html"])
def test_what_plays_leaves_a_link(player: str, address: str, form: str):
    said = "The tide comes in twice a day, and the boats that lie in the mud are afloat again for some hours."
    shown = tamis.extract(f"<main><h1>Tides</h1><p>{said}</p>{player}<p>{said[::-1]}</p></main>").render(form)
    assert shown.count(address) == 1
    assert "No video" not in shown


def test_a_frame_or_element_that_plays_nothing_leaves_none():
    said = "The tide comes in twice a day, and the boats that lie in the mud are afloat again for some hours."
    others = "<object data=/map.swf></object><video-card>Tide</video-card><embed src=/x>"
    assert "](" not in tamis.extract(f"<main><h1>Tides</h1><p>{said}</p>{others}<p>{said[::-1]}</p></main>").markdown
