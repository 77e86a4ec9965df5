from __future__ import annotations

from dataclasses import replace

import numpy as np

from benchmarks.same_layer_text import remaining
from tamis import parse
from tamis.layer.judging import COMMONPLACE, LEFT, OWN, REASONS, REPEATED, SLOT, UNCONFIRMED, Verdict, judge
from tamis.layer.places import LayerPage
from tamis.layer.settings import SameLayer
from tamis.page.tree import PageTree

PAPER = SameLayer.paper()
MENU = "<ul class=menu><li><a href=/>Home</a><li><a href=/news>News</a><li><a href=/about>About us</a></ul>"
WORDS = ("herons wait in the reeds", "storks build on chimneys", "cranes dance before sunrise", "terns dive for small fish")


def page(k: int, inside: str = "") -> PageTree:
    """A page of a layer: a menu, an article of its own, a footer."""
    article = f"<div class=text><p>In spring {WORDS[k]}.</p>{inside}<p>By autumn {WORDS[k][::-1]}!</p></div>"
    return parse(f"<body>{MENU}{article}<div id=foot>All rights reserved by the society</div>")


def blocks(tree: PageTree) -> list[list[int]]:
    """The children of the body, those of the article apart."""
    from tamis.page.tags import CODE

    (body,) = np.flatnonzero(tree.tag == CODE["body"])
    found: list[list[int]] = []
    for child in tree.children(int(body)).tolist():
        article = tree.attribute(child, "class") == "text"
        found += [[int(inner)] for inner in tree.children(child)] if article else [[child]]
    return found


def verdicts(trees: list[PageTree], settings: SameLayer = SameLayer()) -> dict[str, Verdict]:
    """Those of the first page by the text of the block."""
    pages = [LayerPage(tree, settings) for tree in trees]
    return {trees[0].text(each.nodes[0]): each for each in judge(pages[0], blocks(trees[0]), pages[1:], settings)}


def test_what_stands_in_same_layer_pages_is_noise_and_says_where() -> None:
    found = verdicts([page(0), page(1), page(2)])
    menu = found["Home News About us"]
    assert (menu.noise, menu.reason, menu.support) == (True, REPEATED, 2)
    assert [(each.page, each.tag_similarity, each.text_similarity) for each in menu.occurrences] == [(0, 1.0, 1.0), (1, 1.0, 1.0)]
    assert page(1).text(menu.occurrences[0].node) == "Home News About us"
    assert [text for text, each in found.items() if not each.noise] == [
        "In spring herons wait in the reeds.",
        "By autumn sdeer eht ni tiaw snoreh!",
    ]


def product(name: str) -> PageTree:
    text = f"{name} knife with a plain handle of steel and a case of leather, made in Italy, ships in two days"
    return parse(f"<body>{MENU}<div>{text}</div><div id=foot>All rights reserved by the society</div>")


def test_the_text_of_pages_that_are_alike_stays_if_nothing_else_is_left() -> None:
    trees = [product("Raven"), product("Sparrow"), product("Bushman")]
    reasons = [each.reason for each in verdicts(trees).values()]
    assert reasons == [REPEATED, LEFT, REPEATED]
    assert [each.reason for each in verdicts(trees, replace(SameLayer(), left_share=None)).values()] == [REPEATED] * 3
    assert [each.reason for each in verdicts(trees, PAPER).values()] == [REPEATED] * 3


def test_min_support_pages_must_have_it() -> None:
    other = parse("<body><p>A page of another kind")
    trees = [page(0), page(1), other]
    assert verdicts(trees, SameLayer(min_support=1))["Home News About us"].noise
    once = verdicts(trees, SameLayer(min_support=2))["Home News About us"]
    assert (once.noise, once.reason, once.support) == (False, OWN, 1)


def test_without_same_layer_pages_nothing_is_noise() -> None:
    assert not any(each.noise for each in verdicts([page(0)]).values())


