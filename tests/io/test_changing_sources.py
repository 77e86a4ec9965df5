"""Files that are cut, written over, removed or replaced while they are read: pages, and failures in one line each."""

from __future__ import annotations

import gzip
import json
import os
import random
import shutil
from datetime import UTC, datetime
from pathlib import Path

import pytest

import tamis
from tamis.io.sources import open_sources
from tamis.io.warc import record

COUNT = 100
_WORDS = random.Random(3).choices([f"word{number}" for number in range(3_000)], k=COUNT * 500)
PAGES = [f"<html><body><p>{' '.join(_WORDS[k * 500 : k * 500 + 500])}</p></body></html>" for k in range(COUNT)]
"""Texts that compress badly, so that a file is not read to its end at once."""


def lines(folder: Path) -> Path:
    path = folder / "pages.jsonl"
    path.write_text("".join(json.dumps({"html": html}) + "\n" for html in PAGES), encoding="utf-8")
    return path


def packed_lines(folder: Path) -> Path:
    path = folder / "pages.jsonl.gz"
    path.write_bytes(gzip.compress(lines(folder).read_bytes()))
    return path


def parquet(folder: Path) -> Path:
    pa = pytest.importorskip("pyarrow")
    pq = pytest.importorskip("pyarrow.parquet")
    path = folder / "pages.parquet"
    pq.write_table(pa.table({"html": PAGES}), path, row_group_size=10)
    return path


def archive(folder: Path) -> Path:
    path = folder / "pages.warc.gz"
    when = datetime(2026, 1, 2, tzinfo=UTC)
    about = [{"WARC-Target-URI": f"http://a.test/{number}"} for number in range(COUNT)]
    blocks = [b"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n\r\n" + html.encode() for html in PAGES]
    kind = "application/http; msgtype=response"
    path.write_bytes(b"".join(record("response", f"<urn:uuid:{k:032x}>", when, blocks[k], kind, about[k]) for k in range(COUNT)))
    return path


def files(folder: Path) -> Path:
    path = folder / "pages"
    path.mkdir()
    for number, html in enumerate(PAGES):
        (path / f"{number:04}.html").write_text(html, encoding="utf-8")
    return path


def each_file(path: Path) -> list[Path]:
    return sorted(path.iterdir()) if path.is_dir() else [path]


def remove(path: Path) -> None:
    for file in each_file(path):
        file.unlink()


def cut(path: Path) -> None:
    for file in each_file(path):
        os.truncate(file, file.stat().st_size // 3)


def empty(path: Path) -> None:
    for file in each_file(path):
        os.truncate(file, 0)


def write_over(path: Path) -> None:
    for file in each_file(path):
        with file.open("r+b") as stream:
            stream.write(random.Random(5).randbytes(file.stat().st_size))


def lengthen(path: Path) -> None:
    for file in each_file(path):
        with file.open("ab") as stream:
            stream.write(random.Random(5).randbytes(2_000))


def replace_by_another_kind(path: Path) -> None:
    if path.is_dir():
        shutil.rmtree(path)
        path.write_text("a file now", encoding="utf-8")
    else:
        path.unlink()
        path.mkdir()


@pytest.mark.parametrize("make", [lines, packed_lines, parquet, archive, files])
@pytest.mark.parametrize("change", [remove, cut, empty, write_over, lengthen, replace_by_another_kind])
def test_what_changes_while_it_is_read_costs_its_own_pages_only(tmp_path, make, change):
    path = make(tmp_path)
    records = []
    for number, found in enumerate(tamis.clean(open_sources([str(path)]), workers=1)):
        records.append(found)
        if number == 2:
            change(path)
    assert [each.failure for each in records[:3]] == [None, None, None]
    reasons = [each.failure.reason for each in records if each.failure is not None]
    assert all(reason and "\n" not in reason and "within tamis" not in reason for reason in reasons)
