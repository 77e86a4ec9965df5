"""Near-duplicates: signatures made while pages are cleaned, and the stage that finds for each copy the document that represents it.

A signature is some kilobytes; beside it is a row that decides the order of documents. Both are sorted by the length of the text, the
order in which they are read later. Documents are decided on as in :func:`tamis.duplicates.finding.find_duplicates`. DuckDB makes the order
and spills to disk; signatures stay in files, and postings are read a segment at a time. Memory is about a kilobyte a document.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import closing
from dataclasses import replace
from hashlib import blake2b
from io import FileIO
from itertools import chain, groupby
from operator import itemgetter
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, get_args

import numpy as np
from numpy.typing import NDArray

from tamis.corpus.tables import BATCH as ROWS
from tamis.corpus.tables import DUPLICATES, KEYS, WRITTEN, Writer, arrow, database, schema
from tamis.corpus.tables import rows as table_rows
from tamis.corpus.tasks import Work
from tamis.duplicates.assignment import assign
from tamis.duplicates.candidates import Postings, merge_plan, merged
from tamis.duplicates.canonical import PARTS, page_itself
from tamis.duplicates.clusters import Deduplication, Likeness
from tamis.duplicates.documents import TextDocument, badness, instant
from tamis.duplicates.forest import find_by_feature_code
from tamis.duplicates.intake import BATCH, portions
from tamis.duplicates.rule import DuplicateRule
from tamis.duplicates.signature import Hashes, Signature, signature
from tamis.duplicates.spool import from_bytes, shingles_of, to_bytes
from tamis.duplicates.store import Row, Segments, Store
from tamis.io.addresses import canonical

RULE = DuplicateRule()  #: the rule for duplicates in a corpus
LARGEST_SEGMENT = 1 << 22  #: postings that are searched together, 8 bytes each: those of some 20,000 documents
OPEN_FILES = 128  #: files of signatures that are open at a time
MOST_LETTERS = 1 << 23  #: letters of documents that are decided on together: the longest come first, with signatures of a byte a letter
_MEMORY = "512MB"
_BEST = "moment nulls last, insecure, query, depth, length, url, id"  # the order of documents with texts of the same length
_ORDER = f"""
with often as (select hash(address) as place from read_parquet($files) where size > 0 group by place having count(*) > 1)
select id, hash(filename), start, size, letters, case when hash(address) in (from often) then address end
from read_parquet($files, filename = true) where size > 0
order by letters desc, {_BEST}
"""
"""Order of documents, as in :class:`tamis.duplicates.clusters.Deduplication` if the longest is kept. The sorted rows hold a hash of the
file's name, and only addresses that others may have, too: memory is short."""
_REPEATED = f"""
select id, first as survivor
from (
    select id, first_value(id) over (partition by digest order by {_BEST}) as first
    from read_parquet($files) where size = 0
)
where id <> first order by id
"""
_MEMBERS = """
with members as (select survivor as cluster, id from copies union all select distinct survivor, survivor from copies)
select cluster, id, address, named
from members join (select id, address, named from read_parquet($files)) using (id) order by cluster
"""
"""The documents of each cluster: address, and what they state as canonical."""
_RELATIONS: tuple[Likeness, ...] = get_args(Likeness)
_COPY = np.dtype([("id", "i8"), ("survivor", "i8"), ("relation", "i1"), ("resemblance", "f4"), ("containment", "f4")])
"""A row of :data:`~tamis.corpus.tables.DUPLICATES`, the relation as an index: there may be as many as documents."""
_Place = tuple[str, int, int]  # the file of keys beside a signature, its first byte, its length
_Key = tuple[int, int, int, int, int, str | None]