def test_repeated_text_alone_is_not_noise() -> None:
    repeated = "<p>Read the manual first.</p>"
    trees = [page(k, repeated) for k in range(3)]
    kept = verdicts(trees)["Read the manual first."]
    assert (kept.noise, kept.reason) == (False, COMMONPLACE)
    assert kept.support == 2
    assert REASONS[kept.reason] == "found in same-layer pages, but among text that is not"
    assert verdicts(trees, PAPER)["Read the manual first."].noise


def test_what_repeats_at_a_place_of_its_own_is_noise_within_an_article_too() -> None:
    advert = "<p class=advert>Coil & Cleat: ropes by the metre</p>"
    assert verdicts([page(k, advert) for k in range(2)])["Coil & Cleat: ropes by the metre"].noise


def test_a_heading_goes_with_what_it_heads() -> None:
    trees = [page(k, f"<h2 class=part>Where they live</h2><p>Mostly {WORDS[k][::-1]}.</p>") for k in range(2)]
    assert not verdicts(trees)["Where they live"].noise
    assert verdicts(trees, PAPER)["Where they live"].noise
    trees = [page(k, "<h2 class=part>Advert</h2><div class=ad>Coil & Cleat: ropes by the metre</div>") for k in range(2)]
    assert verdicts(trees)["Advert"].noise


def related(k: int, words: str = "") -> str:
    links = "".join(f"<li><a href=/{k}{n}>{WORDS[k]}, {n}</a>" for n in range(1 + k))
    return f"<div class='box related'><b>Related</b><ul>{links}</ul>{words}</div>"


def test_links_at_a_place_that_others_fill_with_links_are_noise() -> None:
    text = "Related herons wait in the reeds, 0"
    found = verdicts([page(0, related(0)), page(3, related(3))])[text]
    assert (found.noise, found.reason) == (True, SLOT)
    assert not verdicts([page(0, related(0)), page(3, related(3))], PAPER)[text].noise
    assert not verdicts([page(0, related(0)), page(3)])[text].noise


def test_text_among_links_is_not_noise_for_the_place_it_stands_at() -> None:
    words = "<p>and a whole paragraph of its own, which no other page has in the same words, as long as all the links around it</p>"
    found = verdicts([page(0, related(0, words)), page(3, related(3))])
    assert not next(each for text, each in found.items() if text.startswith("Related")).noise


def test_dates_and_counters_do_not_tell_blocks_apart() -> None:
    trees = [page(k, f"<i class=date>{k}.{k}.200{k} {k}</i>") for k in range(2)]
    assert verdicts(trees)["0.0.2000 0"].noise
    assert not verdicts(trees, replace(SameLayer(), numbers_alike=False))["0.0.2000 0"].noise


def test_blocks_whose_roots_are_no_siblings_are_judged_in_parts() -> None:
    tree, other = page(0), page(1)
    both = [[root for block in blocks(tree) for root in block]]
    found = judge(LayerPage(tree), both, [LayerPage(other)])
    assert [len(each.nodes) for each in found] == [1, 2, 1]


# -- places ----------------------------------------------------------------------------------------------------------


def test_nearest_marked_ancestor() -> None:
    tree = parse("<body><div class=a><p>one<b>two</b></p></div><p>three")
    marked = np.array([tree.attribute(node, "class") is not None for node in range(len(tree))])
    found = [int(node) for node in tree.nearest_ancestor(marked)]
    plain = [next((step for step in (node, *tree.ancestors(node)) if marked[step]), -1) for node in range(len(tree))]
    assert found == plain


def test_places_are_the_same_whatever_numbers_names_have_and_in_any_order() -> None:
    one, other = (parse(f"<body><div class='{names}' id=post-{k}><p>x") for k, names in ((7, "a b"), (12, "b  a")))
    assert LayerPage(one).within.tolist() == LayerPage(other).within.tolist()
    assert LayerPage(one).across.tolist() == LayerPage(other).across.tolist()
    different = LayerPage(parse("<body><div class=a id=post-7><p>x"))
    assert LayerPage(one).across[-1] != different.across[-1]


