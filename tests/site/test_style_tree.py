from __future__ import annotations

import gzip
import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tamis import PageTree, UsageError, parse
from tamis.site.style_tree import (
    StyleCleaning,
    StyleSettings,
    StyleTree,
    choose_threshold,
    composite_importance,
    features,
    importance,
    meaningful,
    node_importance,
    noisy,
    places,
    simplify,
)
from tamis.site.style_tree.cleaning import OUTSIDE, UNREAD
from tests.site import plain_style_tree as plain

SITES = Path(os.environ.get("TAMIS_DATA", Path(__file__).parents[3] / "shared" / "data")) / "sites"
ALL_FEATURES = StyleSettings(links=True, images=True)


def kept_texts(page: PageTree, keep: np.ndarray) -> list[str]:
    return [text.strip() for text, node in zip(page.texts, page.text_nodes, strict=True) if keep[node]]


def columns(tree: StyleTree) -> list[bytes]:
    return [getattr(table, name).tobytes() for table in (tree.elements, tree.styles, tree.features) for name in table.__dataclass_fields__]


# -- golden values ---------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("pages", "expected"), [([35, 25, 25, 15], 0.29210), ([2, 2], 0.5), ([3, 1], 0.40564), ([7], 0.0), ([1], 1.0), ([1, 1, 1], 1.0)]
)
def test_node_importance_has_the_golden_values(pages: list[int], expected: float) -> None:
    assert node_importance(np.array(pages), np.array([0]))[0] == pytest.approx(expected, abs=5e-6)


def test_composite_importance_has_the_golden_value() -> None:
    pages, start = np.array([3, 1]), np.array([0])
    composite = composite_importance(node_importance(pages, start), pages, np.array([0.2, 1.0]), start)
    assert composite[0] == pytest.approx(0.40107, abs=5e-6)


def test_leaf_with_one_shared_and_one_own_feature_has_importance_one_half() -> None:
    tree = StyleTree.build([parse("<p>shared own"), parse("<p>shared")])
    leaf = np.argmax(tree.elements.depth)
    assert importance(tree).composite[leaf] == pytest.approx(0.5)


# -- what a place is -------------------------------------------------------------------------------------------------


def test_a_style_seen_again_adds_a_page_and_a_new_one_adds_a_style() -> None:
    tree = StyleTree.build([parse("<table></table><img><table></table>")] * 2 + [parse("<p>one</p><img>")])
    body = tree.elements.place[np.flatnonzero(tree.elements.depth == 1)[0]]
    assert sorted(tree.styles.pages[tree.styles.place == body].tolist()) == [1, 2]
    assert tree.pages == 3


def test_a_place_depends_on_the_styles_above_it_and_on_nothing_beside_them() -> None:
    def last(html: str) -> int:
        page = parse(html)
        return int(places(page).place[-1])

    assert last("<div><p>a</div><div><b>x</b></div>") == last("<div><i>other</i> text</div><div><b>y</b></div>")
    assert last("<div>a</div><div><b>x</b></div>") != last("<p>a</p><div><b>x</b></div>")
    assert last("<div><b>1</b><b>2</b></div>") != last("<div><b>1</b></div>")


def test_scripts_comments_and_blanks_do_not_change_the_layout() -> None:
    bare, busy = (
        parse("<p>one</p><p>two</p>"),
        parse("<p>one</p> <!-- x --><script>1</script><link rel=a><noscript><i></i></noscript> <p>two</p>"),
    )
    assert places(bare).place.tolist() == places(busy).place.tolist()


def test_text_beside_elements_is_an_element_and_a_comment_does_not_part_it() -> None:
    whole, parted = parse("<p>one two <b>three</b></p>"), parse("<p>one <!-- x --> two <b>three</b></p>")
    page = places(parted)
    assert places(whole).place.tolist() == page.place.tolist()
    assert [parted.name(node) for node in page.node] == ["body", "p", "#text", "b"]
    assert page.holder.tolist() == [2, 2, 3]


def test_places_are_pinned() -> None:
    assert places(parse("<p>one <b>two</b>")).place.tolist() == [
        91286713098130785,
        3187984234917967157,
        8390749423019524278,
        1569370342765713450,
    ]


def test_places_are_the_same_in_every_process() -> None:
    program = (
        "from tamis import parse; from tamis.site.style_tree import *; page = parse('<p>one <b>two</b>'); "
        "at = places(page); print(at.place[-1], features(page, at).feature[0])"
    )
    results = {
        subprocess.run([sys.executable, "-c", program], env={**os.environ, "PYTHONHASHSEED": seed}, check=True, capture_output=True).stdout
        for seed in ("1", "2")
    }
    assert len(results) == 1


