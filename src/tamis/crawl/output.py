"""The output of a crawl: WARC files, an index of pages, a list of failures.

The files only grow, and the frontier records their lengths with each settled page. When a crawl is resumed, data beyond them is cut off.
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, BinaryIO

import tamis
from tamis.crawl.frontier import Frontier
from tamis.errors import SourceError
from tamis.io.answers import Answer
from tamis.io.files import CRAWL_FAILURES, CRAWL_PAGES
from tamis.io.warc import exchange_records, warcinfo_record
from tamis.io.writing import as_line

_ARCHIVE = "pages-{:05d}.warc.gz"


def saved_pages(folder: Path) -> Iterator[dict[str, Any]]:
    """Yield the lines of the index of saved pages. Raises SourceError if there is none, or it cannot be read."""
    try:
        with (folder / CRAWL_PAGES).open(encoding="utf-8") as lines:
            yield from map(json.loads, lines)
    except FileNotFoundError as error:
        raise SourceError(f"{folder} holds no pages of a crawl") from error
    except (OSError, ValueError) as error:
        raise SourceError(f"cannot read {folder / CRAWL_PAGES}: {error}") from error


class Output:
    """The growing files of a crawl. Used within a transaction of the frontier, which then knows how long they are."""

    def __init__(self, folder: Path, frontier: Frontier, archive_bytes: int, about: dict[str, str]) -> None:
        """Open the files of a crawl and cut off what was never settled. Raises SourceError if a file has lost data since."""
        self._folder = folder
        self._frontier = frontier
        self._most = archive_bytes
        self._about = about
        self._streams: dict[str, BinaryIO] = {}
        lengths = self.forget()
        for name in sorted(name for name, length in lengths.items() if length and not (folder / name).exists()):
            raise SourceError(f"{folder / name} is missing: the crawl cannot be resumed without it; start again in another folder")
        self._number = max(len([name for name in lengths if name.endswith(".warc.gz")]) - 1, 0)

    def page(self, answer: Answer, about: dict[str, Any]) -> None:
        """Write the records of a page, and the line of the index about it."""
        response, request, digest = exchange_records(answer)
        name = self._archive()
        offset = self._append(name, response + request)
        self._append(CRAWL_PAGES, as_line({**about, "digest": digest, "file": name, "offset": offset, "length": len(response)}))

    def failure(self, entry: dict[str, Any]) -> None:
        """Write a line about a page that failed."""
        self._append(CRAWL_FAILURES, as_line(entry))

    def close(self) -> None:
        """Close the files."""
        for stream in self._streams.values():
            stream.close()
        self._streams.clear()

    def _archive(self) -> str:
        """Return the archive that is written to, a new one where it is full."""
        name = _ARCHIVE.format(self._number)
        if self._stream(name).tell() >= self._most:
            self._streams.pop(name).close()
            self._number += 1
            name = _ARCHIVE.format(self._number)
        if not self._stream(name).tell():
            software = {"software": f"tamis/{tamis.__version__}", "format": "WARC File Format 1.1"}
            self._append(name, warcinfo_record(name, datetime.now(UTC), software | self._about))
        return name

    def _stream(self, name: str) -> BinaryIO:
        if name not in self._streams:
            self._streams[name] = (self._folder / name).open("ab")
        return self._streams[name]

    def _append(self, name: str, data: bytes) -> int:
        """Write at the end of a file, down to the disk: where it begins."""
        stream = self._stream(name)
        offset = stream.tell()
        stream.write(data)
        stream.flush()
        os.fsync(stream.fileno())
        self._frontier.set_length(name, offset + len(data))
        return offset

    def forget(self) -> dict[str, int]:
        """Cut off what was written since the last page was settled, as after a transaction that failed; the lengths of the files."""
        self.close()
        lengths = self._frontier.lengths()
        for path in (self._folder / CRAWL_PAGES, self._folder / CRAWL_FAILURES, *sorted(self._folder.glob("pages-*.warc.gz"))):
            _cut_file(path, lengths.get(path.name, 0))
        return lengths


def _cut_file(path: Path, length: int) -> None:
    if not path.exists():
        return
    size = path.stat().st_size
    if size < length:
        what = f"{path} has lost its end: {size:,} bytes of {length:,}"
        raise SourceError(f"{what}; the crawl cannot be resumed; start again in another folder")
    if not length:
        path.unlink()
    elif size > length:
        os.truncate(path, length)
