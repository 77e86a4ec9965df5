"""tamis similarity."""

from __future__ import annotations

import csv
import json
from pathlib import Path

import pytest
from typer.testing import CliRunner

from tamis import compress, parse
from tamis.cli import app
from tamis.io.pages import FilePage

ONE = "<ul><li><b>1</b><li><b>2</b></ul><p>end"
OTHER = "<ul><li><b>1</b></ul><p>end<i>!</i>"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    for name, html in {
        "one": ONE,
        "other": OTHER,
        "shop": "<table><tr><td><img><td>1</table>",
        "shop2": "<table><tr><td><img></table>",
    }.items():
        (tmp_path / f"{name}.html").write_text(html)
    return tmp_path


def run(*arguments: str | Path) -> tuple[int, str, str]:
    result = CliRunner().invoke(app, ["similarity", *map(str, arguments)])
    return result.exit_code, result.stdout, result.stderr


def test_two_pages_give_a_number_and_what_it_is_of(folder):
    assert run(folder / "one.html", folder / "other.html") == (0, "0.9412\n", "free matching by tag of 9 and 8 nodes\n")
    paired = "ordered matching by tag of 9 and 8 nodes; 7 are paired\n"
    assert run(folder / "one.html", folder / "other.html", "--ordered") == (0, "0.8235\n", paired)


def test_explain_shows_both_directions(folder):
    _, shown, _ = run(folder / "one.html", folder / "other.html", "--explain")
    there, back = shown.split("other.html to ")
    assert "1.000      ul[1] (5)  matches ul[1]" in there
    assert "0.000        i[1] (1)  no match" in back
    _, shown, _ = run(folder / "one.html", folder / "other.html", "--explain", "--lines", "2")
    assert shown.count("more lines") == 2


def test_explanation_as_json_has_the_paths(folder):
    _, shown, _ = run(folder / "one.html", folder / "other.html", "--explain", "--json", "--ordered")
    values = json.loads(shown)
    assert values["pairs of nodes"] == 7
    assert values["nodes"] == [9, 8]
    assert {met["partner"] for met in values["second to first"] if met["element"].endswith("/i[1]")} == {None}


def test_a_folder_gives_clusters_and_a_matrix(folder):
    code, shown, said = run(folder, "-o", folder / "m.csv")
    assert code == 0
    assert "4 pages in 2 clusters" in shown
    assert "m.csv" in said
    rows = list(csv.reader((folder / "m.csv").open()))
    assert rows[0][:2] == ["page", "cluster"]
    assert [row[1] for row in rows[1:]] == ["0", "0", "1", "1"]
    assert float(rows[1][3]) == pytest.approx(16 / 17, abs=1e-5)


def test_a_folder_as_json_and_as_a_picture(folder):
    pytest.importorskip("matplotlib")
    _, shown, _ = run(folder, "--json", "--threshold", "0", "--heat-map", folder / "m.png")
    values = json.loads(shown)
    assert values["clusters"] == [0, 0, 0, 0]
    assert values["similarity"][0][0] == 1
    assert (folder / "m.png").stat().st_size > 1000
    run(folder, "-o", folder / "m.json")
    assert json.loads((folder / "m.json").read_text())["pages"] == values["pages"]


def test_compressed_pages_are_told_by_distinct_subtrees_and_bytes(folder):
    (folder / "list.html").write_text(f"<ul>{'<li><b>1</b>' * 500}</ul>")
    code, shown, _ = run(folder / "list.html", "--compress")
    assert code == 0
    assert shown.splitlines()[0].split() == "nodes distinct subtrees bytes of HTML compressed page".split()
    (page,) = json.loads(run(folder / "list.html", "--compress", "--json")[1])
    assert (page["nodes"], page["distinct subtrees"], page["bytes of HTML"]) == (1004, 6, 6009)
    assert page["compressed"] == len(compress(parse(folder / "list.html"))) < 500
    assert run(folder, "--compress", "--json")[1].count('"page"') == 5


def test_pages_are_read_once_to_be_compressed(folder, monkeypatch):
    read, asked = FilePage.read, list[str]()
    monkeypatch.setattr(FilePage, "read", lambda self, *limits: asked.append(self.name) or read(self, *limits))
    assert run(folder, "--compress")[0] == 0
    assert len(asked) == len(set(asked)) == 4


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["one.html"], "takes two pages or a folder"),
        ([".", "--compress", "-o", "m.csv"], "--compress compares nothing"),
        (["one.html", "other.html", "-o", "m.csv"], "--output is for a folder"),
        ([".", "--explain"], "--explain is for two pages, not 4"),
        ([".", "-o", "m.txt"], "as .csv or .json"),
    ],
)
def test_mistakes_are_told_in_a_sentence(folder, monkeypatch, arguments, said):
    monkeypatch.chdir(folder)
    code, shown, complaint = run(*arguments)
    assert (code, shown) == (2, "")
    assert said in complaint


def test_pages_that_cannot_be_read_cost_only_themselves(folder):
    (folder / "broken.html.gz").write_bytes(b"\x1f\x8b damaged")
    code, shown, said = run(folder)
    assert code == 0
    assert "4 pages in 2 clusters" in shown
    assert "1 page could not be read" in said
    (folder / "lone").mkdir()
    for name in ("a", "b"):
        (folder / "lone" / f"{name}.html.gz").write_bytes(b"\x1f\x8b damaged")
    assert run(folder / "lone")[0] == 1
