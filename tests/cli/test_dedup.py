"""``tamis dedup``."""

from __future__ import annotations

import gzip
import json
import random

import pytest

from tamis.io.collections import FieldNames, open_collection
from tests.duplicates.texts import excerpt, framed, text

pytest.importorskip("lmdb", reason="an index on disk needs lmdb")


def records():
    return [
        {"source": "whole", "url": "http://a.org/1", "status": "ok", "text": text(1, 200), "metadata": {"date": "2024-05"}},
        {"source": "framed", "url": None, "status": "ok", "text": framed(text(1, 200)), "metadata": {"date": "2025-01-01"}},
        {"source": "part", "url": None, "status": "ok", "text": excerpt(text(1, 200)), "metadata": None},
        {"source": "other", "url": None, "status": "ok", "text": text(2, 200), "metadata": None},
        {"source": "short", "url": None, "status": "ok", "text": "Not found", "metadata": None},
        {"source": "lost", "url": None, "status": "failed", "text": None, "metadata": None},
    ]


def write(path, values):
    data = "".join(json.dumps(value, ensure_ascii=False) + "\n" for value in values).encode("utf-8", "surrogatepass")
    path.write_bytes(gzip.compress(data) if path.suffix == ".gz" else data)


def sources(path):
    data = gzip.decompress(path.read_bytes()) if path.suffix == ".gz" else path.read_bytes()
    return [json.loads(line)["source"] for line in data.splitlines()]


@pytest.fixture
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    write(tmp_path / "in.jsonl", records())
    return tmp_path


def test_what_is_no_copy_is_written_as_it_came_and_in_its_order(folder, tamis):
    result = tamis("dedup", "in.jsonl", "-o", "out.jsonl")
    assert result.exit_code == 0, result.stderr
    assert sources(folder / "out.jsonl") == ["framed", "other", "short", "lost"]
    lines = (folder / "in.jsonl").read_bytes().splitlines()
    assert (folder / "out.jsonl").read_bytes().splitlines() == [lines[place] for place in (1, 3, 4, 5)]


def test_the_summary_says_what_became_of_all(folder, tamis):
    said = tamis("dedup", "in.jsonl", "-o", "out.jsonl").stderr
    assert "texts" in said
    assert "1 of them too short to compare" in said
    assert "in 1 cluster, the largest of 3" in said
    assert "without text" in said


def test_gzip_in_and_out(folder, tamis):
    write(folder / "in.jsonl.gz", records())
    assert tamis("dedup", "in.jsonl.gz", "-o", "out.jsonl.gz").exit_code == 0
    assert sources(folder / "out.jsonl.gz") == ["framed", "other", "short", "lost"]


@pytest.mark.parametrize("name", ["in.jsonl", "in.parquet"])
def test_of_copies_the_page_that_they_name_as_canonical_is_kept(folder, tamis, name):
    rows = records()[:2]
    rows[1] |= {"url": "http://www.a.org/print/1", "metadata": {"date": None, "canonical_url": "https://a.org/1"}}
    if name == "in.parquet":
        pa = pytest.importorskip("pyarrow")
        pq = pytest.importorskip("pyarrow.parquet")
        pq.write_table(pa.Table.from_pylist([row | {"metadata": json.dumps(row["metadata"])} for row in rows]), name)
    else:
        write(folder / name, rows)
    assert tamis("dedup", name, "-o", f"out-{name}", "--report", "copies.jsonl").exit_code == 0
    (cluster,) = map(json.loads, (folder / "copies.jsonl").read_text().splitlines())
    assert (cluster["kept"], cluster["url"], [copy["id"] for copy in cluster["copies"]]) == ("whole", "http://a.org/1", ["framed"])


@pytest.mark.parametrize(("keep", "kept"), [("longest", "framed"), ("earliest", "whole"), ("best-address", "whole")])
def test_which_of_several_is_kept(folder, tamis, keep, kept):
    tamis("dedup", "in.jsonl", "-o", "out.jsonl", "--keep", keep)
    assert kept in sources(folder / "out.jsonl")
    assert len(sources(folder / "out.jsonl")) == 4


