from __future__ import annotations

import json

import pytest

from demo import write_site
from demo.server import serving
from tamis.io.sources import open_page, open_sources
from tamis.layer.denoising import Denoising, denoise
from tamis.layer.siblings import choose_siblings
from tests.layer.test_denoising import PAGES, STORIES


@pytest.fixture
def birds(tmp_path, monkeypatch):
    (tmp_path / "birds").mkdir()
    for name, html in PAGES.items():
        (tmp_path / f"birds/{name}.html").write_text(html, encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    return tmp_path


def test_a_saved_page_is_compared_with_those_of_its_folder(birds, tamis):
    result = tamis("denoise", "birds/herons.html")
    assert result.exit_code == 0, result.output
    assert result.stdout.splitlines() == ["All about herons", *STORIES["herons"]]
    assert "compared with birds/storks.html" in result.stderr
    assert "compared with birds/cranes.html" in result.stderr


def test_siblings_from_elsewhere_and_as_many_as_asked_for(birds, tamis):
    (birds / "herons.html").write_text(PAGES["herons"], encoding="utf-8")
    result = tamis("denoise", "herons.html", "--siblings", "birds/storks.html", "--siblings", "birds/cranes.html", "-k", 1)
    assert result.exit_code == 0, result.output
    assert result.stderr.count("compared with") == 1


def test_blocks_are_explained(birds, tamis):
    result = tamis("denoise", "birds/herons.html", "--explain")
    assert "blocks are noise (-); same-layer pages: 2" in result.stdout
    assert "\n- Home" in result.stdout
    assert "\n+ All about herons" in result.stdout
    assert "in 2 of them: tags 100%, text 100% at /html[1]/body[1]/nav[1]" in result.stdout


def test_blocks_as_json(birds, tamis):
    result = tamis("denoise", "birds/herons.html", "--explain", "-f", "json", "-o", "why.json")
    assert result.exit_code == 0, result.output
    values = json.loads((birds / "why.json").read_text("utf-8"))
    assert values["blocks"][0]["noise"]
    assert len(values["siblings"]) == 2


def test_forms_of_the_output(birds, tamis):
    assert tamis("denoise", "birds/herons.html", "-f", "markdown").stdout.startswith("# All about herons")
    assert json.loads(tamis("denoise", "birds/herons.html", "-f", "json").stdout)["method"] == "same-layer"


def test_thresholds_are_passed_on(birds, tamis):
    kept = tamis("denoise", "birds/herons.html", "--min-support", 3).stdout
    assert "Birds" in kept
    assert "Birds" not in tamis("denoise", "birds/herons.html", "--paper", "--alpha", 0.9, "--beta", 0.9, "--pdoc", 7).stdout


@pytest.mark.parametrize(("option", "value"), [("--alpha", 0.9), ("--beta", 0.7)])
def test_alpha_and_beta_are_each_passed_on(tmp_path, tamis, option, value):
    block = "<p><b>ada bert carl dora emil finn</b><i>{} {}</i><u>{} {}</u><{tag}></{tag}></p>"  # 7 of 8 nodes, 6 of 10 words are the same
    for name, own, tag in (("one", "gert hans ida jana", "b"), ("other", "kai lena mona nele", "s")):
        (tmp_path / f"{name}.html").write_text(f"<body>{block.format(*own.split(), tag=tag)}<h1>{name}</h1></body>")
    assert "ada bert" not in tamis("denoise", tmp_path / "one.html", "--paper").stdout
    assert "ada bert" in tamis("denoise", tmp_path / "one.html", "--paper", option, value).stdout


def test_a_page_alone_in_its_folder_says_what_to_do(birds, tamis):
    (birds / "alone").mkdir()
    (birds / "alone/herons.html").write_text(PAGES["herons"], encoding="utf-8")
    result = tamis("denoise", "alone/herons.html")
    assert result.exit_code == 1
    assert "no page in alone but the page itself: name others with --siblings" in result.stderr


def test_nothing_left_ends_with_code_3(birds, tamis):
    (birds / "same").mkdir()
    menu = "<body><ul><li><a href=/a>One</a><li><a href=/b>Two</a><li><a href=/c>Three</a></ul>"
    for name in "ab":
        (birds / f"same/{name}.html").write_text(menu, encoding="utf-8")
    result = tamis("denoise", "same/a.html")
    assert result.exit_code == 3
    assert "nothing is left" in result.stderr


def test_a_page_that_is_not_there_is_named(birds, tamis):
    result = tamis("denoise", "birds/nosuch.html")
    assert result.exit_code == 1
    assert "nosuch.html" in result.stderr


@pytest.fixture
def web(tmp_path, birds):
    """The birds on a server, with a page that links to them."""
    pytest.importorskip("protego")
    for name in PAGES:
        links = "".join(f"<a href=/birds/{other}.html>{other}</a> " for other in PAGES if other != name)
        html = PAGES[name].replace("<footer>", f"<div class=more>{links}</div><footer>")
        (tmp_path / f"birds/{name}.html").write_text(html, encoding="utf-8")
    with serving(tmp_path) as url:
        yield url


def test_a_page_of_the_web_is_compared_with_those_it_links_to(web, tamis):
    result = tamis("denoise", f"{web}birds/herons.html", "-k", 2, "--allow-private")
    assert result.exit_code == 0, result.output
    assert result.stdout.splitlines() == ["All about herons", *STORIES["herons"]]
    assert f"compared with {web}birds/storks.html" in result.stderr


@pytest.mark.parametrize("paper", [False, True])
def test_the_command_has_the_blocks_and_the_verdicts_of_the_library(tmp_path, tamis, paper):
    write_site(tmp_path)  # a thread of the forum is a list of articles, which stays whole here
    page, *others = (str(tmp_path / "forum" / f"{name}.html") for name in ("teak-oil", "hull-paint", "radio-licence"))
    layer = choose_siblings(open_page(page), list(open_sources(others)), 2)
    wanted, other = (
        [(block["xpath"], block["noise"]) for block in denoise(layer.page, layer.pages, settings).explain()]
        for settings in ((Denoising.paper(), Denoising()) if paper else (Denoising(), Denoising.paper()))
    )
    found = tamis("denoise", page, "-k", 2, *(f"--siblings={each}" for each in others), "--explain", "-f", "json", *["--paper"] * paper)
    assert [(block["xpath"], block["noise"]) for block in json.loads(found.stdout)["blocks"]] == wanted != other
