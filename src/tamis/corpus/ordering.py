"""Deduplication, first step: all documents in the order in which one would keep them, and texts that are the same to the word as one.

Works on keys alone, a hundred bytes a document, in DuckDB, which spills to disk.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from tamis.corpus.tables import quoted
from tamis.corpus.tasks import Work
from tamis.corpus.templates import duckdb

_MEMORY = "512MB"

_ORDER = """
create temp table ordered as
select row_number() over (
        order by letters desc, moment nulls last, insecure, query, depth, length, url, id
    ) - 1 as rank, id, digest, address, letters, filename as file, start, size
from read_parquet($files, filename = true)
"""
"""As :class:`tamis.duplicates.clusters.Deduplication` orders documents of which the longest is kept."""
_TEXTS = """
create temp table texts as
select digest, first, row_number() over (order by first) - 1 as row from (select digest, min(rank) as first from ordered group by digest)
"""
_ADDRESSES = """
create temp table addresses as
select address, min(rank) as name from ordered where address is not null group by address having count(*) > 1
"""
_DOCUMENTS = """
select rank, id, row, name as address
from ordered join texts using (digest) left join addresses on ordered.address = addresses.address
order by rank
"""
_ROWS = "select row, rank, file, start, size, letters from texts join ordered on first = rank order by row"
_REPEATED = """
select id, first as survivor
from (select id, min(id) over (partition by digest) as first from read_parquet($files)) where id <> first order by id
"""


def order(work: Work) -> Mapping[str, Any]:
    """The task: ``documents.parquet``, a row a document in the order of keeping (rank, id, row of its text, number of its address where
    others have it, too); ``rows.parquet``, a row a text: where the signature of the first document with it is; and ``repeated.parquet``,
    documents that say too little to be compared, and are the same as an earlier one."""
    files = [str(work.root / file) for file in work.task.needs["keys"]]
    connection = duckdb().connect(config={"threads": 1, "memory_limit": _MEMORY, "temp_directory": str(work.folder / "spill")})
    try:
        connection.execute(_ORDER, {"files": files})
        connection.execute(_TEXTS)
        connection.execute(_ADDRESSES)
        short = [str(work.root / file) for file in work.task.needs["short"]]
        copy = f"copy ({_REPEATED}) to {quoted(work.path('repeated.parquet'))} (format parquet)"
        connection.execute(copy, {"files": short})
        for name, query in (("documents", _DOCUMENTS), ("rows", _ROWS)):
            connection.execute(f"copy ({query}) to {quoted(work.path(f'{name}.parquet'))} (format parquet, row_group_size 16384)")
        documents, texts = connection.execute("select (select count(*) from ordered), (select count(*) from texts)").fetchone()
    finally:
        connection.close()
    return {"documents": documents, "texts": texts}
