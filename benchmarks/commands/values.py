"""``python -m benchmarks values``."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

from typer import Option

from benchmarks.commands.reporting import Folders, Json, Limit, shown
from benchmarks.report import Report, Table

if TYPE_CHECKING:
    from benchmarks.values import ValueScore


def values(folders: Folders, k: Annotated[int, Option("--k", min=2)] = 30, limit: Limit = None, json_file: Json = None) -> None:
    """The share of the attribute values of shop pages that cleaning keeps, alone and with a site's model.

    Options:
        k: Pages that a model is learned from.
    """
    shown("values", "pages", report, locals())


def report(scores: list[ValueScore]) -> Report:
    """One row for each attribute of a folder and way of cleaning."""
    columns = "folder; how; pages; attribute; values kept|.3f; header and footer kept|.3f"
    rows = [(s.folder, s.how, s.pages, name, share, s.noise) for s in scores for name, share in s.kept.items()]
    return Report([Table("attribute values", columns, rows)])
