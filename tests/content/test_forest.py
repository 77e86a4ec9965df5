"""A forest of symmetric trees."""

import numpy as np
import pytest

from tamis.content.forest import Forest
from tamis.errors import ModelError


def forest(trees=5, depth=3, outputs=2, columns=4, seed=0):
    dice = np.random.default_rng(seed)
    return Forest(
        column=dice.integers(0, columns, (trees, depth)).astype(np.int16),
        border=dice.random((trees, depth)).astype(np.float32),
        value=dice.standard_normal((trees, 1 << depth, outputs)).astype(np.float32),
        bias=dice.standard_normal(outputs),
    )


def plain_score(forest, row):
    total = [float(value) for value in forest.bias]
    for tree in range(len(forest.column)):
        leaf = 0
        for level, (column, border) in enumerate(zip(forest.column[tree], forest.border[tree], strict=True)):
            if row[column] > border:
                leaf |= 1 << level
        for output in range(len(total)):
            total[output] += float(forest.value[tree, leaf, output])
    return total


def plain_scores(forest, rows):
    """:meth:`Forest.score`, not compiled."""
    trees, depth = forest.column.shape
    total = np.tile(forest.bias, (len(rows), 1))
    step = max(1, (1 << 20) // max(trees * depth, 1))
    powers = (1 << np.arange(depth)).astype(np.uint8)
    which = np.arange(trees)
    for start in range(0, len(rows), step):
        asked = rows[start : start + step, forest.column.ravel()].reshape(-1, trees, depth)
        leaf = ((asked > forest.border) * powers).sum(axis=2, dtype=np.uint8)
        # Tree by tree in one fixed order: sums of floats depend on the order.
        total[start : start + step] += np.cumsum(forest.value[which, leaf], axis=1, dtype=np.float64)[:, -1]
    return total


def test_scores_are_those_of_trees_walked_one_by_one():
    made = forest()
    rows = np.random.default_rng(1).random((50, 4)).astype(np.float32)
    assert made.score(rows) == pytest.approx(np.array([plain_score(made, row) for row in rows]))


def test_the_compiled_form_gives_the_same_bits():
    made = forest(trees=40, depth=6, outputs=3)
    rows = np.random.default_rng(3).random((90, 4)).astype(np.float32)
    rows[::7, 1] = np.nan
    assert np.array_equal(made.score(rows), plain_scores(made, rows))


def test_what_is_not_known_is_never_greater():
    made = forest(columns=1)
    low, unknown = np.full((1, 1), -np.inf, dtype=np.float32), np.full((1, 1), np.nan, dtype=np.float32)
    assert np.array_equal(made.score(low), made.score(unknown))


def test_rows_do_not_depend_on_each_other():
    made = forest(trees=300, depth=6)
    rows = np.random.default_rng(2).random((700, 4)).astype(np.float32)  # more than are asked at once
    assert np.array_equal(made.score(rows)[[3, 650]], made.score(rows[[3, 650]]))


def test_no_rows_and_no_trees():
    assert forest().score(np.zeros((0, 4), dtype=np.float32)).shape == (0, 2)
    assert Forest.constant(3).score(np.zeros((2, 1), dtype=np.float32)).tolist() == [[0, 0, 0]] * 2


def test_weights_that_do_not_fit_are_refused():
    made = forest()
    with pytest.raises(ModelError):
        Forest(made.column, made.border[:, :2], made.value, made.bias)
