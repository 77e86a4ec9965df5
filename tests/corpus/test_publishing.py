"""The tables of a run without the copies."""

import json
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import tamis
from tamis.corpus.config import CorpusConfig
from tamis.corpus.pipeline import run
from tamis.corpus.publishing import _copies_of_shard, _file_place, _without
from tamis.corpus.report import figures
from tamis.corpus.tables import identity
from tamis.errors import UsageError
from tamis.io.sources import open_sources

from ..site.pages import article


def table_of(ids: list[int], path: Path, group: int) -> Path:
    pq.write_table(pa.table({"id": pa.array(ids, pa.int64())}), path, row_group_size=group)
    return path


def test_copies_are_read_of_the_row_groups_that_may_hold_them(tmp_path):
    ids = [identity(shard, position) for shard in range(4) for position in (0, 1, 7)]
    path = table_of(ids, tmp_path / "duplicates.parquet", 2)
    for shard in range(4):
        found = list(_copies_of_shard(path, shard))
        assert set(ids[3 * shard : 3 * shard + 3]) <= set(found)
        assert len(found) <= 4
    assert not list(_copies_of_shard(path, 5))


def test_there_may_be_no_copy(tmp_path):
    assert not list(_copies_of_shard(table_of([], tmp_path / "duplicates.parquet", 2), 0))


@pytest.mark.parametrize("gone", [{0}, {4}, {1, 2}, {0, 2, 4}, {0, 1, 2, 3, 4}])
def test_rows_before_between_and_after_copies_stay(tmp_path, gone):
    path = table_of(list(range(5)), tmp_path / "documents.parquet", 10)
    count = _without([path], tmp_path / "left.parquet", {}, frozenset(gone))
    left = pq.read_table(tmp_path / "left.parquet")["id"].to_pylist()
    assert left == [id for id in range(5) if id not in gone]
    assert count == len(left)


def test_a_corpus_in_folders_is_one_table_for_pandas_too_where_values_are_missing(tmp_path):
    pytest.importorskip("pandas")
    source = tmp_path / "pages.jsonl"
    pages = [article(n).replace("<html>", '<html lang="en">' if n % 2 else "<html>") for n in range(6)]
    source.write_text("".join(json.dumps({"url": f"http://a.test/{n}", "html": html}) + "\n" for n, html in enumerate(pages)))
    run(CorpusConfig((str(source),), str(tmp_path / "out"), workers=1, partition="language"))
    languages = pq.read_table(tmp_path / "out" / "documents").to_pandas()["language"]
    assert sorted(languages) == ["en"] * 3 + ["unknown"] * 3


@pytest.mark.parametrize(("detect", "folders"), [(False, {"en": 3, "unknown": 1}), (True, {"de": 1, "en": 2, "unknown": 1})])
def test_the_folder_of_a_language_is_that_of_the_detected_one_or_else_of_the_stated_one_without_its_region(tmp_path, detect, folders):
    if detect:
        pytest.importorskip("py3langid", reason="needs the extra language")
    german = "<p>Die Fähre fährt ab Montag wieder zur Insel, und die Karten werden wie immer am Hafen verkauft, sagte der Kapitän.</p>"
    pages = [("en-GB", article(1)), ("en-US", f"<article>{german * 3}</article>"), ("en", "<p>Boats ahead</p>"), ("", "<p>Low tide</p>")]
    source = tmp_path / "pages.jsonl"
    lines = ({"url": f"http://a.test/{n}", "html": f'<html lang="{lang}">{html}'} for n, (lang, html) in enumerate(pages))
    source.write_text("".join(json.dumps(line) + "\n" for line in lines))
    settings = CorpusConfig((str(source),), str(tmp_path / "out"), workers=1, partition="language", detect_language=detect)
    run(settings)
    languages = pq.read_table(tmp_path / "out" / "documents")["language"].to_pylist()
    assert {name: languages.count(name) for name in sorted(set(languages))} == folders
    told = {"not stated" if name == "unknown" else name: count for name, count in folders.items()}
    assert dict(figures(tmp_path / "out").rows["languages"]) == told


def test_markdown_files_are_named_by_addresses_and_begin_with_what_is_known(tmp_path):
    """Two shards with a page of the same address. `tamis clean` writes the same."""
    stated = '<link rel="canonical" href="https://b.test/1"><meta property="og:site_name" content="B">'
    for part in "ab":
        pages = [
            {"url": "https://www.a.test/caf%C3%A9?b=1", "html": f"<title>{part}</title><main><p>A text: {part}."},
            {"html": stated + article(1)},
        ]
        (tmp_path / f"{part}.jsonl").write_text("".join(json.dumps(page) + "\n" for page in pages), encoding="utf-8")
    sources = tuple(str(tmp_path / f"{part}.jsonl") for part in "ab")
    settings = CorpusConfig(sources, str(tmp_path / "out"), formats=("markdown",), front_matter=True, duplicates=False, workers=1)
    for _ in range(2):  # names stay the same
        assert run(settings).documents == 4
        files = {path.relative_to(tmp_path / "out/markdown").as_posix(): path for path in (tmp_path / "out/markdown").rglob("*.md")}
        named = ["a.jsonl_byte 91.md", "a.test/café_b=1.md", "a.test/café_b=1~2.md", "b.jsonl_byte 91.md"]
        assert sorted(files) == named
        heads = {name: file.read_text(encoding="utf-8").split("---\n")[1] for name, file in files.items()}
        assert heads[named[2]] == 'title: "b"\nurl: "https://www.a.test/caf%C3%A9?b=1"\n'
        assert heads[named[0]].splitlines()[1:] == ['url: "https://b.test/1"', 'site: "B"']
    cleaning = tamis.Cleaning(("markdown",), rendering=tamis.Rendering(front_matter=True))
    cleaned = [record.content["markdown"] for record in tamis.clean(open_sources(sources), cleaning, workers=1)]
    assert cleaned == [files[name].read_text(encoding="utf-8") for name in (named[1], named[0], named[2], named[3])]
    with pytest.raises(UsageError, match="front matter is for files in Markdown: add the format markdown"):
        CorpusConfig(sources, "out", front_matter=True)


@pytest.mark.parametrize(
    ("source", "site", "name"),
    [
        ("/crawl/a/b.html", "/crawl", "a/b"),
        ("/crawl/example.org/a/b.html", "example.org", "example.org/a/b"),
        ("/crawl/www.example.org/b.html", "example.org", "example.org/b"),
        ("/crawl/pages.jsonl.gz:7", "/crawl/pages.jsonl.gz", "pages.jsonl.gz_7"),
    ],
)
def test_a_document_without_an_address_is_named_like_its_file(source, site, name):
    assert str(_file_place({"url": None, "source": source, "site": site})) == name
