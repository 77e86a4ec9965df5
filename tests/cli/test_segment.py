from __future__ import annotations

import json

import pytest

from tamis.errors import MissingExtraError, RenderError


@pytest.mark.usefixtures("site")
def test_blocks_are_printed_as_a_tree(tamis):
    result = tamis("segment", "site/a.html", "--estimated")
    assert result.exit_code == 0
    lines = result.stdout.splitlines()
    assert lines[0] == "2 blocks at PDoC 5, layout estimated from the markup"
    assert "DoC" in lines[1]
    assert "/html[1]/body[1]/article[1]" in result.stdout
    assert "Paragraph 1 says something." in result.stdout


@pytest.mark.usefixtures("site")
def test_pdoc_says_how_fine(tamis):
    counts = [int(tamis("segment", "site/a.html", "--estimated", "--pdoc", pdoc).stdout.split()[0]) for pdoc in ("1", "5", "10")]
    assert counts == sorted(counts)
    assert counts[0] == 1 < counts[2]


@pytest.mark.usefixtures("browser")
def test_a_rendered_page_gives_blocks_and_a_picture(tamis, site):
    result = tamis("segment", "site/a.html", "--picture", "a.png", "--json")
    assert result.exit_code == 0, result.stderr
    values = json.loads(result.stdout)
    assert values["estimated"] is False
    assert values["blocks"][0]["xpaths"] == ["/html[1]"]
    assert (site / "a.png").read_bytes().startswith(b"\x89PNG")
    assert not list(site.glob("*.partial"))


@pytest.mark.parametrize("error", [MissingExtraError("rendering", "browser"), RenderError("no Chromium was found: install one")])
@pytest.mark.usefixtures("site")
def test_without_a_browser_the_layout_is_estimated_and_that_is_said(tamis, monkeypatch, error):
    def fails(*_args, **_options):
        raise error

    monkeypatch.setattr("tamis.cli.render.RenderOptions.page", fails)
    result = tamis("segment", "site/a.html", "--json")
    assert result.exit_code == 0
    assert json.loads(result.stdout)["estimated"] is True
    assert str(error) in result.stderr
    assert "estimated" in result.stderr


@pytest.mark.usefixtures("site")
def test_a_folder_stands_for_its_index(tamis, site):
    (site / "site/index.html").write_text("<p>the index", encoding="utf-8")
    assert "the index" in tamis("segment", "site", "--estimated").stdout


def test_a_page_on_which_nothing_is_seen_ends_with_code_3(tamis, site):
    (site / "empty.html").write_text("<div hidden>a</div>", encoding="utf-8")
    result = tamis("segment", "empty.html", "--estimated")
    assert result.exit_code == 3
    assert "nothing on this page is visible" in result.stderr


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["site/none.html"], "no file or folder 'site/none.html'"),
        (["site/a.html", "--picture", "a.jpg"], "ends in .png"),
        (["site/a.html", "--pdoc", "11"], "'--pdoc'"),
    ],
)
@pytest.mark.usefixtures("site")
def test_mistakes_are_said_in_a_sentence(tamis, words, said):
    result = tamis("segment", *words, "--estimated")
    assert result.exit_code in (1, 2)
    assert said in " ".join(result.stderr.split())
