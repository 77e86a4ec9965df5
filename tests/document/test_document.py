"""Documents: the blocks of a page and their roles."""

import tamis


def test_blocks_have_roles():
    said = (
        "<title>Reeds in winter - The Marsh</title><nav><a href=/>Home</a> <a href=/a>About us</a></nav>"
        "<article class=post><h1>Reeds in winter</h1><p class=byline>By Edith Marlowe, 3 May 2020</p>"
        + "<p>Reeds grow where the water is calm and low, and in winter they are cut, dried and bound for the roofs of the village.</p>" * 3
        + "</article><div id=comments><h3>Comments</h3><div class=comment><cite>Bob</cite><p>I like this very much, thanks!</p></div></div>"
    )
    roles = {block.text: block.role for block in tamis.extract(said).blocks}
    assert roles["Reeds in winter"] == "title"
    assert roles["Home About us"] == "other"
    assert [block.role for block in tamis.extract(said).blocks if block.kept].count("main") >= 3
    assert {block.role for block in tamis.extract(said, method="attenuation").blocks} == {"main", "other"}


def test_title_author_and_date_are_those_of_the_metadata():
    page = tamis.extract(
        "<title>Reeds</title><meta name=author content='Ann Lee'><meta name=date content=2024-03-05><h1>Reeds</h1><p>They bend."
    )
    assert (page.title, page.author, page.date) == ("Reeds", "Ann Lee", "2024-03-05")
