"""Data in zstd: archives with and without a dictionary, lines, pages, bodies."""

from __future__ import annotations

import gzip
import io
import json
import sys

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from typer.testing import CliRunner

from tamis.cli import app
from tamis.corpus.shards import Cut, plan, read
from tamis.errors import MissingExtraError, SourceError
from tamis.io.pages import BrokenSource
from tamis.io.sources import open_sources
from tamis.io.warc import ArchivedPage, ArchiveFailure, read_page, read_pages
from tamis.page import zstandard
from tamis.page.content import ContentError, TooLargeError, decode_content
from tamis.page.parsing import read_file

from .test_warc import body, members

zstd = pytest.importorskip("compression.zstd" if sys.version_info >= (3, 14) else "backports.zstd", reason="needs the warc extra")

COUNT = 6
CHECKED = {zstd.CompressionParameter.checksum_flag: 1}  # so that damage shows
RECORDS = [gzip.decompress(member) for member in members(COUNT)]
DICTIONARY = zstd.train_dict([record[at : at + 400] for record in RECORDS for at in range(0, len(record), 300)], 2_000)


def framed(dictionary: bytes | None) -> list[bytes]:
    """The records, each a frame, with the frame of a dictionary before the first."""
    known = DICTIONARY if dictionary is not None else None
    frames = [zstd.compress(record, options=CHECKED, zstd_dict=known) for record in RECORDS]
    if dictionary is not None:
        frames[0] = b"\x5d\x2a\x4d\x18" + len(dictionary).to_bytes(4, "little") + dictionary + frames[0]
    return frames


ARCHIVES = {
    "frames": b"".join(framed(None)),
    "dictionary": b"".join(framed(DICTIONARY.dict_content)),
    "packed dictionary": b"".join(framed(zstd.compress(DICTIONARY.dict_content))),
    "one frame": zstd.compress(b"".join(RECORDS), options=CHECKED),
}


def numbers(pages) -> list[int]:
    found = []
    for page in pages:
        if isinstance(page, ArchivedPage):
            found.append(int(page.url.rpartition("/")[2]))
            assert page.body() == body(found[-1])
    return found


@pytest.mark.parametrize("kind", ARCHIVES)
def test_archives_are_read_whole_in_parts_and_at_a_place(tmp_path, kind):
    path = tmp_path / "a.warc.zst"
    path.write_bytes(ARCHIVES[kind])
    pages = list(read_pages(path))
    assert numbers(pages) == list(range(COUNT))
    assert numbers(read_page(path, page.offset) for page in pages if not page.within) == [0, 1, 2, 3, 4, 5][: 1 if "one" in kind else COUNT]
    for step in (97, 1_000, 4_000):
        parts = range(0, path.stat().st_size, step)
        assert numbers(page for start in parts for page in read_pages(path, start, start + step)) == list(range(COUNT))
    assert len([page for shard in plan([str(path)], Cut(size=1_500)) for page in read(shard)]) == COUNT


@settings(max_examples=60)
@given(kind=st.sampled_from(list(ARCHIVES)), cut=st.integers(0, 9_000), damage=st.binary(max_size=6))
def test_damage_is_told_and_nothing_is_invented(tmp_path_factory, kind, cut, damage):
    raw = ARCHIVES[kind]
    path = tmp_path_factory.mktemp("damaged") / "a.warc.zst"
    path.write_bytes(raw[: cut % len(raw)] + damage + raw[cut % len(raw) + len(damage) :] if damage else raw[: cut % len(raw)])
    try:
        pages = list(read_pages(path))
    except SourceError:
        return
    found = [int(page.url.rpartition("/")[2]) for page in pages if isinstance(page, ArchivedPage)]
    assert found == sorted(set(found))
    assert set(found) <= set(range(COUNT))


def test_a_damaged_frame_costs_its_record(tmp_path):
    frames = framed(None)
    path = tmp_path / "a.warc.zst"
    path.write_bytes(b"".join((*frames[:2], frames[2][:200], *frames[3:])))
    pages = list(read_pages(path))
    assert numbers(pages) == [0, 1, 3, 4, 5]
    (failure,) = (page for page in pages if isinstance(page, ArchiveFailure))
    assert failure.offset == len(frames[0]) + len(frames[1])
    path.write_bytes(b"".join(frames)[:-20])
    *_, last = read_pages(path)
    assert last.reason == "the file ends within a record"


