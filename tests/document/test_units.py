"""Units stay whole: no kept data row loses a cell, and what is mostly kept of a list, code block or figure is kept entirely."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from numpy.typing import NDArray

from tamis import extract, parse
from tamis.document.adjacent_content import HEADED, keep_enclosed_blocks, with_headings, with_images
from tamis.document.selection import DROPPED_BY_RULE, Cause, Reason, Selection
from tamis.document.units import ALIKE, FACTS, LEAST_FACTS, LIST_LINKS, LOST, WHOLE, keep_tables_and_lists_whole, subtree_stats
from tamis.page import tags
from tamis.page.tree import PageTree

DECIDED = (Reason("dropped", Cause.MODEL), Reason("kept", Cause.MODEL))
WORDS = st.text("abcdefgh ", min_size=1, max_size=12).filter(str.strip)
ROWS = st.lists(st.lists(WORDS, min_size=2, max_size=4), min_size=2, max_size=6)


def selection(tree, kept):
    keep = np.zeros(len(tree), dtype=np.bool_)
    keep[[node for node, text in zip(tree.text_nodes.tolist(), tree.texts, strict=True) if kept(text.strip())]] = True
    return Selection("test", keep, keep.astype(np.uint8), DECIDED)


def kept_texts(tree, chosen):
    return [text.strip() for text, node in zip(tree.texts, tree.text_nodes, strict=True) if chosen.keep[node]]


def plain_facts(tree, chosen):
    """The lists of labels and values that a kept text is near, node by node (``states_facts`` of ``native/columns.c``)."""

    def length(node, wanted):
        return sum(tree.text_length[k] for k in range(node, tree.end[node]) if wanted[k])

    found, everything = [], np.ones(len(tree), dtype=np.bool_)
    for node in (k for k in range(len(tree)) if tree.name(k) in ("ul", "ol")):
        total, kept = length(node, everything), length(node, chosen.keep)
        near = next((above for above in list(tree.ancestors(node))[:4] if length(above, chosen.keep) > kept), None)
        stated = [text for text in tree.texts[slice(*tree.texts_below(node))] if ":" in text or "\uff1a" in text]
        if kept == total or total > 2000 or tree.in_chrome[node] or length(node, tree.in_link) > LIST_LINKS * total or near is None:
            continue
        if tree.name(near) != "body" and 2 * (length(near, chosen.keep) - kept) >= total and len(stated) >= LEAST_FACTS:
            found.append(node)
    return found


FACT = st.sampled_from(("Pages: 212", "Size\uff1a20 cm", "No label", "<a href=/r>Reeds: more</a>", "kept: this", "x" * 700 + ":"))
LISTS = st.lists(FACT, max_size=6).map(lambda items: "<ul>" + "".join(f"<li>{item}" for item in items) + "</ul>")
BOXES = st.recursive(
    LISTS | st.sampled_from(("<p>kept text of some words</p>", "<p>Dropped text</p>", "<p>kept</p>")),
    lambda inside: st.tuples(st.sampled_from(("div", "section", "aside", "ul")), st.lists(inside, max_size=4)).map(
        lambda box: f"<{box[0]}>{''.join(box[1])}</{box[0]}>"
    ),
    max_leaves=12,
)


@example("<div><p>kept text of some words<ul><li>Pages: 212<li>Size\uff1a20 cm<li>Form: bound</ul></div>")
@given(BOXES)
def test_lists_of_facts_near_kept_text_are_those_found_node_by_node(page):
    tree = parse(page)
    chosen = selection(tree, lambda text: text.startswith("kept"))
    assert (subtree_stats(tree, chosen)[0] & FACTS).nonzero()[0].tolist() == plain_facts(tree, chosen)


@given(rows=ROWS, mask=st.lists(st.booleans(), min_size=24, max_size=24))
def test_no_kept_data_row_loses_a_cell(rows, mask):
    tree = parse("<table>" + "".join("<tr>" + "".join(f"<td>{cell}" for cell in row) for row in rows) + "</table>")
    keep = np.zeros(len(tree), dtype=np.bool_)
    keep[tree.text_nodes] = mask[: len(tree.text_nodes)]
    done = keep_tables_and_lists_whole(tree, Selection("test", keep, keep.astype(np.uint8), DECIDED))
    for row in np.flatnonzero(tree.tag == tags.CODE["tr"]):
        inside = (tree.text_nodes > row) & (tree.text_nodes < tree.end[row])
        assert len(set(done.keep[tree.text_nodes[inside]].tolist())) == 1


@given(
    items=st.lists(WORDS, min_size=2, max_size=8), mask=st.lists(st.booleans(), min_size=8, max_size=8), tag=st.sampled_from(["ul", "ol"])
)
def test_a_mostly_kept_list_is_whole_and_another_is_untouched(items, mask, tag):
    tree = parse(f"<{tag}>" + "".join(f"<li>{item}" for item in items) + f"</{tag}>")
    keep = np.zeros(len(tree), dtype=np.bool_)
    keep[tree.text_nodes] = mask[: len(tree.text_nodes)]
    done = keep_tables_and_lists_whole(tree, Selection("test", keep, keep.astype(np.uint8), DECIDED))
    share = tree.text_length[keep].sum() / tree.text_length.sum()
    enough = share >= (0.25 if len(items) >= 3 else 0.5)
    assert done.keep[tree.text_nodes].all() if enough else np.array_equal(done.keep, keep)


ROW = "<div class=row><div>{}</div><div>{}</div></div>"


@pytest.mark.parametrize(
    ("page", "probability", "whole"),
    [
        (ROW.format("Made in", "Harrow") + ROW.format("Article no.", "4711 x"), 0.2, True),
        (ROW.format("Made in", "Harrow") + ROW.format("Article no.", "4711 x"), 0.1, False),
        (ROW.format("Made in", "Harrow") + ROW.format("Article no.", "<a href=/x>4711 x</a>"), 0.2, False),
        ("<p class=s>A step of the way.<p class=s>Another one.<p class=s>x", 0.2, True),
        ("<p class=s>A step of the way.<p class=t>Another one.<p class=s>x", 0.2, False),
        ("<p class=s>A step of the way.<p class=s>x", 0.2, False),
    ],
)
def test_a_short_part_stays_with_its_like(page: str, probability: float, whole: bool):
    tree = parse(f"<div>{page}</div>")
    scores = {"probability": np.full(len(tree), probability)}
    done = keep_tables_and_lists_whole(tree, replace(selection(tree, lambda text: not text.endswith("x")), scores=scores))
    assert done.keep[tree.text_nodes].all() == whole


def plain_alike(tree: PageTree, keep: NDArray[np.bool_]) -> list[int]:
    """Nodes with the bit ``ALIKE`` of :func:`subtree_stats`, not compiled."""
    readable = tree.text_length * ~tree.non_text
    total, kept = tree.subtree_sum(readable), tree.subtree_sum(readable * keep)
    linked, classes = tree.subtree_sum(readable * tree.in_link), tree.values("class").codes
    kinds: dict[tuple[int, int, int], list[int]] = {}
    for node in range(len(tree)):
        if tree.name(node) in ("div", "section", "p", "span") and classes[node] >= 0 and not tree.in_chrome[node] and total[node]:
            kinds.setdefault((int(tree.parent[node]), int(tree.tag[node]), int(classes[node])), []).append(node)
    found = []
    for rows in kinds.values():
        if kept[rows].sum() >= 0.75 * total[rows].sum() and (kept[rows] == 0).sum() <= len(rows) / 3:
            fits = [len(rows) > 1 and total[row] <= 60 if kept[row] else len(rows) > 2 for row in rows]
            found += [row for row, fit in zip(rows, fits, strict=True) if fit and kept[row] < total[row] and not linked[row]]
    return sorted(row for row in found if tree.lines_below(np.array([row]))[0] <= 2)


ROW_OF_PARTS = st.lists(
    st.sampled_from(
        ["Made in Harrow ", "It was said that the weight of it is two pounds", " x", "<p>x</p>", "<b>x</b>", "<a href=/>x</a>"]
    ),
    min_size=1,
    max_size=3,
).map("".join)
KINDS = st.sampled_from(["<div class=r>{}</div>", "<p class=r>{}", "<section class=s>{}</section>", "<nav>{}</nav>", "<span>{}</span>"])


@given(parts=st.lists(st.tuples(st.one_of(st.just("<div class=r>{}</div>"), KINDS), ROW_OF_PARTS), max_size=9), seed=st.integers(0, 99))
def test_short_parts_among_their_like_are_found_as_in_plain_python(parts: list[tuple[str, str]], seed: int):
    page = "".join(kind.format(row) for kind, row in parts)
    tree = parse(f"<div>{page}<div class=r>Long and kept, and longer than all the others.</div></div><div>{page}</div>")
    dice = np.random.default_rng(seed)
    keep = np.isin(np.arange(len(tree)), tree.text_nodes) & ((tree.text_length > 12) | (dice.random(len(tree)) < 0.5))
    bits, _, found = subtree_stats(tree, Selection("test", keep, keep.astype(np.uint8), DECIDED))
    assert np.flatnonzero(bits & ALIKE).tolist() == (rows := plain_alike(tree, keep))
    assert bool(found & ALIKE) == bool(rows)


def test_one_kept_link_does_not_bring_its_menu():
    tree = parse(f"<ul><li><a href=/a>A kept section</a>{'<li><a href=/b>News of today</a>' * 5}</ul>")
    chosen = selection(tree, lambda text: text.startswith("A kept"))
    assert keep_tables_and_lists_whole(tree, chosen) is chosen


def test_a_list_of_links_is_kept_as_one():
    tree = parse("<p>We read:<ul><li><a href=/a>Reeds</a><ul><li><a href=/b>Rushes</a></ul><li><a href=/c>Sedges</a></ul>")
    chosen = keep_tables_and_lists_whole(tree, selection(tree, lambda text: text in ("Reeds", "We read:")))
    assert kept_texts(tree, chosen) == ["We read:", "Reeds", "Rushes", "Sedges"]


def test_a_list_of_cards_is_left_as_selected():
    card = "<li><h3>A reed</h3><p>It grows in water.<p>Read more"
    chosen = selection(parse(f"<ul>{card * 3}</ul>"), lambda text: text != "Read more")
    assert keep_tables_and_lists_whole(parse(f"<ul>{card * 3}</ul>"), chosen) is chosen


def test_a_list_of_posts_is_left_as_selected():
    post = "<li><h3>Ann</h3><p>A first paragraph of some length.<p>And a second one.</li>"
    tree = parse(f"<ul>{post * 4}<li><h3>Advertisement</h3></ul>")
    chosen = selection(tree, lambda text: text != "Advertisement")
    assert keep_tables_and_lists_whole(tree, chosen) is chosen


def test_a_layout_table_is_left_as_selected():
    tree = parse("<table><tr><td><h2>News</h2><p>One long paragraph of text.<p>Two.<td><ul><li>Home<li>Map</ul></table>")
    chosen = selection(tree, lambda text: len(text) > 5)
    assert keep_tables_and_lists_whole(tree, chosen) is chosen


def test_code_figures_and_definitions_are_whole():
    page = (
        "<pre><code><span>def </span><span>f(x):\n    return x + 1</span></code></pre>"
        "<figure><img src=a.png><figcaption>A gull over the long harbour wall, <b>1931</b></figcaption></figure>"
        "<dl><dt>Weight<dd>One kilogram or more<dt>Span<dd>1.4 m</dl>"
    )
    tree = parse(page)
    done = keep_tables_and_lists_whole(tree, selection(tree, lambda text: len(text) > 6))
    assert kept_texts(tree, done) == [text.strip() for text in tree.texts]
    assert done.keep[tree.tag == tags.CODE["img"]].all()
    assert WHOLE in [done.why(node) for node in tree.text_nodes.tolist()]


def test_a_term_is_kept_with_its_definition():
    page = "<dl>" + "".join(f"<dt>open{k}(path)<dd>Opens the file.<p>Added in version {k}." for k in range(3)) + "</dl>"
    tree = parse(page)
    done = keep_tables_and_lists_whole(tree, selection(tree, lambda text: text in ("Opens the file.", "Added in version 1.")))
    assert [text for text in kept_texts(tree, done) if text.startswith("open")] == ["open1(path)"]
    done = keep_tables_and_lists_whole(tree, selection(tree, lambda text: text.startswith("open")))
    assert not any(text.startswith(("Opens", "Added")) for text in kept_texts(tree, done))


def test_the_rest_of_a_dropped_row_goes_with_a_reason():
    rows = "".join(f"<tr><td>A rather long first cell {k}<td>x" for k in range(4))
    tree = parse(f"<table>{rows}</table>")
    done = keep_tables_and_lists_whole(tree, selection(tree, lambda text: text == "x"))
    assert kept_texts(tree, done) == []
    assert done.why(int(tree.text_nodes[1])) == LOST


def test_what_a_rule_dropped_stays_dropped():
    tree = parse("<ul><li>One long point of the list<li>Another long point<li>Sponsored</ul>")
    keep = np.ones(len(tree), dtype=np.bool_)
    drop = np.zeros(len(tree), dtype=np.bool_)
    drop[tree.text_nodes[2]] = True
    ruled = Selection("test", keep, keep.astype(np.uint8), DECIDED).overridden(~keep, drop)
    assert DROPPED_BY_RULE in ruled.reasons
    assert kept_texts(tree, keep_tables_and_lists_whole(tree, ruled)) == ["One long point of the list", "Another long point"]


def test_extract_keeps_the_values_of_a_specification_table():
    rows = "".join(
        f"<tr><th>{name}<td>{value}" for name, value in (("Weight", "2 kg"), ("Length", "31 cm"), ("Colour", "red"), ("Price", "$ 9.50"))
    )
    text = "<p>The kettle of this year has a longer spout, a wider lid and a handle that stays cool, which many people asked for.</p>" * 3
    found = extract(f"<article><h1>Kettle</h1>{text}<table><caption>Details</caption>{rows}</table>{text}</article>").text
    assert "Weight\t2 kg" in found
    assert "Price\t$ 9.50" in found


def test_a_list_of_labels_and_values_near_the_text_is_kept():
    facts = "<ul><li>ISBN: 978 0 00 000000 2<li>Publisher: Reed Press<li>Pages: 212</ul>"
    links = "<ul><li><a href=/1>News: one</a><li><a href=/2>News: two</a><li><a href=/3>News: three</a></ul>"
    text = "<p>A book about reeds, rushes and the birds that nest in them, with maps of forty lakes and their shores.</p>" * 2
    tree = parse(f"<div>{text}<div>{facts}</div>{links}<aside>{facts.replace('ISBN', 'Phone')}</aside></div>")
    by_length = np.isin(np.arange(len(tree)), tree.text_nodes) & (tree.text_length > 60)
    keep = keep_tables_and_lists_whole(tree, Selection("length", by_length, by_length.astype(np.uint8), DECIDED)).keep
    kept = {tree.texts[k] for k, node in enumerate(tree.text_nodes.tolist()) if keep[node]}
    assert {"ISBN: 978 0 00 000000 2", "Publisher: Reed Press", "Pages: 212"} <= kept
    assert not {"News: one", "Phone: 978 0 00 000000 2"} & kept


def test_a_list_of_latest_comments_is_no_list_of_labels_and_values():
    said = "".join(f"<li><a href=/{name}>{name}</a>: Great reeds!" for name in ("Ann", "Bo", "Cy"))
    text = "<p>A book about reeds, rushes and the birds that nest in them, with maps of forty lakes and their shores.</p>" * 2
    tree = parse(f"<div>{text}<div><ul>{said}</ul></div></div>")
    long = selection(tree, lambda text: len(text) > 60)
    assert kept_texts(tree, keep_tables_and_lists_whole(tree, long)) == kept_texts(tree, long)


def test_the_main_text_in_a_row_of_a_layout_table_stays():
    text = "<p>A book about reeds, rushes and the birds that nest in them, with maps of forty lakes and their shores.</p>" * 8
    side = "<p>Reeds: 14<p>Rushes: 3<p>Birds: 27<p>Lakes and shores: 40" * 60
    tree = parse(f"<table><tr><th>Books<th>Shop<tr><td>{text}<td>{side}<tr><td>Kettles<td>Spouts</table>")
    long = selection(tree, lambda text: len(text) > 60)
    assert kept_texts(tree, keep_tables_and_lists_whole(tree, long)) == kept_texts(tree, long)


def chosen_by_a_model(tree, kept):
    keep = np.zeros(len(tree), dtype=np.bool_)
    keep[[node for node, text in zip(tree.text_nodes.tolist(), tree.texts, strict=True) if kept(text)]] = True
    reasons = (Reason("improbable", Cause.MODEL), Reason("probable", Cause.MODEL), Reason("template", Cause.TEMPLATE))
    return Selection("test", keep, keep.astype(np.uint8), reasons)


def test_headings_of_kept_text_are_kept_and_titles_of_other_boxes_are_not():
    answer = "<p>An answer that has more words than its question has, so it is kept.</p>"
    page = f"""<p>The start.</p><h3>May gulls be fed?</h3>{answer}<h3>Do gulls<span> sleep?</span></h3>{answer}
        <h3>Links</h3><a href=/>A page elsewhere with a long name</a><h4>More</h4>{answer}
        <aside><h3>About</h3>{answer}</aside>"""
    tree = parse(page)
    done = with_headings(tree, chosen_by_a_model(tree, lambda text: text.startswith(("The", "An answer"))))
    assert [text for text in kept_texts(tree, done) if len(text) < 20] == ["The start.", "May gulls be fed?", "Do gulls", "sleep?"]
    assert set(map(done.why, np.flatnonzero(done.keep & (tree.tag == tags.TEXT)))) == {"probable", HEADED}


def test_the_last_heading_is_kept_with_its_text_whatever_stands_below():
    footer = "<footer>" + "<p>About this site, and who made it, in many words.</p>" * 20 + "</footer>"
    tree = parse(f"<h2>Reeds</h2><p>The reeds bend in every wind.<h2>Rushes</h2><p>The rushes do not bend.</p>{footer}")
    done = with_headings(tree, chosen_by_a_model(tree, lambda text: text.startswith(("The", "Reeds"))))
    assert [text for text, node in zip(tree.texts, tree.text_nodes, strict=True) if done.keep[node]][2] == "Rushes"


def test_buttons_that_open_kept_text_are_headings_and_others_are_not():
    answer = "<p>An answer that has more words than its question has, so it is kept.</p>"
    page = f"""<p>The beginning.</p><h3><button aria-expanded=false>Nests</button> +</h3>{answer}
        <button>卵は？<span>+</span></button>{answer}<button>Buy</button>{answer}<details><summary><h4>Moult</h4></summary>{answer}</details>"""
    tree = parse(page)
    done = with_headings(tree, chosen_by_a_model(tree, lambda text: text.startswith(("The", "An answer"))))
    assert [text for text in kept_texts(tree, done) if not text.startswith(("An", "The"))] == ["Nests", "+", "卵は？", "+", "Moult"]


def test_buttons_that_begin_to_play_a_kept_part_of_a_recording_are_headings():
    answer = "<p>An answer that has more words than its question has, so it is kept.</p>"
    buttons = ("0:00", "[1:02:03]", "12:5", "Play 0:40")
    tree = parse("<p>The beginning.</p>" + "".join(f"<div><button>{said}</button>{answer}</div>" for said in buttons))
    done = with_headings(tree, chosen_by_a_model(tree, lambda text: text.startswith(("The", "An answer"))))
    assert [text for text in kept_texts(tree, done) if not text.startswith(("An", "The"))] == ["0:00", "[1:02:03]"]


def test_a_button_on_a_page_without_headings_is_no_heading():
    ferry = "<p>The ferry to the island leaves at nine, and comes back before the tide turns in the evening.</p>"
    bread = "<p>It carries bread, letters and forty passengers, among them the teacher of the school.</p>"
    assert "Follow" not in extract(f"<article>{ferry}<button>Follow</button>{bread}</article>").text


def test_headings_that_a_template_dropped_are_kept_with_their_text():
    tree = parse("<p>The beginning.</p><h2>Weather</h2><p>Rain falls on the harbour all day.")
    chosen = chosen_by_a_model(tree, lambda text: text != "Weather")
    chosen.reason[tree.text_nodes[1]] = 2
    assert with_headings(tree, chosen).keep[tree.text_nodes].all()


def test_a_list_of_labels_and_values_that_a_template_dropped_stays_dropped():
    text = "<p>A book about reeds, rushes and the birds that nest in them.</p>" * 4
    tree = parse(f"<div>{text}<ul><li>Ann: Yes!<li>Bea: I like it<li>Carl: So do I</ul></div>")
    chosen = chosen_by_a_model(tree, lambda text: text.startswith("A book"))
    assert keep_tables_and_lists_whole(tree, chosen).keep[tree.text_nodes].all()
    chosen.reason[~chosen.keep] = 2
    assert keep_tables_and_lists_whole(tree, chosen) is chosen


def test_images_beside_kept_text_are_kept_and_icons_portraits_and_links_are_not():
    page = """<article><div class=by><img id=portrait src=a.png>Ann</div>
        <picture><img id=lead src=b.png></picture><p>A gull stands on the sea wall.
        <p>It waits for the fishermen all day.<a href=b.JPG?x><img id=last src=c.png></a>
        <a href=/other><img id=link src=d.png></a><img id=icon width=16 src=e.png></article>
        <aside><img id=aside src=f.png></aside><p>Imprint"""
    tree = parse(page)
    chosen = chosen_by_a_model(tree, lambda text: text.startswith(("A gull", "It")))
    chosen.reason[tree.tag == tags.CODE["img"]] = 3
    done = with_images(tree, replace(chosen, reasons=(*chosen.reasons, Reason("between", Cause.OUTSIDE))))
    assert [tree.attribute(node, "id") for node in np.flatnonzero(done.keep & (tree.tag == tags.CODE["img"])).tolist()] == ["lead", "last"]


def test_kept_icons_without_words_go():
    tree = parse("<p>Gulls<img width=1 height=1 src=pixel.gif><img width=16 alt=yes src=tick.png><img width=300 src=gull.jpg></p>")
    chosen = chosen_by_a_model(tree, lambda text: True)
    chosen.keep[tree.tag == tags.CODE["img"]] = True
    shown = np.flatnonzero(with_images(tree, chosen).keep & (tree.tag == tags.CODE["img"])).tolist()
    assert [tree.attribute(node, "src") for node in shown] == ["tick.png", "gull.jpg"]


def test_latest_comments_beside_a_text_are_no_list_of_labels_and_values():
    text = "<p>A book about reeds, rushes and the birds that nest in them, with maps of forty lakes and their shores.</p>" * 2
    said = "I have looked for these birds for years and never found one of them on our lake, but now I know where..."
    tree = parse(f"<div>{text}<ul>{''.join(f'<li>{name}: {said}' for name in ('Ann', 'Bea', 'Carl'))}</ul></div>")
    chosen = selection(tree, lambda text: text.startswith("A book"))
    assert keep_tables_and_lists_whole(tree, chosen) is chosen


def test_a_half_kept_data_table_is_whole_and_a_row_keeps_the_names_of_its_columns():
    row = "<tr><td>Herring gull<td>1.0 kg"
    tree = parse(f"<table><tr><th>Bird<th>Weight{row * 4}<tr><td>Common gull<td>0.4 kg{row * 3}</table>")
    assert keep_tables_and_lists_whole(tree, selection(tree, lambda text: text in ("Herring gull", "1.0 kg"))).keep[tree.text_nodes].all()
    few = keep_tables_and_lists_whole(tree, selection(tree, lambda text: text == "Common gull"))
    assert kept_texts(tree, few) == ["Bird", "Weight", "Common gull", "0.4 kg"]


@pytest.mark.parametrize(("rows", "kept"), [(6, 16), (5, 10)])
def test_a_table_of_links_is_whole_where_rows_that_are_kept_hold_most_of_it(rows, kept):
    tree = parse("<table>" + "".join(f"<tr><td><a href=/{k}>Name of thread {k}</a><td>Ann" for k in range(8)) + "</table>")
    done = keep_tables_and_lists_whole(tree, selection(tree, lambda text: text[-1] in "01234567"[:rows]))
    assert len(kept_texts(tree, done)) == kept


def test_a_half_kept_table_of_links_is_left_as_selected():
    tree = parse("<table>" + "".join(f"<tr><td><a href=/{k}>Name of thread {k}</a><td>Ann" for k in range(6)) + "</table>")
    chosen = selection(tree, lambda text: text[-1] in "012" or text == "Ann")
    done = keep_tables_and_lists_whole(tree, chosen)
    assert kept_texts(tree, done) == ["Name of thread 0", "Ann", "Name of thread 1", "Ann", "Name of thread 2", "Ann"]


def test_the_image_of_a_figure_stays_where_only_its_caption_goes():
    tree = parse("<main><p>The harbour counts its boats.</p><figure><img src=quay.jpg><figcaption>Ann Reed</figcaption></figure></main>")
    keep = np.isin(np.arange(len(tree)), tree.text_nodes[:1])
    reasons = Reason("between", Cause.OUTSIDE), Reason("long", Cause.MODEL)
    shown = with_images(tree, Selection("made up", keep, keep.astype(np.uint8), reasons)).keep
    assert shown[tree.tag == tags.CODE["img"]].all()
    assert shown[tree.text_nodes].tolist() == [True, False]


def test_a_note_is_kept_if_kept_text_refers_to_it():
    notes = "<ol><li id=fn1>Ibid.<li id=fn2>No one.</ol>"
    tree = parse(f"<p>Reeds bend in the wind.<a href='#fn1'>1</a><p>Menu <a href='#fn2'>2</a>{notes}")
    chosen = keep_tables_and_lists_whole(tree, selection(tree, lambda text: text in ("Reeds bend in the wind.", "1")))
    assert kept_texts(tree, chosen) == ["Reeds bend in the wind.", "1", "Ibid."]


def test_a_long_paragraph_with_a_reference_to_a_note_is_kept_beside_kept_paragraphs():
    long = "Reeds bend in the wind that comes over the water from the north, all through the winter and until the ice breaks."
    tree = parse(f"<div><p>Rushes stand.<p>{long}<a epub:type=noteref href='#n'>1</a><p>Menu</div><aside id=n>Ibid.</aside>")
    chosen = keep_tables_and_lists_whole(tree, selection(tree, lambda text: text == "Rushes stand."))
    assert kept_texts(tree, chosen) == ["Rushes stand.", long, "1", "Ibid."]
    apart = keep_tables_and_lists_whole(tree, selection(tree, lambda text: False))
    assert kept_texts(tree, apart) == []


@pytest.mark.parametrize(
    ("link", "note", "kept"),
    [
        ("<sup><a href='#w'>2</a></sup>", "<ul><li id=w>Ibid.</ul>", True),
        ("<a href='#w'><sup>2</sup></a>", "<ul><li id=w>Ibid.</ul>", True),
        ("<a href='#w'>2</a>", "<aside id=w role=doc-footnote>Ibid.</aside>", True),
        ("<a href='#w'>2</a>", "<ul><li id=w>Ibid.</ul>", False),  # a page of several
        ("<sup><a href='#w'>TM</a></sup>", "<div id=w>Ibid.</div>", False),
    ],
)
def test_a_raised_link_refers_to_a_note_and_any_link_to_what_its_role_calls_one(link: str, note: str, kept: bool):
    tree = parse(f"<p>Reeds bend in the wind.{link}{note}")
    chosen = keep_tables_and_lists_whole(tree, selection(tree, lambda text: text != "Ibid."))
    assert ("Ibid." in kept_texts(tree, chosen)) == kept


def test_a_formula_between_kept_texts_is_kept():
    formula = "<math display=block><mi>c</mi><mo>=</mo><mn>2</mn></math>"
    tree = parse(f"<div>Text one, and so</div>{formula}<div>holds. Text two.</div><div>Most read</div>{formula}")
    chosen = selection(tree, lambda text: "Text" in text)
    found = keep_enclosed_blocks(tree, replace(chosen, reasons=(Reason("short", Cause.MODEL), Reason("long", Cause.MODEL))))
    assert kept_texts(tree, found) == ["Text one, and so", "c", "=", "2", "holds. Text two."]


@pytest.mark.parametrize(
    ("page", "whole"),
    [
        ("<blockquote><p>It bends in the wind.</p><footer>Ann Brook</footer></blockquote>", True),
        ("<article><section><p>It bends in the wind.</p><footer>Seen in May</footer></section></article>", True),
        ("<section><p>It bends in the wind.</p><footer>Seen in May</footer></section>", False),
        ("<article><section><p>It bends in the wind.</p><footer><a href=/x>Read more</a></footer></section></article>", False),
    ],
)
def test_the_footer_of_a_quote_or_section_goes_with_it(page, whole):
    tree = parse(page)
    chosen = selection(tree, lambda text: text.startswith("It bends"))
    assert kept_texts(tree, keep_tables_and_lists_whole(tree, chosen)) == [text.strip() for text in tree.texts][: 2 if whole else 1]
