import pytest

from benchmarks import markdown as bench
from benchmarks.peers import MARKDOWN_PEERS
from tamis.errors import SourceError

GOLD = sorted(bench.PAGES.glob("*.md"))
TABLE = "| a | b |\n|---|---|\n| 1 | 2 |"


def test_there_are_thirty_pages_of_every_kind():
    found = [bench.parts(path.read_text("utf-8")) for path in GOLD]
    assert len(found) >= 30
    assert all(path.with_suffix(".html").is_file() for path in GOLD)
    for kind in ("code", "formulas", "cells"):
        assert sum(bool(getattr(each, kind)) for each in found) >= 5, kind
    assert sum("colspan" in path.read_text("utf-8") for path in GOLD) >= 3
    assert sum("的" in each.text for each in found) >= 5


@pytest.mark.parametrize("path", GOLD, ids=lambda path: path.stem)
def test_gold_is_right_against_itself(path):
    assert {1.0} <= {1.0, None} >= set(bench.compare(path.read_text("utf-8"), path.read_text("utf-8")).values())


def test_spelling_does_not_count():
    one = bench.compare("Let *it*\nbe [so](/x).\n\n" + TABLE, "Let _it_ be so.\n\n<table><tr><td>a<td>b<tr><th>1<th>2</table>")
    assert (one["text"], one["tables"], one["teds"]) == (1.0, 1.0, 1.0)
    assert bench.compare("    x = 1", "```c\nx = 1\n```")["code"] == 1.0


def test_what_is_lost_costs():
    gold = f"The sea is $g h$ deep.\n\n{TABLE}\n\n```\nx\n```"
    found = bench.compare("The sea is deep.", gold)
    assert [found[name] for name in ("code", "formulas", "tables")] == [0, 0, 0]
    assert found["teds"] == pytest.approx(1 / 8)
    merged = bench.compare(TABLE, "<table><tr><td colspan=2>a<tr><td>1<td>2</table>")
    assert merged["teds"] == pytest.approx(1 - 2 / 8)
    assert 0 < bench.rouge("one two three four five six", "one two three four five seven") < 1


def test_every_tool_is_scored_on_a_folder(tmp_path):
    (tmp_path / "a.html").write_text("<main><h1>Tides</h1>" + "<p>Twice a day the sea comes up, and twice it goes.</p>" * 3)
    (tmp_path / "a.md").write_text("# Tides\n\n" + "Twice a day the sea comes up, and twice it goes.\n\n" * 3)
    scores = bench.run(tmp_path)
    assert [score.standing.peer for score in scores] == list(MARKDOWN_PEERS)
    assert (scores[0].mean("text"), scores[0].mean("code")) == (1.0, None)
    assert all(score.pages or score.standing.reason for score in scores)
    with pytest.raises(SourceError, match=r"NAME\.md"):
        bench.run(tmp_path / "nothing")
