"""Words of a command line as pages."""

from __future__ import annotations

import base64
import gzip
import io
import json
import os
import pickle
import quopri
from contextlib import suppress
from pathlib import Path, PurePosixPath
from threading import Thread
from types import SimpleNamespace

import pytest
from hypothesis import given
from hypothesis import strategies as st

import tamis.io.sources
from tamis import SourceError, UsageError, extract, parse
from tamis.corpus.batch import clean_page
from tamis.corpus.shards import plan, read
from tamis.errors import CorpusError, FetchError, MissingExtraError, ModelError, RenderError
from tamis.io.fetch import Limits
from tamis.io.pages import BrokenSource, Fields, FilePage, HeldPage, JsonLine, WebPage
from tamis.io.sources import open_page, open_sources
from tamis.page.content import unpack_gzip
from tamis.page.decode import decode

PAGE = b"<p>A page.</p>"


@pytest.fixture
def here(tmp_path, monkeypatch):
    """A folder with pages in it, as the current folder."""
    for name in ("site/b.html", "site/a.htm", "site/deep/c.xhtml", "site/deep/d.html.gz", "site/style.css", "site/notes.txt", "lone.php"):
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(gzip.compress(PAGE) if name.endswith(".gz") else PAGE)
    (tmp_path / "empty").mkdir()
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.fixture
def stdin(monkeypatch):
    def give(data: bytes):
        monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(data)))

    return give


def names(*words, **options):
    return [source.name for source in open_sources(words, **options)]


@pytest.mark.parametrize(
    "error",
    [kind("what is wrong") for kind in (UsageError, SourceError, FetchError, RenderError, ModelError, CorpusError)]
    + [MissingExtraError("rendering", "browser")],
)
def test_errors_come_back_from_workers_as_they_were(error):
    again = pickle.loads(pickle.dumps(error))
    assert (type(again), str(again)) == (type(error), str(error))


def test_a_file_is_a_page_whatever_it_is_called(here):
    assert names("lone.php") == ["lone.php"]
    (source,) = open_sources(["site/deep/d.html.gz"])
    assert source.read().html == PAGE
    assert source.url is None


def test_a_folder_is_its_pages_sorted(here):
    assert names("site") == ["site/a.htm", "site/b.html", "site/deep/c.xhtml", "site/deep/d.html.gz"]
    assert [str(source.place) for source in open_sources(["site"])] == ["a.htm", "b.html", "deep/c.xhtml", "deep/d.html.gz"]


@pytest.mark.parametrize(
    ("pattern", "found"),
    [
        ("site/*.html", ["site/b.html"]),
        ("*.php", ["lone.php"]),
        ("site/*", ["site/a.htm", "site/b.html", "site/deep/c.xhtml", "site/deep/d.html.gz"]),
        ("site/**", ["site/a.htm", "site/b.html", "site/deep/c.xhtml", "site/deep/d.html.gz"]),
        ("s*/de*p", ["site/deep/c.xhtml", "site/deep/d.html.gz"]),
    ],
)
def test_a_pattern_is_what_it_matches_each_page_once(here, pattern, found):
    assert names(pattern) == found


def test_pages_of_a_pattern_mirror_what_lies_below_its_fixed_part(here):
    assert [str(source.place) for source in open_sources(["site/d*/*"])] == ["deep/c.xhtml", "deep/d.html.gz"]


def test_a_file_named_like_a_pattern_is_that_file(here):
    Path("odd[1].html").write_bytes(PAGE)
    assert names("odd[1].html") == ["odd[1].html"]


@pytest.mark.parametrize(
    ("word", "said"),
    [
        ("missing.html", r"no file or folder 'missing\.html'$"),
        ("empty", "empty is an empty folder"),
        ("site/*.pdf", r"no page matches the pattern site/\*\.pdf"),
        ("ftp://example.org/", "http and https, not ftp"),
        ("example.org/page", "https://example.org/page"),
    ],
)
def test_a_word_that_stands_for_nothing_is_an_error_at_once(here, word, said):
    with pytest.raises(UsageError if "://" in word else SourceError, match=said):
        open_sources([word])