def test_parts_can_be_kept(folder, tamis):
    tamis("dedup", "in.jsonl", "-o", "out.jsonl", "--no-parts")
    assert sources(folder / "out.jsonl") == ["framed", "part", "other", "short", "lost"]


def test_a_report_names_every_copy_with_its_evidence(folder, tamis):
    assert tamis("dedup", "in.jsonl", "--report", "copies.jsonl").exit_code == 0
    cluster = json.loads((folder / "copies.jsonl").read_text(encoding="utf-8"))
    assert cluster["kept"] == "framed"
    assert [(copy["id"], copy["likeness"]) for copy in cluster["copies"]] == [("part", "part of"), ("whole", "near")]
    assert cluster["copies"][0]["evidence"]["windows"] == 1
    assert not (folder / "out.jsonl").exists()


def test_an_index_remembers_earlier_runs(folder, tamis):
    write(folder / "monday.jsonl", records()[:1])
    write(folder / "tuesday.jsonl", records()[1:])
    assert tamis("dedup", "monday.jsonl", "-o", "m.jsonl", "--index", "crawl.index").exit_code == 0
    assert tamis("dedup", "tuesday.jsonl", "-o", "t.jsonl", "--index", "crawl.index").exit_code == 0
    assert sources(folder / "m.jsonl") == ["whole"]
    assert sources(folder / "t.jsonl") == ["other", "short", "lost"]
    assert tamis("dedup", "tuesday.jsonl", "-o", "again.jsonl", "--index", "crawl.index").exit_code == 0
    assert (folder / "again.jsonl").read_bytes() == (folder / "t.jsonl").read_bytes()


def test_an_index_needs_ids(folder, tamis):
    write(folder / "in.jsonl", [{"text": text(1, 200)}, {"text": text(2, 200)}])
    result = tamis("dedup", "in.jsonl", "-o", "out.jsonl", "--index", "i")
    assert result.exit_code == 4
    assert "--id-field" in result.stderr


def test_fields_can_have_other_names(folder, tamis):
    write(folder / "in.jsonl", [{"nr": 1, "body": text(1, 200)}, {"nr": 2, "body": framed(text(1, 200))}])
    assert tamis("dedup", "in.jsonl", "-o", "out.jsonl", "--text-field", "body", "--id-field", "nr").exit_code == 0
    assert len((folder / "out.jsonl").read_bytes().splitlines()) == 1


@pytest.mark.parametrize("status", [{}, {"status": "ok"}])
def test_a_field_that_no_line_has_is_an_error_before_anything_is_written(folder, tamis, status):
    write(folder / "in.jsonl", [{**record, **status} for record in records()])
    before = sorted(folder.iterdir())
    result = tamis("dedup", "in.jsonl", "-o", "out.jsonl", "--index", "x.index", "--text-field", "body")
    assert result.exit_code == 2
    assert "in.jsonl has no field body; --text-field names it. It has: " in result.stderr
    assert sorted(folder.iterdir()) == before


@pytest.mark.parametrize("damage", [lambda packed: packed[:-30], lambda packed: packed[:200] + bytes(50) + packed[250:]])
def test_a_damaged_file_is_an_error_that_names_it(folder, tamis, damage):
    lines = b"".join(json.dumps({"id": n, "text": f"{n} {random.Random(n).random()}"}).encode() + b"\n" for n in range(999))
    (folder / "in.jsonl.gz").write_bytes(damage(gzip.compress(lines)))
    result = tamis("dedup", "in.jsonl.gz", "-o", "out.jsonl")
    assert result.exit_code == 1
    assert "cannot read in.jsonl.gz from line" in result.stderr
    assert not (folder / "out.jsonl").exists()


