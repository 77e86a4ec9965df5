"""Pages made lists of other pages."""

from random import Random

import pytest

import tamis
from training.lists import FEWEST, MOST, make_list

PAGE = "<body><nav><a href=/>Home</a></nav><main><h1>Of reeds</h1><p>Reeds grow in calm water.</p></main><footer>Shore & Co</footer></body>"
PAGES = [(f"Title <{number}> & more", f"Reed number {number} grows where the water is calm, and bends. " * 4) for number in range(40)]


@pytest.mark.parametrize("seed", range(12))
def test_the_main_text_becomes_a_list_of_linked_titles(seed):
    html = make_list(PAGE, ["main"], PAGES, Random(seed))
    tree = tamis.parse(html)
    text = tree.text()
    listed = [title for title, _ in PAGES if title in text]
    assert FEWEST <= len(listed) <= MOST
    assert "Home" in text
    assert "Shore & Co" in text
    assert "calm water" not in text
    assert html == make_list(PAGE, ["main"], PAGES, Random(seed))


def test_pages_without_one_place_for_it_or_with_few_others_become_no_list():
    assert make_list(PAGE, ["nav a", "main"], PAGES, Random(1)) is None
    assert make_list(PAGE, ["article"], PAGES, Random(1)) is None
    assert make_list(PAGE, ["main"], PAGES[: FEWEST - 1], Random(1)) is None
