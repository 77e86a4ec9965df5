from __future__ import annotations

import json

import pytest

from demo import write_site
from demo.server import serving
from tamis import Papers, extract, learn
from tamis.io.sources import open_sources
from tamis.layer.siblings import choose_siblings, see
from tamis.papers.html import to_html
from tamis.papers.report import report

TITLES = ["Same-layer pages", "Site style tree", "Attenuation", "Records by key tree", "Feature codes", "The five together"]


@pytest.fixture(scope="module")
def news(tmp_path_factory):
    folder = tmp_path_factory.mktemp("bay")
    write_site(folder)
    return folder / "news"


def test_six_numbered_sections_fit_into_eighty_columns(news, tamis, monkeypatch):
    monkeypatch.setenv("COLUMNS", "80")
    result = tamis("papers", news / "oysters.html")
    assert result.exit_code == 0, result.output
    lines = result.stdout.splitlines()
    assert [line.split("  ")[0] for line in lines if line[:2] in [f"{k}." for k in range(1, 7)]] == [
        line for number, title in enumerate(TITLES, 1) for line in lines_of(number, title, lines)
    ]
    assert max(map(len, lines)) <= 80
    for figure in ("Tag >= 0.8 and Text >= 0.6", "gamma = 0.9", "r <= T = 0.34", "DL > 0.65", "Sim > ST = 0.8", "aggregation factor"):
        assert figure in result.stdout


def lines_of(number, title, lines):
    found = [line.split("  ")[0] for line in lines if line.startswith(f"{number}. {title}")]
    assert len(found) == 1
    return found


def test_a_folder_is_a_site_and_json_has_the_whole_report(news, tamis, tmp_path):
    assert tamis("papers", news, "-o", tmp_path / "report.json").exit_code == 0
    found = json.loads((tmp_path / "report.json").read_text(encoding="utf-8"))
    assert found["pages"] == 9
    tree = next(table for table in found["sections"][1]["tables"] if "NodeImp" in table["headings"])
    verdicts = {row[5] for row in tree["rows"]}
    assert {"noisy", "meaningful"} <= verdicts
    assert any(row[0].lstrip().startswith("= ") for row in tree["rows"])  # a style node


def test_the_style_tree_is_printed_along_the_page_and_its_threshold_marked(news, tamis):
    whole = json.loads(tamis("papers", news.parent / "old" / "yujia.html", "--site", news.parent, "--json").stdout)
    tree, bars = whole["sections"][1]["tables"]
    assert [row[0].split() for row in tree["rows"][:2]] == [["body"], ["=", "table", "center"]]  # not the layout of most pages
    (marked,) = (row for row in bars["rows"] if "t = " in row[2])
    low, high = map(float, marked[0].split(" to "))
    assert low <= float(marked[2].split("t = ")[1]) <= high


@pytest.mark.parametrize(
    ("page", "listed"), [("handbook/tables.html", "handbook/tables.html"), ("handbook/install.html", "handbook/index.html")]
)
def test_records_are_those_of_the_page_or_of_the_list_with_the_most_text(news, tamis, page, listed):
    section = json.loads(tamis("papers", news.parent / page, "--json").stdout)["sections"][3]
    assert section["facts"][0].endswith(f"/{listed}")


def test_html_has_no_markup_of_the_page(tmp_path):
    hostile = "<h1>&lt;script&gt;alert(1)&lt;/script&gt; reeds</h1><p>Reeds grow where the water is calm.</p>"
    for name in ("one", "two"):
        (tmp_path / f"{name}.html").write_text(f"<body>{hostile}<p>{name}</p></body>", encoding="utf-8")
    sources = list(open_sources([str(tmp_path)]))
    layer = choose_siblings(sources[0], sources[1:])
    html = to_html(report(layer, [see(sources[1])]))
    assert "<script" not in html
    assert "&lt;script&gt;" in html


def test_a_page_of_the_web_is_compared_with_those_it_links_to(news, tamis):
    with serving(news.parent) as url:
        result = tamis("papers", f"{url}/news/oysters.html", "--allow-private", "--json")
    assert result.exit_code == 0, result.output
    assert json.loads(result.stdout)["pages"] > 1


def test_a_sample_is_the_key_tree(news, tamis):
    result = tamis("papers", news / "index.html", "--like", ".card", "--json")
    section = json.loads(result.stdout)["sections"][3]
    assert "7 of 22 elements div are records: Sim > ST = 0.8" in section["facts"]
    assert tamis("papers", news / "index.html", "--like", ".nothing").exit_code == 2


def test_the_report_does_not_change_what_is_read_first(news):
    sources = list(open_sources([str(news)]))
    layer = choose_siblings(sources[0], sources[1:])
    others = [see(source) for source in sources[1:]]
    assert report(layer, others).to_dict() == report(layer, others).to_dict()


def test_what_the_five_keep_is_the_method_papers(news):
    model = learn(news, method="papers")
    document = extract(news / "oysters.html", method=Papers(), model=model)
    assert document.selection.method == "papers"
    assert "Cold water and a long autumn" in document.text
    assert "All rights reserved" not in document.text
