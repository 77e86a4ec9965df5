"""``python -m benchmarks comments``."""

from __future__ import annotations

from typing import TYPE_CHECKING

from benchmarks.commands.reporting import Folders, Json, Limit, shown
from benchmarks.report import Report, Table

if TYPE_CHECKING:
    from benchmarks.comments import Result


def comments(folders: Folders, limit: Limit = None, json_file: Json = None) -> None:
    """How well visitors' comments are found and kept out of the main text."""
    shown("comments", "pages", report, locals())


def report(result: Result) -> Report:
    """One row a folder, and one for all of them."""
    columns = (
        "folder; pages with comments; F1 of comments|.3f; none found; left in text|.1%; pages without; some found; "
        "F1 of main text|.3f; with comments|.3f"
    )
    scores = result.scores if len(result.scores) == 1 else (*result.scores, result.total)
    rows = [(s.name, s.pages, s.f1, s.missed, s.left_in, s.others, s.claimed, s.main_f1, s.main_f1_with) for s in scores]
    return Report([Table("visitors' comments", columns, rows)])