def test_a_page_in_place_of_a_path_is_a_mistake_of_the_caller():
    with pytest.raises(UsageError, match="HeldPage"):
        open_sources(["<p>A page."])


def test_a_file_that_vanishes_is_a_failure_of_its_own(here):
    (source,) = open_sources(["lone.php"])
    Path("lone.php").unlink()
    with pytest.raises(SourceError, match=r"cannot read lone\.php: no such file"):
        source.read()


def test_a_folder_that_cannot_be_read_is_a_failure(tmp_path, monkeypatch):
    for name in ("a.html", "locked/b.html"):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_bytes(PAGE)
    scandir = os.scandir

    def refused(folder):
        if os.fspath(folder).endswith("locked"):
            raise PermissionError(13, "Permission denied", folder)
        return scandir(folder)

    monkeypatch.setattr(os, "scandir", refused)
    found, failed = open_sources([tmp_path])
    assert found.read().html == PAGE
    with pytest.raises(SourceError, match=r"cannot read .*locked: permission denied"):
        failed.read()
    pages = [source.name for shard in plan([str(tmp_path)]) for source in read(shard)]
    assert pages == [str(tmp_path / "a.html"), str(tmp_path / "locked")]  # reading it fails
    for opened in (open_page, lambda path: next(open_sources([path]))):
        with pytest.raises(PermissionError):
            opened(tmp_path / "locked")
    with pytest.raises(PermissionError):
        plan([str(tmp_path / "locked")])


def test_a_file_is_found_from_another_folder_too(here, monkeypatch):
    (source,) = open_sources(["lone.php"])
    monkeypatch.chdir(here / "empty")
    assert source.read().html == PAGE


def test_the_size_of_a_page_is_bounded_before_and_after_unpacking(here):
    Path("bomb.html.gz").write_bytes(gzip.compress(bytes(1_000_000)))
    for name in ("lone.php", "bomb.html.gz"):
        with pytest.raises(SourceError, match="larger than the limit"):
            open_page(name).read(Limits(max_bytes=5 if name == "lone.php" else 2_000))


def test_gzip_data_that_are_cut_off_stay_packed_so_that_the_document_says_so(here, stdin, monkeypatch):
    whole = gzip.compress(b"<p>" + b"".join(b"%d." % number for number in range(9_999)))
    Path("cut.html.gz").write_bytes(whole[:-99])
    stdin(whole[:-99])
    calls = []
    monkeypatch.setattr(tamis.page.parsing, "unpack_gzip", lambda *given: calls.append(given) or unpack_gzip(*given))
    for source in (open_page("cut.html.gz"), HeldPage("held", whole[:-99]), *open_sources(["-"])):
        record = clean_page(source)
        assert record.text.startswith("0.1.2.")
        assert record.problems == ("the gzip data are damaged or cut off: the rest of the page is missing",)
    assert len(calls) == 3  # once each
    with pytest.raises(SourceError, match="larger than the limit"):
        HeldPage("held", whole[:-99]).read(Limits(max_bytes=30_000))


@pytest.mark.parametrize("data", [b"%PDF-1.7\n", b"\x89PNG\r\n\x1a\n\0\0\0\x0d"])
def test_binary_data_is_no_page(here, data):
    Path("binary.html").write_bytes(data)
    with pytest.raises(SourceError, match="holds binary data"):
        open_page("binary.html").read()


def test_utf_16_is_no_binary_data(here):
    Path("wide.html").write_bytes("<p>wide".encode("utf-16"))
    assert open_page("wide.html").read().html.startswith(b"\xff\xfe")


