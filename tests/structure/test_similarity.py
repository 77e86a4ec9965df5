"""Free and ordered matching, simple tree matching."""

from __future__ import annotations

import os
from pathlib import Path
from random import Random

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tamis import PageTree, UsageError, parse
from tamis.page.walk_plain import empty
from tamis.structure import matching
from tamis.structure.correspondence import explain
from tamis.structure.shapes import NO_SHAPE, Shapes, Shaping, shapes
from tamis.structure.similarity import Method, matched, shaping_for, similarities, similarity
from tests.structure import plain_similarity as plain
from tests.structure.random_trees import HTML

METHODS: tuple[Method, ...] = ("free", "ordered")
SITES = Path(os.environ.get("TAMIS_DATA", Path(__file__).parents[3] / "shared" / "data")) / "sites"
some = settings(max_examples=25, deadline=None)


def of_bodies(first: str, second: str, method: Method) -> float:
    """The similarity of the first elements of two bodies."""
    trees = [parse(f"<body>{html}") for html in (first, second)]
    found = shapes(trees, shaping_for(method))
    return float(similarities(found, found.of(3), found.of(3, tree=1)))


def all_pairs(tree: PageTree, found: Shapes, method: Method) -> tuple[np.ndarray, np.ndarray]:
    """Values of all pairs of nodes, by the library and by the definition."""
    nodes = np.flatnonzero(found.nodes[0] != NO_SHAPE)
    subtrees = [plain.tree_of(tree, found, node) for node in nodes.tolist()]
    of = found.nodes[0][nodes]
    slow = [[getattr(plain, method)(a, b) for b in subtrees] for a in subtrees]
    return similarities(found, of[:, None], of[None, :]), np.array(slow)


# -- the sources' own examples ----------------------------------------------------------------------------------------


def test_the_paper_s_example_is_nine_elevenths():
    a = "<div><i></i><ul><li></li></ul><i></i></div>"
    b = "<div><i></i><ol><li></li></ol><ul><li></li></ul></div>"
    assert of_bodies(a, b, "free") == pytest.approx(9 / 11, abs=1e-12)


A, B, C = "<li><img><h3><a></a></h3><p></p><span></span>", "<li><h3><a></a></h3><p><b></b></p><span></span>", "<li><p></p><h3><a></a></h3>"


@pytest.mark.parametrize(("other", "pairs", "share"), [(B, 5, 10 / 12), (C, 3, 0.6)])
def test_simple_tree_matching_has_its_known_values(other, pairs, share):
    found = explain(A, other, "ordered")
    assert found.matched_nodes == pairs + 3  # html, head and body
    assert of_bodies(A, other, "ordered") == pytest.approx(share, abs=1e-12)


# -- equal to the definitions -------------------------------------------------------------------------------------------


@pytest.mark.parametrize("method", METHODS)
@some
@given(html=HTML)
def test_every_pair_of_subtrees_of_a_page_has_the_value_of_the_definition(method, html):
    tree = parse(html)
    quick, slow = all_pairs(tree, shapes(tree, shaping_for(method)), method)
    np.testing.assert_allclose(quick, slow, rtol=0, atol=1e-12)


@pytest.mark.parametrize("method", METHODS)
@some
@given(first=HTML, second=HTML)
def test_two_pages_have_the_value_of_the_definition(method, first, second):
    trees = [parse(first), parse(second)]
    found = shapes(trees, shaping_for(method))
    expected = getattr(plain, method)(*(plain.tree_of(tree, found, 0, number) for number, tree in enumerate(trees)))
    assert similarity(*trees, method) == pytest.approx(expected, abs=1e-12)
    if method == "ordered":
        assert explain(*trees, "ordered").matched_nodes == plain.stm(
            *(plain.tree_of(tree, found, 0, number) for number, tree in enumerate(trees))
        )


@pytest.mark.skipif(not SITES.is_dir(), reason="needs real pages in ../shared/data/sites")
@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("labels", ["tag", "class"])
def test_subtrees_of_real_pages_have_the_value_of_the_definition(method, labels):
    chance = Random(0)
    for site in sorted(path for path in SITES.iterdir() if path.is_dir())[::5]:
        # Pages of a hundred nodes have subtrees of the sizes that the plain algorithm can compare.
        pages = [path for path in sorted((site / "pages").iterdir())[:40] if len(parse(path)) > 100]
        trees = [parse(path) for path in chance.sample(pages, 2)]
        found = shapes(trees, Shaping(labels=labels, ordered=method == "ordered"))
        nodes = [subtrees_of_some_size(tree, found, k, chance) for k, tree in enumerate(trees)]
        ours = similarities(found, found.nodes[0][nodes[0]][:, None], found.nodes[1][nodes[1]][None, :])
        left, right = ([plain.tree_of(tree, found, node, k) for node in nodes[k]] for k, tree in enumerate(trees))
        np.testing.assert_allclose(ours, [[getattr(plain, method)(a, b) for b in right] for a in left], rtol=0, atol=1e-12)


