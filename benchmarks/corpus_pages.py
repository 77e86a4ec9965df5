"""Real pages packed as a crawl: WARC archives or Parquet, of any number of pages, each with an address of its own.

Pages are taken in turn from all sites until there are enough; a page taken again gets another address, so that a large corpus has the
markup of real pages, and duplicates as crawls have them. Sites with gold keep it: the first copy of each page is scored.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from itertools import count, zip_longest
from pathlib import Path

from benchmarks.gold import GoldPage, read_gold
from tamis.io.warc import record
from tamis.page.parsing import read_file

DATE = datetime(2026, 1, 1, tzinfo=UTC)
SHARDS = 8  #: Files that a corpus is packed in.


@dataclass(frozen=True, slots=True)
class Packed:
    """A corpus on disk."""

    files: tuple[Path, ...]
    pages: int
    html_bytes: int
    gold: dict[str, GoldPage]  #: Pages with gold by address.


def pack(folders: list[Path], target: Path, pages: int, form: str = "warc", sites: Sequence[str] | None = None) -> Packed:
    """Pack pages.

    Args:
        folders: with gold, as for :func:`benchmarks.gold.read_gold`.
        target: an empty folder.
        pages: how many.
        form: ``warc`` or ``parquet``.
        sites: only these sites; None: all.

    Raises:
        SourceError: there are no pages.
    """
    originals = _in_turn([page for folder in folders for page in read_gold(folder) if sites is None or page.site in sites])
    target.mkdir(parents=True, exist_ok=True)
    suffix = "warc.gz" if form == "warc" else "parquet"
    files = tuple(target / f"pages-{number}.{suffix}" for number in range(SHARDS))
    gold: dict[str, GoldPage] = {}
    size = 0

    def addressed() -> Iterator[tuple[str, bytes]]:
        nonlocal size
        for number, (copy, page) in enumerate(_repeated(originals)):
            if number == pages:
                return
            host = f"{page.site or page.id}.test".replace("_", "-").replace("/", "-").lower()
            url = f"http://{host}/{copy}/{page.id.replace('/', '-')}"
            html = read_file(page.path)
            size += len(html)
            if copy == 0:
                gold[url] = page
            yield url, html

    if form == "warc":
        _write_warc(addressed(), files)
    else:
        _write_parquet(addressed(), files)
    return Packed(files, pages, size, gold)


def _in_turn(pages: list[GoldPage]) -> list[GoldPage]:
    """A page of each site in turn, so that every part of the corpus has pages of every site."""
    by_site: dict[str, list[GoldPage]] = {}
    for page in pages:
        by_site.setdefault(f"{page.collection}/{page.site}", []).append(page)
    return [page for turn in zip_longest(*by_site.values()) for page in turn if page is not None]


def _repeated(pages: list[GoldPage]) -> Iterator[tuple[int, GoldPage]]:
    for copy in count():
        for page in pages:
            yield copy, page


def _write_warc(pages: Iterator[tuple[str, bytes]], files: tuple[Path, ...]) -> None:
    """Records of responses, members of gzip, the pages over the files in turn."""
    streams = [file.open("wb") for file in files]
    for number, (url, html) in enumerate(pages):
        block = b"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nContent-Length: %d\r\n\r\n" % len(html) + html
        headers = {"WARC-Target-URI": url, "WARC-Identified-Payload-Type": "text/html"}  # by which datatrove knows pages
        identity = f"<urn:uuid:00000000-0000-4000-8000-{number:012d}>"
        packed = record("response", identity, DATE, block, "application/http; msgtype=response", headers)
        streams[number % len(streams)].write(packed)
    for stream in streams:
        stream.close()


def _write_parquet(pages: Iterator[tuple[str, bytes]], files: tuple[Path, ...]) -> None:
    import pyarrow as pa
    import pyarrow.parquet as pq

    schema = pa.schema({"url": pa.string(), "html": pa.binary()})
    writers = [pq.ParquetWriter(file, schema, compression="zstd") for file in files]
    waiting: list[list[dict[str, object]]] = [[] for _ in files]
    for number, (url, html) in enumerate(pages):
        rows = waiting[number % len(files)]
        rows.append({"url": url, "html": html})
        if len(rows) == 200:
            writers[number % len(files)].write_table(pa.Table.from_pylist(rows, schema))
            rows.clear()
    for writer, rows in zip(writers, waiting, strict=True):
        writer.write_table(pa.Table.from_pylist(rows, schema))
        writer.close()