def test_lines_that_cannot_be_read_are_listed_beside_the_output(folder, tamis):
    write(folder / "in.jsonl", records())
    with (folder / "in.jsonl").open("ab") as stream:
        stream.write(b'{"broken\n[1]\n\xff\xfe\n{"source": "x"}\n{"source": "y", "text": ["a"]}\n')
    result = tamis("dedup", "in.jsonl", "-o", "out.jsonl")
    assert result.exit_code == 0
    failures = [json.loads(line) for line in (folder / "out.failures.jsonl").read_text(encoding="utf-8").splitlines()]
    assert [failure["source"] for failure in failures] == [f"in.jsonl:{number}" for number in (7, 8, 9, 10, 11)]
    assert "there is no field text" in failures[3]["reason"]
    assert failures[4]["reason"] == "the field text holds a list, not a text"


def test_a_text_that_is_there_twice_by_one_id_is_written_once(folder, tamis):
    write(folder / "in.jsonl", records()[:1] * 3)
    result = tamis("dedup", "in.jsonl", "-o", "out.jsonl")
    assert sources(folder / "out.jsonl") == ["whole"]
    assert ["repeated", "2"] in [line.split()[:2] for line in result.stderr.splitlines()]


def test_two_texts_by_one_id_are_a_mistake(folder, tamis):
    write(folder / "in.jsonl", [records()[0], {**records()[3], "source": "whole"}])
    result = tamis("dedup", "in.jsonl", "-o", "out.jsonl")
    assert result.exit_code == 2
    assert "'whole'" in result.stderr


def test_a_folder_of_texts(folder, tamis):
    (folder / "texts/deep").mkdir(parents=True)
    (folder / "texts/a.txt").write_text(text(1, 200), encoding="utf-8")
    (folder / "texts/deep/b.md").write_text(framed(text(1, 200)), encoding="utf-8")
    (folder / "texts/deep/c.txt").write_bytes(text(2, 200).encode() + b"\xff")
    assert tamis("dedup", "texts", "-o", "unique/").exit_code == 0
    assert sorted(path.name for path in (folder / "unique").rglob("*.*")) == ["b.md", "c.txt"]
    assert (folder / "unique/deep/c.txt").read_bytes().endswith(b"\xff")


@pytest.mark.parametrize("name", ["part.jsonl.gz"])
def test_a_folder_of_files_of_another_kind_is_told_from_one_of_pages(folder, tamis, name):
    (folder / "texts").mkdir()
    (folder / "texts" / name).write_bytes(b"")
    result = tamis("dedup", "texts", "-o", "unique/")
    assert result.exit_code == 1
    assert "JSON lines are named themselves" in " ".join(result.stderr.split())


def test_bytes_in_parquet_are_decoded(tmp_path):
    parquet = pytest.importorskip("pyarrow.parquet")
    import pyarrow

    parquet.write_table(pyarrow.table({"id": [b"1"], "text": ["Größe".encode()]}), tmp_path / "in.parquet")
    (item,) = open_collection([str(tmp_path / "in.parquet")], FieldNames()).items()
    assert (item.id, item.text) == ("1", "Größe")


def test_a_folder_of_parquet_such_as_a_corpus_is_read(folder, tamis):
    parquet = pytest.importorskip("pyarrow.parquet")
    import pyarrow

    (folder / "corpus" / "documents").mkdir(parents=True)
    (folder / "corpus" / "report.html").write_text("x")
    for part in range(2):
        rows = [{"id": f"{part}-{n}", "text": text(n, 200)} for n in range(2)]
        parquet.write_table(pyarrow.Table.from_pylist(rows), folder / "corpus" / "documents" / f"part-{part}.parquet")
    for source in ("corpus", "corpus/documents"):
        assert tamis("dedup", source, "-o", "unique.parquet", "--overwrite").exit_code == 0
        assert [row["id"] for row in parquet.read_table(folder / "unique.parquet").to_pylist()] == ["0-0", "0-1"]


