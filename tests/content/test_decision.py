"""The choice of blocks."""

from itertools import combinations

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from tamis.content.decision import TITLE_LEAST, select_threshold

BLOCKS = st.lists(st.tuples(st.integers(1, 99), st.integers(1, 50)), min_size=1, max_size=7, unique_by=lambda block: block[0])


def expected(chosen, probability, length, beta):
    right = sum(probability[k] * length[k] for k in chosen)
    total = float(np.dot(probability, length))
    return (1 + beta**2) * right / (sum(length[k] for k in chosen) + beta**2 * total)


@settings(deadline=None)
@given(BLOCKS, st.sampled_from([0.5, 1.0, 2.0]))
def test_no_other_choice_has_a_higher_expected_f(blocks, beta):
    probability, length = np.array([p / 100 for p, _ in blocks]), np.array([n for _, n in blocks])
    choice = select_threshold(probability, length, beta)
    every = [c for size in range(1, len(blocks) + 1) for c in combinations(range(len(blocks)), size)]
    best = max(expected(c, probability, length, beta) for c in every)
    assert abs(choice.expected - best) < 1e-9
    assert abs(expected(np.flatnonzero(choice.keep).tolist(), probability, length, beta) - best) < 1e-9


@settings(deadline=None)
@given(BLOCKS)
def test_who_wants_recall_gets_at_least_as_much(blocks):
    probability, length = np.array([p / 100 for p, _ in blocks]), np.array([n for _, n in blocks])
    few, many = select_threshold(probability, length, 0.5).keep, select_threshold(probability, length, 2.0).keep
    assert not (few & ~many).any()


def test_where_little_is_certain_more_is_taken():
    length = np.full(4, 10)
    assert select_threshold(np.array([0.9, 0.9, 0.3, 0.3]), length).keep.tolist() == [True, True, False, False]
    assert select_threshold(np.array([0.3, 0.3, 0.25, 0.02]), length).keep.tolist() == [True, True, True, False]


def test_doubtful_blocks_that_stand_or_fall_together_are_left_out():
    probability, length = np.array([0.95, 0.9, *[0.35] * 8]), np.full(10, 10)
    alone, together = select_threshold(probability, length), select_threshold(probability, length, spread=2.0)
    assert (alone.keep.sum(), together.keep.sum()) == (10, 2)
    assert together.expected < alone.expected  # the blocks by themselves
    assert select_threshold(np.full(5, 0.2), np.full(5, 9), spread=2.0).keep.all()


@settings(deadline=None)
@given(BLOCKS, st.sampled_from([0.5, 1.0, 2.0]))
def test_a_small_spread_is_none(blocks, beta):
    probability, length = np.array([p / 100 for p, _ in blocks]), np.array([n for _, n in blocks])
    alone, together = select_threshold(probability, length, beta), select_threshold(probability, length, beta, spread=1e-6)
    assert abs(expected(np.flatnonzero(together.keep).tolist(), probability, length, beta) - alone.expected) < 1e-5


def test_probabilities_of_0_and_1_are_no_trouble():
    assert select_threshold(np.array([1.0, 0.0, 1.0]), np.full(3, 5), spread=2.0).keep.tolist() == [True, False, True]


def test_a_page_without_blocks():
    choice = select_threshold(np.zeros(0), np.zeros(0, dtype=np.int64))
    assert len(choice.keep) == 0
    assert choice.expected == 0


def plain_choose(probability, length, beta, spread):
    """:func:`select_threshold` in NumPy: how many blocks are taken."""
    order = (-probability).argsort(kind="stable")
    likely, words = probability[order], length[order]

    def expected(likely):
        right = (likely * words).cumsum()
        return (1 + beta**2) * right / np.maximum(words.cumsum() + beta**2 * right[-1], 1e-9)

    sure = np.clip(likely, 1e-6, 1 - 1e-6)
    odds = np.log(sure / (1 - sure)) * np.sqrt(1 + np.pi * spread**2 / 8)
    shifts = ((-np.sqrt(3), 1 / 6), (0, 2 / 3), (np.sqrt(3), 1 / 6))
    together = sum(share * expected(1 / (1 + np.exp(-odds - spread * shift))) for shift, share in shifts)
    last = int((together if spread else expected(likely)).argmax())
    return int((probability >= likely[last]).sum()), together if spread else expected(likely)


@settings(deadline=None)
@given(
    st.lists(st.tuples(st.integers(0, 100), st.integers(0, 50)), min_size=1, max_size=30),
    st.sampled_from([0.5, 1.0]),
    st.sampled_from([0, 2.0]),
)
def test_numpy_chooses_the_same(blocks, beta, spread):
    probability, length = np.array([p / 100 for p, _ in blocks]), np.array([n for _, n in blocks])
    choice = select_threshold(probability, length, beta, spread=spread)
    taken, expected = plain_choose(probability, length, beta, spread)
    assert taken == choice.keep.sum() or np.sort(expected)[-2] > expected.max() - 1e-12


@settings(deadline=None)
@given(st.lists(st.tuples(st.integers(10, 60), st.sampled_from([0, 0, 0, 1])), min_size=1, max_size=12))
def test_the_only_title_is_taken_with_what_follows_it(blocks):
    probability, title = np.array([p / 100 for p, _ in blocks]), np.array([t for _, t in blocks], dtype=np.float32)
    length = np.full(len(blocks), 9)
    alone, titled = (select_threshold(probability, length, title=given).keep.copy() for given in (title[:0], title))
    for block in title.nonzero()[0] if np.count_nonzero(title) == 1 else ():
        alone[block : block + 1] |= probability[block] >= TITLE_LEAST and alone[block + 1 :].any()
    assert alone.tolist() == titled.tolist()
