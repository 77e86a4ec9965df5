from __future__ import annotations

import pytest

from tamis import Denoising, UsageError, denoise, parse
from tamis.layer.settings import SameLayer
from tamis.layer.siblings import SeenPage
from tamis.page.appearance import Appearance
from tamis.segmentation import vips
from tamis.segmentation.estimate import estimate_appearance

STORIES = {
    "herons": ("They wait in the reeds until the water is quiet.", "Then they strike, and seldom miss what they were after."),
    "storks": ("Every chimney of the village carries one of their nests.", "In August all of them leave within a single week."),
    "cranes": ("Before sunrise the whole meadow is full of dancing birds.", "Nobody has found out yet what all that is good for."),
}


def page(name: str) -> str:
    paragraphs = "".join(f"<p>{text}</p>" for text in STORIES[name])
    return (
        f"<!doctype html><title>{name}</title>"
        "<body><nav><ul><li><a href=/>Home</a><li><a href=/birds>Birds</a><li><a href=/fish>Fish</a></ul></nav>"
        f"<article><h1>All about {name}</h1><div class=text>{paragraphs}</div></article>"
        "<footer><p>Written by members of the society, who would like to hear from you</p></footer>"
    )


PAGES = {name: page(name) for name in STORIES}
OTHERS = [PAGES["storks"], PAGES["cranes"]]


def test_the_page_without_its_noise() -> None:
    document = denoise(PAGES["herons"], OTHERS, url="https://birds.example/herons")
    assert document.text.splitlines() == ["All about herons", *STORIES["herons"]]
    assert document.url == "https://birds.example/herons"
    assert document.metadata.title == "herons"
    assert document.problems == ()


def test_every_block_has_a_verdict_with_its_evidence() -> None:
    document = denoise(PAGES["herons"], [SeenPage(parse(PAGES["storks"]), "https://birds.example/storks")])
    explained = document.explain()
    assert "Home" in explained[0]["text"]
    assert explained[0]["noise"]
    assert explained[0]["evidence"][0]["page"] == "https://birds.example/storks"
    assert explained[0]["evidence"][0]["tag_similarity"] == 1.0
    assert {block["noise"] for block in explained if "herons" in block["text"]} == {False}
    reasons = {block.text: block.reason for block in document.blocks}
    assert reasons["Home"] == "found in same-layer pages"
    assert reasons[STORIES["herons"][0]] == "not found in any same-layer page"


def test_without_same_layer_pages_all_is_kept_and_that_is_said() -> None:
    document = denoise(PAGES["herons"], [])
    assert "Home" in document.text
    assert document.problems == ("no same-layer page to compare with: nothing is removed",)


def test_a_text_that_is_compared_in_part_is_noted() -> None:
    long = "<p>" + "word " * 25_000
    assert "only the first 100000 characters of a text were compared" in denoise(long, OTHERS).problems
    assert denoise(PAGES["herons"], [*OTHERS, long]).problems[-1:] == ("only the first 100000 characters of a text were compared",)


@pytest.mark.parametrize("nodes", [4, 14, 20])
def test_what_lies_beyond_the_bound_is_kept_and_that_is_said(monkeypatch: pytest.MonkeyPatch, nodes: int) -> None:
    monkeypatch.setattr(vips, "MAX_NODES", nodes)
    document = denoise(PAGES["herons"], OTHERS)
    assert set(STORIES["herons"]) < set(document.text.splitlines())
    assert document.text.splitlines()[-1].startswith("Written by members")
    assert ("Home" in document.text) == (nodes == 4)
    assert document.problems == (f"only the first {nodes} elements and texts were compared: the rest is kept",)
    assert len(document.selection.keep) == len(parse(PAGES["herons"]))


def test_a_page_of_the_same_article_is_not_compared_with() -> None:
    words = " ".join(f"word{k}" for k in range(60))
    first, second = (f"<body><article><p>{words}<p>{k} and more</article>" for k in (1, 2))
    document = denoise(first, [second])
    assert "word7" in document.text
    assert document.siblings == ()
    assert document.passed[0][0] == "page 1"
    assert document.problems[0].startswith("not compared with page 1: ")


def test_a_page_that_is_all_noise_is_empty_and_says_so() -> None:
    menu = "<body><ul><li><a href=/a>One</a><li><a href=/b>Two</a><li><a href=/c>Three</a></ul>"
    document = denoise(menu, [menu])
    assert document.text == ""
    assert "no text was selected" in document.problems


class Seen:
    """A page that a browser rendered, as far as denoise looks at it."""

    def __init__(self, html: str) -> None:
        self.tree = parse(html)
        self.appearance: Appearance = estimate_appearance(self.tree)
        self.url = "https://birds.example/seen"


def test_a_rendered_page_is_cut_as_it_is_seen(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(vips, "MAX_NODES", 14)  # the bound is of pages that nobody has rendered
    document = denoise(Seen(PAGES["herons"]), OTHERS)
    assert document.url == "https://birds.example/seen"
    assert document.text.splitlines() == ["All about herons", *STORIES["herons"]]
    assert document.segmentation is not None
    assert document.problems == ()


@pytest.mark.parametrize("html", ["", "text", "<p>", "<table><tr>", "\ud800", "<script>x</script>"])
def test_odd_pages_do_not_raise(html: str) -> None:
    for settings in (Denoising(), Denoising(SameLayer.paper())):
        denoise(html, [html, PAGES["herons"]], settings)
        denoise(PAGES["herons"], [html], settings)


def test_wrong_settings_say_what_to_do() -> None:
    with pytest.raises(UsageError, match="a page is HTML text"):
        denoise(7, [])
