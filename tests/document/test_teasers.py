"""Teasers after the main text are left out."""

from __future__ import annotations

import numpy as np
import pytest

from tamis import parse
from tamis.document.selection import Cause, Reason, Selection
from tamis.document.teasers import TEASER, without_teasers

TEXT = "<p>Gulls rest on the eastern sea wall until the tide turns." * 20
TEASERS = "".join(f"<li><a href=/{name}>{name}</a> came to the harbour in the spring." for name in ("Auks", "Terns", "Knots"))


def left_out(page: str, probability: float = 0.5, sure: float = 0.95, url: str | None = None) -> list[str]:
    """The texts that go where all texts of lists have a probability and all others are sure."""
    tree = parse(page)
    inside = tree.covered(np.array([node for node in range(len(tree)) if tree.name(node) == "ul"], dtype=np.intp))
    keep = np.isin(np.arange(len(tree)), tree.text_nodes)
    scores = {"probability": np.where(inside, probability, sure)}
    reasons = Reason("short", Cause.MODEL), Reason("long", Cause.CONTENT)
    chosen = without_teasers(tree, Selection("made up", keep, keep.astype(np.uint8), reasons, scores=scores), url)
    gone = [k for k, node in enumerate(tree.text_nodes.tolist()) if not chosen.keep[node]]
    assert all(chosen.why(int(tree.text_nodes[k])) is TEASER for k in gone)
    return [tree.texts[k].strip() for k in gone]


def test_items_with_links_after_the_main_text_are_left_out():
    assert left_out(f"<main>{TEXT}</main><div><ul>{TEASERS}</ul></div>")[::2] == ["Auks", "Terns", "Knots"]


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
