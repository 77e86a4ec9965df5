"""What is compiled and what is plain give the same; columns that do not fit are refused."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tamis import parse
from tamis.native import consing as _consing
from tamis.structure.consing import cons
from tamis.structure.matching import match
from tamis.structure.shapes import shapes
from tests.structure.plain_matching import plain_cons
from tests.structure.random_trees import HTML

some = settings(max_examples=30, deadline=None)


def columns_of(html: str) -> tuple[np.ndarray, np.ndarray]:
    tree = parse(html)
    return tree.tag, tree.parent


@some
@given(HTML, st.booleans())
def test_both_forms_number_subtrees_alike(html, ordered):
    compiled_form, plain_form = cons(*columns_of(html), ordered), plain_cons(*columns_of(html), ordered)
    for column in ("number", "label", "start", "child", "size", "height"):
        one, other = getattr(compiled_form, column), getattr(plain_form, column)
        np.testing.assert_array_equal(one, other)
        assert one.dtype == other.dtype


def test_nodes_with_very_many_children_are_numbered_alike():
    html = "".join(f"<div>{'<p></p>' * (n % 7)}</div>" for n in range(500)) + "<p></p>" * 3000
    for ordered in (False, True):
        np.testing.assert_array_equal(cons(*columns_of(html), ordered).number, plain_cons(*columns_of(html), ordered).number)


@some
@given(HTML, HTML)
def test_pairs_are_looked_up_by_shapes(first, second):
    found = shapes([parse(first), parse(second)])
    a, b = np.unique(found.nodes[0]).astype(np.int64), np.array([found.of(tree=1)])
    done = match(found, a, np.repeat(b, len(a)))
    np.testing.assert_array_equal(done.look_up(found, a, np.repeat(b, len(a))), done.values)


def test_columns_that_do_not_fit_are_refused():
    one = np.zeros(3, dtype=np.int32)
    for label, parent in ((one, one[:2]), (one, np.array([0, 0, 0], dtype=np.int32)), (one.view(np.int8)[:5], one.view(np.int8)[:5])):
        with pytest.raises(ValueError, match="do not fit"):
            _consing.cons(label, parent, False)
