"""WARC archives: what is written can be read, by tamis and by others, and what is damaged is told."""

from __future__ import annotations

import gzip
import random
import zlib
from datetime import UTC, datetime
from functools import cache

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import tamis
from tamis.corpus.batch import clean_page
from tamis.errors import MissingExtraError, SourceError
from tamis.io import record_bytes, warc
from tamis.io.answers import Answer
from tamis.io.pages import ArchivedSource, BrokenSource
from tamis.io.sources import open_archive, open_sources
from tamis.io.warc import ArchivedPage, ArchiveFailure, exchange_records, read_page, read_pages, record, warcinfo_record

pytest.importorskip("fastwarc", reason="needs the warc extra")

DATE = datetime(2026, 5, 4, 3, 2, 1, tzinfo=UTC)


def body(number: int) -> bytes:
    """A page that does not compress well, so that damage can be put anywhere."""
    noise = random.Random(number).randbytes(1500).hex()
    return f"<title>Page {number}</title><p>Number {number} says {noise}.".encode()


def response(number: int, sent: bytes | None = None, **headers: str) -> bytes:
    """The record of a response, a gzip member."""
    sent = body(number) if sent is None else sent
    given = {"Content-Type": "text/html; charset=utf-8", "Content-Length": str(len(sent))} | {
        name.replace("_", "-"): value for name, value in headers.items()
    }
    lines = "".join(f"{name}: {value}\r\n" for name, value in given.items()).encode()
    block = b"HTTP/1.1 200 OK\r\n" + lines + b"\r\n" + sent
    about = {"WARC-Target-URI": f"https://example.org/{number}"}
    return record("response", f"<urn:uuid:{number}>", DATE, block, "application/http; msgtype=response", about)


def answer(number: int) -> Answer:
    headers = (("Content-Type", "text/html; charset=utf-8"), ("Transfer-Encoding", "chunked"))
    request = b"GET / HTTP/1.1\r\nHost: example.org\r\n\r\n"
    return Answer(f"https://example.org/{number}", 200, headers, body(number), DATE, request, address="192.0.2.1")


@cache
def members(count: int) -> list[bytes]:
    """The response records of pages, each a gzip member."""
    return [response(number) for number in range(count)]


def archive(tmp_path, data: bytes, name: str = "a.warc.gz"):
    path = tmp_path / name
    path.write_bytes(data)
    return path


def numbers(path) -> list[int]:
    """The numbers of the pages that can be read; each has its own text."""
    found = []
    for page in read_pages(path):
        if isinstance(page, ArchivedPage):
            number = int(page.url.rpartition("/")[2])
            assert page.body() == body(number)
            found.append(number)
    return found


def failures(path) -> list[ArchiveFailure]:
    return [page for page in read_pages(path) if isinstance(page, ArchiveFailure)]


def test_what_is_written_is_read(tmp_path):
    response, request, digest = exchange_records(answer(1))
    path = archive(tmp_path, warcinfo_record("a.warc.gz", DATE, {"software": "tamis"}) + response + request)
    (page,) = read_pages(path)
    assert page == ArchivedPage(
        url="https://example.org/1",
        status=200,
        content_type="text/html; charset=utf-8",
        date="2026-05-04T03:02:01.000000Z",
        offset=path.stat().st_size - len(response + request),
        within=0,
        raw=body(1),
        chunked=False,
        codings=(),
    )
    assert read_page(path, page.offset) == page
    assert digest.startswith("sha1:")


def test_others_read_what_is_written(tmp_path):
    warcio = pytest.importorskip("warcio.archiveiterator")
    from fastwarc.warc import ArchiveIterator

    data = warcinfo_record("a.warc.gz", DATE, {"software": "tamis"}) + b"".join(exchange_records(answer(1))[:2])
    path = archive(tmp_path, data)
    with path.open("rb") as stream:
        read = [
            (each.rec_type, each.rec_headers.protocol, len(each.content_stream().read()))
            for each in warcio.ArchiveIterator(stream, check_digests="raise")
        ]
    assert [kind for kind, _, _ in read] == ["warcinfo", "response", "request"]
    assert {version for _, version, _ in read} == {"WARC/1.1"}
    assert read[1][2] == len(body(1))
    records = list(ArchiveIterator(str(path), parse_http=False))
    assert all(each.verify_block_digest() for each in ArchiveIterator(str(path), parse_http=False))
    assert len(records) == 3


