"""The similarities of many pages: clusters as a table, the whole matrix as CSV or JSON."""

from __future__ import annotations

import csv
import json
from io import StringIO
from pathlib import Path
from typing import Any

import numpy as np

from tamis.cli import terminal
from tamis.structure.clusters import Clusters
from tamis.structure.similarity import Similarities

_SHOWN = 30
"""Clusters that are shown."""


def as_dict(names: list[str], matrix: Similarities, clusters: Clusters) -> dict[str, Any]:
    """Pages, the cluster of each, and the matrix, row by row."""
    return {"pages": names, "clusters": clusters.tolist(), "similarity": np.round(matrix, 6).tolist()}


def write(path: Path, names: list[str], matrix: Similarities, clusters: Clusters) -> None:
    """Write the matrix: CSV with a row and a column for each page, and its cluster; or JSON."""
    from tamis.records.table import as_text_cell

    if path.suffix.lower() == ".json":
        text = json.dumps(as_dict(names, matrix, clusters), ensure_ascii=False) + "\n"
    else:
        page = StringIO()
        rows = csv.writer(page, lineterminator="\n")
        rows.writerow(["page", "cluster", *map(as_text_cell, names)])
        for name, number, row in zip(names, clusters.tolist(), matrix.tolist(), strict=True):
            rows.writerow([as_text_cell(name), number, *(f"{value:.6g}" for value in row)])
        text = page.getvalue()
    terminal.deliver(text, path)


def show(names: list[str], matrix: Similarities, clusters: Clusters) -> None:
    """Print the clusters: number of pages, their similarities, and the page that is most similar to the others."""
    count = int(clusters.max()) + 1
    rows = []
    for number in range(min(count, _SHOWN)):
        members = np.flatnonzero(clusters == number)
        inner = matrix[np.ix_(members, members)]
        pairs = inner[np.triu_indices(len(members), 1)]
        central = terminal.harmless(names[int(members[inner.sum(0).argmax()])])
        rows.append((number, len(members), *((f"{pairs.mean():.3f}", f"{pairs.min():.3f}") if len(pairs) else "--"), central))
    headings = ("cluster", "pages", "mean similarity", "lowest", "central page")
    more = f"and {count - _SHOWN} smaller clusters (--json or --output for all)\n" if count > _SHOWN else ""
    terminal.to_stdout(f"{len(names)} pages in {count} clusters\n" + terminal.columns(headings, rows) + more)
