"""``python -m benchmarks metadata``."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from typer import Argument

from benchmarks.commands.reporting import Json, Limit, shown
from benchmarks.report import Report, Table

if TYPE_CHECKING:
    from benchmarks.metadata import Result


def metadata(
    folder: Annotated[Path, Argument(help="Single pages with gold (gold.jsonl.gz and html/).")],
    limit: Limit = None,
    json_file: Json = None,
) -> None:
    """Title, author and date against gold, beside trafilatura; products beside extruct."""
    shown("metadata", "pages", report, locals())


def report(result: Result) -> Report:
    """One row for each field and tool, and one for each field of products."""
    rows = [
        (name, tool, score.with_gold, score.accuracy, score.exact_accuracy, score.precision, score.invented)
        for name in ("title", "author", "date")
        for tool, fields in result.fields.items()
        for score in (fields[name],)
    ]
    columns = "field; tool; pages with gold; right|.3f; to the letter|.3f; right of those given|.3f; given without gold"
    tables = [Table("metadata", columns, rows)]
    products = [(name, score.stated, score.given, score.same) for name, score in result.products.items()]
    tables.append(Table("products", "field; pages that state it; given; one of the stated values", products))
    return Report(tables)