def test_a_place_among_pages_does_not_depend_on_names_above_the_slot() -> None:
    one, other = (LayerPage(parse(f"<body class=page-{k}><div class=topic-{k}><nav class=next><a href=/>x")) for k in ("a", "b"))
    assert one.across[-1] == other.across[-1]
    assert one.within[-1] != other.within[-1]


def test_headings_and_links_are_no_slots() -> None:
    places = LayerPage(parse("<body><h2 class=title><a class=anchor href=#x>Title</a></h2>"))
    assert places.slot.tolist() == [-1] * len(places.tree)


# -- what remains -----------------------------------------------------------------------------------------------------


def test_the_remaining_tree_is_a_tree_with_the_same_nodes() -> None:
    tree = page(0, related(0))
    kept = np.flatnonzero(tree.tag == 0)[::2]
    smaller, node = remaining(tree, kept)
    assert smaller.texts == [tree.texts[k] for k in range(0, len(tree.texts), 2)]
    assert [smaller.name(k) for k in range(len(smaller))] == [tree.name(int(k)) for k in node]
    assert smaller.depth.tolist() == tree.depth[node].tolist()
    assert [dict(each) for each in smaller.attributes] == [dict(tree.attributes[int(k)]) for k in node]


def test_one_of_several_pages_must_have_an_exact_copy() -> None:
    other = parse("<body><p>A page of another kind")
    altered = parse(f"<body><div id=foot>All rights reserved by the club</div>{MENU}")
    found = verdicts([page(0), altered, other])
    assert found["Home News About us"].reason == REPEATED
    assert found["All rights reserved by the society"].reason == UNCONFIRMED
    twice = verdicts([page(0), altered, altered])
    assert twice["All rights reserved by the society"].reason == REPEATED


def test_two_pages_settle_what_a_block_is() -> None:
    assert [SameLayer().needed(pages) for pages in (0, 1, 2, 3, 5)] == [1, 1, 2, 2, 2]
    assert [SameLayer.paper().needed(pages) for pages in (1, 3)] == [1, 1]


def test_a_section_that_other_articles_have_word_for_word_stays_within_its_article() -> None:
    section = "<h2 id=summary>Methods</h2><table><tr><td>add<td>Adds an element</table>"
    trees = [page(k, section) for k in range(3)]
    found = verdicts(trees)
    assert not found["Methods"].noise
    assert found["add Adds an element"].reason == COMMONPLACE
    assert verdicts(trees, replace(SameLayer(), container_share=None))["add Adds an element"].noise


def test_breadcrumbs_end_with_the_title_of_the_page() -> None:
    def crumbs(name: str) -> PageTree:
        path = f"<div class=crumbs><a href=/>Home</a> › <a href=/b>Birds</a> › {name}</div>"
        return parse(f"<title>{name}</title><body>{path}<div class=text><p>{name[::-1]} wait for the tide</p></div>")

    names = ("Herons of the northern marshes", "Storks", "Cranes and their dances")
    found = verdicts([crumbs(name) for name in names])
    assert found["Home › Birds › Herons of the northern marshes"].reason == SLOT


def test_memory_grows_with_the_page_and_not_with_its_depth_squared() -> None:
    import tracemalloc

    def nested(k: int) -> LayerPage:
        return LayerPage(parse("<body>" + "".join(f"<div><p>w{i}{'ab'[k]} text" for i in range(1500))))

    one, other = nested(0), nested(1)
    tracemalloc.start()
    judge(one, [[int(one.string.node[2])]], [other])
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert peak < 48 << 20


def test_a_long_text_is_no_list_however_many_links_stand_beside_it() -> None:
    def guide(k: int, lines: int) -> PageTree:
        links = "".join(f"<a href=/{k}-{n}>{WORDS[k]} of place {'abcd'[n % 4] * (n + 1)}</a> " for n in range(lines))
        return parse(f"<body>{MENU}<div class=guide>{links}{'then wait for the tide and go on ' * lines}</div>")

    def reason(lines: int) -> int:
        return [each.reason for each in verdicts([guide(k, lines) for k in range(3)]).values()][1]

    assert (reason(10), reason(60)) == (SLOT, OWN)
