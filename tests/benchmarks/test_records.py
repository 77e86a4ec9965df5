"""The records bench on small hand-made gold."""

from __future__ import annotations

import gzip
import json
import os
from pathlib import Path

import pytest

from benchmarks import record_judging, records
from benchmarks.record_gold import PageText, locate, read_record_pages, sample_node, squeezed
from tamis import SourceError, UsageError, find_records, parse
from tests.records.pages import BOATS, one, shop

DATA = Path(os.environ.get("TAMIS_DATA", Path(__file__).parents[3] / "shared" / "data")) / "records"


@pytest.fixture
def folder(tmp_path):
    """Two pages of a shop with the cells of their records, and one whose gold is partly not on the page."""
    home = tmp_path / "shops"
    (home / "pages").mkdir(parents=True)
    gold = []
    for k, boats in enumerate((BOATS, BOATS[:4])):
        (home / "pages" / f"{k}.html.gz").write_bytes(gzip.compress(shop(boats).encode()))
        cells = [[boat[0], boat[1], boat[2] or ""] for boat in boats]
        gold.append({"file": f"{k}.html.gz", "site": "harbour", "records": cells})
    gold[1]["records"].append(["Phantom", "A boat that is on no page.", "98765"])
    (home / "gold.json").write_text(json.dumps(gold))
    return home


@pytest.fixture
def first(folder):
    page = read_record_pages(folder)[0]
    tree = parse(page.path)
    return (tree, *locate(page, tree))


def test_gold_is_found_on_the_page(first):
    _, text, gold = first
    assert [text.text[slice(*record.anchor)] for record in gold] == [squeezed(boat[1]) for boat in BOATS]
    assert gold[2].values == ("Petrel", "Built for rough water, and it shows in the galley.")


def test_records_that_the_page_does_not_hold_have_no_place(folder):
    page = read_record_pages(folder)[1]
    _, gold = locate(page, parse(page.path))
    assert gold[-1].anchor is None


def test_the_sample_is_the_whole_record(first):
    tree, text, gold = first
    assert sample_node(text, gold, 0) == one(tree, "li", 10)


def test_the_sample_of_a_run_is_what_it_begins_with(tmp_path):
    page = "<body>" + "".join(f"<b>Chapter {k}</b> the words of verse number {k} <br>" for k in range(3))
    (tmp_path / "pages").mkdir()
    (tmp_path / "pages/a.html").write_text(page)
    records = [[f"Chapter {k}", f"the words of verse number {k}"] for k in range(3)]
    (tmp_path / "gold.json").write_text(json.dumps([{"file": "a.html", "site": "s", "records": records}]))
    tree = parse(page)
    text, gold = locate(read_record_pages(tmp_path)[0], tree)
    assert [sample_node(text, gold, k) for k in range(3)] == [node for node in range(len(tree)) if tree.name(node) == "b"]


def gold_of(tmp_path, page, gold):
    (tmp_path / "pages").mkdir()
    (tmp_path / "pages/a.html").write_text(page)
    (tmp_path / "gold.json").write_text(json.dumps([{"file": "a.html", "site": "s", "records": gold}]))
    tree = parse(page)
    return locate(read_record_pages(tmp_path)[0], tree)


def located(tmp_path, page, gold):
    text, records = gold_of(tmp_path, page, gold)
    return [text.text[slice(*record.anchor)] if record.anchor else None for record in records]


def test_gold_as_it_stands_in_the_source_is_read(tmp_path):
    assert located(tmp_path, "<p>Caf&eacute; Orion</p><p>Pier &amp; Co</p>", [["Caf&eacute; Orion"], ["Pier &amp; Co"]]) == [
        "caféorion",
        "pier&co",
    ]


def test_a_cell_with_other_punctuation_than_the_page_is_on_the_page(tmp_path):
    page = "<p><b>Longport Bay</b> The harbour’s ferry</p><p><b>Oldhaven</b> No ferry</p>"
    gold = [["Longport Bay", "The harbour's ferry"], ["Oldhaven", "No ferry", "A train"]]
    assert [record.values for record in gold_of(tmp_path, page, gold)[1]] == [tuple(gold[0]), ("Oldhaven", "No ferry")]


def test_a_record_without_a_unique_cell_is_known_by_one_that_is_unique_between_its_neighbours(tmp_path):
    towns = ["Longport Bay", "Oldhaven", "Sandwick"]
    page = "<p>Oldhaven, Sandwick</p>" + "".join(f"<p><b>{town}</b> <i>with a harbour nearby</i></p>" for town in towns)
    found = located(tmp_path, page, [[town, "with a harbour nearby"] for town in towns])
    assert found == ["longportbay", "oldhaven", "sandwick"]


