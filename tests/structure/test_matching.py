"""Equal subtrees are numbered; pairs of shapes are looked up."""

from __future__ import annotations

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from tamis import parse
from tamis.structure.matching import match
from tamis.structure.shapes import cons, shapes
from tests.structure.random_trees import HTML

some = settings(max_examples=30, deadline=None)


def columns_of(html: str) -> tuple[np.ndarray, np.ndarray]:
    tree = parse(html)
    return tree.tag, tree.parent


@some
@given(HTML, st.booleans())
def test_equal_subtrees_and_no_others_have_one_number(html, ordered):
    label, parent = columns_of(html)
    found = cons(label, parent, ordered)
    written: dict[int, str] = {}
    for node in range(len(label) - 1, -1, -1):
        below = [written[child] for child in np.flatnonzero(parent == node).tolist()]
        written[node] = f"({label[node]}{''.join(below if ordered else sorted(below))})"
    number_of: dict[str, int] = {}
    assert [number_of.setdefault(written[node], number) for node, number in enumerate(found.number.tolist())] == found.number.tolist()
    assert len(set(number_of.values())) == len(number_of) == len(found.label)
    assert found.size[found.number].tolist() == [written[node].count("(") for node in range(len(label))]


@some
@given(HTML, HTML)
def test_pairs_are_looked_up_by_shapes(first, second):
    found = shapes([parse(first), parse(second)])
    a, b = np.unique(found.nodes[0]).astype(np.int64), np.array([found.of(tree=1)])
    done = match(found, a, np.repeat(b, len(a)))
    np.testing.assert_array_equal(done.look_up(found, a, np.repeat(b, len(a))), done.values)