@pytest.mark.parametrize(
    ("attributes", "one", "other", "same"),
    [
        ("none", "<p class=a width=1>x", "<p class=b>x", True),
        ("display", "<p class=a style='color: RED'>x", "<p class=b style='color:red'>x", True),
        ("display", "<p bgcolor=red>x", "<p bgcolor=blue>x", False),
    ],
)
def test_attributes_tell_elements_apart_as_set(attributes, one: str, other: str, same: bool) -> None:
    setting = StyleSettings(attributes=attributes)
    assert (places(parse(one), setting).place[-1] == places(parse(other), setting).place[-1]) == same


def test_features_of_a_leaf_are_its_words_the_link_around_it_and_its_image() -> None:
    page = parse("<p>Two two 二<a href=/x><b>three</b></a><img src=../pic.png></p>")
    found = features(page, places(page), ALL_FEATURES)
    names = [page.name(node) for node in places(page).node]
    assert sorted((names[leaf], count) for leaf, count in zip(found.leaf, found.count, strict=True)) == [
        ("#text", 1),
        ("#text", 2),
        ("b", 1),
        ("b", 1),
        ("img", 1),
    ]


@pytest.mark.parametrize(
    "html", ["", "<p>", "text", "<body></body>", "<frameset><frame></frameset>", "<body><script>x</script>", "<svg><text>x"]
)
def test_odd_pages_are_read(html: str) -> None:
    page = parse(html)
    model = simplify(StyleTree.build([page] * 5))
    assert len(model.map_page(page).keep) == len(page)


def test_no_page_and_an_unknown_page_are_kept_as_they_are() -> None:
    page = parse("<p>text")
    empty = StyleTree.build([])
    assert empty.pages == 0
    assert len(importance(empty).composite) == 0
    assert kept_texts(page, simplify(empty).map_page(page).keep) == ["text"]
    other = simplify(StyleTree.build([parse("<ul><li>Home")] * 5))
    selection = other.map_page(parse("<ul><li>Home</ul><p>text"))
    assert selection.keep[-1]
    assert selection.why(-1) == "in a layout that the site's style tree does not have"


# -- the table against the tree of objects ---------------------------------------------------------------------------

WORDS = st.lists(st.sampled_from("Home News about the a 二月 Æ 7".split()), min_size=1, max_size=4).map(" ".join)
LEAVES = st.one_of(
    WORDS,
    WORDS.map("<p>{}</p>".format),
    st.tuples(st.sampled_from(["/a", "../a", "/b"]), WORDS).map(lambda link: f"<a href={link[0]}>{link[1]}</a>"),
    st.sampled_from(["<br>", "<img src=/i.png>", "<div></div>", "<!-- c -->", "<script>s</script>", "<h2 class='c b-1'>T</h2>"]),
)


def _nested(inner: st.SearchStrategy[str]) -> st.SearchStrategy[str]:
    tags = st.sampled_from(["div", "div class=x", "div class=y id=k3", "ul bgcolor=red", "section", "a href=/deep", "span"])
    return st.tuples(tags, st.lists(inner, max_size=3)).map(lambda made: f"<{made[0]}>{''.join(made[1])}</{made[0].split()[0]}>")


FRAGMENTS = st.recursive(LEAVES, _nested, max_leaves=6)


@st.composite
def sites(draw: st.DrawFn) -> list[PageTree]:
    """A few pages made of a few shared fragments, so that styles and contents meet again."""
    pool = draw(st.lists(FRAGMENTS, min_size=1, max_size=4))
    pages = draw(st.lists(st.lists(st.sampled_from(pool), max_size=3), min_size=1, max_size=7))
    return [parse("<body>" + "".join(page)) for page in pages]


SETTINGS = st.builds(StyleSettings, attributes=st.sampled_from(["none", "display"]), links=st.booleans(), images=st.booleans())


