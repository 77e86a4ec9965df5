"""Which subtree met which."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings

from tamis.page.walk_plain import empty
from tamis.structure.correspondence import UNMATCHED, Explanation, explain
from tamis.structure.shapes import NO_SHAPE
from tamis.structure.similarity import similarities
from tests.structure.random_trees import HTML

some = settings(max_examples=50, deadline=None)


def share_of_children(found: Explanation, direction: int, root: int) -> float:
    """What the children of a root bring to its similarity."""
    tree, of = found.trees[direction], found.shapes.nodes[direction]
    children = [child for child in tree.children(root).tolist() if of[child] != NO_SHAPE]
    return sum(int(found.shapes.size[of[child]]) * float(found.value[direction][child]) for child in children)


@some
@given(HTML, HTML)
def test_the_meetings_of_the_roots_children_add_up_to_the_similarity(first, second):
    for method in ("free", "ordered"):
        found = explain(first, second, method)
        both = sum(share_of_children(found, direction, 0) for direction in (0, 1))
        assert (2 + both) / sum(found.sizes) == pytest.approx(found.similarity, abs=1e-12)


@some
@given(HTML, HTML)
def test_every_meeting_has_the_similarity_of_its_subtrees(first, second):
    for method in ("free", "ordered"):
        found = explain(first, second, method)
        for direction in (0, 1):
            nodes = np.flatnonzero(found.partner[direction] != UNMATCHED)
            a, b = found.shapes.nodes[direction][nodes], found.shapes.nodes[1 - direction][found.partner[direction][nodes]]
            np.testing.assert_allclose(found.value[direction][nodes], similarities(found.shapes, a, b), rtol=0, atol=1e-12)
            alone = found.partner[direction] == UNMATCHED
            assert not found.value[direction][alone].any()


@some
@given(HTML, HTML)
def test_ordered_matching_pairs_nodes_one_to_one_in_order_as_many_as_simple_tree_matching_counts(first, second):
    found = explain(first, second, "ordered")
    there, back = found.partner
    paired = np.flatnonzero(there != UNMATCHED)
    assert (back[there[paired]] == paired).all()
    assert (np.diff(there[paired]) > 0).all()
    assert len(paired) == (back != UNMATCHED).sum() == found.matched_nodes


def test_one_partner_may_serve_many_and_the_other_direction_tells_it_once():
    found = explain("<ul><li><b></b><li><b></b><li><b></b></ul><p>", "<ul><li><b></b></ul>")
    there = [(found.trees[0].name(met.node), met.times, round(met.similarity, 3)) for met in found.matches()]
    back = [(found.trees[1].name(met.node), met.times, round(met.similarity, 3)) for met in found.matches(1)]
    assert there == [("html", 1, 0.941), ("head", 1, 1.0), ("body", 1, 0.923), ("ul", 1, 1.0), ("p", 1, 0.0)]
    assert back == [("html", 1, 0.941), ("head", 1, 1.0), ("body", 1, 0.923), ("ul", 1, 1.0)]
    assert len(set(found.partner[0][[4, 6, 8]].tolist())) == 1


def test_depth_bounds_what_is_told():
    found = explain("<ul><li><i></i></ul>", "<ul><li><b></b></ul>")
    assert max(met.depth for met in found.matches(depth=2)) == 2
    assert max(met.depth for met in found.matches()) == 4


def test_deep_and_wide_pages_are_explained():
    for html in ("<div>" * 1_500, "<ul>" + "<li>" * 5_000 + "</ul>"):
        for method in ("free", "ordered"):
            found = explain(html + "<p>", html + "<i></i>", method)
            assert 0.9 < found.similarity < 1
            assert found.partner[0][-2] != UNMATCHED


def test_pages_without_anything_to_compare_have_nothing_to_tell():
    found = explain(empty(()), "<p>")
    assert (found.similarity, list(found.matches()), found.sizes[0]) == (0.0, [], 0)
    assert [met.partner for met in found.matches(1)] == [UNMATCHED]
