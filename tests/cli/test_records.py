"""``tamis records``."""

from __future__ import annotations

import csv
import io
import json
from contextlib import contextmanager

import pytest

from tamis import Response
from tamis.cli import terminal
from tests.records.pages import BOATS, shop
from tests.records.test_wrapper import NEXT, as_grid, as_list


@pytest.fixture
def folder(tmp_path, monkeypatch):
    (tmp_path / "shop").mkdir()
    (tmp_path / "shop/1.html").write_text(shop(), encoding="utf-8")
    (tmp_path / "shop/2.html").write_text(shop(NEXT), encoding="utf-8")
    (tmp_path / "tides.html").write_text("<table><tr><th>Port<th>High<tr><td>Brest<td>7.1<tr><td>Cork<td>4.2</table>", encoding="utf-8")
    (tmp_path / "none.html").write_text("<p>No list here.</p>", encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    return tmp_path


def rows(text):
    return list(csv.DictReader(io.StringIO(text)))


def test_the_main_list_comes_as_csv(folder, tamis):
    result = tamis("records", "shop/1.html")
    assert result.exit_code == 0
    assert [row["title"] for row in rows(result.stdout)] == [boat[0] for boat in BOATS]


def test_a_sample_may_be_named(folder, tamis):
    result = tamis("records", "shop/1.html", "--like", "nav li", "--text-only", "-f", "jsonl")
    assert json.loads(result.stdout.splitlines()[2]) == {"title": "sails"}
    assert "matches 10 elements" in result.stderr


def test_a_table_for_people(folder, tamis):
    result = tamis("records", "shop/1.html", "-f", "table", "--text-only")
    assert "5 records at /html[1]/body[1]/div[1]/ul[1]" in result.stdout
    assert "Curlew" in result.stdout


@pytest.mark.parametrize("width", ["40", "80", "160"])
def test_a_table_never_shortens_a_date(tamis, tmp_path, monkeypatch, width):
    row = "<li><h3><a href='/{0}-{1}'>{1} and more of it</a></h3><span class=date>2024-01-{0:02}</span><p>{2}</p></li>"
    rows = "".join(
        row.format(n, f"A long title number {n} of the list", "Words of the teaser of this entry, and some more. " * 3) for n in range(1, 9)
    )
    (tmp_path / "list.html").write_text(f"<ul>{rows}</ul>", encoding="utf-8")
    monkeypatch.setenv("COLUMNS", width)
    lines = tamis("records", tmp_path / "list.html", "-f", "table").stdout.splitlines()
    assert all(len(line) <= int(width) for line in lines[1:] if "more:" not in line)
    assert "2024-01-05" in "".join(lines) or "more:" in lines[-1]
    assert not any("2024-…" in line or "2024-0…" in line for line in lines)


def test_the_form_follows_the_name_of_the_file(folder, tamis):
    assert tamis("records", "shop/1.html", "-o", "boats.jsonl").exit_code == 0
    lines = (folder / "boats.jsonl").read_text(encoding="utf-8").splitlines()
    assert [json.loads(line)["title"] for line in lines] == [boat[0] for boat in BOATS]
    assert not list(folder.glob("*.partial"))


def test_two_tables_are_two_files_or_two_sheets_and_none_is_overwritten(folder, tamis):
    pq = pytest.importorskip("pyarrow.parquet")
    openpyxl = pytest.importorskip("openpyxl")
    (folder / "two.html").write_text((folder / "tides.html").read_text(encoding="utf-8") * 2, encoding="utf-8")
    assert tamis("records", "two.html", "--tables", "-o", "two.parquet").exit_code == 0
    assert [pq.read_table(name).num_rows for name in ("two.parquet", "two-2.parquet")] == [2, 2]
    assert tamis("records", "two.html", "--tables", "-o", "two.csv").exit_code == 0
    assert (folder / "two.csv").read_text() == (folder / "two-2.csv").read_text() == "Port,High\nBrest,7.1\nCork,4.2\n"
    assert tamis("records", "two.html", "--tables", "-o", "two.xlsx").exit_code == 0
    assert openpyxl.load_workbook("two.xlsx").sheetnames == ["records", "records2"]
    assert tamis("records", "two.html", "--tables", "-f", "csv").stdout.split("\n\n")[1] == "Port,High\nBrest,7.1\nCork,4.2\n"
    (folder / "two.csv").unlink()
    assert "two-2.csv exists already" in tamis("records", "two.html", "--tables", "-o", "two.csv").stderr
    assert not (folder / "two.csv").exists()


def test_two_layouts_are_two_tables_and_it_says_so(folder, tamis):
    for number, page in enumerate((as_list(BOATS, "One"), as_grid(BOATS[::-1], "Two"), as_list(NEXT, "Three")), 1):
        (folder / f"{number}.html").write_text(page, encoding="utf-8")
    result = tamis("records", "1.html", "2.html", "3.html", "-f", "csv")
    assert "the pages have their lists in 2 layouts" in result.stderr
    assert [len(rows(table)) for table in result.stdout.split("\n\n")] == [7, 5]
    tables = json.loads(tamis("records", "1.html", "2.html", "3.html", "-f", "json").stdout)
    assert [len(table) for table in tables] == [7, 5]


def test_parquet(folder, tamis):
    pq = pytest.importorskip("pyarrow.parquet")
    result = tamis("records", "shop/1.html", "-o", "boats.parquet")
    table = pq.read_table("boats.parquet")
    assert (result.exit_code, table.num_rows) == (0, len(BOATS))
    assert result.stderr == f"{len(BOATS)} rows of {table.num_columns} columns written to boats.parquet\n"


def test_a_file_of_several_tables_says_their_rows(folder, tamis):
    (folder / "two.html").write_text((folder / "tides.html").read_text(encoding="utf-8") * 2, encoding="utf-8")
    assert tamis("records", "two.html", "--tables", "-o", "two.jsonl").stderr == "4 rows of 2 tables written to two.jsonl\n"


def test_notes_name_their_pages(folder, tamis):
    tamis("records", "shop/1.html", "--save", "w.json")
    (folder / "more.html").write_bytes((folder / "none.html").read_bytes())
    result = tamis("records", "none.html", "more.html", "shop/2.html", "--wrapper", "w.json")
    assert "note: none.html and 1 other page: nothing on the page fits the wrapper\n" in result.stderr


def test_a_wrapper_is_saved_and_used_on_the_next_page(folder, tamis):
    assert "wrapper saved: w.json" in tamis("records", "shop/1.html", "--save", "w.json").stderr
    result = tamis("records", "shop/2.html", "--wrapper", "w.json")
    assert [row["title"] for row in rows(result.stdout)] == ["Dunlin", "Knot"]
    assert list(rows(result.stdout)[0]) == list(rows(tamis("records", "shop/1.html").stdout)[0])


def test_a_folder_is_one_table_with_the_page_first(folder, tamis):
    found = rows(tamis("records", "shop").stdout)
    assert [row["title"] for row in found] == [*(boat[0] for boat in BOATS), "Dunlin", "Knot"]
    assert found[-1]["page"].endswith("2.html")


def test_of_many_pages_the_wrapper_is_learned_from_pages_of_the_whole_folder(folder, tamis):
    """The first pages alone would not show the list."""
    for number in range(90):
        page = shop(BOATS[number % 3 :]) if number > 40 else "<p>No list here.</p>"
        (folder / "shop" / f"{number}.html".zfill(7)).write_text(page, encoding="utf-8")
    found = rows(tamis("records", "shop").stdout)
    assert len({row["page"] for row in found}) == 2 + 49
    assert [row["title"] for row in found[-3:]] == [boat[0] for boat in BOATS[-3:]]


def test_of_many_addresses_each_is_fetched_once(folder, tamis, monkeypatch):
    asked = []

    def fetch(url, limits):
        asked.append(url)
        return Response(url, 200, "text/html", shop().encode())

    monkeypatch.setattr("tamis.io.pages.fetch", fetch)
    (folder / "list.urls").write_text("".join(f"https://boats.example/{k}\n" for k in range(70)))
    found = rows(tamis("records", "list.urls").stdout)
    assert [row["page"] for row in found[::5]] == [f"https://boats.example/{k}" for k in range(70)]
    assert sorted(asked) == sorted({row["page"] for row in found})


@pytest.mark.parametrize("words", [(), ("--explain",)])
def test_nothing_is_shown_while_a_bar_moves_and_no_bar_begins(folder, tamis, monkeypatch, words):
    """A bar takes the place of standard output, and only newer versions of Rich draw one within another."""
    moving = []

    @contextmanager
    def bars():
        assert not moving
        moving.append(True)
        yield lambda *_, **__: None
        moving.clear()

    deliver = terminal.deliver

    def delivered(result, *more):
        pieces = [result] if isinstance(result, str) else result
        deliver([piece for piece in pieces if not moving], *more)

    monkeypatch.setattr(terminal, "bars", bars)
    monkeypatch.setattr(terminal, "deliver", delivered)
    for number in range(60):
        (folder / "shop" / f"{number}.html".zfill(7)).write_text(shop(), encoding="utf-8")
    shown = tamis("records", "shop", *words).stdout
    assert all(f"shop/{number}.html" in shown for number in ("00", "59"))


@pytest.mark.parametrize("words", [("two.html", "--tables"), ("shop", "--text-only"), ("two.html",)])
def test_json_is_that_of_the_standard_library(folder, tamis, words):
    (folder / "two.html").write_text((folder / "tides.html").read_text(encoding="utf-8") * 2, encoding="utf-8")
    said = tamis("records", *words, "-f", "json").stdout
    assert said == json.dumps(json.loads(said), indent=1, ensure_ascii=False) + "\n"


def test_pages_that_cannot_be_read_are_counted_unless_none_can(folder, tamis):
    (folder / "shop" / "0.html").write_bytes(b"PK\x03\x04\0\0\0\0")
    result = tamis("records", "shop", "--format", "csv")
    assert result.exit_code == 0
    assert rows(result.stdout)[0]["page"].endswith("1.html")
    assert "1 page could not be read, such as: shop/0.html is not a page: it holds binary data" in result.stderr
    result = tamis("records", "shop/0.html")
    assert (result.exit_code, result.stdout) == (1, "")
    assert "holds binary data" in result.stderr


def test_all_lists(folder, tamis):
    result = tamis("records", "shop/1.html", "--all", "-f", "jsonl", "--text-only")
    found = [json.loads(line) for line in result.stdout.splitlines()]
    assert [row["list"] for row in found] == sorted(row["list"] for row in found)
    assert {row["list"] for row in found} >= {1, 2}
    assert found[0]["record"]["title"] == "Gannet"


def test_data_tables(folder, tamis):
    assert rows(tamis("records", "tides.html", "--tables").stdout) == [{"Port": "Brest", "High": "7.1"}, {"Port": "Cork", "High": "4.2"}]


def test_explain_says_what_speaks_for_each_list(folder, tamis):
    shown = tamis("records", "shop/1.html", "--explain").stdout
    assert "1. 5 records, by its own repetition" in shown
    assert "beside the content 1.0" in shown


def test_explain_shows_the_menus_of_a_page_without_a_list(folder, tamis):
    menu = "".join(f"<li><a href=/{k}>Sails {k}</a>" for k in range(9))
    (folder / "menu.html").write_text(f"<nav><ul>{menu}</ul></nav><p>The boats come back in the evening.")
    result = tamis("records", "menu.html", "--explain")
    assert result.stdout.startswith("menu.html: 0 lists, only 1 menu:\n1. 9 records, by its own repetition")
    assert "no list of records, only menus" in result.stderr


def test_a_page_without_a_list_ends_with_code_3(folder, tamis):
    result = tamis("records", "none.html")
    assert result.exit_code == 3
    assert result.stdout == ""
    assert "the page has no list of records" in result.stderr


def test_pages_without_a_list_end_as_one_does(folder, tamis):
    (folder / "nothing.html").write_text("<p>Of reeds.</p>")
    result = tamis("records", "none.html", "nothing.html")
    assert result.exit_code == 3
    assert "none of the pages has a list of records (--explain shows what was examined)" in result.stderr
    assert tamis("records", "none.html", "nothing.html", "--explain").exit_code == 0


@pytest.mark.parametrize(
    ("words", "code", "message"),
    [
        (("no.html",), 1, "no file or folder"),
        (("none.html", "--like", "li"), 2, "nothing on the page matches"),
        (("none.html", "--like", "li["), 2, "not a CSS selector"),
        (("none.html", "--like", "p", "--tables"), 2, "choose one of"),
        (("shop/1.html", "--wrapper", "no.json"), 1, "cannot read the wrapper"),
        (("shop/1.html", "-o", "x.docx"), 2, "unknown format"),
        (("shop/1.html", "-f", "parquet"), 2, "name one with -o"),
        (("shop/1.html", "--threshold", "2"), 2, ""),
    ],
)
def test_mistakes_end_in_a_sentence(folder, tamis, words, code, message):
    result = tamis("records", *words)
    assert result.exit_code == code
    assert message in result.stderr
    assert "Traceback" not in result.stderr


def test_titles_come_first_and_addresses_last_and_not_in_a_terminal(folder, tamis):
    names = tamis("records", "shop/1.html").stdout.splitlines()[0].split(",")
    assert names[0] == "title"
    assert [name in ("link", "image") for name in names] == [False] * 3 + [True] * 2
    assert "boats/gannet" not in tamis("records", "shop/1.html", "-f", "table").stdout


def test_formats_by_the_name_of_the_output(folder, tamis):
    assert tamis("records", "shop/1.html", "-o", "boats.json").exit_code == 0
    assert json.loads((folder / "boats.json").read_text(encoding="utf-8"))[0]["title"] == "Gannet"
    assert tamis("records", "shop/1.html", "-o", "boats.xlsx").exit_code == 0
    assert (folder / "boats.xlsx").read_bytes().startswith(b"PK")


def test_following_begins_at_one_address(folder, tamis):
    assert "begins at one address" in tamis("records", "shop/1.html", "--follow").stderr
    assert "--limit is for --follow" in tamis("records", "shop/1.html", "--limit", "2").stderr
