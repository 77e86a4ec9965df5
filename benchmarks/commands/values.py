"""``python -m benchmarks values``."""

from __future__ import annotations

from dataclasses import asdict
from typing import TYPE_CHECKING, Annotated

import typer

from benchmarks.commands.reporting import Folders, Json, Limit, deliver, errors_shown, progress
from benchmarks.report import Report, Table

if TYPE_CHECKING:
    from benchmarks.values import ValueScore


def values(
    folders: Folders,
    k: Annotated[int, typer.Option("--k", help="Pages that a model is made of.", min=2)] = 30,
    limit: Limit = None,
    json_file: Json = None,
) -> None:
    """Which share of the attribute values of shop pages cleaning keeps, alone and with a site's model."""
    with errors_shown():
        from benchmarks import values as bench

        with progress("pages") as told:
            scores = bench.run(folders, k=k, limit=limit, progress=told)
        deliver(report(scores), {"bench": "values", "scores": [asdict(score) for score in scores]}, json_file)


def report(scores: list[ValueScore]) -> Report:
    """One row for each attribute of a folder and way of cleaning."""
    columns = "folder; how; pages; attribute; values kept|.3f; header and footer kept|.3f"
    rows = [(s.folder, s.how, s.pages, name, share, s.noise) for s in scores for name, share in s.kept.items()]
    return Report([Table("attribute values", columns, rows)])