def test_transfers_are_undone(tmp_path):
    brotli = pytest.importorskip("brotli")
    page = body(1)
    chunks = b"".join(b"%x\r\n%s\r\n" % (len(page[k : k + 700]), page[k : k + 700]) for k in range(0, len(page), 700)) + b"0\r\n\r\n"
    cases = [
        response(1, gzip.compress(page), Content_Encoding="gzip"),
        response(1, zlib.compress(page), Content_Encoding="deflate"),
        response(1, brotli.compress(page), Content_Encoding="br"),
        response(1, chunks, Transfer_Encoding="chunked"),
        response(1, page, Content_Encoding="gzip"),  # headers of a transfer that was undone before
        response(1, page, Transfer_Encoding="chunked"),
    ]
    path = archive(tmp_path, b"".join(cases))
    assert numbers(path) == [1] * len(cases)


def test_bodies_that_are_cut_off_say_so(tmp_path):
    brotli = pytest.importorskip("brotli")
    page = body(1)
    packed = {"gzip": gzip.compress(page), "deflate": zlib.compress(page), "br": brotli.compress(page)}
    path = archive(tmp_path, b"".join(response(1, data[:-9], Content_Encoding=name) for name, data in packed.items()))
    kept, *lost = map(clean_page, open_archive(str(path)))
    assert kept.status == "ok"
    assert kept.problems == ("the gzip data are damaged or cut off: the rest of the page is missing",)
    assert {each.failure.reason for each in lost} == {"https://example.org/1 is damaged: its compressed data are cut off"}


def test_only_pages_count(tmp_path):
    kinds = [response(1, Content_Type="image/png"), response(2, Content_Type="application/xhtml+xml; charset=utf-8")]
    data = b"".join(kinds)
    gone = record(
        "response",
        "<urn:x>",
        DATE,
        b"HTTP/1.1 404 Not Found\r\nContent-Type: text/html\r\n\r\ngone",
        "application/http; msgtype=response",
        {},
    )
    assert numbers(archive(tmp_path, data + gone)) == [2]


@pytest.mark.parametrize("name", ["a.warc", "one.warc.gz"])
def test_archives_come_in_other_forms(tmp_path, name):
    plain = b"".join(map(gzip.decompress, members(5)))
    path = archive(tmp_path, plain if name == "a.warc" else gzip.compress(plain), name)
    assert numbers(path) == [0, 1, 2, 3, 4]
    records = list(tamis.clean(path, workers=1))
    assert [record.url for record in records] == [f"https://example.org/{number}" for number in range(5)]
    assert all(record.status == "ok" for record in records)


@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(data=st.data())
def test_damage_costs_the_pages_it_hits_and_is_told(tmp_path, data):
    whole = members(6)
    at = data.draw(st.integers(0, sum(map(len, whole)) - 1), label="at")
    length = data.draw(st.integers(1, 4000), label="length")
    change = data.draw(st.sampled_from(["flip", "cut out", "fill"]), label="change")
    raw = bytearray(b"".join(whole))
    if change == "flip":
        raw[at] ^= 0x55
        length = 1
    elif change == "cut out":
        del raw[at : at + length]
    else:
        raw[at : at + length] = bytes(len(raw[at : at + length]))
    starts = [sum(map(len, whole[:k])) for k in range(7)]
    hit = {k for k in range(6) if starts[k] < at + length and starts[k + 1] > at}
    path = archive(tmp_path, bytes(raw))
    left = numbers(path)
    assert left == sorted(left)
    assert set(range(6)) - hit <= set(left)
    assert len(left) == 6 or failures(path)


