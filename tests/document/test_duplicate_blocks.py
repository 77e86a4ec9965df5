"""Text that a page has twice."""

import numpy as np
import pytest

from tamis import extract, parse
from tamis.document.duplicate_blocks import without_copies
from tamis.document.selection import Cause, Reason, Selection

REEDS = "Reeds grow at the edge of still water, and they bend in every wind that blows over the lake in autumn and in spring."
RUSHES = "Rushes are round, grasses are hollow, and only sedges have edges, as every child on the lake can tell a visitor."
SHORT = "The ferry leaves at nine in the morning."
SECOND = "It comes back in the late afternoon."
ITEMS = f"<ul><li>{SHORT}<li>{SECOND}</ul>"


def text(body):
    return extract(f"<main><h1>The lake</h1><p>{RUSHES}</p>{body}</main>").text


def test_a_part_for_narrow_screens_is_left_out():
    part = f"<h2>By the water</h2><p>{REEDS}</p><p>{SHORT}</p>"
    found = text(f"<div class=wide>{part}</div><div class=narrow>{part}</div>")
    assert found.count(REEDS) == found.count(SHORT) == found.count("By the water") == 1


def test_a_lead_that_the_text_begins_with_comes_once():
    assert text(f"<p class=lead>{REEDS}</p><p>{REEDS}</p><p>{SHORT}</p>").count(REEDS) == 1
    assert text(f"<p>{REEDS}</p><p>{REEDS}</p><p>{SHORT}</p>").count(REEDS) == 2
    assert text(f"<p class=lead>{REEDS}</p><p>{SHORT}</p><p>{REEDS}</p>").count(REEDS) == 2


def test_short_texts_are_copies_where_several_of_them_repeat():
    assert text(f"<p>{REEDS}</p><div><p>{SHORT}</p><p>{SECOND}</p></div><div><p>{SHORT}</p><p>{SECOND}</p></div>").count(SHORT) == 1
    assert text(f"<p>{REEDS}</p><div><p>{SHORT}</p></div><div><p>{SECOND}</p></div><div><p>{SHORT}</p></div>").count(SHORT) == 2


@pytest.mark.parametrize(
    "body",
    [
        f"<p>{REEDS}</p><p>{SHORT}</p><p>{REEDS}</p>",
        f"<p>{REEDS}</p><pre>{SHORT}\n{REEDS}</pre><section><pre>{SHORT}\n{REEDS}</pre></section>",
        f"<div><p>{REEDS}</p></div><blockquote><p>{REEDS}</p></blockquote>",
        f"<h2>Bed</h2>{ITEMS}<p>{REEDS}</p><h2>Board</h2><div><p>The same as for bed.</p>{ITEMS}</div><p>That is all there is to know.</p>",
    ],
    ids=["refrain", "code", "quote", "items of two lists"],
)
def test_what_repeats_on_purpose_stays(body):
    found = text(body)
    assert found.count(REEDS) == 2 or found.count(SHORT) == 2


def test_the_first_text_alone_is_no_neighbour():
    tree = parse(f"<div><p>{SHORT}</div><h2>Reeds</h2><div><p>{RUSHES}</div><div><p>{SHORT}</div>")
    kept = Selection("made up", tree.depth >= 0, np.zeros(len(tree), dtype=np.uint8), (Reason("kept", Cause.CONTENT),))
    assert without_copies(tree, kept).keep[tree.text_nodes].all()


def test_what_a_reference_says_of_each_of_its_subjects_stays():
    assert text(f"<section><h2>Reeds</h2><p>{REEDS}</p></section><section><h2>Rushes</h2><p>{REEDS}</p></section>").count(REEDS) == 2


@pytest.mark.parametrize(("names", "shown"), [("AB", 2), ("AA", 1), ("ABAB", 2)])
def test_what_cards_have_in_common_stays_but_no_card_comes_twice(names, shown):
    cards = "".join(f"<div class=card><h3>By the {name}</h3><p>{SHORT}</p><p>{SECOND}</p></div>" for name in names)
    tree = parse(f"<p>{REEDS}</p><div>{cards}</div>")
    kept = Selection("made up", tree.depth >= 0, np.zeros(len(tree), dtype=np.uint8), (Reason("kept", Cause.CONTENT),))
    assert tree.text(0).count(SHORT) == len(names)
    chosen = without_copies(tree, kept).keep[tree.text_nodes]
    assert [tree.texts[k] for k in chosen.nonzero()[0]].count(SHORT) == shown


def test_posts_that_quote_each_other_stay_whole():
    shown = (f"<div class=post><b>{who}</b> <time>2024-03-04</time><div class=said><p>{REEDS}</p></div></div>" for who in ("Ann", "Bo"))
    posts = "".join(shown)
    assert extract(f"<main><h1>The lake</h1>{posts}</main>", url="https://forum.example.org/t/lake/12").text.count(REEDS) == 2


def test_a_copy_says_why_it_is_left_out():
    document = extract(f"<main><p>{RUSHES}</p><div><p>{REEDS}</p></div><div><p>{REEDS}</p></div></main>")
    assert [block.reason for block in document.blocks if block.text == REEDS and not block.kept] == [
        "left out: repeats earlier text on the page"
    ]
