"""The tables of a corpus: their columns, and rows written in batches, so that memory stays flat."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from importlib.util import find_spec
from pathlib import Path
from typing import Any, BinaryIO

from tamis.errors import MissingExtraError, needs_extra
from tamis.page.stopwatch import timed

SCHEMA_VERSION = 9
BATCH = 1024  #: rows that are held before they are written
WRITTEN: dict[str, Any] = {"compression": "zstd", "use_dictionary": False}  #: how Parquet is written: dictionaries do not make it smaller

NO_TEXT, UNWANTED = "select", {"language": "other languages", "quality": "low quality", "filter": "filtered"}
"""Stages in :data:`FAILURES` of pages that have no main text, and of those that were not asked for, with what they are counted as."""
LEFT_OUT = "left out by address"
"""Status of pages whose address was not wanted. They are in no table."""
NEW, REUSED, UPDATED, ANEW, UNSEEN = "new", "reused", "updated", "learned anew", "not seen"
"""Uses of a site's template by a run: ``outcome`` in :data:`MODELS`."""
_NEEDS = ("pyarrow", "duckdb", "opencc", "fsspec")
POSITION = (1 << 32) - 1  #: the part of a page's id that is its position in the shard


def identity(shard: int, position: int) -> int:
    """Return the id of a page: the number of its shard, and its position there."""
    return (shard << 32) | position


def _columns(text: str) -> dict[str, str]:
    return dict(column.split(":") for column in text.split())


DOCUMENTS = {
    "id": "int64",  # number of the shard, and position in it
    "source": "string",  # where the page was read
    "url": "string",
    "site": "string",
    "canonical_url": "string",  # as the page states it
    "title": "string",
    "author": "string",
    "date": "string",
    "site_name": "string",  # as the page states it
    "language": "string",  # as the page states it
    "detected_language": "string",  # of the text, if it is asked for
    "language_confidence": "float64",  # 0..1
    "text": "string",  # the main text, a line a block
    "markdown": "string",
    "method": "string",  # "site, model": by the site's template and the node model; model: by itself
    "kept": "int32",  # characters of the page's text that were kept
    "seen": "int32",  # characters of the page's text
    "problems": "list<string>",
}
"""Columns of documents, and their types."""
DROPPED = {"id": "int64", "reason": "string", "text": "string"}  #: what was dropped of each page, and why
RECORDS = {
    "id": "int64",  # of the page
    "url": "string",
    "site": "string",
    "region": "int32",  # the lists of a page, the main one is 0
    "place": "string",  # CSS path of the element that holds the list
    "record": "int32",  # number of the record in its list
    "values": "string",  # a JSON object: the record's fields by the name of their column, null where one is missing
}
"""Records of the lists of pages."""
FAILURES = _columns("id:int64 source:string url:string site:string stage:string reason:string")
"""Pages that could not be processed, or that have no main text."""
DUPLICATES = _columns("id:int64 survivor:int64 relation:string resemblance:float32 containment:float32")
"""Copies, each with the document that represents it."""
KEYS = _columns(
    "id:int64 digest:binary letters:int64 moment:float64 address:string named:string insecure:int8 query:bool_ depth:int32 length:int32 "
    "url:string start:int64 size:int32"
)
"""The order in which documents are kept, and the place of their signatures (:mod:`tamis.corpus.deduplication`). Documents that are too
short to be compared have none (size 0): their copies are the same to the letter."""
RESULTS = {"id": "int64", "fingerprint": "binary"}  #: pages whose results a later run may take (:mod:`tamis.corpus.previous_run`)
SPOOLED = {
    "position": "int64",  # in the shard
    "site": "string",
    "hash": "uint64",  # of the address: what the sample of a site is drawn by
    "about": "string",  # the page without its body, as JSON: name, address, content type, whether it is text, why it cannot be read
    "start": "int64",  # of the body in the file beside it
    "size": "int64",
    "length": "int64",  # before it was compressed
}
"""Pages that later stages need (:mod:`tamis.corpus.spool`)."""
DIGESTS = _columns("site:string partition:int32 hash:uint64 key:uint64 digest:binary")
"""Digests of pages to learn from (:func:`tamis.site.digest.to_bytes`), with hashes of their address and content."""
SITES = {"site": "string", "pages": "int64", "known": "int64"}
"""Sites with a stored template: pages of a shard, and those of a known layout."""
MODELS = {
    "site": "string",
    "outcome": "string",  # new, reused, updated, learned anew, or not seen in this run
    "pages": "int32",  # learned from
    "layouts": "int32",
    "learned": "string",  # when, ISO 8601
    "updated": "string",
    "history": "list<string>",  # what was done with the template, and from which sources; the latest last
    "keys": "list<uint64>",  # of the pages learned from
    "model": "binary",  # the packed model
    "evidence": "binary",  # packed digests of the pages learned from: what updates need
}
"""Templates, one a row group (:mod:`tamis.corpus.model_store`)."""