@pytest.mark.parametrize("head", ["From: <Saved by Blink>\n", ""])
@pytest.mark.parametrize(("charset", "stated"), [("utf-8", ""), ("cp1251", '; charset="windows-1251"')])
@pytest.mark.parametrize(("way", "named"), [(quopri.encodestring, "quoted-printable"), (base64.encodebytes, "base64"), (bytes, "8bit")])
@pytest.mark.parametrize("packed", [bytes, gzip.compress])
def test_a_page_saved_as_one_file_is_its_html(tmp_path, head, charset, stated, way, named, packed):
    address, said = "https://site.test/a?b=1", "Привет, мир"
    mail = (
        f'{head}Subject: A page\nMIME-Version: 1.0\nContent-Type: multipart/related;\n\ttype="text/html";\n\tboundary="--edge"\n\n\n'
        "----edge\nContent-Type: text/css\n\np { color: red }\n"
        f"----edge\nContent-Type: text/html{stated}\nContent-Location: {address}\n"
        f"Content-Transfer-Encoding: {named}\n\n"
    ).encode() + way(f"<html><p title='=3D'>{said}.".encode(charset))
    mail = packed((mail + b"\n----edge--\n").replace(b"\n", b"\r\n"))
    (tmp_path / "page.mhtml").write_bytes(mail)
    (source,) = open_sources([tmp_path])
    record = clean_page(source)
    assert (record.text, record.url) == (said + ".", address)
    assert clean_page(HeldPage("-", mail, "https://given.test/")).url == "https://given.test/"
    assert str(source.place) == "page.mhtml"
    assert parse(tmp_path / "page.mhtml").text() == parse(mail).text() == said + "."


@pytest.mark.parametrize("kind", ["Text/Plain; charset=utf-16le", "text/plain;charset=cp1251", "text/plain"])
def test_the_lines_of_plain_text_stay_as_in_browsers(tmp_path, kind):
    said = "Привет, мир\n\n  a < b &amp; <p> c\nend"
    body = said.encode(kind.rpartition("=")[2] if "=" in kind else "utf-8")
    assert clean_page(HeldPage("-", body, content_type=kind)).text == said
    (tmp_path / "notes.TXT").write_bytes(said.encode())
    assert clean_page(open_page(tmp_path / "notes.TXT")).text == extract(tmp_path / "notes.TXT").text == said
    assert extract(decode(body, kind)).text == said
    assert extract(b"<p>A page\nof a server that is wrong", content_type="text/plain").text == "A page of a server that is wrong"


def test_an_address_is_a_page_to_be_fetched():
    (source,) = open_sources(["https://example.org/a/?q=1"])
    assert source == WebPage("https://example.org/a/?q=1")
    assert source.url == source.name
    assert source.place == PurePosixPath("example.org/a/index_q=1")


def test_a_list_is_its_addresses_and_bad_lines_have_numbers(here):
    Path("list.txt").write_text("# mine\nhttps://example.org/1\n\nnonsense\n  http://example.org/2  \n")
    first, bad, second = open_sources(["list.txt"])
    assert (first.name, second.name) == ("https://example.org/1", "http://example.org/2")
    assert bad.name == "list.txt:4"
    with pytest.raises(SourceError, match=r"line 4 of list\.txt is neither an address nor a file: 'nonsense'"):
        bad.read()


LINES = [
    {"url": "https://example.org/1", "html": "<p>one"},
    {"url": "https://example.org/2", "content": "<p>two"},
    {"body": "<p>three"},
    {"raw_html": "<p>four", "url": 4},
    {"html_base64": base64.b64encode("<meta charset=latin1>caf\u00e9".encode("cp1252")).decode()},
]


@pytest.mark.parametrize("name", ["pages.jsonl", "pages.jsonl.gz", "pages.ndjson"])
def test_json_lines_are_pages(here, name):
    data = "\n".join(map(json.dumps, LINES)).encode()
    Path(name).write_bytes(gzip.compress(data) if name.endswith(".gz") else data)
    sources = list(open_sources([name]))
    served = [source.read() for source in sources]
    assert [page.html for page in served] == ["<p>one", "<p>two", "<p>three", "<p>four", b"<meta charset=latin1>caf\xe9"]
    assert [page.url for page in served] == ["https://example.org/1", "https://example.org/2", None, None, None]
    assert sources[1].name == f"{name}:2"
    assert sources[1].place == PurePosixPath("pages/000002")


