from hypothesis import given
from hypothesis import strategies as st

from tamis.document.metadata.titles import agreeing_heading, site_headings, title_line, without_site

SITES = {"thegarden", "花园网"}


def test_the_site_is_cut_from_either_side_with_any_separator():
    for title in (
        "Ripe tomatoes - The Garden",
        "Ripe tomatoes | The Garden",
        "Ripe tomatoes — The Garden",
        "The Garden: Ripe tomatoes",
        "Ripe tomatoes_花园网",
    ):
        assert without_site(title, SITES) == "Ripe tomatoes"


def test_nothing_is_cut_without_evidence():
    assert without_site("Ripe - tomatoes | and more", SITES) == "Ripe - tomatoes | and more"
    assert without_site("The Garden", SITES) == "The Garden"
    assert without_site("The Garden | The Garden", SITES) == "The Garden"
    assert without_site("snake_case in Python", {"python"}) == "snake_case in Python"


def test_a_heading_that_is_part_of_the_title_is_evidence():
    assert without_site("Ripe - tomatoes | Unknown", set(), ["Ripe - Tomatoes"]) == "Ripe - tomatoes"


def test_a_heading_that_is_the_site_is_no_title():
    assert agreeing_heading(["The Garden"], ["Ripe tomatoes | The Garden"], SITES) is None
    assert agreeing_heading(["The Garden"], ["The Garden"], SITES) == "The Garden"
    assert agreeing_heading(["Subscribe now", "Ripe tomatoes"], ["Ripe tomatoes, at last"], SITES) == "Ripe tomatoes"
    assert site_headings(["The Book"], "Chapter 3 - The Book") == {"thebook"}
    assert site_headings(["Chapter 3"], "Chapter 3 - The Book") == set()


def test_permalink_signs_go():
    assert title_line("Ripe tomatoes ¶") == "Ripe tomatoes"
    assert title_line(" ") is None


@given(
    st.text(alphabet="ab -|_:—", max_size=40),
    st.sets(st.text(alphabet="ab", max_size=3)),
    st.lists(st.text(alphabet="ab -", max_size=9), max_size=3),
)
def test_what_is_left_is_part_of_the_title(title, sites, headings):
    assert without_site(title, sites, headings) in title
