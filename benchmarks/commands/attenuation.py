"""``python -m benchmarks attenuation``."""

from __future__ import annotations

from typing import TYPE_CHECKING

from benchmarks.commands.reporting import Folders, Json, Limit, Plot, shown
from benchmarks.report import Panel, Report, Table

if TYPE_CHECKING:
    from benchmarks.attenuation import Result, Summary


def attenuation(folders: Folders, limit: Limit = None, json_file: Json = None, plot: Plot = None) -> None:
    """The paper's figure 4 and table: accuracy by T, and by site at T = 0.34."""
    shown("attenuation", "pages", report, locals())


def report(result: Result) -> Report:
    """Accuracy by T, and by site at the paper's T; the paper's figure 4 as plots."""
    from benchmarks.attenuation import LEGEND, PAPER_THRESHOLD

    measures = "accuracy|.1%; clip precision|.1%; subtree right|.1%; subtree holds all|.1%; F1 ≥ 0.95|.1%; F1|.3f"
    tables, panels = [], []
    for name in result.collections:
        found = {threshold: result.summary(name, threshold) for threshold in result.thresholds}
        pages = f"{name}: {result.count(name)} pages"
        tables.append(Table(f"{pages}, by T", f"T; {measures}", [(f"{t:.2f}", *_shares(one)) for t, one in found.items()]))
        if len(sites := result.sites(name)) > 1:
            by_site = {site: result.summary(name, PAPER_THRESHOLD, site=site) for site in sites}
            rows = [(site, one.pages, *_shares(one)) for site, one in by_site.items()]
            tables.append(Table(f"{name}: by site at T = {PAPER_THRESHOLD}", f"site; pages; {measures}", rows))
        drawn = {"topic subtree right": "subtree_right", "page right": "accuracy", "mean F1": "f1"}
        lines = {label: [(t, getattr(one, measure)) for t, one in found.items()] for label, measure in drawn.items()}
        panels.append(Panel(pages, "T", "share of pages; F1", lines))
    return Report(tables, (LEGEND,), panels)


def _shares(found: Summary) -> tuple[float | None, ...]:
    return (found.accuracy, found.clip_precision, found.subtree_right, found.holds_all, found.nearly_right, found.f1)
