"""``python -m benchmarks markdown``."""

from __future__ import annotations

import sys
from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from typer import Argument

from benchmarks.commands.reporting import Json, PeerPythons, shown
from benchmarks.report import Report, Table

if TYPE_CHECKING:
    from benchmarks.markdown import ToolScores


def markdown(
    folder: Annotated[Path | None, Argument()] = None,
    by_page: bool = False,
    peer_pythons: PeerPythons = None,
    json_file: Json = None,
) -> None:
    """Markdown with code, formulas and tables: tamis and its peers by the measures of WebMainBench.

    Options:
        folder: Pages NAME.html with gold NAME.md. [default: those in benchmarks/markdown_pages]
        by_page: Also print a table of each tool's measures on each page.
    """
    given = {"folder": folder, "pythons": [sys.executable, *(peer_pythons or ())], "json_file": json_file}
    shown("markdown", "pages", lambda scores: report(scores, by_page), given)


def report(scores: list[ToolScores], by_page: bool) -> Report:
    """One row a tool; then, where asked, one row a page for each."""
    from benchmarks.markdown import MEASURES

    ran = [score for score in scores if score.pages]
    measured = "; ".join(f"{name}|.3f" for name in MEASURES)
    rows = [(s.standing.peer.name, s.standing.version, *map(s.mean, (*MEASURES, "overall"))) for s in ran]
    pages = len(ran[0].pages) if ran else 0
    caption = (
        "text, code, formulas, tables: edit similarity; teds: of tables as trees; overall: mean of these five, where pages have the part"
    )
    tables = [Table(f"Markdown of {pages} pages", f"tool; version; {measured}; overall|.3f", rows, caption)]
    if by_page:
        tables += [
            Table(s.standing.peer.name, f"page; {measured}", [(name, *(page[each] for each in MEASURES)) for name, page in s.pages.items()])
            for s in ran
        ]
    remarks = [f"Not run: {s.standing.peer.name}: {s.standing.reason}" for s in scores if s.standing.reason is not None]
    for score in ran:
        remarks += [f"{score.standing.peer.name} failed on {n}: {error}" for error, n in Counter(score.errors.values()).items()]
    return Report(tables, remarks)
