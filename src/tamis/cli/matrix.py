"""The similarities of many pages: clusters for people, the whole matrix as CSV or JSON."""

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
    from tamis.io.writing import written_whole
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
    with written_whole(path) as stream:
        stream.write(text.encode("utf-8", "replace"))
    terminal.say(f"matrix of {len(names)} pages written to {path}")


def show(names: list[str], matrix: Similarities, clusters: Clusters) -> None:
    """Print the clusters: their pages, how alike these are, and the page that is most like the others."""
    from rich.console import Console
    from rich.table import Table
    from rich.text import Text

    table = Table(title=f"{len(names)} pages in {int(clusters.max()) + 1} clusters")
    for heading in ("cluster", "pages", "alike on average", "least alike"):
        table.add_column(heading, justify="right")
    table.add_column("in its middle", overflow="fold")
    for number in range(min(int(clusters.max()) + 1, _SHOWN)):
        members = np.flatnonzero(clusters == number)
        inner = matrix[np.ix_(members, members)]
        pairs = inner[np.triu_indices(len(members), 1)]
        cells = (f"{pairs.mean():.3f}", f"{pairs.min():.3f}") if len(pairs) else ("-", "-")
        table.add_row(str(number), str(len(members)), *cells, Text(terminal.harmless(names[int(members[inner.sum(0).argmax()])])))
    console = Console()
    console.print(table)
    if (left := int(clusters.max()) + 1 - _SHOWN) > 0:
        console.print(f"and {left} smaller clusters (--json or --output for all)", highlight=False)
