"""Pages that are too large, too deep or too odd give an answer all the same, and not after minutes."""

import pytest

from tamis import find_records, parse
from tamis.records import candidates as room
from tamis.records.candidates import places
from tamis.records.labels import Key
from tamis.records.search import ranked
from tamis.records.table import MAX_COLUMNS

MANY = 20_000
MANY_ITEMS = 70_000
WORDS = [f"{chr(97 + k % 26)}{chr(97 + k // 26 % 26)}{chr(97 + k // 676 % 26)}" for k in range(MANY)]


def test_equal_siblings_by_the_ten_thousand():
    found = find_records("<ul>" + "<li>x</li>" * MANY_ITEMS + "</ul>")
    assert len(found.main) == MANY_ITEMS


def test_as_many_with_a_sample():
    found = find_records("<ul>" + "<li>x</li>" * MANY_ITEMS + "</ul>", like="li")
    assert len(found.main) == MANY_ITEMS
    assert f"{MANY_ITEMS:,} elements" in found.notes[0]


def test_a_name_for_each_sibling_searches_for_few_runs(monkeypatch):
    monkeypatch.setattr(room, "MAX_RUN_WORK", 200_000)
    page = places(parse("<ul>" + "".join(f"<li class={word}>t</li>" for word in WORDS) + "</ul>"))
    found = room.candidates(page)
    assert max(len(each.heads) for each in found) == MANY
    looked_at = sum(int(each.spans[-1, 0] - each.spans[0, 0]) for each in found if each.run)
    assert looked_at <= 2 * 200_000


def test_only_what_may_be_best_is_compared(monkeypatch):
    from tamis.records import search as ranking

    compared = []
    likeness = ranking._likeness
    monkeypatch.setattr(ranking, "_likeness", lambda page, each: compared.append(each) or likeness(page, each))
    page = places(parse("<ul>" + "".join(f"<li class={word}><a href=/>t</a> <b>p</b></li>" for word in WORDS[:3_000] * 2) + "</ul>"))
    ranked(page, room.candidates(page))
    assert 0 < len(compared) < 1_000


@pytest.mark.parametrize("html", ["<div>" * 15_000 + "x", "<ul><li>a<li>b" * 1_000, "<table><tr><td>" * 2_000, "<b>" * 15_000])
def test_deep_nesting(html):
    found = find_records(html)
    assert found.table.to_csv()
    if found.main is not None:
        assert found.main.to_wrapper().to_dict()


def test_a_huge_table():
    found = find_records("<table>" + ("<tr>" + "<td>x</td>" * 100) * 300 + "</table>")
    assert (len(found.table), len(found.table.columns)) == (300, 100)
    assert len(found.data_tables[0].rows) == 300


def test_records_of_very_many_fields():
    found = find_records("<ul>" + ("<li>" + "<p>x</p>" * 5_000) * 3 + "</ul>", like="li")
    assert len(found.table.columns) <= MAX_COLUMNS


def test_records_that_are_all_different_have_a_bounded_number_of_columns():
    items = "".join(f"<li><b class=x{word}>a</b><i class=y{word}>b</i></li>" for word in WORDS[:2_000])
    assert len(find_records(f"<ul>{items}</ul>", like="li").table.columns) <= MAX_COLUMNS


@pytest.mark.parametrize(
    "html", ["\x00\xff<li>", "<li", "<ul><li>\ud800<li>x", "<html><frameset>", "<li class='" + "a " * 5_000 + "'>x<li>y"]
)
def test_broken_markup_raises_nothing(html):
    find_records(html).table.to_jsonl()


def test_equal_chains_of_wrappers_are_settled_in_bounded_steps(monkeypatch):
    from tamis.records import search as settling

    looked_at = []
    isin = settling.np.isin
    monkeypatch.setattr(settling.np, "isin", lambda *args: looked_at.append(1) or isin(*args))
    chain = "<div>" * 2_000 + "a long line of text <b>and</b> <i>more</i>" + "</div>" * 2_000
    assert len(find_records(chain * 2).tree) > 4_000
    assert len(looked_at) < 20_000


def test_lines_of_one_element_are_put_together_in_linear_time():
    page = "<ul>" + "<li><p>a</p>b" * 5 + "<li><p>x</p>" + f"{'words of it ' * 20}<br>" * 20_000 + "</ul>"
    found = find_records(page, like="li").main
    assert found is not None
    assert found.fields[-1][-1].value.count("words") == 400_000


def test_empty_places_of_wide_tables_cost_nothing(monkeypatch):
    from tamis.records import columns

    made = []
    monkeypatch.setattr(columns, "Key", lambda *values: made.append(values) or Key(*values))
    table = "<p>Words.</p><table><tr>" + "<th>a" * 1_000 + "<tr><td>b<td>c" * 500 + "</table>"
    found = find_records(parse(table * 2))
    assert len(found.table.rows) == 1_000
    assert len(found.table.columns) == 2
    assert len(made) < 2 * 3 * 1_000  # by column and kind, not by row
