import pytest
from hypothesis import given
from hypothesis import strategies as st

from tamis import extract, parse
from tamis.document.metadata import read_metadata
from tamis.document.metadata.titles import agreeing_heading, site_headings, without_site

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


def test_a_heading_that_is_the_site_is_no_title():
    assert agreeing_heading(["The Garden"], ["Ripe tomatoes | The Garden"], SITES) is None
    assert agreeing_heading(["The Garden"], ["The Garden"], SITES) == "The Garden"
    assert agreeing_heading(["Subscribe now", "Ripe tomatoes"], ["Ripe tomatoes, at last"], SITES) == "Ripe tomatoes"
    assert site_headings(["The Book"], "Chapter 3 - The Book", (), ["Chapter 3"]) == {"thebook"}
    assert site_headings(["Chapter 3"], "Chapter 3 - The Book") == set()


def test_a_heading_behind_the_name_of_the_site_is_not_the_site():
    assert site_headings(["Ripe tomatoes"], "The Garden - Ripe tomatoes", {"thegarden"}) == set()
    assert site_headings(["The Garden"], "Ripe tomatoes - The Garden", {"thegarden"}) == {"thegarden"}


def test_a_heading_that_is_the_title_goes_before_one_with_words_of_it():
    assert (
        agreeing_heading(["Africa", "South Africans grow tomatoes"], ["South Africans grow tomatoes"], ()) == "South Africans grow tomatoes"
    )
    assert agreeing_heading(["Ripe", "Ripe tomatoes"], ["All about ripe tomatoes"], ()) == "Ripe"


def test_only_the_sign_of_a_link_to_the_heading_goes():
    def title(heading):
        return extract(
            f"<title>{heading}</title><main><h1 id=a>{heading}<a class=headerlink href='#a'>#</a>\n</h1><p>Text.</main>"
        ).metadata.title

    assert [title(heading) for heading in ("Ripe tomatoes", "Learn C#", "Learn C#&nbsp;")] == ["Ripe tomatoes", "Learn C#", "Learn C#"]
    assert extract("<title>Learn C#</title><p>Text.").metadata.title == "Learn C#"


@pytest.mark.parametrize(
    ("title", "heading", "site"),
    [
        ("Премьера фильма «Тростник» | Сад", "Премьера фильма «Тростник»", "Сад"),
        ("Entretien avec « Le Monde » - Le Jardin", "Entretien avec « Le Monde »", "Le Jardin"),
        ("»Schilf« in Berlin | Der Garten", "»Schilf« in Berlin", "Der Garten"),
        ("Der neue »Schilf« – Der Garten", "Der neue »Schilf«", "Der Garten"),
        ("Juncos « El Jardín", "Juncos", "El Jardín"),
        ("Reeds » The Garden", "Reeds", "The Garden"),
    ],
)
def test_quotation_marks_part_no_titles(title: str, heading: str, site: str):
    found = read_metadata(parse(f"<title>{title}</title><h1>{heading}</h1><p>They bend."))
    assert (found.title, found.site_name) == (heading, site)


@given(
    st.text(alphabet="ab -|_:—«»", max_size=40),
    st.sets(st.text(alphabet="ab", max_size=3)),
)
def test_what_is_left_is_part_of_the_title(title, sites):
    assert without_site(title, sites) in title


def test_the_title_of_a_page_without_h1_is_the_lower_heading_that_it_begins_with():
    found = read_metadata(parse("<title>Ripe tomatoes | The Garden Blog</title><h2>Ripe tomatoes</h2><p>They are red."))
    assert found.title == "Ripe tomatoes"


@pytest.mark.parametrize(
    ("head", "heading", "title"),
    [
        ("<title>Shore Notes - Boats in winter</title>", "<main><h1>Boats in winter</h1>", "Boats in winter"),
        ("<title>The Old Shore Company of Ferries | Boats</title>", "<h1>Boats</h1>", "Boats"),
        ("<title>Shore Notes: Boats in winter</title>", "<article><h1>Boats in winter</h1>", "Boats in winter"),
        ("<title>Boats in winter - Shore Notes</title>", "<h1>Shore Notes</h1><h2>Boats in winter</h2>", "Boats in winter"),
        ("<title>New Page 1</title>", "<h1>Boats in winter</h1>", "Boats in winter"),
        ("<title>Boats | Shore</title><meta property=og:title content='Home - Shore'>", "<p>Row.", "Boats"),
        ("<title>Boats in winter | Shore</title>", "<h1><b>Culture</b>Boats in winter</h1>", "Boats in winter"),
        ("<title>Boats in winter | Shore</title>", "<h1><i>5 May 2021</i> Boats in winter</h1>", "Boats in winter"),
        ("<title>Boats in winter | Shore</title>", "<h1>Boats in winter <small>5 May 2021 · 3 comments</small></h1>", "Boats in winter"),
        ("<title>Boats in winter | Shore</title>", "<h1><a href=#a>§</a> Boats in winter</h1>", "Boats in winter"),
        ("<title>Boats in winter | Shore</title>", "<h1><span>Titel:</span> Boats in winter</h1>", "Boats in winter"),
        ("<title>C# in winter | Shore</title>", "<h1>C<sup>#</sup> in winter</h1>", "C# in winter"),
    ],
)
def test_the_title_is_that_of_the_page_alone(head: str, heading: str, title: str):
    page = f"<head>{head}</head>{heading}<p>They lie on the shore, and nobody rows them before the ice is gone."
    assert extract(page, url="https://s.example/a/1").metadata.title == title
