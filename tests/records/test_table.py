import csv
import io
import json
from datetime import date

import pytest

from tamis.errors import MissingExtraError, SourceError, UsageError
from tamis.records.table import Column, Table, as_text_cell

TABLE = Table(
    (Column("boat"), Column("price"), Column("boat_url", "link", "h3/a")),
    (("Gannet, old", "4", "/g"), ('The "Tern"', None, "/t"), ("Gannet, old", "4", "/g")),
)


def test_csv_reads_back_and_a_missing_field_is_empty():
    assert list(csv.reader(io.StringIO(TABLE.to_csv()))) == [
        ["boat", "price", "boat_url"],
        ["Gannet, old", "4", "/g"],
        ['The "Tern"', "", "/t"],
        ["Gannet, old", "4", "/g"],
    ]


def test_cells_that_a_spreadsheet_would_run_are_escaped_unless_asked():
    values = ("=1+1", "+49 30 123", "-2", "@SUM(A1)", "\t=1", "-1,234.50", "plain", "+5%")
    table = Table((Column("=cmd"),), tuple((value,) for value in values))
    escaped = ["'=cmd", "'=1+1", "+49 30 123", "-2", "'@SUM(A1)", "'\t=1", "-1,234.50", "plain", "+5%"]
    assert [row[0] for row in csv.reader(io.StringIO(table.to_csv()))] == escaped
    assert [row[0] for row in csv.reader(io.StringIO(table.to_csv(escape=False)))] == ["=cmd", *values]


def test_json_lines_read_back_and_a_missing_field_is_null():
    rows = [json.loads(line) for line in TABLE.to_jsonl().splitlines()]
    assert rows[1] == {"boat": 'The "Tern"', "price": None, "boat_url": "/t"}
    assert len(rows) == 3


def test_parquet_reads_back_with_kinds_and_paths(tmp_path):
    pq = pytest.importorskip("pyarrow.parquet")
    TABLE.to_parquet(tmp_path / "boats.parquet")
    read = pq.read_table(tmp_path / "boats.parquet")
    assert read.to_pylist() == list(TABLE.records())
    assert read.schema.field("boat_url").metadata == {b"kind": b"link", b"path": b"h3/a"}


def test_a_data_frame_has_the_same_values():
    pytest.importorskip("pandas")
    frame = TABLE.to_pandas()
    assert list(frame.columns) == ["boat", "price", "boat_url"]
    assert frame["price"].tolist() == ["4", None, "4"]


def test_arrow_takes_texts_that_utf_8_cannot_hold():
    pytest.importorskip("pyarrow")
    assert Table((Column("a"),), (("\ud800x",),)).to_arrow().to_pylist() == [{"a": "?x"}]


def test_columns_can_be_chosen_by_kind():
    assert TABLE.only("link").rows == (("/g",), ("/t",), ("/g",))


def test_rows_fit_the_columns():
    with pytest.raises(UsageError, match="one value for each column"):
        Table((Column("a"),), (("1", "2"),))


def test_missing_libraries_are_named(monkeypatch, tmp_path):
    import sys

    monkeypatch.setitem(sys.modules, "pyarrow", None)
    monkeypatch.setitem(sys.modules, "pandas", None)
    with pytest.raises(MissingExtraError, match=r"\.\[parquet\]"):
        TABLE.to_parquet(tmp_path / "x.parquet")
    with pytest.raises(MissingExtraError, match=r"\.\[pandas\]"):
        TABLE.to_pandas()


def test_a_folder_that_is_not_there_is_told(tmp_path):
    pytest.importorskip("pyarrow")
    with pytest.raises(SourceError, match="cannot write"):
        TABLE.to_parquet(tmp_path / "no" / "x.parquet")


def test_arrow_has_the_values_of_columns_with_a_type_and_loses_no_text():
    pytest.importorskip("pyarrow")
    typed = (Column("price", type="price"), Column("price text"), Column("replies", type="number"), Column("day", type="date"))
    rows = (("Gannet", "$1,200", "x", "1.1K", "5 March 2024"), ("Auk", "Sold out", None, "29", None))
    arrow = Table((Column("boat"), *typed), rows).to_arrow()
    assert [str(kind) for kind in arrow.schema.types] == ["string", "double", "string", "string", "string", "int64", "date32[day]"]
    assert arrow.column_names == ["boat", "price", "price currency", "price text 2", "price text", "replies", "day"]
    assert arrow.to_pylist()[0] == {
        "boat": "Gannet",
        "price": 1200.0,
        "price text": "x",
        "replies": 1100.0,
        "day": date(2024, 3, 5),
        "price currency": "$",
        "price text 2": None,
    }
    assert [arrow.to_pylist()[1][name] for name in ("price", "price text 2", "day")] == [None, "Sold out", None]


def test_arrow_keeps_the_time_of_dates():
    pytest.importorskip("pyarrow")
    table = Table((Column("sent", type="date"),), (("2024-05-07 10:00",), ("2024-05-08 11:30",)))
    assert table.to_arrow()["sent"].to_pylist() == ["2024-05-07T10:00:00", "2024-05-08T11:30:00"]


@pytest.mark.parametrize(
    ("texts", "kind", "values"),
    [
        (("4", "1,204", "1.1K"), "int64", [4, 1204, 1100]),
        (("4.0", "5", None), "double", [4.0, 5.0, None]),
        (("1" + ",000" * 9, "7", "9,007,199,254,740,993"), "double", [1e27, 7.0, 9007199254740992.0]),
    ],
)
def test_whole_numbers_are_integers_in_arrow(texts, kind, values):
    pytest.importorskip("pyarrow")
    column = Table((Column("size", type="number"),), tuple((text,) for text in texts)).to_arrow()["size"]
    assert (str(column.type), column.to_pylist()) == (kind, values)


@pytest.mark.parametrize(
    "value",
    ["-", "--", "-5", "-$5", "-€ 5", "-3 °C", "+49 30 123", "+1 (555) 010-99", "+30 min (walk)", "@name", "@ann (Ann)", "-10 % (sale)"],
)
def test_what_no_spreadsheet_computes_is_not_marked(value):
    assert as_text_cell(value) == value


@pytest.mark.parametrize("value", ["=1", "+cmd|' /C calc'!A0", "-2+3+cmd|' /C calc'!A0", "@SUM(1+1)", "-A1", "+LOG10(A1)", "\t=1", "-2+3"])
def test_what_a_spreadsheet_computes_is_marked(value):
    assert as_text_cell(value) == "'" + value


def test_a_workbook_holds_numbers_as_numbers_and_formulas_as_text(tmp_path):
    openpyxl = pytest.importorskip("openpyxl")
    table = Table((Column("name"), Column("count", type="number")), (("=1+1", "1,299"), ("a\x00 <b>", None)))
    (tmp_path / "t.xlsx").write_bytes(table.to_xlsx())
    rows = list(openpyxl.load_workbook(tmp_path / "t.xlsx").active.iter_rows(values_only=True))
    assert rows == [("name", "count"), ("=1+1", 1299), ("a <b>", None)]
    assert table.to_xlsx() == table.to_xlsx()


def test_a_table_is_one_json_array():
    assert json.loads(Table((Column("name"),), (("Ann",), (None,))).to_json()) == [{"name": "Ann"}, {"name": None}]