def assert_table_is_tree(pages: list[PageTree], setting: StyleSettings, gamma: float, min_pages: int, threshold: float) -> None:
    tree = StyleTree.build(pages, setting)
    table = importance(tree, gamma, min_pages)
    read = [plain.read_page(page, setting) for page in pages]
    root, matches = plain.build(read)
    scores = plain.score(root, gamma, min_pages)

    row_of: dict[plain.Element, int] = {root: 0}
    for page, matched in zip(pages, matches, strict=True):
        at = places(page, setting)
        rows = dict(zip(at.node.tolist(), np.searchsorted(tree.elements.place, at.place).tolist(), strict=True))
        assert sorted(rows) == sorted(tag.node for tag, _ in matched)
        for tag, element in matched:
            assert row_of.setdefault(element, rows[tag.node]) == rows[tag.node]
    assert sorted(row_of.values()) == list(range(len(tree)))
    assert tree.pages == root.pages

    for element, row in row_of.items():
        styles = tree.styles.place == tree.elements.place[row]
        assert sorted(tree.styles.pages[styles].tolist()) == sorted(style.pages for style in element.styles.values())
        assert table.node[row] == pytest.approx(scores.node[element], abs=1e-12)
        assert table.composite[row] == pytest.approx(scores.composite[element], abs=1e-12)
        assert table.peak[row] == pytest.approx(scores.peak[element], abs=1e-12)
        assert table.floor[row] == pytest.approx(scores.floor[element], abs=1e-12)

    threshold = away_from(threshold, [*scores.peak.values(), *scores.content.values()])
    noise = noisy(table, threshold)
    assert set(np.flatnonzero(noise).tolist()) == {row_of[e] for e, peak in scores.peak.items() if peak <= threshold}
    assert set(np.flatnonzero(meaningful(table, threshold)).tolist()) == {row_of[e] for e, low in scores.floor.items() if low > threshold}

    model = simplify(tree, StyleCleaning(threshold=threshold, gamma=gamma, min_pages=min_pages))
    strangers = [parse("<p>Home</p><div>News</div>"), parse("")]
    for page, plain_page in zip([*pages, *strangers], [*read, *(plain.read_page(page, setting) for page in strangers)], strict=True):
        selection = model.map_page(page)
        in_body = [node for node in page.text_nodes.tolist() if selection.reason[node] not in (OUTSIDE, UNREAD)]
        removed = plain.removed_texts(plain_page, root, scores, threshold)
        assert {node for node in in_body if not selection.keep[node]} == removed & set(in_body)


def away_from(threshold: float, values: list[float]) -> float:
    """A threshold near the one given that no value meets within rounding."""
    while any(0 < abs(value - threshold) < 1e-9 or (value == threshold and value not in (0, 1)) for value in values):
        threshold += 1e-7
    return threshold


@settings(max_examples=120, deadline=None)
@given(sites(), SETTINGS, st.sampled_from([0.9, 0.5, 0.0, 1.0]), st.integers(2, 4), st.floats(0.01, 0.99))
def test_table_and_tree_of_objects_agree(pages, setting, gamma, min_pages, threshold) -> None:
    assert_table_is_tree(pages, setting, gamma, min_pages, threshold)


@settings(max_examples=60, deadline=None)
@given(sites(), st.integers(2, 4), st.floats(0.01, 0.99))
def test_of_the_pages_it_was_built_from_just_the_leaves_of_low_importance_go(pages, min_pages, threshold) -> None:
    tree = StyleTree.build(pages)
    content = importance(tree, min_pages=min_pages).content
    model = simplify(tree, StyleCleaning(threshold=threshold, min_pages=min_pages))
    for page in pages:
        at = places(page)
        leaf = np.searchsorted(tree.elements.place, at.place[at.holder])
        assert (~model.map_page(page).keep[page.text_nodes[at.texts]]).tolist() == (content[leaf] <= threshold).tolist()


@pytest.mark.parametrize("site", ["serbianblog", "flink"])
@pytest.mark.parametrize("setting", [StyleSettings(), StyleSettings(attributes="display", links=True, images=True)])
def test_table_and_tree_of_objects_agree_on_real_pages(site: str, setting: StyleSettings) -> None:
    files = sorted((SITES / site / "pages").glob("*.html.gz"))[:40:5]
    if not files:
        pytest.skip("needs the pages in ../shared/data/sites")
    assert_table_is_tree([parse(gzip.decompress(file.read_bytes())) for file in files], setting, 0.9, 3, 0.3)


@settings(max_examples=60, deadline=None)
@given(sites(), SETTINGS, st.randoms(use_true_random=False))
def test_parts_merge_to_the_tree_of_the_whole_in_any_order(pages, setting, random) -> None:
    whole = StyleTree.build(pages, setting)
    shuffled = random.sample(pages, len(pages))
    cuts = sorted(random.randint(0, len(pages)) for _ in range(2))
    a, b, c = (StyleTree.build(part, setting) for part in (shuffled[: cuts[0]], shuffled[cuts[0] : cuts[1]], shuffled[cuts[1] :]))
    for merged in (a.merge(b, c), a.merge(b).merge(c), a.merge(b.merge(c)), c.merge(b, a)):
        assert columns(merged) == columns(whole)