def test_parquet(folder, tamis):
    parquet = pytest.importorskip("pyarrow.parquet")
    import pyarrow

    rows = [{"id": n, "text": value, "rest": [n]} for n, value in enumerate([text(1, 200), framed(text(1, 200)), text(2, 200)])]
    parquet.write_table(pyarrow.Table.from_pylist(rows), folder / "in.parquet")
    result = tamis("dedup", "in.parquet", "-o", "out.parquet")
    assert result.exit_code == 0, result.stderr
    assert parquet.read_table(folder / "out.parquet").to_pylist() == rows[1:]
    result = tamis("dedup", "in.parquet", "-o", "x.parquet", "--text-field", "body")
    assert result.exit_code == 2
    assert "It has: id, text, rest" in result.stderr


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["nothing.jsonl", "-o", "o.jsonl"], "there is no file"),
        (["in.jsonl"], "name what to write"),
        (["in.jsonl", "-o", "in.jsonl"], "another output"),
        (["in.jsonl", "-o", "folder/"], "same kind"),
        (["in.jsonl", "-o", "o.csv"], "JSON lines"),
        (["-", "-o", "o.jsonl"], "standard input"),
        (["in.jsonl", ".", "-o", "o.jsonl"], "of one kind"),
    ],
)
def test_mistakes_end_in_a_sentence(folder, tamis, words, said):
    result = tamis("dedup", *words)
    assert result.exit_code in (1, 2)
    assert said in result.stderr
    assert "Traceback" not in result.stderr


def test_an_output_that_exists_is_not_replaced_unless_asked(folder, tamis):
    (folder / "out.jsonl").write_text("old")
    assert tamis("dedup", "in.jsonl", "-o", "out.jsonl").exit_code == 2
    assert (folder / "out.jsonl").read_text() == "old"
    assert tamis("dedup", "in.jsonl", "-o", "out.jsonl", "--overwrite").exit_code == 0


def test_an_empty_input_says_so(folder, tamis):
    (folder / "empty.jsonl").write_bytes(b"")
    result = tamis("dedup", "empty.jsonl", "-o", "out.jsonl")
    assert result.exit_code == 3
    assert "no texts" in result.stderr


def test_two_texts_are_compared(folder, tamis):
    (folder / "a.txt").write_text(text(1, 200), encoding="utf-8")
    (folder / "b.txt").write_text(excerpt(text(1, 200)), encoding="utf-8")
    result = tamis("dedup", "compare", "a.txt", "b.txt")
    assert result.exit_code == 0
    assert result.stdout.startswith("a.txt contains b.txt: 100% of the shorter text")
    assert "by feature code" in result.stdout
    values = json.loads(tamis("dedup", "compare", "a.txt", "b.txt", "--json").stdout)
    assert values["relation"] == "contains"


def test_pages_are_cleaned_before_they_are_compared(folder, tamis):
    page = "<html><body><ul><li><a href=/>Home</a></ul><article>{}</article></body></html>"
    for name, number in (("a.html", 1), ("b.html", 1), ("c.html", 2)):
        body = "".join(f"<p>{line}</p>" for line in text(number, 300).split("\n"))
        (folder / name).write_text(page.format(body), encoding="utf-8")
    assert tamis("dedup", "compare", "a.html", "b.html").stdout.startswith("identical")
    assert tamis("dedup", "compare", "a.html", "c.html").stdout.startswith("different")
    (folder / "a.html.gz").write_bytes(gzip.compress((folder / "a.html").read_bytes()))
    assert tamis("dedup", "compare", "a.html.gz", "b.html").stdout.startswith("identical")


def test_two_outputs_are_two_files(folder, tamis):
    result = tamis("dedup", "in.jsonl", "-o", "x.jsonl", "--report", "./x.jsonl")
    assert (result.exit_code, result.stderr) == (2, "tamis: x.jsonl and x.jsonl are the same file: name one for each output\n")
    assert not (folder / "x.jsonl").exists()


def test_a_folder_of_pages_is_to_be_cleaned_first(folder, tamis):
    (folder / "pages").mkdir()
    (folder / "pages/a.html").write_text("<p>A page.", encoding="utf-8")
    assert "pages are cleaned first (tamis clean)" in tamis("dedup", "pages", "-o", "out").stderr
