"""A corpus cut into shards has every page once, wherever the cuts are."""

import base64
import gzip
import json
from datetime import UTC, datetime
from pathlib import Path

import fsspec
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import tamis.io.sources
from tamis.corpus.shards import Cut, plan, read
from tamis.errors import MissingExtraError, SourceError
from tamis.io.answers import Answer
from tamis.io.files import stamp_of
from tamis.io.pages import BrokenSource, Fields
from tamis.io.sources import open_sources
from tamis.io.warc import exchange_records, read_pages
from tamis.page.zstandard import MAGIC
from tamis.site.sites import site_of

DATE = datetime(2026, 1, 2, tzinfo=UTC)


def page(number):
    return f"<p>page {number} {'x' * (number * 37 % 300)}\r\n\r\nWARC is no record"


def archive(count):
    records = []
    for number in range(count):
        body = page(number).encode()
        answer = Answer(f"http://a.test/{number}", 200, (("Content-Type", "text/html"),), body, DATE, b"GET / HTTP/1.1\r\n\r\n")
        records += exchange_records(answer)[:2]
    return records


def texts(shards, fields=Fields()):
    return [source.read().html for shard in shards for source in read(shard, fields)]


def as_text(html):
    return html.decode() if isinstance(html, bytes) else html


@pytest.fixture(scope="module")
def archives(tmp_path_factory):
    folder = tmp_path_factory.mktemp("archives")
    records = archive(9)
    (folder / "members.warc.gz").write_bytes(b"".join(records))
    (folder / "plain.warc").write_bytes(b"".join(map(gzip.decompress, records)))
    (folder / "one.warc.gz").write_bytes(gzip.compress(b"".join(map(gzip.decompress, records)), mtime=0))
    return folder


@pytest.mark.parametrize("name", ["members.warc.gz", "plain.warc", "one.warc.gz"])
@settings(max_examples=30)
@given(step=st.integers(1, 4000))
def test_archives_are_cut_anywhere(archives, name, step):
    shards = plan([str(archives / name)], Cut(size=max(step, 40)))
    found = [as_text(html) for html in texts(shards)]
    assert found == [page(number) for number in range(9)]


def test_damage_at_a_cut_is_told_once(archives, tmp_path):
    raw = bytearray((archives / "members.warc.gz").read_bytes())
    offsets = [found.offset for found in read_pages(archives / "members.warc.gz")]
    raw[offsets[4] + 30 : offsets[4] + 60] = b"\0" * 30
    path = tmp_path / "damaged.warc.gz"
    path.write_bytes(raw)
    for step in (offsets[4] + 5, offsets[4] - 5, offsets[4], 100_000):
        sources = [source for shard in plan([str(path)], Cut(size=step)) for source in read(shard)]
        bad = [source for source in sources if type(source).__name__ == "BrokenSource"]
        assert (len(sources) - len(bad), len(bad)) == (8, 1)


@settings(max_examples=30)
@given(step=st.integers(1, 900), blank=st.booleans())
def test_lines_are_cut_anywhere(tmp_path_factory, step, blank):
    path = tmp_path_factory.getbasetemp() / "pages.jsonl"
    path.write_text(("\n\n" if blank else "\n").join(json.dumps({"url": f"http://a.test/{n}", "html": page(n)}) for n in range(9)) + "\n")
    assert texts(plan([str(path)], Cut(size=step))) == [page(number) for number in range(9)]


def test_a_line_is_named_by_its_first_byte(tmp_path):
    path = tmp_path / "pages.jsonl"
    path.write_text('{"html": "a"}\nno JSON\n')
    _, bad = (source for shard in plan([str(path)]) for source in read(shard))
    with pytest.raises(SourceError, match=r"pages\.jsonl:byte 14 is not JSON"):
        bad.read()


def test_parquet_is_cut_at_row_groups(tmp_path):
    path = tmp_path / "pages.parquet"
    table = pa.table({"address": [f"http://a.test/{n}" for n in range(9)], "content": [page(n) for n in range(8)] + [None]})
    pq.write_table(table, path, row_group_size=2)
    shards = plan([str(path)], Cut(rows=3))
    assert len(shards) == 3
    sources = [source for shard in shards for source in read(shard, Fields(url="address"))]
    assert [source.url for source in sources] == [f"http://a.test/{n}" for n in range(9)]
    assert sources[5].name.endswith(":5")
    with pytest.raises(SourceError, match="content is empty"):
        sources[8].read()
    with pytest.raises(SourceError, match=r"no column body; it has address, content"):
        plan([str(path)], fields=Fields(html="body"))


