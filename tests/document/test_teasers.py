"""Teasers are left out: all after the main text; elsewhere those that are mostly left out already."""

from __future__ import annotations

import numpy as np
import pytest

from tamis import parse
from tamis.document.selection import Cause, Reason, Selection
from tamis.document.teasers import BOX, TEASER, without_teasers
from tamis.page import tags

TEXT = "<p>Gulls rest on the eastern sea wall until the tide turns." * 20
TEASERS = "".join(f"<li><a href=/{name}>{name}</a> came to the harbour in the spring." for name in ("Auks", "Terns", "Knots"))


def left_out(page: str, probability: float = 0.5, sure: float = 0.95, url: str | None = None) -> list[str]:
    """The texts that go where all texts of lists have a probability and all others are sure; those in ``small`` are left out before."""
    tree = parse(page)
    inside, small = (tree.subtree_mask(tree.tagged(tags.lookup(tags.codes(name)))) for name in ("ul", "small"))
    keep = np.isin(np.arange(len(tree)), tree.text_nodes) & ~small
    scores = {"probability": np.where(inside, probability, sure)}
    reasons = Reason("short", Cause.MODEL), Reason("long", Cause.CONTENT)
    chosen = without_teasers(tree, Selection("made up", keep, keep.astype(np.uint8), reasons, scores=scores), url)
    gone = [k for k, node in enumerate(tree.text_nodes.tolist()) if keep[node] and not chosen.keep[node]]
    assert all(chosen.why(int(tree.text_nodes[k])) in (TEASER, BOX) for k in gone)
    return [tree.texts[k].strip() for k in gone]


def test_items_with_links_after_the_main_text_are_left_out():
    assert left_out(f"<main>{TEXT}</main><div><ul>{TEASERS}</ul></div>")[::2] == ["Auks", "Terns", "Knots"]


def test_items_before_or_within_the_main_text_are_left_out_if_most_of_their_text_is():
    mostly = TEASERS.replace("came to the harbour in the spring.", "<small>came to the harbour in the spring.</small>")
    partly = TEASERS.replace("came", "<small>came</small>")
    for page in ("<ul>{}</ul><main>" + TEXT + "</main>", "<main>" + TEXT + "<ul>{}</ul>" + TEXT + "</main>"):
        assert left_out(page.format(mostly)) == ["Auks", "Terns", "Knots"]
        assert not left_out(page.format(mostly), probability=0.8)
        assert not left_out(page.format(partly))


def test_a_short_text_is_no_less_sure():
    assert left_out(f"<main>{'<p>Gulls rest on the wall.' * 4}</main><ul>{TEASERS}</ul>")[::2] == ["Auks", "Terns", "Knots"]


@pytest.mark.parametrize(
    ("page", "probability", "sure"),
    [
        (f"<main>{TEXT}</main><ul>{TEASERS}</ul>", 0.8, 0.95),  # they may be main text
        (f"<main>{TEXT}</main><ul>{TEASERS}</ul>", 0.5, 0.7),  # no text is sure
        (f"<main>{TEXT}<ul>{TEASERS}</ul></main>", 0.5, 0.95),  # within it
        (f"<ul>{TEASERS}</ul><main>{TEXT}</main>", 0.5, 0.95),  # before it
        (f"<main>{TEXT}</main><ul>{TEASERS.split('<li>', 2)[1]}</ul>", 0.5, 0.95),  # one
        (f"<main>{TEXT}</main><ul>{TEASERS.replace('href', 'id')}</ul>", 0.5, 0.95),  # no links
        (f"<main>{TEXT}</main><ul>They all swim far out, and come back in the evening.{TEASERS}</ul>", 0.5, 0.95),  # beside other text
        (f"<main>{TEXT}</main><ul>{TEASERS * 30}</ul>", 0.5, 0.95),  # more than the main text
        ("<main><p>Gulls.</main>", 0.5, 0.95),
        ("", 0.5, 0.95),
    ],
)
def test_other_items_stay(page, probability, sure):
    assert not left_out(page, probability, sure)


LINK = "<a href=/knots>Knots come to the harbour</a>"


@pytest.mark.parametrize("box", [f"<aside><ul><li>{LINK}</ul></aside>", f"<div>See also:<ul><li>{LINK}</ul></div>"])
def test_boxes_of_links_between_paragraphs_and_after_them_are_left_out(box):
    for page in (f"<main>{TEXT}{box}{TEXT}</main>", f"<main>{TEXT}{box}</main>", f"<main>{TEXT}</main>{box}"):
        assert left_out(page)[-1] == "Knots come to the harbour"
        assert not left_out(page, probability=0.75)


@pytest.mark.parametrize(
    "page",
    [
        f"<main>{TEXT}<ul><li>{LINK}</ul>{TEXT}</main>",  # a list that the author wrote
        f"<main>{TEXT}<section><h2>See also</h2><ul><li>{LINK}</ul></section></main>",  # a section of the text
        f"<main><div><ul><li>{LINK}</ul></div>{TEXT}</main>",  # before the text
        f"<main>{TEXT}<div><ul><li>{LINK} from the north as soon as the ice breaks</ul></div>{TEXT}</main>",  # more text than links
        f"<main><p>Gulls rest.</p><div><ul><li>{LINK}</ul></div><p>Terns do not.</main>",  # more than the text
        f"<main>{TEXT}<div><p>Many birds came to the harbour, and stayed:<ul>{f'<li>{LINK}' * 9}</ul></div>{TEXT}</main>",  # sure text
    ],
)
def test_other_links_stay(page):
    assert not left_out(page)


def test_posts_of_a_forum_stay():
    page = f"<main>{TEXT}</main><ul>{TEASERS}</ul>"
    assert left_out(page, url="https://example.org/story.html")
    assert not left_out(page, url="https://example.org/forum/showthread.php?t=12")


def test_methods_without_probabilities_change_nothing():
    tree = parse(f"<main>{TEXT}</main><ul>{TEASERS}</ul>")
    selection = Selection(
        "made up", np.ones(len(tree), dtype=np.bool_), np.zeros(len(tree), dtype=np.uint8), (Reason("all", Cause.CONTENT),)
    )
    assert without_teasers(tree, selection) is selection
