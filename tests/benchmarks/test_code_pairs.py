"""The complete index over the paper's rule."""

from __future__ import annotations

from itertools import combinations

from hypothesis import given, settings
from hypothesis import strategies as st

from benchmarks.code_pairs import same_codes
from tamis.duplicates.feature_code import CodeSettings, compare, feature_code

paragraphs = st.lists(st.sampled_from(["A, b.", "A, c.", "B.", "C, d, e.", "D", "E. F."]), max_size=9).map("\n".join)


@settings(max_examples=80, deadline=None)
@given(
    st.lists(paragraphs, max_size=12),
    st.sampled_from([CodeSettings(), CodeSettings(between="compare"), CodeSettings(large=0.5, small=0.1), CodeSettings(large=1.0)]),
)
def test_index_finds_what_comparing_all_finds(texts, chosen):
    codes = {f"{number:02d}": feature_code(each, chosen) for number, each in enumerate(texts)}
    found = {(a, b) for a, b, _ in same_codes(codes, chosen)}
    assert found == {(a, b) for a, b in combinations(sorted(codes), 2) if compare(codes[a], codes[b], chosen).same}