def test_folders_hold_pages_and_archives(tmp_path, archives):
    for number in range(5):
        (tmp_path / f"{number}.html").write_text(page(number))
    (tmp_path / "deep").mkdir()
    (tmp_path / "deep" / "crawl.warc.gz").write_bytes((archives / "members.warc.gz").read_bytes())
    (tmp_path / "index.jsonl").write_text('{"url": "an index, no pages"}\n')
    (tmp_path / "notes.md").write_text("no page")
    (tmp_path / "LICENSE").write_text("no page")
    (tmp_path / "about").write_text(f"<!doctype html>{page(5)}")
    shards = plan([str(tmp_path)], Cut(files=2))
    assert [shard.kind for shard in shards] == ["archive", "pages", "pages", "pages"]
    assert len(texts(shards)) == 15


@pytest.mark.parametrize(("field", "fields"), [("html", Fields()), ("html_base64", Fields()), ("page", Fields(html="page"))])
def test_lines_with_pages_are_read_beside_archives_and_an_index_is_not(tmp_path, archives, field, fields):
    (tmp_path / "crawl.warc.gz").write_bytes((archives / "members.warc.gz").read_bytes())
    (tmp_path / "pages.jsonl").write_text('{"url": "http://a.test/", "archive": "crawl.warc.gz"}\n')
    (tmp_path / "failures.jsonl").write_text('{"url": "http://a.test/b", "reason": "refused"}\n')
    texts_of = [base64.b64encode(page(n).encode()).decode() if field == "html_base64" else page(n) for n in range(9, 12)]
    (tmp_path / "more.jsonl").write_text("".join(json.dumps({field: text}) + "\n" for text in texts_of))
    (tmp_path / "damaged.jsonl.gz").write_bytes(b"\x1f\x8bno gzip")
    shards = plan([str(tmp_path)], fields=fields)
    assert [Path(shard.path).name for shard in shards] == ["crawl.warc.gz", "damaged.jsonl.gz", "more.jsonl"]
    assert sum(not isinstance(source, BrokenSource) for shard in shards for source in read(shard, fields)) == 12


def test_planning_reads_the_beginning_of_lines_once(tmp_path, monkeypatch):
    begun = []

    def reading(name, first_records=tamis.corpus.shards.first_records):
        begun.append(Path(name).name)
        return first_records(name)

    monkeypatch.setattr(tamis.corpus.shards, "first_records", reading)
    (tmp_path / "pages.jsonl").write_text(json.dumps({"html": page(1)}))
    (tmp_path / "index.jsonl").write_text('{"url": "an index, no pages"}\n')
    assert len(plan([str(tmp_path), str(tmp_path / "pages.jsonl")])) == 1
    assert sorted(begun) == ["index.jsonl", "pages.jsonl"]


def test_what_is_not_there_is_said(tmp_path):
    with pytest.raises(SourceError, match="no file or folder"):
        plan([str(tmp_path / "nothing")])
    with pytest.raises(SourceError, match="holds no pages"):
        plan([str(tmp_path)])
    (tmp_path / "bad.parquet").write_bytes(b"no parquet")
    with pytest.raises(SourceError, match="cannot read"):
        plan([str(tmp_path)])


def test_pages_in_storage_are_read_where_they_are(archives, tmp_path):
    system = fsspec.filesystem("memory")
    root = f"/{tmp_path.name}"
    lines = "".join(json.dumps({"url": f"http://a.test/{n}", "html": page(n)}) + "\n" for n in range(9)).encode()
    pq.write_table(pa.table({"html": [page(n) for n in range(9)]}), tmp_path / "pages.parquet", row_group_size=4)
    for name, content in {
        "warc/members.warc.gz": (archives / "members.warc.gz").read_bytes(),
        "lines/pages.jsonl": lines,
        "packed/pages.jsonl.gz": gzip.compress(lines),
        "parquet/pages.parquet": (tmp_path / "pages.parquet").read_bytes(),
        **{f"html/{n}.html": page(n).encode() for n in range(9)},
    }.items():
        system.pipe(f"{root}/{name}", content)
    for folder, shards in (("warc", 4), ("lines", 3), ("packed", 1), ("parquet", 3), ("html", 3)):
        found = plan([f"memory://{root}/{folder}"], Cut(size=600, rows=4, files=4))
        assert len(found) >= shards
        assert [as_text(html) for html in texts(found)] == [page(n) for n in range(9)]
    assert len(texts(plan([f"memory://{root}/*/*.parquet", (tmp_path / "pages.parquet").as_uri()]))) == 18
    with pytest.raises(SourceError, match=r"memory://.*/nothing holds no pages"):
        plan([f"memory://{root}/nothing"])
    with pytest.raises(SourceError, match=r"no column page; it has html"):
        plan([f"memory://{root}/parquet"], fields=Fields(html="page"))
    system.rm(root, recursive=True)