class Signer:
    """The signatures of a shard's documents."""

    def __init__(self) -> None:
        self._kept: list[tuple[dict[str, Any], bytes]] = []

    def add(self, row: Mapping[str, Any]) -> None:
        """Keep what is needed of a document; ``row`` is a row of :data:`~tamis.corpus.tables.DOCUMENTS`."""
        made, url = signature(row["text"], RULE.signature), row["url"]
        key: dict[str, Any] = {"id": row["id"], "moment": instant(row["date"])}
        key |= {"address": canonical(url) if url else None, "named": row["canonical_url"]}
        key |= zip(("insecure", "query", "depth", "length", "url"), badness(url), strict=True)
        if RULE.has_enough(made):
            self._kept.append(({**key, "digest": made.digest, "letters": made.letters}, to_bytes(made)))
        else:
            digest = blake2b(row["text"].encode("utf-8", "surrogatepass"), digest_size=16).digest()
            self._kept.append(({**key, "digest": digest, "letters": 0}, b""))

    def write(self, work: Work) -> int:
        """Write ``keys.parquet`` and ``signatures.bin``; how many documents say too little to be compared."""
        self._kept.sort(key=lambda kept: (-kept[0]["letters"], kept[0]["id"]))
        start = 0
        with Writer(work.path("keys.parquet"), KEYS) as keys, work.path("signatures.bin").open("wb") as stream:
            for key, data in self._kept:
                keys.add({**key, "start": start, "size": len(data)})
                stream.write(data)
                start += len(data)
        return sum(not data for _, data in self._kept)


def deduplicate(work: Work) -> Mapping[str, Any]:
    """Run the task: write ``duplicates.parquet``, each copy with the document that represents it, sorted by the copy. Documents too short
    to be compared are copies if they are the same to the letter."""
    needs = work.task.needs
    if work.config.method == "papers":
        return _copies_by_forest(work)
    settings = Deduplication(replace(RULE, parts=work.config.parts))
    texts = 0
    folder = TemporaryDirectory(dir=work.folder)
    with folder, closing(database(_MEMORY, work.folder)) as connection, closing(_KeptTexts(Path(folder.name))) as store:
        files = {"files": [str(work.root / file) for file in needs["keys"]]}
        short = connection.execute(_REPEATED, files).fetchall()
        found = [np.array([(id, survivor, 0, np.nan, np.nan) for id, survivor in short], dtype=_COPY)]
        names = dict(
            connection.execute("select distinct hash(filename), filename from read_parquet($files, filename = true)", files).fetchall()
        )
        connection.execute(_ORDER, files)
        rows = chain.from_iterable(iter(lambda: connection.fetchmany(BATCH), []))
        for keys in portions(rows, BATCH, lambda key: key[4], MOST_LETTERS):
            texts += len(keys)
            found.append(np.array(list(_copies_among(keys, names, store, settings)), dtype=_COPY))
        copies = np.concatenate(found)
        _prefer_canonical(copies, connection, files)
    return _write_copies(work, copies, texts)


def _copies_by_forest(work: Work) -> dict[str, Any]:
    """Find the copies as the paper on feature codes does: documents go into its forest in their order."""
    files = [work.root / file for file in work.task.needs["documents"]]
    read = (row for file in files for row in table_rows(file, ["id", "text", "url"]))
    found = find_by_feature_code(TextDocument(str(row["id"]), row["text"], row["url"]) for row in read)
    copies = [
        (int(member.id), int(cluster.kept), _RELATIONS.index(member.likeness), np.nan, np.nan)
        for cluster in found.clusters
        for member in cluster.members
    ]
    return _write_copies(work, np.array(copies, dtype=_COPY), found.copies + len(found.survivors))


def _write_copies(work: Work, copies: NDArray[Any], texts: int) -> dict[str, Any]:
    """Write the copies; the counts."""
    copies.sort(order="id")
    columns = [arrow().array(copies[name], from_pandas=True) for name in DUPLICATES]  # NaN is null
    columns[2] = arrow().array(map(_RELATIONS.__getitem__, copies["relation"].tolist()), "string")
    arrow().parquet.write_table(
        arrow().Table.from_arrays(columns, schema=schema(DUPLICATES)), work.path("duplicates.parquet"), row_group_size=ROWS, **WRITTEN
    )
    sizes = np.unique(copies["survivor"], return_counts=True)[1]
    return {
        "texts": texts,
        "duplicates": len(copies),
        "clusters": len(sizes),
        "largest": int(sizes.max(initial=0)) + 1 if len(sizes) else 0,
    }


