"""Records of many pages: rows in a file, columns that grow."""

from __future__ import annotations

from contextlib import closing

import pytest

from tamis import find_records, learn_records
from tamis.io.temporary import TemporaryStore
from tamis.records import collecting
from tamis.records.collecting import PageRecords, StoredRows, stored
from tamis.records.columns import align_records
from tamis.records.table import Column, Table
from tests.records.pages import BOATS, shop


def pages(count):
    return [shop([(f"{boat[0]} {k}", *boat[1:]) for boat in BOATS], f"Page {k}") for k in range(count)]


def collected(found, *kinds):
    with closing(PageRecords()) as records:
        for number, each in enumerate(found):
            records.add(f"{number}.html", each.main)
        return [(table.names, tuple(table.rows)) for table in [each.table(*kinds) for each in records.layouts.values()]]


@pytest.mark.parametrize("together", [1, 2, 30])
def test_pages_aligned_a_few_at_a_time_give_the_rows_of_all_at_once(monkeypatch, together):
    monkeypatch.setattr(collecting, "TOGETHER", together)
    wrapper = learn_records(pages(3))
    found = [find_records(page, wrapper=wrapper) for page in pages(7)]
    whole = align_records([each.main for each in found]).arranged()
    [(names, rows)] = collected(found, "text", "link", "image")
    assert names == ("page", *whole.names)
    assert [row[1:] for row in rows] == list(whole.rows)
    assert [row[0] for row in rows] == [f"{k}.html" for k in range(7) for _ in BOATS]


def test_a_field_of_a_later_page_gets_a_column_that_earlier_rows_leave_empty(monkeypatch):
    monkeypatch.setattr(collecting, "TOGETHER", 2)
    wrapper = learn_records(pages(2))
    later = pages(4)[3].replace("</li>", "<em class=berth>Berth 4, north</em></li>")
    found = [find_records(page, wrapper=wrapper) for page in (*pages(3), later)]
    [(names, rows)] = collected(found, "text")
    (place,) = {k for row in rows for k, value in enumerate(row) if value == "Berth 4, north"}
    assert [row[place] for row in rows] == [None] * 15 + ["Berth 4, north"] * 5
    assert names[place] == "text 2"


def test_few_pages_wait_to_be_aligned(monkeypatch):
    monkeypatch.setattr(collecting, "MAX_NODES", 200)
    wrapper = learn_records(pages(2))
    with closing(PageRecords()) as records:
        for page in pages(9):
            records.add("page", find_records(page, wrapper=wrapper).main)
            assert sum(len(region.page.tree) for each in records.layouts.values() for _, region in each.waiting) <= 200


def test_a_column_of_the_page_of_a_record_is_not_that_of_its_file():
    page = "<table><tr><th>page<th>words<tr><td>12<td>tides<tr><td>14<td>knots</table>"
    wrapper = learn_records([page])
    [(names, rows)] = collected([find_records(page, wrapper=wrapper)] * 2, "text")
    assert names == ("page", "page 2", "words")
    assert rows[0] == ("0.html", "12", "tides")


def test_stored_rows_are_those_of_the_table():
    store = TemporaryStore()
    with closing(store):
        tables = [Table((Column("a"), Column("b")), ((f"{k}", None), ("é\n", "x"))) for k in range(3)]
        kept = [stored(table, store) for table in tables]
        for own, table in zip(kept, tables, strict=True):
            assert isinstance(own.rows, StoredRows)
            assert (own.rows[:], own.rows[-1], len(own)) == (table.rows, table.rows[-1], 2)
            assert (own.to_csv(), own.to_json(), own.to_jsonl()) == (table.to_csv(), table.to_json(), table.to_jsonl())