def subtrees_of_some_size(tree: PageTree, found: Shapes, number: int, chance: Random) -> list[int]:
    """Up to twelve nodes with 6 to 149 nodes below them."""
    nodes = [node for node in range(len(tree)) if found.of(node, number) != NO_SHAPE and 5 < found.size[found.of(node, number)] < 150]
    return chance.sample(nodes, min(12, len(nodes)))


# -- what always holds -----------------------------------------------------------------------------------------------------


@some
@given(HTML, HTML)
def test_ordered_is_never_above_free_and_both_are_symmetric_and_one_on_a_page_itself(first, second):
    free, ordered = (similarity(first, second, method) for method in METHODS)
    assert 0 <= ordered <= free + 1e-12
    assert free <= 1 + 1e-12
    assert free == pytest.approx(similarity(second, first), abs=1e-12)
    assert ordered == pytest.approx(similarity(second, first, "ordered"), abs=1e-12)
    assert similarity(first, first) == similarity(second, second, "ordered") == 1.0


@some
@given(st.lists(HTML, min_size=1, max_size=5), st.randoms(use_true_random=False))
def test_free_matching_knows_no_order(parts, chance):
    shuffled = chance.sample(parts, len(parts))
    a, b = ("".join(f"<article>{part}</article>" for part in some) for some in (parts, shuffled))
    assert similarity(a, b) == 1.0


@some
@given(HTML, st.integers(1, 4))
def test_repeated_siblings_are_met_in_full_by_one(html, times):
    assert similarity(f"<main>{html * times}", f"<main>{html}") == pytest.approx(1.0)


@some
@given(HTML)
def test_pairs_asked_for_together_have_the_values_of_pairs_asked_for_alone(html):
    tree = parse(html)
    for method in METHODS:
        found = shapes(tree, shaping_for(method))
        of = found.nodes[0][found.nodes[0] != NO_SHAPE]
        together = similarities(found, of[:, None], of[None, :])
        np.testing.assert_allclose(together, [[float(similarities(found, a, b)) for b in of] for a in of], rtol=0, atol=1e-12)


# -- hostile and empty pages --------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("method", METHODS)
def test_ten_thousand_levels_are_compared(method):
    deep, other = ("<div>" * 10_000 + end for end in ("<p>", "<i>"))
    assert similarity(deep, other, method) == pytest.approx(1 - 1 / 10_004, abs=1e-9)


@pytest.mark.parametrize("method", METHODS)
def test_a_hundred_thousand_equal_siblings_are_compared(method):
    many, fewer = ("<ul>" + "<li><b>1</b>" * count + "</ul>" for count in (100_000, 99_000))
    expected = 1.0 if method == "free" else 2 * 198_004 / (198_004 + 200_004)
    assert similarity(many, fewer, method) == pytest.approx(expected, abs=1e-12)


def all_different(count: int, end: str) -> PageTree:
    return parse("".join("<div>" + "<p></p>" * (n % 31) + "<i></i>" * (n // 31) + end + "</div>" for n in range(count)))


@pytest.mark.parametrize("method", METHODS)
def test_siblings_that_are_all_different_are_compared_or_bounded(method):
    for count, exact in ((200, True), (3000, False)):
        trees = [all_different(count, end) for end in ("<b></b>", "<u></u>")]
        found = shapes(trees, shaping_for(method))
        done = matched(found, found.of(), found.of(tree=1))
        assert done.exact == exact
        assert 0 < done.values < 1 if exact else 0 <= done.values <= 1


@some
@given(HTML, HTML)
def test_where_the_bound_is_reached_free_matching_errs_upwards_and_ordered_downwards(first, second):
    trees = [parse(first), parse(second)]
    for method, sign in (("free", 1), ("ordered", -1)):
        found = shapes(trees, shaping_for(method))
        pair = np.array([found.of()]), np.array([found.of(tree=1)])
        true = float(similarities(found, *pair)[0])
        for room in (0, 1, 3):
            bounded = matching.match(found, *pair, room)
            assert sign * (bounded.values[0] - true) >= -1e-12
            assert bounded.values[0] == pytest.approx(true) or not bounded.exact
            assert 0 <= bounded.values[0] <= 1 + 1e-12


def test_long_sequences_are_paired_near_the_diagonal(monkeypatch):
    a = "<main>" + "<p></p><div></div>" * 30
    b = "<main><div></div>" + "<p></p><div></div>" * 29 + "<p></p>"
    exact = similarity(a, b, "ordered")
    monkeypatch.setattr(matching, "MAX_CELLS", 300)
    found = shapes([parse(a), parse(b)], Shaping(ordered=True))
    near = matched(found, found.of(), found.of(tree=1))
    assert not near.exact
    assert near.values == pytest.approx(exact)
    monkeypatch.setattr(matching, "MAX_CELLS", 60)
    assert 0 < matched(found, found.of(), found.of(tree=1)).values <= exact


def test_pages_without_elements_are_like_nothing():
    assert similarity(empty(()), "<p>") == similarity(empty(()), empty(())) == 0.0
    assert explain(empty(()), "<p>", "ordered").matched_nodes == 0


def test_an_unknown_method_is_refused():
    with pytest.raises(UsageError, match="free and ordered"):
        similarity("<p>", "<p>", "stm")  # type: ignore[arg-type]
