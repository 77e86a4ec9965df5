"""Pages of a shard that later stages need, kept as they were read, so that a source is read and unpacked once.

A spool is a cache: where it is missing, its pages are read from their source again.
"""

from __future__ import annotations

import json
import zlib
from collections.abc import Collection, Iterator
from dataclasses import asdict
from itertools import count
from typing import Any

from tamis.corpus.shards import Shard, read
from tamis.corpus.tables import SPOOLED, Writer, arrow, rows
from tamis.corpus.tasks import Work
from tamis.corpus.workers import NOBODY
from tamis.errors import TamisError
from tamis.io.files import is_remote
from tamis.io.pages import BrokenSource, Fields, FilePage, HeldPage, JsonLine, RecordPage, RowPage, Source, WebPage, words
from tamis.io.parquet import arrow_error
from tamis.io.warc import ArchivedPage
from tamis.page.stopwatch import part

SPOOL = "spool.bin"
_SOURCES = (BrokenSource, FilePage, HeldPage, JsonLine, RecordPage, RowPage, WebPage)
_KINDS: dict[str, type[Source]] = {kind.__name__: kind for kind in _SOURCES}
_CODEC = "lz4"


class Spool:
    """The pages of a shard that are left for later stages: ``pages.parquet``, and their bodies in ``spool.bin``.

    Args:
        work: the task that reads the shard.
        keep: whether bodies are kept; otherwise the source is read again.
    """

    def __init__(self, work: Work, *, keep: bool) -> None:
        self._pages = Writer(work.path("pages.parquet"), SPOOLED, batch=10_000)
        self._bodies = work.path(SPOOL).open("wb") if keep else None
        self._compress = arrow().Codec(_CODEC).compress
        self.size = 0
        """Bytes of all bodies so far, compressed."""

    def add(self, position: int, source: Source, site: str, drawn: int) -> None:
        """Keep a page. ``drawn``: the hash of its address."""
        row: dict[str, Any] = {
            "position": position,
            "site": site,
            "hash": drawn,
            "about": None,
            "start": self.size,
            "size": 0,
            "length": 0,
        }
        if self._bodies is not None:
            with part("spool"):
                about, body = _packed(source)
                packed = self._compress(body, asbytes=True) if body else b""
                self._bodies.write(packed)
            self.size += len(packed)
            row |= {"about": json.dumps(about), "size": len(packed), "length": len(body)}
        self._pages.add(row)

    def __enter__(self) -> Spool:
        return self

    def __exit__(self, kind: type[BaseException] | None, *error: Any) -> None:
        self._pages.__exit__(kind, None, None)
        if self._bodies is not None:
            self._bodies.close()


def spooled_pages(work: Work, wanted: Collection[int] | None = None) -> Iterator[tuple[int, Source]]:
    """The pages that the reading of a task's shard left for later stages, with their positions.

    Args:
        work: a task that needs ``pages``, a file of the task that read the shard.
        wanted: positions of the pages; None: all.
    """
    table = work.root / work.task.needs["pages"]
    spool = table.with_name(SPOOL)
    if not spool.exists():
        found = {row["position"] for row in rows(table, ["position"])}
        wanted = found if wanted is None else found.intersection(wanted)
        yield from ((position, source) for position, source in open_shard(work, max(wanted, default=-1)) if position in wanted)
        return
    decompress = arrow().Codec(_CODEC).decompress
    with spool.open("rb") as bodies:
        for row in rows(table):
            position = row["position"]
            if wanted is None or position in wanted:
                work.note(position)
                with part("read"):
                    bodies.seek(row["start"])
                    packed = bodies.read(row["size"])
                    page = _unpacked(json.loads(row["about"]), decompress(packed, row["length"], asbytes=True) if packed else b"")
                yield position, page
    work.note(NOBODY)


def open_shard(work: Work, last: int | None = None) -> Iterator[tuple[int, Source]]:
    """The pages of the shard that a task is about, up to a position, with their positions. A page is noted before it is read, so reading
    counts for it.

    Where the shard cannot be read any further, that stands in the place of the rest.
    """
    needs = work.task.needs
    pages = read(Shard.from_dict(needs["shard"]), Fields(needs["url_field"], needs["html_field"]))
    path = needs["shard"]["paths"][0] if needs["shard"]["paths"] else ""
    # Drivers of storage raise what they like; of files here these errors come from damaged data, and others are mistakes of this program.
    damage = Exception if is_remote(path) else (OSError, EOFError, ValueError, zlib.error, TamisError, MemoryError, arrow_error())
    for position in range(last + 1) if last is not None else count():
        work.note(position)
        try:
            with part("read"):
                source = next(pages, None)
        except damage as error:
            said = f"cannot read {path} any further: {type(error).__name__}: {words(error)}"
            said = str(error) if isinstance(error, TamisError) else said
            yield position, BrokenSource(path, said)
            break
        if source is None:
            break
        yield position, source
    work.note(NOBODY)


def _packed(source: Source) -> tuple[dict[str, Any], bytes]:
    """A page as JSON values and its body."""
    values, body = asdict(source), b""
    if isinstance(source, RecordPage):
        body = values["record"].pop("raw")
    elif isinstance(source, JsonLine):
        body = values.pop("line")
    elif isinstance(source, HeldPage):
        html = values.pop("html")
        values["text"] = isinstance(html, str)
        body = html.encode("utf-8", "surrogatepass") if isinstance(html, str) else html
    return {"kind": type(source).__name__, **values}, body


def _unpacked(values: dict[str, Any], body: bytes) -> Source:
    kind: Any = _KINDS[values.pop("kind")]
    if kind is RecordPage:
        about = values["record"]
        values["record"] = ArchivedPage(**{**about, "codings": tuple(about["codings"])}, raw=body)
    elif kind is JsonLine:
        values |= {"line": body, "fields": Fields(**values["fields"])}
    elif issubclass(kind, HeldPage):
        values["html"] = body.decode("utf-8", "surrogatepass") if values.pop("text") else body
    page: Source = kind(**values)
    return page
