"""While pages are cleaned: what is kept of each document to find its copies, so that no text has to be read again for that.

A signature is some kilobytes; what decides the order of documents is a row beside it. Both are sorted by the length of the text, the order
in which they are asked for later.
"""

from __future__ import annotations

from collections.abc import Mapping
from hashlib import blake2b
from typing import Any

from tamis.corpus.tables import KEYS, SHORT, Writer
from tamis.corpus.tasks import Work
from tamis.duplicates.documents import badness, instant
from tamis.duplicates.rule import DuplicateRule
from tamis.duplicates.signature import signature
from tamis.duplicates.spool import to_bytes
from tamis.io.addresses import canonical

RULE = DuplicateRule()
"""By which documents of a corpus are the same."""


class Signer:
    """The signatures of a shard's documents."""

    def __init__(self) -> None:
        self._kept: list[tuple[dict[str, Any], bytes]] = []
        self._short: list[dict[str, Any]] = []

    @property
    def left_alone(self) -> int:
        """Documents that say too little to be compared."""
        return len(self._short)

    def add(self, row: Mapping[str, Any]) -> None:
        """Keep what is needed of a document; ``row`` is a row of :data:`~tamis.corpus.tables.DOCUMENTS`."""
        made = signature(row["text"], RULE.signature)
        if not RULE.has_enough(made):
            digest = blake2b(row["text"].encode("utf-8", "surrogatepass"), digest_size=16).digest()
            self._short.append({"id": row["id"], "digest": digest})
            return
        url = row["url"]
        unknown, query, depth, length, address = badness(url)
        key = {
            "id": row["id"],
            "digest": made.digest,
            "letters": made.letters,
            "moment": instant(row["date"]),
            "address": canonical(url) if url else None,
            "insecure": unknown,
            "query": query,
            "depth": depth,
            "length": length,
            "url": address,
        }
        self._kept.append((key, to_bytes(made)))

    def write(self, work: Work) -> None:
        """Write ``keys.parquet``, ``signatures.bin`` and ``short.parquet``."""
        with Writer(work.path("short.parquet"), SHORT) as short:
            for found in self._short:
                short.add(found)
        self._kept.sort(key=lambda kept: (-kept[0]["letters"], kept[0]["id"]))
        start = 0
        with Writer(work.path("keys.parquet"), KEYS) as keys, work.path("signatures.bin").open("wb") as stream:
            for key, data in self._kept:
                keys.add({**key, "start": start, "size": len(data)})
                stream.write(data)
                start += len(data)