@pytest.fixture
def lines(tmp_path):
    path = tmp_path / "pages.jsonl.zst"
    rows = [
        {"url": f"https://example.org/{n}", "html": f"<article><p>The tide of day {n} is high at noon, and low at night."} for n in range(9)
    ]
    path.write_bytes(zstd.compress("".join(json.dumps(row) + "\n" for row in rows).encode()))
    return path


def test_lines_are_read_and_written(lines, tmp_path):
    assert [page.read().url for page in open_sources([lines])] == [f"https://example.org/{n}" for n in range(9)]
    shards = plan([str(tmp_path)], Cut(size=10))
    assert [page.name for shard in shards for page in read(shard)] == [f"{lines}:{n}" for n in range(1, 10)]
    output = tmp_path / "out.jsonl.zst"
    result = CliRunner().invoke(app, ["clean", str(lines), "-o", str(output), "-j", "1"])
    assert result.exit_code == 0, result.stderr
    rows = [json.loads(line) for line in zstd.decompress(output.read_bytes()).splitlines()]
    assert rows[3]["text"] == "The tide of day 3 is high at noon, and low at night."
    result = CliRunner().invoke(app, ["dedup", str(output), "-o", str(tmp_path / "kept.jsonl.zst")])
    assert result.exit_code == 0, result.stderr
    assert zstd.decompress((tmp_path / "kept.jsonl.zst").read_bytes())


def test_lines_from_standard_input(lines):
    result = CliRunner().invoke(app, ["clean", "-", "-o", "-"], input=lines.read_bytes())
    assert result.exit_code == 0, result.stderr
    assert len(result.stdout.splitlines()) == 9


def test_lines_that_end_early_or_are_damaged_give_what_is_there(tmp_path):
    rows = [json.dumps({"url": f"https://example.org/{n}", "html": f"<p>{body(n).decode()}"}) + "\n" for n in range(200)]
    packed = b"".join(zstd.compress(row.encode()) for row in rows)
    path = tmp_path / "pages.jsonl.zst"
    for raw in (packed[: len(packed) * 2 // 3], packed[: len(packed) * 2 // 3] + b"\0" * 200):
        path.write_bytes(raw)
        *pages, last = open_sources([path])
        assert len(pages) > 100
        assert isinstance(last, BrokenSource)
        assert "cannot read" in last.reason


def test_a_page_and_a_body_are_unpacked_within_the_limit(tmp_path):
    page = b"<p>High tide at noon"
    (tmp_path / "a.html.zst").write_bytes(zstd.compress(page))
    assert read_file(tmp_path / "a.html.zst") == page
    (tmp_path / "a.html.zst").write_bytes(zstd.compress(page)[:-3])
    with pytest.raises(SourceError, match="cut off"):
        read_file(tmp_path / "a.html.zst")
    packed = zstd.compress(page) + zstd.compress(page)
    assert decode_content([packed[:9], packed[9:]], ("zstd",), 100) == 2 * page
    assert decode_content([gzip.compress(packed)], ("zstd", "gzip"), 100) == 2 * page
    with pytest.raises(TooLargeError):
        decode_content([zstd.compress(b"a" * 50_000_000)], ("zstd",), 1_000)
    for damaged in (packed[:-2], b"\x28\xb5\x2f\xfd" + b"\xff" * 40):
        with pytest.raises(ContentError):
            decode_content([damaged], ("zstd",), 100)


def test_without_the_package_the_extra_is_named(lines, tmp_path, monkeypatch):
    for name in ("compression.zstd", "backports.zstd", "backports"):
        monkeypatch.setitem(sys.modules, name, None)
    with pytest.raises(MissingExtraError, match="zstd"):
        zstandard.reading(io.BytesIO(lines.read_bytes()))
    with pytest.raises(ContentError, match=r"needs the package backports\.zstd"):
        decode_content([b"x"], ("zstd",), 100)
    result = CliRunner().invoke(app, ["clean", str(lines), "-o", str(tmp_path / "o.jsonl")])
    assert result.exit_code != 0
    assert "warc" in result.stderr