def need_corpus_extra() -> None:
    """Raise MissingExtraError where the ``corpus`` extra is not installed."""
    if any(find_spec(name) is None for name in _NEEDS):
        raise MissingExtraError("the corpus pipeline", "corpus")


def arrow() -> Any:
    """Return the module pyarrow, with Parquet. Raises MissingExtraError if it is not installed."""
    with needs_extra("the corpus pipeline", "corpus"):
        import pyarrow as pa
        import pyarrow.parquet
    return pa


def database(memory: str, folder: Path | None = None) -> Any:
    """Return a DuckDB database in memory; with a folder to spill to, it has one thread. Raises MissingExtraError without duckdb."""
    with needs_extra("the corpus pipeline", "corpus"):
        import duckdb
    more: dict[str, Any] = {} if folder is None else {"threads": 1, "temp_directory": str(folder / "spill")}
    base = duckdb.connect(config={"memory_limit": memory, **more})
    base.execute("set enable_progress_bar = false")  # it goes to standard output
    return base


def schema(columns: Mapping[str, str]) -> Any:
    """Return the Arrow schema of a table."""
    pa = arrow()
    return pa.schema([(name, _arrow_type(pa, kind)) for name, kind in columns.items()], {"tamis-schema": str(SCHEMA_VERSION)})


def _arrow_type(pa: Any, kind: str) -> Any:
    if kind.startswith("list<"):
        return pa.list_(_arrow_type(pa, kind[5:-1]))
    return getattr(pa, kind)()


class Writer:
    """A Parquet file written row by row, even without rows. ``columns``: types by name; ``batch``: rows of a row group."""

    def __init__(self, path: Path | BinaryIO, columns: Mapping[str, str], batch: int = BATCH) -> None:
        self._schema = schema(columns)
        self._file = arrow().parquet.ParquetWriter(path, self._schema, **WRITTEN)
        self._columns: dict[str, list[Any]] = {name: [] for name in columns}
        self._batch = batch
        self._held = 0
        self.count = 0

    def add(self, row: Mapping[str, Any]) -> None:
        """Add one more row; a column that it does not have is null."""
        for name, values in self._columns.items():
            values.append(row.get(name))
        self.count += 1
        self._held += 1
        if self._held >= self._batch:
            self.flush()

    def flush(self) -> None:
        """Write the rows that are held as a row group."""
        if self._held:
            with timed("write"):
                arrays = [_array(self._columns[field.name], field.type) for field in self._schema]
                self._file.write_table(arrow().Table.from_arrays(arrays, schema=self._schema))
            self._held = 0
            for values in self._columns.values():
                values.clear()

    def __enter__(self) -> Writer:
        return self

    def __exit__(self, kind: type[BaseException] | None, *error: object) -> None:
        if kind is None:
            self.flush()
        self._file.close()


def _array(values: list[Any], kind: Any) -> Any:
    try:
        return arrow().array(values, kind)
    except UnicodeEncodeError:
        return arrow().array([_for_arrow(value) for value in values], kind)


def _for_arrow(value: Any) -> Any:
    """Return a value that Arrow accepts: lone surrogates (of JSON and of file names) become U+FFFD."""
    if isinstance(value, str):
        return value.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")
    return [_for_arrow(item) for item in value] if isinstance(value, list) else value


def rows(path: Path, columns: Sequence[str] | None = None) -> Iterator[dict[str, Any]]:
    """Yield the rows of a Parquet file, one by one."""
    for batch in arrow().parquet.ParquetFile(path).iter_batches(BATCH, columns=columns):
        yield from batch.to_pylist()


def read_columns(path: Path, columns: Sequence[str]) -> Any:
    """Return some columns of a small Parquet file, an Arrow table. pyarrow's ``read_table`` loads modules, at 0.06 seconds a process."""
    with arrow().parquet.ParquetFile(path) as file:
        return file.read(columns, use_threads=False)


def quoted(path: Path) -> str:
    """Return a path in SQL."""
    return "'" + str(path).replace("'", "''") + "'"
