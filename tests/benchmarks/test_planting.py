from __future__ import annotations

import pytest

from benchmarks.gold import SiteGold
from benchmarks.planting import make_original, make_pot

pytest.importorskip("cssselect")

GOLD = {"main": ["div.text"], "drop": [".share"], "ignore": ["h1", ".by"]}
PAGE = (
    "<html><body><nav>Home</nav><article><h1>Title</h1><div class=text>Loose <b>start</b><p class=by>By A. Writer</p>"
    "<p>The first paragraph of it, long enough.</p><div><p>Deep text, which is also long enough</p><p class=share>Share</p> after</div>"
    "<img src=a.png></div></article><footer>The footer, which is long enough too</footer></body></html>"
)


def gold(**selectors: list[str]) -> SiteGold:
    return SiteGold.read({**GOLD, **selectors})


def test_other_text_takes_the_place_of_the_main_text_and_of_nothing_else():
    pot = make_pot(PAGE, gold())
    assert pot is not None
    split = gold().split(pot.plant(["One & two.", "Three <four>."]))
    assert split == {
        "main": "One & two.\nThree <four>.",
        "noise": "Home\nShare\nThe footer, which is long enough too",
        "ignore": "Title\nBy A. Writer",
    }


def test_images_and_emptied_elements_go_with_the_main_text():
    pot = make_pot(PAGE, gold())
    assert pot is not None
    assert "<img" not in pot.plant([])
    assert pot.before.endswith('<div class="text">')
    assert pot.after.startswith('<p class="by">By A. Writer</p><div><p class="share">Share</p></div></div>')


def test_where_paragraphs_are_the_content_elements_the_text_stands_in_their_place():
    html = "<body><div><h1>Title</h1> <p>One.</p> <p>Two.</p> <i>about us</i></div></body>"
    pot = make_pot(html, gold(main=["div > p"]))
    assert pot is not None
    assert "<h1>Title</h1>" in pot.before
    assert "<p>" not in pot.before + pot.after
    assert "<i>about us</i>" in pot.after


def test_line_numbers_of_code_go_with_the_code():
    html = "<body><i>7</i><div class=text><table><tr><td class=by>1<br>2<td>code</table><p class=share>Share <b>3</b></div></body>"
    pot = make_pot(html, gold())
    assert pot is not None
    assert "1" not in pot.after
    assert "<i>7</i>" in pot.before
    assert "<b>3</b>" in pot.after


def test_a_page_without_a_content_place_is_no_pot():
    assert make_pot("<body><p>Only noise", gold()) is None
    assert make_pot("", gold()) is None


def test_variants_differ_in_main_text_alone():
    original = make_original(PAGE, gold())
    one, other = (gold().split(original.variant(k)) for k in (1, 2))
    assert one["noise"] == other["noise"] == gold().split(PAGE)["noise"]
    assert "long enough. 1\n" in one["main"]
    assert "long enough 2\n" in other["main"]
    assert "Loose start\n" in one["main"], "short pieces stay"


def test_control_characters_are_no_obstacle():
    html = "<body><div class=text>A text with a \x05 control character in it</div></body>"
    assert "control character in it 7" in make_original(html, gold()).variant(7)
