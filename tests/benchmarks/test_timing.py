from __future__ import annotations

from collections import Counter

from benchmarks.timing import cost, rotated


def test_every_tool_is_first_equally_often():
    assert Counter(rotated("abcd", turn)[0] for turn in range(8)) == dict.fromkeys("abcd", 2)
    assert rotated([], 3) == []


def test_the_ratio_is_of_means_over_the_same_pages():
    found = cost([0.004, 0.002], [0.001, 0.001])
    assert found is not None
    assert (found.mean, found.median, found.ratio) == (3.0, 3.0, 3.0)


def test_no_pages_have_no_cost_and_no_yardstick_no_ratio():
    assert cost([]) is None
    assert cost([0.001]).ratio is None  # type: ignore[union-attr]