def test_all_found_is_full_marks(first):
    tree, text, gold = first
    outcome = record_judging.judge(0, text, gold, find_records(tree))
    assert (outcome.gold, outcome.given, outcome.found, outcome.f1) == (5, 5, 5, 1.0)
    assert (outcome.right_cells, outcome.gold_cells, outcome.cell_f1) == (14, 14, 1.0)


def test_nothing_found_is_nothing(first):
    _, text, gold = first
    outcome = record_judging.judge(0, text, gold, None)
    assert (outcome.found, outcome.given, outcome.f1, outcome.cell_f1) == (0, 0, 0.0, 0.0)


def test_a_list_of_something_else_is_all_missed_and_all_invented(first):
    tree, text, gold = first
    outcome = record_judging.judge(0, text, gold, find_records(tree, like="nav li"))
    assert (outcome.found, outcome.given) == (0, 10)


def test_two_records_in_one_are_not_found(first):
    tree, text, gold = first
    whole = text.place(one(tree, "ul", 1), int(tree.end[one(tree, "ul", 1)]))
    assert record_judging.match(text.text, gold, [whole]) == []


def test_a_part_of_a_record_is_not_found(first):
    tree, text, gold = first
    places = [text.place(node, int(tree.end[node])) for node in range(len(tree)) if tree.name(node) == "h3"]
    assert record_judging.match(text.text, gold, places) == []


def test_a_record_given_twice_counts_once(first):
    tree, text, gold = first
    place = text.place(one(tree, "li", 10), int(tree.end[one(tree, "li", 10)]))
    assert record_judging.match(text.text, gold, [place, place]) == [(0, 0)]


def test_the_text_of_a_page_knows_whose_characters_are_whose():
    tree = parse("<body><p>One two<script>x</script><p>three")
    text = PageText(tree)
    assert text.text == "onetwothree"
    assert text.place(one(tree, "p", 1), len(tree)) == (6, 11)
    assert [tree.texts[list(tree.text_nodes).index(node)] for node in text.nodes((7, 9))] == ["three"]


def test_a_run_gives_every_way_and_counts(folder):
    result = records.run([folder], peer_python="no-such-python")
    assert set(result.outcomes) == set(records.WAYS)
    summary = result.summary("no sample")
    assert (summary.pages, summary.gold, summary.found, summary.missed, summary.invented) == (2, 10, 9, 1, 0)
    assert summary.recall == 0.9
    assert result.summary("wrapper").pages == 1
    assert "cannot run no-such-python" in result.not_run["autoscraper"]
    assert json.loads(json.dumps(result.to_dict()))["summary"]["paper"]["shops"]["all"]["gold"] == 10


def test_the_report(folder):
    from rich.console import Console

    from benchmarks.records import report
    from benchmarks.report import to_terminal

    result = records.run([folder], ways=["no sample"], peer_python="no-such-python")
    console = Console(record=True, width=200, file=open(os.devnull, "w", encoding="utf-8"))  # noqa: PTH123, SIM115
    console.print(to_terminal(report(result, by_site=True)))
    shown = console.export_text()
    assert "harbour" in shown
    assert "Not run: mdr" in shown


def test_list_pages_are_judged_by_lines(single_pages):
    from benchmarks.gold import read_gold

    judged = record_judging.judge_list(read_gold(single_pages)[0])
    assert 0 <= judged.recall <= judged.recall_of_all <= 1


def test_mistakes_are_told(tmp_path, folder):
    with pytest.raises(SourceError, match=r"gold\.json"):
        read_record_pages(tmp_path / "none")
    with pytest.raises(UsageError, match="no way"):
        records.run([folder], ways=["magic"])


def test_the_command(folder, tmp_path):
    from typer.testing import CliRunner

    from benchmarks.__main__ import app

    words = ["records", str(folder), "--ways", "no sample,paper", "--json", str(tmp_path / "r.json"), "--peer-python", "none"]
    result = CliRunner().invoke(app, words)
    assert result.exit_code == 0, result.output
    assert json.loads((tmp_path / "r.json").read_text())["bench"] == "records"


@pytest.mark.skipif(not DATA.is_dir(), reason="needs real pages in ../shared/data/records")
def test_most_records_of_real_pages_are_found():
    pages = [page for name in ("search-results", "site-listings") for page in read_record_pages(DATA / name)[::45]]
    outcomes = []
    for number, page in enumerate(pages):
        tree = parse(page.path)
        text, gold = locate(page, tree)
        outcomes.append(record_judging.judge(number, text, gold, find_records(tree)))
    assert record_judging.summarise(outcomes).f1 > 0.85
