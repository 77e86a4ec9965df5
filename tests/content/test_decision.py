"""The choice of blocks."""

from itertools import combinations

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from tamis.content.decision import choose

BLOCKS = st.lists(st.tuples(st.integers(1, 99), st.integers(1, 50)), min_size=1, max_size=7, unique_by=lambda block: block[0])


def expected(chosen, probability, length, beta):
    right = sum(probability[k] * length[k] for k in chosen)
    total = float(np.dot(probability, length))
    return (1 + beta**2) * right / (sum(length[k] for k in chosen) + beta**2 * total)


@settings(deadline=None)
@given(BLOCKS, st.sampled_from([0.5, 1.0, 2.0]))
def test_no_other_choice_has_a_higher_expected_f(blocks, beta):
    probability, length = np.array([p / 100 for p, _ in blocks]), np.array([n for _, n in blocks])
    choice = choose(probability, length, beta)
    every = [c for size in range(1, len(blocks) + 1) for c in combinations(range(len(blocks)), size)]
    best = max(expected(c, probability, length, beta) for c in every)
    assert abs(choice.expected - best) < 1e-9
    assert abs(expected(np.flatnonzero(choice.keep).tolist(), probability, length, beta) - best) < 1e-9


@settings(deadline=None)
@given(BLOCKS)
def test_who_wants_recall_gets_at_least_as_much(blocks):
    probability, length = np.array([p / 100 for p, _ in blocks]), np.array([n for _, n in blocks])
    few, many = choose(probability, length, 0.5).keep, choose(probability, length, 2.0).keep
    assert not (few & ~many).any()


def test_where_little_is_certain_more_is_taken():
    length = np.full(4, 10)
    assert choose(np.array([0.9, 0.9, 0.3, 0.3]), length).keep.tolist() == [True, True, False, False]
    assert choose(np.array([0.3, 0.3, 0.25, 0.02]), length).keep.tolist() == [True, True, True, False]


def test_blocks_below_the_least_probability_are_left_out_unless_there_are_no_others():
    length = np.full(4, 10)
    assert choose(np.array([0.4, 0.3, 0.25, 0.02]), length, least=0.3).keep.tolist() == [True, True, False, False]
    assert choose(np.array([0.25, 0.2, 0.2, 0.02]), length, least=0.3).keep.tolist() == [True, True, True, False]


def test_a_page_without_blocks():
    choice = choose(np.zeros(0), np.zeros(0, dtype=np.int64))
    assert len(choice.keep) == 0
    assert choice.expected == 0
