from __future__ import annotations

from benchmarks.paragraph_frequency import learn, select
from tamis.document.render.text import to_text
from tamis.page.parsing import parse
from tamis.page.tree import PageTree


def page(*paragraphs: str) -> PageTree:
    return parse("<body>" + "".join(f"<p>{text}</p>" for text in paragraphs))


def text(tree: PageTree, share: float = 0.1) -> str:
    pages = [page("All rights reserved", "Read more", f"Text {k}") for k in range(10)] + [page("Read more", "Text 0")]
    return to_text(tree, select(tree, learn(pages), share).keep)


def test_blocks_on_many_pages_are_dropped_wherever_they_stand():
    assert text(page("Text of its own", "ALL RIGHTS  RESERVED", "Text 5")) == "Text of its own\nText 5"


def test_the_share_says_what_many_is():
    tree = page("All rights reserved", "Read more", "Text 0")
    assert text(tree, share=0.1) == ""
    assert text(tree, share=0.3) == "Text 0"
    assert text(tree, share=0.95) == "All rights reserved\nText 0"


def test_a_page_counts_once_for_a_text_however_often_it_has_it():
    model = learn([page("twice", "twice"), page("other")])
    assert not len(model.frequent())


def test_part_of_a_block_is_no_block():
    tree = page("All rights reserved by us")
    assert text(tree) == "All rights reserved by us"


def test_text_that_nobody_sees_is_left_out():
    tree = parse("<p>Seen</p><select><option>Choose</select>")
    selection = select(tree, learn([]))
    assert to_text(tree, selection.keep) == "Seen"
    assert selection.why(len(tree) - 1) == "title or script: not page text"


def test_every_node_has_a_reason():
    tree = page("Read more", "Own text")
    selection = select(tree, learn([tree, page("Read more")]))
    reasons = [selection.why(int(node)) for node in tree.text_nodes]
    assert reasons == ["on many of the site's pages", "on few of the site's pages"]
