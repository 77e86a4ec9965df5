"""What a kept line announces stays with it."""

from __future__ import annotations

import numpy as np
import pytest

from tamis import parse
from tamis.document.adjacent_content import LEAST_BESIDE, LEAST_LISTED, LEAST_PROBABLE, keep_enclosed_blocks, keep_introduced_blocks
from tamis.document.selection import Cause, Reason, Selection
from tamis.page.tree import PageTree

SAID = "The wardens of the eastern sea wall keep a list of"
LINKS = "<ul><li><a href=/a>Auks</a><li><a href=/t>Terns</a></ul>"


def _selected(tree: PageTree, probability: float) -> Selection:
    """All but what stands in ``ul``, ``dl`` and so on, which has a probability."""
    inside = tree.subtree_mask(np.array([node for node in range(len(tree)) if tree.name(node) in ("ul", "dl", "pre", "table")]))
    keep = np.isin(np.arange(len(tree)), tree.text_nodes) & ~inside
    reasons = Reason("short", Cause.MODEL), Reason("long", Cause.MODEL)
    scores = {"probability": np.where(inside, probability, 1.0)}
    return Selection("made up", keep, keep.astype(np.uint8), reasons, scores=scores)


def is_kept(page: str, probability: float) -> bool:
    """Whether what stands in ``ul``, ``dl`` and so on is kept where all else is."""
    tree = parse(page)
    chosen = keep_introduced_blocks(tree, _selected(tree, probability))
    return bool(chosen.keep[tree.text_nodes].all())


@pytest.mark.parametrize(
    ("page", "probable", "improbable"),
    [
        ("<p>Birds:</p><ul><li>Auks<li>Terns</ul>", True, True),
        ("<p>鸟类：</p><div><pre>auk tern</pre></div>", True, True),
        ("<p>Birds:</p><dl><dt>Auk<dd>black</dl><p>They swim.", True, True),
        ("<p>Birds.</p><ul><li>Auks<li>Terns</ul><p>They swim.", True, False),
        (f"<p>Birds.</p>{LINKS}<p>They swim.", True, False),
        ("<p>Birds.</p><ul><li><a href=/a>Auks</a></ul><p>They swim.", False, False),
        ("<p>Birds.</p><ul><li>Auks<li>Terns</ul>", False, False),
        ("<div><p>Birds.</p></div><div><ul><li>Auks<li>Terns</ul></div><p>They swim.", True, False),
        ("<div><p>Birds:</p></div><div><ul><li>Auks</ul><p>They swim.</div>", False, False),
        (f"<p>See also:</p>{LINKS}<p>They swim.", True, False),
        (f"<p>{SAID}:</p>{LINKS}<p>They swim.", True, True),
        (f"<p>Look for these birds:</p>{LINKS}<p>They swim.", True, True),
        (f"<h2>Birds</h2>{LINKS}<p>{SAID} what they eat.", True, False),
        (f"<h2>Birds</h2><ul><li>Auks<li>Terns</ul><p>{SAID} what they eat.", True, False),
        (f"<h1>Birds</h1><h2>A</h2>{LINKS}<h2>B</h2>{LINKS}", True, True),
        ("<p>Birds:</p><table><tr><td><h3>Auks</h3><td>They swim.</table>", False, False),
        ("<ul><li>Auks<li>Terns</ul><p>Birds:</p>", False, False),
    ],
)
def test_a_kept_line_with_a_colon_brings_what_it_announces_but_no_named_list_of_links(page: str, probable: bool, improbable: bool):
    assert (is_kept(page, LEAST_LISTED * 1.3), is_kept(page, LEAST_LISTED / 2)) == (probable, improbable)


@pytest.mark.parametrize(
    ("heading", "points", "kept"), [(0.4, 0.4, ["For", "Light", "Quiet"]), (0.4, 0.1, []), (0.1, 0.4, []), (0.4, None, [])]
)
def test_a_probable_list_without_links_is_kept_with_the_heading_above_it(heading: float, points: float | None, kept: list[str]):
    items = "<li>Light<li>Quiet" if points else "<li><a href=/l>Light</a><li><a href=/q>Quiet</a>"
    tree = parse(f"<p>{SAID} lamps.</p><div><h4>For</h4><ul>{items}</ul></div><p><a href=/b>Buy it</a>")
    selection = _selected(tree, points or 0.4)
    headed = tree.subtree_mask(tree.headings)
    selection.scores["probability"][headed] = heading
    selection = selection.without(headed, Reason("short", Cause.MODEL))
    chosen = keep_introduced_blocks(tree, selection)
    texts = [text for text, node in zip(tree.texts, tree.text_nodes, strict=True) if chosen.keep[node] and not tree.link_around[node] >= 0]
    assert texts == [f"{SAID} lamps.", *kept]