def _prefer_canonical(copies: NDArray[Any], connection: Any, files: Mapping[str, Any]) -> None:
    """Let the page that most of a cluster name as canonical represent it, if it is there, in place of the longest text."""
    whole = copies[np.isin(copies["relation"], list(map(_RELATIONS.index, PARTS)), invert=True)]
    connection.register("copies", arrow().table({name: whole[name] for name in ("id", "survivor")}))
    connection.execute(_MEMBERS, files)
    rows = chain.from_iterable(iter(lambda: connection.fetchmany(BATCH), []))
    chosen = ((cluster, page_itself(cluster, [row[1:] for row in members])) for cluster, members in groupby(rows, itemgetter(0)))
    instead = np.array([pair for pair in chosen if pair[0] != pair[1]], dtype=np.int64).reshape(-1, 2)
    if not len(instead):
        return
    before = copies["survivor"].copy()
    place = np.minimum(np.searchsorted(instead[:, 0], before), len(instead) - 1)
    copies["survivor"] = np.where(instead[place, 0] == before, instead[place, 1], before)
    copies["id"] = np.where(copies["id"] == copies["survivor"], before, copies["id"])


def _copies_among(keys: Sequence[_Key], names: Mapping[int, str], store: _KeptTexts, settings: Deduplication) -> Iterator[tuple[Any, ...]]:
    """Yield the copies among some documents, as :data:`_COPY`; the others are kept in the store."""
    places = [(names[file], start, size) for _, file, start, size, _, _ in keys]
    waiting = [(Row(str(key[0]), None, key[5]), store.read(place)) for key, place in zip(keys, places, strict=True)]
    decisions = assign(waiting, store, settings)
    kept = [place for place, decision in enumerate(decisions) if decision.copy_of is None]
    store.places += [places[place] for place in kept]
    store.add([waiting[place] for place in kept], settings.rule)
    for key, decision in zip(keys, decisions, strict=True):
        if decision.copy_of is not None:
            shares = (np.nan, np.nan) if (said := decision.evidence) is None else (said.resemblance, said.containment)
            yield key[0], int(decision.copy_of), _RELATIONS.index(decision.likeness), *shares


class _KeptTexts(Store):
    """The documents that are kept; signatures are read in place, and postings are in files of a folder."""

    def __init__(self, folder: Path) -> None:
        super().__init__(RULE.signature, rows_are_longer=True)
        self.places: list[_Place] = []
        self._folder = folder
        self._postings: list[tuple[Path, int]] = []
        self._open: dict[str, FileIO] = {}

    def searched(self) -> Iterator[Postings]:
        """Yield the postings, a segment at a time."""
        sizes = self._segments("sizes")
        yield from (Postings([np.memmap(file, np.uint64, "r")], None, sizes) for file, _ in self._postings)

    def read(self, place: _Place) -> Signature:
        """Return the signature at a place."""
        return from_bytes(self._bytes(place), RULE.signature)[0]

    def signature(self, row: int) -> Signature:
        """Return the signature of a row."""
        return self.read(self.places[row])

    def shingles(self, row: int) -> Hashes:
        """Return the shingles of a row."""
        return shingles_of(self._bytes(self.places[row]))

    def _append(self, kind: Segments, new: NDArray[Any]) -> None:
        if kind != "every":
            super()._append(kind, new)
            return
        count = merge_plan([*(size for _, size in self._postings), len(new)], LARGEST_SEGMENT)
        for _ in range(count - 1):
            file, _ = self._postings.pop()
            new = merged([np.fromfile(file, np.uint64), new])
        new.tofile(file := self._folder / f"{self.rows}.postings")
        self._postings.append((file, len(new)))

    def _add_rows(self, first: int, rows: Sequence[tuple[Row, Signature]]) -> None:
        self._rows += [row for row, _ in rows]

    def _bytes(self, place: _Place) -> bytes:
        file, start, size = place
        if (stream := self._open.get(file)) is None:
            if len(self._open) == OPEN_FILES:
                self._open.pop(next(iter(self._open))).close()  # the one that was opened first
            # Read, not mapped: memory stays flat.
            stream = self._open[file] = Path(file).with_name("signatures.bin").open("rb", buffering=0)
        stream.seek(start)
        return stream.read(size)

    def close(self) -> None:
        """Close the files of signatures."""
        super().close()
        for stream in self._open.values():
            stream.close()
