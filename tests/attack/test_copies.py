"""What a page or a caller says once and results repeat is bounded: a small size of the families that the program measures."""

from __future__ import annotations

import pytest

from tests.attack.copies import FAMILIES, MOST, ratios

pytestmark = pytest.mark.slow


@pytest.mark.parametrize("family", FAMILIES)
def test_results_stay_in_proportion_to_the_page(family):
    assert {form: ratio for form, ratio in ratios(family, 60_000).items() if ratio > MOST} == {}