def test_a_packed_line_that_is_too_long_costs_itself(tmp_path, monkeypatch):
    monkeypatch.setattr(tamis.io.sources, "MAX_LINE", 500)
    lines = [json.dumps({"url": f"http://a.test/{n}", "html": page(n) + "x" * (1_000 if n == 2 else 0)}) for n in range(4)]
    path = tmp_path / "pages.jsonl.gz"
    path.write_bytes(gzip.compress("\n".join(lines).encode()))
    shards = plan([str(path)])
    (found,) = [list(read(shard)) for shard in shards]
    assert [isinstance(source, BrokenSource) for source in found] == [False, False, True, False]
    assert "line 3 is longer than 500 bytes" in found[2].reason


def test_a_plain_line_that_is_too_long_costs_itself_wherever_the_cuts_are(tmp_path, monkeypatch):
    monkeypatch.setattr(tamis.io.sources, "MAX_LINE", 500)
    lines = [json.dumps({"url": f"http://a.test/{n}", "html": page(n) + "x" * (2_000 if n == 2 else 0)}) for n in range(4)]
    path = tmp_path / "pages.jsonl"
    path.write_text("\n".join(lines))
    at = sum(len(line) + 1 for line in lines[:2])
    for size in (100, 700, 1_000, 10_000):
        found = [source for shard in plan([str(path)], Cut(size=size)) for source in read(shard)]
        assert [isinstance(source, BrokenSource) for source in found] == [False, False, True, False]
        assert found[2].name == f"{path}:byte {at}"
        assert "is longer than 500 bytes" in found[2].reason


def test_an_address_that_lists_and_sources_name_again_is_read_once(tmp_path):
    (tmp_path / "page.html").write_text(page(1))
    (tmp_path / "list.txt").write_text("http://a.test/1\npage.html\nhttp://a.test/2\nhttp://a.test/1\n")
    shards = plan([str(tmp_path / "list.txt"), "http://a.test/2", str(tmp_path), str(tmp_path / "list.txt")])
    names = [source.name for shard in shards for source in read(shard)]
    assert names == ["http://a.test/1", str(tmp_path / "page.html"), "http://a.test/2"]


def test_the_failures_of_a_crawl_are_no_pages(tmp_path):
    (tmp_path / "failures.jsonl").write_text('{"url": "https://example.org/", "reason": "refused"}\n', encoding="utf-8")
    with pytest.raises(SourceError, match=r"has no field html or .*; it has url, reason"):
        plan([str(tmp_path)])


def test_lines_of_a_list_that_name_nothing_keep_their_reason_and_files_are_found_from_anywhere(tmp_path, monkeypatch):
    (tmp_path / "page.html").write_text(page(1))
    (tmp_path / "list.txt").write_bytes(b"page.html\nhttp://a.test/\nftp://a.test/x\n# comment\nno\0name\n")
    monkeypatch.chdir(tmp_path)
    (shard,) = plan(["list.txt"])
    monkeypatch.chdir("/")
    assert all(stamp_of(path) for path in shard.paths)
    saved, web, *broken = read(shard)
    assert saved.read().html == page(1).encode()
    assert web.name == "http://a.test/"
    for number, source in zip((3, 5), broken, strict=True):
        with pytest.raises(SourceError, match=f"line {number} of .*list.txt is neither an address nor a file"):
            source.read()


def test_sources_name_the_same_pages_in_a_corpus_as_elsewhere(tmp_path, monkeypatch):
    for name in ("a.html", "b", "notes.md", ".hidden.html", "deep/c.htm.gz"):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text("<!doctype html>" + page(1))
    (tmp_path / "list.txt").write_text("http://a.test/?b=1\n")
    monkeypatch.chdir(tmp_path)
    for words in (["."], ["*"], ["*.md"], ["*.txt", "http://a.test/?a=*"], ["deep", "**/*.html"]):
        planned = [source for shard in plan(words) for source in read(shard)]
        opened = list(open_sources(words))
        assert [getattr(source, "path", source.name) for source in planned] == [getattr(source, "path", source.name) for source in opened]
    assert len(list(open_sources(["."]))) == 3