@settings(max_examples=40, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(cut=st.integers(1, 12_000), packed=st.booleans())
def test_a_torn_end_is_told(tmp_path, cut, packed):
    whole = members(4) if packed else list(map(gzip.decompress, members(4)))
    raw = b"".join(whole)[:-cut]
    path = archive(tmp_path, raw, "a.warc.gz" if packed else "a.warc")
    ends = [sum(map(len, whole[: k + 1])) for k in range(4)]
    complete = [k for k in range(4) if ends[k] - (0 if packed else 4) <= len(raw)]  # plain: without the empty lines after it
    left = numbers(path)
    assert left == complete or (packed and left == [*complete, len(complete)])  # of a member only the checksum may be missing
    in_between = len(raw) not in (0, *ends) and (packed or len(raw) - max([0, *(ends[k] for k in complete)]) > 0)
    assert bool(failures(path)) == in_between


@pytest.mark.parametrize("length", [99, 9, 5])
def test_damage_that_leaves_a_record_as_long_as_it_says_is_told(tmp_path, length):
    raw = b"".join(members(3))
    path = archive(tmp_path, raw[:-length] + bytes(length))  # the data go on, with other characters, and no checksum ends them
    assert numbers(path) == [0, 1]
    assert [failure.offset for failure in failures(path)] == [len(raw) - len(members(3)[2])]


def test_damage_in_the_first_bytes_leaves_the_rest(tmp_path):
    raw = bytearray(b"".join(members(3)))
    raw[0] ^= 1
    path = archive(tmp_path, bytes(raw))
    assert numbers(path) == [1, 2]
    assert [failure.offset for failure in failures(path)] == [0]


def test_a_file_that_is_no_archive_is_a_failure(tmp_path):
    for name in ("a.warc", "a.warc.gz"):
        path = archive(tmp_path, b"nothing of the kind " * 100, name)
        assert (numbers(path), len(failures(path))) == ([], 1)
    assert list(read_pages(archive(tmp_path, b""))) == []
    with pytest.raises(SourceError, match="cannot read"):
        list(read_pages(tmp_path / "missing.warc"))


def test_places_that_hold_no_page_are_errors(tmp_path):
    path = archive(tmp_path, b"".join(members(2)))
    with pytest.raises(SourceError, match="has no page at 5"):
        read_page(path, 5)


def test_archives_are_sources(tmp_path):
    first, second = members(2)
    raw = bytearray(second)
    raw[len(raw) // 2] ^= 0x55
    folder = tmp_path / "crawl"
    folder.mkdir()
    archive(folder, first + bytes(raw))
    good, broken = open_sources([folder])
    assert isinstance(good, ArchivedSource)
    assert isinstance(broken, BrokenSource)
    assert good.url == "https://example.org/0"
    assert str(good.place) == "example.org/0"
    statuses = [(record.status, record.source.rpartition(":")[0]) for record in tamis.clean([folder], workers=1)]
    assert statuses == [("ok", str(folder / "a.warc.gz")), ("failed", str(folder / "a.warc.gz"))]


def test_pages_of_one_big_member_travel_with_their_text(tmp_path):
    path = archive(tmp_path, gzip.compress(b"".join(map(gzip.decompress, members(2)))))
    first, second = open_sources([path])
    assert isinstance(first, ArchivedSource)
    assert isinstance(second, ArchivedSource)
    assert first.record is None
    assert second.record is not None
    assert second.read().url == "https://example.org/1"


LINES = (
    b"Content-Type: text/html",
    b"content-type:text/html; charset=gb2312 ",
    b"Content-Type:",
    b"content-Type:  x\x0c ",
    b"Content-Type : a/b",
    b"X-Content-Type: no",
    b"Content-Length: 500",
    b"Vary: Accept-Encoding",
    b"Transfer-Encoding: chunked",
    b"Content-Encoding: gzip",
    b"no colon",
    b" folded",
    b"",
)
STATUS = (b"HTTP/1.1 200 OK", b"HTTP/1.0 404", b"HTTP/2 200", b"HTTP/1.1  200 OK", b"http/1.1 200", b"HTTP/1.1 2000 x", b"")
BODIES = (b"<p>a", b"", b"\r\n\r\nx", b"a\n\nb\r\n\r\nc", b"3\r\nabc\r\n0\r\n\r\n")


@given(
    st.sampled_from(STATUS), st.lists(st.sampled_from(LINES), max_size=4), st.sampled_from([b"\r\n"] * 6 + [b"\n"]), st.sampled_from(BODIES)
)
def test_a_response_is_read_as_fastwarc_reads_it(status, headers, end, body):
    from fastwarc.warc import WarcRecord

    block = end.join([status, *headers]) + end + end + body
    head = b"WARC/1.1\r\nWARC-Type: response\r\nContent-Type: application/http\r\nContent-Length: %d\r\n\r\n" % len(block)
    found = warc._page_of(warc.Raw(0, warc._headers(head), block))
    parsed = WarcRecord.from_bytes(head + block)
    parsed.parse_http(auto_decode="none")
    if isinstance(found, ArchivedPage) and b"" not in headers and not any(line.startswith(b" ") for line in headers):
        if end == b"\r\n" or parsed.http_headers.status_code is not None:  # FastWARC may find no status in lines that end in "\n" alone
            assert found.status == parsed.http_headers.status_code
        assert found.content_type == (None if (there := parsed.http_headers.get("Content-Type")) is None else there.strip())
        if end == b"\r\n":  # FastWARC finds no body after lines that end in "\n" alone
            assert found.raw == parsed.reader.read()


def torn(length: int, *after: int, packed: bool) -> bytes:
    """A record that says it has another length, with pages before and after it."""
    lying = b"WARC/1.1\r\nWARC-Type: response\r\nWARC-Target-URI: http://x/\r\nContent-Length: %d\r\n\r\nlie\r\n\r\n" % length
    records = [gzip.decompress(each) for each in members(max(after) + 1)]
    plain = records[0] + lying + b"".join(records[number] for number in after)
    return gzip.compress(plain) if packed else plain


@pytest.mark.parametrize("packed", [False, True])
@pytest.mark.parametrize(
    "length", [400, 10**5, warc.LARGEST_RECORD + 1, 10**14, 10**400], ids=["short", "long", "too long", "far", "no number"]
)
def test_a_length_that_lies_costs_its_own_record(tmp_path, length, packed):
    path = archive(tmp_path, torn(length, 1, 2, 3, packed=packed), "a.warc.gz" if packed else "a.warc")
    assert numbers(path) == [0, 1, 2, 3]
    (failure,) = failures(path)
    assert "shorter than it says" in failure.reason or "within a record" in failure.reason or "how long" in failure.reason


@pytest.mark.parametrize("kept", [0, 1, 200, 1_000])
@pytest.mark.parametrize("more", [False, True])
def test_a_record_right_after_one_that_was_cut_off_is_read(tmp_path, kept, more):
    """The length of the first one leads into the middle of the second one, or of the third."""
    plain = [gzip.decompress(each) for each in members(4)]
    head, _, block = plain[1].partition(b"\r\n\r\n")
    long = response(2, b"<p>" + b"x" * 900)
    clipped = head + b"\r\n\r\n" + block[:kept]
    data = plain[0] + clipped + (gzip.decompress(long) if more else b"") + plain[2] + plain[3]
    path = archive(tmp_path, data, "a.warc")
    pages = [page.url[-1] for page in read_pages(path) if isinstance(page, ArchivedPage)]
    assert pages == (["0", "2", "2", "3"] if more else ["0", "2", "3"])
    assert [failure.url for failure in failures(path)] == ["https://example.org/1"]


@pytest.mark.parametrize("by", [0, 700])
def test_a_page_about_archives_is_read_whole(tmp_path, by):
    """Its body holds records, whole ones too; also where its length was counted wrong by ``by``."""
    quoted = b"<pre>" + gzip.decompress(members(1)[0]).replace(b"\r\n\r\n", b"\r\n \r\n", 1) + b"</pre>" + b"text " * 500
    whole = b"<pre>say " + gzip.decompress(members(1)[0])[:-4] + b"</pre>" + b"text " * 500
    for body_of in (quoted, *([whole] if not by else [])):
        plain = gzip.decompress(response(5, body_of))
        head, between, block = plain.partition(b"\r\n\r\n")
        length = len(block) - 4
        plain = head.replace(b"\r\nContent-Length: %d" % length, b"\r\nContent-Length: %d" % (length - by)) + between + block
        path = archive(tmp_path, plain + gzip.decompress(members(1)[0]), "a.warc")
        found = list(read_pages(path))
        assert [page.body() if isinstance(page, ArchivedPage) else page for page in found] == [body_of, body(0)]


@pytest.mark.parametrize("packed", [False, True])
def test_a_record_that_is_too_large_is_passed_over(tmp_path, monkeypatch, packed):
    monkeypatch.setattr(warc, "LARGEST_RECORD", 10_000)
    large = response(1, b"<p>" + b"x" * 700_000)
    data = [members(1)[0], large, members(3)[2]]
    for whole in [b"".join(data)] if packed else [b"".join(map(gzip.decompress, data))]:
        path = archive(tmp_path, whole, "a.warc.gz" if packed else "a.warc")
        assert numbers(path) == [0, 2]
        assert [failure.url for failure in failures(path)] == ["https://example.org/1"]


@pytest.mark.parametrize("times", [1, 2, 3])
def test_a_bomb_in_a_record_is_unpacked_to_the_limit_and_no_further(tmp_path, times):
    bomb = b"<p>" + b"0" * 100_000_000
    for _ in range(times):
        bomb = gzip.compress(bomb, 1)
    coding = ", ".join(["gzip"] * times)
    path = archive(tmp_path, members(1)[0] + response(1, bomb, Content_Encoding=coding) + members(3)[2])
    records = list(tamis.clean(path, workers=1))
    assert [record.status for record in records] == ["ok", "failed", "ok"]
    assert "larger than the limit of 20,000,000 bytes" in records[1].problems[0]


def test_headers_that_go_on_and_on_are_read_in_one_pass(tmp_path):
    head = b"WARC/1.1\r\nWARC-Type: response\r\nX: a" + b"\n \n " * 30_000 + b"\r\nContent-Length: 2\r\n\r\nab\r\n\r\n"
    blank = b"WARC/1.1\r\nX:" + b" \t" * 15_000 + b"\r\n\tb" * 5_000 + b"\r\nContent-Length: 2\r\n\r\nab\r\n\r\n"
    path = archive(tmp_path, gzip.compress(head) + gzip.compress(blank) + members(1)[0])
    assert numbers(path) == [0]


def test_archives_are_unpacked_the_same_by_either_library(tmp_path, monkeypatch):
    file = tmp_path / "a.warc.gz"
    whole = b"".join(members(4)) + response(4, b"<p>long" * 100_000)
    damaged = bytearray(whole)
    damaged[len(whole) // 2] ^= 0xFF
    for archive in (whole, bytes(damaged), whole[:-9], whole[: len(whole) // 2]):
        file.write_bytes(archive)
        found = list(read_pages(file))
        with monkeypatch.context() as patch:
            patch.setattr(record_bytes, "inflating", zlib)
            patch.setattr(record_bytes._Packed, "error", zlib.error)
            assert list(read_pages(file)) == found


def plain_records(version: bytes, end: bytes, after: bytes, count: int) -> bytes:
    """Records of pages in a version of the format, with a line end and what follows a record."""
    found = []
    for number in range(count):
        block = b"HTTP/1.1 200 OK" + end + b"Content-Type: text/html" + 2 * end + body(number)
        head = [
            version,
            b"WARC-Type: response",
            b"WARC-Target-URI: https://example.org/%d" % number,
            b"WARC-Date: 2009-01-13T18:05:10-0800",
        ]
        head += [b"Content-Type: application/http;msgtype=response", b"Content-Length: %d" % len(block)]
        found.append(end.join(head) + 2 * end + block + after)
    return b"".join(found)


@pytest.mark.parametrize(
    ("version", "end", "after"),
    [
        (b"WARC/0.17", b"\r\n", b"\r\n\r\n"),
        (b"WARC/0.18", b"\n", b"\n"),
        (b"WARC/0.18", b"\n", b"\n\n"),
        (b"WARC/1.0", b"\n", b"\n\n"),
    ],
)
@pytest.mark.parametrize("packed", [False, True])
def test_old_versions_are_read_whole_in_parts_and_after_damage(tmp_path, version, end, after, packed):
    plain = plain_records(version, end, after, 5)
    path = archive(tmp_path, gzip.compress(plain) if packed else plain, "a.warc.gz" if packed else "a.warc")
    assert numbers(path) == [0, 1, 2, 3, 4]
    assert failures(path) == []
    if not packed:
        for step in (1_000, 3_333, 7_000):
            cuts = range(0, len(plain), step)
            parts = [page for cut in cuts for page in read_pages(path, cut, cut + step)]
            assert [int(page.url.rpartition("/")[2]) for page in parts] == [0, 1, 2, 3, 4]
    torn = plain.replace(b"Content-Length", b"Content-Lenght", 1)
    path = archive(tmp_path, gzip.compress(torn) if packed else torn, "a.warc.gz" if packed else "a.warc")
    assert numbers(path) == [1, 2, 3, 4]
    assert len(failures(path)) == 1


@pytest.mark.parametrize("kind", ["resource", "conversion", "response"])
def test_a_page_may_be_stored_without_its_transfer(tmp_path, kind):
    about = {"WARC-Target-URI": "https://example.org/3"}
    data = record(kind, "<urn:x>", DATE, body(3), "text/html; charset=utf-8", about)
    data += record(kind, "<urn:y>", DATE, b"\x89PNG", "image/png", {"WARC-Target-URI": "screenshot:https://example.org/3"})
    data += record("metadata", "<urn:z>", DATE, b"<p>about it", "text/html", about)
    (page,) = read_pages(archive(tmp_path, data))
    assert (page.url, page.body(), page.content_type) == ("https://example.org/3", body(3), "text/html; charset=utf-8")


def wrong(number: int, by: int) -> bytes:
    """A record that says it is so much longer than it is."""
    plain = gzip.decompress(members(number + 1)[number])
    length = int(plain.split(b"Content-Length: ")[1].split(b"\r")[0])
    return plain.replace(b"Content-Length: %d\r\n" % length, b"Content-Length: %d\r\n" % (length + by), 1)


@pytest.mark.parametrize("by", [-1, -2, -700, 1, 2])
@pytest.mark.parametrize("form", ["members", "one member", "plain"])
def test_a_length_that_was_counted_wrong_costs_nothing(tmp_path, by, form):
    records = [gzip.decompress(members(1)[0]), wrong(1, by), gzip.decompress(members(3)[2]), wrong(3, by)]
    data = b"".join(map(gzip.compress, records)) if form == "members" else b"".join(records)
    path = archive(tmp_path, gzip.compress(data) if form == "one member" else data, "a.warc" if form == "plain" else "a.warc.gz")
    pages = [page for page in read_pages(path) if isinstance(page, ArchivedPage)]
    assert [int(page.url.rpartition("/")[2]) for page in pages] == [0, 1, 2, 3]
    assert [page.body().rstrip() for page in pages] == list(map(body, range(4)))
    assert failures(path) == []


def test_archives_in_lz4_are_read(tmp_path):
    lz4 = pytest.importorskip("lz4.frame")
    records = list(map(gzip.decompress, members(4)))
    for data in (b"".join(map(lz4.compress, records)), lz4.compress(b"".join(records))):
        path = archive(tmp_path, data, "a.warc.lz4")
        assert numbers(path) == [0, 1, 2, 3]
        assert failures(path) == []
    data = b"".join(lz4.compress(each, content_checksum=True) for each in records)
    path = archive(tmp_path, data[: len(data) // 2] + b"\xff" * 9 + data[len(data) // 2 + 9 :], "a.warc.lz4")
    assert set(numbers(path)) > {0, 3}
    assert failures(path)
    assert [record.status for record in tamis.clean(path, workers=1)].count("ok") >= 2


def test_archives_in_lz4_need_their_package(tmp_path, monkeypatch):
    import sys

    monkeypatch.setitem(sys.modules, "lz4.frame", None)
    with pytest.raises(MissingExtraError, match="archives compressed with LZ4"):
        list(read_pages(archive(tmp_path, b"\x04\x22\x4d\x18 and more", "a.warc.lz4")))


def arc_record(number: int, line: str = "https://example.org/{} 192.0.2.1 20060504030201 text/html {}") -> bytes:
    block = b"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n\r\n" + body(number)
    return line.format(number, len(block)).encode() + b"\n" + block + b"\n"


@pytest.mark.parametrize("packed", [False, True])
def test_arc_archives_are_read(tmp_path, packed):
    about = b"1 0 Example\nURL IP-address Archive-date Content-type Archive-length\n"
    first = b"filedesc://a.arc 0.0.0.0 20060504030201 text/plain %d\n%s\n" % (len(about), about)
    dns = b"dns:example.org 192.0.2.9 20060504030201 text/dns 10\n2006050403\n"
    second = "https://example.org/tide table/{} 192.0.2.1 20060504030201 text/html 200 - - 0 a.arc {}"
    records = [first, arc_record(0), dns, arc_record(1, second), arc_record(2)]
    parts = [gzip.compress(record) if packed else record for record in records]
    data = b"".join(parts)
    path = archive(tmp_path, data, "a.arc.gz" if packed else "a.arc")
    assert numbers(path) == [0, 1, 2]
    assert failures(path) == []
    assert {page.date for page in read_pages(path)} == {"2006-05-04T03:02:01Z"}
    pages = [page for cut in range(0, len(data), 900) for page in read_pages(path, cut, cut + 900)]
    assert [page.url for page in pages] == ["https://example.org/0", "https://example.org/tide table/1", "https://example.org/2"]
    assert [each.status for each in tamis.clean(path, workers=1)] == ["ok"] * 3
    damaged = bytearray(data)
    at = data.index(parts[3])
    damaged[at + 20 : at + 60] = b"\xff" * 40
    path = archive(tmp_path, bytes(damaged), "a.arc.gz" if packed else "a.arc")
    assert {0, 2} <= set(numbers(path))
    assert failures(path)
