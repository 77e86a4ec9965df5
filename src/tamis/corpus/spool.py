"""Pages of a shard that later stages need, kept as they were read, so that a source is read, unpacked and decoded once.

A spool is a cache: if it is missing, its pages are read from their source again.
"""

from __future__ import annotations

import json
import zlib
from collections.abc import Collection, Iterator
from itertools import count
from typing import Any

from tamis.corpus.page_steps import message
from tamis.corpus.shards import Shard, read
from tamis.corpus.tables import SPOOLED, Writer, arrow, rows
from tamis.corpus.tasks import Work
from tamis.corpus.workers import NOBODY
from tamis.errors import FetchError, SourceError, TamisError
from tamis.io.files import is_remote
from tamis.io.pages import BrokenSource, HeldPage, Served, Source, words
from tamis.io.parquet import arrow_error
from tamis.page.stopwatch import timed
from tamis.site.sites import site_of

SPOOL = "spool.bin"
_CODEC = "lz4"


class Spool:
    """The pages of a shard for later stages: ``pages.parquet``, and their bodies in ``spool.bin`` if they are kept."""

    def __init__(self, work: Work, *, keep: bool) -> None:
        self._lost = work.lost
        self._pages = Writer(work.path("pages.parquet"), SPOOLED, batch=10_000)
        self._bodies = work.path(SPOOL).open("wb") if keep else None
        self._compress = arrow().Codec(_CODEC).compress
        self.size = 0  #: bytes of all bodies, compressed

    def add(self, position: int, source: Source, site: str, drawn: int) -> None:
        """Keep a page. ``drawn``: the hash of its address."""
        row: dict[str, Any] = {"position": position, "site": site, "hash": drawn, "start": self.size, "size": 0, "length": 0}
        if self._bodies is not None:
            try:
                if position in self._lost:
                    raise SourceError(self._lost[position])
                with timed("read"):
                    served, reason, passing = source.read(), None, False
            except Exception as error:  # one page must not end the run
                served, reason = Served(b"", source.url), message(error)
                passing = position in self._lost or may_pass(error, source)
            with timed("spool"):
                is_text = isinstance(served.html, str)
                body = served.html.encode("utf-8", "surrogatepass") if isinstance(served.html, str) else served.html
                packed = self._compress(body, asbytes=True) if body else b""
                self._bodies.write(packed)
            about = json.dumps([source.name, served.url, served.content_type, is_text, reason, passing])
            row |= {"about": about, "size": len(packed), "length": len(body)}
            self.size += len(packed)
        self._pages.add(row)

    def __enter__(self) -> Spool:
        return self

    def __exit__(self, kind: type[BaseException] | None, *error: Any) -> None:
        self._pages.__exit__(kind, None, None)
        if self._bodies is not None:
            self._bodies.close()


def may_pass(error: BaseException, source: Source) -> bool:
    """Return whether work that ended with an error may succeed another time: a page was not fetched, or memory ran out."""
    return isinstance(error, (MemoryError, FetchError)) or (isinstance(source, BrokenSource) and source.may_pass)


def spooled_pages(work: Work, wanted: Collection[int] | None = None) -> Iterator[tuple[int, Source, str]]:
    """Yield the spooled pages of a task's shard: position, page and site. The task needs ``pages``, a file of the task that read the shard.

    ``wanted``: positions of the pages; None: all.
    """
    table = work.root / work.task.needs["pages"]
    spool = table.with_name(SPOOL)
    if not spool.exists():
        found = {row["position"] for row in rows(table, ["position"])}
        wanted = found if wanted is None else found.intersection(wanted)
        pages = open_shard(work, max(wanted, default=-1))
        yield from ((position, source, site_of(source)) for position, source in pages if position in wanted)
        return
    decompress = arrow().Codec(_CODEC).decompress
    with spool.open("rb") as bodies:
        for row in rows(table):
            position = row["position"]
            if wanted is None or position in wanted:
                work.note(position)
                with timed("read"):
                    bodies.seek(row["start"])
                    packed = bodies.read(row["size"])
                    body = decompress(packed, row["length"], asbytes=True) if packed else b""
                    name, url, content_type, is_text, reason, passing = json.loads(row["about"])
                    html = body.decode("utf-8", "surrogatepass") if is_text else body
                page = HeldPage(name, html, url, content_type) if reason is None else BrokenSource(name, reason, url, passing)
                yield position, page, row["site"]
    work.note(NOBODY)


def open_shard(work: Work, last: int | None = None) -> Iterator[tuple[int, Source]]:
    """Yield the pages of a task's shard up to a position, with positions. A page is noted before it is read, so reading counts for it.

    If the shard cannot be read any further, a failure replaces the rest.
    """
    shard: Shard = work.task.needs["shard"]
    path, pages = shard.path, read(shard, work.config.page_fields)
    # Drivers of storage raise what they like; of files here these errors come from damaged data, and others are mistakes of this program.
    damage = Exception if is_remote(path) else (OSError, EOFError, ValueError, zlib.error, TamisError, MemoryError, arrow_error())
    for position in range(last + 1) if last is not None else count():
        work.note(position)
        try:
            with timed("read"):
                source = next(pages, None)
        except damage as error:
            said = f"cannot read {path} any further: {type(error).__name__}: {words(error)}"
            said = str(error) if isinstance(error, TamisError) else said
            yield position, BrokenSource(path, said, may_pass=is_remote(path))
            break
        if source is None:
            break
        yield position, source
    work.note(NOBODY)