def test_pages_of_a_pattern_and_single_ones_are_a_shard_together(tmp_path):
    for number in range(5):
        (tmp_path / f"{number}.html").write_text(page(number))
    single = [str(tmp_path / name) for name in ("3.html", "4.html")]
    shards = plan([str(tmp_path / "[0-2].html"), *single, "http://a.test/1", "http://a.test/2"], Cut(files=3))
    assert [(shard.kind, shard.size) for shard in shards] == [("pages", 3), ("pages", 3), ("pages", 1)]
    found = [source for shard in shards for source in read(shard)]
    assert [as_text(source.read().html) for source in found[:5]] == [page(number) for number in range(5)]
    assert [source.name for source in found[5:]] == ["http://a.test/1", "http://a.test/2"]


@pytest.mark.parametrize(
    ("sources", "site"),
    [
        (["../x/site"], "site"),
        (["../x/site/**/*.html"], "site"),
        (["site/news/../news"], "site/news"),
        (["site/news/a.html", "../x/site/tags/b.html"], "site/news"),
    ],
)
def test_a_page_has_a_place_below_what_its_sources_have_in_common(tmp_path, monkeypatch, sources, site):
    for name in ("news/a.html", "tags/b.html"):
        (tmp_path / "x/site" / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / "x/site" / name).write_text(page(1))
    monkeypatch.chdir(tmp_path / "x")
    planned = [source for shard in plan(sources) for source in read(shard)]
    opened = list(open_sources(sources))
    assert [str(source.place) for source in planned] == [str(source.place) for source in opened]
    assert str(planned[0].place) == ("a.html" if site == "site/news" and len(sources) == 1 else "news/a.html")
    assert site_of(planned[0]) == site_of(opened[0]) == str(tmp_path / "x" / site)


def test_the_extra_of_the_pipeline_is_asked_for_before_one_that_a_source_needs(tmp_path, monkeypatch):
    (tmp_path / "pages.jsonl.zst").write_bytes(MAGIC)
    (tmp_path / "rows.parquet").write_bytes(b"")
    monkeypatch.setattr("tamis.corpus.tables.find_spec", lambda name: None)
    with pytest.raises(MissingExtraError, match=r"the corpus pipeline needs the extra 'corpus'"):
        plan([str(tmp_path)])


def test_a_file_that_several_sources_name_is_read_once(tmp_path):
    for number in range(3):
        (tmp_path / f"{number}.html").write_text(page(number))
    (tmp_path / "pages.jsonl").write_text(json.dumps({"html": page(3)}) + "\n")
    shards = plan([str(tmp_path / "1.html"), str(tmp_path), str(tmp_path / "**"), str(tmp_path / "pages.jsonl")])
    assert sorted(map(as_text, texts(shards))) == sorted(page(number) for number in range(4))


def test_files_that_are_not_read_are_named(tmp_path, archives):
    (tmp_path / "crawl.warc.gz").write_bytes((archives / "members.warc.gz").read_bytes())
    (tmp_path / "other.jsonl").write_text(json.dumps({"page": page(1)}) + "\n")
    (tmp_path / "more.jsonl").write_text(json.dumps({"html": page(2)}) + "\n")
    (tmp_path / "notes.md").write_text("no page")
    skipped: list[str] = []
    assert len(plan([str(tmp_path)], skipped=skipped)) == 2
    assert [Path(name).name for name in skipped] == ["notes.md", "other.jsonl"]


def test_a_damaged_row_group_costs_its_own_rows(tmp_path):
    path = tmp_path / "pages.parquet"
    pq.write_table(pa.table({"html": [page(n) for n in range(9)]}), path, row_group_size=3, compression="none", use_dictionary=False)
    column = pq.ParquetFile(path).metadata.row_group(1).column(0)
    raw = bytearray(path.read_bytes())
    raw[column.data_page_offset : column.data_page_offset + 40] = b"\xff" * 40
    path.write_bytes(bytes(raw))
    found = [source for shard in plan([str(path)]) for source in read(shard)]
    assert [source.name.rpartition(":")[2] for source in found if not isinstance(source, BrokenSource)] == ["0", "1", "2", "6", "7", "8"]
    (broken,) = (source for source in found if isinstance(source, BrokenSource))
    assert "from row 3 to the end of row group 1" in broken.reason