def test_fields_of_json_lines_can_be_named(here):
    Path("pages.jsonl").write_text('{"link": "https://example.org/", "page": "<p>mine", "html": "<p>other"}\n')
    (source,) = open_sources(["pages.jsonl"], Fields(url="link", html="page"))
    assert (source.url, source.read().html) == ("https://example.org/", "<p>mine")


@pytest.mark.parametrize(
    ("line", "said"),
    [
        ("{not json", "p.jsonl:2 is not JSON"),
        ("[1, 2]", "p.jsonl:2 is JSON, but not an object"),
        ('{"title": "x"}', r"p.jsonl:2 has no field html or content or body or raw_html or html_base64; it has title: .*--html-field"),
        ('{"html": null}', "p.jsonl:2 has no page: its field html holds no text"),
        ('{"html_base64": "?"}', "html_base64 is not base64"),
        ("[" * 100_000, "p.jsonl:2 is not JSON"),
    ],
)
def test_a_bad_line_is_one_failure_with_its_number(here, line, said):
    Path("p.jsonl").write_text('{"html": "a"}\n' + line + '\n\n{"html": "b"}\n')
    first, bad, last = open_sources(["p.jsonl"])
    with pytest.raises(SourceError, match=said):
        bad.read()
    assert bad.url is None
    assert (first.read().html, last.read().html, last.name) == ("a", "b", "p.jsonl:4")


