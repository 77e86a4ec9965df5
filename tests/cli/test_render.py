from __future__ import annotations

import json

import pytest


@pytest.mark.usefixtures("browser")
def test_one_page_becomes_a_picture_markup_and_columns(tamis, site):
    result = tamis("render", "site/a.html", "-o", "a.png", "-o", "a.html", "-o", "a.json")
    assert result.exit_code == 0, result.stderr
    assert (site / "a.png").read_bytes().startswith(b"\x89PNG")
    assert "<title>Page 1</title>" in (site / "a.html").read_text()
    columns = json.loads((site / "a.json").read_text())
    nodes = len(columns["tag"])
    assert all(len(column) == nodes for name, column in columns.items() if isinstance(column, list) and name != "notes")
    assert columns["title"] == "Page 1"
    assert columns["text"][columns["tag"].index("#text")] == "Page 1"
    assert columns["background"][0] == "#00000000"
    assert not list(site.glob("*.partial"))


@pytest.mark.usefixtures("browser", "site")
def test_without_an_output_the_page_is_described(tamis):
    lines = dict(line.split(maxsplit=1) for line in tamis("render", "site/a.html").stdout.splitlines())
    assert lines["title"] == "Page 1"
    assert lines["size"].startswith("1280 x 1024")
    assert "browser" in lines["seconds"]


@pytest.mark.usefixtures("browser", "site")
def test_extract_takes_the_page_as_the_browser_has_it(tamis):
    assert tamis("extract", "site/a.html", "--browser").stdout == tamis("extract", "site/a.html").stdout


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["site/none.html"], "there is no file or folder 'site/none.html'"),
        (["heron.example/page"], "as an address it would be https://heron.example/page"),
        (["site/a.html", "-o", "a.txt"], "ends in .png, .html, .htm or .json"),
        (["ftp://heron.example/"], "must start with http"),
        (["http://heron.example/", "--offline"], "the browser is offline"),
    ],
)
@pytest.mark.usefixtures("site")
def test_mistakes_are_said_in_a_sentence(tamis, words, said):
    result = tamis("render", *words)
    assert result.exit_code in (1, 2)
    assert said in " ".join(result.stderr.split())


@pytest.mark.usefixtures("site")
def test_a_browser_takes_no_encoding(tamis):
    result = tamis("extract", "site/a.html", "--browser", "--encoding", "latin-1")
    assert result.exit_code == 2
    assert "--encoding is not for --browser" in result.stderr