def test_long_runs_of_pages_give_the_tree_of_their_parts() -> None:
    pages = [parse(f"<p>page {k}" + "<i>x</i>" * (k % 3)) for k in range(150)]
    assert columns(StyleTree.build(pages)) == columns(StyleTree.build(pages[:1]).merge(StyleTree.build(pages[1:])))


# -- cleaning --------------------------------------------------------------------------------------------------------


def site_of(names: list[str], menu: str = "<ul><li>Home<li>News<li>About us</ul>") -> list[PageTree]:
    return [parse(f"<body>{menu}<div><h1>{name}</h1><p>All of the text on {name} that there is.</p></div><p>Imprint</p>") for name in names]


def test_menu_and_footer_go_and_what_differs_stays() -> None:
    pages = site_of(["ants", "bees", "cats", "dogs", "elks"])
    selection = simplify(StyleTree.build(pages), StyleCleaning(threshold=0.05)).map_page(pages[1])
    assert kept_texts(pages[1], selection.keep) == ["bees", "All of the text on bees that there is."]
    assert selection.method == "style-tree"
    imprint = int(pages[1].text_nodes[-1])
    assert selection.why(imprint) == "the same text at this place on the site's pages"
    assert selection.scores["importance"][imprint] == pytest.approx(0)


def test_text_that_repeats_in_another_place_is_kept() -> None:
    pages = site_of(["ants", "bees", "cats", "dogs"])
    model = simplify(StyleTree.build(pages), StyleCleaning(threshold=0.05))
    page = parse("<body><ul><li>Home<li>News<li>About us</ul><blockquote>Imprint</blockquote>")
    assert "Imprint" in kept_texts(page, model.map_page(page).keep)


def test_few_pages_are_weak_evidence() -> None:
    pages = site_of(["ants", "bees", "cats"])
    tree = StyleTree.build(pages)
    assert "Imprint" in kept_texts(pages[0], simplify(tree, StyleCleaning(threshold=0.05)).map_page(pages[0]).keep)
    assert "Imprint" not in kept_texts(pages[0], simplify(tree, StyleCleaning.paper(0.05)).map_page(pages[0]).keep)


def test_what_is_outside_of_the_body_or_unseen_is_not_kept() -> None:
    pages = [parse(f"<title>t</title><body><p>text {k}<select><option>o</select><script>s</script>") for k in range(5)]
    selection = simplify(StyleTree.build(pages)).map_page(pages[0])
    assert "t" not in kept_texts(pages[0], selection.keep)
    assert "o" not in kept_texts(pages[0], selection.keep)
    assert selection.why(0) == "outside the body"


def test_pruned_tree_is_smaller_and_its_places_are_looked_up() -> None:
    tree = StyleTree.build(site_of(["ants", "bees", "cats", "dogs"]))
    model = simplify(tree, StyleCleaning(threshold=0.05))
    assert 0 < len(model.place) < len(tree)


def test_deep_pages_do_no_harm() -> None:
    page = parse("<div>" * 3000 + "deep")
    model = simplify(StyleTree.build([page] * 4))
    assert kept_texts(page, model.map_page(page).keep) == []


def test_threshold_lies_between_what_repeats_and_what_differs() -> None:
    pages = [parse(f"<p>Home News About<p>{name * 9}<p>Imprint") for name in "abcdef"]
    assert threshold_of(StyleTree.build(pages)) == pytest.approx(0.5)


def threshold_of(tree):
    return choose_threshold(tree, importance(tree, min_pages=StyleCleaning().min_pages))


def test_threshold_of_a_site_without_contrast_is_bounded() -> None:
    assert threshold_of(StyleTree.build([parse("<p>same")] * 5)) == 0.5
    nearly_all = [parse(f"<p>{name * 5} x <p>{name}") for name in "abcdef"]
    assert 0.05 <= threshold_of(StyleTree.build(nearly_all)) <= 0.7
    assert threshold_of(StyleTree.build([])) == 0.5


def test_wrong_settings_say_what_to_do() -> None:
    with pytest.raises(UsageError, match="none, display"):
        StyleSettings(attributes="all")  # type: ignore[arg-type]
    with pytest.raises(UsageError, match="share from 0 to 1"):
        StyleCleaning(threshold=2)
    with pytest.raises(UsageError, match="at least 2"):
        StyleCleaning(min_pages=1)
    with pytest.raises(UsageError, match="same StyleSettings"):
        StyleTree.build([]).merge(StyleTree.build([], ALL_FEATURES))
    with pytest.raises(UsageError, match="gamma"):
        importance(StyleTree.build([]), gamma=1.5)
