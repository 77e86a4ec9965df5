"""Distinct subtrees."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tamis import UsageError, parse
from tamis.page.walk_plain import empty
from tamis.structure.shapes import NO_SHAPE, Shaping, class_label, shapes
from tests.structure.plain_similarity import Tree, tree_of
from tests.structure.random_trees import HTML


def unordered(tree: Tree) -> Tree:
    return Tree(tree.label, tuple(sorted(map(unordered, tree.children), key=repr)))


@settings(max_examples=50, deadline=None)
@given(HTML, HTML, st.booleans())
def test_nodes_share_a_shape_exactly_when_their_subtrees_are_equal(first, second, ordered):
    trees = [parse(first), parse(second)]
    found = shapes(trees, Shaping(ordered=ordered))
    by_shape: dict[int, Tree] = {}
    for number, tree in enumerate(trees):
        for node in np.flatnonzero(found.nodes[number] != NO_SHAPE).tolist():
            plain = tree_of(tree, found, node, number)
            assert by_shape.setdefault(found.of(node, number), plain if ordered else unordered(plain)) == (
                plain if ordered else unordered(plain)
            )
            assert found.size[found.of(node, number)] == plain.size
    assert sorted(by_shape) == list(range(len(found)))
    assert len(set(by_shape.values())) == len(found)


@settings(max_examples=50, deadline=None)
@given(HTML)
def test_children_of_a_shape_are_those_of_its_nodes(html):
    tree = parse(html)
    for ordered in (False, True):
        found = shapes(tree, Shaping(ordered=ordered))
        for node in np.flatnonzero(found.nodes[0] != NO_SHAPE).tolist():
            below = [int(found.nodes[0][child]) for child in tree.children(node).tolist() if found.nodes[0][child] != NO_SHAPE]
            expected = [(s, 1) for s in below] if ordered else [(s, below.count(s)) for s in sorted(set(below))]
            assert found.children(found.of(node)) == expected
        assert (np.diff(found.label) >= 0).all()


def test_what_no_reader_sees_has_no_shape():
    plain = parse("<p>one</p><div>two</div>")
    noisy = parse("<p>one<br>1</p><!-- c --><script>x()</script><style>p{}</style><div><wbr>two</div>")
    found = shapes([plain, noisy])
    assert found.of() == found.of(tree=1)
    script = next(node for node in range(len(noisy)) if noisy.name(node) == "script")
    assert found.of(script, 1) == NO_SHAPE


def test_what_is_left_out_and_whether_texts_count_are_settings():
    tree = parse("<p>one<br>two</p>")
    sizes = [int(found.size[found.of()]) for found in (shapes(tree), shapes(tree, Shaping(drop=())), shapes(tree, Shaping(texts=True)))]
    assert sizes == [4, 5, 6]


def test_labels_with_classes_tell_elements_apart_but_not_by_number():
    tree = parse("<body class=home><div class='post-1 wide'></div><div class='wide post-22'></div><div class=menu></div>")
    found = shapes(tree, Shaping(labels="class"))
    assert found.nodes[0][3] == found.nodes[0][4] != found.nodes[0][5]
    assert found.labels[found.label[found.of(3)]] == class_label("div", "wide post-9")
    assert found.labels[found.label[found.of(2)]] == "body"
    assert len(set(shapes(tree).nodes[0][3:6].tolist())) == 1


def test_unknown_labels_are_refused():
    with pytest.raises(UsageError, match="tag or class"):
        Shaping(labels="id")  # type: ignore[arg-type]


def test_no_trees_and_empty_trees_have_no_shapes():
    assert len(shapes([])) == 0
    assert shapes(empty(())).of() == NO_SHAPE


def test_names_that_only_some_pages_use_are_the_same_label_on_all():
    found = shapes([parse("<x-a></x-a><x-b></x-b>"), parse("<x-b></x-b><x-a></x-a>")])
    assert found.of() == found.of(tree=1)