def test_damaged_gzip_ends_a_file_of_lines_with_one_failure(here):
    data = gzip.compress(b"".join(json.dumps({"html": os.urandom(20).hex()}).encode() + b"\n" for _ in range(1000)))
    Path("cut.jsonl.gz").write_bytes(data[: len(data) // 2])
    *good, bad = open_sources(["cut.jsonl.gz"])
    assert len(good) > 100
    with pytest.raises(SourceError, match=r"cannot read cut\.jsonl\.gz from line \d+ on"):
        bad.read()


def test_a_line_without_end_is_one_failure(here, monkeypatch):
    monkeypatch.setattr(tamis.io.sources, "MAX_LINE", 50)
    Path("p.jsonl").write_text('{"html": "' + "x" * 200 + '"}\n{"html": "b"}\n')
    bad, good = open_sources(["p.jsonl"])
    assert isinstance(bad, BrokenSource)
    assert (good.name, good.read().html) == ("p.jsonl:2", "b")


def test_standard_input_is_a_page(stdin):
    stdin(b"\n<p>A\n<p>B\n")
    (source,) = open_sources(["-"])
    assert source == HeldPage("-", b"\n<p>A\n<p>B\n")
    stdin(gzip.compress(PAGE))
    assert open_page("-").read().html == PAGE


def test_standard_input_is_json_lines_or_a_list(stdin):
    stdin(b'{"html": "a"}\n{"html": "b"}\n')
    assert [source.read().html for source in open_sources(["-"])] == ["a", "b"]
    stdin(b"https://example.org/1\n# no\nhttps://example.org/2\n")
    assert names("-") == ["https://example.org/1", "https://example.org/2"]
    stdin(b"# my list\n\nhttps://example.org/1\n")
    assert names("-") == ["https://example.org/1"]
    stdin(gzip.compress(b'{"html": "a"}\n{"html": "b"}\n'))
    assert [source.read().html for source in open_sources(["-"])] == ["a", "b"]
    for length in (-20, -12, -8):  # of the first line nothing, a part, all
        stdin(gzip.compress(b'{"html": "a"}\n' * 9)[:length])
        assert isinstance(list(open_sources(["-"]))[-1], BrokenSource)


def test_a_list_on_standard_input_may_begin_with_a_path_that_is_missing(here, stdin):
    Path("there.html").write_bytes(PAGE)
    stdin(b"missing.html\nthere.html\n")
    assert [type(source) for source in open_sources(["-"])] == [BrokenSource, FilePage]


def test_an_archive_on_standard_input_is_no_page(stdin):
    stdin(gzip.compress(b"WARC/1.1\r\nWARC-Type: response\r\n\r\n"))
    (source,) = open_sources(["-"])
    with pytest.raises(SourceError, match="not a page but a WARC archive"):
        source.read()


def test_a_file_that_two_patterns_match_is_one_page(here):
    assert names("site/*.html", "site/*.htm*") == ["site/b.html", "site/a.htm"]
    assert names("lone.php", "lone.php") == ["lone.php"]


def test_one_page_is_not_many(here):
    for word in ("site", "pages.jsonl"):
        with pytest.raises(SourceError, match="holds many pages: 'tamis clean' cleans them all"):
            open_page(word)
    with pytest.raises(SourceError, match="no file or folder"):
        open_page("missing.html")
    assert isinstance(open_page("site/notes.txt"), FilePage)


@pytest.mark.parametrize(
    "source", [FilePage("a", "/a"), WebPage("https://e.org/"), HeldPage("a", "b"), JsonLine("a:1", b"{}"), BrokenSource("a", "b")]
)
def test_sources_travel(source):
    assert pickle.loads(pickle.dumps(source)) == source


@given(st.binary(max_size=200))
def test_any_line_is_a_page_or_a_source_error(line):
    with suppress(SourceError):
        JsonLine("p.jsonl:1", line).read()


@given(st.text(max_size=60))
def test_any_address_has_a_relative_place(rest):
    place = WebPage("http://" + rest).place
    assert not place.is_absolute()


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="needs named pipes")
def test_pipes_in_a_folder_or_pattern_are_left_out(tmp_path):
    (tmp_path / "a.html").write_text("<p>Reeds", encoding="utf-8")
    for name in ("b.html", "c", "d.warc", "e.jsonl"):
        os.mkfifo(tmp_path / name)
    for named in (tmp_path, tmp_path / "*", tmp_path / "*.html"):
        assert [Path(page.name).name for page in open_sources([named])] == ["a.html"]
    assert [shard.kind for shard in plan([str(tmp_path)])] == ["pages"]


@pytest.mark.parametrize("read", [open_page, lambda word: open_sources([word]), lambda word: plan([word])])
def test_an_empty_name_is_not_the_folder_one_is_in(tmp_path, monkeypatch, read):
    (tmp_path / "a.html").write_text("<p>Reeds", encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    with pytest.raises((UsageError, SourceError), match=r"empty text|'' holds no pages"):
        read("")


def test_a_folder_of_json_lines_alone_says_to_name_the_files(tmp_path):
    (tmp_path / "notes.css").write_text("")
    with pytest.raises(SourceError, match=r"it contains no \.html"):
        open_sources([tmp_path])
    (tmp_path / "pages.jsonl").write_text('{"html": "<p>"}\n')
    with pytest.raises(SourceError, match=r"files themselves are named, such as .*pages\.jsonl"):
        open_sources([tmp_path])


def json_pages(count: int) -> list[dict]:
    return [{"url": f"https://example.org/{n}", "html": f"<p>Page number {n} says something."} for n in range(count)]


@pytest.mark.parametrize("form", ["array", "indented", "lines", "object", "packed"])
def test_json_files_hold_objects_with_pages(tmp_path, form):
    objects = json_pages(1 if form == "object" else 3)
    written = json.dumps(objects[0] if form == "object" else objects, indent=1 if form == "indented" else None)
    data = ("\n".join(map(json.dumps, objects)) if form == "lines" else written).encode()
    path = tmp_path / ("a.json.gz" if form == "packed" else "a.json")
    path.write_bytes(gzip.compress(data) if form == "packed" else data)
    found = list(open_sources([path]))
    assert [each.url for each in found] == [each["url"] for each in objects]
    assert [each.read().html for each in found] == [each["html"] for each in objects]
    assert found[0].name == f"{path}:1"


@pytest.mark.parametrize(("written", "reason"), [("[1, 2]", "not an object"), ("[{", "cannot be read as JSON"), ('{"a": ', "not JSON")])
def test_json_files_without_pages_are_failures(tmp_path, written, reason):
    (tmp_path / "a.json").write_text(written)
    found = list(open_sources([tmp_path / "a.json"]))
    assert found
    for each in found:
        with pytest.raises(SourceError, match=reason):
            each.read()


def test_standard_input_may_be_an_array_of_json(monkeypatch):
    monkeypatch.setattr("sys.stdin", SimpleNamespace(buffer=io.BytesIO(json.dumps(json_pages(3), indent=2).encode())))
    assert [each.url for each in open_sources(["-"])] == [f"https://example.org/{n}" for n in range(3)]


@pytest.mark.parametrize(("data", "kind"), [(b"WARC/0.18\nWARC-Type: response\n\n", "WARC"), (b"filedesc://a 0.0.0.0 2006", "ARC")])
def test_an_archive_of_another_name_is_no_page(tmp_path, data, kind):
    (tmp_path / "a.dat").write_bytes(data)
    (page,) = open_sources([tmp_path / "a.dat"])
    with pytest.raises(SourceError, match=f"not a page but a {kind} archive"):
        page.read()


@pytest.mark.parametrize("follows", [False, True])
def test_links_out_of_a_folder_are_named_and_followed_only_on_request(tmp_path, monkeypatch, follows):
    folder, outside = tmp_path / "folder", tmp_path / "outside"
    for each in (folder, outside):
        each.mkdir()
        (each / "a.html").write_text("<p>A page.")
    (folder / "within.html").symlink_to("a.html")
    (folder / "out.html").symlink_to(outside / "a.html")
    (folder / "up").symlink_to(outside)
    (tmp_path / "link").symlink_to(folder)
    if follows:
        monkeypatch.setenv("TAMIS_FOLLOW_LINKS", "1")
    for source in (folder, tmp_path / "link"):
        read, refused = [], []
        for page in open_sources([str(source)]):
            try:
                page.read()
                read.append(Path(page.name).name)
            except SourceError as error:
                refused.append(str(error))
        assert read == ["a.html", *(["out.html"] if follows else []), "within.html"]
        assert [("out.html" in line and "TAMIS_FOLLOW_LINKS=1 follows" in line) for line in refused] == ([] if follows else [True])


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="needs named pipes")
def test_a_pipe_is_read_like_standard_input(tmp_path, monkeypatch):
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    for data, pages in ((PAGE, [PAGE]), (b'{"html": "a"}\n{"html": "b"}\n', ["a", "b"])):
        writer = Thread(target=pipe.write_bytes, args=(data,))
        writer.start()
        assert [page.read().html for page in open_sources([pipe])] == pages
        writer.join()
    writer = Thread(target=pipe.write_bytes, args=(PAGE,))
    writer.start()
    assert open_page(pipe).read().html == PAGE
    writer.join()
    with pytest.raises(SourceError, match="pipe or a device"):
        plan([str(pipe)])
    monkeypatch.setattr("tamis.io.files._PIPE_SECONDS", 0.01)
    for opened in (open_page, lambda word: open_sources([word])):
        with pytest.raises(SourceError, match="nothing was written to the pipe"):
            opened(pipe)
        with pytest.raises(SourceError, match="/dev/null is a device"):
            opened("/dev/null")


def test_a_list_of_files_that_are_elsewhere_is_no_page(here, stdin):
    stdin(b"news/a.html\nnews/b.htm.gz\n")
    (page,) = open_sources(["-"])
    with pytest.raises(SourceError, match=r"no file 'news/a\.html': paths begin at the working folder"):
        page.read()
    stdin(b"a page about\nindex.html\n")
    assert [page.read().html for page in open_sources(["-"])] == [b"a page about\nindex.html\n"]