@pytest.mark.parametrize(
    ("page", "kept"),
    [
        (f"<p>{SAID} birds.<p>SHORT<p>They swim.", True),
        (f"<div><p>{SAID} birds.</div><p>SHORT<p>They swim.", True),
        (f"<p>{SAID} birds.<br>SHORT<br>SHORT<br>They swim.", True),  # lines of a poem
        (f"<p>{SAID} birds.<div>SHORT<br>They swim.</div>", True),  # its first line
        (f"<p>{SAID} birds.<div>SHORT</div><p>They swim.", False),
        (f"<p>{SAID} birds.<p>SHORT", False),
        (f"<p>{SAID} birds.<div><p>SHORT</div><p>They swim.", False),
        ("<h2>Birds</h2><p>SHORT<p>They swim.", False),  # a byline
        (f"<p>{SAID} birds.<p><a href=/>SHORT</a><p>They swim.", False),
    ],
)
def test_a_paragraph_or_line_between_kept_ones_is_kept(page: str, kept: bool):
    tree = parse(page)
    short = np.array([node for node, text in zip(tree.text_nodes, tree.texts, strict=True) if text == "SHORT"])
    keep = np.isin(np.arange(len(tree)), tree.text_nodes) & ~np.isin(np.arange(len(tree)), short)
    reasons = Reason("short", Cause.MODEL), Reason("long", Cause.MODEL)
    for probability in (LEAST_PROBABLE / 2, LEAST_PROBABLE * 2):
        scores = {"probability": np.where(keep, 1.0, probability)}
        chosen = keep_enclosed_blocks(tree, Selection("made up", keep, keep.astype(np.uint8), reasons, scores=scores))
        assert bool(chosen.keep[short].all()) == (kept and probability > LEAST_PROBABLE)


@pytest.mark.parametrize(
    ("page", "kept"),
    [
        ("<p>LONG<div><span>Weight</span><span>4 kg</span></div><p>LONG", True),
        ("<p>LONG<div><div><div>Weight 4 kg</div></div></div><p>LONG", True),
        ("<p>LONG<div>Weight 4 kg</div><p>They swim.", True),
        ("<p>They dive.<div>Weight 4 kg</div><p>They swim.", False),  # cards of a list
        ("<p>LONG<div>02</div><p>LONG", False),
        ("<div><p>LONG</div><div><div><div><div><div>Weight 4 kg</div></div></div></div></div><p>LONG", False),
        ("<p>LONG<div><a href=/>Weight 4 kg</a></div><p>LONG", False),
        ("<p>LONG<div>Weight 4 kg</div>", False),
    ],
)
def test_a_line_of_any_element_is_kept_between_paragraphs(page: str, kept: bool):
    tree = parse(f"<main>{page.replace('LONG', f'{SAID} the birds that come here in winter, when the lake is frozen.')}</main>")
    lost = np.array(
        [node for node, text in zip(tree.text_nodes, tree.texts, strict=True) if text in ("Weight", "4 kg", "Weight 4 kg", "02")]
    )
    keep = np.isin(np.arange(len(tree)), tree.text_nodes) & ~np.isin(np.arange(len(tree)), lost)
    reasons = Reason("short", Cause.MODEL), Reason("long", Cause.MODEL)
    for probability in (LEAST_BESIDE - 0.1, LEAST_BESIDE + 0.1):
        scores = {"probability": np.where(keep, 1.0, probability)}
        chosen = keep_enclosed_blocks(tree, Selection("made up", keep, keep.astype(np.uint8), reasons, scores=scores))
        assert bool(chosen.keep[lost].all()) == (kept and probability > LEAST_BESIDE)


@pytest.mark.parametrize(
    ("note", "kept"),
    [
        ("<aside role=note><p>x</aside>", True),
        ("<div role=Note>x</div>", True),
        ("<aside>x</aside>", False),
        ("<aside role=note><a href=/>x</a></aside>", False),
        ("<aside><div role=note>x</div></aside>", False),
        ("</article><aside role=note>x</aside>", False),
    ],
)
def test_a_note_between_kept_texts_is_kept(note: str, kept: bool):
    tree = parse(f"<article><p>The wall is old.</p>{note}" + ("<p>It stands." if "</article>" not in note else ""))
    keep = np.isin(np.arange(len(tree)), [node for node, text in zip(tree.text_nodes, tree.texts, strict=True) if text != "x"])
    chosen = keep_enclosed_blocks(
        tree, Selection("made up", keep, keep.astype(np.uint8), (Reason("short", Cause.MODEL), Reason("long", Cause.MODEL)))
    )
    assert bool(chosen.keep[tree.text_nodes].all()) == kept
